"""The events of a graph in the form in which many are matched at once: flat arrays, built for one search and thrown away.

The events that have one entity form its posting list. Those with a date lie in the order of time, so that the neighbours of an
event lie around its own place in the list; those outside time come before them, in stretches of equally many-named ones, sorted by
key: for all of a stretch that share nothing else with an asking event the weight is the same number.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt

from chronotope.events.graph.closeness import TIMELESS, Ints
from chronotope.events.graph.rows import EventRows

__all__ = ["EventTable", "Marks", "Postings", "ragged"]

_MANY = 2**40  # more entities than any event has

Marks: TypeAlias = npt.NDArray[np.uint64]


def ragged(starts: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """The numbers `starts[i], starts[i] + 1, …`, `counts[i]` of them, for every i in one array, and the i of each.

    >>> ragged(np.array([7, 3]), np.array([2, 1]))
    (array([7, 8, 3]), array([0, 0, 1]))
    """
    owner = np.repeat(np.arange(counts.size), counts)
    shift = starts - (np.cumsum(counts) - counts)
    return np.arange(owner.size) + shift[owner], owner


@dataclass(frozen=True)
class EventTable:
    """The rows of a graph in the order of time, so that what is visited together lies together; a place in it is a line.

    Args:
        row: the row of each line.
        start, end, size, key: the columns of the rows.
        entity: the entities of every line, one line after the other; they are numbered anew, the rarest is 0, and sorted.
        first: where the entities of each line begin.
        owner: the line of each entry of `entity`.
        marks: one bit for each entry of `entity`; two lines that share an entity share its bit.
        all_marks: the bits of all entities of each line.
        blurred: whether two entities of a line have the same bit.
        kinds: one more than the highest entity number.
    """

    row: Ints
    start: Ints
    end: Ints
    size: Ints
    key: Ints
    entity: Ints
    first: Ints
    owner: Ints
    marks: Marks
    all_marks: Marks
    blurred: npt.NDArray[np.bool_]
    kinds: int

    @classmethod
    def of(cls, rows: EventRows, kinds: int) -> Self:
        """Collect it from the columns of a graph."""
        row = np.argsort(rows.start[: len(rows.numbers)], kind="stable")
        start, end, size, key = (column[row] for column in (rows.start, rows.end, rows.size, rows.key))
        flat = np.fromiter(chain.from_iterable([rows.numbers[i] for i in row.tolist()]), np.int64, int(size.sum()))
        owner = np.repeat(np.arange(size.size), size)
        number = np.empty(kinds, np.int64)
        number[np.argsort(np.bincount(flat, minlength=kinds), kind="stable")] = np.arange(kinds)
        entity = np.sort(owner * kinds + number[flat]) - owner * kinds
        marks = np.left_shift(np.uint64(1), entity.astype(np.uint64) % np.uint64(64))
        all_marks = np.zeros(size.size, np.uint64)
        np.bitwise_or.at(all_marks, owner, marks)
        bits = np.sort(owner * 64 + entity % 64)
        blurred = np.zeros(size.size, np.bool_)
        blurred[bits[1:][bits[1:] == bits[:-1]] // 64] = True
        return cls(row, start, end, size, key, entity, np.cumsum(size) - size, owner, marks, all_marks, blurred, kinds)

    def common(self, one: Ints, two: Ints) -> tuple[Ints, Ints]:
        """How many entities each pair of lines shares, and the rarest of them, -1 where there is none."""
        flat, pair = ragged(self.first[np.concatenate([one, two])], self.size[np.concatenate([one, two])])
        code = np.sort(pair % max(1, one.size) * self.kinds + self.entity[flat])
        pair, entity = np.divmod(code[1:][code[1:] == code[:-1]], self.kinds)
        rarest = np.full(one.size, -1)
        rarest[pair[::-1]] = entity[::-1]
        return np.bincount(pair, minlength=one.size), rarest


class Postings:
    """The posting lists of all entities, one after the other, each cut into stretches.

    Args:
        table: the events.
        timeless: put every event outside time, as a fact outside time sees them.

    Attributes:
        line: the events, list after list.
        start, end, size, marks: their columns, in the same order.
        entity: whose list it is, in the same order.
        rest: how many entities of the event are no rarer than that one.
        place: where in the lists each entry of the table's `entity` stands.
        stops: first and, one further on, last position of each stretch.
        timed: whether a stretch is sorted by time.
        least, most: the smallest and the largest number of entities in each stretch.
        longest: ticks between start and end of the longest event of each stretch.
    """

    def __init__(self, table: EventTable, *, timeless: bool) -> None:
        start = np.full(table.owner.size, TIMELESS) if timeless else table.start[table.owner]
        dated, size = start != TIMELESS, table.size[table.owner]
        part = np.where(dated, 0, size - _MANY)
        order = np.lexsort((table.key[table.owner], start, part, table.entity))
        self.line, self.start, self.size, self.entity = table.owner[order], start[order], size[order], table.entity[order]
        self.rest = (table.first + table.size)[self.line] - order
        self.end, self.marks = table.end[self.line], table.all_marks[self.line]
        self.place = np.empty_like(order)
        self.place[order] = np.arange(order.size)
        part = part[order]
        changes = (np.diff(self.entity) != 0) | (np.diff(part) != 0)
        firsts = np.flatnonzero(np.concatenate([np.ones(min(1, order.size), np.bool_), changes]))
        self.stops, self.timed = np.append(firsts, order.size), part[firsts] == 0
        self.least, self.most = (by.reduceat(self.size, firsts) for by in (np.minimum, np.maximum))
        self.longest = np.maximum.reduceat(self.end - self.start, firsts)
        self.longest[~self.timed] = 0
        self._of_entity = np.searchsorted(self.entity[firsts], np.arange(table.kinds + 1))

    def of(self, entities: Ints) -> tuple[Ints, Ints]:
        """The stretches of each entity in one array, and which of the given entities each belongs to."""
        first = self._of_entity[entities]
        return ragged(first, self._of_entity[entities + 1] - first)

    def first_of(self, entities: Ints) -> Ints:
        """The position at which the list of each entity begins."""
        return np.asarray(self.stops[self._of_entity[entities]])
