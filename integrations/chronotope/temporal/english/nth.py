"""Units by their place in a longer one: `last Monday of March`, `first ten days of 2020`, `second half of the 1960s`."""

from __future__ import annotations

from dataclasses import replace

from chronotope.temporal.calendar import DAY, Grain, from_seconds, shift
from chronotope.temporal.english.containers import container, nominal
from chronotope.temporal.english.lexicon import DIRECTIONS, UNITS, WEEKDAYS
from chronotope.temporal.english.named import read_day_number
from chronotope.temporal.english.numerals import read_count, read_ordinal
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.fields import Fields
from chronotope.temporal.partial.reading import RELATIVE, Reading, settled, skip

__all__ = ["read_day_of", "read_nth", "read_weekday_of", "run_of_units"]


def read_nth(scan: Scan, i: int) -> Reading | None:
    """A unit by its place in a longer one: `last Monday of March 2014`, `second half of the 1960s`, `third last week of 2018`."""
    tokens = scan.tokens
    j = skip(tokens, i, "the")
    rank = _rank(scan, j)
    if rank is None:
        return None
    place, j = rank
    count = read_count(tokens, j) if tokens[j].low not in ("a", "an", "the") else None
    k = count[1] if count else j
    if tokens[k].low not in UNITS and tokens[k].low not in WEEKDAYS and tokens[k].low not in ("half", "weekend"):
        return None
    m = (
        skip(tokens, k + 1, ".")
        if tokens[k + 1].low == "." and tokens[k + 1].glued and tokens[k + 2].low in ("of", "in")
        else k + 1
    )
    linked = skip(tokens, m, "of", "in", "from", ",")
    whole = container(scan, linked, alone=False)
    if whole is None or (linked == m and whole.weak):
        return None
    inside = settled(whole, scan.frame)
    if inside is None or inside.interval is None or inside.interval.start is None or inside.interval.end is None:
        return None
    some = count is None and tokens[k].low.endswith("s") and tokens[k].low in UNITS  # "the opening months of 1942": the first three
    interval = _inside(scan, k, inside, place, 3 if some else count[0] if count else 1)
    if interval is None:
        return None
    return _on_weekday(scan, Reading(whole.stop, interval=interval, flags=inside.flags, confidence=0.9))


def _on_weekday(scan: Scan, reading: Reading) -> Reading:
    """`first week of October on Friday`."""
    tokens, interval = scan.tokens, reading.interval
    weekday = WEEKDAYS.get(tokens[reading.stop + 1].low)
    if interval is None or interval.grain is not Grain.WEEK or weekday is None or tokens[reading.stop].low != "on":
        return reading
    return replace(reading, stop=reading.stop + 2, interval=TimeInterval.unit((interval.start or 0) + weekday * DAY, Grain.DAY))


def _rank(scan: Scan, i: int) -> tuple[int, int] | None:
    """Which one: 1 is the first, -1 the last, -3 the third last."""
    tokens = scan.tokens
    if tokens[i].low in ("last", "final", "closing"):
        return -1, i + 1
    if tokens[i].low in ("opening", "initial"):
        return 1, i + 1
    rank = read_ordinal(tokens, i)
    if rank is None or not 1 <= rank[0] <= 366:
        return None
    j = skip(tokens, rank[1], "-", "to")
    return (-rank[0], j + 1) if tokens[j].low == "last" else (rank[0], rank[1])


def _inside(scan: Scan, k: int, whole: Reading, place: int, count: int) -> TimeInterval | None:
    word, interval = scan.tokens[k].low, whole.interval
    if interval is None or interval.start is None or interval.end is None:
        return None
    if word in ("half", "quarter"):
        return _fraction(interval, nominal(whole, scan.frame), 2 if word == "half" else 4, place)
    if word == "weekend":
        saturday = _nth_weekday(interval, 5, place)
        return TimeInterval(saturday, saturday + 2 * DAY, Grain.DAY) if saturday is not None else None
    if word in WEEKDAYS and word not in UNITS:
        day = _nth_weekday(interval, WEEKDAYS[word], place)
        return TimeInterval.unit(day, Grain.DAY) if day is not None else None
    grain, size = UNITS[word]
    return run_of_units(interval, grain, place, count * size) if grain >= Grain.DAY else None


def _fraction(interval: TimeInterval, grain: Grain, pieces: int, place: int) -> TimeInterval | None:
    """A half or quarter of a period, cut at years, months or days."""
    start, end = interval.start or 0, interval.end or 0
    index = place - 1 if place > 0 else pieces + place
    if not 0 <= index < pieces:
        return None
    units = {
        Grain.MILLENNIUM: (Grain.YEAR, 1000),
        Grain.CENTURY: (Grain.YEAR, 100),
        Grain.DECADE: (Grain.MONTH, 120),
        Grain.YEAR: (Grain.MONTH, 12),
    }
    unit, total = units.get(grain, (Grain.DAY, (end - start) // DAY))
    if grain is Grain.MONTH:
        total += (
            total % pieces
        )  # the first half of a month is its first fifteen days, sixteen of thirty-one would be the second's loss
        total = 30 if pieces == 2 else total
    low = shift(start, total * index // pieces, unit)
    high = end if index == pieces - 1 else shift(start, total * (index + 1) // pieces, unit)
    return TimeInterval(low, high, Grain.YEAR if unit is Grain.YEAR else unit)


def _nth_weekday(interval: TimeInterval, weekday: int, place: int) -> int | None:
    start, end = interval.start or 0, interval.end or 0
    if place > 0:
        day = start + ((weekday - (start // DAY + 3)) % 7 + 7 * (place - 1)) * DAY
    else:
        last = end - DAY
        day = last - (((last // DAY + 3) - weekday) % 7 - 7 * (place + 1)) * DAY
    return day if start <= day < end else None


def run_of_units(interval: TimeInterval, grain: Grain, place: int, count: int) -> TimeInterval | None:
    """`count` units from the first (or up to the last); a week belongs to the period that holds its Thursday (ISO 8601)."""
    start, end = interval.start or 0, interval.end or 0
    if grain is Grain.WEEK:
        start, end = (moment + ((3 - (moment // DAY + 3)) % 7 - 3) * DAY for moment in (start, end))
    if place > 0:
        low = shift(start, place - 1 if count == 1 else 0, grain)
        high = shift(low, count, grain)
    else:
        high = shift(end, place + 1, grain)
        low = shift(high, -count, grain)
    return TimeInterval(low, high, grain) if start <= low and high <= end else None


def read_day_of(scan: Scan, i: int) -> Reading | None:
    """A day of a month that is told otherwise: `20th of the next month`, `the 15th day of this month`, `20 of last month`."""
    tokens = scan.tokens
    day = read_day_number(tokens, i)
    if day is None:
        return None
    j = skip(tokens, day[1], "day")
    if tokens[j].low not in ("of", "in") and not (day[2] and tokens[j].low in DIRECTIONS):
        return None
    j = skip(tokens, j, "of", "in")
    month = container(scan, j, alone=False) or container(scan, skip(tokens, j, "the"), alone=False)
    if month is None or month.interval is None or RELATIVE not in month.flags or nominal(month, scan.frame) is not Grain.MONTH:
        return None
    civil = from_seconds(month.interval.start or 0)
    return Reading(month.stop, Fields(Grain.DAY, civil.year, civil.month, day[0]), flags=month.flags)


def read_weekday_of(scan: Scan, i: int) -> Reading | None:
    """A weekday of another week: `Tuesday of last week`, `Sunday from next week`, `Monday two weeks from now`."""
    tokens, frame = scan.tokens, scan.frame
    weekday = WEEKDAYS.get(tokens[i].low)
    if weekday is None:
        return None
    j = skip(tokens, i + 1, "of", "from", "in", ",")
    week = scan.atom(j)
    if week is None or week.interval is None or week.interval.start is None:
        return None
    counted = read_count(tokens, j) is not None and RELATIVE in week.flags
    if not counted and (nominal(week, frame) is not Grain.WEEK or j == i + 1):
        return None
    monday = frame.floor(week.interval.start, Grain.WEEK)
    day = monday + (weekday - (monday // DAY + 3)) % 7 * DAY
    return Reading(week.stop, interval=TimeInterval.unit(day, Grain.DAY), flags=week.flags, confidence=0.8)
