"""When single facts are so: their own time, and for states until what."""

from __future__ import annotations

from typing import NamedTuple

from chronotope.slices.axis import StoryAxis
from chronotope.slices.fact import Fact
from chronotope.slices.ontology.ontology import Kind
from chronotope.slices.story_time import axis_of
from chronotope.temporal.calendar import shift
from chronotope.temporal.interval import Interval, TimeInterval, merge

__all__ = ["OpenState", "Validity", "first_end", "validity_of"]


class OpenState(NamedTuple):
    """The last stretch of a state that holds on until something ends it.

    Args:
        start: first tick, None where it has no beginning.
        first_end: first tick after the time within which it begins: the end of the chapter that tells it, or of the unit of the
            calendar; None where it has no beginning.
    """

    start: int | None
    first_end: int | None


class Validity(NamedTuple):
    """When one fact is so, before anything ends it.

    Args:
        times: sorted and disjoint, without the open stretch.
        open: the stretch that holds on, None for what has none.
        is_timed: True when the text or the chapter places it in time.
    """

    times: tuple[Interval, ...]
    open: OpenState | None = None
    is_timed: bool = True


def validity_of(fact: Fact, kind: Kind, axis: StoryAxis) -> Validity:
    """When a fact is so: at its own time, or else when its chapter plays.

    Args:
        fact: the fact.
        kind: kind of its relation: an event is so at its time; a state from the start of its time, and where no end is given, until
            something ends it; what is timeless always is.
        axis: the axis of the story. Times of another axis place nothing.
    """
    if kind == "timeless":
        return Validity((axis.whole,))
    if fact.story:
        return _given(fact.story, kind) if axis_of(fact.story[0]) == axis.kind else Validity((), None, is_timed=False)
    now = axis.now(fact.chapter)
    if not now or all(time.is_empty for time in now):
        return Validity((), None, is_timed=False)
    times = tuple(merge(now))
    return Validity((), OpenState(times[0].start, times[0].end)) if kind == "state" else Validity(times)


def _given(story: tuple[Interval, ...], kind: Kind) -> Validity:
    times = tuple(merge(story))
    if kind != "state" or not times or times[-1].end is not None:
        return Validity(times)
    return Validity(times[:-1], OpenState(times[-1].start, first_end(times[-1])))


def first_end(time: Interval) -> int | None:
    """The first tick after the unit in which a stretch begins; None where it has no beginning."""
    if time.start is None:
        return None
    return shift(time.start, 1, time.grain) if isinstance(time, TimeInterval) else time.start + 1
