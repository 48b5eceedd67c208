"""The times of a passage by rules: words that name a date, and crumbs ("on 7 October", "six weeks later") read from the dates around.

A document tells of what is past when it is written. So a bare month or day means the last one before the date of writing, a time
that is still open ends there, and a crumb behind a full date goes on from that date (TA-RAG section 4.1 names the problem: later
mentions shrink to a day or a month).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    closed = (_closed(e, placed[:place], published) for place, e in enumerate(placed))
    return RuleTimes(tuple(closed), tuple(unplaced))


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


def _closed(expression: TimeExpression, before: Sequence[TimeExpression], published: TimeInterval | None) -> TimeExpression:
    """The expression with its open side closed as far as the text tells.

    "Since 1998" in a text of 2011 tells nothing of 2020. "By 1992 it had mapped most of it" tells of 1992. "They stayed up until 24
    July" begins, at the latest, with the date told before it.
    """
    time = expression.interval
    if time.end is None and time.start is not None:
        known = published is not None and published.end is not None and published.end > time.start
        return replace(expression, interval=_from(time.start, published.end, time, published)) if known and published else expression
    if time.start is None and time.end is not None:
        if expression.relation in ("by", "as_of"):
            return replace(expression, interval=TimeInterval.unit(time.end - 1, time.grain))
        starts = [e.interval for e in before if e.interval.start is not None and e.interval.start < time.end]
        if expression.relation == "until" and starts:
            return replace(expression, interval=_from(starts[-1].start, time.end, time, starts[-1]))
    return expression


def _from(start: int | None, end: int | None, one: TimeInterval, other: TimeInterval) -> TimeInterval:
    return TimeInterval(start, end, min(one.grain, other.grain))
