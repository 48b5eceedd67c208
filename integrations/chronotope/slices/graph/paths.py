"""Shortest paths between entities inside a slice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chronotope.slices.edge import Edge
from chronotope.slices.graph.arrays import Bools, Groups, Ints

if TYPE_CHECKING:
    from chronotope.slices.graph.slice import Slice

__all__ = ["LONGEST", "Path", "Ways", "shortest_paths"]

LONGEST = 4
_FAR = 2**31


@dataclass(frozen=True)
class Path:
    """A way from one entity to another.

    Args:
        entities: ids of those on the way, both ends included.
        edges: the edges between them, one fewer.
    """

    entities: tuple[str, ...]
    edges: tuple[Edge, ...]

    def __len__(self) -> int:
        """Number of edges."""
        return len(self.edges)


@dataclass(frozen=True)
class Ways:
    """Where one can go from each entity of a graph.

    Args:
        groups: entries by the number of the entity where they begin.
        edges: the edge of each entry.
        to: number of the entity where it leads.
    """

    groups: Groups
    edges: Ints
    to: Ints

    @classmethod
    def of(cls, one: Ints, other: Ints, count: int) -> Ways:
        """From the numbers of both ends of each edge; edges without a second entity, or back to the same, lead nowhere."""
        leads = (other >= 0) & (one != other)
        edges = np.flatnonzero(leads)
        starts, ends = np.concatenate([one[edges], other[edges]]), np.concatenate([other[edges], one[edges]])
        groups = Groups.of(starts, np.arange(starts.size, dtype=np.int64), count)
        return cls(groups, np.concatenate([edges, edges])[groups.rows], ends[groups.rows])

    def from_(self, entities: Ints, allowed: Bools) -> tuple[Ints, Ints, Ints]:
        """All ways from some entities along allowed edges: the edges, where they begin, and where they lead."""
        entries = self.groups.places_of(entities)
        sizes = self.groups.bounds[entities + 1] - self.groups.bounds[entities]
        starts = np.repeat(entities, sizes)
        kept = allowed[self.edges[entries]]
        return self.edges[entries[kept]], starts[kept], self.to[entries[kept]]


def shortest_paths(cut: Slice, entities: Sequence[int], limit: int) -> tuple[Path, ...]:
    """A shortest path between each two entities, in the order given; see `Slice.paths`.

    Args:
        cut: the slice.
        entities: numbers of entities, each once.
        limit: longest path in edges.
    """
    search = _Search(cut)
    found = {}
    for place in range(1, len(entities)):
        target, sources = entities[place], entities[:place]
        for source, walked in search.to(target, sources, limit).items():
            found[entities.index(source), place] = walked
    return tuple(_path(cut, *found[pair]) for pair in sorted(found))


def _path(cut: Slice, entities: list[int], edges: list[int]) -> Path:
    return Path(tuple(cut.graph.entity_ids[number] for number in entities), tuple(cut.edge_of(number) for number in edges))


class _Search:
    """Edges of a slice with what ranks them: whether all facts of the slice doubt them, and which is told first."""

    def __init__(self, cut: Slice) -> None:
        arrays, rows = cut.graph.arrays, cut.rows
        self.ways, self.allowed = cut.graph.ways, np.zeros(len(cut.graph.keys), np.bool_)
        self.allowed[arrays.edge[rows]] = True
        self.doubted = self.allowed.astype(np.int64)
        self.doubted[arrays.edge[rows[~arrays.low[rows]]]] = 0
        self.first = np.zeros(len(cut.graph.keys), np.int64)
        self.first[arrays.edge[rows[::-1]]] = rows[::-1]  # the first row is written last
        self.count = len(cut.graph.entity_ids)

    def to(self, target: int, sources: Sequence[int], limit: int) -> dict[int, tuple[list[int], list[int]]]:
        """The best shortest path to a target from each source that has one: entities and edges.

        Rings of entities are laid around the target, one step further each time, until they touch every source.
        """
        steps = np.full(self.count, _FAR, np.int64)
        doubts = np.full(self.count, _FAR, np.int64)
        steps[target] = doubts[target] = 0
        ring, found = np.array([target], np.int64), {}
        waiting = list(sources)
        for step in range(1, limit + 1):
            for source in list(waiting):
                if (walked := self._walk(source, step, steps, doubts)) is not None:
                    found[source] = walked
                    waiting.remove(source)
            if not waiting or step == limit or not ring.size:
                break
            ring = self._widen(ring, step, steps, doubts)
        return found

    def _widen(self, ring: Ints, step: int, steps: Ints, doubts: Ints) -> Ints:
        """The next ring, with the fewest doubted edges from each of its entities to the target."""
        edges, starts, ends = self.ways.from_(ring, self.allowed)
        new = steps[ends] >= step
        edges, starts, ends = edges[new], starts[new], ends[new]
        steps[ends] = step
        np.minimum.at(doubts, ends, doubts[starts] + self.doubted[edges])
        seen = np.zeros(self.count, np.bool_)
        seen[ends] = True
        return np.flatnonzero(seen)

    def _walk(self, source: int, length: int, steps: Ints, doubts: Ints) -> tuple[list[int], list[int]] | None:
        """The best path of a length down the rings; None when the source is further away."""
        entities, edges = [source], []
        for step in range(length - 1, -1, -1):
            ways, _, ends = self.ways.from_(np.array([entities[-1]], np.int64), self.allowed)
            inward = steps[ends] == step
            if not inward.any():
                return None
            ways, ends = ways[inward], ends[inward]
            cost = doubts[ends] + self.doubted[ways]
            best = np.flatnonzero(cost == cost.min())
            chosen = best[np.argmin(self.first[ways[best]])]
            edges.append(int(ways[chosen]))
            entities.append(int(ends[chosen]))
        return entities, edges
