"""Times that a text names, found by rules: no model, no clock, and a word or number is a date only when something says so.

What an expression means, half-open on the axis of seconds:

| words | interval |
| --- | --- |
| in 2015, May 2013, 3 June 2020, Q3 2021 | the unit named, no part filled in |
| from 2005 till 2006, between 2005 and 2006, 2005–06 | [2005, 2007): both ends inside |
| before 1920, prior to 1920 | (open, 1920) |
| until 1920 | (open, 1920) in a text, (open, 1921) in a question; until a day includes the day (`CalendarSettings.until`) |
| by 1889, no later than 1889, as of 1889, up to 1889 | (open, 1890) |
| after 2001 | [2002, open): the unit named is over |
| since 1999, from 1999 on, 1999 or later, starting 1999 | [1999, open): an open side stays open |
| the 1990s; the 1800s, the 19th century | [1990, 2000); [1800, 1900), as EDTF writes `18XX` |
| early, mid, late | thirds: years 0–3, 4–6, 7–9 of a decade, four months of a year, days 1–10, 11–20, 21–end of a month |
| the start, the end of 2015 | January to March, September to December; in ranges and after "by" or "before": the moment itself |
| 1857–mid 1860s | [1857, 1870): joined by a dash, a vague end stands for its whole unit |
| winter 2019 | December 2019 to February 2020 (`season_convention`, `hemisphere`) |
| first week of 2021 | ISO 8601: a week belongs to the period that holds its Thursday |
| FY2021 | by `fiscal_start` and `fiscal_named_by`; a quarter without "FY" is the calendar's |
| last month, past two quarters | whole units of the calendar; past days and weeks counted in days run up to today |
| three weeks ago, in two months | the day; in months or longer units, the unit it is counted in |
| two weeks after 3 June 2020 | moved at the precision of the anchor, a day when the distance is finer |
| c. 1860, about 1860 | 1860, flagged `approximate` |
| May, Friday, 5/12 (no year) | by `prefer`, flagged `ambiguous_year` |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from chronotope.temporal.calendar import AXIS_MAX, AXIS_MIN, Grain
from chronotope.temporal.chinese import find_chinese, holds_chinese
from chronotope.temporal.english.grammar import find_english
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.frame import Frame, Today
from chronotope.temporal.partial.meaning import meaning
from chronotope.temporal.partial.reading import BEYOND
from chronotope.temporal.settings import CalendarSettings

__all__ = ["Relation", "TimeExpression", "Today", "Unresolved", "expressions_within", "find_expressions", "unresolved_expressions"]

Relation = Literal["during", "between", "before", "after", "since", "until", "by", "as_of"]
Reason = Literal["needs_today", "event", "bare_year", "beyond_calendar"]
DEFAULTS = CalendarSettings()
NEEDS_TODAY = {"relative", "ambiguous_year"}


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A time that a text names.

    Attributes:
        span: character offsets; `text[span[0]:span[1]]` is the expression with its cue ("before 2015").
        text: the expression as it stands.
        interval: what it means; see the table of this module.
        relation: the side that its words speak of.
        confidence: 0 to 1, how surely this is a time and this one.
        flags: `impossible_date` (31 April: the month instead), `ambiguous_order` (3/4/2020), `assumed_century` ('98),
            `ambiguous_year` (a month without its year), `relative` (counted from today), `vague` (early 1990s), `approximate`
            (c. 1860), `excluded` (but not 1998), `reversed` (from 1911 to 1901, read as 1901 to 1911), `bare` (a year that only
            the rest of the question tells from a number).
    """

    span: tuple[int, int]
    text: str
    interval: TimeInterval
    relation: Relation
    confidence: float
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A time that rules cannot place.

    It needs a reference day (`needs_today`), names an event (`event`), lies outside the calendar (`beyond_calendar`), or is a
    number that may be a year as well as a name (`bare_year`).
    """

    span: tuple[int, int]
    text: str
    reason: Reason
    relation: Relation = "during"


def find_expressions(text: str, *, today: Today = None, settings: CalendarSettings = DEFAULTS) -> list[TimeExpression]:
    """The times of an English or Chinese text, in order and without overlaps.

    Args:
        text: any text; spans index it as given.
        today: the day from which relative times are counted (an interval of a day or longer, an ISO date, a `date`); naive values
            are UTC. Without it relative times are left out, see `unresolved_expressions`; the clock is never read.
        settings: what the reader's calendar leaves open.

    Raises:
        TimeExpressionError: `today` is an open interval or no ISO date.

    >>> [str(e.interval) for e in find_expressions("Fought from 264 to 146 BC, and again in May 1915.")]
    ['-0263/-0145', '1915-05']
    """
    return expressions_within(text, Frame.of(today, settings))[0]


def unresolved_expressions(text: str, *, today: Today = None, settings: CalendarSettings = DEFAULTS) -> list[Unresolved]:
    """The times of a text that cannot be placed without a reference day, or with one as vague as this.

    >>> [u.text for u in unresolved_expressions("Last month they met; in 2015 they had not.")]
    ['Last month']
    """
    return expressions_within(text, Frame.of(today, settings))[1]


def expressions_within(text: str, frame: Frame) -> tuple[list[TimeExpression], list[Unresolved]]:
    """The times of a text: those that a frame can place, and the others."""
    placed: list[TimeExpression] = []
    unplaced: list[Unresolved] = []
    for span, interval, relation, confidence, flags in _candidates(text, frame):
        words = text[span[0] : span[1]]
        if BEYOND in flags or _lies_beyond(interval):
            unplaced.append(Unresolved(span, words, "beyond_calendar", relation))
        elif flags & NEEDS_TODAY and not (frame.placed and _fine_enough(interval, frame)):
            unplaced.append(Unresolved(span, words, "needs_today", relation))
        else:
            placed.append(TimeExpression(span, words, interval, relation, round(confidence, 2), tuple(sorted(flags))))
    return placed, unplaced


def _lies_beyond(time: TimeInterval) -> bool:
    """True for what lies wholly before or after the years that the calendar counts: "before Monday", said on its first day."""
    return (time.end is not None and time.end <= AXIS_MIN) or (time.start is not None and time.start >= AXIS_MAX)


Candidate = tuple[tuple[int, int], TimeInterval, Relation, float, frozenset[str]]


def _candidates(text: str, frame: Frame) -> list[Candidate]:
    scan, found = find_english(text, frame)
    candidates: list[Candidate] = []
    for one in found:
        found_meaning = meaning(one.reading, one.relation, frame, included=one.included)
        if found_meaning is not None:
            span = scan.tokens[one.first].start, scan.tokens[one.stop - 1].end
            candidates.append((span, found_meaning[0], cast("Relation", one.relation), one.reading.confidence, found_meaning[1]))
    if holds_chinese(text):
        chinese = [(span, interval, cast("Relation", r), c, flags) for span, interval, r, c, flags in find_chinese(text, frame)]
        candidates = [c for c in candidates if not any(c[0][0] < z[0][1] and z[0][0] < c[0][1] for z in chinese)] + chinese
        candidates.sort(key=lambda candidate: candidate[0])
    return candidates


def _fine_enough(interval: TimeInterval, frame: Frame) -> bool:
    """False for "last week" seen from a reference that is only a year."""
    return frame.grain is Grain.DAY or interval.grain >= frame.grain
