"""One question to one retriever, as a step: understood first, then looked up in the index or in the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from langchain_core.vectorstores import VectorStore

from chronotope.diachronic import DiachronicIndex, Retrieval, RetrievalSettings, retrieve_scoped, retrieve_scoped_from_store
from chronotope.langchain.notes import logger
from chronotope.langchain.options import FilterBuilder, Pushdown
from chronotope.langchain.stores import StorePassages
from chronotope.metadata import MetadataKeys
from chronotope.questions.scope import ScopeMode, scope
from chronotope.records import Issue
from chronotope.steps import Step, call
from chronotope.temporal.expressions import Today
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.scope import QueryScope
from chronotope.temporal.settings import CalendarSettings

__all__ = ["Search"]

_PROBED = 4  # times k: records looked at before a filter on numbers is trusted
_REFUSALS = (ValueError, TypeError, KeyError, AttributeError, NotImplementedError)  # what stores raise for a filter they cannot use


@dataclass(frozen=True, kw_only=True)
class Search:
    """How one question is answered; the fields are those of the retriever."""

    index: DiachronicIndex | None
    store: VectorStore | None
    settings: RetrievalSettings
    today: Today
    calendar: CalendarSettings
    scope_mode: ScopeMode
    times: tuple[TimeInterval, ...] | None
    keys: MetadataKeys
    source_key: str
    filter_builder: FilterBuilder | None
    pushdown: Pushdown
    search_kwargs: Mapping[str, Any]

    def step(self, question: str) -> Step[Retrieval]:
        """Understand and look up; given times replace those of the question, and then no model is asked about them."""
        mode: ScopeMode = "rules" if self.times else self.scope_mode
        asked = yield from scope(question, today=self.today, settings=self.calendar, mode=mode)
        if self.times:
            return (yield from self._look_up(replace(asked.scope, times=self.times, unresolved=())))
        found = yield from self._look_up(asked.scope)
        return replace(found, issues=asked.issues + found.issues)

    def _look_up(self, asked: QueryScope) -> Step[Retrieval]:
        if self.index is not None:
            return (yield from retrieve_scoped(self.index, asked, settings=self.settings))
        if self.store is None:
            raise ValueError("there is neither an index nor a store")
        passages = StorePassages(self.store, self.keys, self.source_key, self.filter_builder, self.search_kwargs)
        yield from passages.embedded(asked.core)
        found = yield from self._from_store(passages, asked)
        return replace(found, issues=(*found.issues, *passages.issues.values()))

    def _from_store(self, passages: StorePassages, asked: QueryScope) -> Step[Retrieval]:
        """Filter in the store where it can and its records have the numbers; where it cannot or refuses, filter here."""
        if self.pushdown is False or not asked.is_timed:
            return (yield from self._filtered_here(passages, asked))
        if self.pushdown == "auto" and (unable := (yield from self._unable(passages, asked))):
            return (yield from self._filtered_here(passages, asked, unable))
        try:
            return (yield from retrieve_scoped_from_store(passages, asked, settings=self.settings, pushdown=True))
        except _REFUSALS as refusal:
            if self.pushdown is True:
                raise
            return (yield from self._filtered_here(passages, asked, f"the store refused the filter ({refusal})"))

    def _unable(self, passages: StorePassages, asked: QueryScope) -> Step[str]:
        """Why nothing can be pushed down, empty when it can; looks at a few records where the filter compares numbers only."""
        if not passages.can_filter:
            return "the store is not known to filter by numbers"
        if passages.may_miss:
            probe = _PROBED * self.settings.k
            yield from call(partial(passages.search, asked.core, probe, None), partial(passages.asearch, asked.core, probe, None))
        return f"records lack {self.keys.start!r}" if passages.unnumbered else ""

    def _filtered_here(self, passages: StorePassages, asked: QueryScope, why: str = "") -> Step[Retrieval]:
        found = yield from retrieve_scoped_from_store(passages, asked, settings=self.settings, pushdown=False)
        if not why:
            return found
        message = f"{why}: more was fetched and filtered here; give filter_builder=, or pushdown=False to accept that"
        logger.warning("%s", message)
        return replace(found, issues=(*found.issues, Issue("filtered_here", message)))
