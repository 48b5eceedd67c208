"""Small story worlds with their truth tables, and the ontology that they share."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chronotope.slices.axis import OrderConstraint, StoryAxis, build_axis
from chronotope.slices.edge import Edge
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph import Slice, StoryGraph, build_graph
from chronotope.slices.ontology import EntityType, Ontology, Relation, StateEnd
from chronotope.slices.story_time import AxisKind, read_story_time
from chronotope.temporal.interval import Interval

__all__ = ["ONTOLOGY", "WORLDS", "World", "fact", "graph_of", "statements", "told_edges"]

WORLDS = Path(__file__).parent / "slices" / "worlds"


def _types() -> dict[str, EntityType]:
    plain = [EntityType(name=name) for name in ("person", "place", "event", "thing", "office")]
    values = [EntityType(name="length", values=("180 days", "270 days")), EntityType(name="gender", values=("female", "male"))]
    return {kind.name: kind for kind in (*plain, *values)}


def _relations() -> dict[str, Relation]:
    person, place = ("person",), ("place",)
    every = (
        Relation(name="lives_in", domain=person, range=place, replaces=True),
        Relation(name="married_to", domain=person, range=person, symmetric=True),
        Relation(name="serves", domain=person, range=person, inverse="master_of"),
        Relation(name="knows", domain=person, range=person),
        Relation(name="held_by", domain=("office",), range=person, replaces=True),
        Relation(name="lasts", domain=("thing",), range=("length",), replaces=True),
        Relation(name="divorces", domain=person, range=person, kind="event", ends=(StateEnd(relation="married_to"),)),
        Relation(name="dismisses", domain=person, range=person, kind="event", ends=(StateEnd(relation="serves"),)),
        Relation(name="leaves", domain=person, kind="event", ends=(StateEnd(relation="lives_in", match="subject"),)),
        Relation(name="born", domain=person, kind="event"),
        Relation(name="died", domain=person, kind="event", ends=(StateEnd(relation="*", match="any"),)),
        Relation(name="happens", domain=("event",), kind="event"),
        Relation(name="is_in", domain=person, range=place, kind="event", places=True),
        Relation(name="meets", domain=person, range=person, kind="event", symmetric=True),
        Relation(name="tells", domain=person, range=person, kind="event"),
        Relation(name="mends", domain=person, range=("thing",), kind="event"),
        Relation(name="parent_of", domain=person, range=person, kind="timeless", inverse="child_of"),
        Relation(name="gender", domain=person, range=("gender",), kind="timeless"),
        Relation(name="inside", domain=place, range=place, kind="timeless"),
        Relation(name="alias_of", kind="timeless"),
    )
    return {relation.name: relation for relation in every}


ONTOLOGY = Ontology("worlds", types=_types(), relations=_relations())


def fact(words: str, chapter: int | None = None, *, story: str = "", axis: AxisKind = "ticks", **fields: Any) -> Fact:
    """A fact from `Ann married_to Tom`: words between the relation and the ends belong to the names."""
    parts = words.split()
    place = next(
        i for i, word in enumerate(parts) if i and (word in ONTOLOGY.relations or word.endswith("_of") or word == "adores")
    )
    times = tuple(read_story_time(time, axis) for time in story.split(";") if time)
    subject, other = " ".join(parts[:place]), " ".join(parts[place + 1 :])
    return Fact(subject=subject, relation=parts[place], object=other, chapter=chapter, story=times, **fields)


def graph_of(facts: Iterable[Fact], **options: Any) -> StoryGraph:
    return build_graph(facts, ontology=ONTOLOGY, **options)


def statements(edges: Iterable[Edge]) -> set[str]:
    return {" ".join(filter(None, edge.key)) for edge in edges}


def told_edges(cut: Slice) -> set[str]:
    return statements(cut.edges)


@dataclass(frozen=True)
class World:
    """A story with what is true in it.

    Args:
        name: name of its file.
        facts: what it tells.
        axis: when its chapters play.
        entities: who is known from the start.
        truth: for each question, in the form `chapter=3 place=Garden`, the statements that hold.
    """

    name: str
    facts: tuple[Fact, ...]
    axis: StoryAxis
    entities: tuple[Entity, ...]
    truth: dict[str, frozenset[str]]

    @classmethod
    def load(cls, name: str) -> World:
        saved = tomllib.loads((WORLDS / f"{name}.toml").read_text(encoding="utf-8"))
        kind: AxisKind = saved["axis"]
        rows = [dict(row) for row in saved["facts"]]
        facts = tuple(fact(row.pop("says"), row.pop("chapter", None), axis=kind, **row) for row in rows)
        chapters = [one.chapter for one in facts if one.chapter is not None]
        dates = {int(number): read_story_time(text, kind) for number, text in saved.get("plays", {}).items()}
        axis = build_axis(chapters, [OrderConstraint(**told) for told in saved.get("order", [])], kind=kind, dates=dates)
        entities = tuple(Entity(**{**row, "aliases": tuple(row.get("aliases", ()))}) for row in saved.get("entities", []))
        truth: dict[str, frozenset[str]] = {}
        for table in saved["truth"]:
            truth |= _columns(table)
        return cls(name, facts, axis, entities, truth)

    @property
    def graph(self) -> StoryGraph:
        return graph_of(self.facts, axis=self.axis, entities=self.entities)

    def ask(self, graph: StoryGraph, question: str) -> Slice:
        """Answer a question of the truth table."""
        asked: dict[str, Any] = {}
        for part in question.split(" & "):
            name, _, value = part.partition("=")
            asked[name] = _value(name, value)
        return graph.at(chapter=asked["at"]) if "at" in asked else graph.slice(**asked)


def _columns(table: dict[str, Any]) -> dict[str, frozenset[str]]:
    """The marked statements of each column; every row has a mark or a dot in each."""
    columns: list[str] = table["columns"]
    marks = {statement: row.split() for statement, row in table["rows"].items()}
    wrong = [statement for statement, row in marks.items() if len(row) != len(columns) or set(row) - {"x", "."}]
    assert not wrong, f"rows of another length than {len(columns)}: {wrong}"
    always = set(table.get("always", ()))
    return {
        f"{table.get('all', '')}{column}": frozenset(always | {statement for statement, row in marks.items() if row[i] == "x"})
        for i, column in enumerate(columns)
    }


def _value(name: str, value: str) -> Any:
    if name in ("chapter", "told", "reader_at", "at", "hops"):
        first, _, last = value.partition("-")
        return Interval(int(first), int(last) + 1) if last else int(first)
    return value.split(" | ") if " | " in value else value
