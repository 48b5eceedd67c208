"""When facts hold, as far as they are known: what a rule may conclude from times that are only roughly told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from chronotope.slices.story_time import axis_of
from chronotope.temporal.interval import Interval, TimeInterval

if TYPE_CHECKING:
    from chronotope.slices.fact import Fact
    from chronotope.slices.ontology.known import KnownFacts

__all__ = ["EVER", "given", "holds", "is_rough", "meet", "surely_after", "surely_before", "years_between"]

EVER = Interval(None, None)
_YEAR = 31_556_952  # seconds, the mean of the calendar


def given(fact: Fact) -> tuple[Interval, ...]:
    """Times that the text itself gives a fact, without empty ones."""
    return tuple(time for time in fact.story if not time.is_empty)


def meet(one: Iterable[Interval], other: Iterable[Interval]) -> bool:
    """True when two sets of times share a moment; times on two axes never do."""
    others = tuple(other)
    return any(_meet(a, b) for a in one for b in others)


def _meet(one: Interval, other: Interval) -> bool:
    if one == EVER or other == EVER:
        return not (one.is_empty or other.is_empty)
    return axis_of(one) == axis_of(other) and one.overlaps(other)


def is_rough(fact: Fact) -> bool:
    """True when words such as "ten years earlier" put a fact on an axis of ticks: the tick is then no more than a good guess."""
    return bool(fact.story and fact.metadata.get("when")) and axis_of(fact.story[0]) == "ticks"


def surely_after(fact: Fact, times: Iterable[Interval], mark: Fact, marks: Iterable[Interval]) -> bool:
    """True when a fact surely starts after another has ended.

    A fact whose text gives several times is at all of them; one that is only known to be in a chapter that plays several times
    is at one of them. Two rough times have no order.

    Args:
        fact: the one that may be later.
        times: when it is so.
        mark: the one that may be earlier.
        marks: when that is so.
    """
    sides = _compared(fact, times, mark, marks)
    return _is_late(fact, [time.start for time in sides[0]], [time.end for time in sides[1]])


def surely_before(fact: Fact, times: Iterable[Interval], mark: Fact, marks: Iterable[Interval]) -> bool:
    """True when a fact surely ends before another starts; the mirror image of `surely_after`."""
    sides = _compared(fact, times, mark, marks)
    return _is_late(fact, [_negative(time.end) for time in sides[0]], [_negative(time.start) for time in sides[1]])


def _compared(
    fact: Fact, times: Iterable[Interval], mark: Fact, marks: Iterable[Interval]
) -> tuple[list[Interval], list[Interval]]:
    """Times of both on one axis; none where there is nothing to compare."""
    marks = list(marks)
    if not marks or (is_rough(fact) and is_rough(mark)):
        return [], []
    return [time for time in times if axis_of(time) == axis_of(marks[0])], marks


def _is_late(fact: Fact, starts: list[int | None], ends: list[int | None]) -> bool:
    known, passed = [start for start in starts if start is not None], [end for end in ends if end is not None]
    if not starts or len(known) < len(starts) or len(passed) < len(ends):
        return False
    return (max(known) if fact.story else min(known)) >= max(passed)


def _negative(side: int | None) -> int | None:
    return None if side is None else -side


def years_between(earlier: Interval, later: Interval, ticks_per_year: int) -> tuple[float | None, float | None]:
    """The least and the most years from a moment in one time to a moment in another; None where a side is open.

    Args:
        earlier: when it began.
        later: when it is asked.
        ticks_per_year: length of a year on an axis of ticks; 0 where ticks only give the order, and then nothing is known.
    """
    if axis_of(earlier) != axis_of(later):
        return None, None
    year = _YEAR if isinstance(earlier, TimeInterval) else ticks_per_year
    if not year:
        return None, None
    least = None if later.start is None or earlier.end is None else (later.start - earlier.end) / year
    most = None if later.end is None or earlier.start is None else (later.end - earlier.start) / year
    return least, most


def holds(fact: Fact, known: KnownFacts) -> tuple[Interval, ...]:
    """When a fact holds as far as the known facts tell; empty where nothing tells when.

    A state without a given end holds on until a known fact ends it.
    """
    relation = known.ontology.relations[fact.relation]
    if relation.kind == "timeless":
        return (EVER,)
    times = known.times(fact)
    if relation.kind == "event" or not times:
        return times
    if fact.story:
        return tuple(time if time.end is not None else _open(time, fact, known) for time in times)
    return (_open(min(times, key=lambda time: (time.start is not None, time.start or 0)), fact, known),)


def _open(time: Interval, fact: Fact, known: KnownFacts) -> Interval:
    """From the start of a time until a known fact ends the state."""
    return _stretch(time, time.start, None if time.start is None else _ended(fact, time.start, known))


def _stretch(like: Interval, start: int | None, end: int | None) -> Interval:
    return TimeInterval(start, end, like.grain) if isinstance(like, TimeInterval) else Interval(start, end)


def _ended(fact: Fact, start: int, known: KnownFacts) -> int | None:
    """The first moment at which a known fact has ended a state that began at `start`."""
    ends: list[int] = []
    for name, match in known.ontology.ended_by(fact.relation):
        for told in _matching(name, match, fact, known):
            ends += [time.end for time in known.times(told) if time.end is not None and time.end > start and told.id != fact.id]
    if known.ontology.relations[fact.relation].replaces:
        for told in known.of(fact.relation, subject=fact.subject):
            ends += [time.start for time in known.times(told) if time.start is not None and time.start > start]
    return min(ends, default=None)


def _matching(name: str, match: str, fact: Fact, known: KnownFacts) -> list[Fact]:
    if match == "pair":
        ways = [(fact.subject, fact.object), (fact.object, fact.subject)]
        return [told for one, other in ways if one and other for told in known.of(name, subject=one, object=other)]
    sides = {"subject": (fact.subject,), "object": (fact.object,), "any": (fact.subject, fact.object)}[match]
    symmetric = known.ontology.relations[fact.relation].symmetric
    sides = (fact.subject, fact.object) if symmetric else sides
    return [told for side in sides if side for told in known.of(name, subject=side)]
