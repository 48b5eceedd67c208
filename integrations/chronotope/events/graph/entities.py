"""The inverted index: which events name an entity, in the order of time, so that those near a date lie side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from chronotope.events.graph.closeness import TIMELESS, Ints

__all__ = ["EntityIndex"]

_NO_ROWS: Ints = np.empty(0, np.int64)


class EntityIndex:
    """Names as small numbers, and for each number the rows that have it, sorted by their start; timeless rows come first.

    A change touches the lists of the row's own entities and nothing else. A name that no row has any more is forgotten.
    """

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._rows: list[Ints] = []
        self._starts: list[Ints] = []
        self._free: list[int] = []
        self._longest = 0  # of all events ever added: how far before a window an event that reaches into it may begin

    def __len__(self) -> int:
        return len(self._number)

    @property
    def numbers_used(self) -> int:
        """One more than the highest number given out."""
        return len(self._rows)

    def numbers(self, names: Iterable[str]) -> tuple[int, ...]:
        """The numbers of names, new ones for new names."""
        known = self._number
        return tuple([known[name] if name in known else self._new(name) for name in names])

    def _new(self, name: str) -> int:
        if self._free:
            number = self._free.pop()
        else:
            number = len(self._rows)
            self._rows.append(_NO_ROWS)
            self._starts.append(_NO_ROWS)
        self._number[name] = number
        return number

    def add(self, row: int, numbers: Sequence[int], start: int, end: int) -> None:
        """Enter one row."""
        self._longest = max(self._longest, end - start)
        for number in numbers:
            place = int(np.searchsorted(self._starts[number], start))
            self._rows[number] = np.insert(self._rows[number], place, row)
            self._starts[number] = np.insert(self._starts[number], place, start)

    def fill(self, rows: Ints, numbers: Ints, starts: Ints, longest: int) -> None:
        """Replace every list at once: entry i says that `rows[i]`, which begins at `starts[i]`, has the entity `numbers[i]`."""
        self._longest = max(self._longest, longest)
        order = np.lexsort((starts, numbers))
        sorted_rows, sorted_starts = rows[order], starts[order]
        bounds = list(pairwise([0, *np.cumsum(np.bincount(numbers, minlength=len(self._rows))).tolist()]))
        self._rows = [sorted_rows[first:last] for first, last in bounds]
        self._starts = [sorted_starts[first:last] for first, last in bounds]

    def remove(self, row: int, names: Sequence[str]) -> None:
        """Take one row out of the lists of all its names."""
        for name in names:
            number = self._number[name]
            kept = self._rows[number] != row
            self._rows[number], self._starts[number] = self._rows[number][kept], self._starts[number][kept]
            if not self._rows[number].size:
                del self._number[name]
                self._free.append(number)

    def sharing(self, numbers: Sequence[int], start: int, end: int, reach: int) -> tuple[Ints, Ints]:
        """The rows that have any of the entities and are timeless or may lie within reach, and how many of them each has.

        Args:
            numbers: entities.
            start: first tick of the window's middle, or `TIMELESS` to get every row.
            end: last tick of it.
            reach: ticks on both sides of it.
        """
        found: list[npt.NDArray[np.int64]] = []
        for number in numbers:
            rows, starts = self._rows[number], self._starts[number]
            if start == TIMELESS:
                found.append(rows)
                continue
            dated, first, last = np.searchsorted(starts, [TIMELESS + 1, _floor(start - reach - self._longest), end + reach + 1])
            found += [rows[:dated], rows[max(dated, first) : last]]
        if not found:
            return _NO_ROWS, _NO_ROWS
        together = np.concatenate(found)
        if len(numbers) == 1:
            return together, np.ones(together.size, np.int64)
        return np.unique(together, return_counts=True)


def _floor(tick: int) -> int:
    return max(tick, TIMELESS + 1)
