"""What a date names and what it leaves out: fields that a neighbour or the reference day may complete."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from chronotope.temporal.calendar import DAY, Grain, days_in_month, floor, from_seconds, shift, to_seconds
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.frame import Frame

__all__ = ["AMBIGUOUS_YEAR", "Fields", "place", "portion", "settle"]

AMBIGUOUS_YEAR = "ambiguous_year"
IMPOSSIBLE = "impossible_date"
REACH = 8  # years searched for a 29 February, or for a Friday the 13th

# Where early, mid and late divide a unit: the thirds begin at the first second, after `a` and after `b` smaller units.
THIRDS = {
    Grain.MILLENNIUM: (Grain.YEAR, 333, 667), Grain.CENTURY: (Grain.YEAR, 33, 67), Grain.DECADE: (Grain.YEAR, 4, 7),
    Grain.YEAR: (Grain.MONTH, 4, 8), Grain.HALF: (Grain.MONTH, 2, 4), Grain.QUARTER: (Grain.MONTH, 1, 2),
    Grain.SEASON: (Grain.MONTH, 1, 2), Grain.MONTH: (Grain.DAY, 10, 20), Grain.WEEK: (Grain.DAY, 3, 4),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fields:
    """The parts of a date that its text names; `grain` is what they name together.

    `index` counts quarters, halves and seasons from 0 and weeks from 1; `number` is a bare number in a range whose meaning
    (day or year) the other end decides; `part` is early, mid, late, or start, middle, end.
    """

    grain: Grain
    year: int | None = None
    month: int | None = None
    day: int | None = None
    index: int = 0
    weekday: int | None = None
    part: str | None = None
    fiscal: bool = False
    era: bool = False
    number: int | None = None

    @property
    def order(self) -> tuple[int, int]:
        """Sorts dates within one year."""
        months = {Grain.QUARTER: 3 * self.index, Grain.HALF: 6 * self.index, Grain.SEASON: 3 * self.index + 2}
        month = self.month or months.get(self.grain, 0) + 1
        return month, self.day or (7 * self.index if self.grain is Grain.WEEK else 0)


def place(fields: Fields, frame: Frame) -> tuple[TimeInterval, frozenset[str]] | None:
    """The interval of fields whose year is known, with the flags that arose; None when the calendar has no such unit."""
    found = _whole(fields, frame)
    if found is None or fields.part is None:
        return found
    return portion(found[0], fields.grain, fields.part), found[1] | {"vague"}


def _whole(fields: Fields, frame: Frame) -> tuple[TimeInterval, frozenset[str]] | None:
    year, grain, no_flags = fields.year or 0, fields.grain, frozenset[str]()
    if not -9999 <= year < 9999:
        return None
    if grain is Grain.DAY:
        return _day(fields, year)
    if grain is Grain.SEASON:
        return frame.season(year, fields.index), no_flags
    if grain is Grain.WEEK:
        start = floor(to_seconds(year, 1, 4), Grain.WEEK) + (fields.index - 1) * 7 * DAY
        if not 1 <= fields.index <= 53 or from_seconds(start + 3 * DAY).year != year:
            return TimeInterval.unit(to_seconds(year), Grain.YEAR), frozenset({IMPOSSIBLE})
        return TimeInterval(start, start + 7 * DAY, Grain.WEEK), no_flags
    if not fields.fiscal:
        return _unit(year, fields.month or 1, fields.index, grain), no_flags
    start = shift(frame.fiscal_start(year), fields.index, grain)
    return TimeInterval(start, shift(start, 1, grain), grain), no_flags


@lru_cache(maxsize=4096)
def _unit(year: int, month: int, index: int, grain: Grain) -> TimeInterval:
    """The unit that lies `index` units after a month; texts name the same few years again and again."""
    start = shift(to_seconds(year, month), index, grain)
    return TimeInterval(start, shift(start, 1, grain), grain)


def _day(fields: Fields, year: int) -> tuple[TimeInterval, frozenset[str]] | None:
    month, day = fields.month or 0, fields.day or 0
    if not 1 <= month <= 12:
        return TimeInterval.unit(to_seconds(year), Grain.YEAR), frozenset({IMPOSSIBLE})
    if not 1 <= day <= days_in_month(year, month):
        return TimeInterval.unit(to_seconds(year, month), Grain.MONTH), frozenset({IMPOSSIBLE})
    return TimeInterval.unit(to_seconds(year, month, day), Grain.DAY), frozenset()


def portion(whole: TimeInterval, grain: Grain, part: str) -> TimeInterval:
    """Early, mid or late: the first, second or last third of a unit, cut at whole smaller units (see `THIRDS`).

    The start of a year is its first quarter; the other starts, middles and ends are the thirds as well.
    """
    start, end = whole.start, whole.end
    if start is None or end is None or grain not in THIRDS:
        return whole
    if part == "turn":
        return TimeInterval(shift(start, -1, Grain.DECADE), shift(start, 1, Grain.DECADE), Grain.DECADE)
    unit, a, b = THIRDS[grain]
    if part == "start" and grain is Grain.YEAR:
        a = 3
    first, second = shift(start, a, unit), shift(start, b, unit)
    sides = {"early": (start, first), "start": (start, first), "late": (second, end), "end": (second, end)}
    low, high = sides.get(part, (first, second))
    return TimeInterval(low, min(high, end), unit)


def settle(fields: Fields, frame: Frame) -> tuple[TimeInterval, frozenset[str]] | None:
    """The interval of fields, a missing year or month taken from the reference by the preference of the settings."""
    if fields.year is not None:
        return place(fields, frame)
    if fields.grain is Grain.DAY and fields.day is None:
        return _weekday(fields, frame)
    if fields.weekday is not None and fields.month is not None:
        fields = _year_by_weekday(fields, frame)
    for candidate in [fields] if fields.year is not None else _candidates(fields, frame):
        found = place(candidate, frame)
        if found and _fits(candidate, found[0]) and (fields.year is not None or _preferred(found[0], frame)):
            return found[0], found[1] | {AMBIGUOUS_YEAR}
    return None


def _candidates(fields: Fields, frame: Frame) -> list[Fields]:
    past = frame.settings.prefer == "past"
    if fields.grain is Grain.DAY and fields.month is None:
        now = from_seconds(frame.now)
        months = range(12 * now.year + now.month - 1 - REACH * 2, 12 * now.year + now.month + REACH * 2)
        found = [
            replace(fields, year=m // 12, month=m % 12 + 1)
            for m in months
            if (fields.day or 0) <= days_in_month(m // 12, m % 12 + 1)
        ]
    else:
        years = range(frame.year - REACH, frame.year + REACH + 1)
        leap_only = (fields.month, fields.day) == (2, 29)
        found = [replace(fields, year=y) for y in years if not leap_only or days_in_month(y, 2) == 29]
    return found[::-1] if past else found


def _year_by_weekday(fields: Fields, frame: Frame) -> Fields:
    """Tuesday 9 May lies in the nearest year in which 9 May is a Tuesday; farther off, the weekday is taken for a slip."""
    for year in (frame.year, frame.year + 1, frame.year - 1):
        dated = replace(fields, year=year, weekday=None)
        found = place(dated, frame)
        if found and _fits(fields, found[0]):
            return dated
    return replace(fields, weekday=None)


def _fits(fields: Fields, interval: TimeInterval) -> bool:
    return fields.weekday is None or ((interval.start or 0) // DAY + 3) % 7 == fields.weekday


def _preferred(interval: TimeInterval, frame: Frame) -> bool:
    if frame.settings.prefer == "past":
        return interval.start is not None and interval.start <= frame.now
    return interval.end is not None and interval.end > frame.today


def _weekday(fields: Fields, frame: Frame) -> tuple[TimeInterval, frozenset[str]] | None:
    if fields.weekday is None:
        return None
    ahead = (fields.weekday - (frame.today // DAY + 3)) % 7
    start = frame.today + (ahead - 7 if ahead and frame.settings.prefer == "past" else ahead) * DAY
    return TimeInterval.unit(start, Grain.DAY), frozenset({AMBIGUOUS_YEAR})
