"""The first bounds of a search: every posting list against itself, shifted by one place, by two, and so on.

The events next to each other in a list are near each other in time, and all pairs at one shift are weighed with a few operations on
whole columns. A glance at the first K shifts, as if no pair shared more than the one entity, gives a weight that K neighbours of an
event reach; every pair that may reach it is then weighed exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from chronotope.events.graph.closeness import TIMELESS, Closeness, Floats, Ints
from chronotope.events.graph.postings import EventTable, Postings, ragged

__all__ = ["NEAR", "Hits", "neighbours_nearby"]

NEAR = 32
"""How many places on either side of an event are looked at here."""
_CHUNK = 16_384  # columns of this length stay in the processor's cache
_SLACK = 1 - 1e-9

Hits: TypeAlias = tuple[Ints, Ints, Floats]
"""Asking lines, their neighbours, and the weights."""


def neighbours_nearby(table: EventTable, postings: Postings, closeness: Closeness, k: int) -> tuple[Floats, Hits]:
    """For each line a weight that its k best neighbours reach, and all neighbours within `NEAR` places in a list that reach it."""
    pairs = _Shifted(table, postings, closeness)
    floor = np.maximum(pairs.glance(k), _outside_time(table, postings, k))
    none: Hits = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    asking, other, weights = map(np.concatenate, zip(none, *pairs.reaching(1, NEAR, floor), strict=True))
    return floor, (asking, other, weights)


class _Shifted:
    """The dated stretches of all lists, the longest first, so that those which a shift leaves pairs in are the first ones."""

    def __init__(self, table: EventTable, postings: Postings, closeness: Closeness) -> None:
        self.table, self.closeness = table, closeness
        length, first = np.diff(postings.stops)[postings.timed], postings.stops[:-1][postings.timed]
        order = np.argsort(-length, kind="stable")
        order = order[length[order] > 1]
        self.length = length[order]
        at, self.list = ragged(first[order], self.length)
        self.line, self.start, self.end, self.size = (
            column[at] for column in (postings.line, postings.start, postings.end, postings.size)
        )
        self.entity, self.marks, self.rest = postings.entity[at], postings.marks[at], postings.rest[at]
        self.blurred = table.blurred[self.line]
        self.upto = np.cumsum(self.length)

    def pairs_at(self, shift: int) -> int:
        """How many entries may begin a pair at this shift."""
        longer = int(np.searchsorted(-self.length, -shift))
        return int(self.upto[longer - 1]) - shift if longer else 0

    def fading(self, first: int, last: int, shift: int) -> Floats:
        """The factor of time of each pair at this shift; 0 for what is no pair."""
        one, two = slice(first, last), slice(first + shift, last + shift)
        gaps = np.maximum(self.start[two] - self.end[one], 0)
        fade = np.exp(gaps * -self.closeness.decay)
        fade *= (self.list[one] == self.list[two]) & (gaps <= self.closeness.reach)
        return fade

    def glance(self, k: int) -> Floats:
        """For each line a weight that k others of one list reach: those next to it, as if they shared no more."""
        reached = np.zeros(self.table.size.size)
        for first in range(0, self.line.size, _CHUNK):
            last = min(first + _CHUNK, self.line.size)
            low = max(0, first - k)
            near = np.zeros((last - low, 2 * k), np.float32)
            for shift in range(1, k + 1):
                stop = min(last, self.pairs_at(shift))
                if stop <= low:
                    break
                weights = self.fading(low, stop, shift) / (self.size[low:stop] + self.size[low + shift : stop + shift] - 1)
                near[: stop - low, shift - 1] = weights
                behind = min(weights.size, last - low - shift)
                near[shift : shift + behind, k + shift - 1] = weights[:behind]
            kth = np.partition(near[first - low :], k, axis=1)[:, k]
            np.maximum.at(reached, self.line[first:last], kth * (1 - 1e-6))
        return reached

    def reaching(self, low: int, high: int, floor: Floats) -> Iterator[Hits]:
        """The pairs of these shifts, both ways round, that reach the floor of the line that asks."""
        least = floor[self.line]
        for first in range(0, self.line.size, _CHUNK):
            found = []
            for shift in range(low, high + 1):
                stop = min(first + _CHUNK, self.pairs_at(shift))
                if stop <= first:
                    break
                found.append(self._hopeful(first, stop, shift, least))
            if found:
                one, two, unsure = map(np.concatenate, zip(*found, strict=True))
                yield from self._weighed(one, two, unsure, floor)

    def _hopeful(self, first: int, stop: int, shift: int, least: Floats) -> tuple[Ints, ...]:
        one, two = slice(first, stop), slice(first + shift, stop + shift)
        common = self.marks[one] & self.marks[two]
        unsure = ((common & (common - np.uint64(1))) != 0) | (self.blurred[one] & self.blurred[two])
        most = np.where(unsure, np.minimum(self.rest[one], self.rest[two]), 1)
        bound = most / (self.size[one] + self.size[two] - most) * self.fading(first, stop, shift)
        kept = np.flatnonzero((bound >= np.minimum(least[one], least[two]) * _SLACK) & (bound > 0))
        return kept + first, kept + (first + shift), unsure[kept]

    def _weighed(self, one: Ints, two: Ints, unsure: Ints, floor: Floats) -> Iterator[Hits]:
        shared, here = np.ones(one.size, np.int64), np.ones(one.size, np.bool_)
        which = np.flatnonzero(unsure)
        shared[which], rarest = self.table.common(self.line[one[which]], self.line[two[which]])
        here[which] = rarest == self.entity[one[which]]
        one, two, shared = one[here], two[here], shared[here]
        gaps = np.maximum(self.start[two] - self.end[one], 0)
        weights = self.closeness.weights(shared, self.size[one], self.size[two], gaps)
        one, two = self.line[one], self.line[two]
        for asking, other in ((one, two), (two, one)):
            good = weights >= floor[asking]
            yield asking[good], other[good], weights[good]


def _outside_time(table: EventTable, postings: Postings, k: int) -> Floats:
    """For each line a weight that the k events of one list reach that are outside time and have the fewest entities."""
    place = postings.first_of(table.entity) + k  # one more, the event itself may be among them
    there = np.minimum(place, postings.entity.size - 1)
    found = (place == there) & (postings.entity[there] == table.entity) & (postings.start[there] == TIMELESS)
    weights = np.where(found, _SLACK / np.maximum(table.size[table.owner] + postings.size[there] - 1, 1), 0)
    reached = np.zeros(table.size.size)
    np.maximum.at(reached, table.owner, weights)
    return reached
