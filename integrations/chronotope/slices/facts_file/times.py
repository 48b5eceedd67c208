"""The axis that the story times of records lie on, found from all of them, and each time read on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from chronotope.errors import FactError, TimeExpressionError
from chronotope.metadata import read_date
from chronotope.slices.facts_file.columns import text_of
from chronotope.slices.story_time import AxisKind, read_story_time
from chronotope.temporal.interval import Interval

__all__ = ["find_axis", "read_times"]

_AXES: tuple[AxisKind, ...] = ("ticks", "dates")


def find_axis(times: Iterable[tuple[str, Any, Any]]) -> AxisKind:
    """The axis of all records: dates where any time can only be one, else ticks where any can only be one.

    Args:
        times: of each record that has a time: where it stands, its cell, and the axis that it names, if any.

    Raises:
        FactError: some times can only be dates and others only ticks; the message names a record of each.

    Numbers of four digits are years: for ticks that large, name the axis.

    >>> find_axis([("line 2", "3/6", None), ("line 3", 1200, None)]), find_axis([("line 2", "1931", None)])
    ('ticks', 'dates')
    """
    seen: dict[AxisKind, str] = {}
    both = False
    for where, cell, named in times:
        kinds = [named] if named in _AXES else [axis for part in parts(cell) for axis in [_only(part)] if axis]
        both = both or not kinds
        for axis in kinds:
            seen.setdefault(axis, f"{where} ({text_of(cell)})")
    if len(seen) > 1:
        raise FactError(f"the story times lie on two axes: {seen['ticks']} is a tick, {seen['dates']} is a date; give axis=")
    return next(iter(seen), "dates" if both and not seen else "ticks")


def parts(cell: Any) -> list[str]:  # noqa: ANN401 - a cell of a user's record
    """The single times of a cell: a number, a text with `;` between, or a list."""
    several: Sequence[Any] = cell if isinstance(cell, (list, tuple)) else text_of(cell).split(";")
    texts = [str(int(one)) if isinstance(one, float) and one.is_integer() else text_of(one).strip() for one in several]
    return [text.removesuffix(".0") for text in texts if text]


def read_times(cell: Any, axis: AxisKind) -> tuple[Interval, ...]:  # noqa: ANN401 - a cell of a user's record
    """The intervals of a cell.

    Raises:
        TimeExpressionError: a part is no time of that axis.
    """
    return tuple(_read(part, axis) for part in parts(cell))


@lru_cache(maxsize=4_096)
def _read(text: str, axis: AxisKind) -> Interval:
    try:
        return read_story_time(text, axis)
    except TimeExpressionError as error:
        if axis == "ticks" or "ends before" in error.problem:
            raise
    return read_date(text)


@lru_cache(maxsize=4_096)  # a story has few times, and many facts at each
def _only(text: str) -> AxisKind | None:
    """The one axis that has this time; None when both have it, or neither."""
    kinds = [axis for axis in _AXES if _can_be(text, axis)]
    return kinds[0] if len(kinds) == 1 else None


def _can_be(text: str, axis: AxisKind) -> bool:
    try:
        read_times(text, axis)
    except TimeExpressionError as error:
        return "ends before" in error.problem and (axis == "ticks" or "-" in text)
    return True
