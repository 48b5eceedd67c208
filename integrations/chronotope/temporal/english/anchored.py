"""Times told from another time: `last Monday of March`, `first ten days of 2020`, `two weeks after 3 June`, `late 2011`."""

from __future__ import annotations

from dataclasses import replace

from chronotope.temporal.calendar import DAY, Grain, from_seconds, shift
from chronotope.temporal.english.lexicon import DIRECTIONS, PARTS, UNITS, WEEKDAYS
from chronotope.temporal.english.named import read_day_number
from chronotope.temporal.english.periods import read_century
from chronotope.temporal.english.numerals import read_count, read_ordinal
from chronotope.temporal.english.relative import Length, moved, read_length
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.english.tokens import Token
from chronotope.temporal.english.years import full_year
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.fields import Fields, portion
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.reading import RELATIVE, Reading, chain, settled, skip

__all__ = ["read_day_of", "read_nth", "read_part", "read_shifted", "read_starting", "read_week_of", "read_weekday_of", "run_of_units"]

AFTER, BEFORE = ("after", "from", "since", "following", "past"), ("before", "preceding")
CONTAINERS = (Grain.WEEK, Grain.MONTH, Grain.QUARTER, Grain.HALF, Grain.YEAR, Grain.DECADE, Grain.CENTURY, Grain.MILLENNIUM, Grain.SEASON)


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
    second = read_part(scan, i)
    if second is None or second.fields is None:
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
    interval = portion(whole.interval, _nominal(whole, frame), part)
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


def _nominal(reading: Reading, frame: Frame) -> Grain:
    """The unit that an interval is one of, although its sides may also fall on finer ones."""
    interval = reading.interval
    if interval is None or interval.start is None:
        return Grain.DAY
    for grain in CONTAINERS[::-1]:
        if interval.end == shift(interval.start, 1, grain) and frame.floor(interval.start, grain) == interval.start:
            return grain
    return interval.grain


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
    m = skip(tokens, k + 1, ".") if tokens[k + 1].low == "." and tokens[k + 1].glued and tokens[k + 2].low in ("of", "in") else k + 1
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
        return _fraction(interval, _nominal(whole, scan.frame), 2 if word == "half" else 4, place)
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
    units = {Grain.MILLENNIUM: (Grain.YEAR, 1000), Grain.CENTURY: (Grain.YEAR, 100), Grain.DECADE: (Grain.MONTH, 120), Grain.YEAR: (Grain.MONTH, 12)}
    unit, total = units.get(grain, (Grain.DAY, (end - start) // DAY))
    if grain is Grain.MONTH:
        total += total % pieces  # the first half of a month is its first fifteen days, sixteen of thirty-one would be the second's loss
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


def read_week_of(scan: Scan, i: int) -> Reading | None:
    """`the week of 10 March`, `w/c February 4`, `the week beginning 4 February`, `the weekend of 5 May`."""
    tokens = scan.tokens
    j = skip(tokens, i, "the")
    stop = chain(tokens, j, "w", "/", "c")
    weekend = tokens[j].low == "weekend"
    if stop < 0 and (tokens[j].low == "week" or weekend):
        k = j + 1
        stop = k + 1 if tokens[k].low in ("of", "beginning", "commencing", "starting", "containing") else -1
    day = settled(scan.atom(stop) or Reading(0), scan.frame) if stop > 0 else None
    if day is None or day.interval is None or day.interval.start is None or day.interval.grain is not Grain.DAY:
        return None
    week = scan.frame.floor(day.interval.start, Grain.WEEK)
    interval = _weekend_after(week) if weekend else TimeInterval(week, week + 7 * DAY, Grain.WEEK)
    return Reading(day.stop, interval=interval, flags=day.flags, confidence=0.85)


def _weekend_after(moment: int) -> TimeInterval:
    saturday = moment + (5 - (moment // DAY + 3)) % 7 * DAY
    return TimeInterval(saturday, saturday + 2 * DAY, Grain.DAY)


def read_ended(scan: Scan, i: int) -> Reading | None:
    """The time up to a day, as accounts name it: `year ended December 31, 2012`, `three months ending 30 June 2019`."""
    tokens = scan.tokens
    j = skip(tokens, i, "the")
    unit = UNITS.get(skip_word(tokens, j, "fiscal", "financial", "calendar"))
    named = ([(unit[1], unit[0])], skip(tokens, j, "fiscal", "financial", "calendar") + 1) if unit else None
    counted = read_length(tokens, j)
    length, k = (counted[0], counted[1]) if counted else named or ([], j)
    if not length or tokens[k].low not in ("ended", "ending"):
        return None
    last = settled(scan.atom(skip(tokens, k + 1, "on")) or Reading(0), scan.frame)
    if last is None or last.interval is None or last.interval.end is None or last.interval.grain > Grain.MONTH:
        return None
    end = last.interval.end
    return Reading(last.stop, interval=TimeInterval(moved(end, length, -1), end, Grain.DAY), flags=last.flags)


def skip_word(tokens: list[Token], i: int, *words: str) -> str:
    """The first word that is none of the given ones."""
    return tokens[skip(tokens, i, *words)].low


def read_shifted(scan: Scan, i: int) -> Reading | None:
    """A distance from a date: `two weeks after 3 June 2020`, `3 days from Tuesday`, `the day before 1 May 2001`."""
    tokens, frame = scan.tokens, scan.frame
    j = skip(tokens, i, "in")
    length = read_length(tokens, j) or _one_unit(scan, j)
    if length is None or min(grain for _, grain in length[0]) < Grain.DAY:
        return None
    word, k = tokens[length[1]].low, length[1] + 1
    if word == "prior" and tokens[k].low == "to":
        word, k = "before", k + 1
    if word not in AFTER and word not in BEFORE:
        return None
    anchor = settled(scan.atom(k) or scan.atom(skip(tokens, k, "the")) or Reading(0), frame)
    if anchor is None or anchor.interval is None or anchor.interval.start is None:
        return None
    interval = _moved(anchor, length[0], 1 if word in AFTER else -1, frame)
    return Reading(anchor.stop, interval=interval, flags=anchor.flags, confidence=0.9)


def _one_unit(scan: Scan, i: int) -> tuple[Length, int, bool] | None:
    """`the day after …`, `the year before …`."""
    j = skip(scan.tokens, i, "the")
    unit = UNITS.get(scan.tokens[j].low)
    one = unit is not None and not scan.tokens[j].low.endswith("s")  # "in the years from 2007 to 2009" counts nothing
    return ([(unit[1], unit[0])], j + 1, False) if j > i and unit and one else None


def _moved(anchor: Reading, length: Length, sign: int, frame: Frame) -> TimeInterval:
    """The anchor moved, at its own precision, or as a day when the distance is finer than that."""
    start = anchor.interval.start if anchor.interval and anchor.interval.start is not None else frame.now
    grain = _nominal(anchor, frame)
    if min(unit for _, unit in length) < grain:
        grain = Grain.DAY
    if grain is Grain.WEEK:
        grain = Grain.DAY
    target = moved(start, length, sign)
    return TimeInterval(target, shift(target, 1, grain), grain)


def read_starting(scan: Scan, i: int) -> Reading | None:
    """A length from a day on: `for 10 days from 18 December`, `3 days starting next Monday`, `from 18 December for 10 days`."""
    tokens = scan.tokens
    j = skip(tokens, i, "for")
    length = read_length(tokens, j)
    if length is not None:
        k = length[1]
        starting = tokens[k].low in ("starting", "beginning", "commencing")
        if not starting and not (j > i and tokens[k].low == "from"):
            return None
        day = settled(scan.atom(skip(tokens, k + 1, "from", "on", "in")) or Reading(0), scan.frame)
    else:
        first = scan.atom(i + 1) if tokens[i].low in ("from", "starting", "beginning") else None
        length = read_length(tokens, first.stop + 1) if first and tokens[first.stop].low == "for" else None
        day = settled(replace(first, stop=length[1]), scan.frame) if first and length else None
    if day is None or length is None or day.interval is None or day.interval.start is None:
        return None
    end = moved(day.interval.start, length[0], 1)
    return Reading(day.stop, interval=TimeInterval(day.interval.start, end, Grain.DAY), flags=day.flags, confidence=0.8)




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
    if month is None or month.interval is None or RELATIVE not in month.flags or _nominal(month, scan.frame) is not Grain.MONTH:
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
    if not counted and (_nominal(week, frame) is not Grain.WEEK or j == i + 1):
        return None
    monday = frame.floor(week.interval.start, Grain.WEEK)
    day = monday + (weekday - (monday // DAY + 3)) % 7 * DAY
    return Reading(week.stop, interval=TimeInterval.unit(day, Grain.DAY), flags=week.flags, confidence=0.8)


def read_possessive(scan: Scan, i: int) -> Reading | None:
    """A part of a year that owns it: `2015's first quarter`."""
    tokens, year = scan.tokens, full_year(scan.tokens, i)
    if year is None or tokens[i + 1].low not in ("'", "’") or tokens[i + 2].low != "s":
        return None
    inner = scan.atom(i + 3)
    if inner is None or inner.fields is None or inner.fields.year is not None or inner.fields.grain is Grain.DAY:
        return None
    return replace(inner, fields=replace(inner.fields, year=year), weak=False)
