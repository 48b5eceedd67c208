"""The words and dashes between two ends of a range, and ends that are only a number: `July 13-15`, `1861–65`."""

from __future__ import annotations

from dataclasses import replace

from chronotope.temporal.calendar import Grain
from chronotope.temporal.english.lexicon import ENDINGS
from chronotope.temporal.english.named import read_day_number
from chronotope.temporal.english.numerals import read_ordinal
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.english.tokens import Token
from chronotope.temporal.english.years import FIRST, is_thousands, year_tail
from chronotope.temporal.partial.fields import Fields
from chronotope.temporal.partial.reading import Reading, skip

__all__ = ["connector", "crumb", "right_crumb"]

_DASHES = ("-", "–", "—", "~", "‐", "‑")
_TO = ("to", "till", "until", "untill", "til", "through", "thru")


def connector(tokens: list[Token], i: int, *, between: bool) -> int:
    """The index after the words or the dash that join two ends, else -1."""
    token = tokens[i]
    if token.low in _DASHES or (token.low == "/" and _next_year(tokens, i)):
        return i + 1
    if token.low in _TO:
        return i + 1
    if token.low == "up" and tokens[i + 1].low in _TO:
        return i + 2
    if between and token.low == "and":
        return i + 1
    return i + 1 if token.low == "," and tokens[i + 1].low in ("and", "to") and between else -1


def _next_year(tokens: list[Token], i: int) -> bool:
    """True for the stroke of `1871/72`, `2018/2019` and `2013 / 14`, which joins a year to the following one."""
    year, following = tokens[i - 1], tokens[i + 1]
    if tokens[i].glued is not following.glued or year.width != 4 or following.kind != "n":
        return False
    return following.number == ((year.number + 1) % 100 if following.width == 2 else year.number + 1)


def crumb(tokens: list[Token], i: int) -> Reading | None:
    """A number or rank that only the other end of its range can explain: `13` in "13 to 15 July", `264` in "264 to 146 BC"."""
    i = skip(tokens, i, "the")
    rank = read_ordinal(tokens, i)
    if rank:
        return Reading(rank[1], Fields(Grain.DAY, number=rank[0]), weak=True)
    token = tokens[i]
    if token.kind != "n" or not 0 < token.number <= 9999 or is_thousands(tokens, i):
        return None
    return Reading(i + 1, Fields(Grain.DAY, number=token.number), weak=True)


def right_crumb(scan: Scan, i: int, left: Reading) -> Reading | None:
    """The second end when it is only a number: `15` in "July 13-15", `65` in "1861-65", `70s` in "1960s-70s"."""
    tokens, fields = scan.tokens, left.fields
    if fields is None:
        return None
    if fields.grain is Grain.DAY and fields.day is not None:
        day = read_day_number(tokens, i)
        if day is None or tokens[day[1]].low == ":" or _goes_on(tokens, day[1]):
            return None
        year = year_tail(tokens, day[1], scan.frame)
        return Reading(
            year.stop if year else day[1], replace(fields, day=day[0], weekday=None, year=year.number if year else fields.year)
        )
    if fields.grain is Grain.YEAR and fields.year is not None and fields.year >= FIRST:
        return _short_year(tokens, i, fields)
    return None


def _goes_on(tokens: list[Token], i: int) -> bool:
    return tokens[i].glued and tokens[i].low in ("/", "-") and tokens[i + 1].kind == "n"


def _short_year(tokens: list[Token], i: int, fields: Fields) -> Reading | None:
    token, after = tokens[i], tokens[i + 1]
    if (
        token.kind != "n"
        or token.width > 2
        or _goes_on(tokens, i + 1)
        or (after.glued and (after.kind == "w" or after.low in ENDINGS))
    ):
        return None
    size = 10**token.width
    year = (fields.year or 0) // size * size + token.number
    return Reading(i + 1, replace(fields, year=year if year > (fields.year or 0) else year + size))
