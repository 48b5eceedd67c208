"""Retrieval that respects the asked time, as a LangChain retriever over its own index or over any vector store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from os import PathLike
from typing import Any, TypeAlias, Unpack

from langchain_core.documents import Document
from langchain_core.retrievers import LangSmithRetrieverParams
from langchain_core.runnables import RunnableConfig
from langchain_core.vectorstores import VectorStore
from pydantic import Field, model_validator

from chronotope.diachronic import (
    AnnotateMode,
    AnnotateSettings,
    Asking,
    DiachronicIndex,
    Ingested,
    Pushdown,
    Retrieval,
    RetrievalSettings,
)
from chronotope.diachronic.retrieve import TimeFilter, Undated
from chronotope.errors import StoreMismatchError
from chronotope.langchain.convert import to_document
from chronotope.langchain.ingest import ingestion, trial
from chronotope.langchain.models import AnyEmbeddings, as_embedder
from chronotope.langchain.options import FilterBuilder, RetrieverOptions
from chronotope.langchain.retrieving import ModelledRetriever, whole_number
from chronotope.langchain.stores import StorePassages
from chronotope.metadata import Times
from chronotope.notes import counted, log_issues, log_search
from chronotope.steps import Estimate, Step

__all__ = ["DiachronicRetriever"]

Folder: TypeAlias = str | PathLike[str]
_SETTINGS = tuple(item.name for item in fields(RetrievalSettings) if item.name != "k")


class DiachronicRetriever(ModelledRetriever[Retrieval]):
    """Finds passages that fit both the subject of a question and its time.

    Make one with `from_documents`, `from_vector_store` or `load`. It is called like every LangChain retriever; `k` and `times`
    may be given with each call. Documents come back best first, with `relevance_score`, the times of this package, and a `date` for
    people in their metadata. `retrieve_with_report` says how a question was understood.

    Args:
        index: passages with vectors and words; given by `from_documents` and `load`.
        store: a vector store of the app's; given by `from_vector_store`.
        embedder: embeds questions and new documents, for an index.
        llm: answers where rules do not suffice: a LangChain model, any runnable from messages to an answer, or a chat model of
            chronotope.
        reranker: a document compressor or a reranker of chronotope, used when the settings ask for it (`rerank=`).
        k: number of documents.
        preset: `default`, or `ta_rag` for the method as published.
        settings: replaces the preset; its `k` counts where none is given.
        time_filter: as in `RetrievalSettings`, like the nine that follow; where given, it wins over preset and settings.
        boost: what a passage of the asked time gains under `time_filter="boost"`.
        undated: `exclude`, `include` or `backfill`.
        anchors: number of dated variants of the question.
        lexical: weight of word matching, from 0 to 1.
        subject_words: match only the words that the question is about.
        coverage: share the places among sub-periods of the asked time.
        decay: what a passage counts when its sub-period was already served.
        periods: largest number of sub-periods.
        rerank: number of best passages that the reranker scores again.
        today: the day that "last year" counts from; without it such words are reported, never guessed.
        calendar: seasons, fiscal years, date order.
        scope_mode: `rules` reads questions without a model, `auto` asks it where rules fail, `llm` always; None is `auto` when
            there is a model.
        times: asked times that replace what a question says: EDTF text such as `2011-03/2013`, an interval, or several.
        keys: where times are in the metadata.
        date: shortcut for `keys.date`, an existing key that holds the date of writing.
        source_key: metadata key that chunks of one text share.
        annotate: how documents without times get them when they are added; None leaves them undated.
        filter_builder: makes the store's own filter from closed seconds (lo, hi): `time_start <= hi` and `time_end >= lo`.
        pushdown: let the store filter (`True`), never (`False`), or where it can, falling back with a warning (`auto`).
        search_kwargs: arguments of every search in the store.
        cache: a `ReplyCache`, so that nothing is asked or embedded twice.
        max_concurrency: model calls under way at once.
        max_calls: chat calls allowed in all, for questions and documents together.
        max_tokens: tokens that may be sent and received in all.
        issues: what was reported when documents were added.

    Raises:
        pydantic.ValidationError: an argument is unknown or has a value that cannot be.
        StoreMismatchError: the index was made with another embedder.
    """

    index: DiachronicIndex | None = None
    store: VectorStore | None = None
    k: int = Field(default=10, ge=1)
    settings: RetrievalSettings | None = None
    time_filter: TimeFilter | None = None
    boost: float | None = None
    undated: Undated | None = None
    anchors: int | None = None
    lexical: float | None = None
    subject_words: bool | None = None
    coverage: bool | None = None
    decay: float | None = None
    periods: int | None = None
    rerank: int | None = None
    annotate: AnnotateMode | None = "rules"
    filter_builder: FilterBuilder | None = None
    pushdown: Pushdown = "auto"
    search_kwargs: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> DiachronicRetriever:
        self._asking()
        if (self.index is None) == (self.store is None):
            raise ValueError("a retriever needs an index or a store; use from_documents, from_vector_store or load")
        if self.index is not None and self.embedder is None:
            raise ValueError("an index needs the embedder that it was made with")
        if self.index is not None and self.embedder is not None and self.index.embedder_id != self.embedder.model_id:
            raise StoreMismatchError(f"the index was made with {self.index.embedder_id!r}, not with {self.embedder.model_id!r}")
        if self.settings is not None and "k" not in self.model_fields_set:
            self.k = self.settings.k
        self._open_account()
        return self

    @classmethod
    def from_documents(
        cls, documents: Sequence[Document], *, embeddings: AnyEmbeddings | None = None, **options: Unpack[RetrieverOptions]
    ) -> DiachronicRetriever:
        """Index documents here: dates are read, missing ones found by rules, texts embedded.

        Args:
            documents: in reading order; blank ones are left out, known ones are not added twice.
            embeddings: LangChain embeddings or an embedder of chronotope; None takes the small local model of the extra `local`.
            options: fields of the retriever, such as `date`, `llm`, `k`, `preset`, `today`, `annotate`.

        Raises:
            MissingExtraError: no embeddings are given and the extra `local` is absent.
        """
        retriever = cls._empty(embeddings, options)
        retriever.add_documents(documents)
        return retriever

    @classmethod
    async def afrom_documents(
        cls, documents: Sequence[Document], *, embeddings: AnyEmbeddings | None = None, **options: Unpack[RetrieverOptions]
    ) -> DiachronicRetriever:
        """The same as `from_documents`, awaited."""
        retriever = cls._empty(embeddings, options)
        await retriever.aadd_documents(documents)
        return retriever

    @classmethod
    def from_vector_store(cls, store: VectorStore, **options: Unpack[RetrieverOptions]) -> DiachronicRetriever:
        """Retrieve from a vector store that the app has; its own similarity ranks, and nothing in it is changed.

        Args:
            store: any LangChain vector store, filled with documents that `TimeAnnotator` annotated or that have dates of their own.
            options: fields of the retriever, such as `date`, `filter_builder`, `pushdown`, `llm`, `k`, `today`.
        """
        return cls(store=store, **options)

    @classmethod
    def load(
        cls, folder: Folder, *, embeddings: AnyEmbeddings | None = None, **options: Unpack[RetrieverOptions]
    ) -> DiachronicRetriever:
        """Read what `save` wrote; models and options are given again, since only passages are saved.

        Args:
            folder: where it was saved.
            embeddings: what the index was made with; None takes the small local model.
            options: fields of the retriever.

        Raises:
            StoreError: the folder is absent or damaged.
            StoreMismatchError: the index was made with another embedder.
        """
        embedder = as_embedder(embeddings)
        index = DiachronicIndex.load(str(folder), embedder_id=embedder.model_id)
        return cls(index=index, embedder=embedder, **options)

    def save(self, folder: Folder) -> None:
        """Write the index to a folder, atomically.

        Raises:
            ValueError: the passages are in a store, which keeps itself.
        """
        self._index.save(str(folder))

    def add_documents(self, documents: Sequence[Document], *, config: RunnableConfig | None = None) -> list[str]:
        """Annotate and add documents; those that are there already are passed over, so adding twice writes nothing.

        Args:
            documents: in reading order.
            config: passed on with every model call.

        Returns:
            The ids of the documents, blank ones left out.
        """
        return self._added(self._runner(config).run(self._ingestion(documents)))

    async def aadd_documents(self, documents: Sequence[Document], *, config: RunnableConfig | None = None) -> list[str]:
        """The same, awaited."""
        return self._added(await self._runner(config).arun(self._ingestion(documents)))

    def estimate(self, documents: Sequence[Document]) -> Estimate:
        """What `add_documents` would cost: calls, tokens and texts to embed. Nothing is called, nothing added.

        Args:
            documents: what would be added; over a store, all count as new, and the store's own embedding is left out.
        """
        step = trial(self.index, documents, keys=self.keys, source_key=self.source_key, annotation=self._annotation)
        return self._runner(None).estimate(step)

    def delete(self, ids: Sequence[str]) -> None:
        """Take documents out by id, with their vectors, words and times; unknown ids are passed over."""
        if self.index is not None:
            self.index.remove(ids)
        elif self.store is not None:
            self.store.delete(list(ids))

    def _search(self, question: str, k: int | None, times: Times | None) -> Step[Retrieval]:
        return self._asking(k).retrieve(self._source, question, times=times)

    def _told(self, question: str, found: Retrieval) -> Retrieval:
        log_search(question, len(found.hits), found.issues)
        return found

    def _documents(self, found: Retrieval) -> list[Document]:
        return [to_document(hit.passage, keys=self.keys, score=hit.score) for hit in found.hits]

    @classmethod
    def _empty(cls, embeddings: AnyEmbeddings | None, options: RetrieverOptions) -> DiachronicRetriever:
        """With options checked before anything is embedded."""
        embedder = as_embedder(embeddings)
        return cls(index=DiachronicIndex(embedder.model_id), embedder=embedder, **options)

    @property
    def _source(self) -> DiachronicIndex | StorePassages:
        """Where to look; a fresh view of the store for each question, since it learns about the store on the way."""
        if self.store is None:
            return self._index
        return StorePassages(self.store, self.keys, self.source_key, self.filter_builder, self.search_kwargs, self.pushdown)

    @property
    def _index(self) -> DiachronicIndex:
        if self.index is None:
            raise ValueError(f"the passages are in a {type(self.store).__name__}, which keeps them itself")
        return self.index

    def _asking(self, k: int | None = None) -> Asking:
        given = {name: value for name in _SETTINGS if (value := getattr(self, name)) is not None}
        return Asking.of(
            self.preset,
            self.k if whole_number(k) is None else k,
            self.today,
            has_chat=self.llm is not None,
            settings=self.settings,
            calendar=self.calendar,
            scope_mode=self.scope_mode,
            times=self.times,
            **given,
        )

    def _ingestion(self, documents: Sequence[Document]) -> Step[Ingested]:
        place = self._index if self.store is None else self.store
        return ingestion(place, documents, keys=self.keys, source_key=self.source_key, annotation=self._annotation)

    @property
    def _annotation(self) -> AnnotateSettings | None:
        return AnnotateSettings(mode=self.annotate, calendar=self.calendar) if self.annotate else None

    def _added(self, done: Ingested) -> list[str]:
        self.issues += done.issues
        log_issues(f"{counted(done.added, 'document')} added", done.issues)
        return list(done.ids)

    def _get_ls_params(self, **kwargs: Any) -> LangSmithRetrieverParams:  # noqa: ANN401 - the framework's
        params = super()._get_ls_params(**kwargs)
        params["ls_vector_store_provider"] = type(self.index if self.store is None else self.store).__name__
        if self.embedder is not None:
            params["ls_embedding_model"] = self.embedder.model_id
        return params

    def __repr__(self) -> str:
        held = repr(self.index) if self.store is None else type(self.store).__name__
        matching = "own settings" if self.settings else f"preset {self.preset!r}"
        return f"<DiachronicRetriever over {held}, k={self.k}, {matching}>"

    __str__ = __repr__
