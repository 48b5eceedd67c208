"""How questions are understood: settings, and a time given beside the words of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from llama_index.core.schema import QueryBundle

from chronotope.diachronic import PRESETS, RetrievalSettings
from chronotope.prompts import Prompt
from chronotope.questions.scope import SCOPE, ScopeMode, ScopeReply
from chronotope.temporal.expressions import Today
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.scope import QueryScope, parse_scope
from chronotope.temporal.settings import CalendarSettings

__all__ = ["Reading", "TimedQuery", "Times", "as_times"]

Times: TypeAlias = str | TimeInterval | Sequence[str | TimeInterval]


@dataclass
class TimedQuery(QueryBundle):
    """A query whose time is given beside the words; it wins over what the words say.

    Args:
        times: intervals in EDTF notation (`2011-03`, `2010/2015`), several when disjoint.

    >>> TimedQuery("Who led the agency?", times=["1961/1968"]).times
    ['1961/1968']
    """

    times: Sequence[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Reading:
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
    calendar: CalendarSettings = field(default_factory=CalendarSettings)
    scope_mode: ScopeMode = "rules"
    times: tuple[TimeInterval, ...] = ()
    scope_prompt: Prompt[ScopeReply] = SCOPE

    @classmethod
    def of(cls, preset: str, k: int, today: Today, *, has_chat: bool, **options: Any) -> Reading:  # noqa: ANN401 - fields of two classes
        """A reading from keywords: `calendar`, `scope_mode` and `times` are its own, the others are `RetrievalSettings`.

        Raises:
            ValueError: there is no such preset, or a setting has a value that is not allowed.
            TypeError: there is no such setting.
        """
        if preset not in PRESETS:
            raise ValueError(f"preset must be one of {', '.join(PRESETS)}, not {preset!r}")
        own = {name: options.pop(name) for name in ("calendar", "scope_mode") if options.get(name) is not None}
        times = as_times(options.pop("times", None) or ())
        own.setdefault("scope_mode", "auto" if has_chat else "rules")
        return cls(settings=replace(PRESETS[preset], k=k, **options), today=today, times=times, **own)

    def given_scope(self, bundle: QueryBundle) -> QueryScope | None:
        """The scope of a query whose time is given beside the words, None when the words decide."""
        times = as_times(getattr(bundle, "times", None) or ()) or self.times
        if not times:
            return None
        words = parse_scope(bundle.query_str, today=self.today, settings=self.calendar)
        return replace(words, times=times, published_times=(), unresolved=())


def as_times(times: Times) -> tuple[TimeInterval, ...]:
    """One interval or several, as text or as values.

    Raises:
        TimeExpressionError: a text is no interval.

    >>> as_times("1961/1968")
    (TimeInterval('1961/1968'),)
    """
    several = [times] if isinstance(times, (str, TimeInterval)) else times
    return tuple(TimeInterval.parse(time) if isinstance(time, str) else time for time in several)
