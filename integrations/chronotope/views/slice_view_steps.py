"""The steps of a slice's slider: chapters, or stretches of story time in which nothing changes, and what holds at each."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from chronotope.slices import Edge, StoryGraph
from chronotope.temporal.calendar import Grain
from chronotope.temporal.interval import Interval, TimeInterval

__all__ = ["SliceAxis", "Steps", "chapter_steps", "story_steps"]

SliceAxis: TypeAlias = Literal["chapters", "story"]
_MOST_STEPS = 400
_FIRST, _LAST = -(2**62), 2**62  # stand for sides that are open


@dataclass(frozen=True)
class Steps:
    """What the slider goes along.

    Args:
        told: what each step is called.
        holds: for each edge the runs of steps at which it holds, as first step and first step after them.
        left_out: how many changes fall inside a step, since there are too many for a step each.
    """

    told: tuple[str, ...]
    holds: tuple[tuple[tuple[int, int], ...], ...]
    left_out: int = 0


def chapter_steps(graph: StoryGraph, edges: Sequence[Edge]) -> Steps:
    """One step for each chapter: an edge holds in it when a fact of the edge is told there, or is so when the chapter plays.

    Args:
        graph: the graph of the slice.
        edges: what is drawn.
    """
    chapters = graph.chapters
    if not edges:
        return Steps(tuple(f"Chapter {chapter}" for chapter in chapters), ())
    rows = np.array([graph.row(fact) for edge in edges for fact in edge.facts], np.int64)
    first = np.cumsum([0, *(len(edge.facts) for edge in edges[:-1])])
    held: list[list[tuple[int, int]]] = [[] for _ in edges]
    for step, chapter in enumerate(chapters):
        there = np.zeros(len(graph), np.bool_)
        there[graph.slice(chapter=chapter).rows] = True
        for number in np.flatnonzero(np.logical_or.reduceat(there[rows], first)).tolist():
            held[number].append((step, step + 1))
    return Steps(tuple(f"Chapter {chapter}" for chapter in chapters), tuple(map(_joined, held)))


def story_steps(graph: StoryGraph, edges: Sequence[Edge], landmarks: Mapping[str, Interval]) -> Steps:
    """One step for each stretch between two changes: where something starts, ends or happens.

    Args:
        graph: the graph of the slice.
        edges: what is drawn.
        landmarks: events with a name of their own, told beside the steps in which they are.
    """
    times = [time for edge in edges if edge.kind != "timeless" for time in edge.validity if not time.is_empty]
    sides = sorted({side for time in times for side in (time.start, time.end) if side is not None})
    kept = sides
    if len(sides) > _MOST_STEPS:
        kept = [sides[place * (len(sides) - 1) // _MOST_STEPS] for place in range(_MOST_STEPS + 1)]
    stretches = _stretches(times, kept, graph)

    starts = [_FIRST if stretch.start is None else stretch.start for stretch in stretches]
    ends = [_LAST if stretch.end is None else stretch.end for stretch in stretches]

    def run(time: Interval) -> tuple[int, int]:
        first = 0 if time.start is None else bisect_right(ends, time.start)
        return first, len(starts) if time.end is None else bisect_left(starts, time.end)

    held = (_joined([run(time) for time in edge.validity if not time.is_empty]) for edge in edges)
    told = tuple(_told(stretch, graph, landmarks) for stretch in stretches)
    return Steps(told, tuple(held), len(sides) - len(kept))


def _stretches(times: Sequence[Interval], sides: Sequence[int], graph: StoryGraph) -> list[Interval]:
    """The axis cut at the given sides, as far as anything is told to be so there."""
    if not sides:
        return [_stretch(None, None, graph)] if times else []
    before = [_stretch(None, sides[0], graph)] if any(time.start is None for time in times) else []
    after = [_stretch(sides[-1], None, graph)] if any(time.end is None for time in times) else []
    return [*before, *(_stretch(first, last, graph) for first, last in pairwise(sides)), *after]


def _stretch(start: int | None, end: int | None, graph: StoryGraph) -> Interval:
    return TimeInterval(start, end, Grain.YEAR) if graph.axis.kind == "dates" else Interval(start, end)


def _told(stretch: Interval, graph: StoryGraph, landmarks: Mapping[str, Interval]) -> str:
    phrase = graph.axis.phrase(stretch)
    there = [name for name, time in landmarks.items() if time.overlaps(stretch) and name not in phrase]
    return " · ".join([phrase[:1].upper() + phrase[1:], *there])


def _joined(runs: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Runs of steps in order, those that touch as one.

    >>> _joined([(0, 1), (1, 3), (5, 6)])
    ((0, 3), (5, 6))
    """
    joined: list[tuple[int, int]] = []
    for first, last in runs:
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)
