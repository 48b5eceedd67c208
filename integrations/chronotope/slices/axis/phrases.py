"""A stretch of a story's time in words for readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronotope.slices.story_time import write_story_time
from chronotope.temporal.interval import Interval, TimeInterval

if TYPE_CHECKING:
    from chronotope.slices.axis.axis import StoryAxis

__all__ = ["phrase"]

_UNITS = ((365, "year"), (30, "month"), (7, "week"), (1, "day"))
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def phrase(interval: Interval, axis: StoryAxis) -> str:
    """A stretch of the axis in words; see `StoryAxis.phrase`."""
    if isinstance(interval, TimeInterval):
        return interval.phrase()
    if interval.start is None and interval.end is None:
        return "at all times"
    if (exact := _playing(interval, axis)) is not None:
        return exact
    if interval.start is None:
        return f"until {_moment(_last(interval), axis)}"
    if interval.end is None:
        return f"from {_moment(interval.start, axis)} on"
    if interval.length == 1 or interval.is_empty:
        moment = _moment(interval.start, axis)
        return f"while {moment} plays" if moment.startswith("chapter") else moment
    first, last = _moment(interval.start, axis), _moment(_last(interval), axis)
    around, _, chapter = first.partition(" before ")
    if last == f"{around} after {chapter}":
        return f"within {around} of {chapter}"
    return first if first == last else f"from {first} to {last}"


def _last(interval: Interval) -> int:
    return (interval.end or 0) - 1


def _playing(interval: Interval, axis: StoryAxis) -> str | None:
    """The landmark or chapter that takes exactly this stretch; None when there is none."""
    named = next((name for name, time in sorted(axis.landmarks.items()) if time == interval), None)
    if named is not None:
        return f"during {named}"
    chapter = next((number for number, times in axis.chapters.items() if interval in times), None)
    return None if chapter is None else f"while chapter {chapter} plays"


def _moment(tick: int, axis: StoryAxis) -> str:
    """One tick: by the chapter that plays then, else by the one that plays next to it."""
    near = [
        (not time.contains(tick), time.gap(Interval(tick, tick + 1)), number, time)
        for number, times in axis.chapters.items()
        for time in times
        if time.start is not None and time.end is not None and not time.is_empty
    ]
    if not near:
        return f"tick {write_story_time(Interval(tick, tick + 1))}"
    *_, number, time = min(near, key=lambda one: one[:3])
    start, end = time.start or 0, time.end or 0
    if start <= tick < end:
        return f"chapter {number}"
    return (
        f"{_distance(start - tick if tick < start else tick - (end - 1))} {'before' if tick < start else 'after'} chapter {number}"
    )


def _distance(days: int) -> str:
    """A number of days in the coarsest unit of which there is at least one; `about` where it is no whole number of them."""
    size, name = next((size, name) for size, name in _UNITS if days >= size)
    count = (days + size // 2) // size
    about = "about " if size > 7 or days % size else ""
    return f"{about}{_word(count)} {name}{'s' * (count != 1)}"


def _word(count: int) -> str:
    return _WORDS[count - 1] if count <= len(_WORDS) else f"{count:,}"
