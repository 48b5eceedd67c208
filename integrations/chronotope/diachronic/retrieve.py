"""Retrieval that respects the asked time (TA-RAG sections 4.2 and 4.3, with a lexical leg and coverage quotas added)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from chronotope.diachronic.coverage import Coverage, choose, sub_periods
from chronotope.diachronic.index import DiachronicIndex, Mask, Rows
from chronotope.models import Vectors
from chronotope.questions import ScopeMode, scope
from chronotope.questions.subject import subject
from chronotope.records import Hit, Issue
from chronotope.steps import Step, embed, rank
from chronotope.temporal import Today
from chronotope.temporal.expressions import DEFAULTS
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.scope import QueryScope
from chronotope.temporal.settings import CalendarSettings
from chronotope.text import is_blank

__all__ = ["PRESETS", "Retrieval", "RetrievalSettings", "TimeFilter", "Undated", "query_variants", "retrieve", "retrieve_scoped"]

TimeFilter: TypeAlias = Literal["cut", "boost", "off"]
Undated: TypeAlias = Literal["exclude", "include", "backfill"]


@dataclass(frozen=True, kw_only=True)
class RetrievalSettings:
    """How a question is matched.

    Args:
        k: number of passages to return.
        time_filter: `cut` keeps only passages that overlap the asked time, `boost` raises them by `boost`, `off` ignores time.
        boost: what an overlapping passage gains under `boost`, as a share of the range of scores.
        undated: passages without any time are left out (`exclude`), compete like the others (`include`), or only take places that
            would stay empty (`backfill`).
        anchors: number of dated variants of the question whose vectors are averaged; 0 searches with the core question alone.
        lexical: weight of word matching (BM25) against vectors, from 0 (vectors alone) to 1 (words alone).
        subject_words: match only the words that the question is about, not those it is wrapped in ("How did … change?").
        coverage: share the places among sub-periods of the asked time.
        decay: what a passage counts when its sub-period was already served, from 0 (quotas first) to 1 (score alone).
        periods: largest number of sub-periods.
        rerank: number of best passages that the reranker, if there is one, scores again; 0 never asks it.
    """

    k: int = 10
    time_filter: TimeFilter = "cut"
    boost: float = 0.25
    undated: Undated = "exclude"
    anchors: int = 0
    lexical: float = 0.5
    subject_words: bool = True
    coverage: bool = True
    decay: float = 0.7
    periods: int = 20
    rerank: int = 0

    def __post_init__(self) -> None:
        for name, choices in (("time_filter", ("cut", "boost", "off")), ("undated", ("exclude", "include", "backfill"))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")
        for name in ("lexical", "decay"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie between 0 and 1, not {getattr(self, name)!r}")
        for name, low in (("k", 1), ("anchors", 0), ("periods", 1), ("rerank", 0), ("boost", 0)):
            if getattr(self, name) < low:
                raise ValueError(f"{name} must be at least {low}, not {getattr(self, name)!r}")


PRESETS = {
    "default": RetrievalSettings(),
    "ta_rag": RetrievalSettings(anchors=12, lexical=0.0, coverage=False),
}


@dataclass(frozen=True)
class Retrieval:
    """What a question was understood to ask, what was found, and how well that covers the asked time.

    Args:
        scope: the question taken apart.
        hits: the passages found, best first.
        coverage: sub-periods of the asked time and whether evidence lies in them; None when no bounded time was asked.
        issues: what was left out, guessed or not found.
        calendar: how the dates of the question were read, and those of the evidence are.
    """

    scope: QueryScope
    hits: tuple[Hit, ...] = ()
    coverage: Coverage | None = None
    issues: tuple[Issue, ...] = ()
    calendar: CalendarSettings = DEFAULTS

    def __repr__(self) -> str:
        times = ", ".join(map(str, self.scope.times)) or "any time"
        covered = f", coverage {self.coverage}" if self.coverage else ""
        return f"<Retrieval {self.scope.core!r} in {times}: {len(self.hits)} hits{covered}, {len(self.issues)} issues>"


def retrieve(
    index: DiachronicIndex,
    question: str,
    *,
    settings: RetrievalSettings = PRESETS["default"],
    today: Today = None,
    calendar: CalendarSettings | None = None,
    scope_mode: ScopeMode = "rules",
) -> Step[Retrieval]:
    """Understand a question and retrieve passages that fit both its subject and its time.

    Args:
        index: the passages to search.
        question: a question in plain words.
        settings: how to match; `PRESETS["ta_rag"]` is the method as published.
        today: the day that "last year" counts from; without it such words stay unresolved and are reported.
        calendar: seasons, fiscal years, date order.
        scope_mode: `rules` never asks a model, `auto` asks it only where rules fail, `llm` always.

    Source: TA-RAG sections 4.2 and 4.3.
    """
    calendar = calendar or DEFAULTS
    asked = yield from scope(question, today=today, settings=calendar, mode=scope_mode)
    found = yield from retrieve_scoped(index, asked.scope, settings=settings)
    return replace(found, issues=asked.issues + found.issues, calendar=calendar)


def retrieve_scoped(
    index: DiachronicIndex, asked: QueryScope, *, settings: RetrievalSettings = PRESETS["default"]
) -> Step[Retrieval]:
    """Retrieve for a question that is already understood; the interval may come from anywhere."""
    if is_blank(asked.core):
        return nothing_asked(asked)
    if not len(index):
        return Retrieval(asked, issues=(Issue("empty_index", "the index holds no passages"),))
    filtered = asked if settings.time_filter != "off" else replace(asked, times=(), published_times=())
    bounded = _bounded(filtered.times or filtered.published_times, index.span)
    vector = yield from _query_vector(asked.core, bounded, settings.anchors)
    inside = index.in_scope(filtered)
    rows = _candidates(index, filtered, inside, settings)
    scores = _fused(index, vector, asked.core, rows, settings)
    if settings.time_filter == "boost":
        scores = scores + np.float32(settings.boost) * inside[rows].astype(np.float32)
    if settings.rerank:
        scores = yield from _reranked(index, asked.core, rows, scores, settings.rerank)
    chosen = _chosen(index, rows, scores, sub_periods(bounded, settings.periods), settings)
    whole = _closed(filtered.times or filtered.published_times, index.span)
    coverage = _coverage(index, rows, chosen, sub_periods(whole, settings.periods))
    hits = [Hit(index.passage(int(rows[i])), float(scores[i]), bool(inside[rows[i]])) for i in chosen]
    if settings.undated == "backfill" and settings.time_filter == "cut" and filtered.is_timed and len(hits) < settings.k:
        hits += _backfill(
            index, vector, asked.core, settings, settings.k - len(hits), below=min((h.score for h in hits), default=1.0)
        )
    ranked = tuple(sorted(hits, key=lambda hit: -hit.score))
    return Retrieval(asked, ranked, coverage, _told(index, filtered, inside, hits, settings))


def nothing_asked(asked: QueryScope) -> Retrieval:
    """What a blank question finds: nothing, since every passage would fit it equally well."""
    return Retrieval(asked, issues=(Issue("blank_question", "the question is blank"),))


def query_variants(core: str, times: Sequence[TimeInterval], limit: int) -> list[str]:
    """The core question, or one variant of it for each anchor of the asked time: "In January 2011, …".

    Args:
        core: the question without its time.
        times: bounded intervals.
        limit: largest number of variants; 0 gives the core question alone.

    Source: TA-RAG section 4.3.

    >>> query_variants("Who led the firm?", [TimeInterval.parse("2011-01/2011-02")], 12)
    ['In January 2011, Who led the firm?', 'In February 2011, Who led the firm?']
    """
    if not limit or not times:
        return [core]
    share = max(1, limit // len(times))
    phrases = [anchor.phrase() for time in times for anchor in time.anchors(share)]
    return [f"{phrase[:1].upper()}{phrase[1:]}, {core}" for phrase in phrases[:limit]] or [core]


def _query_vector(core: str, times: Sequence[TimeInterval], limit: int) -> Step[Vectors]:
    """The mean of the variants' vectors, at unit length (TA-RAG section 4.3)."""
    vectors = yield from embed(query_variants(core, times, limit), kind="query")
    mean: Vectors = vectors.mean(axis=0, dtype=np.float32)
    length = np.float32(np.linalg.norm(mean))
    return mean / length if length else mean


def _bounded(times: Sequence[TimeInterval], span: TimeInterval | None) -> list[TimeInterval]:
    """The asked times within what the corpus spans, so that open sides get an end."""
    return [] if span is None else [part for time in times if (part := time.intersection(span))]


def _closed(times: Sequence[TimeInterval], span: TimeInterval | None) -> list[TimeInterval]:
    """The asked times whole, only their open sides closed by what the corpus spans; without those that it cannot close."""
    closed = [time if time.length is not None else _closed_by(time, span) for time in times]
    return [time for time in closed if time is not None]


def _closed_by(time: TimeInterval, span: TimeInterval | None) -> TimeInterval | None:
    inside = time.intersection(span) if span is not None else None
    if inside is None:
        return None
    start = inside.start if time.start is None else time.start
    return TimeInterval(start, inside.end if time.end is None else time.end, time.grain)


def _candidates(index: DiachronicIndex, asked: QueryScope, inside: Mask, settings: RetrievalSettings) -> Rows:
    if not asked.is_timed or settings.time_filter != "cut":
        return np.flatnonzero(index.living)
    return np.flatnonzero(inside | index.undated if settings.undated == "include" else inside)


def _fused(index: DiachronicIndex, vector: Vectors, core: str, rows: Rows, settings: RetrievalSettings) -> Vectors:
    """Similarities and word scores of the candidates, each stretched to 0 … 1, in the asked proportion."""
    fused = np.zeros(len(rows), np.float32)
    if settings.lexical < 1:
        fused += (1 - settings.lexical) * stretched(index.similarities(vector, rows))
    if settings.lexical > 0:
        words = subject(core) if settings.subject_words else core
        fused += settings.lexical * stretched(index.word_scores(words, rows))
    return fused


def stretched(scores: Vectors) -> Vectors:
    if not len(scores):
        return scores
    low, high = np.float32(scores.min()), np.float32(scores.max())
    return np.asarray((scores - low) / (high - low), np.float32) if high > low else np.ones_like(scores)


def _reranked(index: DiachronicIndex, core: str, rows: Rows, scores: Vectors, depth: int) -> Step[Vectors]:
    """The best candidates in the reranker's order, above all others."""
    if not len(rows):
        return scores
    best = np.argsort(-scores, kind="stable")[:depth]
    told = yield from rank(core, [index.passage(int(rows[i])).text for i in best])
    raised = scores.copy()
    raised[best] = scores.max() + stretched(np.asarray(told, np.float32))
    return raised


def _chosen(
    index: DiachronicIndex, rows: Rows, scores: Vectors, periods: Sequence[TimeInterval], settings: RetrievalSettings
) -> list[int]:
    if not periods:
        return [int(i) for i in np.argsort(-scores, kind="stable")[: settings.k]]
    return choose(scores, index.overlap(periods, rows), settings.k, decay=settings.decay if settings.coverage else 1.0)


def _coverage(index: DiachronicIndex, rows: Rows, chosen: Sequence[int], periods: Sequence[TimeInterval]) -> Coverage | None:
    if not periods:
        return None
    member = index.overlap(periods, rows)
    return Coverage.of(periods, member.any(axis=0), member[list(chosen)].any(axis=0))


def _backfill(
    index: DiachronicIndex, vector: Vectors, core: str, settings: RetrievalSettings, places: int, *, below: float
) -> list[Hit]:
    """Undated passages for places that stayed empty, ranked below every dated one."""
    rows = np.flatnonzero(index.undated)
    scores = _fused(index, vector, core, rows, settings) * np.float32(below)
    best = np.argsort(-scores, kind="stable")[:places]
    return [Hit(index.passage(int(rows[i])), float(scores[i]), in_scope=False) for i in best]


def _told(
    index: DiachronicIndex, asked: QueryScope, inside: Mask, hits: Sequence[Hit], settings: RetrievalSettings
) -> tuple[Issue, ...]:
    if not asked.is_timed:
        return ()
    issues = []
    if not inside.any():
        asked_for = ", ".join(map(str, asked.times or asked.published_times))
        issues.append(Issue("empty_window", f"no passage lies in {asked_for}; the corpus spans {index.span or 'no time at all'}"))
    undated = int(index.undated.sum())
    if undated and settings.time_filter == "cut":
        shown = sum(1 for hit in hits if not hit.in_scope)
        issues.append(undated_issue(undated, shown, settings.undated))
    return tuple(issues)


def undated_issue(count: int, shown: int, policy: Undated) -> Issue:
    """How many of what could be returned has no time, and what the policy did with it."""
    done = "left out (undated='include' would let them compete)" if policy == "exclude" else f"{shown} shown (undated={policy!r})"
    return Issue("undated", f"without a time: {count}, {done}")
