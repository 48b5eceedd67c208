"""The graph of a story: its facts with two times and places, who is who, and slices of all that by look-up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chronotope.records import Issue
from chronotope.slices.axis import StoryAxis
from chronotope.slices.cast import Cast
from chronotope.slices.edge import Edge, Ending
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph.arrays import Bools, FactArrays, Groups, Ints
from chronotope.slices.graph.asking import Asked
from chronotope.slices.graph.edges import edge_of_rows, multigraph
from chronotope.slices.graph.landmarks import event_rows, landmark_times
from chronotope.slices.graph.paths import Ways
from chronotope.slices.graph.places import PlaceTree
from chronotope.slices.graph.readers import last_chapter, reader_graph
from chronotope.slices.graph.slice import Slice
from chronotope.slices.ontology import Kind, Ontology
from chronotope.temporal.interval import Interval

if TYPE_CHECKING:
    from chronotope.slices.graph.asking import Chapters, Include, Names, Times

__all__ = ["StoryGraph"]

_KEPT = 4  # graphs of earlier readers


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class StoryGraph:
    """A story as facts with coordinates. `build_graph` makes it; it never changes: what is added or taken away makes another one.

    Args:
        facts: in the order of telling, relations by their own names.
        kinds: kind of each fact's relation.
        validity: when each fact is so in the story, with what ends it taken into account.
        endings: what ends a fact, by its place in `facts`.
        keys: subject, relation and object of each edge, in the order of telling; also of statements that two names are one's, which
            are no edges where the names are merged: see `joins_two`.
        entity_ids: entities that facts name, in the order of telling.
        arrays: the facts as columns.
        places: which place lies inside which.
        ontology: what can be so.
        axis: when chapters play.
        cast: who is who.
        known: entities that were given; none in the graph of a reader, since they may have names that are told later.
        issues: what was dropped or guessed.
    """

    facts: tuple[Fact, ...]
    kinds: tuple[Kind, ...]
    validity: tuple[tuple[Interval, ...], ...]
    endings: Mapping[int, Ending]
    keys: tuple[tuple[str, str, str], ...]
    entity_ids: tuple[str, ...]
    arrays: FactArrays
    places: PlaceTree
    ontology: Ontology
    axis: StoryAxis
    cast: Cast
    known: tuple[Entity, ...] = ()
    issues: tuple[Issue, ...] = ()
    _given_axis: StoryAxis = field(default_factory=StoryAxis, init=False)
    _readers: Mapping[int, StoryGraph] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_given_axis", self.axis)
        named = {name: time for entity, time in self.landmarks.items() for name in self.names_of(entity)}
        object.__setattr__(self, "axis", self.axis.with_landmarks(named))

    def slice(
        self,
        *,
        chapter: Chapters | None = None,
        told: Chapters | None = None,
        story_time: Times | None = None,
        place: Names | None = None,
        entities: Names | None = None,
        hops: int = 1,
        reader_at: int | None = None,
        unplaced: Include = "exclude",
        untimed: Include = "exclude",
    ) -> Slice:
        """The facts for which all given constraints hold, found by look-up.

        Args:
            chapter: told in these chapters (a number, an `Interval` of numbers, or several), or so at a time at which one plays.
            told: told in these chapters, nothing else.
            story_time: so at these times: an `Interval` of the axis, a text that the axis reads, or several; any of them will do.
            place: at one of these places or inside it, by name or id.
            entities: touching one of these, by name or id.
            hops: 1 for facts that touch one of `entities`, 2 for those that touch a neighbour of one, and so on.
            reader_at: as if nothing after this chapter had ever been told.
            unplaced: `include` for facts without a place, where a place is asked for.
            untimed: `include` for facts that nothing places in time, where a time is asked for.

        Returns:
            The slice. What is outside time is in it whatever the time, and whatever the place where it has none. A constraint that
            matches nothing is an issue of the slice.

        Raises:
            TimeExpressionError: a text names no time of the story.
            ValueError: an option of another kind.
        """
        graph = self if reader_at is None else self.told_until(reader_at)
        asked = Asked(chapter, told, story_time, place, entities, hops, reader_at, unplaced, untimed)
        return Slice.of(graph, asked)

    def at(self, *, chapter: int | None = None, story_time: Times | None = None) -> Slice:
        """What is so when a chapter plays, as a reader knows it who has read so far; or what is so at a time of the story.

        Raises:
            ValueError: neither or both are given.
        """
        if (chapter is None) == (story_time is None):
            raise ValueError("give chapter or story_time, one of the two")
        return self.slice(chapter=chapter, reader_at=chapter) if chapter is not None else self.slice(story_time=story_time)

    def told_until(self, chapter: int) -> StoryGraph:
        """The graph of a reader who has read up to a chapter, made of what is told up to there and of nothing else.

        The last four are kept. Facts without a chapter count as told before the first. Who has read all has this graph.
        """
        found = reader_graph(self, chapter, self._readers)
        if found is not self:
            kept = {number: graph for number, graph in self._readers.items() if number != chapter}
            last = list(kept.items())[-(_KEPT - 1) :]
            object.__setattr__(self, "_readers", {**dict(last), chapter: found})  # one assignment: threads see all or nothing
        return found

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Every edge, in the order of telling."""
        numbers = self.joins_two.nonzero()[0].tolist()
        return tuple(edge_of_rows(self, number, self._by_edge.of_number(number)) for number in numbers)

    def edge(self, key: tuple[str, str, str]) -> Edge:
        """The edge of a subject, relation and object.

        Raises:
            KeyError: there is none.
        """
        number = self._edge_numbers.get(key)
        if number is None or not self.joins_two[number]:
            raise KeyError(f"no edge {key!r} in the graph")
        return edge_of_rows(self, number, self._by_edge.of_number(number))

    def fact(self, id: str) -> Fact:  # noqa: A002 - as facts say
        """The fact with this id.

        Raises:
            KeyError: it is not in the graph.
        """
        return self.facts[self.row(id)]

    def row(self, id: str) -> int:  # noqa: A002 - as facts say
        """The place of a fact in the order of telling.

        Raises:
            KeyError: it is not in the graph.
        """
        row = self._rows.get(id)
        if row is None:
            raise KeyError(f"no fact {id!r} in the graph")
        return row

    def when(self, fact: Fact | str) -> tuple[Interval, ...]:
        """When a fact of the graph is so in the story, with what ends it taken into account; empty where nothing tells.

        Raises:
            KeyError: it is not in the graph.
        """
        return self.validity[self.row(fact if isinstance(fact, str) else fact.id)]

    def ending(self, fact: Fact | str) -> Ending | None:
        """What ends a fact of the graph; None when nothing does.

        Raises:
            KeyError: it is not in the graph.
        """
        return self.endings.get(self.row(fact if isinstance(fact, str) else fact.id))

    def ends_of(self, fact: Fact | str) -> tuple[str, str, str]:
        """Ids of the subject and object of a fact, and of its place; empty where it has none.

        Raises:
            KeyError: it is not in the graph.
        """
        row = self.row(fact if isinstance(fact, str) else fact.id)
        subject, place = int(self.arrays.subject[row]), int(self.arrays.place[row])
        key = self.keys[int(self.arrays.edge[row])]
        other = key[2] if key[0] == self.entity_ids[subject] else key[0]
        return self.entity_ids[subject], other, self.places.ids[place] if place >= 0 else ""

    @property
    def given_axis(self) -> StoryAxis:
        """The axis without the landmarks that the graph itself tells."""
        return self._given_axis

    @cached_property
    def last_chapter(self) -> float:
        """The chapter after which nothing more is to be known."""
        return last_chapter(self)

    @property
    def chapters(self) -> tuple[int, ...]:
        """Numbers of the chapters that the axis or a fact knows, ascending."""
        return self._chapters

    def place_id(self, name: str) -> str | None:
        """The id of a place by its name; None when it is no place of the graph. Of several the first by id."""
        return next(iter(self.place_ids(name)), None)

    def place_ids(self, name: str) -> tuple[str, ...]:
        """The ids of all places of this name."""
        if name in self.places:
            return (name,)
        return tuple(found for found in self.cast.find(name) if found in self.places)

    def entity_ids_of(self, name: str) -> tuple[str, ...]:
        """The ids of all entities of this name, or the id itself; only those that facts name."""
        if name in self.numbers:
            return (name,)
        return tuple(found for found in self.cast.find(name) if found in self.numbers)

    def landmark(self, entity: str) -> Interval | None:
        """When an event of the story was: as its own facts say, else as the axis has it, else when they are told to be so.

        Args:
            entity: id of an entity.
        """
        return self.landmarks.get(entity)

    @property
    def networkx(self) -> Any:  # noqa: ANN401 - a networkx.MultiDiGraph, imported only where it is used
        """A copy as a `networkx.MultiDiGraph`: an edge for each relation of a pair, with its coordinates as plain attributes."""
        return multigraph(self, self.edges)

    def __len__(self) -> int:
        """Number of facts."""
        return len(self.facts)

    def __repr__(self) -> str:
        told = f"chapters {self.chapters[0]} to {self.chapters[-1]}" if self.chapters else "no chapters"
        return f"StoryGraph({len(self):,} facts, {int(self.joins_two.sum()):,} edges, {len(self.entity_ids):,} entities, {told})"

    def __getstate__(self) -> dict[str, Any]:
        """Without what is made on demand."""
        made = {name for name, value in vars(type(self)).items() if isinstance(value, cached_property)}
        return {name: value for name, value in self.__dict__.items() if name not in made} | {"_readers": {}}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each entity in the arrays."""
        return {name: number for number, name in enumerate(self.entity_ids)}

    @cached_property
    def entities(self) -> dict[str, Entity]:
        """The entities of the cast by their ids."""
        return {entity.id: entity for entity in self.cast.entities}

    def name_of(self, entity: str) -> str:
        """The name of an entity by its id; a value is its own name."""
        found = self.entities.get(entity)
        return entity if found is None else found.name

    def names_of(self, entity: str) -> tuple[str, ...]:
        """All names of an entity by its id."""
        found = self.entities.get(entity)
        return (entity,) if found is None else found.names

    def place_numbers_inside(self, place: str) -> list[int]:
        """Numbers, in the arrays, of a place and of all inside it."""
        return [self._place_numbers[name] for name in self.places.inside(place)]

    @cached_property
    def joins_two(self) -> Bools:
        """For each of `keys` whether it is an edge: who is who is evidence of the cast, no relation of somebody to himself."""
        import numpy as np

        return np.array([relation != "alias_of" or one != other for one, relation, other in self.keys], np.bool_)

    def rows_of_edge(self, number: int) -> Ints:
        """The facts of an edge, in the order of telling."""
        return self._by_edge.of_number(number)

    @cached_property
    def ways(self) -> Ways:
        """Where one can go from each entity."""
        import numpy as np

        ends = np.full((2, len(self.keys)), -1, np.int64)
        ends[0, self.arrays.edge], ends[1, self.arrays.edge] = self.arrays.subject, self.arrays.object
        return Ways.of(ends[0], ends[1], len(self.entity_ids))

    @cached_property
    def _place_numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.places.ids)}

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {fact.id: row for row, fact in enumerate(self.facts)}

    @cached_property
    def _edge_numbers(self) -> dict[tuple[str, str, str], int]:
        return {key: number for number, key in enumerate(self.keys)}

    @cached_property
    def _by_edge(self) -> Groups:
        import numpy as np

        return Groups.of(self.arrays.edge, np.arange(len(self), dtype=np.int64), len(self.keys))

    @cached_property
    def _chapters(self) -> tuple[int, ...]:
        told = {fact.chapter for fact in self.facts if fact.chapter is not None}
        return tuple(sorted(told | set(self.axis.chapters)))

    @cached_property
    def landmarks(self) -> dict[str, Interval]:
        """When each event of the story was that has a name of its own, by the id of its entity; see `landmark`."""
        return landmark_times(self, event_rows(self), self._given_axis.landmarks)
