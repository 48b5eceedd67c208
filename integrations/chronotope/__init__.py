"""chronotope: retrieval that respects time and story, for LlamaIndex and LangChain.

The adapters are `chronotope.llama_index` and `chronotope.langchain`; the names below are the core that both stand on. Each is
loaded when it is first used, so that importing the package costs nothing.

>>> import chronotope
>>> print(chronotope.parse_scope("Who led the bank from 1990 to 1995?").times[0])
1990/1995
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chronotope.cache import ReplyCache
    from chronotope.endpoint import ChatEndpoint, EmbeddingEndpoint, RerankEndpoint
    from chronotope.metadata import MetadataKeys
    from chronotope.questions import scope
    from chronotope.records import Answer, Document, Extraction, Hit, Issue, Passage, Spent
    from chronotope.steps import Runner, Step
    from chronotope.temporal import CalendarSettings, QueryScope, TimeExpression, TimeInterval, find_expressions, parse_scope

__version__ = "0.1.0.dev0"

_HOMES = {
    "Answer": "records",
    "CalendarSettings": "temporal",
    "ChatEndpoint": "endpoint",
    "Document": "records",
    "EmbeddingEndpoint": "endpoint",
    "Extraction": "records",
    "Hit": "records",
    "Issue": "records",
    "MetadataKeys": "metadata",
    "Passage": "records",
    "QueryScope": "temporal",
    "ReplyCache": "cache",
    "RerankEndpoint": "endpoint",
    "Runner": "steps",
    "Spent": "records",
    "Step": "steps",
    "TimeExpression": "temporal",
    "TimeInterval": "temporal",
    "find_expressions": "temporal",
    "parse_scope": "temporal",
    "scope": "questions",
}

__all__ = [
    "Answer",
    "CalendarSettings",
    "ChatEndpoint",
    "Document",
    "EmbeddingEndpoint",
    "Extraction",
    "Hit",
    "Issue",
    "MetadataKeys",
    "Passage",
    "QueryScope",
    "ReplyCache",
    "RerankEndpoint",
    "Runner",
    "Spent",
    "Step",
    "TimeExpression",
    "TimeInterval",
    "find_expressions",
    "parse_scope",
    "scope",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"chronotope.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
