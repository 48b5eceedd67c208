"""Periods that other times lie in, and their parts: `late 2011`, `the end of the month`, `2015's first quarter`."""

from __future__ import annotations

from dataclasses import replace

from chronotope.temporal.calendar import Grain, shift
from chronotope.temporal.english.lexicon import PARTS, UNITS
from chronotope.temporal.english.periods import read_century
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.english.years import full_year
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.fields import Fields, portion
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.reading import RELATIVE, Reading, settled, skip

__all__ = ["container", "nominal", "read_part", "read_possessive", "read_year_part"]

CONTAINERS = (
    Grain.WEEK,
    Grain.MONTH,
    Grain.QUARTER,
    Grain.HALF,
    Grain.YEAR,
    Grain.DECADE,
    Grain.CENTURY,
    Grain.MILLENNIUM,
    Grain.SEASON,
)


def read_part(scan: Scan, i: int) -> Reading | None:
    """`early 1990s`, `mid-2008`, `late last year`, `the beginning of March`, `end of 2012`, `the end of the month`."""
    tokens = scan.tokens
    j = skip(tokens, i, "the")
    part = PARTS.get(tokens[j].low)
    if part is None:
        return None
    k = skip(tokens, j + 1, "-", "part")
    if part == "early" or part == "late" or part == "mid":
        k = skip(tokens, k, "in")
        other = skip(tokens, k, "to", "or", "and", "-", "/")
        if other > k and PARTS.get(tokens[other].low):
            return _two_parts(scan, part, other)
    k = skip(tokens, k, "of")
    if part == "turn" and (tokens[k - 1].low != "of" or read_century(tokens, k, scan.frame) is None):
        return None
    whole = container(scan, skip(tokens, k, "around", "about"), alone=k > j + 1 or part in ("start", "end", "middle"))
    return _cut(whole, part, scan.frame) if whole else None


def _two_parts(scan: Scan, part: str, i: int) -> Reading | None:
    """`early to mid 1990s`: from the start of the first part to the end of the second."""
    second = scan.atom(i)
    if second is None or second.fields is None or second.fields.part is None:
        return None
    first, last = (settled(replace(second, fields=replace(second.fields, part=p)), scan.frame) for p in (part, second.fields.part))
    if not first or not last or first.interval is None or last.interval is None or first.interval.start is None:
        return None
    interval = TimeInterval(first.interval.start, last.interval.end, first.interval.grain)
    return Reading(second.stop, interval=interval, flags=first.flags | last.flags, confidence=0.7)


def _cut(whole: Reading, part: str, frame: Frame) -> Reading | None:
    if whole.fields is not None and whole.fields.part is None:
        if whole.fields.grain is Grain.DAY:
            return None
        fields = replace(whole.fields, part=part)
        return replace(whole, fields=fields, weak=False, confidence=0.8).with_flags("vague")
    if whole.interval is None or whole.interval.grain <= Grain.DAY:
        return None
    interval = portion(whole.interval, nominal(whole, frame), part)
    return replace(whole, interval=interval, weak=False, confidence=0.7).with_flags("vague")


def container(scan: Scan, i: int, *, alone: bool = True) -> Reading | None:
    """A period that other times lie in: any dated period, `next month`, `the year`; `alone` allows `month` without article."""
    tokens, frame = scan.tokens, scan.frame
    inner = scan.atom(i)
    if inner is not None and (inner.fields is None or inner.fields.grain is not Grain.DAY or inner.fields.day):
        return inner
    j = skip(tokens, i, "the", "this")
    unit = UNITS.get(tokens[j].low)
    if unit and unit[0] in CONTAINERS and unit[1] == 1 and (j > i or alone):
        return Reading(j + 1, interval=frame.unit(unit[0]), flags=frozenset({RELATIVE}), confidence=0.6)
    return None


def nominal(reading: Reading, frame: Frame) -> Grain:
    """The unit that an interval is one of, although its sides may also fall on finer ones."""
    interval = reading.interval
    if interval is None or interval.start is None:
        return Grain.DAY
    for grain in CONTAINERS[::-1]:
        if interval.end == shift(interval.start, 1, grain) and frame.floor(interval.start, grain) == interval.start:
            return grain
    return interval.grain


def read_possessive(scan: Scan, i: int) -> Reading | None:
    """A part of a year that owns it: `2015's first quarter`."""
    tokens, year = scan.tokens, full_year(scan.tokens, i)
    if year is None or tokens[i + 1].low not in ("'", "’") or tokens[i + 2].low != "s":
        return None
    inner = scan.atom(i + 3)
    if inner is None or inner.fields is None or inner.fields.year is not None or inner.fields.grain is Grain.DAY:
        return None
    return replace(inner, fields=replace(inner.fields, year=year), weak=False)


def read_year_part(scan: Scan, i: int) -> Reading | None:
    """A part told after its year: `1915 late`."""
    tokens, year = scan.tokens, full_year(scan.tokens, i)
    part = PARTS.get(tokens[i + 1].low)
    if year is None or part not in ("early", "mid", "late") or tokens[i + 2].kind == "w":
        return None
    return Reading(i + 2, Fields(Grain.YEAR, year, part=part), flags=frozenset({"vague"}))
