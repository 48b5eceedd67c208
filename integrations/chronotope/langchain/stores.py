"""A LangChain vector store as a store of passages: numbers are compared there where it can, everything else is checked here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from functools import partial
from typing import Any

from langchain_core.documents import Document
from langchain_core.runnables.config import run_in_executor
from langchain_core.vectorstores import VectorStore

from chronotope.diachronic import Pushdown, PushdownPolicy, StoreAnswers, StoreRecord, Window
from chronotope.langchain.convert import DEFAULT_KEYS, to_passage
from chronotope.langchain.options import FilterBuilder
from chronotope.metadata import MetadataKeys, read_times
from chronotope.records import Hit
from chronotope.steps import Step, call

__all__ = ["KnownStore", "StorePassages", "known_store"]


@dataclass(frozen=True)
class KnownStore:
    """How one class of store filters and scores.

    Args:
        build: a filter for records with `start <= hi` and `end >= lo`.
        mapped: True when the filter sees the whole record, and so can read an app's own dates.
        by_vector: name of the method that searches by a vector and gives scores, so that a question is embedded once.
        options: further arguments of a filtered search, from the store and the limit.
    """

    build: Callable[[MetadataKeys, int, int], Any]
    by_vector: str
    mapped: bool = False
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


_BY_VECTOR = "similarity_search_with_score_by_vector"
_KNOWN = {
    "InMemoryVectorStore": KnownStore(_on_documents, _BY_VECTOR, mapped=True),
    "FAISS": KnownStore(_on_metadata, _BY_VECTOR, mapped=True, options=_fetch_all),
    "PGVectorStore": KnownStore(_conjunction, _BY_VECTOR),
    "Chroma": KnownStore(_conjunction, "similarity_search_by_vector_with_relevance_scores"),
}


def known_store(store: object) -> KnownStore | None:
    """What is known of a store's class or of one it derives from, by name, so that none need be installed; None of others."""
    return next((_KNOWN[base.__name__] for base in type(store).__mro__ if base.__name__ in _KNOWN), None)


@dataclass
class StorePassages:
    """One question's view of a vector store.

    Args:
        store: any LangChain vector store.
        keys: where times are in its metadata.
        source_key: metadata key that chunks of one text share.
        filter_builder: makes the store's own filter from closed seconds (lo, hi); None takes the known one, if any.
        search_kwargs: arguments of every search.
        pushdown: whether filters are sent to the store.

    Attributes:
        policy: what was decided about filters.
        answers: what the store's answers told.
        vector: of the question, when it was embedded already.

    Raises:
        ValueError: `pushdown` is neither "auto" nor True nor False.
    """

    store: VectorStore
    keys: MetadataKeys = DEFAULT_KEYS
    source_key: str = "source_id"
    filter_builder: FilterBuilder | None = None
    search_kwargs: Mapping[str, Any] = field(default_factory=dict)
    pushdown: InitVar[Pushdown] = "auto"
    policy: PushdownPolicy = field(init=False)
    answers: StoreAnswers = field(init=False)
    vector: list[float] | None = field(default=None, init=False)

    def __post_init__(self, pushdown: Pushdown) -> None:
        self.policy, self.answers = PushdownPolicy(pushdown, type(self.store).__name__), StoreAnswers(self.keys)

    @property
    def unable(self) -> str:
        """Why no filter can be sent: none is known that finds this app's dates, or the app gives one itself."""
        known = known_store(self.store)
        own_dates = self.keys.date or self.keys.event_date
        if self.filter_builder is not None:
            return ""
        if known is None or (own_dates and not known.mapped):
            return "is not known to filter by this app's dates; give filter_builder="
        return "is searched with a filter of the app's own" if "filter" in self.search_kwargs else ""

    @property
    def may_miss(self) -> bool:
        """True when a filter compares numbers only, so that dated records without them are not found."""
        known = known_store(self.store)
        return self.filter_builder is not None or known is None or not known.mapped

    def opened(self, question: str) -> Step[StorePassages]:
        """Itself, with the question embedded once for all its windows, where the store can be searched by a vector."""
        model = self.store.embeddings if known_store(self.store) is not None else None
        if model is not None:
            self.vector = yield from call(partial(model.embed_query, question), partial(model.aembed_query, question))
        return self

    def search(self, query: str, limit: int, window: Window | None) -> list[Hit]:
        """The most similar records, best first; with a window only those that may lie in it."""
        name, subject = self._method(query)
        options = self._options(limit, window)
        try:
            return self._scored(getattr(self.store, name)(subject, k=limit, **options))
        except NotImplementedError:  # a store without scores
            return self._ranked(self.store.similarity_search(query, k=limit, **options))

    async def asearch(self, query: str, limit: int, window: Window | None) -> list[Hit]:
        """The same, awaited."""
        name, subject = self._method(query)
        options = self._options(limit, window)
        look_up = getattr(self.store, f"a{name}", None) or _in_executor(getattr(self.store, name))
        try:
            return self._scored(await look_up(subject, k=limit, **options))
        except NotImplementedError:
            return self._ranked(await self.store.asimilarity_search(query, k=limit, **options))

    def _method(self, query: str) -> tuple[str, Any]:
        known = known_store(self.store)
        if known is not None and self.vector is not None:
            return known.by_vector, self.vector
        return "similarity_search_with_score", query

    def _options(self, limit: int, window: Window | None) -> dict[str, Any]:
        if window is None:
            return dict(self.search_kwargs)
        known = known_store(self.store)
        more = known.options(self.store, limit) if known else {}
        if self.filter_builder is not None:
            return {**more, **self.search_kwargs, "filter": self.filter_builder(*window)}
        if known is None:
            raise ValueError(f"no filter is known for {type(self.store).__name__}: give filter_builder=, or pushdown=False")
        if "filter" in self.search_kwargs:
            raise ValueError("a time filter would replace the app's own filter: give filter_builder= one that holds both")
        return {**more, **self.search_kwargs, "filter": known.build(self.keys, *window)}

    def _ranked(self, documents: Sequence[Document]) -> list[Hit]:
        return self._scored([(document, None) for document in documents])

    def _scored(self, pairs: Sequence[tuple[Document, float | None]]) -> list[Hit]:
        read = [(*to_passage(document, keys=self.keys, source_key=self.source_key), document, score) for document, score in pairs]
        return self.answers.hits([StoreRecord(passage, doc.metadata, score, issues) for passage, issues, doc, score in read])


def _in_executor(blocking: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """A blocking method as an awaited one, for stores that have no twin of it."""

    async def awaited(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - whatever the method takes
        return await run_in_executor(None, blocking, *args, **kwargs)

    return awaited
