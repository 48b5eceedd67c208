"""When the sentences of a text happened: dates that they name, and crumbs counted from the most recent absolute date.

`chronotope.dating` reads a paragraph. What it finds no date for is read again from the last absolute date before the paragraph:
within the window of the text around it, else anywhere before it in the document (DyG-RAG section 3.3, "time stack").
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, TypeVar

from chronotope.dating import RuleTimes, date_by_rules
from chronotope.temporal.calendar import Grain
from chronotope.temporal.expressions import TimeExpression, Unresolved
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings
from chronotope.text import Span

__all__ = ["Basis", "TimeStack", "Told", "best_times"]

Basis: TypeAlias = Literal["words", "paragraph", "window", "document", "published", "model"]
Crumb = TypeVar("Crumb", TimeExpression, Unresolved)
_BLOCK = 4_000  # characters that are read at once; a crumb never counts from further back within a paragraph of that size
_NEAR = 300  # characters from a date within which a bare weekday goes on from it
_SHIFTED_FLAGS = ("relative", "ambiguous_year")
_STAYS = re.compile(r"\b(?:stayed|remained|continued|kept|held|served|lived|worked|lasted|ran|post|position|office|there)\b", re.I)
_WEEKDAY = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day")
_ASIDE = re.compile(r"\([^()]{0,200}\Z|\b(?:born|died|founded|established|built)\b[^.;()]{0,80}\Z", re.IGNORECASE)


@dataclass(frozen=True)
class Told:
    """A time that a text tells, and what it was read from.

    Args:
        span: the words in the text.
        time: what they mean.
        basis: `words` alone, or the date in `paragraph`, `window` or `document` that they count from, or `published`.
        flags: as in `TimeExpression`.
        relation: as in `TimeExpression`.
    """

    span: Span
    time: TimeInterval
    basis: Basis
    flags: tuple[str, ...] = ()
    relation: str = "during"


class TimeStack:
    """The most recent absolute date while a source is read from its beginning to its end.

    Args:
        published: when the source was written.
        calendar: how dates are read.
        window: characters within which a date is near.
    """

    def __init__(self, *, published: TimeInterval | None, calendar: CalendarSettings, window: int) -> None:
        self._published, self._calendar, self._window = published, calendar, window
        self._last: tuple[int, TimeInterval] | None = None

    def read(self, text: str, sentences: Sequence[Span], *, at: int = 0) -> tuple[list[Told], list[Unresolved]]:
        """The times of one paragraph, in order, and what stays without one.

        Args:
            text: the whole piece; spans index it.
            sentences: the sentences of the paragraph.
            at: where the piece begins in its source, in characters.
        """
        told: list[Told] = []
        lost: list[Unresolved] = []
        for block in _blocks(sentences):
            start, words = block[0][0], _shown(text, block)
            found, basis = self._dated(words, at + start)
            starts = [sentence[0] - start for sentence in block]
            for expression in found.placed:
                if self._published is None and _WEEKDAY.fullmatch(expression.text):
                    continue  # "Sheffield Wednesday" is a club
                told.append(_told(words, expression, found.placed, starts, start, basis))
                self._push(words, expression, at + start)
            lost += [replace(crumb, span=(crumb.span[0] + start, crumb.span[1] + start)) for crumb in found.unplaced]
        return told, lost

    def _dated(self, block: str, place: int) -> tuple[RuleTimes, Basis]:
        """What rules read from a block; crumbs before its first date count from the last date before the block."""
        found = date_by_rules(block, published=self._published, calendar=self._calendar)
        first = min((e.span[0] for e in found.placed), default=len(block))
        if self._last is None or not any(crumb.span[0] < first for crumb in found.unplaced):
            return found, "published" if self._published else "paragraph"
        lead = f"{self._last[1].phrase().capitalize()}. "
        again = date_by_rules(lead + block, published=self._published, calendar=self._calendar)
        near: Basis = "window" if place - self._last[0] <= self._window else "document"
        placed, unplaced = _moved(again.placed, -len(lead)), _moved(again.unplaced, -len(lead))
        if place - self._last[0] > _NEAR:
            known = {expression.span for expression in found.placed}
            placed = tuple(e for e in placed if e.span in known or not _WEEKDAY.search(e.text))
        return RuleTimes(placed, unplaced), near

    def _push(self, block: str, expression: TimeExpression, place: int) -> None:
        """Remember a date that what follows may count from: whole units up to a year, no asides."""
        time = expression.interval
        aside = _ASIDE.search(block, max(0, expression.span[0] - 300), expression.span[0])
        if time.is_unit and time.grain <= Grain.YEAR and "excluded" not in expression.flags and not aside:
            self._last = (place + expression.span[0], time)


def _blocks(sentences: Sequence[Span]) -> list[Sequence[Span]]:
    """Runs of sentences up to the size of a block, so that the time to read a paragraph grows with its length alone."""
    blocks, first = [], 0
    for place, (_, end) in enumerate(sentences):
        if place > first and end - sentences[first][0] > _BLOCK:
            blocks.append(sentences[first:place])
            first = place
    return [*blocks, sentences[first:]] if sentences else []


def _shown(text: str, block: Sequence[Span]) -> str:
    """The sentences of a block at their places, with blanks for what stands between them and is not read."""
    pieces, place = [], block[0][0]
    for start, end in block:
        pieces += [" " * (start - place), text[start:end]]
        place = end
    return "".join(pieces)


def _moved(found: Sequence[Crumb], by: int) -> tuple[Crumb, ...]:
    return tuple(replace(e, span=(e.span[0] + by, e.span[1] + by)) for e in found if e.span[0] + by >= 0)


def _told(
    block: str, expression: TimeExpression, placed: Sequence[TimeExpression], starts: Sequence[int], shift: int, basis: Basis
) -> Told:
    start, end = expression.span
    counted = {*expression.flags} & {*_SHIFTED_FLAGS, "continued"}
    first = starts[max(0, bisect_right(starts, start) - 1)]
    own: Basis = "words"
    if counted:
        before = any(e.span[1] <= start for e in placed if not {*e.flags} & {*_SHIFTED_FLAGS, "continued"})
        own = "paragraph" if "continued" in expression.flags and before else basis
    time = _reopened(block, expression, [e for e in placed if e.span[0] >= first], first)
    return Told((start + shift, end + shift), time, own, expression.flags, expression.relation)


def _reopened(block: str, expression: TimeExpression, placed: Sequence[TimeExpression], first: int) -> TimeInterval:
    """What "until 2002" means: open before, unless its sentence tells when that began or goes on from the one before."""
    time = expression.interval
    if expression.relation != "until" or time.start is None or time.end is None:
        return time
    own = any(e.interval.start == time.start for e in placed if e.span[1] <= expression.span[0])
    return time if own or _STAYS.search(block, first, expression.span[0]) else TimeInterval(None, time.end, time.grain)


def best_times(told: Sequence[Told]) -> tuple[TimeInterval, ...]:
    """The times of one event: each once, in order, without those ruled out and without a unit that holds a finer one.

    >>> day, year = (Told((0, 4), TimeInterval.parse(text), "words") for text in ("1966-10-01", "1966"))
    >>> best_times([year, day])
    (TimeInterval('1966-10-01'),)
    """
    times = list(dict.fromkeys(one.time for one in told if "excluded" not in one.flags and not one.time.is_empty))
    kept = [time for time in times if not (time.is_unit and any(time != fine and time.contains(fine) for fine in times))]
    return tuple(sorted(kept, key=lambda time: time.envelope))
