"""Slices of a story as a LlamaIndex retriever: facts by chapter, story time, place and entities (NS-ST-GraphRAG)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import Any, Self

from llama_index.core.graph_stores.types import PropertyGraphStore
from llama_index.core.indices.property_graph import PropertyGraphIndex
from llama_index.core.schema import BaseNode, TransformComponent

from chronotope.llama_index.convert import cut_documents
from chronotope.llama_index.held_story import HeldStory
from chronotope.llama_index.models import AnyChat, AnyEmbedder, AnyReranker, as_chat, as_embedder, as_reranker
from chronotope.llama_index.property_graph import read_graph
from chronotope.llama_index.queries import dated_keys
from chronotope.llama_index.slice_sub_retriever import SliceSubRetriever
from chronotope.metadata import MetadataKeys
from chronotope.notes import unknown_option
from chronotope.slices.axis import StoryAxis
from chronotope.slices.documents.given import GivenFacts, check_model, extraction_settings
from chronotope.slices.extract import FactMode, FactSettings
from chronotope.slices.fact import Entity
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.ontology import Ontology, Rule
from chronotope.slices.retrieve.asking import SliceAsking
from chronotope.slices.retrieve.retrieval_settings import SliceSettings
from chronotope.steps import Cache, Runner
from chronotope.temporal import Today

__all__ = ["SliceRetriever"]

_OTHER_WORDS = {"embeddings": "embed_model", "embedder": "embed_model", "embedding": "embed_model", "documents": "nodes"}


class SliceRetriever(HeldStory):
    """Retrieves the facts of a story that a question asks for: by chapter, by the story's own time, by place, by who is in them.

    Made by `from_nodes`, `from_documents`, `from_facts`, `from_property_graph` or `load`. Other keywords that they are given are
    fields of `SliceSettings` (`scope`, `unplaced`, `paths`, …) or `calendar`. Facts come back as nodes of their own words, best
    first, with flat coordinates as metadata: `chapter`, `story_time`, `place`, `statement`, `confidence`, `entities`, and
    `coordinates` in words. With `reader_at`, nothing that a later chapter tells is used or shown.
    """

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
        extract: FactMode | FactSettings = "rules",
        ontology: str | Path | Ontology | None = None,
        axis: StoryAxis | None = None,
        title_key: str = "title",
        cache: Cache | None = None,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        k: int | None = None,
        passages: int = 0,
        reader_at: int | None = None,
        today: Today = None,
        **settings: Any,  # noqa: ANN401 - fields of SliceSettings and SliceAsking
    ) -> Self:
        """Read nodes for facts and embed both into an index.

        Args:
            nodes: text nodes, which are read for facts; those that a `StoryFactExtractor` has read are taken as they are. None is
                changed.
            embed_model: a LlamaIndex or chronotope embedder; the embedded default when absent, never `Settings.embed_model`.
            llm: helps with questions that rules cannot place, and reads nodes if `extract` says so.
            reranker: scores the best passages again where the setting `rerank` is above 0.
            keys: where nodes have their dates.
            date: short for `keys=MetadataKeys(date=…)`: the app's own date of writing.
            extract: `rules`, `llm`, or settings.
            ontology: what can be so: a shipped one by its name, the path of a file, or an ontology; None takes that of `extract`.
            axis: when chapters play; None takes what the texts say.
            title_key: metadata key of a title that is embedded with its texts.
            cache: keeps vectors and replies, so that building again costs nothing.
            max_calls: chat calls allowed in all; `runner.reset()` begins again.
            max_tokens: tokens that may be sent and received in all.
            k: number of facts to return; None takes that of the settings.
            passages: number of passages that follow the facts.
            reader_at: last chapter that the reader knows; None for all. A `StoryQuery` may name an earlier one.
            today: the day that "last year" counts from.
            settings: fields of `SliceSettings`, and `calendar`.

        Raises:
            ValueError: a setting has a value that is not allowed, or `extract="llm"` without a model.
            TypeError: there is no such setting, or something is of another kind than it must be.
            OntologyError: there is no such ontology, or it cannot be read.
            BudgetError: a cap was reached while nodes were read.
        """
        chat, embedder = as_chat(llm), as_embedder(embed_model)
        extraction = extraction_settings(extract, ontology)
        check_model(extraction, has_chat=chat is not None)
        retriever = cls(
            StoryIndex(embedder.model_id, ontology=extraction.known, axis=axis, title_key=title_key),
            runner=Runner(chat, embedder, as_reranker(reranker), cache=cache, max_calls=max_calls, max_tokens=max_tokens),
            asking=_asking(k, today, passages=passages, reader_at=reader_at, has_chat=chat is not None, **settings),
            keys=dated_keys(keys, date),
            extraction=extraction,
            node_passages=passages > 0,
            axis=axis,
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
        """Cut documents into passages and read them for facts.

        Args:
            documents: LlamaIndex documents.
            node_parser: how to cut; without it, whole sentences up to 256 tokens, with exact offsets and the same ids on every run.
            options: as for `from_nodes`.
        """
        nodes = cut_documents(documents, node_parser)
        return cls.from_nodes(nodes, **options)

    @classmethod
    def from_facts(
        cls,
        facts: GivenFacts,
        *,
        nodes: Iterable[BaseNode] = (),
        entities: Iterable[Entity] = (),
        **options: Any,  # noqa: ANN401 - those of from_nodes
    ) -> Self:
        """Take facts that are known already; they are checked against the ontology, and no model is asked.

        Args:
            facts: the path of a facts file (.csv, .tsv, .jsonl, .json), facts, records of such a file, or `StoryFacts`.
            nodes: the text that they were read in; it is not read again.
            entities: what is known of persons and places.
            options: as for `from_nodes`.

        Raises:
            FactError: nothing in the file is a fact, or its times lie on two axes.
        """
        retriever = cls.from_nodes([], **options)
        retriever.insert_facts(facts, nodes=nodes, entities=entities)
        return retriever

    @classmethod
    def from_property_graph(
        cls,
        graph: PropertyGraphIndex | PropertyGraphStore,
        **options: Any,  # noqa: ANN401 - those of from_nodes
    ) -> Self:
        """Take the facts of a property graph, and the chunks that it was made of; they are checked, and no model is asked.

        Facts that a `StoryFactExtractor` wrote come back as they were. Of other relations, the properties `chapter`, `story_time`,
        `place`, `quote` and the like are read as columns of a facts file are; what cannot be read is among the `issues`.

        Args:
            graph: an index or a store.
            options: as for `from_nodes`.

        Raises:
            FactError: nothing in the graph is a fact of the ontology.
        """
        retriever = cls.from_nodes([], **options)
        rows = read_graph(graph, retriever.index.ontology)
        retriever.insert_facts(rows.records, nodes=rows.chunks)
        return retriever

    @classmethod
    def load(
        cls,
        folder: str | Path,
        *,
        embed_model: AnyEmbedder | None = None,
        rules: Iterable[Rule] = (),
        **options: Any,  # noqa: ANN401 - those of from_nodes
    ) -> Self:
        """Read what `save` wrote.

        Args:
            folder: the folder.
            embed_model: the model that made the vectors; the embedded default when absent.
            rules: rules of the ontology that are functions, which no file holds.
            options: as for `from_nodes`; settings are not saved, ontology and axis are.

        Raises:
            StoreError: the folder cannot be used.
            StoreMismatchError: its vectors come from another embedder.
        """
        embedder = as_embedder(embed_model)
        index = StoryIndex.load(folder, embedder_id=embedder.model_id, rules=rules)
        retriever = cls.from_nodes([], embed_model=embedder, ontology=index.ontology, **options)
        index.axis = retriever.axis or index.axis
        retriever.index = index
        return retriever

    def __repr__(self) -> str:
        known = self.asking.reader_at
        story = f"{self.index!r}" if known is None else f"{self.graph!r}"
        return f"<SliceRetriever over {story}, k={self.asking.settings.k}{'' if known is None else f', reader_at={known}'}>"

    def as_sub_retriever(self, graph_store: PropertyGraphStore | None = None) -> SliceSubRetriever:
        """The same for `PropertyGraphIndex.as_retriever(sub_retrievers=[…])` and `as_query_engine`, one line a fact.

        Args:
            graph_store: the store of the index, if it is to be told.
        """
        return SliceSubRetriever(self, graph_store)


def _asking(k: int | None, today: Today, **settings: Any) -> SliceAsking:  # noqa: ANN401
    """Keywords that are none of the constructor's own, once it is known that there are such settings."""
    for name in settings:
        if name in _OTHER_WORDS:
            raise TypeError(f"there is no option {name!r}; did you mean {_OTHER_WORDS[name]!r}?")
    own = {item.name for item in fields(SliceSettings)} | {"settings", "calendar", "times", "reader_at", "has_chat"}
    for name in settings:
        if name not in own:
            known = (own | set(signature(SliceRetriever.from_nodes).parameters)) - {"has_chat", "cls"}
            raise TypeError(unknown_option(name, known))
    return SliceAsking.of(k, today, **settings)
