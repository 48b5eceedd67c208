"""When the events of an index were, by row: told times, hints for those that nothing dates, dates of writing, and codes of time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chronotope.errors import TimeExpressionError
from chronotope.events.event import EventUnit
from chronotope.events.index.time_code import TimeCode
from chronotope.models import Vectors
from chronotope.shelves.shelf import Mask, Rows
from chronotope.temporal.calendar import Grain
from chronotope.temporal.index import IntervalIndex
from chronotope.temporal.interval import Interval, TimeInterval
from chronotope.temporal.scope import QueryScope

__all__ = ["EventTimes", "hint_of", "written"]

_ODD = 0.02  # share of dates at each end that do not widen the codes: one misread year would make all others look alike
_WIDTH = 128  # of a code: over five hundred years, it tells about eight years apart


def hint_of(event: EventUnit) -> TimeInterval | None:
    """The date that an undated event is likely near: the one told before it in its text, else the date of writing.

    >>> hint_of(EventUnit(text="She sold it.", metadata={"context_time": "1931"}))
    TimeInterval('1931')
    """
    if not event.is_undated:
        return None
    return _read(event, "context_time") or written(event)


def written(event: EventUnit) -> TimeInterval | None:
    """When its source was written, None when that is unknown."""
    return _read(event, "published")


def _read(event: EventUnit, key: str) -> TimeInterval | None:
    told = event.metadata.get(key)
    try:
        return TimeInterval.parse(told) if isinstance(told, str) else None
    except TimeExpressionError:
        return None  # a user's own key of that name says nothing that we can use


class EventTimes:
    """Times of events by row number."""

    def __init__(self) -> None:
        self._told, self._hints, self._written = IntervalIndex(), IntervalIndex(), IntervalIndex()
        self._living: Mask = np.zeros(0, np.bool_)
        self._timeless: Mask = np.zeros(0, np.bool_)
        self._undated: Mask = np.zeros(0, np.bool_)
        self._codes: tuple[TimeCode, Vectors] | None = None  # made by the first question with a time after a change

    @property
    def span(self) -> TimeInterval | None:
        """From the first to the last known date, None when there is none."""
        whole = self._told.span
        return None if whole is None else TimeInterval(whole.start, whole.end, Grain.YEAR)

    @property
    def living(self) -> Mask:
        """One entry a row: False where an event was removed."""
        return self._living.copy()

    @property
    def undated(self) -> Mask:
        """One entry a row: True where nothing tells when."""
        return self._undated & self._living

    @property
    def timeless(self) -> Mask:
        """One entry a row: True for facts outside time."""
        return self._timeless & self._living

    def add(self, rows: Rows, events: Sequence[EventUnit]) -> None:
        """Enter events in new rows, which follow the last."""
        for row, event in zip(rows.tolist(), events, strict=True):
            hint, published = hint_of(event), written(event)
            self._told.add(row, event.times)
            self._hints.add(row, (hint,) if hint else ())
            self._written.add(row, (published,) if published else ())
        room = (int(rows[-1]) + 1 if rows.size else self._living.size) - self._living.size
        self._living, self._timeless, self._undated = (
            np.append(mask, np.zeros(room, np.bool_)) for mask in (self._living, self._timeless, self._undated)
        )
        self._living[rows] = True
        self._timeless[rows] = [event.static for event in events]
        self._undated[rows] = [event.is_undated for event in events]
        self._codes = None

    def remove(self, rows: Rows) -> None:
        """Forget the times of rows."""
        for times in (self._told, self._hints, self._written):
            times.remove(rows)
        self._living[rows] = False
        self._codes = None

    def in_scope(self, asked: QueryScope) -> Mask:
        """One entry a row: True where an event overlaps the asked times; facts outside time hold at every time."""
        inside = self.living
        if asked.times:
            inside &= self._told.mask(asked.times, inside.size) | self._timeless
        if asked.published_times:
            inside &= self._written.mask(asked.published_times, inside.size)
        return inside

    def hinted(self, asked: QueryScope) -> Mask:
        """One entry a row: True where nothing dates an event, but its hint overlaps the asked times."""
        return self._hints.mask(asked.times, self._living.size)

    def overlap(self, period: TimeInterval) -> Mask:
        """One entry a row: True where a told time shares a tick with the period."""
        return self._told.mask([period], self._living.size)

    def similarities(self, times: Sequence[TimeInterval], events: Sequence[EventUnit]) -> Vectors:
        """Inner products of the code of the asked times with those of all rows; events by the hint where nothing dates them.

        Args:
            times: what a question asks for.
            events: those of the living rows, in their order.
        """
        found = np.zeros(self._living.size, np.float32)
        if self._codes is None:
            self._codes = _coded(events)
        if self._codes is None or not times:
            return found
        code, codes = self._codes
        found[self._living] = codes @ code.question(times)
        return found


def _coded(events: Sequence[EventUnit]) -> tuple[TimeCode, Vectors] | None:
    """Codes of events over the stretch that nearly all of them lie in; None when no time is known."""
    hints = [hint_of(event) for event in events]
    times = [event.times or ((hint,) if hint else ()) for event, hint in zip(events, hints, strict=True)]
    sides = [side for own in times for time in own for side in (time.start, time.end) if side is not None]
    if not sides:
        return None
    start, end = np.quantile(np.array(sides, np.int64), [_ODD, 1 - _ODD], method="nearest").tolist()
    code = TimeCode(Interval(start, max(end, start + 1)), dims=_WIDTH)
    return code, code.encode(times)
