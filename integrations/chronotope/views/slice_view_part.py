"""What of a slice is drawn: its entities with the places where they mostly are, and the edges among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from chronotope.slices import Edge, Fact, Slice, StoryGraph

__all__ = ["CONTAINS", "MOST_EDGES", "LeftOut", "Shown", "SlicePart", "parents_of", "part_of"]

Shown: TypeAlias = Any  # a Slice, a StoryGraph, or what has one as its `slice` or `graph`: a retrieval, an index

MOST_EDGES = 3_000
CONTAINS = "inside"  # the relation of a place to the one around it


@dataclass(frozen=True)
class LeftOut:
    """What is not on a page since there is too much.

    Args:
        entities: entities that would be points.
        with_them: edges that would end at one of these.
        edges: edges beyond the most that a page lists.
    """

    entities: int = 0
    with_them: int = 0
    edges: int = 0


@dataclass(frozen=True)
class SlicePart:
    """The part of a story graph that a page shows.

    Args:
        graph: the graph that names it; nothing of it is from a later chapter than its reader has read.
        edges: what is listed, in the order of telling; what has two ends on the page is drawn as well.
        facts: the facts behind these edges, by id.
        entities: ids of those that are drawn as points.
        places: ids of the places that are drawn as boxes, each after the one around it.
        homes: for each entity that has one, the place where it is drawn.
        left_out: what would be shown but is too much.
        issues: constraints of the slice that match nothing.
    """

    graph: StoryGraph
    edges: tuple[Edge, ...]
    facts: Mapping[str, Fact]
    entities: tuple[str, ...]
    places: tuple[str, ...]
    homes: Mapping[str, str]
    left_out: LeftOut = LeftOut()
    issues: tuple[str, ...] = ()

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What each point and box is called: by its name, and where several bear that, by the id that tells them apart."""
        called = {one: self.graph.name_of(one) for one in (*self.entities, *self.places)}
        bearers = Counter(called.values())
        return {one: name if bearers[name] == 1 else one for one, name in called.items()}

    def name(self, end: str) -> str:
        """What the end of an edge is called; a value is called what it is."""
        return self.names.get(end) or self.graph.name_of(end)


def part_of(shown: Shown, *, places: bool, limit: int, reader_at: int | None) -> SlicePart:
    """Choose what is drawn.

    Args:
        shown: a slice, or whatever has one or a graph.
        places: whether places are boxes; else they are points like everybody.
        limit: largest number of points; the most joined stay.
        reader_at: last chapter that the reader knows.

    Raises:
        TypeError: there is no slice and no graph in it.
    """
    graph, edges, issues = _read(shown, reader_at)
    known = set(graph.entity_ids)
    ends = {edge.key: [end for end in (edge.subject, edge.object) if end in known] for edge in edges}
    is_place = {end for found in ends.values() for end in found if end in graph.places} if places else set()
    joined = Counter(end for edge in edges for end in ends[edge.key] if end not in is_place)
    ranked = sorted(joined, key=lambda entity: -joined[entity])
    drawn = frozenset(ranked[:limit])
    among = [edge for edge in edges if all(end in drawn or end in is_place for end in ends[edge.key])]
    kept = _most_told(among)
    facts = {name: graph.fact(name) for edge in kept for name in edge.facts}
    homes = _homes(kept, facts, graph, drawn) if places else {}
    used = {end for edge in kept if edge.relation != CONTAINS for end in ends[edge.key] if end in is_place}
    return SlicePart(
        graph,
        kept,
        facts,
        tuple(entity for entity in joined if entity in drawn),
        _with_those_around(used | set(homes.values()), graph) if places else (),
        homes,
        LeftOut(len(joined) - len(drawn), len(edges) - len(among), len(among) - len(kept)),
        issues,
    )


def _read(shown: Shown, reader_at: int | None) -> tuple[StoryGraph, tuple[Edge, ...], tuple[str, ...]]:
    """A graph, the edges to show, and issues; with `reader_at` a graph of its own that nothing later ever touched."""
    if not isinstance(shown, (Slice, StoryGraph)):
        inner = getattr(shown, "slice", None)
        shown = inner if isinstance(inner, Slice) else getattr(shown, "graph", shown)
    if not isinstance(shown, (Slice, StoryGraph)):
        raise TypeError(f"a slice is a Slice, a StoryGraph, an index with a graph or a retrieval, not {type(shown).__name__}")
    graph = shown.graph if isinstance(shown, Slice) else shown
    if reader_at is None:
        return graph, shown.edges, tuple(issue.message for issue in shown.issues) if isinstance(shown, Slice) else ()
    known = graph.told_until(reader_at)
    inside = {fact.id for fact in shown.facts}
    edges = [replace(edge, facts=tuple(name for name in edge.facts if name in inside)) for edge in known.edges]
    return known, tuple(edge for edge in edges if edge.facts), ()


def _most_told(edges: Sequence[Edge]) -> tuple[Edge, ...]:
    """As many edges as a page can list, those that most facts tell, in the order of telling."""
    if len(edges) <= MOST_EDGES:
        return tuple(edges)
    chosen = sorted(range(len(edges)), key=lambda place: -len(edges[place].facts))[:MOST_EDGES]
    return tuple(edges[place] for place in sorted(chosen))


def _homes(edges: Iterable[Edge], facts: Mapping[str, Fact], graph: StoryGraph, drawn: frozenset[str]) -> dict[str, str]:
    """Where most of what is told of an entity happens; where it lives counts as much as two of these."""
    counted: dict[str, Counter[str]] = {}
    for edge in edges:
        ends = [end for end in (edge.subject, edge.object) if end in drawn]
        there = [graph.ends_of(facts[name])[2] for name in edge.facts]
        if edge.object in graph.places and edge.relation != CONTAINS:
            there += [edge.object, edge.object]
        for end in ends:
            counted.setdefault(end, Counter()).update(filter(None, there))
    return {entity: places.most_common(1)[0][0] for entity, places in counted.items() if places}


def _with_those_around(places: Iterable[str], graph: StoryGraph) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for place in sorted(places):
        chain: list[str] = [place]
        while (above := graph.places.parent(chain[-1])) is not None and above not in chain:
            chain.append(above)
        found |= dict.fromkeys(reversed(chain))
    return tuple(found)


def parents_of(places: Sequence[str], graph: StoryGraph) -> list[int]:
    """For each place the number of the one around it, -1 for none."""
    number = {place: at for at, place in enumerate(places)}
    return [number.get(graph.places.parent(place) or "", -1) for place in places]
