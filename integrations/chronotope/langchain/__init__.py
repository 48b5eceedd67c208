"""chronotope for LangChain: story segments, event units, facts, retrieval by time and place, ordering, answers as its components.

>>> from chronotope.langchain import DiachronicRetriever, chronological_chain, retriever_tool
"""

from chronotope.errors import MissingExtraError

try:
    import langchain_core as _  # noqa: F401
except ModuleNotFoundError as absent:
    if absent.name != "langchain_core":
        raise
    raise MissingExtraError("langchain", "chronotope.langchain") from absent

from chronotope.langchain.chains import chronological_chain, chronological_prompt, citation_check
from chronotope.langchain.compressors import ChronologicalCompressor
from chronotope.langchain.event_graph import EventGraphRetriever
from chronotope.langchain.event_units import EventUnitTransformer
from chronotope.langchain.grounded import grounded_chain, grounded_check, grounded_prompt
from chronotope.langchain.models import ChronotopeEmbeddings, LangChainChat, LangChainEmbedder, LangChainReranker
from chronotope.langchain.parents import SegmentChildSplitter, reading_documents
from chronotope.langchain.retrievers import DiachronicRetriever
from chronotope.langchain.slices import SliceRetriever
from chronotope.langchain.splitters import LitSegTextSplitter
from chronotope.langchain.story_facts import StoryFactTransformer
from chronotope.langchain.time_cot import time_cot_chain, time_cot_check, time_cot_prompt
from chronotope.langchain.tools import retriever_tool
from chronotope.langchain.transformers import TimeAnnotator

__all__ = [
    "ChronologicalCompressor",
    "ChronotopeEmbeddings",
    "DiachronicRetriever",
    "EventGraphRetriever",
    "EventUnitTransformer",
    "LangChainChat",
    "LangChainEmbedder",
    "LangChainReranker",
    "LitSegTextSplitter",
    "SegmentChildSplitter",
    "SliceRetriever",
    "StoryFactTransformer",
    "TimeAnnotator",
    "chronological_chain",
    "chronological_prompt",
    "citation_check",
    "grounded_chain",
    "grounded_check",
    "grounded_prompt",
    "reading_documents",
    "retriever_tool",
    "time_cot_chain",
    "time_cot_check",
    "time_cot_prompt",
]
