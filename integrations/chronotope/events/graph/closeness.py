"""How close two events are: where each stands on the axis, how far apart they are, and the weight of the edge between them.

A fact outside time holds at every moment, so its distance from anything is 0: its edges weigh what the shared entities weigh.
The same goes for events that nothing dates, and for those whose only time is open on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from chronotope.temporal.interval import Interval

__all__ = ["FAR", "TIMELESS", "Closeness", "Distance", "Event", "Floats", "Ints", "gaps_between"]

Distance: TypeAlias = Literal["start", "gap"]
Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

FAR = 2**61
"""Stands for an open side; the ticks of events lie within half of it."""
TIMELESS = -(2**62)
"""Stands for the place of an event outside time."""
_SMALLEST = 600.0  # e^-600: below it weights would lose precision and then vanish


class Event(Protocol):
    """What the graph needs to know of an event; the ticks of its intervals are on any one ordered axis."""

    @property
    def id(self) -> str:
        """A name that no other event has."""
        ...

    @property
    def entities(self) -> Sequence[str]:
        """Canonical names of who or what takes part."""
        ...

    @property
    def times(self) -> Sequence[Interval]:
        """When it happened or held; empty for facts outside time."""
        ...


@dataclass(frozen=True)
class Closeness:
    """The rule by which pairs of events are weighed, in ticks of the axis.

    Args:
        reach: largest distance at which two dated events are joined.
        decay: α of equation 5, per tick.
        distance: `start` for the earliest known tick of each event, `gap` for the ticks between their envelopes.

    Source: DyG-RAG, equations 3 to 5.
    """

    reach: int
    decay: float
    distance: Distance

    @classmethod
    def of(cls, max_gap: float | None, decay: float, distance: Distance, unit: int) -> Closeness:
        """The rule for a gap and a decay that are given in units of the axis, such as days.

        Raises:
            ValueError: an option is out of its range; the message names it.
        """
        if not unit >= 1:
            raise ValueError(f"unit counts ticks, at least 1, not {unit}")
        if not 0 <= decay < float("inf"):
            raise ValueError(f"decay must be 0 or more, not {decay}")
        if max_gap is not None and not max_gap >= 0:
            raise ValueError(f"max_gap must be 0 or more, or None for no limit, not {max_gap}")
        if distance not in ("start", "gap"):
            raise ValueError(f"distance must be 'start' or 'gap', not {distance!r}")
        rate = decay / unit
        limits = [FAR] + ([] if max_gap is None else [max_gap * unit]) + ([_SMALLEST / rate] if rate else [])
        return cls(int(min(limits)), rate, distance)

    def place(self, event: Event) -> tuple[int, int]:
        """First and last tick of an event as this rule sees it; `TIMELESS` twice when it is outside time.

        Raises:
            ValueError: a tick is too far from 0; the message names the event.
        """
        first, last = None, None
        for time in event.times:
            start, end = time.start, time.end
            if start == end:  # empty, or open on both sides: the stretch that covers it and any other is open as well
                if start is None and self.distance == "gap":
                    return TIMELESS, TIMELESS
                continue
            if self.distance == "start":
                start = end = start if start is not None else cast("int", end) - 1
            start, end = -FAR if start is None else start, FAR if end is None else end
            first, last = start if first is None else min(first, start), end if last is None else max(last, end)
        if first is None or last is None:
            return TIMELESS, TIMELESS
        for side in (first, last):
            if FAR // 2 < abs(side) != FAR:
                raise ValueError(f"event {event.id!r}: tick {side} lies beyond ±2**60")
        return first, first if self.distance == "start" else last

    def weights(self, shared: Ints, size: npt.ArrayLike, other: Ints, gaps: Ints) -> Floats:
        """Weight of each pair, from the number of shared entities, the numbers of entities of both, and their distance."""
        similarity = shared / (np.asarray(size) + other - shared)
        return np.asarray(similarity * np.exp(gaps * -self.decay))


def gaps_between(start: npt.ArrayLike, end: npt.ArrayLike, starts: Ints, ends: Ints) -> Ints:
    """Ticks between two events, pair by pair; 0 when they meet, and 0 when either is outside time."""
    first, last = np.asarray(start), np.asarray(end)
    apart = np.maximum(np.maximum(starts - last, first - ends), 0)
    apart[(starts == TIMELESS) | (first == TIMELESS)] = 0
    return np.asarray(apart)
