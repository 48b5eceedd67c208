"""The event graph: exactness against all pairs, and the cost of building, inserting and walking on one core.

    python tests/benchmarks/event_graph.py [--quick] [--json out.json]

The large world has a name in every tenth event, other names by Zipf's law (a fifth as many kinds as events), dates of a day, month
or year within fifty years, and one event in twenty outside time. Times of building are CPU seconds of this process, which works on
one core; the wall clock is printed beside them. Memory is the growth of the peak resident set while the graph is built, the events
themselves not counted. `growth_exponent` is p where building takes n^p; cost per event that grows as log n does gives
`growth_limit`. `speedup_2000` is against the equations written down as they stand, `speedup_2000_tuned` against plain Python that
visits each pair once and computes nothing twice.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[2] / "integrations"))

import _report
import numpy as np

from chronotope.events import EventGraph, EventUnit, walk
from chronotope.temporal.calendar import Grain
from chronotope.temporal.interval import TimeInterval

DAY = 86_400
RULE = {"max_gap": 3_650, "decay": 0.001, "top_k": 10}
LARGE, SMALL = 100_000, 10_000
WORLDS = {
    "hubs": {"hubs": 0.5, "kinds": 400},
    "ties": {"kinds": 12, "days": 40, "names": 2},
    "statics": {"statics": 0.5, "kinds": 300},
    "same days": {"kinds": 200, "days": 3},
    "many entities": {"names": 14, "kinds": 2_000},
}


def world(
    count: int, seed: int, *, kinds: int, names: int = 3, hubs: float = 0.1, statics: float = 0.05, days: int = 18_262
) -> list[EventUnit]:
    """Events with about `names` names each beside the hub."""
    random = np.random.default_rng(seed)
    zipf = np.cumsum(1 / np.arange(1, kinds + 1))
    sizes = random.integers(1, 2 * names, count)
    drawn = np.split(np.searchsorted(zipf / zipf[-1], random.random(int(sizes.sum()))), np.cumsum(sizes)[:-1])
    moments, grains = random.integers(0, days, count) * DAY, random.choice([Grain.DAY, Grain.DAY, Grain.MONTH, Grain.YEAR], count)
    has_hub, static = random.random(count) < hubs, random.random(count) < statics
    events = []
    for i in range(count):
        own = {f"name {n}" for n in drawn[i]} | ({"hub"} if has_hub[i] else set())
        times = () if static[i] else (TimeInterval.unit(int(moments[i]), Grain(grains[i])),)
        events.append(EventUnit(text=f"event {i} of world {seed}", entities=tuple(own), times=times, static=bool(static[i])))
    return events


def built(events: list[EventUnit]) -> tuple[EventGraph, float, float]:
    graph = EventGraph(**RULE)
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    graph.add(events)
    return graph, time.process_time() - cpu, time.perf_counter() - wall


def all_pairs(events: list[EventUnit]) -> dict[str, list[str]]:
    """The neighbours of every event from a full table of weights: nothing is left out before it is weighed."""
    events = sorted(events, key=lambda event: event.id)  # a stable sort by weight then breaks ties by id
    number = {name: i for i, name in enumerate(sorted({name for event in events for name in event.entities}))}
    has = np.zeros((len(events), len(number)), np.float32)
    for row, event in enumerate(events):
        has[row, [number[name] for name in event.entities]] = 1
    size, start = has.sum(axis=1).astype(np.int64), np.array([event.times[0].start if event.times else 0 for event in events])
    dated = np.array([bool(event.times) for event in events])
    lists = {}
    for row, event in enumerate(events):
        shared = (has @ has[row]).astype(np.int64)
        apart = np.abs(start - start[row]) * (dated & dated[row])
        weight = shared / np.maximum(1, size + size[row] - shared) * np.exp(apart * -(RULE["decay"] / DAY))
        weight[(shared == 0) | (apart > RULE["max_gap"] * DAY)] = 0
        weight[row] = 0
        order = np.argsort(-weight, kind="stable")[: int(RULE["top_k"])]
        lists[event.id] = [events[i].id for i in order if weight[i] > 0]
    return lists


def plain_python(events: list[EventUnit]) -> dict[str, list[str]]:
    """The equations written down as they stand: every event against every other."""
    lists = {}
    for one in events:
        weighed = []
        for other in events:
            if other is one:
                continue
            shared = len(set(one.entities) & set(other.entities))
            if not shared:
                continue
            apart = abs(one.times[0].start - other.times[0].start) if one.times and other.times else 0
            if apart <= RULE["max_gap"] * DAY:
                similarity = shared / len(set(one.entities) | set(other.entities))
                weighed.append((-similarity * math.exp(-RULE["decay"] / DAY * apart), other.id))
        lists[one.id] = [name for _, name in sorted(weighed)[: int(RULE["top_k"])]]
    return lists


def tuned_python(events: list[EventUnit]) -> dict[str, list[str]]:
    """The same with every pair visited once and nothing computed twice."""
    lists: dict[str, list[tuple[float, str]]] = {event.id: [] for event in events}
    sets = [frozenset(event.entities) for event in events]
    starts = [event.times[0].start if event.times else None for event in events]
    reach, decay = RULE["max_gap"] * DAY, RULE["decay"] / DAY
    for i, one in enumerate(events):
        for j in range(i):
            shared = len(sets[i] & sets[j])
            if not shared:
                continue
            a, b = starts[i], starts[j]
            apart = 0 if a is None or b is None else abs(a - b)
            if apart <= reach:
                weight = shared / (len(sets[i]) + len(sets[j]) - shared) * math.exp(-decay * apart)
                lists[one.id].append((-weight, events[j].id))
                lists[events[j].id].append((-weight, one.id))
    return {name: [other for _, other in sorted(pairs)[: int(RULE["top_k"])]] for name, pairs in lists.items()}


def exactness(count: int) -> dict[str, Any]:
    same = {}
    for seed, (name, options) in enumerate(WORLDS.items()):
        events = world(count, seed, **options)
        graph, _, _ = built(events)
        expected = all_pairs(events)
        joined = {tuple(sorted((one, other))) for one, others in expected.items() for other in others}
        lists = all(list(graph.neighbours(event)) == others for event, others in expected.items())
        same[name] = int(lists and {(edge.first, edge.second) for edge in graph.edges()} == joined)
    return {"edges_equal": min(same.values()), "equal": {name.replace(" ", "_"): value for name, value in same.items()}}


def scale(count: int, inserts: int) -> dict[str, Any]:
    events = world(count + inserts, 7, kinds=count // 5)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    graph, cpu, wall = built(events[:count])
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    insert, walks = [], []
    for event in events[count:]:
        began = time.perf_counter()
        graph.add([event])
        insert.append(time.perf_counter() - began)
    random = np.random.default_rng(1)
    for run in range(50):
        seeds = [events[i].id for i in random.integers(0, count, 20)]
        began = time.perf_counter()
        walk(graph, seeds, walks=5, length=6, seed=run)
        walks.append(time.perf_counter() - began)
    return {
        "events": count,
        "build_seconds": cpu,
        "build_wall_seconds": wall,
        "build_mb": grown,
        "insert_ms": float(np.median(insert)) * 1e3,
        "insert_worst_ms": max(insert) * 1e3,
        "walk_ms": float(np.median(walks)) * 1e3,
        "walk_worst_ms": max(walks) * 1e3,
        "edges": len(graph.edges()),
        "largest_hub": sum("hub" in event.entities or "name 0" in event.entities for event in events),
    }


def growth(large_seconds: float, large: int, small: int, repeats: int) -> dict[str, float]:
    seconds = [built(world(small, 100 + i, kinds=small // 5))[1] for i in range(repeats)]
    ratio = (large_seconds / large) / (float(np.median(seconds)) / small)
    steps = math.log(large / small)
    return {
        "growth_ratio": ratio,
        "growth_exponent": 1 + math.log(ratio) / steps,
        "growth_limit": 1 + math.log(math.log(large) / math.log(small)) / steps,
    }


def speedup() -> dict[str, float]:
    events = world(2_000, 50, kinds=400)
    ours = [built(events) for _ in range(7)]
    seconds, figures = float(np.median([seconds for _, seconds, _ in ours])), {}
    for name, way in (("speedup_2000", plain_python), ("speedup_2000_tuned", tuned_python)):
        cpu = time.process_time()
        expected = way(events)
        figures[name] = (time.process_time() - cpu) / seconds
        assert all(list(ours[0][0].neighbours(event)) == others for event, others in expected.items())
    return {**figures, "build_2000_ms": seconds * 1e3}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20,000 events instead of 100,000, 1,000 for exactness")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    large, small, inserts = (20_000, 5_000, 50) if given.quick else (LARGE, SMALL, 200)
    figures: dict[str, Any] = {"quick": given.quick, "load": os.getloadavg()[0]}
    figures |= scale(large, inserts)
    figures |= growth(figures["build_seconds"], large, small, 3 if given.quick else 5)
    figures |= speedup()
    figures |= exactness(1_000 if given.quick else 3_000)
    for name, value in _report.flat(figures):
        print(f"{name:22} {value:,.3f}" if isinstance(value, float) else f"{name:22} {value:,}")
    _report.write(given.json, figures)


if __name__ == "__main__":
    main()
