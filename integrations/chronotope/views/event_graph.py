"""The event graph around a question: events along time, joined where they share entities, with what a search visited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from chronotope.records import Passage
from chronotope.views.event_graph_layout import WIDTH, lay_out_graph
from chronotope.views.event_graph_part import Part, part_around, read_graph
from chronotope.views.events_shown import Sources, shown_event
from chronotope.views.page import Page, asset, counted, fill, render

__all__ = ["event_graph_view"]


def event_graph_view(
    graph: Any,  # noqa: ANN401 - an index, an EventGraph, a networkx.Graph, or events and edges
    *,
    around: str | Iterable[str] = (),
    visits: Mapping[str, int] | None = None,
    hops: int = 2,
    limit: int = 400,
    title: str = "",
    passages: Iterable[Passage] = (),
    numbers: Mapping[str, int] | None = None,
) -> Page:
    """Draw the events around a question: time from left to right, edges as heavy as they weigh, visited events large.

    Args:
        graph: an event index, an `EventGraph`, a `networkx.Graph` whose nodes have an `event` and whose edges a `weight`, or a pair
            of event units and edges `(id, id, weight)`.
        around: id of the event that a search began at, or several; marked.
        visits: how often walks came to each event; the seeds and these are drawn, the most visited largest.
        hops: without visits, how many edges away from the seeds is drawn; without seeds everything is.
        limit: largest number of events; the page says how many more there are.
        title: of the page.
        passages: what the events were cut from; an event shows the one that holds its sentence.
        numbers: numbers of events in an answer's timeline, by id.

    Raises:
        KeyError: a seed or a visited event is not in the graph.
        TypeError: this is no graph of event units.
        ValueError: `limit` is below 1, or an edge names an event that is not there.

    >>> from chronotope import TimeInterval
    >>> from chronotope.events import EventGraph, EventUnit
    >>> def event(day, *names):
    ...     return EventUnit(text=day, id=day, times=(TimeInterval.parse(day),), entities=names)
    >>> graph = EventGraph()
    >>> graph.add([event("1931-05-01", "Ann"), event("1931-05-11", "Ann"), event("1931-09-01", "Bo")])
    >>> event_graph_view(graph, around=["1931-05-01"], title="Ann")
    Page('Ann': 2 events of 3, 1 edge, ... kB; .save(path) writes it, a notebook shows it)
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit}")
    events, edges = read_graph(graph)
    seeds = list(dict.fromkeys([around] if isinstance(around, str) else around))
    part = part_around(events, edges, seeds=seeds, visits=visits, hops=hops, limit=limit)
    layout, sources = lay_out_graph(part.events, part.edges), Sources.of(passages)
    visited, numbered = visits or {}, numbers or {}
    summary = [*_summary(part, len(events)), *([counted(len(seeds), "seed")] if seeds else [])]
    shown = [
        shown_event(event, number=numbered.get(event.id, 0), sources=sources)
        | {"x": x, "y": y, "seed": event.id in set(seeds), "visits": visited.get(event.id, 0)}
        for event, x, y in zip(part.events, layout.x, layout.y, strict=True)
    ]
    name = title or "Event graph"
    body = fill(
        "event_graph.html.j2",
        title=name,
        summary=summary,
        count=len(part.events),
        note=_note(part, seeds=bool(seeds), visits=bool(visited)),
        seeds=bool(seeds),
        visits=bool(visited),
        timeless=any(x < 0 for x in layout.x),
    )
    return render(
        name,
        body=body,
        style=asset("reader.css", "events.css", "event_graph.css"),
        script=asset("reader.js", "events.js", "timeline_axis.js", "event_graph.js"),
        data={"events": shown, "edges": part.edges, "width": WIDTH, "height": layout.height, "knots": layout.knots},
        told=", ".join(summary[:2]),
    )


def _summary(part: Part, total: int) -> list[str]:
    if not part.events:
        return ["no events"]
    of = f" of {total:,}" if total > len(part.events) else ""
    return [f"{counted(len(part.events), 'event')}{of}", counted(len(part.edges), "edge")]


def _note(part: Part, *, seeds: bool, visits: bool) -> str:
    """What is not on the page."""
    if not part.left_out:
        return ""
    which = "seeds first, then the most visited" if visits else "the nearest to the seeds" if seeds else "the most joined"
    drawn, all_of = len(part.events), len(part.events) + part.left_out
    return f"{drawn:,} of {all_of:,} events are drawn, {which}; {part.left_out:,} are left out."
