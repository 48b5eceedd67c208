"""The date that a document carries at its head or foot: a letter's head, the dateline of a report, a signature."""

from __future__ import annotations

import re

from chronotope.temporal.calendar import Grain
from chronotope.temporal.expressions import TimeExpression, find_expressions
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings

__all__ = ["dateline"]

_EDGE = 300  # characters at either end in which it may stand
_SLACK = 60  # other characters on its line, such as a place and a weekday
_WORDS = re.compile(r"[^\W\d_]+")
_SMALL_WORDS = """
a am and at by dated day days for from held in issued meeting nd of on p pm posted published rd st th the this to updated written
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_LIFE = re.compile(r"\b(?:born|died|founded|established|b\.|d\.)", re.IGNORECASE)
_OPENS_REPORT = re.compile(r"\s*(?:\([^)]{1,30}\)\s*)?(?:--?|–|—|:)\s")
_MONTH_LEAD = re.compile(
    r"(?:\A|,\s*|\b(?:minutes|report|bulletin|newsletter|letter|issue|edition|published|dated|written)\b[^.]*)\Z", re.IGNORECASE
)
_HEADER = re.compile(r"(?:date|published|posted|sent)\s*:", re.IGNORECASE)


def dateline(first: str, last: str, calendar: CalendarSettings) -> TimeInterval | None:
    """The date on one of the first or last two lines, or on a header line "Date: …", if that line is no sentence.

    Args:
        first: the first passage of the document.
        last: its last passage.
        calendar: how dates are read.

    >>> dateline("LONDON, 3 March 2011 (Wire) - The minister said on Tuesday …", "", CalendarSettings())
    TimeInterval('2011-03-03')
    """
    head, foot = _lines(first[:_EDGE]), _lines(last[-_EDGE:])
    for line in [*head[:2], *(line for line in head[2:] if _HEADER.match(line)), *foot[-2:]]:
        for expression in find_expressions(line, settings=calendar):
            if expression.interval.is_unit and _dates_document(line, expression):
                return expression.interval
    return None


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _dates_document(line: str, found: TimeExpression) -> bool:
    before, after = line[: found.span[0]], line[found.span[1] :]
    if found.interval.grain is Grain.MONTH and not _MONTH_LEAD.search(before):
        return False
    if found.interval.grain not in (Grain.DAY, Grain.MONTH) or not _is_label(before):
        return False
    return bool(_OPENS_REPORT.match(after)) or (_is_label(after) and len(before + after) <= _SLACK)


def _is_label(text: str) -> bool:
    """True for names and small words alone: "London, Tuesday", "Minutes of the Meeting held"; a sentence has other words too."""
    words = _WORDS.findall(text)
    return len(text) <= _SLACK and not _LIFE.search(text) and all(not word.islower() or word in _SMALL for word in words)
