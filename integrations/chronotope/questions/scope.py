"""From question to scope: rules first, a model only for what rules cannot place (TA-RAG section 4.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from pydantic import BaseModel, Field

from chronotope.errors import ReplyError, TimeExpressionError
from chronotope.metadata import read_sides
from chronotope.prompts import Prompt, fence
from chronotope.records import Issue
from chronotope.replies import Rejected
from chronotope.steps import Step, ask
from chronotope.temporal import Today
from chronotope.temporal.expressions import DEFAULTS
from chronotope.temporal.interval import TimeInterval, merge
from chronotope.temporal.scope import QueryScope, parse_scope
from chronotope.temporal.settings import CalendarSettings
from chronotope.temporal.sides import check_sides

__all__ = ["SCOPE", "AskedTime", "ScopeMode", "ScopeReply", "ScopedQuestion", "scope", "scope_given"]

ScopeMode: TypeAlias = Literal["rules", "auto", "llm"]


class AskedTime(BaseModel):
    """One time that a question is limited to; both sides inclusive, null when open."""

    start: str | None = None
    end: str | None = None


class ScopeReply(BaseModel):
    """What a model says of a question."""

    core: str
    intervals: list[AskedTime] = Field(default_factory=list)


_A_SENTENCE = 4
_ENGLISH = re.compile(
    r"\b(?:the|of|and|to|is|was|were|are|did|does|has|have|had|who|what|which|where|when|how|why|whose|from|by|with|for|that|this|it)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile("[\u4e00-\u9fff]")
SCOPE = Prompt.load("chronotope.questions", "scope", ScopeReply)


@dataclass(frozen=True)
class ScopedQuestion:
    """A question taken apart, and what was guessed or overruled on the way."""

    scope: QueryScope
    issues: tuple[Issue, ...] = ()


def scope(
    question: str,
    *,
    today: Today = None,
    settings: CalendarSettings = DEFAULTS,
    mode: ScopeMode = "auto",
    prompt: Prompt[ScopeReply] = SCOPE,
) -> Step[ScopedQuestion]:
    """Separate what a question asks about from the time it asks about.

    Args:
        question: a question in plain words.
        today: the day that "last year" counts from; without it such words stay unresolved.
        settings: seasons, fiscal years, date order.
        mode: `rules` never asks a model; `auto` asks it only about a clause that rules cannot place, or a question in a language
            that they do not read (they read English and Chinese); `llm` asks it always.
        prompt: replaces the package's own.

    Raises:
        ValueError: the mode is none of these.

    Returns:
        The scope. Where a model's interval contradicts a cue word ("before", "since"), the word wins and an issue says so.

    Source: TA-RAG section 4.2.
    """
    if mode not in ("rules", "auto", "llm"):
        raise ValueError(f"mode must be rules, auto or llm, not {mode!r}")
    parsed = parse_scope(question, today=today, settings=settings)
    if mode == "rules" or not question.strip() or (mode == "auto" and not parsed.unresolved and _rules_read(question)):
        return ScopedQuestion(parsed, _open_clauses(parsed))
    try:
        core, intervals = yield from ask(
            prompt, check=_checked, today=today or "unknown", question=fence(parsed.question, "question")
        )
    except ReplyError as error:
        return ScopedQuestion(parsed, (*_open_clauses(parsed), Issue("reply_refused", str(error))))
    sides = check_sides(question, intervals, today=today, settings=settings)
    issues = tuple(Issue("scope_conflict", str(conflict)) for conflict in sides.conflicts)
    told = tuple(time for time in sides.intervals if time not in parsed.published_times)
    times = (parsed.times if parsed.times and not parsed.unresolved else told) or parsed.times
    resolved = replace(parsed, core=core or parsed.core, times=times, unresolved=() if told else parsed.unresolved)
    return ScopedQuestion(resolved, (*_open_clauses(resolved), *issues))


def scope_given(
    question: str, times: Sequence[TimeInterval], *, today: Today = None, settings: CalendarSettings = DEFAULTS
) -> QueryScope:
    """The scope of a question whose time is known: given times replace whatever its words say of time.

    Args:
        question: a question in plain words.
        times: what it is limited to.
        today: the day that words such as "last year" count from, which are taken out of the core.
        settings: seasons, fiscal years, date order.

    >>> scope_given("Who led the bank last year?", [TimeInterval.parse("1995")], today="2001").core
    'Who led the bank?'
    """
    words = parse_scope(question, today=today, settings=settings)
    return replace(words, times=tuple(times), published_times=(), unresolved=())


def _rules_read(question: str) -> bool:
    """True for English (at least one of its commonest words, or no sentence at all) and Chinese."""
    words = re.findall(r"[^\W\d_]+", question)
    return len(words) < _A_SENTENCE or _ENGLISH.search(question) is not None or _CHINESE.search(question) is not None


def _checked(reply: ScopeReply) -> tuple[str, tuple[TimeInterval, ...]]:
    try:
        times = [read_sides(time.start, time.end) for time in reply.intervals]
    except TimeExpressionError as error:
        raise Rejected(f"intervals: {error}; give ISO dates or null") from error
    return " ".join(reply.core.split()), tuple(merge(time for time in times if time is not None))


def _open_clauses(parsed: QueryScope) -> tuple[Issue, ...]:
    return tuple(Issue("unresolved_time", f"rules cannot place {clause.text!r}; it limits nothing") for clause in parsed.unresolved)
