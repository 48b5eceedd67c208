"""Two ends joined into one interval, each completing what the other leaves out: `13 to 15 July`, `264 to 146 BC`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from chronotope.temporal.calendar import DAY, Grain
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.fields import AMBIGUOUS_YEAR, IMPOSSIBLE, Fields, place
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.reading import Reading, settled

__all__ = ["explained", "joined", "point"]

LAST_BARE_YEAR = 2199  # numbers above are years only beside the word "year"


def joined(left: Reading, right: Reading, frame: Frame, *, whole: bool = False) -> Reading | None:
    """One reading from the start of the first to the end of the second, or None when they make no range.

    `whole` lets a vague end ("mid 1860s") stand for all of its unit, as catalogues mean it.
    """
    ends = _completed(_whole(left), _whole(right)) if whole else _completed(left, right)
    if ends is None:
        return None
    first, last = _placed(*ends, frame)
    if first is None or last is None or first.interval is None or last.interval is None:
        return None
    start, end = _edge(first, frame, left=True), _edge(last, frame, left=False)
    if start is None or end is None or end <= start:
        return None
    grain = min(first.interval.grain, last.interval.grain)
    weak = left.weak and right.weak and not (left.fields and left.fields.era)
    confidence = min(first.confidence, last.confidence)
    flags = first.flags | last.flags
    return Reading(right.stop, None, TimeInterval(start, end, grain), flags, weak, confidence, "between")


def _whole(reading: Reading) -> Reading:
    if reading.fields is None or reading.fields.part not in ("early", "mid", "late"):
        return reading
    return replace(reading, fields=replace(reading.fields, part=None))


def _completed(left: Reading, right: Reading) -> tuple[Reading, Reading] | None:
    first, last = left.fields, right.fields
    if first is None or last is None:
        return None if first and first.number is not None else (left, right)
    if (
        first.grain is Grain.DAY
        and first.day is not None
        and first.month is None
        and first.weekday is None
        and last.month is not None
    ):
        first = replace(first, number=first.day)  # "the 13th" beside "the 15th of July"
    if first.number is not None:
        known = explained(first.number, last)
        if known is None:
            return None
        first = known
    if last.era and (last.year or 0) <= 0 and not first.era and first.grain is Grain.YEAR and (first.year or 0) > 0:
        first = replace(first, year=1 - (first.year or 0), era=True)
    if first.fiscal and last.grain is Grain.YEAR:
        last = replace(last, fiscal=True)
    if first.year is None and last.year is not None and first.weekday is None:
        first = replace(first, year=last.year - (first.order > last.order))
    elif last.year is None and first.year is not None and last.weekday is None:
        last = replace(last, year=first.year + (first.order > last.order))
    return _with_fields(left, first), _with_fields(right, last)


def _with_fields(reading: Reading, fields: Fields) -> Reading:
    return reading if fields is reading.fields else replace(reading, fields=fields)


def explained(number: int, last: Fields) -> Fields | None:
    """What a bare number means beside a time that says more: a day of the same month, a century, a year before Christ."""
    if last.number is not None:
        return None
    if last.grain is Grain.DAY and last.day is not None:
        return replace(last, day=number, weekday=None) if 1 <= number <= 31 else None
    if last.grain is Grain.CENTURY:
        before = last.year is not None and last.year < 0
        return replace(last, year=1 - 100 * number if before else 100 * (number - 1), part=None) if number <= 30 else None
    if last.grain is Grain.YEAR and last.era and number:
        return replace(last, year=1 - number if (last.year or 0) <= 0 else number)
    if last.grain in (Grain.YEAR, Grain.MONTH, Grain.DAY) and 100 <= number <= LAST_BARE_YEAR:
        return Fields(Grain.YEAR, number)
    return None


def _placed(left: Reading, right: Reading, frame: Frame) -> tuple[Reading | None, Reading | None]:
    """Both ends with their intervals; years that neither names are chosen so that the range runs forward."""
    first, last = left.fields, right.fields
    open_left, open_right = (f is not None and f.year is None for f in (first, last))
    if open_left and open_right and first is not None and last is not None:
        return _both_open(left, right, first, last, frame)
    if open_left and first is not None:
        other = settled(right, frame)
        limit = other.interval.end if other and other.interval and other.interval.end is not None else frame.now
        return _with_year(left, first, frame, lambda i: (i.start or 0) < limit, reverse=True), other
    if open_right and last is not None:
        other = settled(left, frame)
        limit = other.interval.start if other and other.interval and other.interval.start is not None else frame.now
        return other, _with_year(right, last, frame, lambda i: (i.end or 0) > limit, reverse=False)
    return settled(left, frame), settled(right, frame)


def _with_year(
    reading: Reading, fields: Fields, frame: Frame, fits: Callable[[TimeInterval], bool], *, reverse: bool
) -> Reading | None:
    if fields.month is None and fields.grain is Grain.DAY:
        return settled(reading, frame)
    years = range(frame.year - 8, frame.year + 9)
    for year in years[::-1] if reverse else years:
        found = place(replace(fields, year=year), frame)
        if found and fits(found[0]):
            return replace(
                reading, fields=replace(fields, year=year), interval=found[0], flags=reading.flags | found[1] | {AMBIGUOUS_YEAR}
            )
    return None


def _both_open(left: Reading, right: Reading, first: Fields, last: Fields, frame: Frame) -> tuple[Reading | None, Reading | None]:
    if first.month is None and first.grain is Grain.DAY:
        if last.grain is not Grain.DAY or last.month is not None:
            return None, None  # "the closest Monday to Oct 5th"
        start = settled(left, frame)
        end = settled(right, frame)
        if start and end and start.interval and end.interval and (end.interval.start or 0) < (start.interval.start or 0):
            end = replace(end, interval=TimeInterval.unit((end.interval.start or 0) + 7 * DAY, Grain.DAY))
        return start, end
    years = range(frame.year - 8, frame.year + 9)
    past = frame.settings.prefer == "past"
    for year in years[::-1] if past else years:
        pair = [place(replace(f, year=y), frame) for f, y in ((first, year), (last, year + (first.order > last.order)))]
        if pair[0] is None or pair[1] is None or IMPOSSIBLE in pair[0][1] | pair[1][1]:
            continue
        if (pair[0][0].start or 0) <= frame.now if past else (pair[1][0].end or 0) > frame.today:
            flags = frozenset({AMBIGUOUS_YEAR})
            return (
                replace(left, fields=replace(first, year=year), interval=pair[0][0], flags=left.flags | pair[0][1] | flags),
                replace(
                    right,
                    fields=replace(last, year=year + (first.order > last.order)),
                    interval=pair[1][0],
                    flags=right.flags | flags,
                ),
            )
    return None, None


def _edge(reading: Reading, frame: Frame, *, left: bool) -> int | None:
    named = point(reading, frame)
    if named is not None:
        return named
    interval = reading.interval
    return None if interval is None else interval.start if left else interval.end


def point(reading: Reading, frame: Frame) -> int | None:
    """The moment meant by the start, middle or end of a period where a range or a relation asks for one."""
    fields = reading.fields
    if fields is None or fields.part not in ("start", "middle", "end"):
        return None
    whole = settled(replace(reading, fields=replace(fields, part=None), interval=None), frame)
    if whole is None or whole.interval is None or whole.interval.start is None or whole.interval.end is None:
        return None
    start, end = whole.interval.start, whole.interval.end
    return {"start": start, "end": end, "middle": start + (end - start) // (2 * DAY) * DAY}[fields.part]
