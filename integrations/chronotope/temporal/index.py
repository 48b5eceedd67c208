"""Which rows overlap a stretch of the axis: an index over many intervals a row, exact, for any integer axis.

The engine is NCLS, the nested containment list that pyranges runs on (`pyranges` 0.1 calls the same `ncls.NCLS` class), used
without the data frames around it. A query `[a, b)` meets two kinds of intervals: those that begin inside it, which lie side by
side when intervals are sorted by start and cost one slice, and those that contain the tick `a`, which NCLS finds. The cost of a
query is a binary search plus the matches, plus one byte a row for the bitmap in which duplicates vanish.

New intervals go to an unsorted tail that every query scans. When the tail outgrows a quarter of the sorted part both are sorted
again, so adding n intervals one by one costs O(n log n) in all, and no single query pays for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from chronotope.temporal.interval import Interval

__all__ = ["AXIS_LIMIT", "IntervalIndex"]

AXIS_LIMIT = 2**61
"""Ticks lie strictly between `-AXIS_LIMIT` and `AXIS_LIMIT`; in arrays these two numbers stand for open sides."""

_SMALL_TAIL = 4_096  # below this many intervals a scan is cheaper than any index

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]


class IntervalIndex:
    """Finds the rows of which at least one interval overlaps one of the asked intervals.

    Rows are the caller's numbers, counted from 0: memory grows with the highest one. Queries change nothing and may run in
    several threads at once; `add`, `remove` and `keep` need the index for themselves.

    Args:
        intervals: the intervals of row 0, of row 1 and so on; empty intervals are left out, since they match nothing.

    Raises:
        ValueError: a side lies beyond `AXIS_LIMIT`.

    >>> index = IntervalIndex([[Interval(0, 5), Interval(20, 30)], [Interval(-9, 2)], [], [Interval(None, None)]])
    >>> index.overlapping([Interval(4, 10)]), index.overlapping([Interval(-100, -50), Interval(25, None)])
    (array([0, 3]), array([0, 3]))
    """

    def __init__(self, intervals: Iterable[Sequence[Interval]] = ()) -> None:
        self._frozen = _Frozen(_triples(enumerate(intervals)))
        self._tail, self._waiting = np.empty((3, 0), np.int64), 0
        self._void: Bools = np.zeros(0, np.bool_)  # rows removed after they were sorted in
        self._limit = _row_limit(self._frozen.triples)

    @classmethod
    def from_arrays(cls, rows: npt.ArrayLike, starts: npt.ArrayLike, ends: npt.ArrayLike) -> Self:
        """Build from flat integer arrays of equal length, one entry an interval; the arrays are copied.

        Args:
            rows: row of each interval, 0 or more.
            starts: first tick inside; `-AXIS_LIMIT` for an open side.
            ends: first tick after it; `AXIS_LIMIT` for an open side.

        Raises:
            ValueError: lengths differ, an entry is inverted (the message names its row), a row is negative or a side too far.
        """
        index = cls()
        index._frozen = _Frozen(_checked(np.stack([np.asarray(part, dtype=np.int64) for part in (rows, starts, ends)])))
        index._limit = _row_limit(index._frozen.triples)
        return index

    def overlapping(self, intervals: Iterable[Interval]) -> Ints:
        """Row numbers, ascending and each once, of the rows that share a tick with any of the intervals."""
        return np.flatnonzero(self._hits(intervals, self._limit))

    def mask(self, intervals: Iterable[Interval], size: int) -> Bools:
        """The same as a bitmap of shape (size,), True where the row overlaps.

        Raises:
            ValueError: the index holds a row that is not below `size`.
        """
        if size < self._limit:
            raise ValueError(f"a mask of {size} rows cannot hold row {self._limit - 1}")
        return self._hits(intervals, size)

    def add(self, row: int, intervals: Iterable[Interval]) -> None:
        """Give a row intervals, in addition to those it has.

        Raises:
            ValueError: the row is negative, or a side lies beyond `AXIS_LIMIT`; the index is unchanged then.
        """
        new = _triples([(row, intervals)])
        needed = self._waiting + new.shape[1]
        if needed > self._tail.shape[1]:
            room = np.empty((3, max(64, 2 * needed)), np.int64)
            room[:, : self._waiting] = self._tail[:, : self._waiting]
            self._tail = room
        self._tail[:, self._waiting : needed] = new
        self._waiting = needed
        self._limit = max(self._limit, _row_limit(new))
        if needed > max(_SMALL_TAIL, len(self._frozen) // 4):
            self._rebuild(self._triples())

    def remove(self, rows: int | npt.ArrayLike) -> None:
        """Forget every interval of a row, or of several rows; rows that the index does not hold are passed over."""
        gone = np.unique(np.atleast_1d(np.asarray(rows, dtype=np.int64)))
        gone = gone[(gone >= 0) & (gone < self._limit)]
        if self._void.size < self._limit:
            self._void = np.concatenate([self._void, np.zeros(self._limit - self._void.size, np.bool_)])
        self._void[gone] = True
        waiting = self._tail[:, : self._waiting]
        self._tail = waiting[:, ~np.isin(waiting[0], gone)]
        self._waiting = self._tail.shape[1]

    def keep(self, rows: npt.ArrayLike) -> None:
        """Keep these rows only and number them anew: `rows[i]` becomes row i. For use after `VectorTable.compact`."""
        kept, triples = np.asarray(rows, dtype=np.int64), self._triples()
        number = np.full(max(self._limit, int(kept.max(initial=-1)) + 1), -1, np.int64)
        number[kept] = np.arange(kept.size)
        triples[0] = number[triples[0]]
        self._rebuild(triples[:, triples[0] >= 0])

    @property
    def span(self) -> Interval | None:
        """From the first to the last closed side; None when no interval has a closed side, or all closed sides coincide."""
        _, starts, ends = self._triples()
        sides = np.concatenate([starts[starts > -AXIS_LIMIT], ends[ends < AXIS_LIMIT]])
        if not sides.size or sides.min() == sides.max():
            return None
        return Interval(int(sides.min()), int(sides.max()))

    def __len__(self) -> int:
        """Number of intervals, empty ones not counted."""
        rows = self._frozen.triples[0]
        return int(rows.size) - int(np.count_nonzero(self._is_void(rows))) + self._waiting

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_arrays, tuple(self._triples())

    def _triples(self) -> Ints:
        """Every living interval as columns (row, start, end), newly allocated."""
        frozen = self._frozen.triples
        if self._void.any():
            frozen = frozen[:, ~self._is_void(frozen[0])]
        return np.concatenate([frozen, self._tail[:, : self._waiting]], axis=1)

    def _is_void(self, rows: Ints) -> Bools:
        padded = np.append(self._void, np.zeros(max(0, self._limit - self._void.size), np.bool_))
        return padded[rows]

    def _rebuild(self, triples: Ints) -> None:
        self._frozen = _Frozen(triples)
        self._tail, self._waiting = np.empty((3, 0), np.int64), 0
        self._void, self._limit = np.zeros(0, np.bool_), _row_limit(triples)

    def _hits(self, intervals: Iterable[Interval], size: int) -> Bools:
        asked = [_sides(interval) for interval in intervals if not interval.is_empty]
        mask = np.zeros(size, np.bool_)
        for start, end in asked:
            self._frozen.mark(start, end, mask)
        mask[: self._void.size] &= ~self._void
        rows, starts, ends = self._tail[:, : self._waiting]
        for start, end in asked if self._waiting else ():
            mask[rows[(starts < end) & (ends > start)]] = True
        return mask


class _Frozen:
    """Intervals sorted by start, with NCLS over them; never changed once built. Takes over and sorts the array it is given."""

    def __init__(self, triples: Ints) -> None:
        self.triples = np.ascontiguousarray(triples)
        order = np.argsort(self.triples[1], kind="stable")
        for column in self.triples:  # one after the other: a sorted copy of the whole would double the memory
            column[:] = column[order]
        self._engine = self._build() if triples.shape[1] else None

    def __len__(self) -> int:
        return int(self.triples.shape[1])

    def _build(self) -> Any:  # noqa: ANN401 - ncls has no types
        from ncls import NCLS

        rows, starts, ends = self.triples
        # NCLS marks reversed intervals by a negative sign, so negative ticks are lost without a word: shift all of them
        return NCLS(starts + AXIS_LIMIT, ends + AXIS_LIMIT, rows)

    def mark(self, start: int, end: int, mask: Bools) -> None:
        """Set `mask` at the rows that overlap `[start, end)`, a stretch that is not empty."""
        if self._engine is None:
            return
        rows, starts, _ = self.triples
        first, last = np.searchsorted(starts, [start + 1, end])
        mask[rows[first:last]] = True
        tick = np.array([start + AXIS_LIMIT])
        _, containing = self._engine.all_overlaps_both(tick, tick + 1, np.zeros(1, np.int64))
        mask[containing] = True


def _sides(interval: Interval) -> tuple[int, int]:
    start = -AXIS_LIMIT if interval.start is None else interval.start
    end = AXIS_LIMIT if interval.end is None else interval.end
    for side in (interval.start, interval.end):
        if side is not None and not -AXIS_LIMIT < side < AXIS_LIMIT:
            raise ValueError(f"{side} lies beyond ±2**61, the ends of the axis")
    return start, end


def _triples(rows: Iterable[tuple[int, Iterable[Interval]]]) -> Ints:
    """Columns (row, start, end) of every interval that is not empty."""
    numbers = ((row, *_sides(item)) for row, intervals in rows for item in intervals if not item.is_empty)
    return _checked(np.fromiter(chain.from_iterable(numbers), np.int64).reshape(-1, 3).T)


def _checked(triples: Ints) -> Ints:
    rows, starts, ends = triples
    if rows.min(initial=0) < 0:
        raise ValueError(f"rows count from 0, so {rows.min()} is none")
    if (starts > ends).any():
        raise ValueError(f"an interval of row {rows[np.argmax(starts > ends)]} ends before it starts")
    if starts.min(initial=0) < -AXIS_LIMIT or ends.max(initial=0) > AXIS_LIMIT:
        raise ValueError("an interval reaches beyond ±2**61, the ends of the axis")
    return triples if (starts < ends).all() else triples[:, starts < ends]


def _row_limit(triples: Ints) -> int:
    return int(triples[0].max(initial=-1)) + 1
