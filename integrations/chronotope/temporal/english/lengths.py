"""How long: `two weeks`, `a year and a half`, `4 years and 6 months`, `half a century`."""

from __future__ import annotations

from chronotope.temporal.calendar import Grain, shift
from chronotope.temporal.english.lexicon import UNITS
from chronotope.temporal.english.numerals import read_count
from chronotope.temporal.english.tokens import Token
from chronotope.temporal.partial.reading import chain, skip

__all__ = ["Length", "moved", "read_length"]

Length = list[tuple[int, Grain]]
HALVES = {
    Grain.CENTURY: (50, Grain.YEAR),
    Grain.DECADE: (5, Grain.YEAR),
    Grain.YEAR: (6, Grain.MONTH),
    Grain.MONTH: (15, Grain.DAY),
}


def read_length(tokens: list[Token], i: int, *, more: bool = False) -> tuple[Length, int, bool] | None:
    """How long: `two weeks`, `a month`, `4 years and 6 months`; the third value is True when the wording is vague.

    `more` reads only the continuation of a length ("and two days").
    """
    half = _half_unit(tokens, i)
    if half:
        return half
    length: Length = []
    vague = False
    while True:
        j = skip(tokens, i, "and", ",") if length or more else i
        if (length or more) and j == i and tokens[i].number < 0:
            break
        count = read_count(tokens, j)
        k = skip(tokens, count[1], "more", "-", "calendar") if count else j
        unit = UNITS.get(tokens[k].low) if count else None
        if count is None or unit is None or unit[0] in (Grain.SEASON, Grain.HALF):
            break
        length.append((count[0] * unit[1], unit[0]))
        i, vague = k + 1, vague or count[2]
        if chain(tokens, i, "and", "a", "half") > 0 and unit[0] in HALVES:
            length.append(HALVES[unit[0]])
            i += 3
    return (length, i, vague) if length else None


def _half_unit(tokens: list[Token], i: int) -> tuple[Length, int, bool] | None:
    """`half a century`, `half a year`."""
    if tokens[i].low != "half" or tokens[i + 1].low not in ("a", "an"):
        return None
    unit = UNITS.get(tokens[i + 2].low)
    return ([HALVES[unit[0]]], i + 3, False) if unit and unit[0] in HALVES else None


def moved(moment: int, length: Length, sign: int) -> int:
    """A moment moved by a length, the largest units first."""
    for count, grain in sorted(length, key=lambda part: part[1], reverse=True):
        moment = shift(moment, sign * count, grain)
    return moment
