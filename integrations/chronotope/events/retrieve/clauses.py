"""Clauses of a question that place it in time by an event: the event is searched for, and what it tells becomes the asked time.

No model is needed: words and vectors find the event, its times and the relation of the clause make an interval. A model may choose
where several events fit, when a caller wants that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from chronotope.errors import ReplyError
from chronotope.events.event import EventUnit
from chronotope.events.index.index import EventIndex
from chronotope.lexical import words
from chronotope.prompts import Prompt, fence
from chronotope.questions.subject import subject
from chronotope.records import Issue
from chronotope.replies import Rejected
from chronotope.shelves import stretched
from chronotope.steps import Step, ask, embed
from chronotope.temporal.expressions import Relation, Unresolved
from chronotope.temporal.interval import TimeInterval, merge
from chronotope.temporal.scope import QueryScope

__all__ = ["CLAUSE_CHOICE", "ChosenEvent", "ResolvedClause", "ResolvedScope", "placed_by", "resolve_clauses"]

_CUE = re.compile(
    r"^(?:in the (?:aftermath|wake|course) of|in the run-up to|on the eve of|at the (?:time|outbreak) of|by the time|as soon as|"
    r"as long as|up until|ever since|prior to|following|throughout|during|between|before|after|since|until|while|when|once|till)"
    r"\s+",
    re.IGNORECASE,
)
_LASTING = re.compile(r"^(?:in the course of|as long as|throughout|during|whilst|while|when)\b", re.IGNORECASE)
_CANDIDATES = 5
_SHARED = 0.5  # share of a clause's telling words that an event must have to be what it names
_NEAR = 0.9  # share of the best score above which another event is as likely meant


class ChosenEvent(BaseModel):
    """The number of the event that a clause names, 0 for none of them."""

    event: int


CLAUSE_CHOICE = Prompt.load("chronotope.events", "clause", ChosenEvent)


@dataclass(frozen=True)
class ResolvedClause:
    """A clause, the event that it names, and the time that this makes.

    Args:
        clause: as it stands in the question.
        event: what it names, None when nothing fits.
        time: the interval that it limits the question to.
        candidates: events that fit it, best first, each with its score. A clause that asks for a stretch of time ("while she was in
            Oxford") puts those that lasted before those that have one date, where they fit as well.
        by_model: True when a model chose among them.
    """

    clause: Unresolved
    event: EventUnit | None = None
    time: TimeInterval | None = None
    candidates: tuple[tuple[EventUnit, float], ...] = ()
    by_model: bool = False


@dataclass(frozen=True)
class ResolvedScope:
    """A question's scope after its clauses were looked up, and how each was read."""

    scope: QueryScope
    clauses: tuple[ResolvedClause, ...] = ()
    issues: tuple[Issue, ...] = field(default=())


def placed_by(relation: Relation, time: TimeInterval) -> TimeInterval:
    """The time that a clause limits a question to, from the time of its event.

    After and since leave the end open, before and until the beginning; anything else is the event's own time.

    >>> merger = TimeInterval.parse("1998-05")
    >>> str(placed_by("after", merger)), str(placed_by("before", merger)), str(placed_by("during", merger))
    ('1998-06/..', '../1998-04', '1998-05')
    """
    start, end, grain = time.start, time.end, time.grain
    if relation == "after":
        return TimeInterval(start if end is None else end, None, grain)
    if relation == "since":
        return TimeInterval(start, None, grain)
    if relation == "before":
        return TimeInterval(None, end if start is None else start, grain)
    if relation in ("until", "by", "as_of"):
        return TimeInterval(None, end, grain)
    return time


def resolve_clauses(index: EventIndex, asked: QueryScope, *, choose: bool = False) -> Step[ResolvedScope]:
    """Find the events that the clauses of a question name, and limit the question by their times.

    Args:
        index: the events.
        asked: the question taken apart.
        choose: let the chat model choose where several events are about as likely.

    Returns:
        The scope with the times of its clauses among its own (only what lies in both, when it has times of its own too), without
        the clauses that were resolved. A clause that no dated event fits stays, with an issue.
    """
    open_clauses = [clause for clause in asked.unresolved if clause.reason == "event"]
    if not open_clauses or not len(index):
        return ResolvedScope(asked)
    vectors = yield from embed([_plain(clause) for clause in open_clauses], kind="query")
    resolved, issues = [], []
    for clause, vector in zip(open_clauses, vectors, strict=True):
        fits = _candidates(index, clause, vector, asked.question)
        found = ResolvedClause(clause, candidates=tuple((fit.event, fit.score) for fit in fits))
        likely = [fit.event for fit in fits if fit is fits[0] or fit.is_likely_beside(fits[0])]
        event: EventUnit | None = likely[0] if likely else None
        if choose and len(likely) > 1:
            event, told = yield from _by_model(asked.question, clause, likely)
            issues += told
            found = replace(found, by_model=not told)
        time = _time_of(clause, event) if event is not None else None
        found = replace(found, event=event, time=time)
        resolved.append(found)
        issues += _told(found, likely)
    times = [found.time for found in resolved if found.time is not None]
    left = tuple(one for one in asked.unresolved if all(one != found.clause or found.time is None for found in resolved))
    return ResolvedScope(replace(asked, times=_limited(asked.times, times), unresolved=left), tuple(resolved), tuple(issues))


def _plain(clause: Unresolved) -> str:
    """The clause without the word that relates it: "after the merger was announced" is about "the merger was announced"."""
    return _CUE.sub("", clause.text).strip(" ,")


@dataclass(frozen=True)
class _Fit:
    """How well an event fits a clause: share of the clause's words, and how many of its entities the question names."""

    event: EventUnit
    shared: float
    named: int
    score: float

    def is_as_good_as(self, other: _Fit) -> bool:
        return self.shared >= other.shared and self.named >= other.named

    def is_likely_beside(self, best: _Fit) -> bool:
        """As likely meant, and at another time, so that it matters which one is taken."""
        apart = not any(one.overlaps(other) for one in self.event.times for other in best.event.times)
        return apart and (self.is_as_good_as(best) or self.score >= _NEAR * best.score)


def _candidates(index: EventIndex, clause: Unresolved, vector: npt.NDArray[np.float32], question: str) -> list[_Fit]:
    """Dated events with enough of the clause's words, by those words and then by vectors."""
    told = set(words(subject(_plain(clause)), asked=True))
    scores = index.event_shelf.word_scores(" ".join(_plain(clause).split()))
    rows = np.flatnonzero(index.times.living & ~index.times.undated & ~index.times.timeless)
    rows = rows[scores[rows] > 0]
    if not rows.size or not told:
        return []
    near = stretched(index.event_shelf.similarities(vector)[rows])
    by_words = scores[rows] / scores[rows].max()
    order = np.argsort(-(by_words + near), kind="stable")
    found = []
    for place in order[: 4 * _CANDIDATES].tolist():
        event = index.event(int(rows[place]))
        shared = len(told & set(words(index.event_shelf.titled(event)))) / len(told)
        if shared >= _SHARED:
            named = sum(name.casefold() in question.casefold() for name in event.entities)
            found.append(_Fit(event, shared, named, round(shared * float(by_words[place] + near[place]) / 2, 6)))
    return _ordered(clause, sorted(found, key=lambda fit: -fit.score))[:_CANDIDATES]


def _ordered(clause: Unresolved, fits: list[_Fit]) -> list[_Fit]:
    """Best first; for a stretch of time, what lasted and fits as well as the best comes before what has one date."""
    if not fits or not _LASTING.match(clause.text):
        return fits
    return sorted(fits, key=lambda fit: not (_lasted(fit.event) and fit.is_as_good_as(fits[0])))


def _lasted(event: EventUnit) -> bool:
    """True when a time of it runs from one date to another, both known; a single year or month is one date."""
    return any(None not in (time.start, time.end) and not time.is_unit for time in event.times)


def _time_of(clause: Unresolved, event: EventUnit) -> TimeInterval:
    """The interval of an event with several times runs from the first to the last of them."""
    starts, ends = [time.start for time in event.times], [time.end for time in event.times]
    start = None if None in starts else min(side for side in starts if side is not None)
    end = None if None in ends else max(side for side in ends if side is not None)
    return placed_by(clause.relation, TimeInterval(start, end, min(time.grain for time in event.times)))


def _by_model(question: str, clause: Unresolved, likely: Sequence[EventUnit]) -> Step[tuple[EventUnit | None, list[Issue]]]:
    """The event that a model says is meant; the best when its reply is refused."""
    lines = "\n".join(f"[{number}] [{'; '.join(map(str, event.times))}] {event.text}" for number, event in enumerate(likely, 1))

    def checked(reply: ChosenEvent) -> EventUnit | None:
        if not 0 <= reply.event <= len(likely):
            raise Rejected(f"event must be a number from 0 to {len(likely)}, not {reply.event}")
        return likely[reply.event - 1] if reply.event else None

    try:
        event = yield from ask(
            CLAUSE_CHOICE,
            check=checked,
            question=fence(question, "question"),
            clause=fence(clause.text, "clause"),
            events=fence(lines, "events"),
        )
    except ReplyError as error:
        return likely[0], [Issue("reply_refused", str(error))]
    return event, []


def _told(found: ResolvedClause, likely: Sequence[EventUnit]) -> list[Issue]:
    if found.time is None:
        why = f"no dated event fits {found.clause.text!r}; it limits nothing"
        return [Issue("unresolved_clause", why)]
    event = found.event
    if len(likely) > 1 and not found.by_model and event is not None:
        others = "; ".join(f"{one.text!r} ({_when(one)})" for one in likely if one is not event)
        told = f"{found.clause.text!r} may mean several events; taken: {event.text!r} ({_when(event)}), not: {others}"
        return [Issue("ambiguous_clause", told, event.id)]
    return []


def _when(event: EventUnit) -> str:
    return "; ".join(map(str, event.times))


def _limited(own: Sequence[TimeInterval], told: Sequence[TimeInterval]) -> tuple[TimeInterval, ...]:
    """What lies in the times of the question, if it has any, and in every clause's."""
    times = list(own)
    for time in told:
        times = [part for one in times if (part := one.intersection(time)) is not None] if times else [time]
    return tuple(merge(times)) or tuple(own) or tuple(told)
