"""A model's intervals held against the cue words of the question: a "before" may not become a lower bound."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chronotope.temporal.expressions import DEFAULTS, TimeExpression, expressions_within
from chronotope.temporal.interval import TimeInterval, merge
from chronotope.temporal.partial.frame import Frame, Today
from chronotope.temporal.question_text import plain_question
from chronotope.temporal.scope import limits
from chronotope.temporal.settings import CalendarSettings

__all__ = ["Conflict", "SideCheck", "check_sides"]

ONE_SIDED = ("before", "after", "since", "until", "by", "as_of")


@dataclass(frozen=True, slots=True)
class Conflict:
    """An interval that contradicts a cue: what the model gave, what the words say, and what was kept."""

    given: TimeInterval
    words: str
    kept: TimeInterval

    def __str__(self) -> str:
        return f"{self.words!r} in the question rules out {self.given}: kept {self.kept}"


@dataclass(frozen=True, slots=True)
class SideCheck:
    """The intervals to use, and every conflict that was settled in favour of the question's words."""

    intervals: tuple[TimeInterval, ...]
    conflicts: tuple[Conflict, ...] = ()


def check_sides(
    question: str, intervals: Iterable[TimeInterval], *, today: Today = None, settings: CalendarSettings = DEFAULTS
) -> SideCheck:
    """Compare intervals that a model gave for a question with the cue words that say on which side a time lies.

    Args:
        question: the question that the model was asked about.
        intervals: the model's answer.
        today: the day from which relative times are counted.
        settings: what the reader's calendar leaves open.

    >>> wrong = TimeInterval.parse("2024/..")
    >>> check_sides("Which videos were published before 2024?", [wrong]).intervals
    (TimeInterval('../2023'),)
    """
    text = plain_question(question)
    placed, _ = expressions_within(text, Frame.of(today, settings).asking())
    sided = [e for e in placed if e.relation in ONE_SIDED and "excluded" not in e.flags]
    given = list(intervals)
    allowed = limits(text, sided)
    if not allowed:
        return SideCheck(tuple(given))
    kept: list[TimeInterval] = []
    conflicts: list[Conflict] = []
    for interval in given:
        fitting = _fitted(interval, allowed)
        kept.extend(fitting)
        if fitting != [interval]:
            conflicts.extend(Conflict(interval, _words(sided), part) for part in fitting)
    return SideCheck(tuple(merge(kept)), tuple(conflicts))


def _fitted(interval: TimeInterval, allowed: tuple[TimeInterval, ...]) -> list[TimeInterval]:
    """The parts of an interval that the words allow; all that they allow when it lies wholly on the wrong side."""
    common = [part for part in (limit.intersection(interval) for limit in allowed) if part is not None]
    if len(common) == 1 and (common[0].start, common[0].end) == (interval.start, interval.end):
        return [interval]
    return common or list(allowed)


def _words(expressions: list[TimeExpression]) -> str:
    return ", ".join(expression.text for expression in expressions)
