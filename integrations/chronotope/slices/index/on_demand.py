"""What a story index makes of its facts and passages when it is first asked: the graph, its readers, and where facts stand."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from chronotope.records import Passage
from chronotope.shelves import Rows, Shelf, homes_of
from chronotope.slices.axis import StoryAxis, build_axis
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph import StoryGraph, build_graph
from chronotope.slices.index.passage_map import PassageMap
from chronotope.slices.question.reader import QuestionReader
from chronotope.slices.story_time import axis_of

if TYPE_CHECKING:
    from chronotope.slices.ontology import Ontology

__all__ = ["OnDemand"]

_READERS = 4  # readers of earlier chapters that are kept


class OnDemand:
    """Made once for one state of an index; a change of the index makes another. Several threads may ask at once.

    Args:
        facts: of the index.
        passages: of the index.
        entities: that were given.
        ontology: what can be so.
        axis: when chapters play; None orders them as they are told.
        title_key: metadata key of a title.
    """

    def __init__(
        self,
        facts: Shelf[Fact],
        passages: Shelf[Passage],
        entities: tuple[Entity, ...],
        *,
        ontology: Ontology,
        axis: StoryAxis | None,
        title_key: str,
    ) -> None:
        self._facts, self._passages, self._entities = facts, passages, entities
        self._ontology, self._axis, self._title_key = ontology, axis, title_key
        self._readers: dict[int | None, QuestionReader] = {}
        self._rows: tuple[StoryGraph, Rows] | None = None

    @cached_property
    def graph(self) -> StoryGraph:
        """The graph of all facts."""
        return build_graph(self._facts.items, ontology=self._ontology, entities=self._entities, axis=self._axis_of_all())

    def _axis_of_all(self) -> StoryAxis | None:
        """The given axis, else one of every chapter that a fact or a passage is of; dated facts make their own."""
        facts = self._facts.items
        if self._axis is not None or any(axis_of(time) == "dates" for fact in facts for time in fact.story):
            return self._axis
        told = {fact.chapter for fact in facts if fact.chapter is not None} | {*self.passage_map.numbers}
        return build_axis(sorted(told)) if told else None

    def reader(self, reader_at: int | None) -> QuestionReader:
        """What reads questions by the names of the graph, or of what is told up to a chapter."""
        found = self._readers.get(reader_at)
        if found is None:
            found = QuestionReader(self.graph if reader_at is None else self.graph.told_until(reader_at))
            kept = list(self._readers.items())[-_READERS + 1 :]
            self._readers = {**dict(kept), reader_at: found}  # not changed in place: others may be reading
        return found

    def fact_rows(self, graph: StoryGraph) -> Rows:
        """The row of each fact of a graph of this index, in the graph's order."""
        known = self._rows
        if known is None or known[0] is not graph:
            self._rows = known = (graph, self._facts.rows(fact.id for fact in graph.facts))
        return known[1]

    @cached_property
    def passage_map(self) -> PassageMap:
        """Chapters and neighbours of the passages."""
        return PassageMap.of(self._passages, self._title_key)

    @cached_property
    def homes(self) -> Rows:
        """The row of the passage that each fact stands in, -1 where none is known."""
        return homes_of(self._facts, self._passages)
