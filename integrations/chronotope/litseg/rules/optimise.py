"""The best set of borders: evidence for each of them against lengths far from the reference, found exactly."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["best_borders"]

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]


def best_borders(sizes: npt.ArrayLike, evidence: npt.ArrayLike, *, length: int, longest: int) -> list[int]:
    """The blocks at which segments start, first included, such that the sum of all costs is as small as it can be.

    A segment of size s costs `(s / length - 1) ** 2` less the evidence at its start. Ties go to the longer segment.

    Args:
        sizes: of the blocks, at least 1 each.
        evidence: for a border before each block; that of the first block does not count. 1 outweighs a segment of twice the
            reference, or one of hardly any length.
        length: reference size of a segment.
        longest: a segment larger than this has one block.

    >>> best_borders([5, 5, 5, 5], [0, 0, 0, 0], length=10, longest=15)
    [0, 2]
    >>> best_borders([5, 5, 5, 5], [0, 0.9, 0, 0], length=10, longest=15)
    [0, 1]
    """
    ends: Ints = np.concatenate([[0], np.cumsum(np.asarray(sizes, dtype=np.int64))])
    # A border pays when it is chosen, so the price of reaching block i already holds the evidence for a border before it.
    gains: Floats = np.array(evidence, dtype=np.float64)
    gains[:1] = 0.0
    nearest = np.minimum(np.searchsorted(ends, ends - longest), np.arange(len(ends)) - 1)
    reached: Floats = np.zeros(len(ends))
    origin = np.zeros(len(ends), dtype=np.int64)
    for end in range(1, len(ends)):
        first = nearest[end]
        costs = (ends[end] - ends[first:end]) / length
        costs -= 1.0
        costs *= costs
        costs += reached[first:end]
        best = int(costs.argmin())
        origin[end] = first + best
        reached[end] = costs[best] - (gains[end] if end < len(gains) else 0.0)
    return _walked_back(origin)


def _walked_back(origin: Ints) -> list[int]:
    starts, place = [], len(origin) - 1
    while place > 0:
        place = int(origin[place])
        starts.append(place)
    return starts[::-1]
