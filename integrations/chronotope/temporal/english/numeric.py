"""Dates in figures: `2015-03-14`, `3/14/2015`, `14.03.15`, `20150314`, `12-2015`, `11/20`."""

from __future__ import annotations

from chronotope.temporal.calendar import Grain, days_in_month
from chronotope.temporal.english.tokens import Token
from chronotope.temporal.english.years import ASSUMED_CENTURY, FIRST, LAST, read_year
from chronotope.temporal.partial.fields import Fields
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.reading import Reading

__all__ = ["inside_number", "read_numeric"]

AMBIGUOUS_ORDER = "ambiguous_order"
_OF_TWO_YEARS = ("season", "campaign", "academic", "school")
_JOINTS = ("-", "/", ".")
_ORDERS = {"MDY": (2, 0, 1), "DMY": (2, 1, 0), "YMD": (0, 1, 2)}  # places of year, month and day


def read_numeric(tokens: list[Token], i: int, frame: Frame) -> Reading | None:
    """A date in figures that begins at a number."""
    token = tokens[i]
    if token.number < 0:
        return None
    if token.width == 8:
        return _packed(token, i)
    mark, second = tokens[i + 1], tokens[i + 2]
    if not mark.glued and mark.kind == "n":
        return _spaced(tokens, i)
    if mark.low == "/" and second.kind == "n" and not mark.glued and not second.glued and second.width <= 2:  # "on 2 / 15"
        return _two(tokens, i, frame)
    if mark.low not in _JOINTS or not mark.glued or not second.glued or second.kind != "n":
        return None
    third = tokens[i + 4]
    if tokens[i + 3].low == mark.low and tokens[i + 3].glued and third.glued and third.kind == "n":
        return _three(tokens, i, frame) or (_two(tokens, i, frame) if mark.low != "." and third.width == 4 else None)
    return _two(tokens, i, frame)


def inside_number(tokens: list[Token], i: int) -> bool:
    """True within `192.168.0.1` or `555-2020`: a number joined to one before it."""
    return (
        i > 1
        and tokens[i].glued
        and tokens[i - 1].glued
        and tokens[i - 1].low in ("-", "/", ".", ":")
        and tokens[i - 2].kind == "n"
    )


def _packed(token: Token, i: int) -> Reading | None:
    year, rest = divmod(token.number, 10_000)
    month, day = divmod(rest, 100)
    if not 1800 <= year <= 2100 or not 1 <= month <= 12 or not 1 <= day <= days_in_month(year, month):
        return None
    return Reading(i + 1, Fields(Grain.DAY, year, month, day), confidence=0.85)


def _spaced(tokens: list[Token], i: int) -> Reading | None:
    parts = tokens[i], tokens[i + 1], tokens[i + 2]
    if [part.width for part in parts] != [4, 2, 2] or parts[2].kind != "n" or (tokens[i + 3].glued and tokens[i + 3].kind != "p"):
        return None
    year, month, day = (part.number for part in parts)
    if not FIRST <= year <= LAST or not 1 <= month <= 12 or not 1 <= day <= days_in_month(year, month):
        return None
    return Reading(i + 3, Fields(Grain.DAY, year, month, day), confidence=0.8)


def _three(tokens: list[Token], i: int, frame: Frame) -> Reading | None:
    parts = tokens[i], tokens[i + 2], tokens[i + 4]
    widths, numbers = [part.width for part in parts], [part.number for part in parts]
    if tokens[i + 5].glued and tokens[i + 5].low == "." == tokens[i + 1].low and tokens[i + 6].glued and tokens[i + 6].kind == "n":
        return None
    if widths[0] == 4 and max(widths[1:]) <= 2:
        order, flags = (_ORDERS["YMD"] if numbers[1] <= 12 or numbers[2] > 12 else (0, 2, 1)), frozenset[str]()
    elif widths[2] == 4 and max(widths[:2]) <= 2:
        order, flags = _year_last(numbers, _order(tokens[i + 1], frame))
    elif max(widths) <= 2 and (tokens[i + 1].low != "." or widths == [2, 2, 2] or (widths[2] == 2 and 12 < numbers[1] <= 31)):
        return _short(numbers, i, _order(tokens[i + 1], frame), frame)
    else:
        return None
    year, month, day = (numbers[place] for place in order)
    if not 1 <= year <= LAST:
        return None
    return Reading(i + 5, Fields(Grain.DAY, year, month, day), flags=flags, confidence=0.8 if flags else 0.98)


def _order(mark: Token, frame: Frame) -> str:
    """The order that the settings ask for; MDY is a habit of strokes, dots put the day first."""
    order = frame.settings.date_order
    return "DMY" if order == "MDY" and mark.low == "." else order


def _year_last(numbers: list[int], wanted: str) -> tuple[tuple[int, int, int], frozenset[str]]:
    preferred = _ORDERS["DMY" if wanted == "DMY" else "MDY"]
    other = _ORDERS["MDY"] if preferred == _ORDERS["DMY"] else _ORDERS["DMY"]
    first, second = numbers[0], numbers[1]
    if first != second and 1 <= first <= 12 and 1 <= second <= 12:
        return preferred, frozenset({AMBIGUOUS_ORDER})
    return (preferred if 1 <= numbers[preferred[1]] <= 12 else other), frozenset()


def _short(numbers: list[int], i: int, wanted: str, frame: Frame) -> Reading | None:
    for order in (_ORDERS[wanted], _ORDERS["MDY"], _ORDERS["DMY"], _ORDERS["YMD"]):
        year, month, day = (numbers[place] for place in order)
        year += 2000 if year < frame.settings.pivot else 1900
        if 1 <= month <= 12 and 1 <= day <= days_in_month(year, month):
            flags = frozenset({ASSUMED_CENTURY, AMBIGUOUS_ORDER})
            return Reading(i + 5, Fields(Grain.DAY, year, month, day), flags=flags, confidence=0.7)
    return None


def _stands_for_day(tokens: list[Token], i: int, mark: str) -> bool:
    """True for `on 4.22` and `by 4-22`, where nothing follows that the number could measure."""
    before, after = tokens[i - 1].low if i else "", tokens[i + 3]
    return before in (("on",) if mark == "." else ("on", "by", "in", "at", "before", "after", "since")) and after.kind in (
        "p",
        "end",
    )


def _two(tokens: list[Token], i: int, frame: Frame) -> Reading | None:
    first, mark, second = tokens[i], tokens[i + 1].low, tokens[i + 2]
    if first.width <= 2 and second.width == 4 and 1 <= first.number <= 12 and FIRST <= second.number <= LAST:
        return Reading(i + 3, Fields(Grain.MONTH, second.number, first.number), confidence=0.9)
    if first.width == 4 and mark == "/" and second.number == (first.number + 1) % 100 and tokens[i + 3].low in _OF_TWO_YEARS:
        return None  # "the 2003/04 season" is no April
    if first.width == 4 and second.width == 2 and mark != "." and 1 <= second.number <= 12 and FIRST <= first.number <= LAST:
        return Reading(i + 3, Fields(Grain.MONTH, first.number, second.number), confidence=0.85)
    if first.width > 2 or second.width > 2 or (mark != "/" and not _stands_for_day(tokens, i, mark)):
        return None
    month, day = (second, first) if _order(tokens[i + 1], frame) == "DMY" else (first, second)
    year = read_year(tokens, i + 4) if tokens[i + 3].low == "," else None  # "5/7, 2020"
    flags = frozenset({AMBIGUOUS_ORDER}) if month.number != day.number and max(month.number, day.number) <= 12 else frozenset[str]()
    if month.number > 12:
        month, day = day, month
    if not 1 <= month.number <= 12 or not 1 <= day.number <= days_in_month(2000, month.number):
        return None
    if year:
        return Reading(year.stop, Fields(Grain.DAY, year.number, month.number, day.number), flags=flags, confidence=0.8)
    return Reading(i + 3, Fields(Grain.DAY, None, month.number, day.number), flags=flags, weak=True, confidence=0.6)
