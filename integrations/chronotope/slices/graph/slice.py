"""A slice of a story: the facts for which every asked constraint holds, their edges, and what each constraint did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from chronotope.records import Issue
from chronotope.slices.edge import Edge
from chronotope.slices.fact import Fact
from chronotope.slices.graph.arrays import Bools, Ints
from chronotope.slices.graph.asking import Asked, Match, matches
from chronotope.slices.graph.edges import edge_of_rows, multigraph
from chronotope.slices.graph.paths import LONGEST, Path, shortest_paths

if TYPE_CHECKING:
    from chronotope.slices.graph.graph import StoryGraph

__all__ = ["Constraint", "Slice"]


@dataclass(frozen=True)
class Constraint:
    """What one constraint of a slice did.

    Args:
        name: of the constraint, as `StoryGraph.slice` calls it.
        asked: what was asked, in words.
        alone: how many facts it matches by itself.
        without: how many facts the slice would have without it. For `reader_at` that is what the slice has: what is told later is
            not even counted.
    """

    name: str
    asked: str
    alone: int
    without: int


@dataclass(frozen=True, eq=False, repr=False)
class Slice:
    """The part of a graph for which all asked constraints hold. Lists are made when they are first asked for.

    Args:
        graph: the graph that it was cut from; that of the reader, where one was asked for. Facts that say that two names are one's
            are among the facts, but make no edge where the names are merged.
        rows: places of its facts in `graph.facts`, ascending.
        trace: what each constraint did.
        issues: constraints that match nothing.
    """

    graph: StoryGraph
    rows: Ints
    trace: tuple[Constraint, ...] = ()
    issues: tuple[Issue, ...] = ()

    @classmethod
    def of(cls, graph: StoryGraph, asked: Asked) -> Slice:
        """Cut a graph; for a reader, the graph is that of the reader already."""
        found = list(matches(graph, asked))
        mask = _all(found, len(graph))
        rows = np.flatnonzero(mask)
        trace = [
            Constraint(match.name, match.asked, _count(match.mask), _without(found, i, len(graph))) for i, match in enumerate(found)
        ]
        if asked.reader_at is not None:
            trace.append(Constraint("reader_at", f"chapter {asked.reader_at}", len(graph), int(rows.size)))
        return cls(graph, rows, tuple(trace), tuple(issue for match in found for issue in match.issues))

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Its facts, in the order of telling."""
        return self.telling_order

    @cached_property
    def telling_order(self) -> tuple[Fact, ...]:
        """Its facts, in the order in which they are told."""
        return tuple(self.graph.facts[row] for row in self.rows.tolist())

    @cached_property
    def story_order(self) -> tuple[Fact, ...]:
        """Its facts, in the order in which they begin to be so; what is always so comes first, what nothing places in time last."""
        return tuple(self.graph.facts[row] for row in sorted(self.rows.tolist(), key=self._begins))

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Its edges, in the order of telling, each as far as facts of the slice tell it."""
        return tuple(self._edges_of(self.edge_numbers))

    @cached_property
    def entities(self) -> tuple[str, ...]:
        """Ids of the entities that its facts touch, in the order in which the story first names them."""
        touched = np.zeros(len(self.graph.entity_ids) + 1, np.bool_)  # the last stands for "none", which is -1
        arrays = self.graph.arrays
        touched[arrays.subject[self.rows]] = touched[arrays.object[self.rows]] = True
        return tuple(self.graph.entity_ids[number] for number in np.flatnonzero(touched[:-1]).tolist())

    @cached_property
    def edge_numbers(self) -> Ints:
        """Numbers of its edges in the graph, in the order of telling."""
        return np.flatnonzero(self._has_edge)

    def page(self, first: int = 0, count: int = 50) -> tuple[Edge, ...]:
        """Some of its edges, without making all of them.

        Args:
            first: how many to skip.
            count: how many to make at most.
        """
        return tuple(self._edges_of(self.edge_numbers[first : first + count]))

    def neighbours(self, entity: str) -> tuple[Edge, ...]:
        """The edges of the slice that touch an entity, given by name or id, in the order of telling."""
        arrays, numbers = self.graph.arrays, self.graph.numbers
        touching = [arrays.by_entity.of_number(numbers[one]) for one in self.graph.entity_ids_of(entity)]
        rows = np.concatenate([np.empty(0, np.int64), *touching])
        edges = np.unique(arrays.edge[rows[self._has_row[rows]]])
        return tuple(self._edges_of(edges[self.graph.joins_two[edges]]))

    def paths(self, entities: Iterable[str], *, limit: int = LONGEST) -> tuple[Path, ...]:
        """The shortest path inside the slice between each two of some entities; none for two that nothing connects.

        Edges are walked both ways. Of equally short paths the one with the fewest doubted edges is taken, then the one that is told
        first, edge by edge.

        Args:
            entities: names or ids; those that the slice does not have are passed over.
            limit: longest path in edges, at least 1.

        Raises:
            ValueError: `limit` is below 1.
        """
        if limit < 1:
            raise ValueError(f"limit must be at least 1, not {limit}")
        named = [one for name in entities for one in self.graph.entity_ids_of(name)]
        numbers = [self.graph.numbers[one] for one in dict.fromkeys(named)]
        return shortest_paths(self, numbers, limit)

    @property
    def networkx(self) -> Any:  # noqa: ANN401 - a networkx.MultiDiGraph, imported only where it is used
        """A copy as a `networkx.MultiDiGraph`, as the graph gives it."""
        return multigraph(self.graph, self.edges)

    def __len__(self) -> int:
        """Number of edges."""
        return int(np.count_nonzero(self._has_edge))

    def __bool__(self) -> bool:
        return bool(self.rows.size)

    def __eq__(self, other: object) -> bool:
        """True for a slice with the same facts, edges, trace and issues, of whatever graph."""
        if not isinstance(other, Slice):
            return NotImplemented
        told = (self.trace, self.issues) == (other.trace, other.issues)
        return told and (self.facts, self.edges) == (other.facts, other.edges)

    def __hash__(self) -> int:
        return hash((self.rows.size, self.trace, self.issues))

    def __repr__(self) -> str:
        asked = ", ".join(f"{one.name}={one.asked!r}" for one in self.trace) or "everything"
        return f"Slice({asked}: {self.rows.size:,} facts, {len(self):,} edges)"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("subject", "relation", "object", "chapters", "story time", "places"))
        rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in self._cells(edge))}</tr>" for edge in self.page())
        return f"<p>{escape(repr(self))}</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def edge_of(self, number: int) -> Edge:
        """The edge of this number, as far as facts of the slice tell it."""
        rows = self.graph.rows_of_edge(number)
        return edge_of_rows(self.graph, number, rows[self._has_row[rows]])

    def _edges_of(self, numbers: Ints) -> Iterator[Edge]:
        return (self.edge_of(number) for number in numbers.tolist())

    def _cells(self, edge: Edge) -> tuple[str, ...]:
        when = "; ".join(map(self.graph.axis.phrase, edge.validity))
        names = [self.graph.name_of(one) for one in (edge.subject, edge.object)]
        told = ", ".join(map(str, edge.chapters))
        return names[0], edge.relation.replace("_", " "), names[1], told, when, ", ".join(map(self.graph.name_of, edge.places))

    def _begins(self, row: int) -> tuple[bool, bool, int, int]:
        times = self.graph.validity[row]
        start = times[0].start if times else None
        return not times, start is not None, start or 0, row

    @cached_property
    def _has_row(self) -> Bools:
        mask = np.zeros(len(self.graph), np.bool_)
        mask[self.rows] = True
        return mask

    @cached_property
    def _has_edge(self) -> Bools:
        mask = np.zeros(len(self.graph.keys), np.bool_)
        mask[self.graph.arrays.edge[self.rows]] = True
        return mask & self.graph.joins_two


def _all(found: Iterable[Match], size: int) -> Bools:
    mask = np.ones(size, np.bool_)
    for match in found:
        mask &= match.mask
    return mask


def _without(found: list[Match], place: int, size: int) -> int:
    return _count(_all((match for i, match in enumerate(found) if i != place), size))


def _count(mask: Bools) -> int:
    return int(np.count_nonzero(mask))
