"""The exact best K neighbours of many events at once, without comparing all pairs.

Take an event with n entities, rarest first. A neighbour that shares some of them is looked for in the list of the rarest one that
it shares, and counted there only; if that is entity number i of n, it shares at most n - i + 1. This bounds the Jaccard similarity,
and with the time between them the weight. So a list is visited outwards from the event's own place, a few events on either side,
then twice as many, until the bound falls below the weight of the K-th best so far.

Those nearest to it in each list are matched beforehand, by shifting whole lists against themselves. The denser the events lie, the
nearer these are and the sooner the rest is settled, so that an entity that is in every tenth event costs hardly more than one that
is in a hundred.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from chronotope.events.graph.closeness import TIMELESS, Closeness, Floats, Ints, gaps_between
from chronotope.events.graph.near import NEAR, Hits, neighbours_nearby
from chronotope.events.graph.postings import EventTable, Marks, Postings, ragged
from chronotope.events.graph.ranking import Best
from chronotope.events.graph.rows import EventRows

__all__ = ["best_neighbours"]

_BLOCK = 1_024  # events matched together: large enough for numpy, small enough for the processor's cache
_FIRST = 4  # events visited on either side at first
_FASTER = 2  # and then so many times as many
_SLACK = 1 - 1e-9  # a bound is rounded: what comes this near to it is looked at

Bools = npt.NDArray[np.bool_]
Lists = tuple[Ints, Ints, Floats]


def best_neighbours(asked: Ints, rows: EventRows, kinds: int, closeness: Closeness, k: int) -> Iterator[Lists]:
    """For blocks of the asked rows: the rows, their best k neighbours, -1 where there are fewer, and the weights.

    Args:
        asked: rows in use.
        rows: the columns of all events.
        kinds: one more than the highest entity number.
        closeness: the rule of weights.
        k: length of a list.

    Source: DyG-RAG, equations 3 to 6.
    """
    table = EventTable.of(rows, kinds)
    wanted = np.zeros(table.row.size, np.bool_)
    wanted[asked] = True
    named = wanted[table.row] & (table.size > 0)
    for timeless in (False, True):
        group = np.flatnonzero(named & ((table.start == TIMELESS) == timeless))
        if group.size:
            search = _Search(table, Postings(table, timeless=timeless), closeness, k)
            for block in np.split(group, np.flatnonzero(np.diff(group // _BLOCK)) + 1):
                lines, weights = search.run(block)
                yield table.row[block], np.where(lines < 0, -1, table.row[lines]), weights
    alone = asked[rows.size[asked] == 0]
    yield alone, np.full((alone.size, k), -1), np.zeros((alone.size, k))


@dataclass
class _Cursors:
    """One for each stretch of a list that an asking event has to look into.

    Args:
        asking: place of the event in its block.
        stretch: the stretch.
        entity: whose list it is.
        rest: how many of the event's entities are no rarer than this one.
        rarer: the bits of those that are rarer; whoever shares one is counted elsewhere.
        other: the bits of those that are less rare; whoever shares none of these either shares this entity alone.
        bound: largest Jaccard similarity of what is counted here.
        alone: that of what shares this entity alone.
        left: first position visited.
        right: first position not yet visited behind it.
        low: no position before this one needs to be visited.
        high: nor this one or any after it.
    """

    asking: Ints
    stretch: Ints
    entity: Ints
    rest: Ints
    rarer: Marks
    other: Marks
    bound: Floats
    alone: Floats
    left: Ints
    right: Ints
    low: Ints
    high: Ints

    def take(self, which: Bools) -> _Cursors:
        return _Cursors(*(getattr(self, field.name)[which] for field in fields(self)))


class _Search:
    """One pass over blocks of events that are all dated, or all outside time."""

    def __init__(self, table: EventTable, postings: Postings, closeness: Closeness, k: int) -> None:
        self.table, self.postings, self.closeness, self.k = table, postings, closeness, k
        self.floor, hits = neighbours_nearby(table, postings, closeness, k)
        order = np.argsort((hits[0] // _BLOCK).astype(np.uint16), kind="stable")
        self.bounds = np.searchsorted(hits[0][order] // _BLOCK, np.arange(table.row.size // _BLOCK + 2))
        self.hits = hits[0][order], hits[1][order], hits[2][order]

    def run(self, block: Ints) -> tuple[Ints, Floats]:
        flat, owner = ragged(self.table.first[block], self.table.size[block])
        level = flat - self.table.first[block][owner]
        found = Best(self.floor[block], self.k)
        found.add(*self._hits(block))
        cursors, step = self._cursors(block, flat, owner, level), _FIRST
        while cursors.asking.size:
            of, position, moved = self._visit(cursors, block, found.floor, step)
            found.add(*self._weigh(cursors, of, position, block, found.floor))
            cursors, step = cursors.take(moved), _FASTER * step
        return found.lists(self.table.key)

    def _hits(self, block: Ints) -> Hits:
        """What was found nearby for the events of a block."""
        asking, others, weights = self.hits
        number = int(block[0]) // _BLOCK
        part = slice(self.bounds[number], self.bounds[number + 1])
        place = np.full(_BLOCK, -1)
        place[block % _BLOCK] = np.arange(block.size)
        place = place[asking[part] % _BLOCK]
        return place[place >= 0], others[part][place >= 0], weights[part][place >= 0]

    def _cursors(self, block: Ints, flat: Ints, owner: Ints, level: Ints) -> _Cursors:
        postings, size = self.postings, self.table.size[block]
        stretch, of = postings.of(self.table.entity[flat])
        rarer, others = _around(self.table.marks[flat], owner, level, block.size)
        asking, rest = owner[of], size[owner[of]] - level[of]
        low, high, timed = postings.stops[stretch], postings.stops[stretch + 1], postings.timed[stretch]
        last = ~timed & (rest == 1)
        high[last] = np.minimum(high, low + self.k + 1)[last]  # all weigh the same; one more, the event itself may be among them
        place = postings.place[flat[of]]
        left, right = np.where(timed, np.maximum(place - NEAR, low), low), np.where(timed, np.minimum(place + NEAR + 1, high), low)
        shared, alone = np.minimum(rest, postings.most[stretch]), 1 / (size[asking] + postings.least[stretch] - 1)
        bound = shared / (size[asking] + np.maximum(postings.least[stretch], shared) - shared)
        return _Cursors(
            asking, stretch, self.table.entity[flat[of]], rest, rarer[of], others[of], bound, alone, left, right, low, high
        )

    def _visit(self, cursors: _Cursors, block: Ints, floor: Floats, step: int) -> tuple[Ints, Ints, Bools]:
        """Move every cursor outwards by up to `step` events on either side: cursor and place of what is hopeful, and who moved."""
        asking, starts = cursors.asking, self.postings.start
        start, end, radius = self.table.start[block][asking], self.table.end[block][asking], self._radius(cursors, floor[asking])
        to_right = starts[np.minimum(cursors.right, starts.size - 1)] - end
        to_left = start - self.postings.longest[cursors.stretch] - starts[cursors.left - 1]
        timed = self.postings.timed[cursors.stretch]
        to_right[~timed], to_left[~timed] = 0, 0
        behind, before = np.minimum(step, cursors.high - cursors.right), np.minimum(step, cursors.left - cursors.low)
        behind[to_right > radius], before[to_left > radius] = 0, 0
        cursors.left -= before
        position, of = ragged(np.concatenate([cursors.right, cursors.left]), np.concatenate([behind, before]))
        cursors.right += behind
        nearest = np.maximum(np.concatenate([to_right, to_left]), 0)
        enough = np.tile(cursors.alone, 2) * np.exp(nearest * -self.closeness.decay) >= np.tile(floor[asking], 2) * _SLACK
        kept = np.flatnonzero(enough[of] | ((self.postings.marks[position] & np.tile(cursors.other, 2)[of]) != 0))
        of, position = of[kept], position[kept]
        of[of >= asking.size] -= asking.size
        return of, position, (behind > 0) | (before > 0)

    def _radius(self, cursors: _Cursors, floor: Floats) -> Ints:
        """Largest distance at which an event of the stretch could reach the floor; negative where none could."""
        reach, decay = self.closeness.reach, self.closeness.decay
        radius = np.full(floor.size, reach)
        if decay:
            bounded = floor > 0
            room = (np.log(cursors.bound[bounded] / floor[bounded]) + (1 - _SLACK)) / decay + 1
            radius[bounded] = np.minimum(room, reach).astype(np.int64)
        radius[cursors.bound < floor * _SLACK] = -1
        return radius

    def _weigh(self, cursors: _Cursors, of: Ints, position: Ints, block: Ints, floor: Floats) -> tuple[Ints, Ints, Floats]:
        """The visited events that are neighbours, counted in the list of the rarest entity they share, and reach the floor."""
        table, postings = self.table, self.postings
        asking, line, marks = cursors.asking[of], postings.line[position], postings.marks[position]
        size, other, least = table.size[block], postings.size[position], floor * _SLACK
        gaps = gaps_between(table.start[block][asking], table.end[block][asking], postings.start[position], postings.end[position])
        alone = (marks & cursors.other[of]) == 0
        shared = np.where(alone, 1, np.minimum(cursors.rest[of], other))
        hopeful = self.closeness.weights(shared, size[asking], other, gaps) >= least[asking]
        kept = np.flatnonzero(hopeful & (line != block[asking]) & (gaps <= self.closeness.reach))
        of, asking, line, gaps, other = of[kept], asking[kept], line[kept], gaps[kept], other[kept]
        unsure = np.flatnonzero(~(alone[kept] & ((marks[kept] & cursors.rarer[of]) == 0)))
        shared, counted_here = np.ones(line.size, np.int64), np.ones(line.size, np.bool_)
        shared[unsure], rarest = table.common(block[asking[unsure]], line[unsure])
        counted_here[unsure] = rarest == cursors.entity[of[unsure]]
        weights = self.closeness.weights(shared, size[asking], other, gaps)
        good = counted_here & (weights >= floor[asking])
        return asking[good], line[good], weights[good]


def _around(marks: Marks, owner: Ints, level: Ints, size: int) -> tuple[Marks, Marks]:
    """For each entity of each event the bits of those of its entities that are rarer, and of those that are not."""
    table = np.zeros((size, int(level.max(initial=0)) + 3), np.uint64)
    table[owner, level + 1] = marks
    before = np.bitwise_or.accumulate(table, axis=1)
    after = np.bitwise_or.accumulate(table[:, ::-1], axis=1)[:, ::-1]
    return before[owner, level], after[owner, level + 2]
