"""The times of a passage by rules: words that name a date, and crumbs ("on 7 October", "six weeks later") read from the dates around.

A document tells of what is past when it is written. So a bare month or day means the last one before the date of writing, a time
that is still open ends there, and a crumb behind a full date goes on from that date (TA-RAG section 4.1 names the problem: later
mentions shrink to a day or a month).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from chronotope.temporal.calendar import DAY, Grain
from chronotope.temporal.expressions import TimeExpression, Unresolved, find_expressions, unresolved_expressions
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings

__all__ = ["RuleTimes", "date_by_rules"]

_GOES_ON = re.compile(r"\b(?:later|following|next|same|afterwards?|earlier)\b", re.IGNORECASE)


@dataclass(frozen=True)
class RuleTimes:
    """What rules read from a passage: placed times in text order, and the words that they could not place."""

    placed: tuple[TimeExpression, ...] = ()
    unplaced: tuple[Unresolved, ...] = ()

    @property
    def times(self) -> tuple[TimeInterval, ...]:
        """The placed intervals, each once, in order of time."""
        return tuple(sorted(dict.fromkeys(e.interval for e in self.placed if not e.interval.is_empty), key=lambda t: t.envelope))


def date_by_rules(text: str, *, published: TimeInterval | None, calendar: CalendarSettings) -> RuleTimes:
    """Read the times of a passage.

    Args:
        text: the passage.
        published: when it was written, None when unknown; then crumbs are read from full dates before them alone.
        calendar: how dates are read; where it prefers neither side, the past is preferred.
    """
    past = replace(calendar, prefer=calendar.prefer or "past")
    placed = find_expressions(text, today=published, settings=past)
    unplaced = []
    for crumb in unresolved_expressions(text, today=published, settings=past):
        onward = _continued(crumb, placed, past)
        found = onward if onward and _is_past(onward, published) else _last_before(crumb, published, past)
        if found is None:
            unplaced.append(crumb)
        else:
            placed = sorted([*placed, found], key=lambda e: e.span)
    return RuleTimes(tuple(_closed(e, published) for e in placed), tuple(unplaced))


def _continued(crumb: Unresolved, placed: list[TimeExpression], calendar: CalendarSettings) -> TimeExpression | None:
    """A crumb read from the full date before it: the next such day or month, or so much later."""
    before = [e for e in placed if e.span[1] <= crumb.span[0] and e.interval.grain <= Grain.MONTH and e.interval.start is not None]
    if not before:
        return None
    onward = replace(calendar, prefer="future")
    found = _read(crumb, TimeInterval.unit(before[-1].interval.envelope[0], Grain.DAY), onward)
    goes_on = found is not None and ("ambiguous_year" in found.flags or _GOES_ON.search(crumb.text))
    return found if goes_on else None


def _is_past(expression: TimeExpression, published: TimeInterval | None) -> bool:
    start = expression.interval.start
    return published is None or published.end is None or start is None or start < published.end


def _last_before(crumb: Unresolved, published: TimeInterval | None, calendar: CalendarSettings) -> TimeExpression | None:
    """A day or month without its year, counted back from the end of a coarse date of writing."""
    if published is None or published.end is None:
        return None
    found = _read(crumb, TimeInterval.unit(published.end - DAY, Grain.DAY), calendar)
    return found if found is not None and "ambiguous_year" in found.flags and published.grain < Grain.YEAR else None


def _read(crumb: Unresolved, today: TimeInterval, calendar: CalendarSettings) -> TimeExpression | None:
    found = find_expressions(crumb.text, today=today, settings=calendar)
    if len(found) != 1:
        return None
    return replace(found[0], span=crumb.span, text=crumb.text, flags=(*found[0].flags, "continued"))


def _closed(expression: TimeExpression, published: TimeInterval | None) -> TimeExpression:
    """ "Since 1998" in a text of 2011 tells nothing of 2020."""
    time = expression.interval
    if time.end is not None or time.start is None or published is None or published.end is None or published.end <= time.start:
        return expression
    return replace(expression, interval=TimeInterval(time.start, published.end, min(time.grain, published.grain)))
