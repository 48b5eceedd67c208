"""What may be said when a retriever is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

from chronotope.diachronic import AnnotateMode, RetrievalSettings
from chronotope.langchain.models import AnyChat, AnyReranker
from chronotope.metadata import MetadataKeys
from chronotope.questions.scope import ScopeMode
from chronotope.steps import Cache
from chronotope.temporal.expressions import Today
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings

__all__ = ["FilterBuilder", "Pushdown", "RetrieverOptions", "Times", "read_intervals"]

Times: TypeAlias = str | TimeInterval | Sequence[str | TimeInterval] | None
Pushdown: TypeAlias = bool | Literal["auto"]
FilterBuilder: TypeAlias = Callable[[int, int], Any]


class RetrieverOptions(TypedDict, total=False):
    """Fields of `DiachronicRetriever` that its constructors pass on, where they are explained."""

    llm: AnyChat | None
    reranker: AnyReranker | None
    k: int
    preset: str
    settings: RetrievalSettings | None
    today: Today
    calendar: CalendarSettings
    scope_mode: ScopeMode | None
    times: Times
    keys: MetadataKeys
    date: str | None
    source_key: str
    annotate: AnnotateMode | None
    filter_builder: FilterBuilder | None
    pushdown: Pushdown
    search_kwargs: dict[str, Any]
    cache: Cache | None
    max_concurrency: int
    name: str | None
    tags: list[str] | None
    metadata: dict[str, Any] | None


def read_intervals(times: Times) -> tuple[TimeInterval, ...] | None:
    """Intervals from EDTF texts or intervals, one or several; None stays None.

    Raises:
        TimeExpressionError: a text is no EDTF interval.

    >>> read_intervals("1957/1961")
    (TimeInterval('1957/1961'),)
    """
    if times is None:
        return None
    several = [times] if isinstance(times, (str, TimeInterval)) else times
    return tuple(TimeInterval.parse(time) if isinstance(time, str) else time for time in several)
