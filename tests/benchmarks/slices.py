"""Story graphs: the cost of building one and of cutting slices from it, against filtering every edge in networkx.

    python tests/benchmarks/slices.py [--quick] [--json out.json]

The world has 200,000 facts of 5,000 entities in 120 chapters, told by the relations of `general_fiction`: people, places in a
tree five deep, things and events by Zipf's law; two in five facts are states, the same number events, the rest timeless;
deaths, divorces and dismissals end states, and a new home replaces the old one; one fact in six has a story time of its own,
one in four a place. `build_seconds` is the whole of `build_graph`, who is who included, in CPU seconds of this process, which
works on one core (the wall clock is printed beside them); what the rules say of the same facts is timed apart, in microseconds
a fact (`check_us`). `slice_ms` is the median over mixed questions (chapter, story time, place, entities, one to three at once)
of the look-up, the trace, the number of edges and the first page of 50 edges. `speedup` is the median time of one pass over all
edges of a networkx MultiDiGraph of the same data, with every attribute ready for use (`filter_ms`), divided by that of the
look-up; both give the same facts. `paths_ms` is the median over sets of 4 entities of the shortest paths between each two
inside a slice of a chapter or a story time. `growth_exponent` is p where a slice takes n^p from a tenth of the facts to all of
them, at answers of about the same size. The first question of a reader builds a graph of its own (`reader_first_ms`), later
ones find it there.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[2] / "integrations"))

import _report
import networkx as nx
import numpy as np

from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph import StoryGraph, build_graph
from chronotope.slices.ontology import KnownFacts, Ontology, check
from chronotope.temporal.interval import Interval

LARGE, SMALL, ENTITIES, CHAPTERS = 200_000, 20_000, 5_000, 120
STATES = {"lives_in": "place", "serves": "person", "knows": "person", "married_to": "person", "owns": "thing", "enemy_of": "person"}
EVENTS = {"meets": "person", "tells": "person", "visits": "person", "is_in": "place", "takes_part_in": "event", "steals": "thing"}
ENDS = {"dismisses": "person", "divorces": "person", "loses": "thing"}
OUTSIDE = {"sibling_of": "person"}
SHARES = {"person": 0.8, "place": 0.1, "thing": 0.06, "event": 0.04}


class World:
    """Facts drawn at random, always the same for a seed."""

    def __init__(self, count: int, seed: int, *, entities: int = ENTITIES) -> None:
        self.random = np.random.default_rng(seed)
        self.names = {kind: [f"{kind.title()} {i}" for i in range(int(entities * share))] for kind, share in SHARES.items()}
        self.entities = [Entity(name=name, type=kind) for kind, names in self.names.items() for name in names]
        self.chances = {kind: np.cumsum(1 / np.arange(1, len(names) + 1)) for kind, names in self.names.items()}
        places = self.names["place"]
        parents = [(places[i], places[(i - 1) // 4]) for i in range(1, len(places))]
        self.facts = [Fact(subject=a, relation="inside", object=b, chapter=1, source_id="novel") for a, b in parents]
        self.facts += self._told(count - len(self.facts))

    def _draw(self, kind: str, count: int) -> list[str]:
        so_far = self.chances[kind]
        names = self.names[kind]
        return [names[i] for i in np.searchsorted(so_far / so_far[-1], self.random.random(count)).tolist()]

    def _told(self, count: int) -> list[Fact]:
        kinds = self.random.choice(5, count, p=[0.40, 0.40, 0.02, 0.175, 0.005])
        tables = [list(table.items()) for table in (STATES, EVENTS, ENDS, OUTSIDE)]
        which = self.random.integers(0, 60, count)
        subjects, places = self._draw("person", count), self._draw("place", count)
        objects = {kind: self._draw(kind, count) for kind in SHARES}
        chapters = np.sort(self.random.integers(1, CHAPTERS + 1, count))
        has_place, has_time = self.random.random(count) < 0.25, self.random.random(count) < 1 / 6
        starts, lengths = self.random.integers(-3_000, 200, count), self.random.integers(1, 400, count)
        facts = []
        dead: set[str] = set()
        for i in range(count):
            kind, subject, chapter = int(kinds[i]), subjects[i], int(chapters[i])
            if kind == 4 and subject not in dead:
                dead.add(subject)
                relation, other = "died", ""
            else:
                table = tables[min(kind, 3)]
                relation, other_kind = table[which[i] % len(table)]
                other = objects[other_kind][i]
            time_ = (Interval(int(starts[i]), int(starts[i] + lengths[i])),) if has_time[i] and relation != "died" else ()
            place = places[i] if has_place[i] else ""
            facts.append(
                Fact(
                    subject=subject,
                    relation=relation,
                    object=other,
                    chapter=chapter,
                    story=time_,
                    place=place,
                    quote=f"{subject} {relation} {other}, they said.",
                    source_id="novel",
                    char_start=40 * i,
                    char_end=40 * i + 30,
                    confidence="low" if i % 17 == 0 else "high",
                    id=f"f{i}",
                )
            )
        return facts

    def questions(self, count: int) -> list[dict[str, Any]]:
        """Constraints in all the usual mixtures."""
        people, places = self._draw("person", count), self._draw("place", count)
        asked = []
        for i in range(count):
            chapter, tick = int(self.random.integers(1, CHAPTERS + 1)), int(self.random.integers(-2_500, 150))
            time_ = Interval(tick, tick + 30)
            mixed: list[dict[str, Any]] = [
                {"chapter": chapter},
                {"story_time": time_},
                {"place": places[i]},
                {"chapter": chapter, "place": places[i]},
                {"story_time": time_, "entities": people[i]},
                {"chapter": Interval(chapter, chapter + 5), "entities": people[i]},
                {"told": chapter, "entities": [people[i], people[i - 1]], "unplaced": "include", "place": places[i]},
                {"chapter": chapter, "story_time": [time_, Interval(0, 5)], "place": places[i], "unplaced": "include"},
            ]
            asked.append(mixed[i % len(mixed)])
        return asked


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = run()
    return time.perf_counter() - began, result


def median_ms(seconds: Iterable[float]) -> float:
    return float(np.median(list(seconds))) * 1e3


def multigraph(graph: StoryGraph) -> Any:
    """Every fact as an edge, with all that a filter needs as attributes that are ready for use."""
    made: Any = nx.MultiDiGraph()
    for row, fact in enumerate(graph.facts):
        subject, other, place = graph.ends_of(fact)
        spans = [(-math.inf if t.start is None else t.start, math.inf if t.end is None else t.end) for t in graph.validity[row]]
        is_timeless = graph.kinds[row] == "timeless"
        made.add_edge(subject, other, fact.id, chapter=fact.chapter, spans=spans, place=place, timeless=is_timeless)
    return made


def plain_filter(made: Any, graph: StoryGraph, asked: dict[str, Any]) -> set[str]:
    """The same question by one pass over all edges; each test is made only where the cheaper ones before it hold."""
    chapters = _numbers(asked.get("chapter"))
    told = _numbers(asked.get("told"))
    plays = [(t.start, t.end) for number in chapters for t in graph.axis.now(number)]
    times = asked.get("story_time", [])
    times = [(t.start, t.end) for t in ([times] if isinstance(times, Interval) else times)]
    inside = set(graph.places.inside(asked["place"])) if "place" in asked else set()
    people = asked.get("entities", [])
    people = {people} if isinstance(people, str) else set(people)
    nowhere = asked.get("unplaced") == "include"
    found = set()
    for subject, other, name, edge in made.edges(keys=True, data=True):
        if people and subject not in people and other not in people:
            continue
        if told and edge["chapter"] not in told:
            continue
        if inside and edge["place"] not in inside and (edge["place"] or not (nowhere or edge["timeless"])):
            continue
        if not edge["timeless"]:
            if chapters and edge["chapter"] not in chapters and not _meet(edge["spans"], plays):
                continue
            if times and not _meet(edge["spans"], times):
                continue
        found.add(name)
    return found


def _numbers(asked: int | Interval | None) -> set[int]:
    if asked is None:
        return set()
    return {asked} if isinstance(asked, int) else set(range(asked.start or 0, asked.end or 0))


def _meet(spans: list[tuple[Any, Any]], times: list[tuple[Any, Any]]) -> bool:
    return any(start < last and first < end for start, end in spans for first, last in times)


def cut(graph: StoryGraph, asked: dict[str, Any]) -> tuple[float, Any]:
    """Seconds for a slice with its trace, the number of its edges and the first page of them; and the slice."""
    began = time.perf_counter()
    found = graph.slice(**asked)
    len(found), found.page()
    return time.perf_counter() - began, found


def building(world: World, ontology: Ontology) -> tuple[dict[str, Any], StoryGraph]:
    gc.collect()
    cpu = time.process_time()
    wall, graph = timed(lambda: build_graph(world.facts, ontology=ontology, entities=world.entities))
    seconds = time.process_time() - cpu
    first, _ = timed(lambda: graph.slice(chapter=1, place="Place 0", entities="Person 0").page())
    reader, cut_ = timed(lambda: graph.slice(chapter=20, reader_at=20))
    again, _ = timed(lambda: graph.slice(chapter=20, reader_at=20))
    figures = {"facts": len(graph), "edges": len(graph.keys), "entities": len(graph.entity_ids), "ended": len(graph.endings)}
    times_ = {
        "build_seconds": seconds,
        "build_wall_seconds": wall,
        "first_slice_ms": first * 1e3,
        "reader_first_ms": reader * 1e3,
        "reader_again_ms": again * 1e3,
    }
    return {**figures, **times_, "reader_facts": len(cut_.graph)}, graph


def slicing(world: World, graph: StoryGraph, count: int, compared: int) -> dict[str, Any]:
    asked = world.questions(count)
    cuts = [cut(graph, one) for one in asked]
    seconds = [seconds for seconds, _ in cuts]
    made = multigraph(graph)
    step = max(1, count // compared) | 1  # odd, so that every mixture is compared
    pairs = []
    for (mine, found), one in list(zip(cuts, asked, strict=True))[::step]:
        theirs, expected = timed(partial(plain_filter, made, graph, one))
        assert {fact.id for fact in found.facts} == expected, one
        pairs.append((mine, theirs))
    filtered = median_ms(theirs for _, theirs in pairs)
    return {
        "slice_ms": median_ms(seconds),
        "slice_worst_ms": max(seconds) * 1e3,
        "slice_edges": float(np.median([len(found) for _, found in cuts])),
        "filter_ms": filtered,
        "speedup": filtered / median_ms(mine for mine, _ in pairs),
        "speedup_least": min(theirs / mine for mine, theirs in pairs),
        "compared": len(pairs),
    }


def walking(world: World, graph: StoryGraph, count: int) -> dict[str, Any]:
    """Paths among 4 entities, some well known and some not, in slices by chapter and by story time."""
    graph.slice(chapter=1).paths(["Person 0", "Person 1"])
    seconds, lengths = [], []
    for i in range(count):
        chapter = int(world.random.integers(1, CHAPTERS + 1))
        found = graph.slice(chapter=chapter) if i % 2 else graph.slice(story_time=Interval(-10 * chapter, -10 * chapter + 30))
        several = list(dict.fromkeys([*world._draw("person", 3), f"Person {world.random.integers(0, 4_000)}"]))
        took, paths = timed(partial(found.paths, several))
        seconds.append(took)
        lengths += [len(path) for path in paths]
    return {"paths_ms": median_ms(seconds), "paths_worst_ms": max(seconds) * 1e3, "path_edges": float(np.mean(lengths))}


def growth(large_graph: StoryGraph, small_graph: StoryGraph) -> dict[str, float]:
    """Slices about entities of 30 facts each in both worlds, at a chapter."""
    medians, sizes = [], []
    for graph in (large_graph, small_graph):
        touched = np.diff(graph.arrays.by_entity.bounds)
        near = np.argsort(np.abs(touched - 30), kind="stable")[:40]
        runs = [cut(graph, {"entities": graph.entity_ids[i], "chapter": 60}) for i in near.tolist() * 5]
        medians.append(median_ms(seconds for seconds, _ in runs))
        sizes.append(float(np.median([found.rows.size for _, found in runs])))
    exponent = math.log(medians[0] / medians[1]) / math.log(len(large_graph) / len(small_graph))
    return {
        "growth_exponent": exponent,
        "few_ms": medians[0],
        "few_small_ms": medians[1],
        "few_facts": sizes[0],
        "few_small_facts": sizes[1],
    }


def checking(world: World, ontology: Ontology, count: int) -> dict[str, float]:
    """What the rules take for each fact, one after another."""
    known = KnownFacts(ontology, entities=world.entities)
    began = time.perf_counter()
    for fact in world.facts[:count]:
        if check(fact, known).outcome != "rejected":
            known.add(fact)
    return {"check_us": (time.perf_counter() - began) / count * 1e6}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20,000 facts instead of 200,000, growth from 2,000")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    large, small = (SMALL, SMALL // 10) if given.quick else (LARGE, SMALL)
    ontology = Ontology.load("general_fiction")
    world, little = World(large, 7), World(small, 8)
    figures: dict[str, Any] = {"quick": given.quick, "load": os.getloadavg()[0]}
    built, graph = building(world, ontology)
    figures |= built
    figures |= slicing(world, graph, 200, 24)
    figures |= walking(world, graph, 60)
    figures |= growth(graph, build_graph(little.facts, ontology=ontology, entities=little.entities))
    figures |= checking(world, ontology, 2_000 if given.quick else 20_000)
    for name, value in _report.flat(figures):
        print(f"{name:22} {value:,.3f}" if isinstance(value, float) else f"{name:22} {value:,}")
    _report.write(given.json, figures)


if __name__ == "__main__":
    main()
