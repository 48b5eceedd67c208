"""The times of a passage by rules: words that name a date, and crumbs ("on 7 October", "that year") read from the dates around.

A document tells of what is past when it is written. So a bare month or day means the last one before the date of writing, unless
its sentence looks ahead ("will be held on 1 November"); a time that is still open ends there; and a crumb behind a full date goes
on from that date (TA-RAG section 4.1 names the problem: later mentions shrink to a day or a month).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chronotope.dating.pointing import leads_to_pointer, named_unit, pointed
from chronotope.dating.tense import sentence_around, tense_at
from chronotope.temporal.calendar import DAY, Grain
from chronotope.temporal.expressions import TimeExpression, Unresolved, expressions_within, find_expressions
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.settings import CalendarSettings

__all__ = ["RuleTimes", "date_by_rules"]

_GOES_ON = re.compile(r"\b(?:later|following|next|same|afterwards?|earlier|within)\b", re.IGNORECASE)
_FROM_BEFORE = re.compile(
    r"\b(?:later(?! (?:this|in)\b)|afterwards?|following)\b|\bthe next (?:day|morning|afternoon|evening|night)\b", re.IGNORECASE
)
_RATHER_BEFORE = re.compile(r"\bthe next\b|\bearlier\b(?! (?:this|in)\b)", re.IGNORECASE)
_REACH = re.compile(
    r"(?:with)?in\s+(?!(?:the\s+)?(?:past|last|coming|next|this|recent)\b)(?:[\w.]+[\s-]+){1,4}(?:day|week|fortnight|month|quarter|year|decade)s?",
    re.IGNORECASE,
)
_NOT_YET = re.compile(
    r"(?:\bnot\b|n['’]t\b|\bnever\b|\bto\s+(?:wait|pay|stay|hold|last|run|go|continue|keep|remain)\b|"
    r"\b(?:wait|waits|waited|postponed?|delayed|deferred|adjourned|put\s+off|extended|prolonged)\b)(?:(?!\b(?:and|but|who|which)\b)[^.,;:!?])"
    r"{0,60}\Z",
    re.IGNORECASE,
)
_WEEKDAY_ALONE = re.compile(r"[^\d]*\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b[^\d]*", re.IGNORECASE)
_ASIDE = re.compile(
    r"[(\[][^)\]]*\Z|\b(?:born|founded|established|incorporated|created|built|formed|chartered)\b[^.;]*\Z", re.IGNORECASE
)
_AHEAD_BEFORE = re.compile(
    r"\b(?:will|shall|upcoming|next (?!day|morning|evening|night|week|month|year)\w+|"
    r"(?:is|are) (?:due|scheduled|expected|to)|takes? place)\b"
    r"(?:(?!\b(?:did|was|were|had)\b)[^.;!?]){0,60}\Z",
    re.IGNORECASE,
)
_AHEAD_AFTER = re.compile(r"[^.;!?]{0,20}\b(?:will|shall)\b", re.IGNORECASE)
_RECORD = re.compile(
    r"\b(?:(?:first|only|last|next|second|third) (?:time|occasion)|step beyond)\b[^.;!?]{0,80}\Z|"
    r"\b(?:first|second|third|last|latest|only|longest|shortest|highest|lowest|largest|biggest|smallest|greatest|best|worst|strongest|"
    r"weakest|fastest|slowest|hottest|coldest|warmest|wettest|driest|deadliest|heaviest|steepest|deepest|most|fewest|least)\b"
    r"(?:(?!\b(?:has|have|had|been|is|are|was|were)\b)[^.,;:!?]){0,80}\Z",
    re.IGNORECASE,
)
_NEAR = 300  # characters, about the sentence before


@dataclass(frozen=True)
class RuleTimes:
    """What rules read from a passage: placed times in text order, and the words that they could not place."""

    placed: tuple[TimeExpression, ...] = ()
    unplaced: tuple[Unresolved, ...] = ()

    @property
    def times(self) -> tuple[TimeInterval, ...]:
        """The placed intervals, each once, in order of time."""
        return tuple(sorted(dict.fromkeys(e.interval for e in self.placed if not e.interval.is_empty), key=lambda t: t.envelope))


def date_by_rules(text: str, *, published: TimeInterval | None, calendar: CalendarSettings) -> RuleTimes:
    """Read the times of a passage.

    Args:
        text: the passage.
        published: when it was written, None when unknown; then crumbs are read from full dates before them alone.
        calendar: how dates are read; where it prefers neither side, the past is preferred.
    """
    past = replace(calendar, prefer=calendar.prefer or "past")
    placed: list[TimeExpression] = []
    unplaced: list[Unresolved] = []
    read, open_crumbs = expressions_within(text, Frame.of(published, past))
    for expression in read:
        if leads_to_pointer(text, expression.span[1]):
            continue
        if _points_back(expression) or _reaches_on(expression, text):
            crumb = _crumb(expression)
            onward = _continued(crumb, text, placed, past)
            placed += [onward] if onward else []
            unplaced += [] if onward else [crumb]
        else:
            placed.append(_reread(expression, text, placed, published, calendar))
    for crumb in open_crumbs:
        if leads_to_pointer(text, crumb.span[1]):
            continue
        onward = _continued(crumb, text, placed, past)
        found = onward if onward and _is_past(onward, published) else _last_before(crumb, published, past)
        if found is None:
            unplaced.append(crumb)
        else:
            placed = sorted([*placed, found], key=lambda e: e.span)
    placed, lost = pointed(text, placed, calendar)
    closed = (_closed(e, text, placed, published) for e in placed)
    return RuleTimes(tuple(closed), tuple(sorted([*unplaced, *lost], key=lambda crumb: crumb.span)))


def _points_back(expression: TimeExpression) -> bool:
    """True for "two days later", which is never counted from the date of writing, as "later this year" is."""
    return "relative" in expression.flags and _FROM_BEFORE.search(expression.text) is not None


def _reaches_on(expression: TimeExpression, text: str) -> bool:
    """True for "within a week" and "in two years" where the story is in the past: they count from its last date."""
    told_from = "relative" in expression.flags and _REACH.fullmatch(expression.text) is not None
    return told_from and tense_at(text, *expression.span) == "past"


def _crumb(expression: TimeExpression) -> Unresolved:
    return Unresolved(expression.span, expression.text, "needs_today", expression.relation)


def _reread(
    expression: TimeExpression, text: str, before: list[TimeExpression], published: TimeInterval | None, calendar: CalendarSettings
) -> TimeExpression:
    """A day or month without its year, or "a year earlier", that the date of writing alone would misplace."""
    told_from = "relative" in expression.flags and _RATHER_BEFORE.search(expression.text)
    if not (told_from or "ambiguous_year" in expression.flags) or calendar.prefer is not None or published is None:
        return expression
    start, end = expression.span
    looks_ahead = _AHEAD_BEFORE.search(text, max(0, start - _NEAR), start) or _AHEAD_AFTER.match(text, end)
    if looks_ahead and not told_from and not expression.text.lower().startswith("of "):
        ahead = find_expressions(expression.text, today=published, settings=replace(calendar, prefer="future"))
        return replace(ahead[0], span=expression.span) if len(ahead) == 1 else expression
    anchors = [e for e in before if e.interval.grain <= Grain.MONTH and e.interval.is_unit and e.span[1] >= start - _NEAR]
    onward = _continued(_crumb(expression), text, anchors, calendar) if not _WEEKDAY_ALONE.fullmatch(expression.text) else None
    return onward if onward and _is_past(onward, published) else expression


def _continued(crumb: Unresolved, text: str, placed: list[TimeExpression], calendar: CalendarSettings) -> TimeExpression | None:
    """A crumb read from the date before it: the next such day or month, or so much later; dates told as asides do not count."""
    named = (replace(e, interval=named_unit(e)) for e in placed if e.span[1] <= crumb.span[0])
    before = [e for e in named if _may_anchor(e, text)]
    if _WEEKDAY_ALONE.fullmatch(crumb.text):
        before = [e for e in before if e.interval.grain <= Grain.WEEK and e.span[1] >= crumb.span[0] - _NEAR]
    for place, anchor in enumerate(reversed(before), 1):
        if all(later.interval.overlaps(anchor.interval) for later in before[len(before) - place :]):
            found = _onward(crumb, anchor.interval, replace(calendar, prefer="future"))
            if found is not None or anchor.interval.grain <= Grain.MONTH:
                return found
    return None


def _may_anchor(expression: TimeExpression, text: str) -> bool:
    length = expression.interval.length
    short = expression.interval.is_unit or (length is not None and length <= 366 * DAY)
    return short and not _ASIDE.search(text, max(0, expression.span[0] - _NEAR), expression.span[0])


def _onward(crumb: Unresolved, anchor: TimeInterval, onward: CalendarSettings) -> TimeExpression | None:
    """The crumb as it follows a date: from its first day, or, behind a whole year or more, in units as coarse as that."""
    first = TimeInterval.unit(anchor.envelope[0], Grain.DAY)
    if crumb.text.lower().startswith("within"):
        return _reach(crumb, anchor, onward)
    if anchor.grain <= Grain.MONTH:
        found = _read(crumb, first, onward)
        goes_on = found is not None and ("ambiguous_year" in found.flags or _GOES_ON.search(crumb.text))
        return found if goes_on else None
    if _GOES_ON.search(crumb.text):
        return _read(crumb, anchor, onward)
    found = None if _WEEKDAY_ALONE.fullmatch(crumb.text) else _read(crumb, first, onward)
    return found if found and "ambiguous_year" in found.flags and anchor.overlaps(found.interval) else None


def _reach(crumb: Unresolved, anchor: TimeInterval, onward: CalendarSettings) -> TimeExpression | None:
    """The time "within a week" of a date: from its first day to a week after its last."""
    if anchor.start is None or anchor.end is None:
        return None
    found = _read(crumb, TimeInterval.unit(anchor.end - 1, Grain.DAY), onward)
    end = found.interval.end if found else None
    if found is None or end is None or end <= anchor.start:  # "in the early years": it does not reach on from the anchor
        return None
    return replace(found, interval=TimeInterval(anchor.start, end, Grain.DAY))


def _is_past(expression: TimeExpression, published: TimeInterval | None) -> bool:
    start = expression.interval.start
    return published is None or published.end is None or start is None or start < published.end


def _last_before(crumb: Unresolved, published: TimeInterval | None, calendar: CalendarSettings) -> TimeExpression | None:
    """A day or month without its year, counted back from the end of a coarse date of writing."""
    if published is None or published.end is None:
        return None
    found = _read(crumb, TimeInterval.unit(published.end - DAY, Grain.DAY), calendar)
    return found if found is not None and "ambiguous_year" in found.flags and published.grain < Grain.YEAR else None


def _read(crumb: Unresolved, today: TimeInterval, calendar: CalendarSettings) -> TimeExpression | None:
    found = find_expressions(crumb.text, today=today, settings=calendar)
    if len(found) != 1:
        return None
    return replace(found[0], span=crumb.span, text=crumb.text, flags=(*found[0].flags, "continued"))


def _closed(
    expression: TimeExpression, text: str, placed: Sequence[TimeExpression], published: TimeInterval | None
) -> TimeExpression:
    """The expression with its open side closed as far as the text tells.

    "Since 1998" in a text of 2011 tells nothing of 2020. "The first since 1975" tells of 1975 and no year between. "By 1992
    it had mapped most of it" tells of 1992. "They stayed up until 24 July" begins, at the latest, with the date told before it.
    """
    time = expression.interval
    if time.end is None and time.start is not None:
        if expression.relation == "since" and _RECORD.search(text, max(0, expression.span[0] - _NEAR), expression.span[0]):
            return replace(expression, interval=TimeInterval.unit(time.start, time.grain))
        return replace(expression, interval=_held(expression, time.start, text, placed, published))
    if time.start is None and time.end is not None:
        if expression.relation in ("by", "as_of"):
            return replace(expression, interval=TimeInterval.unit(time.end - 1, time.grain))
        if expression.relation != "until":
            return expression
        if _NOT_YET.search(text, max(0, expression.span[0] - _NEAR), expression.span[0]):
            return replace(expression, interval=named_unit(expression), relation="during")
        before = [e.interval for e in placed if e.span[1] <= expression.span[0]]
        starts = [one for one in before if one.start is not None and one.start < time.end]
        if starts:
            return replace(expression, interval=_from(starts[-1].start, time.end, time, starts[-1]))
    return expression


def _held(
    expression: TimeExpression, start: int, text: str, placed: Sequence[TimeExpression], published: TimeInterval | None
) -> TimeInterval:
    """How long "since 1894" lasts: in the past tense up to a date of its sentence, else at most up to the date of writing."""
    time = expression.interval
    if expression.relation == "since" and tense_at(text, *expression.span) == "past":
        low, high = sentence_around(text, *expression.span)
        near = [e for e in placed if e is not expression and low <= e.span[0] < high and (e.interval.end or start) > start]
        ends = min(near, key=lambda e: abs(e.span[0] - expression.span[0]), default=None)
        if ends:
            return _from(start, ends.interval.end, time, ends.interval)
    known = published is not None and published.end is not None and published.end > start
    return _from(start, published.end, time, published) if known and published else time


def _from(start: int | None, end: int | None, one: TimeInterval, other: TimeInterval) -> TimeInterval:
    return TimeInterval(start, end, min(one.grain, other.grain))
