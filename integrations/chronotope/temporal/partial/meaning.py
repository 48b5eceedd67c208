"""The interval that a time means once its relation is applied."""

from __future__ import annotations

from chronotope.errors import TimeExpressionError
from chronotope.temporal.calendar import Grain
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.joining import point
from chronotope.temporal.partial.reading import Reading, settled

__all__ = ["meaning"]


def meaning(reading: Reading, relation: str, frame: Frame, *, included: bool = False) -> tuple[TimeInterval, frozenset[str]] | None:
    """The half-open interval with its flags, None for what lies beyond the axis.

    `included` marks an "until" whose wording names its last unit ("no later than").
    """
    try:
        return _meaning(reading, relation, frame, included=included)
    except TimeExpressionError:  # a Friday after the year 9999
        return None


def _meaning(reading: Reading, relation: str, frame: Frame, *, included: bool) -> tuple[TimeInterval, frozenset[str]] | None:
    reading_ = settled(reading, frame)
    if reading_ is None or reading_.interval is None:
        return None
    interval, flags = reading_.interval, reading_.flags
    moment = point(reading_, frame)
    start, end = (interval.start, interval.end) if moment is None else (moment, moment)
    if relation == "until" and not (included or frame.until_includes or interval.grain <= Grain.DAY or moment is not None):
        end = start
    sides = {"before": (None, start), "after": (end, None), "since": (start, None)}
    sides |= dict.fromkeys(("until", "by", "as_of"), (None, end))
    if relation not in sides:
        return interval, flags
    low, high = sides[relation]
    if moment is not None and reading.fields is not None:  # "by the end of 2015" is not vague
        return TimeInterval(low, high, reading.fields.grain), flags - {"vague"}
    return TimeInterval(low, high, interval.grain), flags
