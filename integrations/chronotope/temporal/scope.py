"""What a question asks, apart from when: the core, the times it is limited to, and what rules could not place."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chronotope.temporal.bare_years import COMPARES, bare_years
from chronotope.temporal.calendar import Grain
from chronotope.temporal.clauses import event_clauses
from chronotope.temporal.expressions import DEFAULTS, TimeExpression, Unresolved, expressions_within
from chronotope.temporal.interval import TimeInterval, merge, subtract
from chronotope.temporal.partial.frame import Frame, Today
from chronotope.temporal.question_text import plain_question, without_spans
from chronotope.temporal.settings import CalendarSettings

__all__ = ["QueryScope", "limits", "parse_scope"]

ALWAYS = TimeInterval(None, None, Grain.MILLENNIUM)  # so coarse that what is taken out of it keeps its own grain
WINDOW = 200  # characters before a time that may tell what it is a time of


@dataclass(frozen=True, slots=True)
class QueryScope:
    """A question taken apart.

    Attributes:
        question: the question without decorations; spans index it.
        core: the question without its times, never empty. Event clauses stay in it, they hold what is searched for.
        times: sorted and disjoint; empty when the question names no time that rules can place.
        unresolved: times that need a reference day, and clauses that name an event.
        published_times: when the texts asked for were written ("reports written last month about 2015").
        expressions: every time found, in order, the described ones included ("the school founded in 1894").
    """

    question: str
    core: str
    times: tuple[TimeInterval, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()
    published_times: tuple[TimeInterval, ...] = ()
    expressions: tuple[TimeExpression, ...] = ()

    @property
    def is_timed(self) -> bool:
        """True when the question limits anything in time."""
        return bool(self.times or self.published_times)


def parse_scope(question: str, *, today: Today = None, settings: CalendarSettings = DEFAULTS) -> QueryScope:
    """Take a question apart into what it asks and when.

    Args:
        question: English or Chinese, decorated or not.
        today: the day from which "last year" is counted; see `find_expressions`.
        settings: what the reader's calendar leaves open.

    Raises:
        TimeExpressionError: `today` is an open interval or no ISO date.

    >>> scope = parse_scope("Who led the bank in 1995 and 1999?")
    >>> scope.core, [str(time) for time in scope.times]
    ('Who led the bank?', ['1995', '1999'])
    """
    text = plain_question(question)
    placed, unplaced = expressions_within(text, Frame.of(today, settings).asking())
    clauses = event_clauses(text, _spans(placed, unplaced))
    bare, doubtful = bare_years(text, [*placed, *unplaced, *clauses])
    placed = sorted([*placed, *bare], key=lambda item: item.span)
    if bare:
        clauses = event_clauses(text, _spans(placed, unplaced))
    written = [e for e in placed if _is_publication(text, e)]
    asked = _asked(text, [e for e in placed if e not in written])
    unresolved = sorted([*unplaced, *clauses, *doubtful], key=lambda item: item.span)
    gone = [e.span for e in asked] + [_with_lead(text, e) for e in written] + [_with_lead(text, u) for u in unplaced]
    return QueryScope(text, without_spans(text, gone), limits(text, asked), tuple(unresolved), limits(text, written), tuple(placed))


def _spans(placed: list[TimeExpression], unplaced: list[Unresolved]) -> list[tuple[int, int]]:
    return [item.span for item in placed] + [item.span for item in unplaced]


_DOCUMENTS = (
    "reports?|articles?|documents?|letters?|minutes|news|papers?|posts?|filings?|memos?|emails?|e-mails?|notes?|messages?|transcripts?|studies|"
    "study|reviews?|stories|statements?|entries|files|texts?|speeches|blogs?|tweets?|records"
)
_PUBLICATION = re.compile(
    rf"\b(?:{_DOCUMENTS})\s+(?P<how>(?:(?:that|which)\s+)?(?:(?:was|were|are|is)\s+)?"
    r"(?:written|published|posted|released|filed|printed|issued|dated|authored|sent|uploaded|produced|archived)\b(?:\s+(?!about\b)\w+){0,4}?\s*)?$",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"(?:about|around|on)\b", re.IGNORECASE)
_SOURCE = re.compile(r"(?:from|of|dated)\b", re.IGNORECASE)


def _is_publication(text: str, expression: TimeExpression) -> bool:
    """True for "reports written last month" and "letters from 1861"; a question about what happened says otherwise."""
    return _publication_words(text, expression) is not None


def _with_lead(text: str, item: TimeExpression | Unresolved) -> tuple[int, int]:
    begin = _publication_words(text, item)
    return item.span if begin is None else (begin, item.span[1])


def _publication_words(text: str, expression: TimeExpression | Unresolved) -> int | None:
    """Where the words begin that make a time one of writing ("written", or the time itself in "letters from 1861")."""
    match = _PUBLICATION.search(text, max(0, expression.span[0] - WINDOW), expression.span[0])
    if match is None or _TOPIC.match(expression.text):
        return None
    if match["how"] is not None:
        return match.start("how")
    return expression.span[0] if _SOURCE.match(expression.text) else None


_DESCRIBES = re.compile(
    r"\b(?!(?:is|was|what|with|to|from|than|as|and|vs|versus|against|between)\b)\w+\s+(?:who|that|whose)\s[^,?]*$|,\s+(?:which|who)\s+(?:was|were|is|are|had|has)\s[^,?]*$|"
    r"\b(?:born|built|founded|established|chartered|created|formed|opened|constructed|launched|erected|incorporated|flown|completed|invented|"
    r"made|written|painted|composed|discovered|elected|introduced|organi[sz]ed|started)\b(?:\s+(?!from\b)[^\s,?]+){0,9}\s*$",
    re.IGNORECASE,
)


def _asked(text: str, expressions: list[TimeExpression]) -> list[TimeExpression]:
    """The times that limit the question; where there are several, one that only describes a thing in it is left out."""
    if len(expressions) < 2:
        return expressions
    groups: list[list[TimeExpression]] = []
    for expression in expressions:
        listed = groups and _is_list(text[groups[-1][-1].span[1] : expression.span[0]])
        if listed:
            groups[-1].append(expression)
        else:
            groups.append([expression])
    ends = [0, *(group[-1].span[1] for group in groups)]
    main = [group for group, end in zip(groups, ends, strict=False) if not _is_described(text, end, group[0])]
    return [expression for group in (main or groups) for expression in group]


def _is_list(between: str) -> bool:
    return re.fullmatch(r"[\s,;&/]*(?:and|or|but|not|then|also)?[\s,;]*", between, re.IGNORECASE) is not None


def _is_described(text: str, begin: int, expression: TimeExpression) -> bool:
    """True for "the man who was born in 1911", "founded in 1960", "the 2002 to 2008 coach"."""
    before = text[max(begin, expression.span[0] - WINDOW) : expression.span[0]]
    adjective = before.lower().endswith(" the ") and text[expression.span[1] : expression.span[1] + 2].strip().isalpha()
    return _DESCRIBES.search(before) is not None or (adjective and expression.text[0].isdigit())


def limits(text: str, expressions: list[TimeExpression]) -> tuple[TimeInterval, ...]:
    """The times that expressions limit a question to: lists add up, "after … and before …" meet, exclusions are taken out."""
    if not expressions:
        return ()
    kept: list[TimeInterval] = []
    removed = [e.interval for e in expressions if "excluded" in e.flags]
    previous: TimeExpression | None = None
    for expression in expressions:
        if "excluded" in expression.flags:
            continue
        met = _meeting(text, previous, expression, kept[-1]) if previous and kept else None
        if met is not None:
            kept[-1] = met
        else:
            kept.append(expression.interval)
        previous = expression
    if removed and not kept:
        kept = [ALWAYS]
    return tuple(merge(subtract(merge(kept), removed)))


def _meeting(text: str, previous: TimeExpression, current: TimeExpression, reached: TimeInterval) -> TimeInterval | None:
    """The common part of two times that limit each other, None when they stand side by side."""
    between = text[previous.span[1] : current.span[0]]
    if COMPARES.search(text):
        return None
    if re.search(r"\bor\b", between, re.IGNORECASE):
        return None
    one, two = previous.interval, current.interval
    facing = (one.end is None and two.start is None) or (one.start is None and two.end is None)
    bounded = (one.start is None or one.end is None) != (two.start is None or two.end is None)
    nested = not between.strip() or not _is_list(between)
    return reached.intersection(two) if facing or nested or (bounded and not between.strip(" ,")) else None
