"""The event graph: events that share entities and lie near each other in time, with the K best neighbours of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from chronotope.events.graph.closeness import Closeness, Distance, Event, Floats, Ints, gaps_between
from chronotope.events.graph.entities import EntityIndex
from chronotope.events.graph.ranking import NeighbourLists, best
from chronotope.events.graph.rows import EventRows
from chronotope.events.graph.search import best_neighbours

__all__ = ["Edge", "EventGraph", "GraphArrays"]

DAY = 86_400
_ONE_BY_ONE = 20  # a batch below this share of the graph is entered event by event, a larger one builds all lists anew


class Edge(NamedTuple):
    """An undirected edge; `first` comes before `second` in the order of ids."""

    first: str
    second: str
    weight: float


class GraphArrays(NamedTuple):
    """The lists of neighbours in compressed form, independent of the order in which events were added.

    Args:
        ids: event ids in ascending order; an event's number is its place here.
        bounds: the neighbours of number i are entries `bounds[i]` to `bounds[i + 1]`.
        neighbours: their numbers, heaviest edge first.
        weights: weights of the edges.
    """

    ids: tuple[str, ...]
    bounds: Ints
    neighbours: npt.NDArray[np.int32]
    weights: Floats


class EventGraph:
    """Events joined by shared entities and nearness in time.

    Two events are joined when they share an entity and lie within `max_gap` of each other. The edge weighs the Jaccard
    similarity of their entities times `exp(-decay · distance)`. Each event lists its `top_k` heaviest neighbours; of equally heavy
    ones those with the smaller ids. Walks follow these lists (the paper's N in equations 6 and 9), so no event has more than
    `top_k` ways out. The undirected graph that `edges` and `networkx` show has an edge wherever at least one end lists the other.

    Facts outside time, events that nothing dates, and events open on both sides hold at every moment: their distance from
    anything is 0, so their edges weigh the Jaccard similarity alone and no `max_gap` applies.

    The lists are exact and depend on the events alone, not on the order or the batches in which they came. Queries may run in
    several threads at once; changes need the graph for themselves.

    Args:
        max_gap: largest distance in units (Δt), or None for no limit but one: where the factor of time falls below e⁻⁶⁰⁰, there
            is no edge.
        decay: share of weight lost per unit of distance (α); 0 for none.
        top_k: largest number of neighbours that an event lists (K), at least 1.
        distance: `start` measures from the earliest known tick of each event (the paper's way); `gap` counts the ticks between
            the two stretches that cover each event's times, 0 where they meet. Long events cost more time under `gap`.
        unit: ticks of the axis in one unit; a day of seconds unless the axis counts something else, such as chapters.

    Raises:
        ValueError: an option is out of its range.

    Source: DyG-RAG, section 3.4, equations 3 to 6.

    >>> from chronotope.events import EventUnit
    >>> from chronotope.temporal.interval import TimeInterval
    >>> def event(day, *names):
    ...     return EventUnit(text=day, id=day, times=(TimeInterval.parse(day),), entities=names)
    >>> graph = EventGraph(max_gap=30, decay=0.1)
    >>> graph.add([event("1931-05-01", "Ann", "Turin"), event("1931-05-11", "Ann"), event("1931-09-01", "Ann")])
    >>> [(edge.first, edge.second, round(edge.weight, 3)) for edge in graph.edges()]
    [('1931-05-01', '1931-05-11', 0.184)]
    """

    def __init__(
        self,
        *,
        max_gap: float | None = 3_650,
        decay: float = 0.001,
        top_k: int = 10,
        distance: Distance = "start",
        unit: int = DAY,
    ) -> None:
        if top_k < 1:
            raise ValueError(f"top_k must be at least 1, not {top_k}")
        self._closeness = Closeness.of(max_gap, decay, distance, unit)
        self._rows, self._entities, self._lists = EventRows(), EntityIndex(), NeighbourLists(top_k)

    @property
    def top_k(self) -> int:
        """Largest number of neighbours that an event lists."""
        return self._lists.k

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: object) -> bool:
        return name in self._rows.row

    def __iter__(self) -> Iterator[str]:
        """Event ids in ascending order."""
        return (self._rows.event(row).id for row in self._rows.in_order().tolist())

    def add(self, events: Iterable[Event]) -> None:
        """Add events and join them to those that are there.

        A few events touch only the lists of events that share an entity with them; a batch that is large beside the graph
        builds all lists anew, which costs less then.

        Raises:
            ValueError: an id is there already or comes twice, an id is empty, or a tick is too far from 0; nothing is added then.
        """
        new = list(events)
        places = self._checked(new)
        if len(new) * _ONE_BY_ONE <= len(self):
            for event, place in zip(new, places, strict=True):
                self._join(self._enter(event, place))
            return
        self._rows.add_many(new, [self._entities.numbers(_names(event)) for event in new], places)
        self._lists.make_room(self._rows.size.size)
        self._index_all()
        self._rank(self._rows.in_order())

    def remove(self, ids: Iterable[str]) -> None:
        """Take events out; events that listed them get their next best neighbours instead.

        Raises:
            KeyError: an id is not in the graph; nothing is removed then.
        """
        names = list(dict.fromkeys(ids))
        self._require(names)
        widowed: set[int] = set()
        gone = {self._rows.row[name] for name in names}
        for row in gone:
            widowed.update(self._lists.listing([row], self._candidates(row)[0]).tolist())
        for name in names:
            self._leave(name)
        self._rank(np.array(sorted(widowed - gone), np.int64))

    def update(self, event: Event) -> None:
        """Put a changed event in the place of the one with the same id.

        Raises:
            KeyError: the id is not in the graph.
            ValueError: a tick of the new event is too far from 0; nothing is changed then.
        """
        self._require([event.id])
        row, place = self._rows.row[event.id], self._closeness.place(event)
        old = self._rows.event(row)
        if set(old.entities) == set(event.entities) and self._closeness.place(old) == place:
            self._rows.events[row] = event
            return
        self.remove([event.id])
        self._join(self._enter(event, place))

    def event(self, name: str) -> Event:
        """The event with this id.

        Raises:
            KeyError: it is not in the graph.
        """
        self._require([name])
        return self._rows.event(self._rows.row[name])

    def neighbours(self, name: str) -> dict[str, float]:
        """The heaviest neighbours of an event, heaviest first, with the weights of the edges; at most `top_k`.

        Raises:
            KeyError: the event is not in the graph.
        """
        self._require([name])
        row = self._rows.row[name]
        listed = zip(self._lists.rows[row].tolist(), self._lists.weights[row].tolist(), strict=True)
        return {self._rows.event(other).id: weight for other, weight in listed if other >= 0}

    def rows_of(self, names: Sequence[str]) -> Ints:
        """The rows of events, numbers that hold until the graph is changed.

        Raises:
            KeyError: an event is not in the graph.
        """
        self._require(names)
        return np.array([self._rows.row[name] for name in names], np.int64)

    def names_of(self, rows: Ints) -> list[str]:
        """The ids of the events in these rows."""
        return [self._rows.event(row).id for row in rows.tolist()]

    def follow(self, rows: Ints, chances: Floats) -> Ints:
        """One step from each row to a neighbour, chosen in proportion to the weights; -1 where there is no neighbour.

        Args:
            rows: where the steps begin.
            chances: a number in [0, 1) for each, which makes the choice.

        Source: DyG-RAG, equation 9.
        """
        so_far = np.cumsum(self._lists.weights[rows], axis=1)
        listed = (self._lists.rows[rows] >= 0).sum(axis=1)
        choice = (so_far <= (chances * so_far[:, -1])[:, None]).sum(axis=1)
        onward = self._lists.rows[rows, np.minimum(choice, np.maximum(listed - 1, 0))]
        return np.where(listed > 0, onward, -1).astype(np.int64)

    def edges(self) -> list[Edge]:
        """Every undirected edge once, in the order of ids: a pair is joined when at least one end lists the other."""
        ids, bounds, neighbours, weights = self.arrays()
        owner = np.repeat(np.arange(len(ids)), np.diff(bounds))
        pair = np.minimum(owner, neighbours) * len(ids) + np.maximum(owner, neighbours)
        pair, where = np.unique(pair, return_index=True)
        first, second = np.divmod(pair, max(1, len(ids)))
        return [Edge(ids[a], ids[b], w) for a, b, w in zip(first.tolist(), second.tolist(), weights[where].tolist(), strict=True)]

    @property
    def networkx(self) -> Any:  # noqa: ANN401 - a networkx.Graph, imported only here
        """A copy as an undirected `networkx.Graph`: nodes are event ids with their `event`, edges have a `weight`."""
        import networkx as nx

        graph: Any = nx.Graph()
        graph.add_nodes_from((name, {"event": self.event(name)}) for name in self)
        graph.add_weighted_edges_from(self.edges())
        return graph

    def arrays(self) -> GraphArrays:
        """The lists of neighbours as plain arrays; `from_arrays` is the inverse."""
        order = self._rows.in_order()
        number = np.full(len(self._rows.events) + 1, -1, np.int32)
        number[order] = np.arange(order.size)
        listed = self._lists.rows[order]
        full = listed >= 0
        bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(full.sum(axis=1))])
        return GraphArrays(tuple(self), bounds, number[listed[full]], self._lists.weights[order][full])

    @classmethod
    def from_arrays(cls, events: Iterable[Event], arrays: GraphArrays, **options: Any) -> Self:  # noqa: ANN401 - as the class takes them
        """The graph that `arrays` was taken from, without searching for neighbours again.

        Args:
            events: its events, in any order.
            arrays: what `arrays` gave.
            options: those of the graph, as they were.

        Raises:
            ValueError: the events are others than those of the arrays, or a list is longer than `top_k`.
        """
        graph = cls(**options)
        known = list(events)
        places = graph._checked(known)
        if tuple(sorted(event.id for event in known)) != tuple(arrays.ids):
            raise ValueError("the saved neighbours are those of other events; build the graph anew with `add`")
        if np.diff(arrays.bounds).max(initial=0) > graph.top_k:
            raise ValueError(f"a saved list is longer than top_k = {graph.top_k}; give the options that the graph was built with")
        graph._rows.add_many(known, [graph._entities.numbers(_names(event)) for event in known], places)
        graph._lists.make_room(graph._rows.size.size)
        graph._index_all()
        order = graph._rows.in_order()
        owner = np.repeat(np.arange(order.size), np.diff(arrays.bounds))
        column = np.arange(owner.size) - arrays.bounds[owner]
        graph._lists.rows[order[owner], column] = order[arrays.neighbours]
        graph._lists.weights[order[owner], column] = arrays.weights
        return graph

    def _checked(self, events: Sequence[Event]) -> list[tuple[int, int]]:
        seen: set[str] = set()
        for event in events:
            if not event.id:
                raise ValueError("an event needs an id that is not empty")
            if event.id in seen or event.id in self:
                raise ValueError(f"event {event.id!r} is in the graph already; use `update` to change it")
            seen.add(event.id)
        return [self._closeness.place(event) for event in events]

    def _require(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self:
                raise KeyError(f"no event {name!r} in the graph")

    def _enter(self, event: Event, place: tuple[int, int]) -> int:
        numbers = self._entities.numbers(_names(event))
        row = self._rows.add(event, numbers, place)
        self._entities.add(row, numbers, *place)
        self._lists.make_room(self._rows.size.size)
        return row

    def _leave(self, name: str) -> None:
        row = self._rows.row[name]
        self._entities.remove(row, _names(self._rows.event(row)))
        self._rows.remove(name)
        self._lists.put(row, np.empty(0, np.int64), np.empty(0))

    def _join(self, row: int) -> None:
        """Give a new row its list, and put it into the lists of others."""
        others, weights = self._candidates(row)
        self._lists.put(row, *best(others, weights, self._rows.key, self.top_k))
        self._lists.offer(row, others, weights, self._rows.key)

    def _rank(self, rows: Ints) -> None:
        """Find the lists of these rows from scratch."""
        if rows.size * _ONE_BY_ONE <= len(self):
            for row in rows.tolist():
                self._lists.put(row, *best(*self._candidates(row), self._rows.key, self.top_k))
            return
        for block, neighbours, weights in best_neighbours(
            rows, self._rows, self._entities.numbers_used, self._closeness, self.top_k
        ):
            self._lists.rows[block], self._lists.weights[block] = neighbours, weights

    def _candidates(self, row: int) -> tuple[Ints, Floats]:
        """Every other row that this one could have an edge to, each once, with the weight."""
        rows = self._rows
        start, end = int(rows.start[row]), int(rows.end[row])
        others, shared = self._entities.sharing(rows.numbers[row], start, end, self._closeness.reach)
        gaps = gaps_between(start, end, rows.start[others], rows.end[others])
        near = (others != row) & (gaps <= self._closeness.reach)
        others, shared, gaps = others[near], shared[near], gaps[near]
        return others, self._closeness.weights(shared, rows.size[row], rows.size[others], gaps)

    def _index_all(self) -> None:
        """Build the inverted index anew from the rows."""
        rows = self._rows
        size = rows.size[: len(rows.numbers)]
        member = np.repeat(np.arange(size.size), size)
        numbers = np.fromiter(chain.from_iterable(rows.numbers), np.int64, member.size)
        self._entities.fill(member, numbers, rows.start[member], int((rows.end - rows.start).max(initial=0)))


def _names(event: Event) -> tuple[str, ...]:
    """The names of an event, each once."""
    return tuple(dict.fromkeys(event.entities))
