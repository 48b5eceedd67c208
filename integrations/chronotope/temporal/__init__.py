"""The time kernel: intervals, expressions, question scopes and the overlap index. No I/O, no model, no clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronotope.temporal.calendar import Grain
from chronotope.temporal.expressions import TimeExpression, Unresolved, find_expressions, unresolved_expressions
from chronotope.temporal.interval import Interval, TimeInterval, merge, subtract
from chronotope.temporal.partial.frame import Today
from chronotope.temporal.scope import QueryScope, parse_scope
from chronotope.temporal.settings import CalendarSettings
from chronotope.temporal.sides import check_sides

if TYPE_CHECKING:
    from chronotope.temporal.index import IntervalIndex

__all__ = [
    "CalendarSettings",
    "Grain",
    "Interval",
    "IntervalIndex",
    "QueryScope",
    "TimeExpression",
    "TimeInterval",
    "Today",
    "Unresolved",
    "check_sides",
    "find_expressions",
    "merge",
    "parse_scope",
    "subtract",
    "unresolved_expressions",
]


def __getattr__(name: str) -> object:
    if name == "IntervalIndex":  # loads numpy, which those who only parse need not
        from chronotope.temporal.index import IntervalIndex

        return IntervalIndex
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
