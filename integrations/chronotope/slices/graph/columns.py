"""The columns of a graph, found from its facts one by one: who, on which edge, where, when, and what ends it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chronotope.slices.axis import StoryAxis
from chronotope.slices.cast import Cast
from chronotope.slices.edge import Ending
from chronotope.slices.fact import Fact
from chronotope.slices.graph.arrays import NO_CHAPTER, FactArrays, Groups
from chronotope.slices.graph.endings import Endings, Told
from chronotope.slices.graph.roles import has_values, is_only, roles
from chronotope.slices.graph.validity import Validity, validity_of
from chronotope.slices.graph.when import When
from chronotope.slices.ontology import Kind, Ontology, Relation
from chronotope.temporal.interval import Interval, TimeInterval

__all__ = ["Columns"]


class Columns:
    """What a graph knows of each of its facts.

    Args:
        facts: in the order of telling, relations by their own names.
        relations: the relation of each.
        axis: when chapters play.
        cast: who is who.
        ontology: what can be so.

    Attributes:
        numbers: the number of each entity that a fact names, in the order of telling.
        edges: the number of each edge by subject, relation and object, in the order of telling.
        places: ids of what is a place, because something is there, by its type, or because its relation joins nothing else.
        validity: when each fact is so, with what ends it taken into account.
        endings: what ends a fact, by its row.
        untimed: whether nothing places a fact in time.
    """

    def __init__(
        self, facts: tuple[Fact, ...], relations: tuple[Relation, ...], axis: StoryAxis, cast: Cast, ontology: Ontology
    ) -> None:
        self.facts, self.relations, self.axis, self.cast = facts, relations, axis, cast
        self.numbers: dict[str, int] = {}
        self.edges: dict[tuple[str, str, str], int] = {}
        self.places = {one.id for one in cast.entities if is_only(filter(None, (one.type,)), ontology, "place")}
        self._ids: dict[tuple[str, str], str] = {}
        named = {relation.name: relation for relation in relations}
        self._valued = {name: has_values(relation, ontology) for name, relation in named.items()}
        self._in_places = {name: roles(relation, ontology, "place") for name, relation in named.items()}
        self._subjects: list[str] = []
        self._objects: list[str] = []
        self._at: list[str] = []
        self._edge_numbers: list[int] = []
        for fact, relation in zip(facts, relations, strict=True):
            self._enter(fact, relation)
        self._end()

    def _id(self, name: str, source_id: str) -> str:
        found = self._ids.get((name, source_id))
        if found is None:
            found = self._ids[name, source_id] = self.cast.id(name, source_id) if name.strip() else ""
        return found

    def _enter(self, fact: Fact, relation: Relation) -> None:
        subject, place = self._id(fact.subject, fact.source_id), self._id(fact.place, fact.source_id)
        is_value = self._valued[relation.name]
        other = " ".join(fact.object.split()) if is_value else self._id(fact.object, fact.source_id)
        self._subjects.append(subject)
        self._objects.append(other)
        self._at.append(place)
        for name in (subject, "" if is_value else other, place):
            if name and name not in self.numbers:
                self.numbers[name] = len(self.numbers)
        if place:
            self.places.add(place)
        for name, is_place in zip((subject, other), self._in_places[relation.name], strict=True):
            if is_place and name:
                self.places.add(name)
        key = (subject, relation.name, other)
        if relation.symmetric and other and other < subject:
            key = (other, relation.name, subject)
        self._edge_numbers.append(self.edges.setdefault(key, len(self.edges)))

    def _end(self) -> None:
        """Find when each fact is so, and what ends it."""
        playing: dict[tuple[int | None, Kind], Validity] = {}  # of facts without a time of their own
        told = []
        for row, (fact, relation) in enumerate(zip(self.facts, self.relations, strict=True)):
            key = (fact.chapter, relation.kind)
            if fact.story or key not in playing:
                validity = validity_of(fact, relation.kind, self.axis)
                if not fact.story:
                    playing[key] = validity
            else:
                validity = playing[key]
            told.append(Told(row, fact.id, relation, self._subjects[row], self._objects[row], validity))
        endings = Endings(told)
        self.endings: dict[int, Ending] = {}
        self.validity = tuple(self._ended(fact, endings) for fact in told)
        self.untimed = [not fact.validity.is_timed for fact in told]

    def _ended(self, fact: Told, endings: Endings) -> tuple[Interval, ...]:
        held = fact.validity.open
        if held is None:
            return fact.validity.times
        ending = endings.of(fact)
        if ending is not None:
            self.endings[fact.row] = ending
        return (*fact.validity.times, self._stretch(held.start, None if ending is None else ending.at, fact.row))

    def _stretch(self, start: int | None, end: int | None, row: int) -> Interval:
        if self.axis.kind != "dates":
            return Interval(start, end)
        times = self.facts[row].story or self.axis.now(self.facts[row].chapter)
        return TimeInterval(start, end, min(time.grain for time in times if isinstance(time, TimeInterval)))

    def inside(self) -> list[tuple[str, str, Fact]]:
        """The facts that put one place inside another, in the order of telling: both ids and the fact."""
        rows = (row for row, relation in enumerate(self.relations) if relation.name == "inside" and self._objects[row])
        return [(self._subjects[row], self._objects[row], self.facts[row]) for row in rows]

    def arrays(self, places: Sequence[str]) -> FactArrays:
        """The facts as arrays.

        Args:
            places: ids of places; a place's number is where it stands here.
        """
        number, place = {"": -1, **self.numbers}, {"": -1, **{name: i for i, name in enumerate(places)}}
        valued = [self._valued[relation.name] for relation in self.relations]
        subject = np.array([number[name] for name in self._subjects], np.int64)
        other = np.array([-1 if no else number[name] for name, no in zip(self._objects, valued, strict=True)], np.int64)
        rows = np.arange(len(self.facts), dtype=np.int64)
        other_only = np.where(other == subject, -1, other)
        return FactArrays(
            chapter=np.array([NO_CHAPTER if fact.chapter is None else fact.chapter for fact in self.facts], np.int64),
            subject=subject,
            object=other,
            place=np.array([place[name] for name in self._at], np.int64),
            edge=np.array(self._edge_numbers, np.int64),
            timeless=np.array([relation.kind == "timeless" for relation in self.relations], np.bool_),
            untimed=np.array(self.untimed, np.bool_),
            low=np.array([fact.confidence == "low" for fact in self.facts], np.bool_),
            times=When.of(self.validity),
            by_entity=Groups.of(np.concatenate([subject, other_only]), np.concatenate([rows, rows]), len(self.numbers)),
        )
