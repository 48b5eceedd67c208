"""Times told by their distance from the reference day: `three weeks ago`, `in two months`, `two Thursdays ago`."""

from __future__ import annotations

from chronotope.errors import TimeExpressionError
from chronotope.temporal.calendar import DAY, Grain
from chronotope.temporal.english.lengths import Length, moved, read_length
from chronotope.temporal.english.lexicon import WEEKDAYS
from chronotope.temporal.english.numerals import read_count
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.english.tokens import Token
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.reading import BEYOND, Reading, from_today, skip

__all__ = ["read_ago", "read_within"]


def read_ago(scan: Scan, i: int) -> Reading | None:
    """`three weeks ago`, `two years earlier`, `4 days later`, `a year from now`, `two Thursdays ago`."""
    tokens, frame = scan.tokens, scan.frame
    length = read_length(tokens, i)
    if length is None:
        return _weekdays_ago(scan, i)
    sign, stop = _direction(tokens, length[1])
    if not sign or min(grain for _, grain in length[0]) < Grain.DAY:
        return None
    try:
        reading = from_today(stop, _around(moved(frame.today, length[0], sign), length[0]), 0.8)
    except TimeExpressionError:
        return from_today(stop, frame.unit(Grain.DAY)).with_flags(BEYOND)
    return reading.with_flags("vague") if length[2] else reading


def _around(moment: int, length: Length) -> TimeInterval:
    """A distance in days and weeks names a day, one in months, years and longer units the unit it is counted in."""
    finest = min(grain for _, grain in length)
    return TimeInterval.unit(moment, Grain.DAY if finest <= Grain.WEEK else finest)


def _direction(tokens: list[Token], i: int) -> tuple[int, int]:
    low = tokens[i].low
    if low in ("ago", "back", "earlier", "previously"):
        return -1, i + 1
    if low in ("hence", "later", "ahead"):
        return 1, i + 1
    if low == "from" and tokens[i + 1].low in ("now", "today"):
        return 1, i + 2
    return (-1, i + 2) if low == "before" and tokens[i + 1].low == "now" else (0, i)


def _weekdays_ago(scan: Scan, i: int) -> Reading | None:
    tokens, frame = scan.tokens, scan.frame
    count = read_count(tokens, i)
    if count is None or tokens[count[1]].low not in WEEKDAYS:
        return None
    sign, stop = _direction(tokens, count[1] + 1)
    if not sign:
        return None
    today = frame.today // DAY + 3
    weekday = WEEKDAYS[tokens[count[1]].low]
    nearest = (weekday - today) % 7 or 7 if sign > 0 else -((today - weekday) % 7 or 7)
    return from_today(stop, TimeInterval.unit(frame.today + (nearest + sign * 7 * (count[0] - 1)) * DAY, Grain.DAY))


def read_within(scan: Scan, i: int) -> Reading | None:
    """`in two weeks` is the day at that distance, `within nine months` the time up to it, `over the next ten months` too."""
    tokens, frame = scan.tokens, scan.frame
    word = tokens[i].low
    within = word == "within"
    j = skip(tokens, skip(tokens, i + 1, "the"), "next", "coming") if within else i + 1
    length = read_length(tokens, j)
    if word not in ("in", "within") or length is None or min(grain for _, grain in length[0]) < Grain.DAY:
        return None
    if not within and tokens[length[1]].low in ("of", "after", "since", "from", "before", "and", "old", "'", "’"):
        return None
    far = moved(frame.today, length[0], 1)
    interval = TimeInterval(frame.today, far, Grain.DAY) if within else _around(far, length[0])
    return from_today(length[1], interval, 0.7)
