"""The events of a graph as columns: where each stands on the axis, how many entities it has, and its place in the order of ids."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from chronotope.events.graph.closeness import Event, Ints

__all__ = ["EventRows"]

_STEP = 2**32  # between the keys of neighbouring ids, so that ids find room between them


class EventRows:
    """Rows under event ids, with growing columns. A row keeps its number until it is removed; the number is then used again.

    `start`, `end` and `size` are what the rule of closeness needs. `key` orders rows as their ids are ordered, so that ties
    between equal weights are broken in the same way whatever the order of adding was.
    """

    def __init__(self) -> None:
        self.events: list[Event | None] = []
        self.row: dict[str, int] = {}
        self.numbers: list[tuple[int, ...]] = []
        self.start, self.end, self.size, self.key = (np.zeros(0, np.int64) for _ in range(4))
        self._sorted: list[str] = []
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self.row)

    def event(self, row: int) -> Event:
        """The event of a row that is in use."""
        event = self.events[row]
        if event is None:
            raise KeyError(row)
        return event

    def in_order(self) -> Ints:
        """The rows in use, in the order of their ids."""
        return np.fromiter(map(self.row.__getitem__, self._sorted), np.int64, len(self._sorted))

    def add(self, event: Event, numbers: tuple[int, ...], place: tuple[int, int]) -> int:
        """Enter one event under a free row and return the row."""
        (row,) = self._enter([event], [numbers])
        (self.start[row], self.end[row]), self.size[row] = place, len(numbers)
        self._give_key(event.id, row)
        return row

    def add_many(self, events: Sequence[Event], numbers: Sequence[tuple[int, ...]], places: Sequence[tuple[int, int]]) -> None:
        """Enter many events; every key is given anew."""
        rows = self._enter(events, numbers)
        self.start[rows], self.end[rows] = np.array(places, np.int64).reshape(-1, 2).T
        self.size[rows] = [len(own) for own in numbers]
        self._sorted = sorted(self.row)
        self._spread_keys()

    def remove(self, name: str) -> int:
        """Take out an event and return the row that it had."""
        row = self.row.pop(name)
        self.events[row], self.numbers[row] = None, ()
        self.start[row] = self.end[row] = self.size[row] = self.key[row] = 0
        del self._sorted[bisect_left(self._sorted, name)]
        self._free.append(row)
        return row

    def _enter(self, events: Sequence[Event], numbers: Sequence[tuple[int, ...]]) -> list[int]:
        """Rows for the events: those that are free, then new ones."""
        rows = [self._free.pop() for _ in range(min(len(events), len(self._free)))]
        first, fresh = len(self.events), len(events) - len(rows)
        rows += range(first, first + fresh)
        self.events += [None] * fresh
        self.numbers += [()] * fresh
        if first + fresh > self.start.size:
            columns = (self.start, self.end, self.size, self.key)
            self.start, self.end, self.size, self.key = (_longer(column, first + fresh) for column in columns)
        for row, event, own in zip(rows, events, numbers, strict=True):
            self.events[row], self.numbers[row], self.row[event.id] = event, own, row
        return rows

    def _give_key(self, name: str, row: int) -> None:
        place = bisect_left(self._sorted, name)
        before = int(self.key[self.row[self._sorted[place - 1]]]) if place else None
        after = int(self.key[self.row[self._sorted[place]]]) if place < len(self._sorted) else None
        self._sorted.insert(place, name)
        low = before if before is not None else (after or 0) - 2 * _STEP
        high = after if after is not None else low + 2 * _STEP
        if high - low < 2 or max(abs(low), abs(high)) > 2**61:
            self._spread_keys()
        else:
            self.key[row] = (low + high) // 2

    def _spread_keys(self) -> None:
        self.key[self.in_order()] = np.arange(len(self._sorted)) * _STEP


def _longer(column: Ints, size: int) -> Ints:
    grown = np.zeros(max(64, size, 2 * column.size), column.dtype)
    grown[: column.size] = column
    return grown
