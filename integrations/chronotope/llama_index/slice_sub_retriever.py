"""A slice retriever among the sub-retrievers of a property graph."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.graph_stores.simple_labelled import SimplePropertyGraphStore
from llama_index.core.graph_stores.types import PropertyGraphStore
from llama_index.core.indices.property_graph import BasePGRetriever
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]  # re-exported without saying so
from llama_index.core.schema import NodeWithScore, QueryBundle

from chronotope.llama_index.fact_nodes import told_line

__all__ = ["SliceSubRetriever"]

_dispatcher = get_dispatcher(__name__)


class SliceSubRetriever(BasePGRetriever):
    """Gives a `PropertyGraphIndex` the slice of a question, one line a fact.

    A property graph's retriever drops nodes whose text it has seen, and two facts may stand in one sentence: so the text of a fact
    is its statement with its coordinates and words. Made by `SliceRetriever.as_sub_retriever`.

    Args:
        retriever: a `SliceRetriever`, or any other over its nodes.
        graph_store: the store of the index; the slice is not read from it.
        options: whatever else `BasePGRetriever` takes.
    """

    def __init__(
        self,
        retriever: BaseRetriever,
        graph_store: PropertyGraphStore | None = None,
        **options: Any,  # noqa: ANN401 - the framework's own
    ) -> None:
        super().__init__(graph_store=graph_store or SimplePropertyGraphStore(), **{"include_text": False, **options})
        self.retriever = retriever

    def retrieve_from_graph(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """The facts, and the passages where the retriever gives them."""
        return _as_lines(self.retriever.retrieve(query_bundle))

    @_dispatcher.span
    async def aretrieve_from_graph(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """The same, awaited."""
        return _as_lines(await self.retriever.aretrieve(query_bundle))


def _as_lines(found: list[NodeWithScore]) -> list[NodeWithScore]:
    return [NodeWithScore(node=told_line(item.node), score=item.score) for item in found]
