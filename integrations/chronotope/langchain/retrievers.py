"""Retrieval that respects the asked time, as a LangChain retriever over its own index or over any vector store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Annotated, Any, TypeAlias, Unpack

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from langchain_core.runnables import RunnableConfig
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, SkipValidation, field_validator, model_validator

from chronotope.diachronic import PRESETS, AnnotateMode, DiachronicIndex, Retrieval, RetrievalSettings
from chronotope.errors import StoreMismatchError
from chronotope.langchain.convert import to_document
from chronotope.langchain.ingest import Ingest
from chronotope.langchain.models import AnyChat, AnyEmbeddings, AnyReranker, as_chat, as_embedder, as_reranker
from chronotope.langchain.notes import report
from chronotope.langchain.options import FilterBuilder, Pushdown, RetrieverOptions, Times, read_intervals
from chronotope.langchain.search import Search
from chronotope.metadata import MetadataKeys
from chronotope.models import Embedder
from chronotope.questions.scope import ScopeMode
from chronotope.records import Issue
from chronotope.steps import Cache, Runner
from chronotope.temporal.expressions import Today
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings

__all__ = ["DiachronicRetriever"]

Folder: TypeAlias = str | PathLike[str]


class DiachronicRetriever(BaseRetriever):
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
        issues: what was reported when documents were added.

    Raises:
        pydantic.ValidationError: an argument is unknown or has a value that cannot be.
        StoreMismatchError: the index was made with another embedder.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    index: DiachronicIndex | None = None
    store: VectorStore | None = None
    embedder: Annotated[Embedder | None, SkipValidation] = None
    llm: Annotated[AnyChat | None, SkipValidation] = None
    reranker: Annotated[AnyReranker | None, SkipValidation] = None
    k: int = Field(default=10, ge=1)
    preset: str = "default"
    settings: RetrievalSettings | None = None
    today: Annotated[Today, SkipValidation] = None
    calendar: CalendarSettings = CalendarSettings()
    scope_mode: ScopeMode | None = None
    times: Annotated[Times, SkipValidation] = None
    keys: MetadataKeys = MetadataKeys()
    date: str | None = None
    source_key: str = "source_id"
    annotate: AnnotateMode | None = "rules"
    filter_builder: FilterBuilder | None = None
    pushdown: Pushdown = "auto"
    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    cache: Annotated[Cache | None, SkipValidation] = None
    max_concurrency: int = Field(default=8, ge=1)
    issues: tuple[Issue, ...] = ()

    @field_validator("times", mode="before")
    @classmethod
    def _read_times(cls, times: Times) -> tuple[TimeInterval, ...] | None:
        return read_intervals(times)

    @model_validator(mode="after")
    def _consistent(self) -> DiachronicRetriever:
        if self.preset not in PRESETS:
            raise ValueError(f"preset must be one of {', '.join(PRESETS)}, not {self.preset!r}")
        if (self.index is None) == (self.store is None):
            raise ValueError("a retriever needs an index or a store; use from_documents, from_vector_store or load")
        if self.index is not None and self.embedder is None:
            raise ValueError("an index needs the embedder that it was made with")
        if self.index is not None and self.embedder is not None and self.index.embedder_id != self.embedder.model_id:
            raise StoreMismatchError(f"the index was made with {self.index.embedder_id!r}, not with {self.embedder.model_id!r}")
        if self.settings is not None and "k" not in self.model_fields_set:
            self.k = self.settings.k
        self.keys = replace(self.keys, date=self.date or self.keys.date)
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
        embedder = _embedder(embeddings)
        index = DiachronicIndex.load(str(folder), embedder_id=embedder.model_id)
        return cls(index=index, embedder=embedder, **options)

    def save(self, folder: Folder) -> None:
        """Write the index to a folder, atomically.

        Raises:
            ValueError: the passages are in a store, which keeps itself.
        """
        if self.index is None:
            raise ValueError(f"the passages are in a {type(self.store).__name__}, which keeps them itself")
        self.index.save(str(folder))

    def add_documents(self, documents: Sequence[Document], *, config: RunnableConfig | None = None) -> list[str]:
        """Annotate and add documents; those that are there already are passed over, so adding twice writes nothing.

        Args:
            documents: in reading order.
            config: passed on with every model call.

        Returns:
            The ids of the documents, blank ones left out.
        """
        ingest = self._ingest
        return self._added(ingest, self._runner(config).run(ingest.step(documents)))

    async def aadd_documents(self, documents: Sequence[Document], *, config: RunnableConfig | None = None) -> list[str]:
        """The same, awaited."""
        ingest = self._ingest
        return self._added(ingest, await self._runner(config).arun(ingest.step(documents)))

    def delete(self, ids: Sequence[str]) -> None:
        """Take documents out by id, with their vectors, words and times; unknown ids are passed over."""
        if self.index is not None:
            self.index.remove(ids)
        elif self.store is not None:
            self.store.delete(list(ids))

    def retrieve_with_report(
        self, question: str, *, k: int | None = None, times: Times = None, config: RunnableConfig | None = None
    ) -> Retrieval:
        """Retrieve, and say how the question was understood, how well the hits cover the asked time, and what was left out.

        Args:
            question: a question in plain words.
            k: number of passages, when not the retriever's.
            times: asked times, when not those of the question.
            config: passed on with every model call.
        """
        return self._runner(config).run(self._search(k, times).step(question))

    async def aretrieve_with_report(
        self, question: str, *, k: int | None = None, times: Times = None, config: RunnableConfig | None = None
    ) -> Retrieval:
        """The same, awaited."""
        return await self._runner(config).arun(self._search(k, times).step(question))

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, times: Times = None
    ) -> list[Document]:
        return self._documents(self.retrieve_with_report(query, k=k, times=times, config={"callbacks": run_manager.get_child()}))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None, times: Times = None
    ) -> list[Document]:
        config: RunnableConfig = {"callbacks": run_manager.get_child()}
        return self._documents(await self.aretrieve_with_report(query, k=k, times=times, config=config))

    def _documents(self, found: Retrieval) -> list[Document]:
        return [to_document(hit.passage, keys=self.keys, score=hit.score) for hit in found.hits]

    @classmethod
    def _empty(cls, embeddings: AnyEmbeddings | None, options: RetrieverOptions) -> DiachronicRetriever:
        """With options checked before anything is embedded."""
        embedder = _embedder(embeddings)
        return cls(index=DiachronicIndex(embedder.model_id), embedder=embedder, **options)

    def _runner(self, config: RunnableConfig | None) -> Runner:
        chat = as_chat(self.llm, config) if self.llm is not None else None
        reranker = as_reranker(self.reranker) if self.reranker is not None else None
        return Runner(chat, self.embedder, reranker, cache=self.cache, concurrency=self.max_concurrency)

    @property
    def _ingest(self) -> Ingest:
        return Ingest(self.index, self.store, self.keys, self.source_key, self.annotate, self.calendar)

    def _added(self, ingest: Ingest, ids: list[str]) -> list[str]:
        self.issues += tuple(ingest.issues)
        report(ingest.issues)
        return ids

    def _search(self, k: int | None, times: Times) -> Search:
        return Search(
            index=self.index,
            store=self.store,
            settings=replace(self.settings or PRESETS[self.preset], k=self.k if k is None else k),
            today=self.today,
            calendar=self.calendar,
            scope_mode=self.scope_mode or ("auto" if self.llm is not None else "rules"),
            times=read_intervals(times) or read_intervals(self.times),
            keys=self.keys,
            source_key=self.source_key,
            filter_builder=self.filter_builder,
            pushdown=self.pushdown,
            search_kwargs=self.search_kwargs,
        )

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


def _embedder(embeddings: AnyEmbeddings | None) -> Embedder:
    if embeddings is not None:
        return as_embedder(embeddings)
    from chronotope.defaults import default_embedder  # loads a model: only for who gives none

    return default_embedder()
