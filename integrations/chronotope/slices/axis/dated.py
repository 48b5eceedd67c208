"""When chapters play in a story with a calendar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chronotope.records import Issue
from chronotope.slices.axis.axis import StoryAxis, hull, stretch
from chronotope.slices.axis.order import OrderConstraint
from chronotope.temporal.interval import Interval

__all__ = ["dated_axis"]

DAY = 86_400


def dated_axis(
    numbers: Sequence[int], constraints: Sequence[OrderConstraint], given: Mapping[int, tuple[Interval, ...]]
) -> StoryAxis:
    """The axis of a story with a calendar: chapters play when they are said to, or at a told distance from one that is.

    Args:
        numbers: the chapters.
        constraints: what the text tells; a bare before or after dates nothing, so it is only compared with the dates.
        given: dates of chapters.
    """
    placed = {f"chapter:{number}": times for number, times in given.items()}
    issues: list[Issue] = []
    waiting = list(constraints)
    while waiting:
        left = [told for told in waiting if not _date(told, placed)]
        if len(left) == len(waiting):
            break
        waiting = left
    for told in constraints:
        issues += _judged(told, placed)
    chapters = {int(point[8:]): times for point, times in placed.items() if point.startswith("chapter:")}
    landmarks = {point[6:]: time for point, times in placed.items() if point.startswith("event:") if (time := hull(times))}
    plays = dict.fromkeys(numbers, ()) | chapters
    return StoryAxis(kind="dates", chapters=plays, landmarks=landmarks, issues=tuple(issues))


def _date(told: OrderConstraint, placed: dict[str, tuple[Interval, ...]]) -> bool:
    """Place one point by the other where that can be done; True when there is nothing left to do."""
    one, other = placed.get(told.one), placed.get(told.other)
    if (one is None) == (other is None):
        return one is not None
    if told.relation == "same":
        placed[told.one] = placed[told.other] = one or other or ()
    if told.offset_days is None:
        return told.relation == "same"
    days = told.offset_days if told.relation == "after" else -told.offset_days
    if other is not None:
        placed[told.one] = _moved(other, days)
    elif one is not None:
        placed[told.other] = _moved(one, -days)
    return True


def _moved(times: tuple[Interval, ...], days: int) -> tuple[Interval, ...]:
    def side(moment: int | None) -> int | None:
        return None if moment is None else moment + days * DAY

    return tuple(stretch(side(time.start), side(time.end), time) for time in times)


def _judged(told: OrderConstraint, placed: Mapping[str, tuple[Interval, ...]]) -> list[Issue]:
    one, other = hull(placed.get(told.one, ())), hull(placed.get(told.other, ()))
    words = f"{told.statement!r}" + (f" ({told.evidence!r})" if told.evidence else "")
    if one is None or other is None:
        return [Issue("order_unused", f"{words} gives no date, because neither or one of the two has none", told.source_id)]
    if not _holds(told, one, other):
        return [Issue("order_contradiction", f"{words} contradicts the dates {one} and {other}; it is left out", told.source_id)]
    return []


def _holds(told: OrderConstraint, one: Interval, other: Interval) -> bool:
    if told.relation == "during":
        return other.contains(one)
    if told.relation == "same":
        return one.overlaps(other)
    early, late = (one, other) if told.relation == "before" else (other, one)
    return early.start is None or late.end is None or early.start < late.end
