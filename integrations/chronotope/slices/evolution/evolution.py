"""How somebody's place in the story changes along an axis: ties, brokerage, reach over places (NS-ST-GraphRAG, figure 10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any

from chronotope.errors import FactError
from chronotope.records import Issue
from chronotope.slices.evolution.networks import PIVOTS, EvolutionAxis, Landmark, Network, Steps, networks_along, networks_around
from chronotope.slices.graph import StoryGraph
from chronotope.temporal.interval import Interval

__all__ = ["Comparison", "Evolution", "EvolutionAxis", "EvolutionRow", "Rise", "evolution", "evolution_of_all"]

_COLUMNS = ("facts", "degree", "betweenness", "places", "bridge")


@dataclass(frozen=True, kw_only=True)
class EvolutionRow:
    """Somebody's place in one slice of the story.

    Args:
        step: the slice in words.
        interval: the slice: chapter numbers or story time.
        facts: number of facts of the slice about the entity.
        degree: number of entities that they join it to; places, titles and values do not count.
        betweenness: share of shortest paths between others that lead through it, 0 to 1.
        places: number of places where its facts are.
        bridge: share of the pairs of others in its component that are connected only through it, 0 to 1.
    """

    step: str
    interval: Interval
    facts: int = 0
    degree: int = 0
    betweenness: float = 0.0
    places: int = 0
    bridge: float = 0.0


@dataclass(frozen=True)
class Comparison:
    """Somebody's place before and after something.

    Args:
        name: who.
        landmark: what lies between.
        before: in all of the story before it.
        after: in all of the story after it.
    """

    name: str
    landmark: str
    before: EvolutionRow
    after: EvolutionRow

    def table(self) -> str:
        """Both rows as text, with what changed."""
        change = tuple(getattr(self.after, name) - getattr(self.before, name) for name in _COLUMNS)
        return _table(f"{self.name}, {self.landmark}", [_cells(self.before), _cells(self.after), ("change", *map(_number, change))])

    def __str__(self) -> str:
        return self.table()


@dataclass(frozen=True, repr=False)
class Evolution:
    """Somebody's place in the story, step by step.

    Args:
        entity: id of the entity.
        name: its name.
        axis: what the steps lie on.
        rows: one for each step.
        issues: what was estimated.
        graph: the graph that the rows were counted in.
    """

    entity: str
    name: str
    axis: EvolutionAxis
    rows: tuple[EvolutionRow, ...]
    issues: tuple[Issue, ...] = ()
    graph: StoryGraph | None = field(default=None, compare=False)

    def around(self, landmark: Landmark) -> Comparison:
        """Compare all of the story before something with all after it.

        Args:
            landmark: name or id of an event of the story, a chapter number, or an interval of the axis.

        Raises:
            FactError: nothing places the event, or the evolution was read from a file and has no graph.
        """
        if self.graph is None:
            raise FactError("an evolution without its graph compares nothing; ask evolution() of the graph again")
        name, networks = networks_around(self.graph, self.axis, landmark)
        rows = [_row(network, self.entity) for network in networks]
        return Comparison(self.name, name, rows[0], rows[1])

    def table(self) -> str:
        """The rows as text."""
        return _table(self.name, [_cells(row) for row in self.rows])

    def to_json(self) -> dict[str, Any]:
        """The rows as JSON values; an open side of an interval is None."""
        rows = [{**asdict(row), "interval": [row.interval.start, row.interval.end]} for row in self.rows]
        return {
            "entity": self.entity,
            "name": self.name,
            "axis": self.axis,
            "rows": rows,
            "issues": [str(issue) for issue in self.issues],
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.entity, self.name, self.axis, self.rows, self.issues, self.graph)

    def __repr__(self) -> str:
        return f"Evolution of {self.name!r} over {len(self.rows)} steps of {self.axis}\n{self.table()}"


@dataclass(frozen=True)
class Rise:
    """That somebody came to be a bridge.

    Args:
        entity: id of the entity.
        name: its name.
        rise: how much its bridge score grew, from an earlier step to a later one.
        earlier: its place at the earlier step.
        later: its place at the later step.
    """

    entity: str
    name: str
    rise: float
    earlier: EvolutionRow
    later: EvolutionRow

    def __str__(self) -> str:
        return f"{self.name}: {self.earlier.bridge:.3f} ({self.earlier.step}) to {self.later.bridge:.3f} ({self.later.step})"


def evolution(
    graph: StoryGraph,
    entity: str,
    *,
    axis: EvolutionAxis = "story",
    steps: Steps | None = None,
    reader_at: int | None = None,
) -> Evolution:
    """How somebody's place in the story changes.

    The network of a step joins any two entities (places and values are none of its nodes) of which a fact of the slice tells; it
    is undirected, and two ways of being joined count once. In networks of more than 400 nodes betweenness is estimated from 100 of
    them, which is told as an issue.

    Args:
        graph: the story.
        entity: a name or an id.
        axis: `story` for story time, `chapters` for the telling.
        steps: the slices as intervals of the axis, or into how many to cut it; by default one for each chapter, or at most 12
            stretches of story time.
        reader_at: last chapter that the reader knows.

    Raises:
        FactError: the graph has no such entity.
        ValueError: an unknown axis, or no step.

    Source: NS-ST-GraphRAG, figure 10.
    """
    graph = graph if reader_at is None else graph.told_until(reader_at)
    found = next(iter(graph.entity_ids_of(entity)), None)
    if found is None:
        raise FactError(f"no fact of the graph is about {entity!r}; graph.cast.find(name) looks for names")
    networks = networks_along(graph, axis, steps)
    guessed = [network.step for network in networks if network.is_estimated]
    told = f"betweenness is estimated from {PIVOTS} nodes in {len(guessed)} steps, the first {guessed[0]!r}" if guessed else ""
    issues = (Issue("estimated", told),) if told else ()
    return Evolution(found, graph.name_of(found), axis, tuple(_row(network, found) for network in networks), issues, graph)


def evolution_of_all(
    graph: StoryGraph,
    *,
    axis: EvolutionAxis = "story",
    steps: Steps | None = None,
    landmark: Landmark | None = None,
    top: int = 10,
    reader_at: int | None = None,
) -> tuple[Rise, ...]:
    """Who becomes a hidden channel: the entities whose bridge score rises most from an earlier step to a later one.

    Args:
        graph: the story.
        axis: `story` for story time, `chapters` for the telling.
        steps: as for `evolution`.
        landmark: compare all before it with all after it instead of steps; as for `Evolution.around`.
        top: how many, at most.
        reader_at: last chapter that the reader knows.

    Raises:
        FactError: nothing places the landmark.
        ValueError: an unknown axis, no step, or `top` below 1.

    Source: NS-ST-GraphRAG, figure 10.
    """
    if top < 1:
        raise ValueError(f"top must be at least 1, not {top}")
    graph = graph if reader_at is None else graph.told_until(reader_at)
    if landmark is None:
        networks = networks_along(graph, axis, steps)
    else:
        _, networks = networks_around(graph, axis, landmark)
    found = []
    for entity in sorted({entity for network in networks for entity in network.bridges}):
        scores = [network.bridges.get(entity, 0.0) for network in networks]
        rise, one, two = max(((scores[b] - scores[a], a, b) for a, b in combinations(range(len(scores)), 2)), default=(0.0, 0, 0))
        if rise > 0:
            found.append((-rise, entity, one, two))
    return tuple(
        Rise(entity, graph.name_of(entity), -rise, _row(networks[one], entity), _row(networks[two], entity))
        for rise, entity, one, two in sorted(found)[:top]
    )


def _row(network: Network, entity: str) -> EvolutionRow:
    row = EvolutionRow(step=network.step, interval=network.interval)
    edges = network.slice.neighbours(entity)
    if not edges:
        return row
    facts = sum(len(edge.facts) for edge in edges)
    places = len(network.places(entity))
    if entity not in network.graph:
        return replace(row, facts=facts, places=places)
    return replace(
        row,
        facts=facts,
        places=places,
        degree=network.graph.degree(entity),
        betweenness=network.betweenness[entity],
        bridge=network.bridges[entity],
    )


def _cells(row: EvolutionRow) -> tuple[str, ...]:
    return (row.step, *(_number(getattr(row, name)) for name in _COLUMNS))


def _number(value: float) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _table(title: str, rows: Iterable[Sequence[str]]) -> str:
    lines = [(title, *_COLUMNS), *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
