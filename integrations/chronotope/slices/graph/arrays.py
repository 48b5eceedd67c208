"""The facts of a graph as arrays: one row a fact, in the order of telling, with look-ups by chapter, entity, place and time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from chronotope.slices.graph.when import When
from chronotope.temporal.interval import Interval

__all__ = ["NO_CHAPTER", "Bools", "FactArrays", "Groups", "Ints"]

NO_CHAPTER = -(2**62)
"""Stands for the chapter of a fact that has none: it counts as told before the first."""

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Groups:
    """Rows by the number of what they belong to, in compressed form.

    Args:
        bounds: rows of number i are entries `bounds[i]` to `bounds[i + 1]`.
        rows: the rows, ascending within each number.
    """

    bounds: Ints
    rows: Ints

    @classmethod
    def of(cls, numbers: Ints, rows: Ints, count: int) -> Groups:
        """Group rows by numbers below `count`; negative numbers are left out."""
        known = numbers >= 0
        numbers, rows = numbers[known], rows[known]
        order = np.lexsort((rows, numbers))
        bounds = np.searchsorted(numbers[order], np.arange(count + 1))
        return cls(bounds.astype(np.int64), rows[order])

    def of_number(self, number: int) -> Ints:
        """The rows of one number."""
        found: Ints = self.rows[int(self.bounds[number]) : int(self.bounds[number + 1])]
        return found

    def places_of(self, numbers: Ints) -> Ints:
        """Entries of `rows` that belong to any of the numbers, those of the first number first."""
        starts, sizes = self.bounds[numbers], self.bounds[numbers + 1] - self.bounds[numbers]
        before = np.cumsum(sizes) - sizes
        entries: Ints = np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
        return entries


@dataclass(frozen=True)
class FactArrays:
    """Columns of the facts.

    Args:
        chapter: number of the chapter that tells each, ascending; `NO_CHAPTER` where there is none.
        subject: number of its entity.
        object: number of its entity; -1 where it has none, or a value.
        place: number of its place, -1 where unknown.
        edge: number of its edge.
        timeless: True where the relation is outside time.
        untimed: True where nothing places it in time.
        low: True where soft rules doubt it.
        times: when each is so in the story.
        by_entity: rows by the number of an entity that they touch.
    """

    chapter: Ints
    subject: Ints
    object: Ints
    place: Ints
    edge: Ints
    timeless: Bools
    untimed: Bools
    low: Bools
    times: When
    by_entity: Groups

    def __len__(self) -> int:
        return int(self.chapter.size)

    def told_in(self, chapters: Iterable[int]) -> Bools:
        """Rows told in any of the chapters, as a bitmap."""
        mask = np.zeros(len(self), np.bool_)
        for number in chapters:
            first, last = np.searchsorted(self.chapter, [number, number + 1])
            mask[first:last] = True
        return mask

    def so_at(self, times: Sequence[Interval]) -> Bools:
        """Rows that are so at any of the times, timeless ones included, as a bitmap."""
        return self.times.mask(times) | self.timeless

    def touching(self, entities: Iterable[int]) -> Bools:
        """Rows that touch any of the entities, as a bitmap."""
        mask = np.zeros(len(self), np.bool_)
        for number in entities:
            mask[self.by_entity.of_number(number)] = True
        return mask

    def within(self, entities: Iterable[int], steps: int, count: int) -> Bools:
        """Rows that lie within some steps of any of the entities, as a bitmap.

        Args:
            entities: numbers of entities.
            steps: 1 for the rows that touch one of them, 2 for those that touch one of their neighbours, and so on.
            count: number of all entities.
        """
        mask = self.touching(entities)
        for _ in range(steps - 1):
            near = np.zeros(count + 1, np.bool_)  # the last stands for "no entity", which is -1
            near[self.subject[mask]] = near[self.object[mask]] = True
            near[-1] = False
            wider = near[self.subject] | near[self.object]
            if np.array_equal(wider, mask):
                break
            mask = wider
        return mask
