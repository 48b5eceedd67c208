"""Story time as text: dates in EDTF where the story has a calendar, else numbers of an axis that only knows order."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from chronotope.errors import TimeExpressionError
from chronotope.temporal.interval import Interval, TimeInterval

__all__ = ["AxisKind", "axis_of", "read_story_time", "write_story_time"]

AxisKind: TypeAlias = Literal["ticks", "dates"]
_TICKS = re.compile(r"\s*(-?\d+|\.\.)(?:\s*/\s*(-?\d+|\.\.))?\s*")


def axis_of(interval: Interval) -> AxisKind:
    """The axis that an interval lies on."""
    return "dates" if isinstance(interval, TimeInterval) else "ticks"


def write_story_time(interval: Interval) -> str:
    """An interval as text, closed in notation as EDTF is; `read_story_time` is the inverse.

    >>> write_story_time(Interval(3, 7)), write_story_time(Interval(3, 4)), write_story_time(Interval(None, 4))
    ('3/6', '3', '../3')
    """
    if isinstance(interval, TimeInterval):
        return str(interval)
    if interval.is_empty:
        return f"{interval.start}/{(interval.end or 0) - 1}"
    if interval.length == 1:
        return str(interval.start)
    return f"{_side(interval.start)}/{_side(None if interval.end is None else interval.end - 1)}"


def read_story_time(text: str, axis: AxisKind) -> Interval:
    """Read an interval of an axis.

    Args:
        text: `3`, `3/6` (both inside), `3/..` on the axis of ticks; EDTF on the axis of dates.
        axis: which one.

    Raises:
        TimeExpressionError: the text is no interval of that axis, or ends before it starts.

    >>> read_story_time("3/6", "ticks"), read_story_time("1931-05", "dates")
    (Interval(start=3, end=7), TimeInterval('1931-05'))
    """
    if axis == "dates":
        return TimeInterval.parse(text)
    found = _TICKS.fullmatch(text)
    if found is None or (found[1] == ".." and found[2] is None):
        raise TimeExpressionError(text, "is no time of the story such as '3', '3/6' or '3/..'")
    first, last = found[1], found[2] or found[1]
    start, end = (None if first == ".." else int(first)), (None if last == ".." else int(last) + 1)
    if start is not None and end is not None and end < start:
        raise TimeExpressionError(text, "ends before it starts")
    return Interval(start, end)


def _side(tick: int | None) -> str:
    return ".." if tick is None else str(tick)
