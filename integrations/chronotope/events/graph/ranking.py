"""The best K neighbours of every row, heaviest first, as two arrays; ties go to the smaller key."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from chronotope.events.graph.closeness import Floats, Ints

__all__ = ["Best", "NeighbourLists", "best"]

_CODE_BITS = 50
_ROUNDED = 1 - 1e-9  # more than the bits left out


class NeighbourLists:
    """Arrays of shape (rows, K): `rows` holds neighbours, -1 where a list is not full, `weights` their weights, 0 there.

    Args:
        k: length of a list.
    """

    def __init__(self, k: int) -> None:
        self.k = k
        self.rows: npt.NDArray[np.int32] = np.full((0, k), -1, np.int32)
        self.weights: Floats = np.zeros((0, k))

    def make_room(self, size: int) -> None:
        """Have at least `size` rows."""
        missing = size - len(self.rows)
        if missing > 0:
            self.rows = np.concatenate([self.rows, np.full((missing, self.k), -1, np.int32)])
            self.weights = np.concatenate([self.weights, np.zeros((missing, self.k))])

    def put(self, row: int, neighbours: Ints, weights: Floats) -> None:
        """Set the list of one row; `neighbours` are sorted and at most K."""
        self.rows[row], self.weights[row] = -1, 0.0
        self.rows[row, : neighbours.size], self.weights[row, : neighbours.size] = neighbours, weights

    def offer(self, row: int, targets: Ints, weights: Floats, key: Ints) -> None:
        """Enter a new row into the lists of the targets, wherever it is among the best K there.

        Args:
            row: the new row.
            targets: rows, each once.
            weights: weight of the edge to each.
            key: breaks ties between equal weights, by row.
        """
        close = weights >= self.weights[targets, -1]
        targets, weights = targets[close], weights[close, None]
        rows, old = self.rows[targets], self.weights[targets]
        ahead = (old > weights) | ((old == weights) & (rows >= 0) & (key[rows] < key[row]))
        place = ahead.sum(axis=1)
        in_time = place < self.k
        targets, place, rows, old, weights = targets[in_time], place[in_time, None], rows[in_time], old[in_time], weights[in_time]
        column = np.arange(self.k)
        for table, had, new in ((self.rows, rows, row), (self.weights, old, weights)):
            moved = np.concatenate([had[:, :1], had[:, :-1]], axis=1)
            table[targets] = np.where(column < place, had, np.where(column == place, new, moved))

    def listing(self, gone: Iterable[int], among: Ints) -> Ints:
        """Those rows among the given ones whose list holds any of `gone`."""
        return among[np.isin(self.rows[among], np.fromiter(gone, np.int64)).any(axis=1)]


def best(rows: Ints, weights: Floats, key: Ints, k: int) -> tuple[Ints, Floats]:
    """The k heaviest rows, heaviest first; ties go to the smaller key."""
    if rows.size > 4 * k:
        floor = np.partition(weights, rows.size - k)[rows.size - k]
        rows, weights = rows[weights >= floor], weights[weights >= floor]
    order = np.lexsort((key[rows], -weights))[:k]
    return rows[order], weights[order]


class Best:
    """The k best so far of many asking rows at once, in no order, and what ties with the last of them.

    Args:
        floor: for each asking row the weight that a newcomer must reach; it rises.
        k: length of a list.
    """

    def __init__(self, floor: Floats, k: int) -> None:
        self.floor, self._k = floor, k
        self._asking, self._rows, self._weights = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)

    def add(self, asking: Ints, rows: Ints, weights: Floats) -> None:
        """Enter weighed pairs, each once."""
        if not asking.size:
            return
        asking, weights = np.concatenate([self._asking, asking]), np.concatenate([self._weights, weights])
        # One sort by numbers that leave out the last bits of a weight; it is in (0, 1], so the first two are never set.
        code = (asking << _CODE_BITS) - (weights.view(np.int64) >> (62 - _CODE_BITS))
        order = np.argsort(code)
        ends = np.cumsum(np.bincount(asking, minlength=self.floor.size))
        starts = np.concatenate([[0], ends[:-1]])
        full = ends - starts >= self._k
        last = order[np.minimum(starts + self._k - 1, order.size - 1)]
        worst = np.where(full, code[last], np.iinfo(np.int64).max)
        few = order[code[order] <= worst[asking[order]]]
        self._asking, self._rows, self._weights = asking[few], np.concatenate([self._rows, rows])[few], weights[few]
        self.floor = np.where(full, np.maximum(self.floor, weights[last] * _ROUNDED), self.floor)

    def lists(self, key: Ints) -> tuple[Ints, Floats]:
        """Rows and weights, k for each asking row, heaviest first, -1 and 0 where there are fewer; `key` breaks ties, by row."""
        order = np.lexsort((key[self._rows], -self._weights, self._asking))
        asking = self._asking[order]
        counts = np.bincount(asking, minlength=self.floor.size)
        place = np.arange(asking.size) - (np.cumsum(counts) - counts)[asking]
        asking, place, order = asking[place < self._k], place[place < self._k], order[place < self._k]
        rows, weights = np.full((self.floor.size, self._k), -1), np.zeros((self.floor.size, self._k))
        rows[asking, place], weights[asking, place] = self._rows[order], self._weights[order]
        return rows, weights
