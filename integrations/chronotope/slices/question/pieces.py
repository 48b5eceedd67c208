"""Stretches of an axis that a question limits itself to, put together: lists add up, what faces each other meets, exclusions go."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.slices.question.names import Span
from chronotope.temporal.interval import Interval, TimeInterval, merge, subtract

__all__ = ["Piece", "everything", "joined", "met"]

_OR = re.compile(r"\bor\b|或|还是|還是", re.IGNORECASE)


@dataclass(frozen=True)
class Piece:
    """One limit of a question.

    Args:
        span: its words.
        intervals: what it names of the axis.
        excluded: True when the question takes this out.
    """

    span: Span
    intervals: tuple[Interval, ...]
    excluded: bool = False


def everything(like: Interval | None = None) -> Interval:
    """The whole axis."""
    return TimeInterval(None, None) if isinstance(like, TimeInterval) else Interval(None, None)


def joined(text: str, pieces: Sequence[Piece]) -> tuple[Interval, ...]:
    """What the limits come to together, sorted and disjoint.

    >>> joined("after 3 and before 9", [Piece((0, 7), (Interval(4, None),)), Piece((12, 20), (Interval(None, 9),))])
    (Interval(start=4, end=9),)
    >>> joined("in 2 and 7", [Piece((0, 4), (Interval(2, 3),)), Piece((9, 10), (Interval(7, 8),))])
    (Interval(start=2, end=3), Interval(start=7, end=8))
    """
    kept: list[list[Interval]] = []
    last: Piece | None = None
    ordered = sorted(pieces, key=lambda piece: piece.span)
    for piece in ordered:
        if piece.excluded:
            continue
        both = _facing(text, last, piece) if last is not None else []
        if both:
            kept[-1] = both
        else:
            kept.append(list(piece.intervals))
        last = piece
    removed = [interval for piece in ordered if piece.excluded for interval in piece.intervals]
    stretches = [interval for part in kept for interval in part]
    if removed and not stretches:
        stretches = [everything(removed[0])]
    return tuple(merge(subtract(merge(stretches), removed)))


def met(one: Sequence[Interval], other: Sequence[Interval]) -> tuple[Interval, ...]:
    """What lies in both."""
    common = [part for left in one for right in other if (part := left.intersection(right)) is not None]
    return tuple(merge(common))


def _facing(text: str, last: Piece, piece: Piece) -> list[Interval]:
    """The common part of two open stretches that face each other, or nothing: then they stand side by side."""
    if len(last.intervals) != 1 or len(piece.intervals) != 1 or _OR.search(text[last.span[1] : piece.span[0]]):
        return []
    one, two = last.intervals[0], piece.intervals[0]
    if (one.end is None and two.start is None) or (one.start is None and two.end is None):
        common = one.intersection(two)
        return [common] if common is not None else []
    return []
