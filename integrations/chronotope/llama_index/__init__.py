"""For LlamaIndex apps: cut stories and events, read facts, annotate nodes, retrieve by subject, time and place, answer with proofs.

Needs the extra `llama-index`: `pip install "chronotope[llama-index]"`.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from chronotope.errors import MissingExtraError

if find_spec("llama_index") is None or find_spec("llama_index.core") is None:
    raise MissingExtraError("llama-index", "chronotope.llama_index")

if TYPE_CHECKING:
    from chronotope.llama_index.convert import to_hits, to_node, to_passage, to_passages, to_scored_nodes
    from chronotope.llama_index.event_graph import EventGraphRetriever
    from chronotope.llama_index.event_units import EventUnitNodeParser
    from chronotope.llama_index.grounded import GroundedSynthesizer
    from chronotope.llama_index.models import ChronotopeEmbedding, LlamaIndexChat, LlamaIndexEmbedder, LlamaIndexReranker
    from chronotope.llama_index.narrative import LitSegNodeParser
    from chronotope.llama_index.node_parsers import TimeAnnotator
    from chronotope.llama_index.postprocessors import ChronologicalPostprocessor
    from chronotope.llama_index.queries import Reading, TimedQuery
    from chronotope.llama_index.retrievers import DiachronicRetriever
    from chronotope.llama_index.slice_sub_retriever import SliceSubRetriever
    from chronotope.llama_index.slices import SliceRetriever
    from chronotope.llama_index.stores import VectorIndexStore
    from chronotope.llama_index.story_facts import StoryFactExtractor
    from chronotope.llama_index.story_queries import StoryQuery
    from chronotope.llama_index.synthesizers import ChronologicalSynthesizer
    from chronotope.llama_index.time_cot import TimeCoTSynthesizer
    from chronotope.llama_index.tools import retriever_tool

__all__ = [
    "ChronologicalPostprocessor",
    "ChronologicalSynthesizer",
    "ChronotopeEmbedding",
    "DiachronicRetriever",
    "EventGraphRetriever",
    "EventUnitNodeParser",
    "GroundedSynthesizer",
    "LitSegNodeParser",
    "LlamaIndexChat",
    "LlamaIndexEmbedder",
    "LlamaIndexReranker",
    "Reading",
    "SliceRetriever",
    "SliceSubRetriever",
    "StoryFactExtractor",
    "StoryQuery",
    "TimeAnnotator",
    "TimeCoTSynthesizer",
    "TimedQuery",
    "VectorIndexStore",
    "retriever_tool",
    "to_hits",
    "to_node",
    "to_passage",
    "to_passages",
    "to_scored_nodes",
]

_PLACES = {
    "convert": ("to_hits", "to_node", "to_passage", "to_passages", "to_scored_nodes"),
    "event_graph": ("EventGraphRetriever",),
    "event_units": ("EventUnitNodeParser",),
    "grounded": ("GroundedSynthesizer",),
    "models": ("ChronotopeEmbedding", "LlamaIndexChat", "LlamaIndexEmbedder", "LlamaIndexReranker"),
    "narrative": ("LitSegNodeParser",),
    "node_parsers": ("TimeAnnotator",),
    "postprocessors": ("ChronologicalPostprocessor",),
    "queries": ("Reading", "TimedQuery"),
    "retrievers": ("DiachronicRetriever",),
    "slice_sub_retriever": ("SliceSubRetriever",),
    "slices": ("SliceRetriever",),
    "stores": ("VectorIndexStore",),
    "story_facts": ("StoryFactExtractor",),
    "story_queries": ("StoryQuery",),
    "synthesizers": ("ChronologicalSynthesizer",),
    "time_cot": ("TimeCoTSynthesizer",),
    "tools": ("retriever_tool",),
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
