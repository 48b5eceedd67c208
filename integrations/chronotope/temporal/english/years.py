"""Years: four digits, two digits, words, eras, and "last year"."""

from __future__ import annotations

from typing import NamedTuple

from chronotope.temporal.calendar import Grain
from chronotope.temporal.english.lexicon import DIRECTIONS, ENDINGS, UNITS
from chronotope.temporal.english.numerals import read_spoken_year
from chronotope.temporal.english.tokens import Token
from chronotope.temporal.partial.fields import Fields
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.reading import RELATIVE, Reading, skip

__all__ = [
    "ASSUMED_CENTURY",
    "Year",
    "full_year",
    "is_thousands",
    "read_era",
    "read_short_year",
    "read_year",
    "year_reading",
    "year_tail",
]

ASSUMED_CENTURY = "assumed_century"
FIRST, LAST = 1000, 2199  # four digits outside are years only beside the word "year"
LAST_NAMED = 2999
_QUOTES = ("'", "’", "‘")
_AFTER_SHORT = {"", ".", ",", ";", ":", "?", "!", ")", "was", "is", "were", "will", "and", "to", "in", "at", "-", "–"}


class Year(NamedTuple):
    """An astronomical year, the index after it, and how it was told."""

    number: int
    stop: int
    flags: frozenset[str] = frozenset()
    era: bool = False


def is_thousands(tokens: list[Token], i: int) -> bool:
    """True for a number that goes on after a comma or a point (`1,900`, `2.5`), or has a sign of money or a number before it."""
    mark, rest = tokens[i + 1], tokens[i + 2]
    if "," in tokens[i].low and tokens[i].kind == "n":
        return True
    if mark.glued and mark.low in (",", ".") and rest.glued and rest.kind == "n" and (mark.low == "." or rest.width == 3):
        return True
    if mark.low in ("%", "°") or (mark.glued and mark.low in ("$", "€", "£")):
        return True
    before = tokens[i - 1].low if i else ""
    return tokens[i].glued and (
        before in ("$", "€", "£", "#", "@", "+") or (before in (",", ".") and i > 1 and tokens[i - 2].kind == "n")
    )


def read_era(tokens: list[Token], i: int, *, small: bool = False) -> tuple[bool, int] | None:
    """True for BC and BCE, False for AD and CE, dotted or not, with the index after it; `small` allows "ad" in small letters."""
    token = tokens[i]
    if token.low in ("bc", "bce"):
        return True, i + 1
    if token.low in ("ad", "ce") and (token.capital or small):
        return False, i + 1
    letters, j = "", i
    while tokens[j].kind == "w" and len(tokens[j].low) == 1 and tokens[j + 1].low == "." and len(letters) < 3:
        letters, j = letters + tokens[j].low, j + 2
    if letters in ("bc", "bce", "ad", "ce"):
        return letters[0] == "b", j
    return None


def full_year(tokens: list[Token], i: int) -> int | None:
    """A number of four digits that may be a year."""
    token = tokens[i]
    if token.width != 4 or not FIRST <= token.number <= LAST or is_thousands(tokens, i):
        return None
    after = tokens[i + 1]
    if after.glued and (after.kind == "w" or (after.low == ":" and tokens[i + 2].kind == "n")):
        return None
    return token.number


def read_year(tokens: list[Token], i: int) -> Year | None:
    """A year that stands on its own feet: four digits, words, or a number with its era."""
    lead = read_era(tokens, i)
    if lead and not lead[0] and tokens[lead[1]].number > 0:
        return Year(tokens[lead[1]].number, lead[1] + 1, era=True)
    token = tokens[i]
    if 0 < token.number <= 9999 and ("," in token.low or not is_thousands(tokens, i)):
        era = read_era(tokens, i + 1)
        if era:
            return Year(1 - token.number if era[0] else token.number, era[1], era=True)
    year = full_year(tokens, i)
    if year is not None:
        return Year(year, i + 1)
    spoken = read_spoken_year(tokens, i)
    return Year(*spoken) if spoken and FIRST <= spoken[0] <= LAST else None


def read_short_year(tokens: list[Token], i: int, frame: Frame) -> Year | None:
    """Two digits, with or without an apostrophe: `'98`, `07`; the century is assumed by the pivot of the settings."""
    j = skip(tokens, i, *_QUOTES)
    token, after = tokens[j], tokens[j + 1]
    if token.kind != "n" or token.width != 2 or (j > i and not token.glued):
        return None
    if after.glued and (
        after.low in ENDINGS or after.kind in "nw" or (after.low in (":", "/", "-", ".") and tokens[j + 2].kind == "n")
    ):
        return None
    century = 2000 if token.number < frame.settings.pivot else 1900
    return Year(century + token.number, j + 1, frozenset({ASSUMED_CENTURY}))


def read_relative_year(tokens: list[Token], i: int, frame: Frame) -> Year | None:
    """`last year`, `of the following year`, `this year`."""
    j = skip(tokens, i, "the")
    offset = DIRECTIONS.get(tokens[j].low)
    if offset is None or UNITS.get(tokens[j + 1].low) != (Grain.YEAR, 1):
        if j > i and tokens[j].low == "year":
            return Year(frame.year, j + 1, frozenset({RELATIVE}))
        return None
    return Year(frame.year + offset, j + 2, frozenset({RELATIVE}))


def year_tail(tokens: list[Token], i: int, frame: Frame, *, short: bool = False) -> Year | None:
    """The year that completes a month, a day, a quarter: `, 2015`, `of 2015`, `in the year 2015`, `'15`, `of last year`.

    `short` allows two bare digits after a blank (`14th April 15`).
    """
    j = _after_link(tokens, i)
    named = _after_year_word(tokens, j)
    year = read_year(tokens, named) or read_relative_year(tokens, j, frame)
    if year:
        return year
    token = tokens[j]
    if j == i and token.width == 3 and token.number >= 100 and not tokens[j + 1].glued and not is_thousands(tokens, j):
        return Year(token.number, j + 1)
    return _short_tail(tokens, i, j, frame, short=short)


def _after_link(tokens: list[Token], i: int) -> int:
    """The index after the comma, stroke or preposition before a year; a dash before a blank joins a range instead."""
    low = tokens[i].low
    if low in ("of", "in") or (low in ("-", "/") and tokens[i + 1].glued):
        return i + 1
    return skip(tokens, i + 1, "of", "in") if low == "," else i


def _after_year_word(tokens: list[Token], j: int) -> int:
    """The index after "the year", "calendar year of", where a year is named so."""
    k = skip(tokens, skip(tokens, j, "the"), "calendar")
    return skip(tokens, k + 1, "of") if tokens[k].low == "year" else j


def _short_tail(tokens: list[Token], i: int, j: int, frame: Frame, *, short: bool) -> Year | None:
    year = read_short_year(tokens, j, frame)
    if not year or (tokens[i].low == "," and tokens[j].low not in _QUOTES):
        return None
    mark = tokens[i].low
    joined = (j == i + 1 and (mark == "of" or (mark in ("-", "/") and tokens[i - 2].low == mark))) or tokens[j].low in _QUOTES
    if joined or (short and j == i and tokens[year.stop].low in _AFTER_SHORT and not tokens[j].glued):
        return year
    return None


def year_reading(tokens: list[Token], i: int, frame: Frame) -> Reading | None:
    """A year as a time of its own; bare digits and words are weak, "the year 1897" and "AD 14" are not."""
    j = skip(tokens, skip(tokens, i, "the"), "calendar")
    if tokens[j].low in ("year", "yr"):
        return _after_word(tokens, skip(tokens, skip(tokens, j + 1, "of"), ":"))
    year = read_year(tokens, i)
    if year:
        return _reading(year, weak=not year.era)
    token, after = tokens[i], tokens[i + 1]
    if token.width == 3 and token.number >= 100 and not is_thousands(tokens, i) and not (after.glued and after.kind != "p"):
        return Reading(i + 1, Fields(Grain.YEAR, token.number), weak=True, confidence=0.4)
    if token.low in ("-", "−"):
        return _signed(tokens, i)
    short = read_short_year(tokens, i, frame) if token.low in _QUOTES else None
    return _reading(short, weak=True) if short else None


def _after_word(tokens: list[Token], i: int) -> Reading | None:
    """The year after the word "year", which may be any number."""
    number = tokens[i].number
    year = read_year(tokens, i) or (Year(number, i + 1) if 0 < number <= LAST_NAMED and not is_thousands(tokens, i) else None)
    return _reading(year, weak=False) if year else None


def _signed(tokens: list[Token], i: int) -> Reading | None:
    """`-0043`, as ISO 8601 writes 44 BC."""
    number = tokens[i + 1]
    if not number.glued or number.width != 4 or number.low[0] != "0" or (i and tokens[i].glued):
        return None
    return Reading(i + 2, Fields(Grain.YEAR, -number.number, era=True))


def _reading(year: Year, *, weak: bool) -> Reading:
    fields = Fields(Grain.YEAR, year.number, era=year.era)
    return Reading(year.stop, fields, flags=year.flags, weak=weak, confidence=0.8 if weak else 0.95)
