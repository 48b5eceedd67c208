"""Retrieval of events: seeds by text and time, walks over the graph from them, a timeline of the best (DyG-RAG section 3.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from chronotope.events.answer.context import Context, ContextSettings, context_within
from chronotope.events.answer.timeline import PlaceUndated, Timeline
from chronotope.events.event import EventUnit
from chronotope.events.graph.walks import walk
from chronotope.events.index.index import EventIndex
from chronotope.events.retrieve.clauses import ResolvedClause, ResolvedScope, resolve_clauses
from chronotope.events.retrieve.retrieval_settings import PRESETS, EventRetrievalSettings, checked_settings
from chronotope.events.retrieve.scoring import Scored, score_events
from chronotope.models import Vectors
from chronotope.questions import ScopeMode, scope
from chronotope.records import Hit, Issue
from chronotope.shelves import stretched
from chronotope.shelves.shelf import Rows
from chronotope.steps import Step, embed, rank
from chronotope.temporal import Today
from chronotope.temporal.expressions import DEFAULTS
from chronotope.temporal.scope import QueryScope
from chronotope.temporal.settings import CalendarSettings
from chronotope.text import is_blank
from chronotope.tokens import TokenCounter, count_tokens

__all__ = ["EventRetrieval", "FoundEvent", "retrieve_events", "retrieve_events_scoped"]

_UNMET = ("empty_window", "unresolved_clause", "unresolved_time")


@dataclass(frozen=True)
class FoundEvent:
    """How an event was found.

    Args:
        event: the event.
        score: what it was ranked by; comparable within one result only.
        reasons: what each reason added to the score; see `EventWeights`.
        visits: how often the walks came by.
        is_seed: True when walks began here.
        in_scope: True when it overlaps the asked time, or none was asked.
        hinted: True when only the date before it in its text does.
        passage: id of the passage that it stands in, None when that is not known.
    """

    event: EventUnit
    score: float
    reasons: Mapping[str, float] = field(default_factory=dict)
    visits: int = 0
    is_seed: bool = False
    in_scope: bool = True
    hinted: bool = False
    passage: str | None = None


@dataclass(frozen=True)
class EventRetrieval:
    """What a question was understood to ask, which events were found, and how.

    Args:
        scope: the question taken apart, the times of its clauses among its own.
        timeline: the events in order of time.
        passages: the source passages of the best events, best first.
        trace: the events, best first, each with what it was found by.
        clauses: the clauses of the question and the events that they were read as.
        issues: what was left out, guessed or not found.
        calendar: how the dates of the question were read.
    """

    scope: QueryScope
    timeline: Timeline = field(default_factory=Timeline)
    passages: tuple[Hit, ...] = ()
    trace: tuple[FoundEvent, ...] = ()
    clauses: tuple[ResolvedClause, ...] = ()
    issues: tuple[Issue, ...] = ()
    calendar: CalendarSettings = DEFAULTS

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The events as passages, best first."""
        return tuple(Hit(found.event.passage(), found.score, found.in_scope) for found in self.trace)

    @property
    def homes(self) -> dict[str, str]:
        """The id of the passage that each event stands in, by id of the event."""
        return {found.event.id: found.passage for found in self.trace if found.passage is not None}

    @property
    def unmet(self) -> tuple[Issue, ...]:
        """Why events may not be of the time that the question asks about: none lies in it, or a clause or a time was not placed."""
        return tuple(issue for issue in self.issues if issue.kind in _UNMET)

    def context(
        self, budget_tokens: int, *, settings: ContextSettings | None = None, count: TokenCounter = count_tokens
    ) -> Context:
        """The events and passages to show within a budget; see `context_within`."""
        within = self.scope.times
        return context_within(
            budget_tokens, self.timeline, self.passages, self.homes, settings=settings, within=within, count=count
        )

    def __repr__(self) -> str:
        times = ", ".join(map(str, self.scope.times)) or "any time"
        return f"<EventRetrieval {self.scope.core!r} in {times}: {len(self.trace)} events, {len(self.issues)} issues>"


def retrieve_events(
    index: EventIndex,
    question: str,
    *,
    settings: EventRetrievalSettings = PRESETS["default"],
    today: Today = None,
    calendar: CalendarSettings | None = None,
    scope_mode: ScopeMode = "rules",
    undated: PlaceUndated = "hint",
) -> Step[EventRetrieval]:
    """Understand a question and retrieve the events that fit its subject and its time.

    An asked time in which no event lies is told as `empty_window`, a clause that no event fits as `unresolved_clause`.

    Args:
        index: the events to search.
        question: a question in plain words.
        settings: how to match; `PRESETS["dyg_rag"]` is the method as published.
        today: the day that "last year" counts from; without it such words stay unresolved and are reported.
        calendar: seasons, fiscal years, date order.
        scope_mode: `rules` never asks a model, `auto` asks it only where rules fail, `llm` always.
        undated: where the timeline puts events that nothing dates; see `Timeline.of`.

    Raises:
        TypeError: an argument is of another kind than it must be.

    Source: DyG-RAG, section 3.5.
    """
    _checked(index, question, settings)
    calendar = calendar or DEFAULTS
    asked = yield from scope(question, today=today, settings=calendar, mode=scope_mode)
    found = yield from retrieve_events_scoped(index, asked.scope, settings=settings, undated=undated)
    tried = {one.clause.text for one in found.clauses}  # placed, or told as an unresolved clause
    told = [one for one in asked.issues if one.kind != "unresolved_time" or not any(repr(text) in one.message for text in tried)]
    return replace(found, issues=(*told, *found.issues), calendar=calendar)


def retrieve_events_scoped(
    index: EventIndex,
    asked: QueryScope,
    *,
    settings: EventRetrievalSettings = PRESETS["default"],
    undated: PlaceUndated = "hint",
) -> Step[EventRetrieval]:
    """Retrieve for a question that is already understood; its clauses are resolved here."""
    _checked(index, asked.question, settings)
    if is_blank(asked.core):
        return EventRetrieval(asked, issues=(Issue("blank_question", "the question is blank"),))
    if not len(index):
        return EventRetrieval(asked, issues=(Issue("empty_index", "the index holds no events"),))
    resolved = ResolvedScope(asked)
    if settings.clauses:
        resolved = yield from resolve_clauses(index, asked, choose=settings.choose_clause)
    filtered = resolved.scope
    if settings.time_filter == "off":
        filtered = replace(filtered, published_times=())
    vectors = yield from embed([asked.question], kind="query")
    scored = score_events(index, filtered, vectors[0], settings)
    if settings.rerank:
        scored = yield from _reranked(index, asked.core, scored, settings.rerank)
    trace = _walked(index, scored, settings)
    trace += _backfill(index, filtered, vectors[0], settings, settings.k - len(trace))
    timeline = Timeline.of(((one.event, one.score) for one in trace), within=filtered.times, undated=undated)
    issues = resolved.issues + _told(index, filtered, trace, settings)
    passages = _passages(index, trace, scored.passage_scores, settings.passages)
    return EventRetrieval(resolved.scope, timeline, passages, tuple(trace), resolved.clauses, issues)


def _checked(index: object, question: object, settings: object) -> None:
    if not isinstance(index, EventIndex):
        raise TypeError(f"index must be an EventIndex, not {type(index).__name__}; the index comes first, then the question")
    if not isinstance(question, str):
        raise TypeError(f"question must be a str, not {type(question).__name__}")
    checked_settings(settings)


def _reranked(index: EventIndex, core: str, scored: Scored, depth: int) -> Step[Scored]:
    """The best candidates in the reranker's order, above all others."""
    if not scored.rows.size:
        return scored
    best = np.argsort(-scored.scores, kind="stable")[:depth]
    told = yield from rank(core, [index.event(int(scored.rows[place])).text for place in best])
    raised = np.zeros_like(scored.scores)
    raised[best] = np.float32(scored.scores.max()) + stretched(np.asarray(told, np.float32)) - scored.scores[best]
    return replace(scored, scores=scored.scores + raised, reasons={**scored.reasons, "rerank": raised})


def _walked(index: EventIndex, scored: Scored, settings: EventRetrievalSettings) -> list[FoundEvent]:
    """The k best by their own score and by the visits of walks from the best of them."""
    order = np.argsort(-scored.scores, kind="stable")
    seeds = [index.event(int(scored.rows[place])).id for place in order[: settings.seeds]]
    visits: dict[str, int] = {}
    if seeds and (settings.weights.visits or settings.steps):
        visits = walk(
            index.event_graph, seeds, walks=settings.walks, length=settings.steps, seed=settings.seed, restart=settings.restart
        )
    counts = np.zeros(index.event_shelf.size, np.float32)
    counts[index.event_shelf.rows(visits)] = list(visits.values())
    shares = counts[scored.rows] / max(1.0, float(counts.max(initial=0)))
    added = np.asarray(settings.weights.visits * shares, np.float32)
    total = scored.scores + added
    reasons = {**scored.reasons, "visits": added}
    best = np.argsort(-total, kind="stable")[: settings.k]
    return [_found(index, scored, int(place), total, reasons, visits, {*seeds}) for place in best]


def _found(
    index: EventIndex,
    scored: Scored,
    place: int,
    total: Vectors,
    reasons: Mapping[str, Vectors],
    visits: Mapping[str, int],
    seeds: set[str],
) -> FoundEvent:
    row = int(scored.rows[place])
    event, home = index.event(row), int(index.homes[row])
    return FoundEvent(
        event,
        float(total[place]),
        {name: round(float(values[place]), 6) for name, values in reasons.items() if values[place]},
        visits.get(event.id, 0),
        is_seed=event.id in seeds,
        in_scope=bool(scored.inside[place]),
        hinted=bool(scored.hinted[place]),
        passage=index.passage_shelf.item(home).id if home >= 0 else None,
    )


def _backfill(
    index: EventIndex, asked: QueryScope, vector: npt.NDArray[np.float32], settings: EventRetrievalSettings, places: int
) -> list[FoundEvent]:
    """Undated events for places that a filter left empty, below every other."""
    if settings.undated != "backfill" or settings.time_filter != "cut" or not asked.is_timed or places <= 0:
        return []
    scored = score_events(index, replace(asked, times=(), published_times=()), vector, settings)
    undated: Rows = np.flatnonzero(index.times.undated[scored.rows])
    best = undated[np.argsort(-scored.scores[undated], kind="stable")][:places]
    total = scored.scores - np.float32(scored.scores.max(initial=0) + 1)
    found = [_found(index, scored, int(place), total, scored.reasons, {}, set()) for place in best]
    return [replace(one, in_scope=False) for one in found]


def _passages(index: EventIndex, trace: list[FoundEvent], own: Vectors, limit: int) -> tuple[Hit, ...]:
    """The passages of the best events, each with the score of its best one and, among equals, by its own."""
    best: dict[str, FoundEvent] = {}
    for one in trace:
        if one.passage is not None:
            best.setdefault(one.passage, one)
    names = list(best)
    rows = index.passage_shelf.rows(names)
    ranked = sorted(zip(names, rows.tolist(), strict=True), key=lambda pair: (-best[pair[0]].score, -float(own[pair[1]]), pair[1]))
    return tuple(Hit(index.passage_shelf.item(row), best[name].score, best[name].in_scope) for name, row in ranked[:limit])


def _told(index: EventIndex, asked: QueryScope, trace: list[FoundEvent], settings: EventRetrievalSettings) -> tuple[Issue, ...]:
    if not asked.is_timed:
        return ()
    issues = []
    if not (index.times.in_scope(asked) & ~index.times.timeless).any():
        wanted = ", ".join(map(str, asked.times or asked.published_times))
        issues.append(Issue("empty_window", f"no event lies in {wanted}; the events span {index.span or 'no time at all'}"))
    undated = int(index.times.undated.sum())
    if undated and settings.time_filter == "cut":
        shown = sum(one.event.is_undated for one in trace)
        told = f"without a time: {undated}, {shown} shown (undated={settings.undated!r})"
        issues.append(Issue("undated", told))
    return tuple(issues)
