"""What retrievers of this package share in LlamaIndex: a report with every search, nodes that are added, one account of costs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]  # re-exported without saying so
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle, QueryType

from chronotope.llama_index.convert import several
from chronotope.llama_index.queries import as_bundle
from chronotope.records import Issue, Spent
from chronotope.steps import Runner, Step

__all__ = ["ReportingRetriever"]

_dispatcher = get_dispatcher(__name__)
Found = TypeVar("Found")


class ReportingRetriever(BaseRetriever, Generic[Found]):
    """A retriever whose searches tell more than nodes; see its subclasses for what."""

    runner: Runner
    _found_while_building: tuple[Issue, ...]

    @property
    def spent(self) -> Spent:
        """What the models cost so far."""
        return self.runner.spent

    def insert_nodes(self, nodes: Iterable[BaseNode]) -> int:
        """Add nodes; what is there already is passed over.

        Returns:
            How many nodes, or events read from them, were added.

        Raises:
            TypeError: the nodes belong to the app's own index.
        """
        return self.runner.run(self._insertion(several(nodes, "nodes")))

    async def ainsert_nodes(self, nodes: Iterable[BaseNode]) -> int:
        """The same, awaited."""
        return await self.runner.arun(self._insertion(several(nodes, "nodes")))

    def retrieve_with_report(self, question: QueryType) -> Found:
        """What the question was understood to ask, what was found and how, and what went wrong.

        Args:
            question: words, a `QueryBundle`, or a `TimedQuery` that gives the time beside the words.
        """
        asked = as_bundle(question)
        return self._told(asked, self.runner.run(self._retrieval(asked)))

    async def aretrieve_with_report(self, question: QueryType) -> Found:
        """The same, awaited."""
        asked = as_bundle(question)
        return self._told(asked, await self.runner.arun(self._retrieval(asked)))

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._scored(self.retrieve_with_report(query_bundle))

    @_dispatcher.span
    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._scored(await self.aretrieve_with_report(query_bundle))

    @abstractmethod
    def _insertion(self, nodes: Sequence[BaseNode]) -> Step[int]:
        """Add nodes."""

    @abstractmethod
    def _retrieval(self, bundle: QueryBundle) -> Step[Found]:
        """From the question to what is found."""

    @abstractmethod
    def _told(self, asked: QueryBundle, found: Found) -> Found:
        """The same as it is shown, logged."""

    @abstractmethod
    def _scored(self, found: Found) -> list[NodeWithScore]:
        """What is found, as nodes."""

    def _forget(self, ids: set[str]) -> None:
        """Drop what was reported about documents and nodes that are gone."""
        self._found_while_building = tuple(issue for issue in self._found_while_building if issue.source_id not in ids)
