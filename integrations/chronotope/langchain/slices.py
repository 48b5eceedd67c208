"""Slices of a story as a LangChain retriever: facts by chapter, story time, place and entities (NS-ST-GraphRAG)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from os import PathLike
from typing import Annotated, Any, TypeAlias, TypedDict, Unpack

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import LangSmithRetrieverParams
from langchain_core.runnables import RunnableConfig
from pydantic import Field, model_validator

from chronotope.errors import StoreMismatchError
from chronotope.langchain.convert import DATE
from chronotope.langchain.event_documents import EventDocuments, placed_document, read_event_documents
from chronotope.langchain.models import AnyChat, AnyEmbeddings, AnyReranker, as_embedder
from chronotope.langchain.named_options import embeddings_by_name
from chronotope.langchain.retrieving import ModelledRetriever, question_text, whole_number
from chronotope.metadata import MetadataKeys, Times
from chronotope.notes import counted, log_issues, log_search
from chronotope.opaque import Opaque
from chronotope.questions import ScopeMode
from chronotope.records import Hit, Issue
from chronotope.slices.asking import SliceAsking
from chronotope.slices.axis import StoryAxis
from chronotope.slices.extract import FactMode, FactSettings
from chronotope.slices.fact import Entity
from chronotope.slices.from_passages import COORDINATES, found_hits
from chronotope.slices.given import GivenFacts, extraction_settings
from chronotope.slices.graph import StoryGraph
from chronotope.slices.index import StoryIndex
from chronotope.slices.ingest import StoryIngested
from chronotope.slices.ontology import Ontology, Rule
from chronotope.slices.retrieval_settings import ScopeUse, SliceSettings, SliceWeights, Untold
from chronotope.slices.retrieve import SliceRetrieval
from chronotope.slices.scope import StoryScope
from chronotope.slices.told import ingest_given, ingest_told
from chronotope.steps import Cache, Estimate, Step
from chronotope.temporal import CalendarSettings, Today

__all__ = ["SliceRetriever", "SliceRetrieverOptions"]

Folder: TypeAlias = str | PathLike[str]
_SETTINGS = tuple(item.name for item in fields(SliceSettings) if item.name not in ("k", "passages"))


class SliceRetrieverOptions(TypedDict, total=False):
    """Fields of `SliceRetriever` that its constructors pass on, where they are explained."""

    llm: AnyChat | None
    reranker: AnyReranker | None
    k: int | None
    passages: int
    reader_at: int | None
    settings: SliceSettings | None
    scope: ScopeUse | None
    unplaced: Untold | None
    untimed: Untold | None
    paths: int | None
    weights: SliceWeights | None
    rerank: int | None
    today: Today
    calendar: CalendarSettings
    scope_mode: ScopeMode | None
    times: Times | None
    keys: MetadataKeys
    date: str | None
    source_key: str
    extract: FactMode | FactSettings
    cache: Cache | None
    max_concurrency: int
    max_calls: int | None
    max_tokens: int | None
    name: str | None
    tags: list[str] | None
    metadata: dict[str, Any] | None


class SliceRetriever(ModelledRetriever[SliceRetrieval]):
    """Finds the facts of a story that a question asks for: by chapter, by the story's own time, by place, by who is in them.

    Make one with `from_documents`, `from_facts` or `load`. It is called like every LangChain retriever; `k`, `reader_at`, `scope`
    and `times` may be given with each call. Facts come back as documents of their own words, best first, with `relevance_score` and
    flat coordinates: `chapter`, `story_time`, `place`, `statement`, `confidence`, `entities`, and `coordinates` in words, which are
    their `date` too, so that tools print them. With `reader_at`, nothing that a later chapter tells is used or shown.
    `retrieve_with_report` says how a question was understood.

    Args:
        index: the story; given by `from_documents`, `from_facts` and `load`.
        embedder: embeds questions and new documents.
        llm: answers where rules do not suffice: a LangChain model, any runnable from messages to an answer, or a chat model of
            chronotope.
        reranker: a document compressor or a reranker of chronotope, used when the settings ask for it (`rerank=`).
        k: number of facts; None takes that of the settings.
        passages: number of passages of the text that follow the facts.
        reader_at: last chapter that the reader knows; None for all.
        preset: `default`, the only one.
        settings: replaces the defaults.
        scope: as in `SliceSettings`, like the five that follow; where given, it wins over the settings.
        unplaced: what becomes of facts without a place where a place is asked.
        untimed: what becomes of facts that nothing places in time where a time is asked.
        paths: largest number of shortest paths between the entities of the question.
        weights: what each reason counts.
        rerank: number of best passages that the reranker scores again.
        today: the day that "last year" counts from; without it such words are reported, never guessed.
        calendar: seasons, fiscal years, date order.
        scope_mode: `rules` reads questions without a model, `auto` asks it where rules fail; None is `auto` when there is a model.
        times: asked story time that replaces what a question says, for stories with dates: EDTF text, an interval, or several.
        keys: where times are in the metadata.
        date: shortcut for `keys.date`, an existing key that holds the date of writing.
        source_key: metadata key that chunks of one text share.
        extract: how documents without facts are read: `rules`, `llm`, or settings.
        cache: a `ReplyCache`, so that nothing is asked or embedded twice.
        max_concurrency: model calls under way at once.
        max_calls: chat calls allowed in all, for questions and documents together.
        max_tokens: tokens that may be sent and received in all.
        issues: what was reported when documents and facts were added.

    Raises:
        pydantic.ValidationError: an argument is unknown or has a value that cannot be.
        StoreMismatchError: the index was made with another embedder.
    """

    index: StoryIndex
    k: int | None = Field(default=None, ge=1)
    passages: int = Field(default=0, ge=0)
    reader_at: int | None = None
    settings: SliceSettings | None = None
    scope: ScopeUse | None = None
    unplaced: Untold | None = None
    untimed: Untold | None = None
    paths: int | None = None
    weights: SliceWeights | None = None
    rerank: int | None = None
    extract: Annotated[FactMode | FactSettings, Opaque] = "rules"

    @model_validator(mode="after")
    def _consistent(self) -> SliceRetriever:
        self._asking()
        if self.preset != "default":
            raise ValueError(f"preset must be default, not {self.preset!r}")
        if self.embedder is None:
            raise ValueError("an index needs the embedder that it was made with")
        if self.index.embedder_id != self.embedder.model_id:
            raise StoreMismatchError(f"the index was made with {self.index.embedder_id!r}, not with {self.embedder.model_id!r}")
        if self._extraction.mode != "rules" and self.llm is None:
            raise ValueError(f"extract={self._extraction.mode!r} asks a model: give llm=, or use extract='rules'")
        self._open_account()
        return self

    @classmethod
    def from_documents(
        cls,
        documents: Sequence[Document],
        *,
        embeddings: AnyEmbeddings | None = None,
        ontology: str | PathLike[str] | Ontology | None = None,
        axis: StoryAxis | None = None,
        title_key: str = "title",
        **options: Unpack[SliceRetrieverOptions],
    ) -> SliceRetriever:
        """Read documents for facts, and embed both.

        Args:
            documents: passages in the order of telling; what a `StoryFactTransformer` has read is taken as it is.
            embeddings: LangChain embeddings or an embedder of chronotope; None takes the small local model of the extra `local`.
            ontology: what can be so: a shipped one by its name, the path of a file, or an ontology; None takes that of `extract`.
            axis: when chapters play; None takes what the texts say.
            title_key: metadata key of a title that is embedded with its texts.
            options: fields of the retriever, such as `llm`, `k`, `passages`, `reader_at`, `today`, `extract`.

        Raises:
            MissingExtraError: no embeddings are given and the extra `local` is absent.
            OntologyError: there is no such ontology, or it cannot be read.
        """
        retriever = cls._empty(embeddings, ontology, axis, title_key, options)
        retriever.add_documents(documents)
        return retriever

    @classmethod
    async def afrom_documents(
        cls,
        documents: Sequence[Document],
        *,
        embeddings: AnyEmbeddings | None = None,
        ontology: str | PathLike[str] | Ontology | None = None,
        axis: StoryAxis | None = None,
        title_key: str = "title",
        **options: Unpack[SliceRetrieverOptions],
    ) -> SliceRetriever:
        """The same as `from_documents`, awaited."""
        retriever = cls._empty(embeddings, ontology, axis, title_key, options)
        await retriever.aadd_documents(documents)
        return retriever

    @classmethod
    def from_facts(
        cls,
        facts: GivenFacts,
        *,
        documents: Sequence[Document] = (),
        entities: Iterable[Entity] = (),
        embeddings: AnyEmbeddings | None = None,
        ontology: str | PathLike[str] | Ontology | None = None,
        axis: StoryAxis | None = None,
        title_key: str = "title",
        **options: Unpack[SliceRetrieverOptions],
    ) -> SliceRetriever:
        """Take facts that are known already; they are checked against the ontology, and no model is asked.

        Args:
            facts: the path of a facts file (.csv, .tsv, .jsonl, .json), facts, records of such a file, or `StoryFacts`.
            documents: the text that they were read in; it is not read again.
            entities: what is known of persons and places.
            embeddings: as for `from_documents`.
            ontology: as for `from_documents`.
            axis: when chapters play; None lets them play one after the other.
            title_key: as for `from_documents`.
            options: fields of the retriever.

        Raises:
            FactError: nothing in the file is a fact, or its times lie on two axes.
        """
        retriever = cls._empty(embeddings, ontology, axis, title_key, options)
        retriever.add_facts(facts, documents=documents, entities=entities)
        return retriever

    @classmethod
    def load(
        cls,
        folder: Folder,
        *,
        embeddings: AnyEmbeddings | None = None,
        rules: Iterable[Rule] = (),
        **options: Unpack[SliceRetrieverOptions],
    ) -> SliceRetriever:
        """Read what `save` wrote; models and options are given again, since only the story, its ontology and its axis are saved.

        Args:
            folder: where it was saved.
            embeddings: what the index was made with; None takes the small local model.
            rules: rules of the ontology that are functions, which no file holds.
            options: fields of the retriever.

        Raises:
            StoreError: the folder is absent or damaged.
            StoreMismatchError: the index was made with another embedder.
        """
        embeddings_by_name(options)
        embedder = as_embedder(embeddings)
        return cls(index=StoryIndex.load(str(folder), embedder_id=embedder.model_id, rules=rules), embedder=embedder, **options)

    def save(self, folder: Folder) -> None:
        """Write facts, passages, vectors, ontology and axis to a folder, atomically."""
        self.index.save(str(folder))

    @property
    def graph(self) -> StoryGraph:
        """The story graph: slices, places, who is who, and `graph.networkx`."""
        return self.index.graph

    def retrieve_with_report(
        self,
        question: str,
        *,
        k: int | None = None,
        times: Times | None = None,
        reader_at: int | None = None,
        scope: StoryScope | None = None,
        config: RunnableConfig | None = None,
    ) -> SliceRetrieval:
        """Retrieve, and say how the question was understood, what was found and how, and what each constraint costs.

        Args:
            question: a question in plain words.
            k: number of facts, when not the retriever's.
            times: asked story time, when not that of the question.
            reader_at: last chapter that the reader knows, when not the retriever's.
            scope: what the question asks for, in place of what its words say.
            config: passed on with every model call.
        """
        step = self._asked(question, k, times, reader_at, scope)
        return self._told(question, self._runner(config).run(step))

    async def aretrieve_with_report(
        self,
        question: str,
        *,
        k: int | None = None,
        times: Times | None = None,
        reader_at: int | None = None,
        scope: StoryScope | None = None,
        config: RunnableConfig | None = None,
    ) -> SliceRetrieval:
        """The same, awaited."""
        step = self._asked(question, k, times, reader_at, scope)
        return self._told(question, await self._runner(config).arun(step))

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        times: Times | None = None,
        reader_at: int | None = None,
        scope: StoryScope | None = None,
    ) -> list[Document]:
        config: RunnableConfig = {"callbacks": run_manager.get_child()}
        return self._documents(self.retrieve_with_report(query, k=k, times=times, reader_at=reader_at, scope=scope, config=config))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        times: Times | None = None,
        reader_at: int | None = None,
        scope: StoryScope | None = None,
    ) -> list[Document]:
        config: RunnableConfig = {"callbacks": run_manager.get_child()}
        found = await self.aretrieve_with_report(query, k=k, times=times, reader_at=reader_at, scope=scope, config=config)
        return self._documents(found)

    def add_documents(self, documents: Sequence[Document], *, config: RunnableConfig | None = None) -> list[str]:
        """Read documents for facts and add both; texts that are there whole are passed over.

        Args:
            documents: in the order of telling.
            config: passed on with every model call.

        Returns:
            The ids of the facts that were read.
        """
        return self._added(*self._runner(config).run(self._ingestion(documents)))

    async def aadd_documents(self, documents: Sequence[Document], *, config: RunnableConfig | None = None) -> list[str]:
        """The same, awaited."""
        return self._added(*await self._runner(config).arun(self._ingestion(documents)))

    def add_facts(self, facts: GivenFacts, *, documents: Sequence[Document] = (), entities: Iterable[Entity] = ()) -> list[str]:
        """Add facts that are known already, checked; those that are there are passed over.

        Args:
            facts: as for `from_facts`.
            documents: the text that they were read in; it is not read again.
            entities: what is known of persons and places.

        Returns:
            The ids of the facts that stand.
        """
        return self._added(*self._runner(None).run(self._fact_ingestion(facts, documents, entities)))

    async def aadd_facts(
        self, facts: GivenFacts, *, documents: Sequence[Document] = (), entities: Iterable[Entity] = ()
    ) -> list[str]:
        """The same, awaited."""
        return self._added(*await self._runner(None).arun(self._fact_ingestion(facts, documents, entities)))

    def estimate(self, documents: Sequence[Document]) -> Estimate:
        """What `add_documents` would cost: calls, tokens and texts to embed. Nothing is called, nothing added.

        Args:
            documents: what would be added; texts of facts that only a model could find are not counted.
        """
        trial = StoryIndex(self.index.embedder_id, ontology=self.index.ontology, title_key=self.index.title_key)
        known = {passage.id for passage in self.index.passages}
        fresh = [passage for passage in self._read(documents).passages if passage.id not in known]
        return self._runner(None).estimate(ingest_told(fresh, trial, settings=self._extraction))

    def delete(self, ids: Sequence[str]) -> None:
        """Take facts and passages out by id, with their vectors and words; unknown ids are passed over."""
        self.index.remove(ids)

    def delete_source(self, source_id: str) -> int:
        """Take out every fact and passage of a text. Returns how many there were."""
        return self.index.remove_source(source_id)

    def _search(self, question: str, k: int | None, times: Times | None) -> Step[SliceRetrieval]:
        return self._asked(question, k, times, None, None)

    def _asked(
        self, question: str, k: int | None, times: Times | None, reader_at: int | None, scope: StoryScope | None
    ) -> Step[SliceRetrieval]:
        return self._asking(k).retrieve(self.index, question_text(question), scope=scope, reader_at=reader_at, times=times)

    def _told(self, question: str, found: SliceRetrieval) -> SliceRetrieval:
        log_search(question, len(found.trace), found.issues)
        return found

    def _documents(self, found: SliceRetrieval) -> list[Document]:
        return [_document(hit, keys=self.keys) for hit in found_hits(found, passages=self.passages > 0)]

    @classmethod
    def _empty(
        cls,
        embeddings: AnyEmbeddings | None,
        ontology: str | PathLike[str] | Ontology | None,
        axis: StoryAxis | None,
        title_key: str,
        options: SliceRetrieverOptions,
    ) -> SliceRetriever:
        """With options checked before anything is embedded."""
        embeddings_by_name(options)
        embedder = as_embedder(embeddings)
        extraction = extraction_settings(options.get("extract", "rules"), ontology)
        index = StoryIndex(embedder.model_id, ontology=extraction.known, axis=axis, title_key=title_key)
        return cls(index=index, embedder=embedder, **options)

    @property
    def _extraction(self) -> FactSettings:
        settings = extraction_settings(self.extract, self.index.ontology)
        return settings if isinstance(self.extract, FactSettings) else replace(settings, calendar=self.calendar)

    def _asking(self, k: int | None = None) -> SliceAsking:
        given = {name: value for name in _SETTINGS if (value := getattr(self, name)) is not None}
        return SliceAsking.of(
            self.k if whole_number(k) is None else k,
            self.today,
            has_chat=self.llm is not None and self.scope_mode != "rules",
            settings=self.settings,
            calendar=self.calendar,
            reader_at=self.reader_at,
            times=self.times,
            passages=self.passages,
            **given,
        )

    def _read(self, documents: Sequence[Document]) -> EventDocuments:
        return read_event_documents(documents, keys=self.keys, source_key=self.source_key)

    def _ingestion(self, documents: Sequence[Document]) -> Step[tuple[StoryIngested, tuple[Issue, ...]]]:
        read = self._read(documents)
        done = yield from ingest_told(read.passages, self.index, settings=self._extraction)
        return done, read.issues

    def _fact_ingestion(
        self, facts: GivenFacts, documents: Sequence[Document], entities: Iterable[Entity]
    ) -> Step[tuple[StoryIngested, tuple[Issue, ...]]]:
        read = self._read(documents)
        done = yield from ingest_given(facts, read.passages, self.index, entities=entities)
        return done, read.issues

    def _added(self, done: StoryIngested, unread: tuple[Issue, ...]) -> list[str]:
        issues = unread + done.issues
        self.issues += issues
        log_issues(f"{counted(done.added, 'fact')} added", issues)
        return list(done.ids)

    def _get_ls_params(self, **kwargs: Any) -> LangSmithRetrieverParams:  # noqa: ANN401 - the framework's
        params = super()._get_ls_params(**kwargs)
        params["ls_vector_store_provider"] = type(self.index).__name__
        if self.embedder is not None:
            params["ls_embedding_model"] = self.embedder.model_id
        return params

    def __repr__(self) -> str:
        read = "" if self.reader_at is None else f", reader_at={self.reader_at}"
        return f"<SliceRetriever over {self.index!r}, k={self._asking().settings.k}{read}>"

    __str__ = __repr__


def _document(hit: Hit, *, keys: MetadataKeys) -> Document:
    """A fact or a passage as a document; where a fact stands is its date for people, so that tools print it."""
    passage = hit.passage
    if where := passage.metadata.get(COORDINATES):
        passage = replace(passage, metadata={**passage.metadata, DATE: where})
    return placed_document(passage, keys=keys, score=hit.score)
