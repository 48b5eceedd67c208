"""Which part of an event graph is drawn: what lies around the events that a search began at, most visited first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, TypeAlias

from chronotope.events import EventGraph, EventUnit

__all__ = ["Joined", "Part", "part_around", "read_graph"]

Joined: TypeAlias = tuple[str, str, float]


@dataclass(frozen=True)
class Part:
    """Events that are drawn, and the edges among them.

    Args:
        events: in the order of importance.
        edges: places of two events in that order, and the weight of their edge.
        left_out: number of events that would belong here but are too many.
    """

    events: tuple[EventUnit, ...]
    edges: tuple[tuple[int, int, float], ...]
    left_out: int


def read_graph(graph: Any) -> tuple[dict[str, EventUnit], list[Joined]]:  # noqa: ANN401 - a networkx.Graph, an index or a pair
    """Events by id and edges of an event graph, an index that has one, a `networkx.Graph`, or a pair of events and edges.

    Raises:
        TypeError: it is none of these, or a node has no event unit.
        ValueError: an edge names an event that is not there.
    """
    graph = getattr(graph, "event_graph", graph)
    if isinstance(graph, EventGraph):
        nodes: Iterable[object] = [graph.event(name) for name in graph]
        edges: Iterable[Any] = graph.edges()
    elif hasattr(graph, "nodes") and hasattr(graph, "edges"):
        nodes = [event for _, event in graph.nodes(data="event")]
        edges = graph.edges(data="weight", default=1.0)
    elif isinstance(graph, tuple) and len(graph) == 2:
        nodes, edges = graph
    else:
        raise TypeError(
            f"a graph is an EventGraph, an index, a networkx.Graph or a pair of events and edges, not {type(graph).__name__}"
        )
    events: dict[str, EventUnit] = {}
    for event in nodes:
        if not isinstance(event, EventUnit):
            raise TypeError(f"each node needs an event unit as its `event`, not {type(event).__name__}")
        events[event.id] = event
    joined = [(str(first), str(second), float(weight)) for first, second, weight in edges]
    missing = next((name for first, second, _ in joined for name in (first, second) if name not in events), None)
    if missing is not None:
        raise ValueError(f"an edge names {missing!r}, which is not among the events")
    return events, joined


def part_around(
    events: Mapping[str, EventUnit],
    edges: Sequence[Joined],
    *,
    seeds: Sequence[str] = (),
    visits: Mapping[str, int] | None = None,
    hops: int = 2,
    limit: int = 400,
) -> Part:
    """Choose what is drawn.

    Args:
        events: all events by id.
        edges: all edges.
        seeds: where a search began.
        visits: how often walks came to an event; these and the seeds are drawn then.
        hops: without visits, how many edges away from the seeds is drawn.
        limit: largest number of events.

    Raises:
        KeyError: a seed or a visited event is not in the graph.
    """
    visits = visits or {}
    wanted = list(dict.fromkeys([*seeds, *sorted(visits, key=lambda name: (-visits[name], name))]))
    for name in wanted:
        if name not in events:
            raise KeyError(f"{name!r} is not an event of the graph")
    if seeds and not visits:
        wanted += _near(wanted, edges, hops)
    elif not wanted:
        wanted = _most_joined(events, edges)
    drawn = {name: place for place, name in enumerate(wanted[:limit])}
    kept = [(drawn[a], drawn[b], weight) for a, b, weight in edges if a in drawn and b in drawn]
    return Part(tuple(events[name] for name in drawn), tuple(sorted(kept)), len(wanted) - len(drawn))


def _near(seeds: Sequence[str], edges: Sequence[Joined], hops: int) -> list[str]:
    """Events within some edges of the seeds, the nearest first, of those as near the ones with the heaviest edge."""
    beside: dict[str, list[tuple[str, float]]] = {}
    for first, second, weight in edges:
        beside.setdefault(first, []).append((second, weight))
        beside.setdefault(second, []).append((first, weight))
    found: dict[str, None] = {}
    waiting = [(0, -1.0, name) for name in seeds]
    while waiting:
        away, _, name = heappop(waiting)
        if name in found:
            continue
        found[name] = None
        if away < hops:
            for other, weight in beside.get(name, ()):
                if other not in found:
                    heappush(waiting, (away + 1, -weight, other))
    return [name for name in found if name not in set(seeds)]


def _most_joined(events: Mapping[str, EventUnit], edges: Sequence[Joined]) -> list[str]:
    total = dict.fromkeys(events, 0.0)
    for first, second, weight in edges:
        total[first] += weight
        total[second] += weight
    return sorted(events, key=lambda name: (-total[name], name))
