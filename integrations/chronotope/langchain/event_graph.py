"""Retrieval over the event graph as a LangChain retriever (DyG-RAG section 3.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from os import PathLike
from typing import Annotated, Any, TypeAlias, TypedDict, Unpack

from langchain_core.documents import Document
from langchain_core.retrievers import LangSmithRetrieverParams
from langchain_core.runnables import RunnableConfig
from pydantic import Field, SkipValidation, model_validator

from chronotope.errors import StoreMismatchError
from chronotope.events.answer.timeline import PlaceUndated
from chronotope.events.extract.extract import ExtractSettings
from chronotope.events.extract.settings import ExtractMode
from chronotope.events.index.index import EventIndex, GraphSettings
from chronotope.events.index.ingest import EventsIngested, ingest_events
from chronotope.events.retrieve.asking import EventAsking
from chronotope.events.retrieve.from_passages import found_metadata
from chronotope.events.retrieve.retrieval_settings import EventRetrievalSettings, EventWeights, TimeFilter, Undated
from chronotope.events.retrieve.retrieve import EventRetrieval
from chronotope.langchain.event_documents import event_document, placed_document, read_event_documents
from chronotope.langchain.models import AnyChat, AnyEmbeddings, AnyReranker, as_embedder
from chronotope.langchain.named_options import embeddings_by_name
from chronotope.langchain.retrieving import ModelledRetriever, whole_number
from chronotope.metadata import MetadataKeys, Times
from chronotope.notes import counted, log_issues, log_search
from chronotope.questions import ScopeMode
from chronotope.records import Issue
from chronotope.steps import Cache, Estimate, Step
from chronotope.temporal import CalendarSettings, Today

__all__ = ["EventGraphRetriever", "EventRetrieverOptions"]

Folder: TypeAlias = str | PathLike[str]
_SETTINGS = tuple(item.name for item in fields(EventRetrievalSettings) if item.name not in ("k", "passages"))


class EventRetrieverOptions(TypedDict, total=False):
    """Fields of `EventGraphRetriever` that its constructors pass on, where they are explained."""

    llm: AnyChat | None
    reranker: AnyReranker | None
    k: int | None
    passages: int
    preset: str
    settings: EventRetrievalSettings | None
    time_filter: TimeFilter | None
    undated: Undated | None
    weights: EventWeights | None
    stretch: bool | None
    seeds: int | None
    walks: int | None
    steps: int | None
    restart: float | None
    seed: int | None
    rerank: int | None
    clauses: bool | None
    choose_clause: bool | None
    place_undated: PlaceUndated
    today: Today
    calendar: CalendarSettings
    scope_mode: ScopeMode | None
    times: Times | None
    keys: MetadataKeys
    date: str | None
    source_key: str
    extract: ExtractMode | ExtractSettings
    cache: Cache | None
    max_concurrency: int
    max_calls: int | None
    max_tokens: int | None
    name: str | None
    tags: list[str] | None
    metadata: dict[str, Any] | None


class EventGraphRetriever(ModelledRetriever[EventRetrieval]):
    """Finds events that fit a question's subject and time, and what the event graph joins to them.

    Make one with `from_documents` or `load`. It is called like every LangChain retriever; `k` and `times` may be given with each
    call. Events come back best first, with `relevance_score`, their times, a `date` for people, and their number on the timeline
    under `event_number`; `time_cot_chain` puts them in that order. `retrieve_with_report` says how a question was understood.

    Args:
        index: events with vectors, words, times and graph; given by `from_documents` and `load`.
        embedder: embeds questions and new documents.
        llm: answers where rules do not suffice: a LangChain model, any runnable from messages to an answer, or a chat model of
            chronotope.
        reranker: a document compressor or a reranker of chronotope, used when the settings ask for it (`rerank=`).
        k: number of events; None takes that of the settings.
        passages: number of source passages that follow the events.
        preset: `default`, or `dyg_rag` for the method as published.
        settings: replaces the preset.
        time_filter: as in `EventRetrievalSettings`, like the eleven that follow; where given, it wins over preset and settings.
        undated: what becomes of events that nothing dates.
        weights: what each reason to choose an event counts.
        stretch: stretch similarities before they are weighed.
        seeds: number of best events that walks begin at.
        walks: walks from each seed.
        steps: steps of each walk.
        restart: chance that a step leads back to its seed.
        seed: fixes the random choices of the walks.
        rerank: number of best events that the reranker scores again.
        clauses: look for the events that clauses of the question name.
        choose_clause: let the model choose where several fit.
        place_undated: where the timeline puts events that nothing dates: by `hint`, or `apart`.
        today: the day that "last year" counts from; without it such words are reported, never guessed.
        calendar: seasons, fiscal years, date order.
        scope_mode: `rules` reads questions without a model, `auto` asks it where rules fail, `llm` always; None is `auto` when
            there is a model.
        times: asked times that replace what a question says: EDTF text such as `2011-03/2013`, an interval, or several.
        keys: where times are in the metadata.
        date: shortcut for `keys.date`, an existing key that holds the date of writing.
        source_key: metadata key that chunks of one text share.
        extract: how documents that are no event units are read for events: `rules`, `llm`, or settings.
        cache: a `ReplyCache`, so that nothing is asked or embedded twice.
        max_concurrency: model calls under way at once.
        max_calls: chat calls allowed in all, for questions and documents together.
        max_tokens: tokens that may be sent and received in all.
        issues: what was reported when documents were added.

    Raises:
        pydantic.ValidationError: an argument is unknown or has a value that cannot be.
        StoreMismatchError: the index was made with another embedder.
    """

    index: EventIndex
    k: int | None = Field(default=None, ge=1)
    passages: int = Field(default=0, ge=0)
    settings: EventRetrievalSettings | None = None
    time_filter: TimeFilter | None = None
    undated: Undated | None = None
    weights: EventWeights | None = None
    stretch: bool | None = None
    seeds: int | None = None
    walks: int | None = None
    steps: int | None = None
    restart: float | None = None
    seed: int | None = None
    rerank: int | None = None
    clauses: bool | None = None
    choose_clause: bool | None = None
    place_undated: PlaceUndated = "hint"
    extract: Annotated[ExtractMode | ExtractSettings, SkipValidation] = "rules"

    @model_validator(mode="after")
    def _consistent(self) -> EventGraphRetriever:
        self._asking()
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
        graph: GraphSettings | None = None,
        **options: Unpack[EventRetrieverOptions],
    ) -> EventGraphRetriever:
        """Read documents for events, and embed both.

        Args:
            documents: passages in reading order, which are read for events; what an `EventUnitTransformer` made is taken as it is.
            embeddings: LangChain embeddings or an embedder of chronotope; None takes the small local model of the extra `local`.
            graph: how events are joined.
            options: fields of the retriever, such as `date`, `llm`, `k`, `passages`, `today`, `extract`.

        Raises:
            MissingExtraError: no embeddings are given and the extra `local` is absent.
        """
        retriever = cls._empty(embeddings, graph, options)
        retriever.add_documents(documents)
        return retriever

    @classmethod
    async def afrom_documents(
        cls,
        documents: Sequence[Document],
        *,
        embeddings: AnyEmbeddings | None = None,
        graph: GraphSettings | None = None,
        **options: Unpack[EventRetrieverOptions],
    ) -> EventGraphRetriever:
        """The same as `from_documents`, awaited."""
        retriever = cls._empty(embeddings, graph, options)
        await retriever.aadd_documents(documents)
        return retriever

    @classmethod
    def load(
        cls, folder: Folder, *, embeddings: AnyEmbeddings | None = None, **options: Unpack[EventRetrieverOptions]
    ) -> EventGraphRetriever:
        """Read what `save` wrote; models and options are given again, since only events and passages are saved.

        Args:
            folder: where it was saved.
            embeddings: what the index was made with; None takes the small local model.
            options: fields of the retriever.

        Raises:
            StoreError: the folder is absent or damaged.
            StoreMismatchError: the index was made with another embedder.
        """
        embeddings_by_name(options)
        embedder = as_embedder(embeddings)
        return cls(index=EventIndex.load(str(folder), embedder_id=embedder.model_id), embedder=embedder, **options)

    def save(self, folder: Folder) -> None:
        """Write events, passages, vectors and graph to a folder, atomically."""
        self.index.save(str(folder))

    @property
    def graph(self) -> Any:  # noqa: ANN401 - a networkx.Graph
        """The event graph as a `networkx.Graph`, a copy."""
        return self.index.graph

    def add_documents(self, documents: Sequence[Document], *, config: RunnableConfig | None = None) -> list[str]:
        """Read documents for events and add both; texts that are there whole are passed over.

        Args:
            documents: in reading order.
            config: passed on with every model call.

        Returns:
            The ids of the events that were read.
        """
        return self._added(*self._runner(config).run(self._ingestion(documents)))

    async def aadd_documents(self, documents: Sequence[Document], *, config: RunnableConfig | None = None) -> list[str]:
        """The same, awaited."""
        return self._added(*await self._runner(config).arun(self._ingestion(documents)))

    def estimate(self, documents: Sequence[Document]) -> Estimate:
        """What `add_documents` would cost: calls, tokens and texts to embed. Nothing is called, nothing added.

        Args:
            documents: what would be added; texts of events that only a model could find are not counted.
        """
        known = {passage.id for passage in self.index.passages} | {event.id for event in self.index.events}
        read = read_event_documents(documents, keys=self.keys, source_key=self.source_key)
        fresh = [passage for passage in read.passages if passage.id not in known]
        step = ingest_events(fresh, EventIndex(self.index.embedder_id), settings=self._extraction)
        return self._runner(None).estimate(step)

    def delete(self, ids: Sequence[str]) -> None:
        """Take events and passages out by id, with their vectors, words, times and edges; unknown ids are passed over."""
        self.index.remove(ids)

    def delete_source(self, source_id: str) -> int:
        """Take out every event and passage of a text. Returns how many there were."""
        return self.index.remove_source(source_id)

    def _search(self, question: str, k: int | None, times: Times | None) -> Step[EventRetrieval]:
        return self._asking(k).retrieve(self.index, question, times=times)

    def _told(self, question: str, found: EventRetrieval) -> EventRetrieval:
        log_search(question, len(found.trace), found.issues)
        return found

    def _documents(self, found: EventRetrieval) -> list[Document]:
        told = found_metadata(found)
        documents = [event_document(one.event, keys=self.keys, score=one.score) for one in found.trace]
        for document, one in zip(documents, found.trace, strict=True):
            document.metadata |= told[one.event.id]
        beside = found.passages if self.passages else ()
        return [*documents, *(placed_document(hit.passage, keys=self.keys, score=hit.score) for hit in beside)]

    @classmethod
    def _empty(
        cls, embeddings: AnyEmbeddings | None, graph: GraphSettings | None, options: EventRetrieverOptions
    ) -> EventGraphRetriever:
        """With options checked before anything is embedded."""
        embeddings_by_name(options)
        embedder = as_embedder(embeddings)
        given = options.get("extract", "rules")
        title_key = given.title_key if isinstance(given, ExtractSettings) else ExtractSettings().title_key
        return cls(index=EventIndex(embedder.model_id, graph=graph, title_key=title_key), embedder=embedder, **options)

    @property
    def _extraction(self) -> ExtractSettings:
        if isinstance(self.extract, ExtractSettings):
            return self.extract
        return replace(ExtractSettings(mode=self.extract), calendar=self.calendar)

    def _asking(self, k: int | None = None) -> EventAsking:
        given = {name: value for name in _SETTINGS if (value := getattr(self, name)) is not None}
        return EventAsking.of(
            self.preset,
            self.k if whole_number(k) is None else k,
            self.today,
            has_chat=self.llm is not None,
            settings=self.settings,
            calendar=self.calendar,
            scope_mode=self.scope_mode,
            place_undated=self.place_undated,
            times=self.times,
            passages=self.passages,
            **given,
        )

    def _ingestion(self, documents: Sequence[Document]) -> Step[tuple[EventsIngested, tuple[Issue, ...]]]:
        read = read_event_documents(documents, keys=self.keys, source_key=self.source_key)
        done = yield from ingest_events(read.passages, self.index, settings=self._extraction)
        return done, read.issues

    def _added(self, done: EventsIngested, unread: tuple[Issue, ...]) -> list[str]:
        issues = unread + done.issues
        self.issues += issues
        log_issues(f"{counted(done.added, 'event')} added", issues)
        return list(done.ids)

    def _get_ls_params(self, **kwargs: Any) -> LangSmithRetrieverParams:  # noqa: ANN401 - the framework's
        params = super()._get_ls_params(**kwargs)
        params["ls_vector_store_provider"] = type(self.index).__name__
        if self.embedder is not None:
            params["ls_embedding_model"] = self.embedder.model_id
        return params

    def __repr__(self) -> str:
        matching = "own settings" if self.settings else f"preset {self.preset!r}"
        return f"<EventGraphRetriever over {self.index!r}, k={self._asking().settings.k}, {matching}>"

    __str__ = __repr__
