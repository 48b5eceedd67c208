"""A user's own `VectorStoreIndex` as a store of passages: time filters in LlamaIndex's form, nodes as records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from llama_index.core import VectorStoreIndex
from llama_index.core.indices.vector_store import VectorIndexRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from chronotope.diachronic import Pushdown, PushdownPolicy, StoreAnswers, StoreRecord, Window
from chronotope.llama_index.convert import to_passage
from chronotope.metadata import MetadataKeys
from chronotope.records import Hit
from chronotope.steps import Step, call

__all__ = ["Pushdown", "VectorIndexSearch", "VectorIndexStore", "window_filters"]

_FAISS_L2 = 1  # faiss.METRIC_L2: smaller is better, unlike everywhere else


def window_filters(window: Window, keys: MetadataKeys) -> MetadataFilters:
    """Records that overlap closed seconds, as the one shape that nearly all stores accept: two integers, compared, joined by AND.

    >>> [(f.key, f.operator.value, f.value) for f in window_filters((0, 9), MetadataKeys()).filters]
    [('time_start', '<=', 9), ('time_end', '>=', 0)]
    """
    low, high = window
    starts = MetadataFilter(key=keys.start, operator=FilterOperator.LTE, value=high)
    ends = MetadataFilter(key=keys.end, operator=FilterOperator.GTE, value=low)
    return MetadataFilters(filters=[starts, ends], condition=FilterCondition.AND)


class VectorIndexStore:
    """A `VectorStoreIndex` that retrieval may filter by time.

    Args:
        index: the user's index, with whatever vector store is behind it.
        keys: where nodes have their times.
        pushdown: True always filters in the store and lets its errors through, False never does, `auto` tries, compares the
            first filtered answers with unfiltered ones, and stops filtering there, with a warning, when the store refuses
            or loses records that it should have found.

    Raises:
        ValueError: `pushdown` is none of these.
    """

    def __init__(self, index: VectorStoreIndex, *, keys: MetadataKeys | None = None, pushdown: Pushdown = "auto") -> None:
        self.index, self.keys = index, keys or MetadataKeys()
        self.policy = PushdownPolicy(pushdown, type(index.vector_store).__name__)

    def __repr__(self) -> str:
        learnt = {None: "not tried yet", True: "works", False: "off"}[self.policy.trusted]
        return f"<VectorIndexStore on {type(self.index.vector_store).__name__}, push-down {learnt}>"

    def opened(self, question: str) -> Step[VectorIndexSearch]:
        """The search for one question, whose vector is made once for all its windows, by the index's own model."""
        client = getattr(self.index.vector_store, "client", None)
        answers = StoreAnswers(self.keys, distances=True if getattr(client, "metric_type", None) == _FAISS_L2 else None)
        if not self.index.vector_store.is_embedding_query:
            return VectorIndexSearch(self, None, answers)
        model = self.index._embed_model
        vector = yield from call(partial(model.get_query_embedding, question), partial(model.aget_query_embedding, question))
        return VectorIndexSearch(self, tuple(vector), answers)

    def retriever(self, limit: int, window: Window | None) -> VectorIndexRetriever:
        """A fresh retriever, so that questions asked at the same time do not change each other's limits."""
        filters = None if window is None else window_filters(window, self.keys)
        return VectorIndexRetriever(index=self.index, similarity_top_k=limit, filters=filters)


@dataclass(frozen=True)
class VectorIndexSearch:
    """The store as one question sees it."""

    store: VectorIndexStore
    vector: tuple[float, ...] | None
    answers: StoreAnswers
    unable: str = ""
    may_miss: bool = True

    def search(self, query: str, limit: int, window: Window | None) -> list[Hit]:
        """The most similar nodes, best first."""
        try:
            return self._hits(self.store.retriever(limit, window).retrieve(self._bundle(query)))
        except AssertionError:  # LlamaIndex 0.13 asserts that a search finds something
            return []

    async def asearch(self, query: str, limit: int, window: Window | None) -> list[Hit]:
        """The same, awaited."""
        try:
            return self._hits(await self.store.retriever(limit, window).aretrieve(self._bundle(query)))
        except AssertionError:  # as above
            return []

    def _bundle(self, query: str) -> QueryBundle:
        return QueryBundle(query, embedding=None if self.vector is None else list(self.vector))

    def _hits(self, found: Sequence[NodeWithScore]) -> list[Hit]:
        read = [(item, *to_passage(item.node, keys=self.store.keys)) for item in found]
        return self.answers.hits([StoreRecord(passage, item.node.metadata, item.score, issues) for item, passage, issues in read])
