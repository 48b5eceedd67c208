"""Dates that name a month or a weekday: `3 June 2020`, `Dec. 31, 1994`, `the 2nd of August, 1858`, `Friday the 13th`."""

from __future__ import annotations

from dataclasses import replace

from chronotope.temporal.calendar import Grain
from chronotope.temporal.english.lexicon import CARDINALS, ENDINGS, MONTHS, UNSURE, WEEKDAYS
from chronotope.temporal.english.numerals import read_cardinal, read_ordinal
from chronotope.temporal.english.numeric import read_numeric
from chronotope.temporal.english.tokens import Token
from chronotope.temporal.english.years import ASSUMED_CENTURY, Year, full_year, is_thousands, year_tail
from chronotope.temporal.partial.fields import Fields
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.reading import Reading, skip

__all__ = ["month_at", "read_day_number", "read_named", "read_weekday"]

Day = tuple[int, int, bool]  # the day, the index after it, whether it had an ending or was an ordinal in words


def month_at(tokens: list[Token], i: int) -> tuple[int, int] | None:
    """The month that a token names, with the index after it and its full stop."""
    token = tokens[i]
    month = MONTHS.get(token.low)
    if month is None:
        return None
    dot = tokens[i + 1]
    short = token.width <= 4 and token.low not in ("may", "june", "july")
    return month, i + 2 if dot.low == "." and dot.glued and short and (
        tokens[i + 2].kind == "n" or not tokens[i + 2].capital
    ) else i + 1


def read_day_number(tokens: list[Token], i: int) -> Day | None:
    """A day of the month: `17`, `17th`, `the seventeenth`, `twenty second`, `twenty nine`."""
    i = skip(tokens, i, "the")
    ordinal = read_ordinal(tokens, i)
    if ordinal:
        return (*ordinal, True) if 1 <= ordinal[0] <= 31 else None
    token = tokens[i]
    if token.kind == "n" and (
        token.width > 2 or is_thousands(tokens, i) or (tokens[i + 1].low == ":" and tokens[i + 2].kind == "n")
    ):
        return None
    number = read_cardinal(tokens, i)
    if not number or not 1 <= number[0] <= 31:
        return None
    if token.kind == "n" and tokens[i + 1].low in ENDINGS:  # "26 th"
        return number[0], i + 2, True
    return number[0], number[1], token.kind != "n"


def read_named(tokens: list[Token], i: int, frame: Frame) -> Reading | None:
    """A date that names its month, with or without a day, a year and a weekday."""
    weekday = WEEKDAYS.get(tokens[i].low)
    if weekday is None:
        found = _month_first(tokens, i, frame) or _day_first(tokens, i, frame) or _year_first(tokens, i)
        return _with_weekday(tokens, found) if found and tokens[found.stop].low == "(" else found
    j = skip(tokens, i + 1, ".")
    bracket = tokens[j].low == "("
    for _ in range(2):
        j = skip(tokens, j, ",", "-", "(", "the", "on")
    inner = _month_first(tokens, j, frame) or _day_first(tokens, j, frame) or read_numeric(tokens, j, frame)
    if inner is None or inner.fields is None or inner.fields.day is None:
        return None
    stop = skip(tokens, inner.stop, ")") if bracket else inner.stop
    return replace(inner, stop=stop, fields=replace(inner.fields, weekday=weekday), weak=False)


def _with_weekday(tokens: list[Token], found: Reading) -> Reading:
    """The date and its weekday in brackets: `May/22(Tue)`."""
    weekday = WEEKDAYS.get(tokens[found.stop + 1].low)
    if weekday is None or tokens[found.stop + 2].low != ")" or found.fields is None or found.fields.day is None:
        return found
    return replace(found, stop=found.stop + 3, fields=replace(found.fields, weekday=weekday))


def _month_first(tokens: list[Token], i: int, frame: Frame) -> Reading | None:
    month = month_at(tokens, i)
    if month is None:
        return None
    number, j = month
    year = _year_after_month(tokens, j, frame)
    if year:
        return _reading(Fields(Grain.MONTH, year.number, number, era=year.era), year.stop, year.flags)
    after = skip(tokens, j, ",", "-", "/")
    day = read_day_number(tokens, after)
    if day is None or (after > j and tokens[after - 1].low == "-" and not tokens[after].glued):
        return Reading(j, Fields(Grain.MONTH, None, number), weak=True, confidence=0.6)
    year = year_tail(tokens, day[1], frame, short=day[2])
    if year:
        return _reading(Fields(Grain.DAY, year.number, number, day[0], era=year.era), year.stop, year.flags)
    unsure = tokens[i].low in UNSURE and not tokens[i].capital and not day[2]
    return Reading(day[1], Fields(Grain.DAY, None, number, day[0]), weak=unsure, confidence=0.75)


def _year_after_month(tokens: list[Token], j: int, frame: Frame) -> Year | None:
    """The year after `June`, unless what follows is the day of a longer date (`June 20, 2015`, `June twenty nine`)."""
    year = year_tail(tokens, j, frame)
    if year is not None and ASSUMED_CENTURY in year.flags:  # "Oct 15" is a day; "Oct of 15" and "Oct '15" are not
        return year if tokens[j].low == "of" or tokens[year.stop - 2].low in ("'", "’", "‘") else None
    return year


def _day_first(tokens: list[Token], i: int, frame: Frame) -> Reading | None:
    if tokens[i].kind == "n" and i > 1 and tokens[i].glued and tokens[i - 1].low in (".", ":", ",") and tokens[i - 2].kind == "n":
        return None
    day = read_day_number(tokens, i)
    if day is None:
        return None
    number, j, firm = day
    ordinal = firm and (tokens[i].kind == "n" or tokens[j - 1].low not in CARDINALS)
    if ordinal and tokens[j].low == "day":
        j += 1
    j = skip(tokens, j, "of", "-", "/", ".", ",")
    month = month_at(tokens, j)
    if month is None or (tokens[j - 1].low == "," and not ordinal):
        return None
    year = year_tail(tokens, month[1], frame, short=True)
    if year:
        return _reading(Fields(Grain.DAY, year.number, month[0], number, era=year.era), year.stop, year.flags)
    unsure = tokens[j].low in UNSURE and not tokens[j].capital and not ordinal and tokens[month[1]].kind == "w"
    if unsure and tokens[i].kind == "w":  # "one may say"
        return None
    return Reading(month[1], Fields(Grain.DAY, None, month[0], number), weak=unsure, confidence=0.75)


def _year_first(tokens: list[Token], i: int) -> Reading | None:
    year = full_year(tokens, i)
    if year is None:
        return None
    j = skip(tokens, i + 1, "-", "/", ",")
    month = month_at(tokens, j)
    if month:
        return _year_month(tokens, i, j, year, month)
    day = read_day_number(tokens, j)
    k = skip(tokens, day[1], "-", "/") if day else j
    month = month_at(tokens, k) if day and k > day[1] else None
    return _reading(Fields(Grain.DAY, year, month[0], day[0]), month[1]) if month and day else None


def _year_month(tokens: list[Token], i: int, j: int, year: int, month: tuple[int, int]) -> Reading | None:
    k = skip(tokens, month[1], "-", "/")
    day = read_day_number(tokens, k)
    if day and full_year(tokens, day[1]) is None:
        return _reading(Fields(Grain.DAY, year, month[0], day[0]), day[1])
    joined = tokens[j - 1].low != "," and (tokens[j].glued if j > i + 1 else tokens[j].low not in UNSURE and tokens[j].capital)
    return _reading(Fields(Grain.MONTH, year, month[0]), month[1]) if joined else None


def _reading(fields: Fields, stop: int, flags: frozenset[str] = frozenset()) -> Reading:
    return Reading(stop, fields, flags=flags, confidence=0.98 if not flags else 0.85)


def read_weekday(tokens: list[Token], i: int) -> Reading | None:
    """A weekday, alone or with the day of the month: `Friday`, `Tuesday the 19th`, `Fri 14th`, `Friday 31`."""
    token = tokens[i]
    weekday = WEEKDAYS.get(token.low)
    if weekday is None:
        return None
    j = skip(tokens, i + 1, ".") if token.width <= 5 and tokens[i + 1].glued else i + 1
    k = skip(tokens, j, ",")
    day = read_day_number(tokens, k)
    if day and (day[2] or (tokens[k].width == 2 and k == j)) and tokens[day[1]].low not in (":", "-", "am", "pm", "a", "p"):
        return Reading(day[1], Fields(Grain.DAY, day=day[0], weekday=weekday), confidence=0.7)
    return Reading(i + 1, Fields(Grain.DAY, weekday=weekday), weak=token.low in UNSURE, confidence=0.6)
