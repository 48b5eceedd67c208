"""Times counted from another time: `two weeks after 3 June`, `year ended 30 June 2019`, `10 days from 1 May`, `week of 5 May`."""

from __future__ import annotations

from dataclasses import replace

from chronotope.temporal.calendar import DAY, Grain, shift
from chronotope.temporal.english.containers import nominal
from chronotope.temporal.english.lengths import Length, moved, read_length
from chronotope.temporal.english.lexicon import UNITS
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.english.tokens import Token
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.reading import Reading, chain, settled, skip

__all__ = ["read_ended", "read_shifted", "read_starting", "read_week_of"]

AFTER, BEFORE = ("after", "from", "since", "following", "past"), ("before", "preceding")


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
    grain = nominal(anchor, frame)
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
