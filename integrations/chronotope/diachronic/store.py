"""Time-aware retrieval over a store that belongs to someone else: filter there by numbers, check here exactly, widen until full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeAlias

import numpy as np

from chronotope.diachronic.coverage import Coverage, choose, sub_periods
from chronotope.diachronic.retrieve import PRESETS, Retrieval, RetrievalSettings, nothing_asked, stretched, undated_issue
from chronotope.questions import ScopeMode, scope
from chronotope.records import Hit, Issue, Passage
from chronotope.steps import Step, call, gather
from chronotope.temporal import Today
from chronotope.temporal.expressions import DEFAULTS
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.scope import QueryScope
from chronotope.temporal.settings import CalendarSettings
from chronotope.text import is_blank

__all__ = ["PassageStore", "Window", "retrieve_from_store", "retrieve_scoped_from_store"]

Window: TypeAlias = tuple[int, int]
_WIDEN = 4
_SHOWN_KEYS = 20
_MOST = 4_096  # records fetched for one window before the search says that it gave up


class PassageStore(Protocol):
    """A foreign vector store behind two methods; adapters wrap the frameworks' stores in it."""

    def search(self, query: str, limit: int, window: Window | None) -> Sequence[Hit]:
        """The most similar records, best first.

        Args:
            query: text to embed.
            limit: number of records; fewer come back only when the store has no more that fit.
            window: closed seconds (lo, hi): only records with `time_start <= hi` and `time_end >= lo`; None filters nothing.
        """
        ...

    async def asearch(self, query: str, limit: int, window: Window | None) -> Sequence[Hit]:
        """The same, awaited."""
        ...


def retrieve_from_store(
    store: PassageStore,
    question: str,
    *,
    settings: RetrievalSettings = PRESETS["default"],
    today: Today = None,
    calendar: CalendarSettings | None = None,
    scope_mode: ScopeMode = "rules",
    pushdown: bool = True,
) -> Step[Retrieval]:
    """Understand a question and retrieve from a foreign store what fits its subject and its time.

    Args:
        store: the user's own store; its similarity ranks, so `lexical` and `anchors` have no part here.
        question: a question in plain words.
        settings: how to match.
        today: the day that "last year" counts from.
        calendar: seasons, fiscal years, date order.
        scope_mode: whether a model may be asked to understand the question.
        pushdown: let the store compare `time_start` and `time_end`; False fetches more and filters here.
    """
    calendar = calendar or DEFAULTS
    asked = yield from scope(question, today=today, settings=calendar, mode=scope_mode)
    found = yield from retrieve_scoped_from_store(store, asked.scope, settings=settings, pushdown=pushdown)
    return replace(found, issues=asked.issues + found.issues, calendar=calendar)


def retrieve_scoped_from_store(
    store: PassageStore, asked: QueryScope, *, settings: RetrievalSettings = PRESETS["default"], pushdown: bool = True
) -> Step[Retrieval]:
    """The same for a question that is already understood."""
    if is_blank(asked.core):
        return nothing_asked(asked)
    cut = settings.time_filter == "cut" and asked.is_timed
    quotas = settings.coverage and settings.time_filter != "off"
    periods = sub_periods([t for t in asked.times if t.length is not None], settings.periods) if quotas else ()
    windows = _windows(asked, periods) if pushdown and can_filter(asked, settings) else [None]
    parts = yield from gather([_fetch(store, asked, window, settings) for window in windows])
    pool = {hit.passage.id: hit for hits, _ in parts for hit in hits}
    issues = [issue for _, part_issues in parts for issue in part_issues]
    if cut and settings.undated == "backfill" and len(pool) < settings.k and windows != [None]:
        filler, _ = yield from _fetch(store, asked, None, replace(settings, undated="include"))
        pool = {**{hit.passage.id: hit for hit in filler}, **pool}
    ranked = sorted(pool.values(), key=lambda hit: -hit.score)
    hits, coverage = _placed(ranked, periods, settings)
    if cut and not any(hit.in_scope for hit in hits):
        issues.append(
            Issue("empty_window", f"the store gave no record in {', '.join(map(str, asked.times or asked.published_times))}")
        )
    return Retrieval(asked, hits, coverage, tuple(dict.fromkeys(issues)))


def can_filter(asked: QueryScope, settings: RetrievalSettings) -> bool:
    """True when a store may leave out what lies elsewhere by its numbers: only where records without dates need not come too."""
    return settings.time_filter == "cut" and bool(asked.times) and settings.undated != "include"


def _windows(asked: QueryScope, periods: Sequence[TimeInterval]) -> list[Window | None]:
    """One window a sub-period, so that each is searched by itself."""
    whole = [time for time in asked.times if time.length is None]
    return [time.envelope for time in (*(periods or asked.times), *(whole if periods else ()))]


_Fetched: TypeAlias = tuple[list[Hit], list[Issue]]


def _fetch(store: PassageStore, asked: QueryScope, window: Window | None, settings: RetrievalSettings) -> Step[_Fetched]:
    """Fetch, check exactly, and fetch four times as many while places stay empty and the store has more."""
    limit = settings.k if window is not None or settings.time_filter == "off" else _WIDEN * settings.k
    while True:
        found: Sequence[Hit] = yield from call(
            partial(store.search, asked.core, limit, window), partial(store.asearch, asked.core, limit, window)
        )
        hits = [judged for hit in found if (judged := _judged(hit, asked, settings)) is not None]
        full = sum(hit.in_scope for hit in hits) if settings.undated == "backfill" else len(hits)
        if full >= settings.k or len(found) < limit:
            return hits, _undated(found, hits, asked, settings)
        if limit >= _MOST:
            gave_up = Issue(
                "gave_up_widening", f"only {len(hits)} of {len(found)} fetched records fit the asked time; the search stopped there"
            )
            return hits, [gave_up, *_undated(found, hits, asked, settings)]
        limit = min(_MOST, limit * _WIDEN)


def _judged(hit: Hit, asked: QueryScope, settings: RetrievalSettings) -> Hit | None:
    """The hit marked as inside or outside the asked time; None when the filter or the undated policy drops it."""
    inside = is_in_scope(hit.passage, asked)
    undated = hit.passage.is_undated
    if settings.time_filter == "cut" and not inside and not (undated and settings.undated != "exclude"):
        return None
    boost = settings.boost * abs(hit.score) if settings.time_filter == "boost" and asked.is_timed and inside else 0.0
    return replace(hit, score=hit.score + boost, in_scope=inside)


def is_in_scope(passage: Passage, asked: QueryScope) -> bool:
    """True when the passage overlaps every kind of time that was asked; facts outside time hold at every time."""
    told = not asked.times or passage.static or any(a.overlaps(b) for a in passage.told_times for b in asked.times)
    written = not asked.published_times or (
        passage.published is not None and any(passage.published.overlaps(time) for time in asked.published_times)
    )
    return told and written


def _undated(found: Sequence[Hit], hits: Sequence[Hit], asked: QueryScope, settings: RetrievalSettings) -> list[Issue]:
    if not asked.is_timed or settings.time_filter == "off":
        return []
    without = timeless_store([hit.passage for hit in found])
    if without:
        return [without]
    count = sum(1 for hit in found if hit.passage.is_undated)
    if not count or settings.time_filter != "cut":
        return []
    kept = sum(1 for hit in hits if not hit.in_scope)
    return [undated_issue(count, kept, settings.undated)]


def timeless_store(passages: Sequence[Passage]) -> Issue | None:
    """What to say when no fetched record has a time, as where dates lie under a key that nobody named; None otherwise."""
    if not passages or not all(passage.is_undated for passage in passages):
        return None
    keys = sorted({key for passage in passages for key in passage.metadata if not key.startswith("_")})
    told = ", ".join(map(repr, keys[:_SHOWN_KEYS])) + (", …" if len(keys) > _SHOWN_KEYS else "")
    found = f"none of {len(passages)} fetched records has a time; the metadata keys there are {told or 'none'}"
    return Issue("undated", found)


def _placed(
    ranked: Sequence[Hit], periods: Sequence[TimeInterval], settings: RetrievalSettings
) -> tuple[tuple[Hit, ...], Coverage | None]:
    mixed = settings.undated == "include" or settings.time_filter != "cut"
    inside = [hit for hit in ranked if hit.in_scope or mixed]
    rest = [] if mixed else [hit for hit in ranked if not hit.in_scope]
    if not periods:
        return tuple([*inside, *rest][: settings.k]), None
    member = np.array([[any(t.overlaps(p) for t in hit.passage.told_times) for p in periods] for hit in inside], np.bool_)
    member = member.reshape(len(inside), len(periods))
    chosen = choose(stretched(np.array([hit.score for hit in inside], np.float32)), member, settings.k, decay=settings.decay)
    hits = sorted([inside[i] for i in chosen], key=lambda hit: -hit.score) + rest[: settings.k - len(chosen)]
    filled = member[chosen].any(axis=0)
    return tuple(hits), Coverage.of(periods, member.any(axis=0), filled)
