"""A reader's graph is searched for words that are only told later: in all that it shows, and in all that it holds."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from chronotope.slices import (
    Cast,
    Entity,
    Fact,
    Ontology,
    OrderConstraint,
    StoryGraph,
    build_axis,
    build_graph,
    evolution,
    evolution_of_all,
)
from chronotope.temporal.interval import Interval
from chronotope.views import evolution_view, slice_view

ONTOLOGY = Ontology.load("general_fiction")
SECRET = "Zyxomma"


def told(chapter: int | None, subject: str, relation: str, other: str = "", **more: Any) -> Fact:
    return Fact(subject=subject, relation=relation, object=other, chapter=chapter, source_id="book", **more)


FACTS = (
    told(None, "Ann Lee", "gender", "female"),
    told(1, "Ann Lee", "married_to", "Tom Rask", quote="Ann and Tom were wed."),
    told(1, "Ann Lee", "lives_in", "Mill"),
    told(1, "Mill", "inside", "Town"),
    told(2, "Ann Lee", "meets", "Eva Bok", place="Mill"),
    told(2, "the fire", "happens", story=(Interval(-5, -4),)),
    told(2, "Eva Bok", "serves", "Tom Rask"),
    told(9, "Eva Bok", "alias_of", f"{SECRET} the name", quote=f"Eva is {SECRET}."),
    told(9, "Ann Lee", "lives_in", f"{SECRET} House"),
    told(9, f"{SECRET} House", "inside", "Town"),
    told(9, "Tom Rask", "died", id=f"{SECRET} as id", metadata={"note": SECRET}),
    told(9, f"{SECRET} the event", "happens", story=(Interval(-50, -44),)),
    told(9, "Ann Lee", f"hates {SECRET}", "Tom Rask"),
    told(10, "Town", "inside", "Mill", quote=SECRET),
    told(10, "Tom Rask", "meets", "Ann Lee", story=(Interval(5, 5),), quote=SECRET),
)
ENTITIES = (
    Entity(name="Eva Bok", aliases=(f"{SECRET} the alias",), metadata={"chapter": 9, "note": SECRET}),
    Entity(name="Eva Bok", aliases=(f"{SECRET} in a text",), metadata={"chapter": "9", "note": SECRET}, id="eva"),
    Entity(name=f"{SECRET} the person", type="person"),
    Entity(name="Tom Rask", id="tom", aliases=(f"{SECRET} of no chapter",)),
)
ORDER = (
    OrderConstraint(one=f"event:{SECRET}", relation="before", other="chapter:1", evidence=SECRET),
    OrderConstraint(one="chapter:1", relation="after", other="chapter:2", evidence=SECRET, told_in=9),
    OrderConstraint(one="chapter:2", relation="after", other="chapter:1", evidence=SECRET, told_in=9),
)


def decided(graph: StoryGraph) -> Cast:
    cast = graph.cast.merged("Ann Lee", "the fire", evidence=SECRET, chapter=9)
    return cast.kept_apart("Ann Lee", "tom", f"{SECRET} says so", chapter=9)


PLAIN = build_graph(FACTS, ontology=ONTOLOGY, entities=ENTITIES, axis=build_axis([1, 2, 3, 9, 10], ORDER))
DECIDED = build_graph(FACTS, ontology=ONTOLOGY, entities=ENTITIES, axis=PLAIN.axis, cast=decided(PLAIN))


def shown(graph: StoryGraph, chapter: int) -> Iterator[tuple[str, str]]:
    """All that a reader can see or save, each with what it is."""
    reader, cut = graph.told_until(chapter), graph.slice(reader_at=chapter)
    yield (
        "graph",
        f"{reader!r} {reader.facts} {reader.edges} {reader.issues} {reader.places} {vars(reader)}",
    )
    yield "axis", f"{reader.axis} {json.dumps(reader.axis.to_json())}"
    yield "cast", f"{reader.cast!r} {vars(reader.cast)}"
    for asked in ({}, {"chapter": Interval(1, None)}, {"place": "Town"}, {"entities": "Ann Lee", "hops": 3}, {"told": chapter}):
        one = graph.slice(reader_at=chapter, **asked)  # type: ignore[arg-type]
        yield f"slice {asked}", f"{one!r} {one._repr_html_()} {one.trace} {one.issues} {one.edges} {one.facts} {one.entities}"
    yield "networkx", f"{list(cut.networkx.nodes(data=True))} {list(cut.networkx.edges(data=True, keys=True))}"
    yield "slice view", slice_view(cut).html
    for axis in ("story", "chapters") if reader.chapters else ():
        rows = evolution(graph, "Ann Lee", axis=axis, reader_at=chapter)  # type: ignore[arg-type]
        yield "evolution", f"{rows!r} {json.dumps(rows.to_json())} {evolution_of_all(graph, axis=axis, reader_at=chapter)}"  # type: ignore[arg-type]
        yield "evolution view", evolution_view(rows).html
        yield "evolution pickle", pickle.dumps(rows).decode("latin-1")
    for name, held in (("graph", reader), ("cast", reader.cast), ("axis", reader.axis), ("slice", cut)):
        yield f"{name} pickle", pickle.dumps(held).decode("latin-1")


@pytest.mark.parametrize("chapter", [0, 1, 2, 8])
@pytest.mark.parametrize("graph", [PLAIN, DECIDED], ids=["plain", "decided"])
def test_no_word_of_a_later_chapter_is_in_anything_that_a_reader_gets(graph: StoryGraph, chapter: int) -> None:
    assert [what for what, text in shown(graph, chapter) if SECRET in text] == []


def test_the_secret_is_there_for_who_has_read_all() -> None:
    assert all(SECRET in text for what, text in shown(DECIDED, 10) if what in ("graph", "cast", "slice pickle", "slice view"))


@pytest.mark.parametrize("known", [9, 9.0, "9"])
def test_a_name_of_a_chapter_after_the_last_fact_is_not_known_at_the_last_fact(known: float | str) -> None:
    entity = Entity(name="Ann Lee", id="ann", aliases=(SECRET,), metadata={"chapter": known})
    facts = [told(1, "Ann Lee", "knows", "Tom Rask"), told(2, "Ann Lee", "meets", "Tom Rask")]
    cast = Cast.of(facts, [entity], ontology=ONTOLOGY)
    for graph in (build_graph(facts, ontology=ONTOLOGY, entities=[entity]), build_graph(facts, ontology=ONTOLOGY, cast=cast)):
        assert SECRET in str(graph.told_until(9).cast.entities)
        assert SECRET.encode() not in pickle.dumps(graph.told_until(2))
