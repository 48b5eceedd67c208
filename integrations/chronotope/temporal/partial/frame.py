"""Where a text stands in time: the reference day and the reader's calendar, and the units of that calendar."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

from chronotope.errors import TimeExpressionError
from chronotope.temporal.calendar import DAY, Grain, floor, from_seconds, shift, to_seconds
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings

__all__ = ["Frame", "Today"]

Today = TimeInterval | str | date | None

_SOLSTICES = ((3, 20), (6, 21), (9, 23), (12, 21))  # first days of the astronomical seasons, to the day in most years
_ANY_DAY = to_seconds(5000, 6, 15)  # stands in for an unknown reference: late, so that "from 2010 to now" runs forward


@dataclass(frozen=True, slots=True)
class Frame:
    """The reference moment (seconds), its precision, and the settings; `placed` is False when there is no reference."""

    now: int
    grain: Grain
    settings: CalendarSettings
    placed: bool
    until_includes: bool = False
    year: int = field(init=False)
    today: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "year", from_seconds(self.now).year)
        object.__setattr__(self, "today", floor(self.now, Grain.DAY))

    @classmethod
    def of(cls, today: Today, settings: CalendarSettings) -> Frame:
        """The frame for a reference day in any of the accepted forms; naive values are UTC.

        Raises:
            TimeExpressionError: the reference is open or no ISO date.
        """
        inclusive = settings.until == "inclusive"
        if today is None:
            return cls(_ANY_DAY, Grain.DAY, settings, placed=False, until_includes=inclusive)
        interval = _as_interval(today)
        if interval.start is None or interval.is_empty:
            raise TimeExpressionError(str(interval), "cannot be today: a reference needs a start and a length")
        return cls(interval.start, max(interval.grain, Grain.DAY), settings, placed=True, until_includes=inclusive)

    def asking(self) -> Frame:
        """The same frame for a question, in which "until" includes the unit it names unless the settings say otherwise."""
        return replace(self, until_includes=self.settings.until != "exclusive")

    def floor(self, moment: int, grain: Grain) -> int:
        """The first second of the unit that a moment lies in, by this calendar's weeks and seasons."""
        if grain is Grain.WEEK:
            first = self.settings.first_weekday
            return floor(moment - first * DAY, Grain.WEEK) + first * DAY
        if grain is Grain.SEASON:
            return self._season_of(moment)[0]
        return floor(moment, grain)

    def unit(self, grain: Grain, offset: int = 0, count: int = 1) -> TimeInterval:
        """`count` units beginning `offset` units from the one that holds the reference."""
        if grain is Grain.SEASON:
            return self._seasons(offset, count)
        start = shift(self.floor(self.now, grain), offset, grain)
        return TimeInterval(start, shift(start, count, grain), grain)

    def season(self, year: int, index: int) -> TimeInterval:
        """Spring, summer, autumn or winter (0 to 3) that begins in a year; the last of them runs into the next year."""
        place = (index + 2) % 4 if self.settings.hemisphere == "south" else index
        if self.settings.season_convention == "meteorological":
            start = to_seconds(year, 3 + 3 * place)
            return TimeInterval(start, shift(start, 3, Grain.MONTH), Grain.SEASON)
        start = to_seconds(year, *_SOLSTICES[place])
        return TimeInterval(start, to_seconds(year + (place == 3), *_SOLSTICES[(place + 1) % 4]), Grain.DAY)

    def fiscal_start(self, year: int) -> int:
        """The first second of the fiscal year that bears a number."""
        settings = self.settings
        begins_before = settings.fiscal_start > 1 and settings.fiscal_named_by == "end"
        return to_seconds(year - begins_before, settings.fiscal_start)

    def fiscal_year_of(self, moment: int) -> int:
        """The number of the fiscal year that a moment lies in."""
        year = from_seconds(moment).year
        return next(y for y in (year + 1, year, year - 1) if self.fiscal_start(y) <= moment)

    def _season_of(self, moment: int) -> tuple[int, int, int]:
        year = from_seconds(moment).year
        for y in (year, year - 1):
            for index in sorted(range(4), key=lambda i: -(self.season(y, i).start or 0)):
                start = self.season(y, index).start
                if start is not None and start <= moment:
                    return start, y, index
        raise AssertionError("every moment lies in a season")

    def _seasons(self, offset: int, count: int) -> TimeInterval:
        start = self._season_of(self.now)[0]
        middle = shift(start, 1, Grain.MONTH)
        first = self._season_of(shift(middle, 3 * offset, Grain.MONTH))
        last = self._season_of(shift(middle, 3 * (offset + count - 1), Grain.MONTH))
        return TimeInterval(first[0], self.season(*last[1:]).end, self.season(*last[1:]).grain)


def _as_interval(today: TimeInterval | str | date) -> TimeInterval:
    if isinstance(today, TimeInterval):
        return today
    if isinstance(today, datetime):
        moment = today.astimezone(UTC) if today.tzinfo else today
        start = to_seconds(moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)
        return TimeInterval(start, start + 1, Grain.SECOND)
    if isinstance(today, date):
        return TimeInterval.unit(to_seconds(today.year, today.month, today.day), Grain.DAY)
    try:
        return TimeInterval.parse(today)
    except TimeExpressionError:
        return _iso_moment(today)


def _iso_moment(text: str) -> TimeInterval:
    """The forms of ISO 8601 that EDTF leaves out: fractions of a second, offsets, a blank before the clock."""
    try:
        return _as_interval(datetime.fromisoformat(text))
    except ValueError:
        raise TimeExpressionError(text, "is no ISO date to count from") from None
