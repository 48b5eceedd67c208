"""A LangChain vector store as a store of passages: numbers are compared there where it can, everything else is checked here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from chronotope.langchain.convert import DEFAULT_KEYS, to_passage
from chronotope.langchain.options import FilterBuilder
from chronotope.metadata import MetadataKeys, read_times
from chronotope.records import Hit, Issue

__all__ = ["KnownStore", "StorePassages", "known_store"]

Window: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class KnownStore:
    """How one class of store filters and scores.

    Args:
        build: a filter for records with `start <= hi` and `end >= lo`.
        mapped: True when the filter sees the whole record, and so can read an app's own dates.
        scores: what `similarity_search_with_score` gives; `rank` when that depends on how the store was made.
        options: further arguments of a filtered search, from the store and the limit.
    """

    build: Callable[[MetadataKeys, int, int], Any]
    mapped: bool = False
    scores: Literal["similarity", "distance", "rank"] = "rank"
    options: Callable[[Any, int], Mapping[str, Any]] = lambda _store, _limit: {}


def _overlaps(metadata: Mapping[str, Any], keys: MetadataKeys, lo: int, hi: int) -> bool:
    start, end = metadata.get(keys.start), metadata.get(keys.end)
    if isinstance(start, int) and isinstance(end, int):
        return start <= hi and end >= lo
    told = read_times(metadata, keys=keys)
    times = told.times or ((told.published,) if told.published else ())
    return told.static or any(time.envelope[0] <= hi and time.envelope[1] >= lo for time in times)


def _on_documents(keys: MetadataKeys, lo: int, hi: int) -> Callable[[Document], bool]:
    return lambda document: _overlaps(document.metadata, keys, lo, hi)


def _on_metadata(keys: MetadataKeys, lo: int, hi: int) -> Callable[[Mapping[str, Any]], bool]:
    return lambda metadata: _overlaps(metadata, keys, lo, hi)


def _conjunction(keys: MetadataKeys, lo: int, hi: int) -> dict[str, Any]:
    return {"$and": [{keys.start: {"$lte": hi}}, {keys.end: {"$gte": lo}}]}


def _fetch_all(store: Any, limit: int) -> Mapping[str, Any]:  # noqa: ANN401 - a class that need not be installed
    """FAISS filters what it fetched, twenty by default: fetch everything, since the search is exact anyway."""
    return {"fetch_k": getattr(getattr(store, "index", None), "ntotal", 20 * limit)}


_KNOWN = {
    "InMemoryVectorStore": KnownStore(_on_documents, mapped=True, scores="similarity"),
    "FAISS": KnownStore(_on_metadata, mapped=True, options=_fetch_all),
    "PGVectorStore": KnownStore(_conjunction, scores="distance"),
    "Chroma": KnownStore(_conjunction, scores="distance"),
}


def known_store(store: object) -> KnownStore | None:
    """What is known of a store's class or of one it derives from, by name, so that none need be installed; None of others."""
    return next((_KNOWN[base.__name__] for base in type(store).__mro__ if base.__name__ in _KNOWN), None)


@dataclass(frozen=True)
class StorePassages:
    """One question's view of a vector store.

    Args:
        store: any LangChain vector store.
        keys: where times are in its metadata.
        source_key: metadata key that chunks of one text share.
        filter_builder: makes the store's own filter from closed seconds (lo, hi); None takes the known one, if any.
        search_kwargs: arguments of every search.
        issues: filled with what could not be read, by record.
    """

    store: VectorStore
    keys: MetadataKeys = DEFAULT_KEYS
    source_key: str = "source_id"
    filter_builder: FilterBuilder | None = None
    search_kwargs: Mapping[str, Any] = field(default_factory=dict)
    issues: dict[str, Issue] = field(default_factory=dict)

    @property
    def can_filter(self) -> bool:
        """True when the store can be given a filter that finds this app's dates, and the app gives none itself."""
        known = known_store(self.store)
        own_dates = self.keys.date or self.keys.event_date
        return self.filter_builder is not None or (
            known is not None and (known.mapped or not own_dates) and "filter" not in self.search_kwargs
        )

    def search(self, query: str, limit: int, window: Window | None) -> list[Hit]:
        """The most similar records, best first; with a window only those that may lie in it."""
        options = self._options(limit, window)
        if self._scores == "rank":
            return self._ranked(self.store.similarity_search(query, k=limit, **options))
        return self._scored(self.store.similarity_search_with_score(query, k=limit, **options))

    async def asearch(self, query: str, limit: int, window: Window | None) -> list[Hit]:
        """The same, awaited."""
        options = self._options(limit, window)
        if self._scores == "rank":
            return self._ranked(await self.store.asimilarity_search(query, k=limit, **options))
        return self._scored(await self.store.asimilarity_search_with_score(query, k=limit, **options))

    @property
    def _scores(self) -> str:
        known = known_store(self.store)
        return known.scores if known else "rank"

    def _options(self, limit: int, window: Window | None) -> dict[str, Any]:
        if window is None:
            return dict(self.search_kwargs)
        known = known_store(self.store)
        more = known.options(self.store, limit) if known else {}
        if self.filter_builder is not None:
            return {**more, **self.search_kwargs, "filter": self.filter_builder(*window)}
        if known is None:
            raise ValueError(f"no filter is known for {type(self.store).__name__}: give filter_builder=, or pushdown=False")
        return {**more, **self.search_kwargs, "filter": known.build(self.keys, *window)}

    def _ranked(self, documents: Sequence[Document]) -> list[Hit]:
        return [self._hit(document, 1 / (1 + rank)) for rank, document in enumerate(documents)]

    def _scored(self, pairs: Sequence[tuple[Document, float]]) -> list[Hit]:
        sign = -1 if self._scores == "distance" else 1
        return [self._hit(document, sign * float(score)) for document, score in pairs]

    def _hit(self, document: Document, score: float) -> Hit:
        passage, issues = to_passage(document, keys=self.keys, source_key=self.source_key)
        self.issues.update({f"{passage.id} {issue.message}": issue for issue in issues})
        return Hit(passage, score)
