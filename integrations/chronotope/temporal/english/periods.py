"""Named periods: quarters, halves, fiscal years, seasons, weeks, decades, centuries and millennia."""

from __future__ import annotations

from dataclasses import replace

from chronotope.temporal.calendar import Grain
from chronotope.temporal.english.lexicon import DECADES, SEASONS, UNSURE
from chronotope.temporal.english.numerals import read_cardinal, read_ordinal
from chronotope.temporal.english.tokens import Token
from chronotope.temporal.english.years import (
    ASSUMED_CENTURY,
    FIRST,
    LAST,
    full_year,
    is_thousands,
    read_era,
    read_short_year,
    year_tail,
)
from chronotope.temporal.partial.fields import Fields
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.reading import Reading, blank_or, skip

__all__ = ["read_century", "read_decade", "read_fiscal", "read_quarter", "read_season", "read_week"]

_LETTERS = {"q": (Grain.QUARTER, 4), "h": (Grain.HALF, 2)}
_QUARTER_WORDS = {"quarter": Grain.QUARTER, "qtr": Grain.QUARTER, "half": Grain.HALF}
_CENTURY_WORDS = {"century", "centuries", "cent", "c", "cc"}
_FISCAL = {"fiscal", "financial"}
_APOSTROPHES = ("'", "’")


def read_quarter(tokens: list[Token], i: int, frame: Frame) -> Reading | None:
    """A quarter or half: `Q3 2021`, `2025Q01`, `2H22`, `third quarter of 2023`, `first half of FY2021`."""
    part = _letter(tokens, i) or _ranked(tokens, i)
    if part:
        grain, index, j, weak = part
        fiscal = read_fiscal(tokens, skip(tokens, skip(tokens, j, "of", ","), "the"), frame)
        if fiscal and fiscal.fields:
            return replace(fiscal, fields=replace(fiscal.fields, grain=grain, index=index))
        glued = tokens[j].glued and tokens[j - 1].kind == "w"  # "2H22"
        year = (read_short_year(tokens, j, frame) if glued else None) or year_tail(tokens, j, frame, short=True)
        if year:
            return Reading(year.stop, Fields(grain, year.number, index=index), flags=year.flags)
        return Reading(j, Fields(grain, index=index), weak=weak, confidence=0.6)
    year_number = full_year(tokens, i) or (tokens[i].number if tokens[i].width == 4 and FIRST <= tokens[i].number <= LAST else None)
    if year_number is None:
        return _short_year_first(tokens, i, frame)
    part = _letter(tokens, skip(tokens, i + 1, "-", "/"))
    return Reading(part[2], Fields(part[0], year_number, index=part[1])) if part else None


def _short_year_first(tokens: list[Token], i: int, frame: Frame) -> Reading | None:
    """`18q4`."""
    part = _letter(tokens, i + 1) if tokens[i].width == 2 and tokens[i].kind == "n" and tokens[i + 1].glued else None
    if part is None or tokens[i + 1].kind != "w":
        return None
    year = tokens[i].number + (2000 if tokens[i].number < frame.settings.pivot else 1900)
    return Reading(part[2], Fields(part[0], year, index=part[1]), flags=frozenset({ASSUMED_CENTURY}))


def _letter(tokens: list[Token], i: int) -> tuple[Grain, int, int, bool] | None:
    """`Q3`, `3Q`, `H1`, `1H`, with no blank inside."""
    first, second = tokens[i], tokens[i + 1]
    letter, digit = (first, second) if first.kind == "w" else (second, first)
    grain, count = _LETTERS.get(letter.low, (None, 0))
    if grain is None or not second.glued or not 1 <= digit.number <= count or digit.width > 2:
        return None
    return grain, digit.number - 1, i + 2, False


def _ranked(tokens: list[Token], i: int) -> tuple[Grain, int, int, bool] | None:
    rank = read_ordinal(tokens, skip(tokens, i, "the"))
    if rank is None:
        return None
    j = skip(tokens, skip(tokens, rank[1], "-"), "fiscal", "calendar")
    grain = _QUARTER_WORDS.get(tokens[j].low)
    limit = 4 if grain is Grain.QUARTER else 2
    return (grain, rank[0] - 1, j + 1, True) if grain and rank[0] <= limit else None


def read_fiscal(tokens: list[Token], i: int, frame: Frame) -> Reading | None:
    """A fiscal year: `FY2021`, `FY21`, `FY 2020/21`, `fiscal year 2021`, `financial year 2020-21`."""
    calendar = tokens[i].low == "cy"
    if tokens[i].low == "fy" or calendar:
        j = skip(tokens, i + 1, "-")
    elif tokens[i].low in _FISCAL:
        j = skip(tokens, skip(tokens, i + 1, "year"), "ending", "ended")
    else:
        return None
    year = full_year(tokens, j)
    if year is None:
        short = read_short_year(tokens, j, frame)
        return Reading(short.stop, Fields(Grain.YEAR, short.number, fiscal=not calendar), flags=short.flags) if short else None
    span = _split_year(tokens, j)
    if span and frame.settings.fiscal_named_by == "end":
        year += 1
    return Reading(span or j + 1, Fields(Grain.YEAR, year, fiscal=not calendar))


def _split_year(tokens: list[Token], i: int) -> int | None:
    """The index after `2020/21` or `1946-47` when the second part is the following year."""
    mark, second = tokens[i + 1], tokens[i + 2]
    if mark.low not in ("-", "/", "–") or not mark.glued or second.kind != "n" or not second.glued:
        return None
    following = tokens[i].number + 1
    return i + 3 if second.number in (following % 100 if second.width == 2 else following, following) else None


def read_season(tokens: list[Token], i: int, frame: Frame) -> Reading | None:
    """A season: `summer 1816`, `the fall of 1976`, `winter 1946-47`; without a year it is weak."""
    j = skip(tokens, i, "the")
    index = SEASONS.get(tokens[j].low)
    if index is None:
        return None
    fields = Fields(Grain.SEASON, index=index)
    year = year_tail(tokens, j + 1, frame)
    if year:
        stop = _split_year(tokens, year.stop - 1) or year.stop
        return Reading(stop, replace(fields, year=year.number), flags=year.flags)
    if tokens[j + 1].low == "of":  # "the fall of Kabul"
        return None
    unsure = tokens[j].low in UNSURE
    return Reading(j + 1, fields, weak=True, confidence=0.4 if unsure else 0.6)


def read_week(tokens: list[Token], i: int, frame: Frame) -> Reading | None:
    """A numbered week of the year: `week 12 of 2021`, `2021-W12`, `W12 2021`."""
    j = skip(tokens, i, "the")
    if tokens[j].low in ("week", "wk", "weeks") or (tokens[j].low == "w" and tokens[j + 1].glued and tokens[j + 1].kind == "n"):
        number = tokens[j + 1].number
        if not 1 <= number <= 53 or tokens[j + 1].width > 2 or tokens[j + 2].low == ":":
            return None
        year = year_tail(tokens, j + 2, frame)
        if year:
            return Reading(year.stop, Fields(Grain.WEEK, year.number, index=number), flags=year.flags)
        return Reading(j + 2, Fields(Grain.WEEK, frame.year, index=number), flags=frozenset({"relative"}), confidence=0.6)
    week = tokens[skip(tokens, i + 1, "-")]
    place = skip(tokens, i + 1, "-") + 1
    if tokens[i].width != 4 or week.low != "w" or not week.glued or not 1 <= tokens[place].number <= 53 or tokens[i].number > LAST:
        return None
    return Reading(place + 1, Fields(Grain.WEEK, tokens[i].number, index=tokens[place].number))


def read_decade(tokens: list[Token], i: int, frame: Frame) -> Reading | None:
    """A decade: `the 1990s`, `'80s`, `the nineties`, `nineteen-forties`, `330s BC`; `the 1800s` is the century."""
    j = skip(tokens, i, "the")
    j = skip(tokens, j, *_APOSTROPHES, "‘")
    if tokens[j].low in DECADES:
        return _spoken_decade(j + 1, DECADES[tokens[j].low], frame, strong=j > i)
    if tokens[j].kind == "n":
        return _figures(tokens, j, frame, strong=j > i)
    century = read_cardinal(tokens, j)
    k = skip(tokens, j + 1, "-")
    if century and 10 <= century[0] <= 20 and tokens[k].low in (*DECADES, "hundreds"):
        year = century[0] * 100 + DECADES.get(tokens[k].low, 0)
        return Reading(k + 1, Fields(Grain.CENTURY if tokens[k].low == "hundreds" else Grain.DECADE, year))
    return None


def _spoken_decade(stop: int, ten: int, frame: Frame, *, strong: bool) -> Reading:
    """The decade of the 1900s (the 2000s below 20), or the last such decade begun by the reference day."""
    year = 1900 + ten if ten >= 20 else 2000 + ten
    while frame.placed and year > frame.year:
        year -= 100
    return Reading(stop, Fields(Grain.DECADE, year), flags=frozenset({ASSUMED_CENTURY}), weak=not strong, confidence=0.8)


def _figures(tokens: list[Token], j: int, frame: Frame, *, strong: bool) -> Reading | None:
    token, k = tokens[j], j + 1
    if tokens[k].low in _APOSTROPHES and tokens[k].glued:
        k += 1
    if tokens[k].low != "s" or not tokens[k].glued or token.number % 10 or is_thousands(tokens, j):
        return None
    if token.width == 2:
        return _spoken_decade(k + 1, token.number, frame, strong=strong)
    era = read_era(tokens, k + 1)
    if token.width != 4 and not era:
        return None
    century = token.number % 100 == 0 and token.number < 2000
    if era and era[0]:
        year = 1 - token.number - (99 if century else 9)
        return Reading(era[1], Fields(Grain.CENTURY if century else Grain.DECADE, year, era=True))
    return Reading(era[1] if era else k + 1, Fields(Grain.CENTURY if century else Grain.DECADE, token.number))


def read_century(tokens: list[Token], i: int, frame: Frame) -> Reading | None:  # noqa: ARG001 - readers share one signature
    """A century or millennium by its rank: `19th century`, `second millennium BC`, `19c`."""
    j = skip(tokens, i, "the")
    rank = read_ordinal(tokens, j)
    if rank is None:
        plain = tokens[j].kind == "n" and tokens[j].width <= 2 and tokens[j + 1].low in ("c", "cent") and tokens[j + 1].glued
        return _era_block(tokens, tokens[j].number, skip(tokens, j + 2, "."), Grain.CENTURY, 0.7) if plain else None
    k = skip(tokens, rank[1], "-")
    if tokens[k].low in _CENTURY_WORDS and (len(tokens[k].low) > 2 or blank_or(tokens[k + 1], ".", "?", ",", ")")):
        return _era_block(tokens, rank[0], k + 1, Grain.CENTURY, 0.95)
    return _era_block(tokens, rank[0], k + 1, Grain.MILLENNIUM, 0.95) if tokens[k].low in ("millennium", "millennia") else None


def _era_block(tokens: list[Token], rank: int, stop: int, grain: Grain, confidence: float) -> Reading | None:
    size, limit = (100, 30) if grain is Grain.CENTURY else (1000, 9)
    dot = tokens[stop - 1].low in ("c", "cent") and tokens[stop].low == "."
    era = read_era(tokens, stop + dot, small=True)
    if not 1 <= rank <= limit:
        return None
    year = 1 - rank * size if era and era[0] else (rank - 1) * size
    return Reading(era[1] if era else stop, Fields(grain, year, era=bool(era)), confidence=confidence)
