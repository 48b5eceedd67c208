"""The proleptic Gregorian calendar on one integer axis: seconds since 1970-01-01T00:00:00 UTC.

Years are astronomical (44 BC is −43) and run from −9999 to 9999; `datetime` cannot count before year 1, so it takes no
part in the arithmetic.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache, total_ordering
from typing import NamedTuple

__all__ = ["AXIS_MAX", "AXIS_MIN", "Civil", "Grain", "days_in_month", "floor", "from_seconds", "shift", "to_seconds"]

DAY = 86_400


@total_ordering
class Grain(Enum):
    """A unit of the calendar, ordered from fine to coarse.

    >>> Grain.DAY < Grain.MONTH
    True
    """

    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    SEASON = "season"
    HALF = "half"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"
    MILLENNIUM = "millennium"

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Grain):
            return NotImplemented
        return _RANK[self] < _RANK[other]

    @property
    def finer(self) -> tuple[Grain, ...]:
        """The grains below this one, the coarsest first."""
        return tuple(reversed(tuple(Grain)[: _RANK[self]]))


_SECONDS = {Grain.SECOND: 1, Grain.MINUTE: 60, Grain.HOUR: 3_600, Grain.DAY: DAY, Grain.WEEK: 7 * DAY}
_MONTHS = {
    Grain.MONTH: 1,
    Grain.QUARTER: 3,
    Grain.SEASON: 3,
    Grain.HALF: 6,
    Grain.YEAR: 12,
    Grain.DECADE: 120,
    Grain.CENTURY: 1_200,
    Grain.MILLENNIUM: 12_000,
}
_RANK = {grain: rank for rank, grain in enumerate(Grain)}


class Civil(NamedTuple):
    """A moment as people write it; `year` is astronomical, all fields in UTC."""

    year: int
    month: int = 1
    day: int = 1
    hour: int = 0
    minute: int = 0
    second: int = 0


def to_seconds(year: int, month: int = 1, day: int = 1, hour: int = 0, minute: int = 0, second: int = 0) -> int:
    """Seconds from 1970-01-01T00:00:00 UTC to a moment of the proleptic Gregorian calendar.

    >>> to_seconds(1970, 1, 2)
    86400
    >>> from_seconds(to_seconds(-43, 3, 15))
    Civil(year=-43, month=3, day=15, hour=0, minute=0, second=0)
    """
    return (_days_to(year, month) + day - 1) * DAY + hour * 3_600 + minute * 60 + second


def from_seconds(moment: int) -> Civil:
    """The calendar date and clock time of a number of seconds; the inverse of `to_seconds`."""
    days, clock = divmod(moment, DAY)
    if not clock:
        return _date_of(days)
    hour, rest = divmod(clock, 3_600)
    return _date_of(days)._replace(hour=hour, minute=rest // 60, second=rest % 60)


@lru_cache(maxsize=8_192)
def _days_to(year: int, month: int) -> int:
    """Days from 1970-01-01 to the first of a month. Years begin in March, so that the leap day comes last."""
    era, year_of_era = divmod(year - (month <= 2), 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5
    return era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468


@lru_cache(maxsize=8_192)
def _date_of(days: int) -> Civil:
    """The date so many days after 1970-01-01."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    month = (shifted_month + 2) % 12 + 1
    return Civil(year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * shifted_month + 2) // 5 + 1)


AXIS_MIN = to_seconds(-9999)
AXIS_MAX = to_seconds(10_000)


def days_in_month(year: int, month: int) -> int:
    """Number of days of a month, leap years of the proleptic Gregorian calendar included."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def shift(moment: int, count: int, grain: Grain) -> int:
    """A moment moved by `count` units; a day that the target month lacks becomes its last day.

    >>> from_seconds(shift(to_seconds(2024, 1, 31), 1, Grain.MONTH))[:3]
    (2024, 2, 29)
    """
    if (seconds := _SECONDS.get(grain)) is not None:
        return moment + count * seconds
    year, month, day, *_ = from_seconds(moment)
    year, month0 = divmod(year * 12 + month - 1 + count * _MONTHS[grain], 12)
    if day > 28:
        day = min(day, days_in_month(year, month0 + 1))
    return (_days_to(year, month0 + 1) + day - 1) * DAY + moment % DAY


def floor(moment: int, grain: Grain) -> int:
    """The first second of the unit that a moment lies in; weeks start on Monday, seasons in March, June, September, December.

    Centuries are the digits' own (`18XX` is 1800 to 1899), as in EDTF.
    """
    if grain is Grain.WEEK:
        return moment - (moment + 3 * DAY) % (7 * DAY)
    if (seconds := _SECONDS.get(grain)) is not None:
        return moment - moment % seconds
    date = _date_of(moment // DAY)
    months = date.year * 12 + date.month - 1
    offset = 2 if grain is Grain.SEASON else 0
    year, month0 = divmod(months - (months - offset) % _MONTHS[grain], 12)
    return _days_to(year, month0 + 1) * DAY
