"""A user's own `VectorStoreIndex` behind the two methods that retrieval needs, with the time filter pushed down where it works."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from llama_index.core import VectorStoreIndex
from llama_index.core.indices.vector_store import VectorIndexRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from chronotope.diachronic import Window
from chronotope.llama_index.convert import to_hits
from chronotope.metadata import MetadataKeys
from chronotope.records import Hit
from chronotope.steps import Step, call

__all__ = ["Pushdown", "VectorIndexSearch", "VectorIndexStore", "window_filters"]

Pushdown: TypeAlias = Literal["auto"] | bool

_log = logging.getLogger("chronotope")
_FAISS_L2 = 1  # faiss.METRIC_L2: smaller is better, unlike everywhere else
_REFUSALS = (ValueError, NotImplementedError, TypeError)  # what stores raise for a filter that they do not know


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
    """Searches a `VectorStoreIndex` and learns from the first answers whether its store can filter by time.

    Args:
        index: the user's index, with whatever vector store is behind it.
        keys: where nodes have their times.
        pushdown: True always filters in the store and lets its errors through, False never does, `auto` tries, compares the
            first filtered answers with unfiltered ones, and stops filtering there, with a warning, when the store refuses
            or loses records that it should have found.
    """

    def __init__(self, index: VectorStoreIndex, *, keys: MetadataKeys | None = None, pushdown: Pushdown = "auto") -> None:
        self.index, self.keys, self.pushdown = index, keys or MetadataKeys(), pushdown
        self.trusted: bool | None = None if pushdown == "auto" else pushdown
        client = getattr(index.vector_store, "client", None)
        self._by_distance = getattr(client, "metric_type", None) == _FAISS_L2

    def __repr__(self) -> str:
        learnt = {None: "not tried yet", True: "works", False: "off"}[self.trusted]
        return f"<VectorIndexStore on {type(self.index.vector_store).__name__}, push-down {learnt}>"

    def embedded(self, question: str) -> Step[VectorIndexSearch]:
        """The search for one question, whose vector is made once for all its windows, by the index's own model."""
        if not self.index.vector_store.is_embedding_query:
            return VectorIndexSearch(self, None)
        model = self.index._embed_model
        vector = yield from call(partial(model.get_query_embedding, question), partial(model.aget_query_embedding, question))
        return VectorIndexSearch(self, tuple(vector))

    def retriever(self, limit: int, window: Window | None) -> VectorIndexRetriever:
        """A fresh retriever, so that questions asked at the same time do not change each other's limits."""
        filters = None if window is None else window_filters(window, self.keys)
        return VectorIndexRetriever(index=self.index, similarity_top_k=limit, filters=filters)

    def hits(self, found: Sequence[NodeWithScore]) -> list[Hit]:
        """Hits best first, where higher scores are better: distances are turned round, missing scores follow the rank."""
        scores = [item.score for item in found]
        hits = to_hits(found, keys=self.keys)
        if any(score is None for score in scores):
            return [Hit(hit.passage, 1 / (rank + 1)) for rank, hit in enumerate(hits)]
        if self._by_distance:
            return [Hit(hit.passage, 1 / (1 + max(hit.score, 0.0))) for hit in hits]
        return hits

    def refused(self, error: Exception) -> None:
        """Stop pushing filters down; with `pushdown=True` the error goes to the caller instead."""
        if self.pushdown is True:
            raise error
        self._distrust(f"refuses a time filter ({type(error).__name__}: {error})")

    def judge(self, plain: Sequence[Hit], filtered: Sequence[Hit], window: Window) -> None:
        """Compare an unfiltered with a filtered answer: trust the filter if it found something and lost nothing that fits."""
        kept = {hit.passage.id for hit in filtered}
        fitting = [hit for hit in plain if any(_touches(time.envelope, window) for time in hit.passage.told_times)]
        if any(hit.passage.id not in kept for hit in fitting):
            self._distrust(f"loses nodes when it filters by {self.keys.start!r} and {self.keys.end!r}; are they all annotated?")
        elif filtered:
            self.trusted = True

    def _distrust(self, reason: str) -> None:
        if self.trusted is not False:
            _log.warning("%s %s: more is fetched and filtered here instead", type(self.index.vector_store).__name__, reason)
        self.trusted = False


@dataclass(frozen=True)
class VectorIndexSearch:
    """A `PassageStore` for one question."""

    store: VectorIndexStore
    vector: tuple[float, ...] | None

    def search(self, query: str, limit: int, window: Window | None) -> Sequence[Hit]:
        """The most similar nodes, best first."""
        if window is None or self.store.trusted is False:
            return self._found(query, limit, None)
        try:
            filtered = self._found(query, limit, window)
        except _REFUSALS as error:
            self.store.refused(error)
            return self._found(query, limit, None)
        if self.store.trusted is None:
            plain = self._found(query, limit, None)
            self.store.judge(plain, filtered, window)
            return filtered if self.store.trusted else plain
        return filtered

    async def asearch(self, query: str, limit: int, window: Window | None) -> Sequence[Hit]:
        """The same, awaited."""
        if window is None or self.store.trusted is False:
            return await self._afound(query, limit, None)
        try:
            filtered = await self._afound(query, limit, window)
        except _REFUSALS as error:
            self.store.refused(error)
            return await self._afound(query, limit, None)
        if self.store.trusted is None:
            plain = await self._afound(query, limit, None)
            self.store.judge(plain, filtered, window)
            return filtered if self.store.trusted else plain
        return filtered

    def _found(self, query: str, limit: int, window: Window | None) -> list[Hit]:
        try:
            found = self.store.retriever(limit, window).retrieve(self._bundle(query))
        except AssertionError:  # LlamaIndex 0.13 asserts that a search finds something
            return []
        return self.store.hits(found)

    async def _afound(self, query: str, limit: int, window: Window | None) -> list[Hit]:
        try:
            found = await self.store.retriever(limit, window).aretrieve(self._bundle(query))
        except AssertionError:  # as above
            return []
        return self.store.hits(found)

    def _bundle(self, query: str) -> QueryBundle:
        return QueryBundle(query, embedding=None if self.vector is None else list(self.vector))


def _touches(envelope: Window, window: Window) -> bool:
    return envelope[0] <= window[1] and envelope[1] >= window[0]
