"""Which facts are so at a time: an index over closed stretches, and a sorted list of those that never end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chronotope.temporal.index import AXIS_LIMIT, IntervalIndex
from chronotope.temporal.interval import Interval

__all__ = ["When"]


@dataclass(frozen=True)
class When:
    """The times of rows. States that nothing ends are apart: whatever begins before the end of a time is so within it.

    Args:
        closed: the stretches that end.
        starts: first ticks of those that do not, ascending.
        rows: their rows.
        size: number of all rows.
    """

    closed: IntervalIndex
    starts: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    size: int

    @classmethod
    def of(cls, times: Sequence[Sequence[Interval]]) -> When:
        """From the sorted and disjoint stretches of each row."""
        endless = [(row, spans[-1].start) for row, spans in enumerate(times) if spans and spans[-1].end is None]
        rows = np.array([row for row, _ in endless], np.int64)
        starts = np.array([-AXIS_LIMIT if start is None else start for _, start in endless], np.int64)
        order = np.argsort(starts, kind="stable")
        closed = IntervalIndex([spans[:-1] if spans and spans[-1].end is None else spans for spans in times])
        return cls(closed, starts[order], rows[order], len(times))

    def mask(self, asked: Iterable[Interval]) -> npt.NDArray[np.bool_]:
        """The rows that are so at any of some times, as a bitmap."""
        times = [time for time in asked if not time.is_empty]
        found = self.closed.mask(times, self.size)
        ends = [AXIS_LIMIT if time.end is None else time.end for time in times]
        found[self.rows[: np.searchsorted(self.starts, max(ends, default=-AXIS_LIMIT))]] = True
        return found
