"""Intervals: half-open stretches of an integer axis, and their calendar form with EDTF as the text.

An open side is `None`. `Interval` serves any ordered axis (chapter numbers, story days); `TimeInterval` counts seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self, TypeVar

from chronotope.errors import TimeExpressionError
from chronotope.temporal import edtf
from chronotope.temporal.calendar import AXIS_MAX, AXIS_MIN, Grain, floor, shift, to_seconds

__all__ = ["Interval", "TimeInterval", "merge", "subtract"]

_YEAR_ZERO = to_seconds(0)
_SINGLE = (Grain.QUARTER, Grain.SEASON, Grain.HALF)  # EDTF has no ranges of these

AnyInterval = TypeVar("AnyInterval", bound="Interval")


@dataclass(frozen=True, slots=True)
class Interval:
    """A half-open stretch `[start, end)` of an integer axis.

    Args:
        start: first tick inside, or None when the stretch has no beginning.
        end: first tick after it, or None when the stretch has no end.

    Raises:
        ValueError: the end lies before the start.

    >>> Interval(3, 7).overlaps(Interval(6, 9)), Interval(3, 7).overlaps(Interval(7, 9))
    (True, False)
    """

    start: int | None
    end: int | None

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and self.end < self.start:
            raise ValueError(f"interval ends before it starts: [{self.start}, {self.end})")

    @property
    def is_empty(self) -> bool:
        """True when nothing lies inside; such an interval overlaps nothing."""
        return self.start is not None and self.start == self.end

    @property
    def length(self) -> int | None:
        """Number of ticks inside (seconds on the time axis), or None when a side is open."""
        return None if self.start is None or self.end is None else self.end - self.start

    def overlaps(self, other: Interval) -> bool:
        """True when at least one tick lies in both."""
        if self.is_empty or other.is_empty:
            return False
        return (self.start is None or other.end is None or self.start < other.end) and (
            other.start is None or self.end is None or other.start < self.end
        )

    def contains(self, other: Interval | int) -> bool:
        """True when the tick, or every tick of the other (non-empty) interval, lies inside."""
        if isinstance(other, int):
            return (self.start is None or self.start <= other) and (self.end is None or other < self.end)
        starts = self.start is None or (other.start is not None and self.start <= other.start)
        ends = self.end is None or (other.end is not None and other.end <= self.end)
        return starts and ends and not other.is_empty

    def gap(self, other: Interval) -> int:
        """Ticks between the two (seconds on the time axis); 0 when they touch or overlap."""
        before = 0 if self.end is None or other.start is None else other.start - self.end
        after = 0 if other.end is None or self.start is None else self.start - other.end
        return max(0, before, after)

    def intersection(self, other: Interval) -> Self | None:
        """The common part, or None when there is none."""
        if not self.overlaps(other):
            return None
        return self._between(_latest(self.start, other.start), _earliest(self.end, other.end), other)

    def _between(self, start: int | None, end: int | None, _: Interval | None = None) -> Self:
        return type(self)(start, end)


def _latest(a: int | None, b: int | None) -> int | None:
    return a if b is None else b if a is None else max(a, b)


def _earliest(a: int | None, b: int | None) -> int | None:
    return a if b is None else b if a is None else min(a, b)


@dataclass(frozen=True, slots=True)
class TimeInterval(Interval):
    """A stretch of time at the precision its text had.

    Args:
        start: first second inside, counted from 1970-01-01 UTC, or None when open.
        end: first second after it, or None when open.
        grain: precision of the text. Sides that do not fall on units of this grain lower it to the coarsest grain that
            they do fall on, so that notation and numbers always agree.

    Raises:
        TimeExpressionError: the end lies before the start, or a side beyond the years −9999 … 9999.

    >>> TimeInterval.parse("2011-03/2013-06")
    TimeInterval('2011-03/2013-06')
    >>> print(TimeInterval.parse("-0043-03-15").phrase())
    on 15 March 44 BC
    """

    grain: Grain = field(default=Grain.SECOND)

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and self.end < self.start:
            text = f"{edtf.write_moment(self.start)}/{edtf.write_moment(self.end)}"
            raise TimeExpressionError(text, "ends before it starts")
        for side in (self.start, self.end):
            if side is not None and not AXIS_MIN <= side <= AXIS_MAX:
                raise TimeExpressionError(str(side), "seconds lie outside the years -9999 to 9999")
        if not self._falls_on(self.grain):
            object.__setattr__(self, "grain", next(g for g in self.grain.finer if self._falls_on(g)))

    def _falls_on(self, grain: Grain) -> bool:
        start, end = self.start, self.end
        if (start is not None and start != floor(start, grain)) or (end is not None and end != floor(end, grain)):
            return False
        if grain >= Grain.DECADE:  # EDTF's 199X counts from year 0 upwards: before it, years are written out
            return (start is None or start >= _YEAR_ZERO) and (end is None or end >= _YEAR_ZERO)
        if grain in _SINGLE:
            return start is not None and end == shift(start, 1, grain)
        return True

    @classmethod
    def parse(cls, text: str) -> TimeInterval:
        """Read an interval from its EDTF form (ISO 8601-2): `2011-03`, `2010/..`, `199X`, `-0043-03-15`.

        Raises:
            TimeExpressionError: the text is no EDTF interval, or ends before it starts.
        """
        return cls(*edtf.read(text))

    @classmethod
    def unit(cls, moment: int, grain: Grain) -> TimeInterval:
        """The whole unit of the calendar that a moment (seconds) lies in.

        >>> TimeInterval.unit(0, Grain.DECADE)
        TimeInterval('197X')
        """
        start = floor(moment, grain)
        return cls(start, shift(start, 1, grain), grain)

    @property
    def is_unit(self) -> bool:
        """True when the interval is exactly one unit of its grain (a day, a month, a decade)."""
        return self.start is not None and self.end == shift(self.start, 1, self.grain)

    @property
    def envelope(self) -> tuple[int, int]:
        """First and last second, both inside; an open side gets the axis limit. For stores that compare closed ranges."""
        return (AXIS_MIN if self.start is None else self.start, (AXIS_MAX if self.end is None else self.end) - 1)

    def anchors(self, limit: int = 12) -> list[TimeInterval]:
        """At most `limit` evenly spaced units, one grain finer than the span: decades → years, years → months, weeks → days.

        Args:
            limit: largest number of anchors, at least 1.

        Raises:
            ValueError: a side is open (intersect with the span of the corpus first), or `limit` is below 1.

        Source: TA-RAG section 4.3.

        >>> [str(anchor) for anchor in TimeInterval.parse("199X").anchors(3)]
        ['1990', '1994', '1999']
        """
        if self.start is None or self.end is None:
            raise ValueError(f"{self} is open: intersect it with the span of the corpus before asking for anchors")
        if limit < 1:
            raise ValueError(f"limit must be at least 1, not {limit}")
        if self.is_empty:
            return []
        grain = _finer_grain(self.end - self.start)
        units, moment = [], floor(self.start, grain)
        while moment < self.end:
            units.append(TimeInterval.unit(moment, grain))
            moment = shift(moment, 1, grain)
        if len(units) <= limit:
            return units
        if limit == 1:
            return [units[(len(units) - 1) // 2]]
        return [units[i * (len(units) - 1) // (limit - 1)] for i in range(limit)]

    def phrase(self) -> str:
        """The interval in plain English, with its preposition.

        >>> TimeInterval.parse("2011-01").phrase(), TimeInterval.parse("../2015").phrase()
        ('in January 2011', 'until the end of 2015')
        """
        return edtf.phrase(self.start, self.end, self.grain)

    def _between(self, start: int | None, end: int | None, other: Interval | None = None) -> Self:
        """An interval with other sides, as precise as the less coarse of its two sources."""
        grain = min(self.grain, other.grain) if isinstance(other, TimeInterval) else self.grain
        return type(self)(start, end, grain)

    def __str__(self) -> str:
        return edtf.write(self.start, self.end, self.grain)

    def __repr__(self) -> str:
        return f"TimeInterval({str(self)!r})"


def _finer_grain(seconds: int) -> Grain:
    year = 366 * 86_400
    if seconds >= 200 * year:
        return Grain.DECADE
    if seconds >= 9 * year:
        return Grain.YEAR
    if seconds > 31 * 86_400:
        return Grain.MONTH
    return Grain.DAY


def merge(intervals: Iterable[AnyInterval]) -> list[AnyInterval]:
    """The same ticks as sorted, disjoint intervals: overlapping and touching ones are joined, empty ones dropped.

    >>> merge([Interval(5, 9), Interval(1, 3), Interval(3, 4)])
    [Interval(start=1, end=4), Interval(start=5, end=9)]
    """
    joined: list[AnyInterval] = []
    for item in sorted((i for i in intervals if not i.is_empty), key=lambda i: (i.start is not None, i.start or 0)):
        last = joined[-1] if joined else None
        if last is not None and (last.end is None or item.start is None or item.start <= last.end):
            end = None if last.end is None or item.end is None else max(last.end, item.end)
            joined[-1] = last._between(last.start, end, item)
        else:
            joined.append(item)
    return joined


def subtract(intervals: Sequence[AnyInterval], removed: Iterable[AnyInterval]) -> list[AnyInterval]:
    """What is left of `intervals` when every tick of `removed` is taken out, in the given order.

    >>> subtract([Interval(0, 10)], [Interval(3, 5)])
    [Interval(start=0, end=3), Interval(start=5, end=10)]
    """
    left = list(intervals)
    for hole in removed:
        left = [piece for item in left for piece in _without(item, hole)]
    return left


def _without(item: AnyInterval, hole: AnyInterval) -> list[AnyInterval]:
    if not item.overlaps(hole):
        return [item]
    pieces = []
    if hole.start is not None and (item.start is None or item.start < hole.start):
        pieces.append(item._between(item.start, hole.start, hole))
    if hole.end is not None and (item.end is None or hole.end < item.end):
        pieces.append(item._between(hole.end, item.end, hole))
    return pieces
