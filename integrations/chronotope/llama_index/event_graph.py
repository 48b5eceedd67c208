"""Retrieval over the event graph as a LlamaIndex retriever (DyG-RAG section 3.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from inspect import signature
from pathlib import Path
from typing import Any, Self

from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle, TransformComponent

from chronotope.events.event import EventUnit
from chronotope.events.extract.extract import ExtractSettings
from chronotope.events.extract.settings import ExtractMode
from chronotope.events.index.index import EventIndex, GraphSettings
from chronotope.events.index.ingest import ingest_events
from chronotope.events.retrieve.asking import EventAsking
from chronotope.events.retrieve.from_passages import FOUND_KEYS, found_metadata, stored_event
from chronotope.events.retrieve.retrieval_settings import EventRetrievalSettings
from chronotope.events.retrieve.retrieve import EventRetrieval
from chronotope.llama_index.convert import NODE_KEY, cut_documents, to_node, to_passages
from chronotope.llama_index.event_nodes import event_node
from chronotope.llama_index.models import AnyChat, AnyEmbedder, AnyReranker, as_chat, as_embedder, as_reranker
from chronotope.llama_index.queries import dated_keys
from chronotope.llama_index.reporting import ReportingRetriever
from chronotope.metadata import MetadataKeys
from chronotope.notes import counted, log_issues, log_search, unknown_option
from chronotope.records import Issue, Passage, Scalar
from chronotope.steps import Cache, Estimate, Runner, Step
from chronotope.temporal import Today

__all__ = ["EventGraphRetriever"]


class EventGraphRetriever(ReportingRetriever[EventRetrieval]):
    """Retrieves events that fit a question's subject and time, and what the event graph joins to them.

    Made by `from_nodes`, `from_documents` or `load`. Other keywords that they are given are fields of `EventRetrievalSettings`
    (`time_filter`, `undated`, `weights`, `walks`, …) or of `EventAsking` (`calendar`, `scope_mode`, `times`, …). Nodes come back
    best first. An event has its number on the timeline under `event_number`; a `TimeCoTSynthesizer` puts them in that order.

    Args:
        index: the events.
        runner: the models.
        asking: how questions are understood and matched.
        keys: where nodes have their dates, and where times are written.
        extraction: how nodes that are no event units are read for events.
        node_passages: source passages follow the events.
    """

    def __init__(
        self,
        index: EventIndex,
        *,
        runner: Runner,
        asking: EventAsking | None = None,
        keys: MetadataKeys | None = None,
        extraction: ExtractSettings | None = None,
        node_passages: bool = False,
    ) -> None:
        super().__init__()
        self.index, self.runner, self.asking = index, runner, asking or EventAsking()
        self.keys, self.extraction = keys or MetadataKeys(), extraction or ExtractSettings()
        self.node_passages = node_passages
        self._found_while_building: tuple[Issue, ...] = ()

    @classmethod
    def from_nodes(
        cls,
        nodes: Iterable[BaseNode],
        *,
        embed_model: AnyEmbedder | None = None,
        llm: AnyChat | None = None,
        reranker: AnyReranker | None = None,
        keys: MetadataKeys | None = None,
        date: str | None = None,
        extract: ExtractMode | ExtractSettings = "rules",
        graph: GraphSettings | None = None,
        cache: Cache | None = None,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        preset: str = "default",
        k: int | None = None,
        passages: int = 0,
        today: Today = None,
        **settings: Any,  # noqa: ANN401 - fields of EventRetrievalSettings and EventAsking
    ) -> Self:
        """Read nodes for events and embed both into an index.

        Args:
            nodes: text nodes, which are read for events; nodes of an `EventUnitNodeParser` are taken as they are. None is changed.
            embed_model: a LlamaIndex or chronotope embedder; the embedded default when absent, never `Settings.embed_model`.
            llm: helps with questions whose time rules cannot place, and reads nodes if `extract` says so.
            reranker: scores the best events again where the setting `rerank` is above 0.
            keys: where nodes have their dates.
            date: short for `keys=MetadataKeys(date=…)`: the app's own date of writing.
            extract: `rules`, `llm`, or settings.
            graph: how events are joined.
            cache: keeps vectors and replies, so that building again costs nothing.
            max_calls: chat calls allowed in all; `runner.reset()` begins again.
            max_tokens: tokens that may be sent and received in all.
            preset: `default`, or `dyg_rag` for the method as published.
            k: number of events to return; None takes that of the settings.
            passages: number of source passages that follow the events.
            today: the day that "last year" counts from.
            settings: fields of `EventRetrievalSettings` and `EventAsking`.

        Raises:
            ValueError: a setting has a value that is not allowed, or `extract="llm"` without a model.
            TypeError: there is no such setting, or something is of another kind than it must be.
            BudgetError: a cap was reached while nodes were read.
        """
        chat, embedder = as_chat(llm), as_embedder(embed_model)
        extraction = ExtractSettings(mode=extract) if isinstance(extract, str) else extract
        if extraction.mode != "rules" and chat is None:
            raise ValueError(f"extract={extraction.mode!r} asks a model: give llm=, or use extract='rules'")
        retriever = cls(
            EventIndex(embedder.model_id, graph=graph, title_key=extraction.title_key),
            runner=Runner(chat, embedder, as_reranker(reranker), cache=cache, max_calls=max_calls, max_tokens=max_tokens),
            asking=_asking(preset, k, today, passages=passages, has_chat=chat is not None, **settings),
            keys=dated_keys(keys, date),
            extraction=extraction,
            node_passages=passages > 0,
        )
        retriever.insert_nodes(nodes)
        return retriever

    @classmethod
    def from_documents(
        cls,
        documents: Sequence[BaseNode],
        *,
        node_parser: TransformComponent | None = None,
        **options: Any,  # noqa: ANN401 - those of from_nodes
    ) -> Self:
        """Cut documents into passages and read them for events.

        Args:
            documents: LlamaIndex documents.
            node_parser: how to cut; without it, whole sentences up to 256 tokens, with exact offsets and the same ids on every run.
            options: as for `from_nodes`.
        """
        nodes = cut_documents(documents, node_parser)
        return cls.from_nodes(nodes, **options)

    @classmethod
    def load(cls, folder: str | Path, *, embed_model: AnyEmbedder | None = None, **options: Any) -> Self:  # noqa: ANN401
        """Read what `save` wrote.

        Args:
            folder: the folder.
            embed_model: the model that made the vectors; the embedded default when absent.
            options: as for `from_nodes`; settings are not saved.

        Raises:
            StoreError: the folder cannot be used.
            StoreMismatchError: its vectors come from another embedder.
        """
        embedder = as_embedder(embed_model)
        retriever = cls.from_nodes([], embed_model=embedder, **options)
        retriever.index = EventIndex.load(folder, embedder_id=embedder.model_id)
        return retriever

    def save(self, folder: str | Path) -> None:
        """Write events, passages, vectors and graph to a folder of plain files, atomically."""
        self.index.save(folder)

    @property
    def graph(self) -> Any:  # noqa: ANN401 - a networkx.Graph
        """The event graph as a `networkx.Graph`, a copy."""
        return self.index.graph

    @property
    def issues(self) -> tuple[Issue, ...]:
        """What was left out, guessed or not read while nodes came in, and how many events have no time."""
        return self._found_while_building + self.index.issues

    def __repr__(self) -> str:
        times = f", asks {', '.join(map(str, self.asking.times))}" if self.asking.times else ""
        return f"<EventGraphRetriever over {self.index!r}, k={self.asking.settings.k}{times}>"

    def estimate(self, nodes: Iterable[BaseNode]) -> Estimate:
        """What `insert_nodes` would cost: calls, tokens and texts to embed. Nothing is called, nothing added.

        Args:
            nodes: what would be added; texts of events that only a model could find are not counted.
        """
        trial = EventIndex(self.index.embedder_id)
        known = {passage.id for passage in self.index.passages} | {event.id for event in self.index.events}
        fresh = [passage for passage in to_passages(nodes, keys=self.keys).items if passage.id not in known]
        return self.runner.estimate(ingest_events(fresh, trial, settings=self.extraction, private=(NODE_KEY,)))

    def delete_ref_doc(self, ref_doc_id: str) -> int:
        """Take out every event and passage of a document. Returns how many there were."""
        passages = {passage.id for passage in self.index.passages if passage.source_id == ref_doc_id}
        self._forget(passages | {ref_doc_id})
        return self.index.remove_source(ref_doc_id)

    def delete_nodes(self, node_ids: Iterable[str]) -> int:
        """Take out events and passages. Returns how many there were."""
        gone = set(node_ids)
        self._forget(gone)
        return self.index.remove(gone)

    def _scored(self, found: EventRetrieval) -> list[NodeWithScore]:
        """Events, then passages, with scores that never rise, so that whoever sorts again keeps the order."""
        told = found_metadata(found)
        ranked = [(self._node(one.event, told[one.event.id]), one.score) for one in found.trace]
        if self.node_passages:
            ranked += [(to_node(hit.passage, keys=self.keys), hit.score) for hit in found.passages]
        scored: list[NodeWithScore] = []
        for node, score in ranked:
            scored.append(NodeWithScore(node=node, score=min(score, scored[-1].get_score()) if scored else score))
        return scored

    def _node(self, event: EventUnit, told: Mapping[str, Scalar]) -> BaseNode:
        given = NODE_KEY in event.metadata
        node = to_node(stored_event(event), keys=self.keys) if given else event_node(event, keys=self.keys)
        node.metadata |= told
        hidden = [key for key in FOUND_KEYS if key not in node.excluded_embed_metadata_keys]
        node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, *hidden]
        node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, *hidden]
        return node

    def _retrieval(self, bundle: QueryBundle) -> Step[EventRetrieval]:
        return self.asking.retrieve(self.index, bundle.query_str, times=getattr(bundle, "times", None))

    def _insertion(self, nodes: Sequence[BaseNode]) -> Step[int]:
        read = to_passages(nodes, keys=self.keys)
        placed = [_placed(passage) for passage in read.items]
        done = yield from ingest_events(placed, self.index, settings=self.extraction, private=(NODE_KEY,))
        self._found_while_building += read.issues + done.issues
        log_issues(f"{counted(done.added, 'event')} added", read.issues + done.issues)
        return done.added

    def _told(self, asked: QueryBundle, found: EventRetrieval) -> EventRetrieval:
        log_search(asked.query_str, len(found.trace), found.issues)
        return found


def _placed(passage: Passage) -> Passage:
    """A whole document begins at its own beginning."""
    if passage.char_start is None and passage.source_id == passage.id:
        return replace(passage, char_start=0, char_end=len(passage.text))
    return passage


def _asking(preset: str, k: int | None, today: Today, **settings: Any) -> EventAsking:  # noqa: ANN401
    """Keywords that are none of the constructor's own, once it is known that there are such settings."""
    own = {item.name for item in fields(EventRetrievalSettings)} | {item.name for item in fields(EventAsking)} | {"has_chat"}
    for name in settings:
        if name not in own:
            known = (own | set(signature(EventGraphRetriever.from_nodes).parameters)) - {"has_chat"}
            raise TypeError(unknown_option(name, known))
    return EventAsking.of(preset, k, today, **settings)
