"""A story behind a LlamaIndex retriever: what is put in, taken out, told about it, and how questions go to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Self

from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle

from chronotope.llama_index.convert import NODE_KEY, several
from chronotope.llama_index.fact_nodes import fact_nodes, story_passages
from chronotope.llama_index.reporting import ReportingRetriever
from chronotope.metadata import MetadataKeys
from chronotope.notes import counted, log_issues, log_search
from chronotope.records import Issue
from chronotope.slices.axis import StoryAxis
from chronotope.slices.documents.from_passages import found_hits
from chronotope.slices.documents.given import GivenFacts, checked_entities
from chronotope.slices.documents.leaving import taken_out
from chronotope.slices.documents.reading import earlier, reader_graph_of
from chronotope.slices.documents.told import ingest_given, ingest_told, ingest_trial
from chronotope.slices.extract import FactSettings
from chronotope.slices.fact import Entity
from chronotope.slices.graph import StoryGraph
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.index.ingest import StoryIngested
from chronotope.slices.retrieve.asking import SliceAsking, checked_chapter
from chronotope.slices.retrieve.retrieve import SliceRetrieval
from chronotope.slices.story_facts import Uncertain
from chronotope.steps import Estimate, Runner, Step

__all__ = ["HeldStory"]


class HeldStory(ReportingRetriever[SliceRetrieval]):
    """A retriever over a story index; `SliceRetriever` says how to make one.

    Args:
        index: the story.
        runner: the models.
        asking: how questions are understood and matched.
        keys: where nodes have their dates, and where times are written.
        extraction: how nodes without facts are read.
        node_passages: passages of the text follow the facts.
        axis: when chapters play, whatever the texts say.
    """

    def __init__(
        self,
        index: StoryIndex,
        *,
        runner: Runner,
        asking: SliceAsking | None = None,
        keys: MetadataKeys | None = None,
        extraction: FactSettings | None = None,
        node_passages: bool = False,
        axis: StoryAxis | None = None,
    ) -> None:
        super().__init__()
        self.index, self.runner, self.asking = index, runner, asking or SliceAsking()
        self.keys, self.extraction = keys or MetadataKeys(), extraction or FactSettings(ontology=index.ontology)
        self.node_passages, self.axis = node_passages, axis
        self._found_while_building: tuple[Issue, ...] = ()
        self._uncertain: tuple[Uncertain, ...] = ()

    def save(self, folder: str | Path) -> None:
        """Write facts, passages, vectors, ontology and axis to a folder of plain files, atomically."""
        self.index.save(folder)

    def for_reader(self, reader_at: int | None) -> Self:
        """The same over the same story, for a reader of so many chapters; for engines and tools that hand on words alone.

        Neither a question nor another `for_reader` takes the result beyond that chapter, and it does not tell what was reported
        while nodes and facts came in, which may speak of later ones.

        Args:
            reader_at: last chapter that the reader knows, if it is not behind the one of this retriever; None changes nothing.

        Raises:
            TypeError: it is no chapter.
        """
        other = copy(self)
        other.asking = replace(self.asking, reader_at=earlier(self.asking.reader_at, checked_chapter(reader_at)))
        if other.asking.reader_at is not None:
            other._found_while_building, other._uncertain = (), ()
        return other

    @property
    def graph(self) -> StoryGraph:
        """The story graph: slices, places, who is who, and `graph.networkx`; of what is told to the reader where there is one."""
        return reader_graph_of(self.index, self.asking.reader_at)

    @property
    def issues(self) -> tuple[Issue, ...]:
        """What was left out, guessed or not read while nodes and facts came in, and what the graph has to say."""
        own = self.index.issues if self.asking.reader_at is None else self.graph.issues
        return self._found_while_building + own

    @property
    def uncertain(self) -> tuple[Uncertain, ...]:
        """Facts that rules kept out while nodes and facts came in, with the reasons and all that a model said of them."""
        return self._uncertain

    def insert_facts(self, facts: GivenFacts, *, nodes: Iterable[BaseNode] = (), entities: Iterable[Entity] = ()) -> int:
        """Add facts that are known already, checked; those that are there are passed over. Returns how many were added.

        Args:
            facts: as for `from_facts`.
            nodes: the text that they were read in; it is not read again.
            entities: what is known of persons and places.
        """
        return self.runner.run(self._fact_insertion(facts, several(nodes, "nodes"), checked_entities(entities)))

    async def ainsert_facts(self, facts: GivenFacts, *, nodes: Iterable[BaseNode] = (), entities: Iterable[Entity] = ()) -> int:
        """The same, awaited."""
        return await self.runner.arun(self._fact_insertion(facts, several(nodes, "nodes"), checked_entities(entities)))

    def estimate(self, nodes: Iterable[BaseNode]) -> Estimate:
        """What `insert_nodes` would cost: calls, tokens and texts to embed. Nothing is called, nothing added.

        Args:
            nodes: what would be added; texts of facts that only a model could find are not counted.
        """
        read = story_passages(nodes, keys=self.keys)
        known = self.asking.reader_at
        return self.runner.estimate(
            ingest_trial(read.items, self.index, settings=self.extraction, private=(NODE_KEY,), reader_at=known)
        )

    def delete_ref_doc(self, ref_doc_id: str) -> int:
        """Take out every fact and passage of a document, and the chapters of which nothing is left. Returns how many there were."""
        self._forget({passage.id for passage in self.index.passages if passage.source_id == ref_doc_id} | {ref_doc_id})
        return taken_out(self.index, lambda: self.index.remove_source(ref_doc_id), axis=self.axis)

    def delete_nodes(self, node_ids: Iterable[str]) -> int:
        """Take out facts and passages, and the chapters of which nothing is left. Returns how many there were."""
        gone = set(node_ids)
        self._forget(gone)
        return taken_out(self.index, lambda: self.index.remove(gone), axis=self.axis)

    def _scored(self, found: SliceRetrieval) -> list[NodeWithScore]:
        return fact_nodes(found_hits(found, passages=self.node_passages), keys=self.keys)

    def _retrieval(self, bundle: QueryBundle) -> Step[SliceRetrieval]:
        scope, times = getattr(bundle, "scope", None), getattr(bundle, "times", None)
        reader_at = earlier(self.asking.reader_at, checked_chapter(getattr(bundle, "reader_at", None)))
        return self.asking.retrieve(self.index, bundle.query_str, scope=scope, reader_at=reader_at, times=times)

    def _insertion(self, nodes: Sequence[BaseNode]) -> Step[int]:
        read = story_passages(nodes, keys=self.keys)
        done = yield from ingest_told(read.items, self.index, settings=self.extraction, private=(NODE_KEY,), axis=self.axis)
        return self._added(done, read.issues)

    def _fact_insertion(self, facts: GivenFacts, nodes: Sequence[BaseNode], entities: tuple[Entity, ...]) -> Step[int]:
        read = story_passages(nodes, keys=self.keys)
        done = yield from ingest_given(facts, read.items, self.index, entities=entities, axis=self.axis)
        return self._added(done, read.issues)

    def _added(self, done: StoryIngested, unread: tuple[Issue, ...]) -> int:
        self._found_while_building += unread + done.issues
        self._uncertain += done.uncertain
        log_issues(f"{counted(done.added, 'fact')} added", unread + done.issues)
        return done.added

    def _told(self, asked: QueryBundle, found: SliceRetrieval) -> SliceRetrieval:
        log_search(asked.query_str, len(found.trace), found.issues)
        return found
