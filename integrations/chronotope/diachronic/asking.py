"""How questions are understood and matched, as one value, and the one step from a question to what was found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from chronotope.diachronic.index import DiachronicIndex
from chronotope.diachronic.pushdown import UserStore, retrieve_pushed
from chronotope.diachronic.retrieve import PRESETS, Retrieval, RetrievalSettings, retrieve_scoped
from chronotope.metadata import Times, read_intervals
from chronotope.prompts import Prompt
from chronotope.questions import ScopedQuestion, ScopeMode, scope, scope_given
from chronotope.questions.scope import SCOPE, ScopeReply
from chronotope.steps import Step
from chronotope.temporal import Today
from chronotope.temporal.expressions import DEFAULTS
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings

__all__ = ["Asking", "Source"]

Source: TypeAlias = DiachronicIndex | UserStore


@dataclass(frozen=True, kw_only=True)
class Asking:
    """How questions are understood and matched.

    Args:
        settings: how to match.
        today: the day that "last year" counts from.
        calendar: seasons, fiscal years, date order.
        scope_mode: whether a model may help to understand a question.
        times: asked of every question, whatever its words say.
        scope_prompt: what a model is asked about a question, if it is asked at all.
    """

    settings: RetrievalSettings = PRESETS["default"]
    today: Today = None
    calendar: CalendarSettings = DEFAULTS
    scope_mode: ScopeMode = "rules"
    times: tuple[TimeInterval, ...] = ()
    scope_prompt: Prompt[ScopeReply] = SCOPE

    @classmethod
    def of(
        cls,
        preset: str = "default",
        k: int | None = None,
        today: Today = None,
        *,
        has_chat: bool = False,
        settings: RetrievalSettings | None = None,
        calendar: CalendarSettings | None = None,
        scope_mode: ScopeMode | None = None,
        times: Times | None = None,
        **changes: Any,  # noqa: ANN401 - fields of RetrievalSettings
    ) -> Asking:
        """Options as users give them, in keywords.

        Args:
            preset: `default`, or `ta_rag` for the method as published.
            k: number of passages; None takes that of the settings.
            today: the day that "last year" counts from.
            has_chat: whether there is a model, which then helps with questions unless `scope_mode` says otherwise.
            settings: replaces the preset.
            calendar: seasons, fiscal years, date order.
            scope_mode: `rules`, `auto` or `llm`; None is `auto` when there is a model.
            times: asked of every question: EDTF text such as `2011-03/2013`, an interval, or several.
            changes: fields of `RetrievalSettings` that differ.

        Raises:
            ValueError: there is no such preset, or a setting has a value that is not allowed.
            TypeError: there is no such setting.
            TimeExpressionError: a given time is no interval.

        >>> Asking.of("ta_rag", 5, times="1961/1968").settings.anchors
        12
        """
        if preset not in PRESETS:
            raise ValueError(f"preset must be one of {', '.join(PRESETS)}, not {preset!r}")
        counted = changes if k is None else {"k": k, **changes}
        return cls(
            settings=replace(settings or PRESETS[preset], **counted),
            today=today,
            calendar=calendar or DEFAULTS,
            scope_mode=scope_mode or ("auto" if has_chat else "rules"),
            times=read_intervals(times),
        )

    def scope(self, question: str, *, times: Times | None = None) -> Step[ScopedQuestion]:
        """What a question asks; a given time replaces what its words say of time, and then no model is asked.

        Args:
            question: a question in plain words.
            times: asked by this question alone, instead of those asked of every one.

        Raises:
            TimeExpressionError: a given time is no interval.
        """
        given = read_intervals(times) or self.times
        if given:
            return ScopedQuestion(scope_given(question, given, today=self.today, settings=self.calendar))
        told = yield from scope(question, today=self.today, settings=self.calendar, mode=self.scope_mode, prompt=self.scope_prompt)
        return told

    def retrieve(self, source: Source, question: str, *, times: Times | None = None) -> Step[Retrieval]:
        """Understand a question and retrieve what fits its subject and its time.

        Args:
            source: an embedded index, or a store of the user's.
            question: a question in plain words.
            times: asked by this question alone, instead of those asked of every one.
        """
        asked = yield from self.scope(question, times=times)
        if isinstance(source, DiachronicIndex):
            found = yield from retrieve_scoped(source, asked.scope, settings=self.settings)
        else:
            found = yield from retrieve_pushed(source, asked.scope, settings=self.settings)
        return replace(found, issues=asked.issues + found.issues, calendar=self.calendar)
