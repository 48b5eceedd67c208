"""What may be said when a retriever over a story is made."""

from __future__ import annotations

from typing import Any, TypedDict

from chronotope.langchain.models import AnyChat, AnyReranker
from chronotope.metadata import MetadataKeys, Times
from chronotope.questions import ScopeMode
from chronotope.slices.axis import StoryAxis
from chronotope.slices.extract import FactMode, FactSettings
from chronotope.slices.retrieve.retrieval_settings import ScopeUse, SliceSettings, SliceWeights, Untold
from chronotope.steps import Cache
from chronotope.temporal import CalendarSettings, Today

__all__ = ["SliceRetrieverOptions"]


class SliceRetrieverOptions(TypedDict, total=False):
    """Fields of `SliceRetriever` that its constructors pass on, where they are explained."""

    llm: AnyChat | None
    reranker: AnyReranker | None
    k: int | None
    passages: int
    reader_at: int | None
    settings: SliceSettings | None
    scope: ScopeUse | None
    unplaced: Untold | None
    untimed: Untold | None
    paths: int | None
    weights: SliceWeights | None
    rerank: int | None
    today: Today
    calendar: CalendarSettings
    scope_mode: ScopeMode | None
    times: Times | None
    keys: MetadataKeys
    date: str | None
    source_key: str
    extract: FactMode | FactSettings
    axis: StoryAxis | None
    cache: Cache | None
    max_concurrency: int
    max_calls: int | None
    max_tokens: int | None
    name: str | None
    tags: list[str] | None
    metadata: dict[str, Any] | None
