"""Dates of a question, on stories with a calendar; on others they are told as what cannot be placed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.records import Issue
from chronotope.slices.question.names import Mention, Span
from chronotope.slices.question.wording import blanked
from chronotope.slices.story_time import AxisKind
from chronotope.temporal import Today
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.scope import parse_scope
from chronotope.temporal.settings import CalendarSettings

__all__ = ["DateReading", "dates_of"]


_FILLER = "□"  # what no reader of dates takes for a word


@dataclass(frozen=True)
class DateReading:
    """The dates that a question is limited to.

    Args:
        times: sorted and disjoint.
        spans: words of the dates.
        unresolved: words of time that nothing could place.
        issues: why.
    """

    times: tuple[TimeInterval, ...] = ()
    spans: tuple[Span, ...] = ()
    unresolved: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()


def dates_of(
    text: str, taken: Sequence[Span], names: Sequence[Mention], *, kind: AxisKind, today: Today, calendar: CalendarSettings
) -> DateReading:
    """The dates of a question.

    Args:
        text: the question.
        taken: spans that were read already.
        names: names of the graph in it; a name is no month, however it is spelled.
        kind: the axis of the story.
        today: the day that "last year" counts from.
        calendar: how dates are read.
    """
    own = [mention.span for mention in names if mention.whole]
    told = parse_scope(blanked(text, taken, by=_FILLER), today=today, settings=calendar)
    hidden = [span for span in own if any(span[0] <= one.span[0] and one.span[1] <= span[1] for one in told.expressions)]
    scope = parse_scope(blanked(text, [*taken, *hidden], by=_FILLER), today=today, settings=calendar)
    asked = [one for one in scope.expressions if one.text not in scope.core]
    loose = [one.text for one in scope.unresolved if one.reason != "event"]
    if kind == "dates":
        why = "give today= if it counts from a day of the reader's"
        issues = tuple(Issue("unresolved_time", f"nothing places {words!r}; {why}") for words in loose)
        return DateReading(scope.times, tuple(one.span for one in asked), tuple(loose), issues)
    words = [*(one.text for one in asked), *loose]
    said = "is a date, and the story has no calendar, only an order of events; it limits nothing"
    return DateReading((), (), tuple(words), tuple(Issue("unresolved_time", f"{word!r} {said}") for word in words))
