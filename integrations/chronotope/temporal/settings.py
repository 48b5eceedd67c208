"""The choices that a calendar leaves open: week start, seasons, fiscal years, date order, and the like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

__all__ = ["CalendarSettings"]

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
Hemisphere = Literal["north", "south"]
SeasonConvention = Literal["meteorological", "astronomical"]
DateOrder = Literal["MDY", "DMY", "YMD"]
Preference = Literal["past", "future"]
Side = Literal["inclusive", "exclusive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarSettings:
    """How a reader's calendar settles what a text leaves open.

    Args:
        week_start: the day on which "this week" begins.
        hemisphere: "north" puts summer in June, "south" in December.
        season_convention: "meteorological" seasons are whole months, "astronomical" ones begin at solstice and equinox
            (20 March, 21 June, 23 September, 21 December).
        fiscal_start: month (1 to 12) in which a fiscal year begins.
        fiscal_named_by: a fiscal year bears the number of the calendar year in which it ends, or in which it starts.
        date_order: the order of `3/4/2020`; an order that yields no date falls back to one that does.
        prefer: which occurrence a month, day or weekday without its year means: the last one begun by today, or the next one
            not yet over. None is "future"; either way the expression is flagged `ambiguous_year`.
        pivot: two-digit years below it belong to the 2000s, the others to the 1900s (0 to 100).
        until: whether "until 1920" holds 1920. None follows the use: it does in a question, where a filter one year too
            wide loses nothing, and does not in a text, which says when something had ended. A day is always included.

    Raises:
        ValueError: a setting has a value that is not listed here.

    >>> CalendarSettings(fiscal_start=10).fiscal_named_by
    'end'
    """

    week_start: Weekday = "monday"
    hemisphere: Hemisphere = "north"
    season_convention: SeasonConvention = "meteorological"
    fiscal_start: int = 1
    fiscal_named_by: Literal["end", "start"] = "end"
    date_order: DateOrder = "MDY"
    prefer: Preference | None = None
    pivot: int = 40
    until: Side | None = None

    def __post_init__(self) -> None:
        _one_of("week_start", self.week_start, get_args(Weekday))
        _one_of("hemisphere", self.hemisphere, get_args(Hemisphere))
        _one_of("season_convention", self.season_convention, get_args(SeasonConvention))
        _one_of("fiscal_named_by", self.fiscal_named_by, ("end", "start"))
        _one_of("date_order", self.date_order, get_args(DateOrder))
        _one_of("prefer", self.prefer, (*get_args(Preference), None))
        _one_of("until", self.until, (*get_args(Side), None))
        _between("fiscal_start", self.fiscal_start, 1, 12)
        _between("pivot", self.pivot, 0, 100)

    @property
    def first_weekday(self) -> int:
        """The day on which weeks begin, as a number: 0 is Monday."""
        return get_args(Weekday).index(self.week_start)


def _one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> None:  # noqa: ANN401 - it judges what a caller really passed
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(repr(a) for a in allowed)}, not {value!r}")


def _between(name: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
