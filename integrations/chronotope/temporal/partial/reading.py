"""What a reader of the grammar hands back, and the small steps that all readers share."""

from __future__ import annotations

from dataclasses import dataclass, replace

from chronotope.temporal.english.tokens import Token
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.fields import Fields, settle
from chronotope.temporal.partial.frame import Frame

__all__ = ["BEYOND", "RELATIVE", "Reading", "blank_or", "chain", "from_today", "settled", "skip"]

RELATIVE = "relative"
BEYOND = "beyond"  # earlier or later than the calendar counts


@dataclass(frozen=True, slots=True)
class Reading:
    """A time read from the tokens up to `stop`: fields still to be completed, or an interval.

    `weak` readings (a bare year, a bare month) are times only beside a cue.
    """

    stop: int
    fields: Fields | None = None
    interval: TimeInterval | None = None
    flags: frozenset[str] = frozenset()
    weak: bool = False
    confidence: float = 0.95
    relation: str = "during"

    def with_flags(self, *flags: str) -> Reading:
        """The same reading with more flags."""
        return replace(self, flags=self.flags | set(flags)) if flags else self


def from_today(stop: int, interval: TimeInterval, confidence: float = 0.9) -> Reading:
    """A reading that was counted from the reference day."""
    return Reading(stop, interval=interval, flags=frozenset({RELATIVE}), confidence=confidence)


def settled(reading: Reading, frame: Frame) -> Reading | None:
    """The reading with its interval, whatever was missing taken from the frame; None when there is no such time."""
    if reading.interval is not None or reading.fields is None:
        return reading if reading.interval is not None else None
    found = settle(reading.fields, frame)
    if found is None:
        return None
    flags = reading.flags | found[1] if found[1] else reading.flags
    return Reading(reading.stop, reading.fields, found[0], flags, reading.weak, reading.confidence, reading.relation)


def skip(tokens: list[Token], i: int, *words: str) -> int:
    """The index after a token that is one of the words, else the same index."""
    return i + 1 if tokens[i].low in words else i


def chain(tokens: list[Token], i: int, *words: str) -> int:
    """The index after all the words in a row, else -1."""
    for word in words:
        if tokens[i].low != word:
            return -1
        i += 1
    return i


def blank_or(token: Token, *marks: str) -> bool:
    """True when nothing joins the token to the one before it, or one of the marks does."""
    return not token.glued or token.low in marks
