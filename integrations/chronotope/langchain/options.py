"""What may be said when a retriever is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypedDict

from chronotope.diachronic import AnnotateMode, Pushdown, RetrievalSettings
from chronotope.diachronic.retrieve import TimeFilter, Undated
from chronotope.langchain.models import AnyChat, AnyReranker
from chronotope.metadata import MetadataKeys, Times
from chronotope.questions import ScopeMode
from chronotope.steps import Cache
from chronotope.temporal import CalendarSettings, Today

__all__ = ["FilterBuilder", "RetrieverOptions"]

FilterBuilder: TypeAlias = Callable[[int, int], Any]


class RetrieverOptions(TypedDict, total=False):
    """Fields of `DiachronicRetriever` that its constructors pass on, where they are explained."""

    llm: AnyChat | None
    reranker: AnyReranker | None
    k: int
    preset: str
    settings: RetrievalSettings | None
    time_filter: TimeFilter | None
    boost: float | None
    undated: Undated | None
    anchors: int | None
    lexical: float | None
    subject_words: bool | None
    coverage: bool | None
    decay: float | None
    periods: int | None
    rerank: int | None
    today: Today
    calendar: CalendarSettings
    scope_mode: ScopeMode | None
    times: Times | None
    keys: MetadataKeys
    date: str | None
    source_key: str
    annotate: AnnotateMode | None
    filter_builder: FilterBuilder | None
    pushdown: Pushdown
    search_kwargs: dict[str, Any]
    cache: Cache | None
    max_concurrency: int
    max_calls: int | None
    max_tokens: int | None
    name: str | None
    tags: list[str] | None
    metadata: dict[str, Any] | None
