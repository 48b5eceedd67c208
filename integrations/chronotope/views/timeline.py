"""The timeline: events in lanes by who takes part, long ones as bars, with their sources; facts outside time apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chronotope.events import EventRetrieval, EventUnit, Timeline
from chronotope.metadata import read_intervals
from chronotope.records import Passage
from chronotope.temporal.calendar import Grain, floor, shift
from chronotope.temporal.interval import TimeInterval
from chronotope.views.events_shown import Sources, shown_event, shown_time, told_hint
from chronotope.views.page import Page, asset, counted, fill, render
from chronotope.views.timeline_lanes import lanes_of

__all__ = ["timeline_view"]

_DAY = 86_400
_SPANS = ((3 * 366 * _DAY, Grain.YEAR), (92 * _DAY, Grain.MONTH))  # how exactly the ends of a span are told


def timeline_view(
    events: Iterable[EventUnit] | Timeline | EventRetrieval,
    *,
    title: str = "",
    asked: str | TimeInterval | Iterable[str | TimeInterval] | None = None,
    passages: Iterable[Passage] | None = None,
    cited: Iterable[str | int] = (),
) -> Page:
    """Draw events along time: one lane for each of the most frequent entities, and one for all others.

    Each event stands once, in the lane of the entity that its sentence names first; choosing it shows ties to the lanes of its
    other entities. A time that is known to the month or less exactly is an outlined bar, a stretch with two ends a full one, and
    an open end fades out. Facts outside time and events without a date are listed below.

    Args:
        events: in the order in which they are numbered, from 1; a `Timeline` keeps its numbers, which are those of its answer. A
            retrieval gives its timeline, and its question, times and passages where nothing else is said.
        title: of the page.
        asked: the time that a question asks for, shaded: EDTF text such as `1923`, an interval, or several.
        passages: what the events were cut from; an event shows the one that holds its sentence.
        cited: numbers or ids of events that an answer cites, marked.

    Raises:
        TimeExpressionError: an asked time is no EDTF text.

    >>> born = EventUnit(text="Ann Lee was born.", times=(TimeInterval.parse("1871-05-02"),), entities=("Ann Lee",))
    >>> timeline_view([born], title="Ann Lee", asked=TimeInterval.parse("187X"))
    Page('Ann Lee': 1 event, on 2 May 1871, ... kB; .save(path) writes it, a notebook shows it)
    """
    if isinstance(events, EventRetrieval):
        title, asked = title or events.scope.question, events.scope.times if asked is None else asked
        passages = [hit.passage for hit in events.passages] if passages is None else passages
        events = events.timeline
    numbered_events = _numbered(events)
    shown = [event for _, event in numbered_events]
    scope = read_intervals(asked if asked is None or isinstance(asked, (str, TimeInterval)) else tuple(asked))
    marked, sources = frozenset(cited), Sources.of(passages or ())
    lanes = lanes_of(shown)
    summary = _summary(shown)
    numbered = [shown_event(e, cited=marked, number=n, sources=sources) for n, e in numbered_events]
    name = title or "Timeline"
    body = fill(
        "timeline.html.j2",
        title=name,
        summary=[*summary, *([f"asked: {'; '.join(time.phrase() for time in scope)}"] if scope else [])],
        lanes=lanes,
        apart=_apart(numbered_events),
        count=len(shown),
        asked=bool(scope),
        cited=any(one["cited"] for one in numbered),
    )
    return render(
        name,
        body=body,
        style=asset("reader.css", "events.css", "timeline.css"),
        script=asset("reader.js", "events.js", "timeline_axis.js", "timeline_pack.js", "timeline.js"),
        data={
            "events": numbered,
            "lanes": [{"name": lane.name, "events": lane.events} for lane in lanes],
            "asked": [shown_time(time) for time in scope],
        },
        told=", ".join(summary[:2]),
    )


def _numbered(events: Iterable[EventUnit] | Timeline) -> list[tuple[int, EventUnit]]:
    if isinstance(events, Timeline):
        return [(entry.number, entry.event) for entry in events.entries]
    return list(enumerate(events, start=1))


def _apart(numbered: Sequence[tuple[int, EventUnit]]) -> list[tuple[str, list[tuple[int, EventUnit, str]]]]:
    """The lists below the chart, with what is known of when an undated event was."""
    lists = [
        ("Facts outside time", [(n, event, "") for n, event in numbered if event.static]),
        ("Without a date", [(n, event, told_hint(event)) for n, event in numbered if event.is_undated]),
    ]
    return [(name, held) for name, held in lists if held]


def _summary(events: Sequence[EventUnit]) -> list[str]:
    """The figures under the title."""
    if not events:
        return ["no events"]
    told = [counted(len(events), "event")]
    if span := _span([time for event in events for time in event.times]):
        told.append(span)
    statics, undated = (sum(event.static for event in events), sum(event.is_undated for event in events))
    told += [f"{statics:,} outside time"] if statics else []
    return told + ([f"{undated:,} without a date"] if undated else [])


def _span(times: Sequence[TimeInterval]) -> str:
    """From the first known moment to the last, in words."""
    if not times:
        return ""
    starts = [time for time in times if time.start is not None]
    ends = [time for time in times if time.end is not None]
    first = min(starts, key=lambda time: time.start or 0, default=None)
    last = max(ends, key=lambda time: time.end or 0, default=None)
    if first is None or last is None:
        return (first or last or times[0]).phrase()
    low, high = first.start or 0, max(last.end or 0, (first.start or 0) + 1)
    grain = next((grain for length, grain in _SPANS if high - low > length), Grain.DAY)
    return TimeInterval(floor(low, grain), shift(floor(high - 1, grain), 1, grain), grain).phrase()
