"""Intervals as text: EDTF (ISO 8601-2) notation in both directions, and plain English phrases.

Works on bare numbers (start and end in seconds, half-open, None for open), so that the value type can build on it.
Quarters (33–36), halves (40, 41) and seasons (21–24 meteorological north, 29–32 south) use EDTF's sub-year codes; a week is
written as in ISO 8601-1 (`2021-W12`). An empty interval, which EDTF lacks, is `empty:` and its moment.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from chronotope.errors import TimeExpressionError
from chronotope.temporal.calendar import DAY, Civil, Grain, days_in_month, floor, from_seconds, shift, to_seconds

__all__ = ["phrase", "read", "write", "write_moment"]

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
ORDINALS = ("first", "second", "third", "fourth")
SEASON_CODE, NORTHERN_CODE, SOUTHERN_CODE, QUARTER_CODE, HALF_CODE = 21, 25, 29, 33, 40
_SUBYEARS = (  # first code, months from January at which each code's unit begins
    (SEASON_CODE, (2, 5, 8, 11), Grain.SEASON),
    (NORTHERN_CODE, (2, 5, 8, 11), Grain.SEASON),
    (SOUTHERN_CODE, (8, 11, 2, 5), Grain.SEASON),
    (QUARTER_CODE, (0, 3, 6, 9), Grain.QUARTER),
    (HALF_CODE, (0, 6), Grain.HALF),
)

_DATE = re.compile(
    r"(?P<year>-?\d{4})(?:-W(?P<week>\d\d)|-(?P<month>\d\d)(?:-(?P<day>\d\d)(?:T(?P<hour>\d\d)(?::(?P<minute>\d\d)(?::(?P<second>\d\d))?)?Z?)?)?)?"
)
_DIGITS = re.compile(r"\d{3}X|\d{2}XX|\dXXX")
_BLOCKS = {1: (10, Grain.DECADE), 2: (100, Grain.CENTURY), 3: (1_000, Grain.MILLENNIUM)}
_SIZES = {grain: (size, hidden) for hidden, (size, grain) in _BLOCKS.items()}


class Numbers(NamedTuple):
    """An interval as bare numbers: seconds, half-open, with the precision of its text."""

    start: int | None
    end: int | None
    grain: Grain


def read(text: str) -> Numbers:
    """Read an EDTF interval; see `TimeInterval.parse`.

    Raises:
        TimeExpressionError: the text is no EDTF interval, or ends before it starts.
    """
    stripped = text.strip()
    if stripped.startswith("empty:"):
        moment = _read_date(stripped.removeprefix("empty:"), text).start
        return Numbers(moment, moment, Grain.SECOND)
    left, slash, right = stripped.partition("/")
    if not slash:
        return _read_date(left, text)
    first = None if left in ("", "..") else _read_date(left, text)
    last = None if right in ("", "..") else _read_date(right, text)
    grains = [part.grain for part in (first, last) if part is not None]
    if first and last and first.start is not None and last.end is not None and last.end <= first.start:
        raise TimeExpressionError(text, "ends before it starts")
    return Numbers(first.start if first else None, last.end if last else None, min(grains, default=Grain.SECOND))


def _read_date(part: str, text: str) -> Numbers:
    block = _DIGITS.fullmatch(part)
    if block:
        size, grain = _BLOCKS[part.count("X")]
        low = int(part.rstrip("X")) * size
        return Numbers(to_seconds(low), to_seconds(low + size), grain)
    match = _DATE.fullmatch(part)
    if not match:
        raise TimeExpressionError(text)
    year, week, month = int(match["year"]), match["week"], int(match["month"] or 1)
    if week:
        return _read_week(year, int(week), text)
    if match["month"] and month > 12:
        return _read_subyear(year, month, text)
    return _read_civil(match, year, month, text)


def _read_civil(match: re.Match[str], year: int, month: int, text: str) -> Numbers:
    day, hour, minute, second = (int(match[name] or low) for name, low in (("day", 1), ("hour", 0), ("minute", 0), ("second", 0)))
    if not 1 <= month <= 12 or not 1 <= day <= days_in_month(year, month):
        raise TimeExpressionError(text, "names a day that no calendar has")
    if hour > 23 or minute > 59 or second > 59:
        raise TimeExpressionError(text, "names a time that no clock shows")
    given = [name for name in ("second", "minute", "hour", "day", "month") if match[name]]
    grain = Grain(given[0]) if given else Grain.YEAR
    start = to_seconds(year, month, day, hour, minute, second)
    return Numbers(start, shift(start, 1, grain), grain)


def _read_week(year: int, week: int, text: str) -> Numbers:
    start = floor(to_seconds(year, 1, 4), Grain.WEEK) + (week - 1) * 7 * DAY
    if week < 1 or _week_of(start)[0] != year:
        raise TimeExpressionError(text, "names a week that the year lacks")
    return Numbers(start, start + 7 * DAY, Grain.WEEK)


def _read_subyear(year: int, code: int, text: str) -> Numbers:
    for first, months_on, grain in _SUBYEARS:
        if first <= code < first + len(months_on):
            start = shift(to_seconds(year), months_on[code - first], Grain.MONTH)
            return Numbers(start, shift(start, 1, grain), grain)
    raise TimeExpressionError(text, f"has {code:02d} where a month, season, quarter or half should stand")


def write(start: int | None, end: int | None, grain: Grain) -> str:
    """The EDTF form of an interval whose sides fall on units of `grain`; the inverse of `read`."""
    if start is None and end is None:
        return "../.."
    if start is not None and start == end:
        return f"empty:{write_moment(start)}"
    before_digits = (start is not None and start < to_seconds(0)) or (end is not None and end <= to_seconds(0))
    if grain in _SIZES and before_digits:
        grain = Grain.YEAR  # blocks of years before year 0 have no digits to share
    if start is not None and end is not None and end == shift(start, 1, grain):
        return _write_unit(start, grain)
    first = ".." if start is None else _write_unit(start, grain)
    last = ".." if end is None else _write_unit(shift(end, -1, grain), grain)
    return f"{first}/{last}"


def write_moment(seconds: int) -> str:
    """A moment in full: `2011-03-04T15:00:00`."""
    return _write_unit(seconds, Grain.SECOND)


def _write_unit(start: int, grain: Grain) -> str:
    civil = from_seconds(start)
    year = _write_year(civil.year)
    if grain in (Grain.DECADE, Grain.CENTURY, Grain.MILLENNIUM):
        size, hidden = _SIZES[grain]
        return f"{civil.year // size:0{4 - hidden}d}" + "X" * hidden
    if grain is Grain.WEEK:
        return "{}-W{:02d}".format(*_week_label(start))
    if grain is Grain.SEASON:
        return f"{year}-{SEASON_CODE + (civil.month - 3) // 3}"
    if grain is Grain.QUARTER:
        return f"{year}-{QUARTER_CODE + (civil.month - 1) // 3}"
    if grain is Grain.HALF:
        return f"{year}-{HALF_CODE + (civil.month - 1) // 6}"
    parts = [year]
    if grain <= Grain.MONTH:
        parts.append(f"-{civil.month:02d}")
    if grain <= Grain.DAY:
        parts.append(f"-{civil.day:02d}")
    clock = ((Grain.HOUR, f"T{civil.hour:02d}"), (Grain.MINUTE, f":{civil.minute:02d}"), (Grain.SECOND, f":{civil.second:02d}"))
    parts += [text for unit, text in clock if grain <= unit]
    return "".join(parts)


def _write_year(year: int) -> str:
    return f"{'-' if year < 0 else ''}{abs(year):04d}"


def _week_of(start: int) -> tuple[int, int]:
    year = from_seconds(start + 3 * DAY).year
    first = floor(to_seconds(year, 1, 4), Grain.WEEK)
    return year, (start - first) // (7 * DAY) + 1


def _week_label(start: int) -> tuple[str, int]:
    year, week = _week_of(start)
    return _write_year(year), week


def phrase(start: int | None, end: int | None, grain: Grain) -> str:
    """The interval in plain English with its preposition; seasons are named by their months, right in both hemispheres."""
    if start is None and end is None:
        return "at any time"
    if start is not None and start == end:
        return "at no time"
    if start is not None and end is not None and end == shift(start, 1, grain):
        if grain is Grain.SEASON:
            return phrase(start, end, Grain.MONTH)
        return f"{'on' if grain is Grain.DAY else 'at' if grain < Grain.DAY else 'in'} {_name(start, grain)}"
    if start is None:
        return f"until {'the end of ' if grain > Grain.DAY else ''}{_name(shift(end or 0, -1, grain), grain)}"
    if end is None:
        return f"since {_name(start, grain)}"
    return f"from {_name(start, grain)} to {_name(shift(end, -1, grain), grain)}"


def _name(start: int, grain: Grain) -> str:
    civil = from_seconds(start)
    year, era = (str(civil.year), "") if civil.year > 0 else (str(1 - civil.year), " BC")
    month = MONTHS[civil.month - 1]
    names = {
        Grain.WEEK: f"the week of {civil.day} {month} {year}{era}",
        Grain.MONTH: f"{month} {year}{era}",
        Grain.QUARTER: f"the {ORDINALS[(civil.month - 1) // 3]} quarter of {year}{era}",
        Grain.SEASON: f"{month} {year}{era}",
        Grain.HALF: f"the {ORDINALS[(civil.month - 1) // 6]} half of {year}{era}",
        Grain.YEAR: f"{year}{era}",
        Grain.DECADE: f"the {civil.year}s",
        Grain.CENTURY: f"the {_ordinal(civil.year // 100 + 1)} century",
        Grain.MILLENNIUM: f"the {_ordinal(civil.year // 1_000 + 1)} millennium",
    }
    if grain in names:
        return names[grain]
    return _clock(civil, grain) + f"{civil.day} {month} {year}{era}"


def _clock(civil: Civil, grain: Grain) -> str:
    if grain is Grain.DAY:
        return ""
    return f"{civil.hour:02d}:{civil.minute:02d}" + (f":{civil.second:02d}" if grain is Grain.SECOND else "") + " on "


def _ordinal(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
