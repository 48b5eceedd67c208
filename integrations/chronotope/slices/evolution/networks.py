"""The networks of a story, one for each step along an axis: who is joined to whom in a slice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, TypeAlias, get_args

from chronotope.errors import FactError
from chronotope.slices.evolution.bridges import bridge_scores
from chronotope.slices.graph import Slice, StoryGraph
from chronotope.temporal.calendar import DAY, Grain, shift
from chronotope.temporal.interval import Interval, TimeInterval

__all__ = ["PIVOTS", "EvolutionAxis", "Landmark", "Network", "Steps", "networks_along", "networks_around"]

EvolutionAxis: TypeAlias = Literal["story", "chapters"]
Steps: TypeAlias = int | Sequence[Interval]
Landmark: TypeAlias = str | int | Interval
PIVOTS = 100  # nodes from which betweenness is estimated
_STEPS = 12
_UNITS = ((Grain.YEAR, 366), (Grain.MONTH, 31))
_EXACT = 400  # nodes up to which betweenness is counted over all pairs


@dataclass(frozen=True)
class Network:
    """Who is joined to whom in a slice.

    Args:
        slice: the slice.
        step: the slice in words.
        interval: the slice: chapter numbers or story time.
    """

    slice: Slice
    step: str
    interval: Interval

    @cached_property
    def graph(self) -> Any:  # noqa: ANN401 - a networkx.Graph
        """Undirected and simple; places and values are no nodes."""
        import networkx as nx

        network: Any = nx.Graph()
        story = self.slice.graph
        for edge in self.slice.edges:
            ends = [end for end in (edge.subject, edge.object) if end in story.numbers and end not in story.places]
            network.add_nodes_from(ends)
            if len(ends) == 2 and ends[0] != ends[1]:
                network.add_edge(*ends)
        return network

    @cached_property
    def bridges(self) -> dict[str, float]:
        """Bridge score of each node."""
        return bridge_scores(self.graph)

    @property
    def is_estimated(self) -> bool:
        """True when it is too large to count betweenness over all pairs."""
        return len(self.graph) > _EXACT

    @cached_property
    def betweenness(self) -> dict[str, float]:
        """Share of shortest paths between others that lead through each node."""
        import networkx as nx

        return dict(nx.betweenness_centrality(self.graph, k=PIVOTS if self.is_estimated else None, seed=0))

    def places(self, entity: str) -> set[str]:
        """Ids of the places where an entity's facts are."""
        story = self.slice.graph
        edges = self.slice.neighbours(entity)
        ends = {end for edge in edges for end in (edge.subject, edge.object) if end in story.places and end != entity}
        return ends | {story.place_id(place) or place for edge in edges for place in edge.places}


def networks_along(graph: StoryGraph, axis: EvolutionAxis, steps: Steps | None) -> list[Network]:
    """One network for each step.

    Raises:
        ValueError: an unknown axis, or no step.
    """
    return [_network(graph, axis, interval) for interval in _steps(graph, axis, steps)]


def networks_around(graph: StoryGraph, axis: EvolutionAxis, landmark: Landmark) -> tuple[str, list[Network]]:
    """What a landmark is called, and the networks of all before it and of all after it.

    Raises:
        FactError: nothing places the landmark.
    """
    name, interval = _landmark(graph, landmark, axis)
    if not isinstance(landmark, Interval):
        axis = "chapters" if isinstance(landmark, int) else "story"
    sides = (("before", _like(interval, None, interval.start)), ("after", _like(interval, interval.end, None)))
    return name, [_network(graph, axis, side, word) for word, side in sides]


def _network(graph: StoryGraph, axis: EvolutionAxis, interval: Interval, word: str = "") -> Network:
    if axis == "chapters":
        return Network(graph.slice(chapter=interval), word or _chapters(interval), interval)
    return Network(graph.slice(story_time=interval), word or graph.axis.phrase(interval), interval)


def _steps(graph: StoryGraph, axis: EvolutionAxis, steps: Steps | None) -> list[Interval]:
    if axis not in get_args(EvolutionAxis):
        raise ValueError(f"axis must be story or chapters, not {axis!r}")
    if steps is not None and not isinstance(steps, int):
        found = list(steps)
    elif axis == "chapters":
        chapters = graph.chapters
        count = len(chapters) if steps is None else steps
        bounds = [chapters[len(chapters) * at // count] for at in range(min(count, len(chapters)))] if count > 0 else []
        found = _between([*bounds, chapters[-1] + 1] if bounds else [])
    else:
        found = _stretches(graph, _STEPS if steps is None else steps)
    if not found:
        raise ValueError(f"there is no step to look at: steps={steps!r}, and the story has {len(graph)} facts")
    return found


def _between(bounds: Sequence[int]) -> list[Interval]:
    return [Interval(start, end) for start, end in pairwise(bounds) if start < end]


def _stretches(graph: StoryGraph, count: int) -> list[Interval]:
    """The story from its first known moment to its last, in stretches of one length, on dates of whole units of the calendar."""
    times = [time for validity in graph.validity for time in validity]
    times += [time for chapter in graph.chapters for time in graph.axis.now(chapter)]
    moments = {side for time in times for side in (time.start, time.end) if side is not None}
    if not moments or count < 1:
        return []
    first, last = min(moments), max(moments)
    if any(isinstance(time, TimeInterval) for time in times):
        return _units(first, last, count)
    size = max(1, -(-(last - first) // count))
    return _between([*range(first, last, size), last])


def _units(first: int, last: int, count: int) -> list[Interval]:
    """A stretch of dates cut into whole years, months or days, whichever are the coarsest of which there are enough."""
    grain = next((grain for grain, days in _UNITS if last - first >= count * days * DAY), Grain.DAY)
    moments = [TimeInterval.unit(first, grain).start or first]
    while moments[-1] < last:
        moments.append(shift(moments[0], len(moments), grain))
    size = -(-(len(moments) - 1) // count)
    bounds = [*moments[:-1:size], moments[-1]]
    return [TimeInterval(start, end, grain) for start, end in pairwise(bounds)]


def _like(other: Interval, start: int | None, end: int | None) -> Interval:
    return TimeInterval(start, end) if isinstance(other, TimeInterval) else Interval(start, end)


def _landmark(graph: StoryGraph, landmark: Landmark, axis: EvolutionAxis) -> tuple[str, Interval]:
    if isinstance(landmark, int):
        return f"chapter {landmark}", Interval(landmark, landmark + 1)
    if isinstance(landmark, Interval):
        return _chapters(landmark) if axis == "chapters" else graph.axis.phrase(landmark), landmark
    for entity in (landmark, *graph.entity_ids_of(landmark)):
        interval = graph.landmark(entity)
        if interval is not None:
            return graph.name_of(entity), interval
    raise FactError(f"nothing tells when {landmark!r} was; known are {', '.join(map(graph.name_of, graph.landmarks)) or 'none'}")


def _chapters(interval: Interval) -> str:
    if interval.start is None or interval.end is None:
        sides = [f"from chapter {interval.start}" if interval.start is not None else "", f"before chapter {interval.end}"]
        return sides[0] or sides[1]
    return f"chapter {interval.start}" if interval.length == 1 else f"chapters {interval.start} to {interval.end - 1}"
