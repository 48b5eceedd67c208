"""When chapters play, worked out from what is told of before and after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from chronotope.records import Issue
from chronotope.slices.axis.axis import StoryAxis
from chronotope.slices.axis.dated import dated_axis
from chronotope.slices.axis.order import After, Order, OrderConstraint, Side, bounds_of, chapter_of
from chronotope.slices.story_time import AxisKind
from chronotope.temporal.interval import Interval

__all__ = ["build_axis"]

Dates: TypeAlias = "Mapping[int, Interval | Sequence[Interval]]"


def build_axis(
    chapters: Iterable[int], constraints: Iterable[OrderConstraint] = (), *, kind: AxisKind = "ticks", dates: Dates | None = None
) -> StoryAxis:
    """The axis of a story from the order that its text tells.

    Chapters play one after the other as they are told, a tick each, from tick 0. A chapter that a constraint puts elsewhere leaves
    that order: by an offset it plays as many days away as told; by order alone, in a tick of its own beside what it is placed by.
    The chapters around it go on as if it were not there.

    Args:
        chapters: their numbers, in any order.
        constraints: what the text tells. One that contradicts earlier ones is left out, with an issue that names them.
        kind: `ticks`, or `dates` for a story with a calendar, where chapters play at the dates given.
        dates: when chapters play that need no constraint: on the axis of dates, or at fixed ticks.

    Raises:
        ValueError: a time of `dates` lies on the other axis.

    >>> flashback = OrderConstraint(one="chapter:3", relation="before", other="chapter:1", offset_days=3650)
    >>> axis = build_axis([1, 2, 3, 4], [flashback])
    >>> [axis.now(chapter)[0].start for chapter in axis.chapters]
    [0, 1, -3650, 2]
    """
    numbers, told = sorted(set(chapters)), list(constraints)
    given = {number: (time,) if isinstance(time, Interval) else tuple(time) for number, time in (dates or {}).items()}
    axis = _axis(numbers, told, given, kind)
    before = {}
    for telling in sorted({one.told_in for one in told if one.told_in is not None and _is_late(one, one.told_in)}):
        first = {number: times for number, times in given.items() if number < telling}
        known = [one for one in told if (one.told_in is None or one.told_in < telling) and not _is_about_later(one, telling)]
        before[telling] = _axis([number for number in numbers if number < telling], known, first, kind).chapters
    return replace(axis, before=before) if before else axis


def _is_late(told: OrderConstraint, telling: int) -> bool:
    """True when a constraint is told after all chapters that it is about: their readers did not know it."""
    return all(number is None or number < telling for number in (chapter_of(told.one), chapter_of(told.other)))


def _is_about_later(told: OrderConstraint, telling: int) -> bool:
    return any(number is not None and number >= telling for number in (chapter_of(told.one), chapter_of(told.other)))


def _axis(
    numbers: Sequence[int], constraints: Sequence[OrderConstraint], given: Mapping[int, tuple[Interval, ...]], kind: AxisKind
) -> StoryAxis:
    """The axis as somebody knows it who knows all of the constraints."""
    if kind == "dates":
        return dated_axis(numbers, constraints, given)
    order, issues, kept = Order(), [], []
    for place, number in enumerate(numbers):
        order.add_point(f"chapter:{number}", place)
    for told in constraints:
        order.add_point(told.one, 0)
        order.add_point(told.other, 0)
        against = order.add(bounds_of(told))
        if against is None:
            kept.append(told)
        else:
            issues.append(contradiction(told, against))
    numbers = sorted({number for number in (chapter_of(point) for point, _ in order.ticks) if number is not None})
    _tell_in_order(order, numbers, kept)
    ticks = _placed(order, numbers)
    placed = {
        point: Interval(ticks[point, False], ticks[point, True])
        for point, is_end in order.ticks
        if (point, is_end) in ticks and is_end
    }
    plays = {number: (placed[f"chapter:{number}"],) for number in numbers if f"chapter:{number}" in placed}
    landmarks = {point.partition(":")[2]: time for point, time in placed.items() if chapter_of(point) is None}
    return StoryAxis(kind="ticks", chapters={**plays, **given}, landmarks=landmarks, issues=tuple(issues))


def contradiction(told: OrderConstraint, against: Sequence[OrderConstraint]) -> Issue:
    """That a constraint was left out, and for which others."""
    others = " and ".join(f"{_quoted(other)}" for other in against) or "itself"
    return Issue("order_contradiction", f"{_quoted(told)} contradicts {others}; it is left out", told.source_id)


def _quoted(told: OrderConstraint) -> str:
    return f"{told.statement!r}" + (f" ({told.evidence!r})" if told.evidence else "")


def _tell_in_order(order: Order, numbers: Sequence[int], kept: Sequence[OrderConstraint]) -> None:
    """Let chapters follow each other as they are told, wherever that agrees with what is told of them."""
    moved = {told.chapter: told for told in reversed(kept) if _moves(told)}
    row: list[str] = []
    waiting: list[int] = []
    for number in numbers:
        point = f"chapter:{number}"
        if number in moved or (row and order.add([_then(row[-1], point)]) is not None):
            waiting.append(number)
        else:
            row.append(point)
    for number in waiting:
        told = moved.get(number)
        if told is None or (told.offset_days is None and told.relation in ("before", "after")):
            _insert(order, row, f"chapter:{number}", early=told is not None and told.relation == "after")


def _moves(told: OrderConstraint) -> bool:
    """True when a constraint puts a chapter elsewhere than the order of telling does."""
    one, other = chapter_of(told.one), chapter_of(told.other)
    if one is None or other is None or one == other:
        return False
    return told.relation in ("during", "same") or (told.relation == "before") == (one > other)


def _insert(order: Order, row: list[str], point: str, *, early: bool) -> None:
    """Put a chapter into a tick of its own, in the first or the last gap of the row that agrees with what is told of it."""
    if early:
        place = next((i for i, other in enumerate(row) if order.add([_then(point, other)]) is None), len(row))
        fits = place == 0 or order.add([_then(row[place - 1], point)]) is None
    else:
        last = next((i for i in reversed(range(len(row))) if order.add([_then(row[i], point)]) is None), -1)
        place = last + 1
        fits = place == len(row) or order.add([_then(point, row[place])]) is None
    if fits:
        row.insert(place, point)


def _then(point: str, later: str) -> After:
    return After((point, True), (later, False), 0)


def _placed(order: Order, numbers: Sequence[int]) -> dict[Side, int]:
    """Ticks of all that the first chapter places: each as early as may be, what has no earliest tick as late as may be."""
    if not numbers:
        return {}
    placed = _reached(order, {(f"chapter:{numbers[0]}", False): 0})
    for before, number in pairwise(numbers):
        if (f"chapter:{number}", False) not in placed:  # nothing joins it to the first: it follows the one before it
            order.add([_then(f"chapter:{before}", f"chapter:{number}")])
            placed = _reached(order, placed)
    return placed


def _reached(order: Order, placed: dict[Side, int]) -> dict[Side, int]:
    known = 0
    while len(placed) > known:
        known = len(placed)
        placed = order.earliest(placed)
        if len(placed) == known:
            placed = order.latest(placed)
    return placed
