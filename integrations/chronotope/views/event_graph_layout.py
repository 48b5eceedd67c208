"""Where the events of a graph stand: time from left to right; from top to bottom, edges are short and nothing overlaps.

No chance is involved: the same events and edges give the same picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from chronotope.events import EventUnit
from chronotope.views.timeline_lanes import lanes_of

__all__ = ["WIDTH", "Layout", "lay_out_graph"]

Floats: TypeAlias = npt.NDArray[np.float64]

WIDTH = 1000.0
_LEAST_HEIGHT, _MOST_HEIGHT = 480.0, 1800.0
_APART = 26.0  # between the middles of two events
_NEAR = 64.0  # how far in time events push each other aside
_ROUNDS = 120
_ANCHOR, _PULL, _PUSH = 0.4, 0.05, 0.5
_GOLDEN = 0.6180339887498949
_TIMELESS_STEP = 30.0


@dataclass(frozen=True)
class Layout:
    """The picture.

    Args:
        x: from 0 to `WIDTH`; below 0 for what has no time.
        y: from 0 to `height`.
        height: of the picture.
        knots: moments in seconds and their x, in order; between them time runs evenly.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    height: float
    knots: tuple[tuple[int, float], ...]


def lay_out_graph(events: Sequence[EventUnit], edges: Sequence[tuple[int, int, float]]) -> Layout:
    """Place the events.

    Args:
        events: what is drawn.
        edges: places of two events, and the weight of their edge.
    """
    moments = [_moment(event) for event in events]
    knots = _knots(sorted({moment for moment in moments if moment is not None}))
    known = dict(knots)
    dated = np.array([moment is not None for moment in moments], bool)
    x = np.array([known[moment] if moment is not None else 0.0 for moment in moments])
    height = _height(x[dated])
    y = _apart(x, _filled(_smoothed(_first_guess(events, height), _pulls(len(events), edges)), dated, height), height, dated)
    for place, row in enumerate(np.flatnonzero(~dated).tolist()):
        rows = max(int(height // _TIMELESS_STEP) - 1, 1)
        x[row], y[row] = -60 - _TIMELESS_STEP * (place // rows), _TIMELESS_STEP * (place % rows + 1)
    return Layout(tuple(np.round(x, 2).tolist()), tuple(np.round(y, 2).tolist()), height, knots)


def _moment(event: EventUnit) -> int | None:
    """The first known side of an event's times."""
    sides = [time.start if time.start is not None else time.end for time in event.times]
    return min((side for side in sides if side is not None), default=None)


def _knots(moments: Sequence[int]) -> tuple[tuple[int, float], ...]:
    """Half by the calendar and half by rank, so that a crowded year gets room and an empty century little."""
    if len(moments) < 2:
        return tuple((moment, WIDTH / 2) for moment in moments)
    ticks = np.array(moments, np.float64)
    even = (ticks - ticks[0]) / (ticks[-1] - ticks[0])
    ranked = np.arange(len(moments)) / (len(moments) - 1)
    return tuple(zip(moments, np.round(WIDTH * (even + ranked) / 2, 2).tolist(), strict=True))


def _height(x: Floats) -> float:
    """Room for the most crowded column."""
    columns = np.bincount((x // _APART).astype(np.int64)) if x.size else np.zeros(1)
    return float(np.clip(float(columns.max()) * _APART * 1.3, _LEAST_HEIGHT, _MOST_HEIGHT))


def _first_guess(events: Sequence[EventUnit], height: float) -> Floats:
    """Events of one entity begin side by side."""
    y = np.full(len(events), height / 2)
    lanes = lanes_of(events, limit=12)
    for number, lane in enumerate(lanes):
        for place in lane.events:
            y[place] = height * (number + 0.25 + 0.5 * (place * _GOLDEN % 1)) / len(lanes)
    return y


def _pulls(count: int, edges: Sequence[tuple[int, int, float]]) -> Floats:
    """How much of each event's pull comes from each other; rows add up to 1, or to 0 for an event without edges."""
    pulls = np.zeros((count, count))
    for first, second, weight in edges:
        pulls[first, second] = pulls[second, first] = weight
    total = pulls.sum(axis=1, keepdims=True)
    return pulls / np.where(total > 0, total, 1)


def _smoothed(guess: Floats, pulls: Floats) -> Floats:
    """Each event between where it began and the middle of those that it is joined with."""
    bound = pulls.sum(axis=1) > 0
    y = guess
    for _ in range(_ROUNDS):
        y = np.where(bound, _ANCHOR * guess + (1 - _ANCHOR) * (pulls @ y), guess)
    return y


def _filled(y: Floats, dated: npt.NDArray[np.bool_], height: float) -> Floats:
    """The same order over the whole height, half by distance and half by rank."""
    held = y[dated]
    if held.size < 2:
        return np.full(y.size, height / 2)
    span = float(np.ptp(held)) or 1.0
    ranked = np.argsort(np.lexsort((np.arange(held.size), held))) / (held.size - 1)
    filled = y.copy()
    filled[dated] = _APART + (height - 2 * _APART) * ((held - held.min()) / span + ranked) / 2
    return filled


def _apart(x: Floats, y: Floats, height: float, dated: npt.NDArray[np.bool_]) -> Floats:
    """Events push each other apart, and are drawn back to their place the less the longer that goes on."""
    side = np.abs(x[:, None] - x[None, :])
    beside = (side < _NEAR) & dated[:, None] & dated[None, :]
    np.fill_diagonal(beside, val=False)
    reach, home = _reach(side, beside), y
    number = np.arange(len(y))
    tie = np.sign(number[:, None] - number[None, :])
    for step in range(_ROUNDS):
        gap = y[:, None] - y[None, :]
        push = (np.where(gap == 0, tie, np.sign(gap)) * np.clip(reach - np.abs(gap), 0, None)).sum(axis=1)
        back = (home - y) * _PULL * max(0.0, 1 - step / (0.6 * _ROUNDS))
        y = np.clip(y + back + _PUSH * np.clip(push, -_APART, _APART), _APART / 2, height - _APART / 2)
    return y


def _reach(side: Floats, beside: npt.NDArray[np.bool_]) -> Floats:
    """How far apart two events must stand from top to bottom, the less the farther apart they are in time."""
    return np.where(beside, _APART * np.sqrt(np.clip(1 - (side / _NEAR) ** 2, 0, 1)), 0.0)
