"""Trust in a model's times: each must stand on words of the passage, and may not contradict a date that the words name."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, Field

from chronotope.dating import date_by_rules
from chronotope.errors import TimeExpressionError
from chronotope.metadata import read_sides
from chronotope.records import Issue
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings
from chronotope.text import gives_orders, is_quoted

__all__ = ["EventTime", "GroundedTimes", "PassageTimes", "ground"]


class EventTime(BaseModel):
    """One event of a passage: its words, and its first and last day, month or year."""

    quote: str
    start: str | None = None
    end: str | None = None


class PassageTimes(BaseModel):
    """What a model says of a passage."""

    events: list[EventTime] = Field(default_factory=list)


@dataclass(frozen=True)
class GroundedTimes:
    """Times that stand on the passage's words, and an issue for each that does not."""

    times: tuple[TimeInterval, ...] = ()
    issues: tuple[Issue, ...] = ()


def ground(
    reply: PassageTimes, text: str, *, source_id: str, published: TimeInterval | None, calendar: CalendarSettings
) -> GroundedTimes:
    """Keep the events whose quotation stands in the passage; a date named in the quotation beats the model's.

    Args:
        reply: what the model answered.
        text: the passage as it was shown.
        source_id: what to call the passage in an issue.
        published: the day that relative expressions count from.
        calendar: how dates are read.
    """
    times, issues = [], []
    for event in reply.events:
        kept = _grounded(event, text, published, calendar)
        if isinstance(kept, TimeInterval):
            times.append(kept)
        elif isinstance(kept, tuple):
            times.append(kept[0])
            issues.append(Issue("model_disagrees", kept[1], source_id))
        else:
            issues.append(Issue("ungrounded_event", kept, source_id))
    return GroundedTimes(tuple(times), tuple(issues))


def _grounded(
    event: EventTime, text: str, published: TimeInterval | None, calendar: CalendarSettings
) -> TimeInterval | tuple[TimeInterval, str] | str:
    """The event's time, or the rules' time with the disagreement, or why the event is dropped."""
    if not is_quoted(event.quote, text):
        return f"the passage does not say {event.quote!r}"
    if gives_orders(event.quote, text):
        return f"{event.quote!r} gives orders to the reader instead of telling an event"
    try:
        told = read_sides(event.start, event.end)
    except TimeExpressionError as error:
        return f"{event.quote!r}: {error}"
    placed = date_by_rules(event.quote, published=published, calendar=calendar).placed
    named = [e.interval for e in placed if told is None or "ambiguous_year" not in e.flags]  # a guess overrules nobody
    if told is None:
        return named[0] if len(named) == 1 else f"{event.quote!r} was given no time"
    if named and not any(told.overlaps(interval) for interval in named):
        return named[0], f"{event.quote!r} names {named[0]}, the model said {told}; the words win"
    if told.end is None and told.start is not None and published and published.end is not None and published.end > told.start:
        return TimeInterval(
            told.start, published.end, min(told.grain, published.grain)
        )  # a text tells nothing of what came after it
    return told
