"""Words that point back to a date told before them: "later that year", "in May of that year", "that spring", "on the 18th"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from chronotope.temporal.calendar import DAY, Grain, days_in_month, from_seconds, shift, to_seconds
from chronotope.temporal.expressions import TimeExpression, Unresolved, find_expressions
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings

__all__ = ["leads_to_pointer", "named_unit", "pointed"]

_SEASONS = ("spring", "summer", "autumn", "fall", "winter")
_GRAINS = {"week": Grain.WEEK, "month": Grain.MONTH, "year": Grain.YEAR, "decade": Grain.DECADE, "century": Grain.CENTURY}
_POINTER = re.compile(
    r"\b(?:(?:later|earlier|early|late)\s+)?(?:(?:in|on|during|of)\s+)?(?:that|the\s+same|(?:later|earlier)\s+the\s+same)\s+"
    rf"(?P<unit>{'|'.join(_GRAINS)}|{'|'.join(_SEASONS)}|day|morning|afternoon|evening|night)\b"
    r"|\bon\s+the\s+(?P<day>\d{1,2})(?:st|nd|rd|th)\b(?=\s*[,.;:)]|\s+(?:he|she|it|they|we|I|the|an?|his|her|their)\b)",
    re.IGNORECASE,
)
_OF_YEAR = re.compile(r"\s+of\s+(?:that|the\s+same)\s+year\b", re.IGNORECASE)
_UNTIL = re.compile(r"(?:un)?till?\b(?!.*\b(?:end|close)\s+of\b)", re.IGNORECASE)  # these leave the unit out that they name
_LEAD = 60  # characters before "of that year" that may name a part of it


def leads_to_pointer(text: str, end: int) -> bool:
    """True when "of that year" follows: what stands before counts from that year, and from nothing else."""
    return _OF_YEAR.match(text, end) is not None


def pointed(
    text: str, placed: Sequence[TimeExpression], calendar: CalendarSettings
) -> tuple[list[TimeExpression], list[Unresolved]]:
    """The placed times together with those that point back to one of them, and the pointers that found none.

    Args:
        text: the passage.
        placed: the times found in it so far, in text order.
        calendar: what a season is.
    """
    found, lost = list(placed), []
    for match in _POINTER.finditer(text):
        start, end = match.span()
        if any(low < end and start < high for low, high in (e.span for e in found)):
            continue
        before = [named_unit(e) for e in found if e.span[1] <= start and ("relative" not in e.flags or "continued" in e.flags)]
        time = _day(int(match["day"]), before) if match["day"] else _unit(match["unit"].lower(), before, calendar)
        if time is not None:
            pointer = _part(text, match, time, calendar) or TimeExpression(
                match.span(), match[0], time, "during", 0.6, ("continued",)
            )
            found = sorted([*found, pointer], key=lambda e: e.span)
        elif match["unit"] and match["unit"].lower() in ("month", "year", *_SEASONS):
            lost.append(Unresolved(match.span(), match[0], "needs_today"))
    return found, lost


def named_unit(expression: TimeExpression) -> TimeInterval:
    """The unit that words name, whatever side of it they mean: 1890 for "by 1890" and "until 1890"."""
    time = expression.interval
    if time.start is None and time.end is not None and expression.relation in ("by", "as_of", "until"):
        outside = expression.relation == "until" and time.grain > Grain.DAY and _UNTIL.match(expression.text)
        return TimeInterval.unit(time.end if outside else time.end - 1, time.grain)
    return TimeInterval.unit(time.start, time.grain) if time.start is not None and time.end is None else time


def _part(text: str, match: re.Match[str], year: TimeInterval, calendar: CalendarSettings) -> TimeExpression | None:
    """The part of a year that stands before "of that year", with its cue: "in May", "at the end"."""
    start, end = match.span()
    if not match[0].lower().startswith("of ") or year.start is None or from_seconds(year.start).year < 1:
        return None
    low = max(0, start - _LEAD)
    told = f"{text[low:start]}of {from_seconds(year.start).year}"
    read = [e for e in find_expressions(told, settings=calendar) if e.span[1] == len(told) and e.span[0] < start - low]
    if not read:
        return None
    first = low + read[-1].span[0]
    return replace(read[-1], span=(first, end), text=text[first:end], flags=(*read[-1].flags, "continued"))


def _unit(unit: str, before: Sequence[TimeInterval], calendar: CalendarSettings) -> TimeInterval | None:
    """The unit that the last date lies in, if that date is as fine."""
    grain = Grain.YEAR if unit in _SEASONS else _GRAINS.get(unit, Grain.DAY)
    start = before[-1].start if before and before[-1].grain <= grain and _fits(before[-1], grain) else None
    if start is None:
        return None
    if unit not in _SEASONS:
        return TimeInterval.unit(start, grain)
    civil = from_seconds(start)
    year = civil.year - 1 if unit == "winter" and civil.month <= 2 and before[-1].grain < Grain.YEAR else civil.year
    season = find_expressions(f"in the {unit} of {year}", settings=calendar)
    return season[0].interval if len(season) == 1 else None


def _fits(time: TimeInterval, grain: Grain) -> bool:
    return time.start is not None and time.end is not None and TimeInterval.unit(time.start, grain).contains(time)


def _day(day: int, before: Sequence[TimeInterval]) -> TimeInterval | None:
    """The first such day from the last date on, in its month or the next."""
    start = before[-1].start if before and before[-1].grain <= Grain.MONTH and _fits(before[-1], Grain.MONTH) else None
    for month in () if start is None else (start, shift(start, 1, Grain.MONTH)):
        civil = from_seconds(month)
        if 1 <= day <= days_in_month(civil.year, civil.month):
            moment = to_seconds(civil.year, civil.month, day)
            if start is not None and moment > start - DAY:
                return TimeInterval.unit(moment, Grain.DAY)
    return None
