"""Time-aware retrieval as a LlamaIndex retriever, on an embedded index or on the user's own `VectorStoreIndex`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from inspect import signature
from pathlib import Path
from typing import Any, Self

from llama_index.core import VectorStoreIndex
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.schema import BaseNode, IndexNode, NodeWithScore, QueryBundle, TransformComponent

from chronotope.diachronic import (
    AnnotateMode,
    AnnotateSettings,
    DiachronicIndex,
    IndexWriter,
    Pushdown,
    Retrieval,
    RetrievalSettings,
    ingest,
)
from chronotope.llama_index.convert import cut_documents, neat, to_passages, to_scored_nodes
from chronotope.llama_index.models import AnyChat, AnyEmbedder, AnyReranker, as_chat, as_embedder, as_reranker
from chronotope.llama_index.prompts import as_prompt, as_template
from chronotope.llama_index.queries import Reading, dated_keys
from chronotope.llama_index.reporting import ReportingRetriever
from chronotope.llama_index.stores import VectorIndexStore
from chronotope.metadata import MetadataKeys
from chronotope.notes import counted, log_issues, log_search, unknown_option
from chronotope.questions.scope import SCOPE
from chronotope.records import Issue, Passage
from chronotope.steps import Cache, Estimate, Runner, Step, embed
from chronotope.temporal import Today

__all__ = ["DiachronicRetriever"]

PROMPT_NAME = "scope_prompt"


class DiachronicRetriever(ReportingRetriever[Retrieval]):
    """Retrieves passages that fit a question's subject and its time.

    Made by `from_nodes`, `from_documents`, `from_index` or `load`. Whatever else they are given as keywords is a field of
    `RetrievalSettings` (`time_filter`, `undated`, `coverage`, …) or of `Reading` (`calendar`, `scope_mode`, `times`).

    Args:
        source: an embedded index, or a store of the user's.
        runner: the models.
        reading: how questions are understood and matched.
        keys: where nodes have their times.
        annotation: how nodes without times get them; None leaves them as they are.
        object_map: what index nodes point at.
    """

    def __init__(
        self,
        source: DiachronicIndex | VectorIndexStore,
        *,
        runner: Runner,
        reading: Reading | None = None,
        keys: MetadataKeys | None = None,
        annotation: AnnotateSettings | None = None,
        object_map: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(object_map=object_map)
        self.source, self.runner, self.reading = source, runner, reading or Reading()
        self.keys, self.annotation = keys or MetadataKeys(), annotation
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
        annotate: AnnotateMode | AnnotateSettings | None = "rules",
        cache: Cache | None = None,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        preset: str = "default",
        k: int = 10,
        today: Today = None,
        **settings: Any,  # noqa: ANN401 - fields of RetrievalSettings and Reading
    ) -> Self:
        """Embed nodes into an index of their own.

        Args:
            nodes: text nodes; blank ones are left out. They are not changed.
            embed_model: a LlamaIndex or chronotope embedder; the embedded default when absent, never `Settings.embed_model`.
            llm: helps with questions (and, if `annotate` asks for it, with nodes) whose time rules cannot place.
            reranker: scores the best passages again where the setting `rerank` is above 0.
            keys: where nodes have their times.
            date: short for `keys=MetadataKeys(date=…)`: the app's own date of writing.
            annotate: how nodes without times get them from their words; None leaves them as they are.
            cache: keeps vectors and replies, so that building again costs nothing.
            max_calls: chat calls allowed in all; `runner.reset()` begins again.
            max_tokens: tokens that may be sent and received in all.
            preset: `default`, or `ta_rag` for the method as published.
            k: number of passages to return.
            today: the day that "last year" counts from.
            settings: fields of `RetrievalSettings` and `Reading`.

        Raises:
            ValueError: a setting has a value that is not allowed.
            TypeError: there is no such setting, or something is of another kind than it must be.
            BudgetError: a cap was reached while nodes were read.
        """
        chat, embedder = as_chat(llm), as_embedder(embed_model)
        retriever = cls(
            DiachronicIndex(embedder.model_id),
            runner=Runner(chat, embedder, as_reranker(reranker), cache=cache, max_calls=max_calls, max_tokens=max_tokens),
            reading=_reading(cls.from_nodes, preset, k, today, has_chat=chat is not None, **settings),
            keys=dated_keys(keys, date),
            annotation=AnnotateSettings(mode=annotate) if isinstance(annotate, str) else annotate,
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
        """Cut documents and embed the nodes.

        Args:
            documents: LlamaIndex documents.
            node_parser: how to cut; without it, whole sentences up to 256 tokens, with exact offsets and the same ids on every run.
            options: as for `from_nodes`.
        """
        nodes = cut_documents(documents, node_parser)
        return cls.from_nodes(nodes, **options)

    @classmethod
    def from_index(
        cls,
        index: VectorStoreIndex,
        *,
        llm: AnyChat | None = None,
        keys: MetadataKeys | None = None,
        date: str | None = None,
        pushdown: Pushdown = "auto",
        preset: str = "default",
        k: int = 10,
        today: Today = None,
        **settings: Any,  # noqa: ANN401 - fields of RetrievalSettings and Reading
    ) -> Self:
        """Search an index that the app already has, with its own embedding model; nothing is embedded again.

        Args:
            index: the app's index. Nodes that went through `TimeAnnotator` are found by the times they tell of, others by `date`.
            llm: helps with questions whose time rules cannot place.
            keys: where nodes have their times.
            date: short for `keys=MetadataKeys(date=…)`: the app's own date of writing.
            pushdown: whether the store compares times itself; see `VectorIndexStore`.
            preset: `default` or `ta_rag`; the store ranks by itself, so `lexical`, `anchors` and `rerank` have no part here.
            k: number of passages to return.
            today: the day that "last year" counts from.
            settings: fields of `RetrievalSettings` and `Reading`.
        """
        if not isinstance(index, VectorStoreIndex):
            raise TypeError(f"from_index searches a VectorStoreIndex, not a {type(index).__name__}; from_nodes takes nodes")
        chat, keys = as_chat(llm), dated_keys(keys, date)
        reading = _reading(cls.from_index, preset, k, today, has_chat=chat is not None, **settings)
        return cls(VectorIndexStore(index, keys=keys, pushdown=pushdown), runner=Runner(chat), reading=reading, keys=keys)

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
        retriever.source = DiachronicIndex.load(folder, embedder_id=embedder.model_id)
        return retriever

    def save(self, folder: str | Path) -> None:
        """Write nodes, vectors and times to a folder of plain files, atomically."""
        self.index.save(folder)

    @property
    def index(self) -> DiachronicIndex:
        """The embedded index.

        Raises:
            TypeError: the nodes belong to the app's own index.
        """
        if isinstance(self.source, DiachronicIndex):
            return self.source
        raise TypeError("the nodes belong to the app's own index: insert, delete and persist them there")

    @property
    def issues(self) -> tuple[Issue, ...]:
        """What was left out, guessed or not read while nodes came in, and how many have no time."""
        return self._found_while_building + (self.source.issues if isinstance(self.source, DiachronicIndex) else ())

    def __repr__(self) -> str:
        times = f", asks {', '.join(map(str, self.reading.times))}" if self.reading.times else ""
        return f"<DiachronicRetriever over {self.source!r}, k={self.reading.settings.k}{times}>"

    def estimate(self, nodes: Iterable[BaseNode]) -> Estimate:
        """What `insert_nodes` would cost: calls, tokens and texts to embed. Nothing is called, nothing added.

        Args:
            nodes: what would be added.
        """
        passages = to_passages(nodes, keys=self.keys).items
        return self.runner.estimate(ingest(passages, _DryWriter(self.index), annotation=self.annotation))

    def delete_ref_doc(self, ref_doc_id: str) -> int:
        """Take out every node of a document. Returns how many there were."""
        self._forget({passage.id for passage in self.index.passages if passage.source_id == ref_doc_id} | {ref_doc_id})
        return self.index.remove_source(ref_doc_id)

    def delete_nodes(self, node_ids: Iterable[str]) -> int:
        """Take out nodes. Returns how many there were."""
        gone = set(node_ids)
        self._forget(gone)
        return self.index.remove(gone)

    def _get_prompts(self) -> PromptDictType:
        return {PROMPT_NAME: as_template(self.reading.scope_prompt)}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        if PROMPT_NAME in prompts_dict:
            prompt = as_prompt(prompts_dict[PROMPT_NAME], SCOPE, needs="question")
            self.reading = replace(self.reading, scope_prompt=prompt)

    def _retrieval(self, bundle: QueryBundle) -> Step[Retrieval]:
        return self.reading.retrieve(self.source, bundle.query_str, times=getattr(bundle, "times", None))

    def _insertion(self, nodes: Sequence[BaseNode]) -> Step[int]:
        self.object_map.update({node.index_id: node.obj for node in nodes if isinstance(node, IndexNode) and node.obj is not None})
        read = to_passages(nodes, keys=self.keys)
        done = yield from ingest(read.items, IndexWriter(self.index), annotation=self.annotation)
        self._found_while_building += read.issues + done.issues
        log_issues(f"{counted(done.added, 'node')} added", read.issues + done.issues)
        return done.added

    def _told(self, asked: QueryBundle, found: Retrieval) -> Retrieval:
        log_search(asked.query_str, len(found.hits), found.issues)
        return replace(found, hits=tuple(map(neat, found.hits)))

    def _scored(self, found: Retrieval) -> list[NodeWithScore]:
        return to_scored_nodes(found.hits, keys=self.keys)


class _DryWriter(IndexWriter):
    """Asks for the vectors and keeps nothing."""

    def write(self, passages: Sequence[Passage]) -> Step[object]:
        return embed([passage.text for passage in passages])


def _reading(maker: Callable[..., object], preset: str, k: int, today: Today, **settings: Any) -> Reading:  # noqa: ANN401
    """Keywords of `maker` that are none of its own, once it is known that there are such settings."""
    own = {item.name for item in fields(RetrievalSettings)} | {"has_chat", "settings", "calendar", "scope_mode", "times"}
    for name in settings:
        if name not in own:
            raise TypeError(unknown_option(name, (own | set(signature(maker).parameters)) - {"has_chat"}))
    if not isinstance(k, int) or isinstance(k, bool):
        raise TypeError(f"k must be a whole number, not {k!r}")
    return Reading.of(preset, k, today, **settings)
