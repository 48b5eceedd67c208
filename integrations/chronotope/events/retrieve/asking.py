"""How questions are put to an event index, as one value, and the one step from a question to its timeline."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from chronotope.events.answer.timeline import PlaceUndated
from chronotope.events.index.index import EventIndex
from chronotope.events.retrieve.retrieval_settings import PRESETS, EventRetrievalSettings, checked_settings
from chronotope.events.retrieve.retrieve import EventRetrieval, retrieve_events, retrieve_events_scoped
from chronotope.metadata import Times, read_intervals
from chronotope.questions import ScopeMode, scope_given
from chronotope.steps import Step
from chronotope.temporal import Today
from chronotope.temporal.expressions import DEFAULTS
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings

__all__ = ["EventAsking"]


@dataclass(frozen=True, kw_only=True)
class EventAsking:
    """How questions are understood and matched with events.

    Args:
        settings: how to match.
        today: the day that "last year" counts from.
        calendar: seasons, fiscal years, date order.
        scope_mode: whether a model may help to understand a question.
        place_undated: where the timeline puts events that nothing dates.
        times: asked of every question, whatever its words say.
    """

    settings: EventRetrievalSettings = PRESETS["default"]
    today: Today = None
    calendar: CalendarSettings = DEFAULTS
    scope_mode: ScopeMode = "rules"
    place_undated: PlaceUndated = "hint"
    times: tuple[TimeInterval, ...] = ()

    @classmethod
    def of(
        cls,
        preset: str = "default",
        k: int | None = None,
        today: Today = None,
        *,
        has_chat: bool = False,
        settings: EventRetrievalSettings | None = None,
        calendar: CalendarSettings | None = None,
        scope_mode: ScopeMode | None = None,
        place_undated: PlaceUndated = "hint",
        times: Times | None = None,
        **changes: Any,  # noqa: ANN401 - fields of EventRetrievalSettings
    ) -> EventAsking:
        """Options as users give them, in keywords.

        Args:
            preset: `default`, or `dyg_rag` for the method as published.
            k: number of events; None takes that of the settings.
            today: the day that "last year" counts from.
            has_chat: whether there is a model, which then helps with questions unless `scope_mode` says otherwise.
            settings: replaces the preset.
            calendar: seasons, fiscal years, date order.
            scope_mode: `rules`, `auto` or `llm`; None is `auto` when there is a model.
            place_undated: `hint` or `apart`.
            times: asked of every question: EDTF text such as `2011-03/2013`, an interval, or several.
            changes: fields of `EventRetrievalSettings` that differ.

        Raises:
            ValueError: there is no such preset, or a setting has a value that is not allowed.
            TypeError: there is no such setting.
            TimeExpressionError: a given time is no interval.

        >>> EventAsking.of("dyg_rag", 5).settings.k
        5
        """
        if preset not in PRESETS:
            raise ValueError(f"preset must be one of {', '.join(PRESETS)}, not {preset!r}")
        counted = changes if k is None else {"k": k, **changes}
        return cls(
            settings=replace(checked_settings(settings or PRESETS[preset]), **counted),
            today=today,
            calendar=calendar or DEFAULTS,
            scope_mode=scope_mode or ("auto" if has_chat else "rules"),
            place_undated=place_undated,
            times=read_intervals(times),
        )

    def retrieve(self, index: EventIndex, question: str, *, times: Times | None = None) -> Step[EventRetrieval]:
        """Understand a question and retrieve the events that fit its subject and its time.

        Args:
            index: the events.
            question: a question in plain words.
            times: asked by this question alone, instead of those asked of every one; no model is asked about it then.
        """
        given = read_intervals(times) or self.times
        if not given:
            found = yield from retrieve_events(
                index,
                question,
                settings=self.settings,
                today=self.today,
                calendar=self.calendar,
                scope_mode=self.scope_mode,
                undated=self.place_undated,
            )
            return found
        asked = scope_given(question, given, today=self.today, settings=self.calendar)
        found = yield from retrieve_events_scoped(index, asked, settings=self.settings, undated=self.place_undated)
        return replace(found, calendar=self.calendar)
