"""A time where one is expected: with its hedge, with a bare number, with the far end of its range."""

from __future__ import annotations

from dataclasses import replace

from chronotope.temporal.calendar import Grain
from chronotope.temporal.english import cues
from chronotope.temporal.english.lexicon import MONTHS, PARTS, WEEKDAYS
from chronotope.temporal.english.numerals import read_ordinal
from chronotope.temporal.english.ranges import connector, crumb, right_crumb
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.fields import Fields
from chronotope.temporal.partial.joining import explained, joined
from chronotope.temporal.partial.reading import RELATIVE, Reading, skip

__all__ = ["backward", "hedged", "is_crumb", "operand", "ranged", "shared"]

_YEAR_NOUNS = {"season", "campaign", "academic", "school", "edition", "session", "tax", "financial", "calendar", "term"}
_SURE_NOUNS = {"season", "campaign"}  # years stand before these and hardly anything else with four digits does
_NAMES_FROM, _NAMES_TO = 1800, 2100  # years that things are named after: "the 2010 World Cup"
_LINKS = ("and", "or", "&", ",")


def is_crumb(reading: Reading) -> bool:
    """True for a bare number or rank, which only a neighbour can explain."""
    return reading.fields is not None and reading.fields.number is not None


def operand(scan: Scan, i: int) -> Reading | None:
    """A time after a cue: any reading, `now`, `the 15th`, or a number that the other end of a range will explain."""
    j, doubted = cues.skip_hedge(scan.tokens, i)
    reading = scan.atom(j) or _bare(scan, j)
    if reading is None:
        return crumb(scan.tokens, j)
    if doubted or scan.tokens[reading.stop].low in cues.APPROXIMATE:
        return hedged(scan, j, reading)
    return reading


def hedged(scan: Scan, i: int, reading: Reading) -> Reading:
    """The reading flagged as approximate; "c. 1800s" names ten years, not a hundred."""
    fields = reading.fields
    if fields is not None and fields.grain is Grain.CENTURY and scan.tokens[i].width == 4 and scan.tokens[i].kind == "n":
        reading = replace(reading, fields=replace(fields, grain=Grain.DECADE))
    return reading.with_flags("approximate")


def _bare(scan: Scan, i: int) -> Reading | None:
    """Words that are times only after a cue: `now`, `the 15th`, `the 1998 season`, `the April`, `late 19th` in a list."""
    tokens = scan.tokens
    low, following = tokens[i].low, tokens[i + 1]
    if low in ("now", "date", "present") or (low == "the" and following.low == "present"):
        return _now(scan, i + (low == "the"))
    if PARTS.get(low) in ("early", "mid", "late"):
        return _part_of_list(scan, i, PARTS[low])
    if low in ("the", "this") and (following.low in MONTHS or following.low in WEEKDAYS):
        return scan.atom(i + 1)
    if low != "the":
        return None
    return _year_noun(scan, i + 1) if following.low in _YEAR_NOUNS or following.width == 4 else _day_of_month(scan, i + 1)


def _now(scan: Scan, i: int) -> Reading:
    today = TimeInterval(scan.frame.today, scan.frame.today, Grain.DAY)
    stop = i + 1 + (scan.tokens[i + 1].low == "day")
    return Reading(stop, interval=today, flags=frozenset({RELATIVE}), weak=True)


def _part_of_list(scan: Scan, i: int, part: str) -> Reading | None:
    """`late 19th` in "the late 19th and early 20th centuries"."""
    rank = crumb(scan.tokens, skip(scan.tokens, i + 1, "-"))
    if rank is None or rank.fields is None or scan.tokens[rank.stop].low not in _LINKS:
        return None
    return replace(rank, fields=replace(rank.fields, part=part))


def _day_of_month(scan: Scan, i: int) -> Reading | None:
    """`the 15th`, unless it goes on ("the 15th floor")."""
    tokens, day = scan.tokens, read_ordinal(scan.tokens, i)
    if tokens[i].kind == "w" and tokens[i - 2].low not in ("on", "by"):  # "from the first"
        return None
    if day is None or not 1 <= day[0] <= 31 or (tokens[day[1]].kind == "w" and tokens[day[1]].low not in ("and", "or", "at", "to")):
        return None
    return Reading(day[1], Fields(Grain.DAY, day=day[0]), weak=True, confidence=0.4)


def _year_noun(scan: Scan, i: int) -> Reading | None:
    """`the 1998 season`, `the 1971 holiday season`, `the 2018–19 academic year`, `the season 2018/2019`, `the 2010 World Cup`."""
    tokens = scan.tokens
    before = tokens[i].low in _YEAR_NOUNS
    first = scan.atom(skip(tokens, i + before, "year"))
    if first is None or first.fields is None or first.fields.grain is not Grain.YEAR:
        return None
    split = tokens[first.stop].kind == "p" and tokens[first.stop + 1].kind == "n"
    years = (ranged(scan, first, between=False) if split else None) or first
    if before:
        return years
    stop = years.stop
    if tokens[stop].kind == "w" and not tokens[stop].capital and tokens[stop + 1].low in _SURE_NOUNS:
        stop += tokens[stop].low not in _YEAR_NOUNS
    if tokens[stop].low not in _YEAR_NOUNS:
        named = first.fields.year is not None and _NAMES_FROM <= first.fields.year < _NAMES_TO and tokens[i].width == 4
        return replace(years, weak=False, confidence=0.7) if named and _is_name(scan, stop) else None
    return replace(years, stop=skip(tokens, stop + 1, "year"), weak=years.weak and tokens[stop].low not in _SURE_NOUNS)


def _is_name(scan: Scan, i: int) -> bool:
    """True for two words with capitals in a row: what is named after its year is hardly ever counted by it."""
    first, second = scan.tokens[i], scan.tokens[i + 1]
    return first.capital and second.capital and not first.glued and not second.glued


def shared(scan: Scan, left: Reading) -> Reading:
    """The first of a list that shares its noun: `18th and 19th centuries`, `3 and 5 May`; any other reading as it is."""
    fields, tokens = left.fields, scan.tokens
    if fields is None or fields.month or fields.weekday is not None or tokens[left.stop].low not in _LINKS:
        return left
    number = fields.day if fields.number is None else fields.number
    right = operand(scan, skip(tokens, left.stop + 1, "the")) if number is not None else None
    if number is None or right is None or right.fields is None:
        return left
    known = explained(number, right.fields)
    if known is None or known.grain is not right.fields.grain or known.grain is Grain.YEAR:
        return left
    return replace(left, fields=replace(known, part=fields.part), weak=False, flags=right.flags, confidence=0.8)


def ranged(scan: Scan, left: Reading, *, between: bool) -> Reading | None:
    """The range that begins with a reading, when a connector and a second end follow; the longest end that fits is taken."""
    tokens = scan.tokens
    doubt = tokens[left.stop].low == "?" and tokens[left.stop].glued  # "between 1862? and 1863?"
    j = connector(tokens, left.stop + doubt, between=between)
    if j < 0 or left.relation != "during" or _next_item(scan, left.stop):
        return None
    k = skip(tokens, j, "the")
    ends = [operand(scan, j), operand(scan, k) if k > j else None, right_crumb(scan, k, left)]
    for end in sorted((e for e in ends if e is not None and not is_crumb(e)), key=lambda e: -e.stop):
        found = joined(left, end, scan.frame, whole=tokens[j - 1].kind == "p")
        if found is not None:
            return found
    return None


def _next_item(scan: Scan, i: int) -> bool:
    """True for the dash that opens the next line of a list."""
    mark, before = scan.tokens[i], scan.tokens[i - 1]
    return mark.low == "-" and not scan.tokens[i + 1].glued and "\n" in scan.text[before.end : mark.start]


def backward(scan: Scan, left: Reading, *, between: bool) -> Reading | None:
    """The range of two dated ends told in the wrong order, turned round and flagged: `from 1911 to 1901`."""
    j = connector(scan.tokens, left.stop, between=between)
    if j < 0 or scan.tokens[j - 1].kind != "w" or not _dated(left):
        return None
    right = operand(scan, j)
    if right is None or not _dated(right):
        return None
    found = joined(right, left, scan.frame)
    return replace(found, stop=right.stop).with_flags("reversed") if found else None


def _dated(reading: Reading) -> bool:
    return reading.fields is not None and reading.fields.year is not None and not reading.fields.era
