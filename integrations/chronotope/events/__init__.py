"""DyG-RAG: sentences that tell one event each, the graph of events near each other, timelines, and answers reasoned over them.

Source: "DyG-RAG: Dynamic Graph Retrieval-Augmented Generation with Event-Centric Reasoning", sections 3.3 to 3.5.
"""

from chronotope.events.answer.answer import TIME_COT, TIME_COT_OFF, events_answer, timeline_answer
from chronotope.events.answer.classes import question_class
from chronotope.events.answer.context import Context, ContextSettings, context_within
from chronotope.events.answer.timeline import Entry, Timeline
from chronotope.events.event import EventUnit
from chronotope.events.extract.extract import extract_events
from chronotope.events.extract.settings import ExtractMode, ExtractSettings
from chronotope.events.graph.closeness import Distance, Event
from chronotope.events.graph.graph import Edge, EventGraph, GraphArrays
from chronotope.events.graph.walks import walk
from chronotope.events.index.index import EventIndex, GraphSettings, build_event_index
from chronotope.events.index.ingest import EventsIngested, ingest_events
from chronotope.events.index.time_code import TimeCode, join
from chronotope.events.retrieve.asking import EventAsking
from chronotope.events.retrieve.clauses import ResolvedClause, resolve_clauses
from chronotope.events.retrieve.retrieval_settings import PRESETS, EventRetrievalSettings, EventWeights
from chronotope.events.retrieve.retrieve import EventRetrieval, FoundEvent, retrieve_events, retrieve_events_scoped
from chronotope.naming.rule_names import EntityFinder
from chronotope.naming.spacy_names import SpacyNames

__all__ = [
    "PRESETS",
    "TIME_COT",
    "TIME_COT_OFF",
    "Context",
    "ContextSettings",
    "Distance",
    "Edge",
    "EntityFinder",
    "Entry",
    "Event",
    "EventAsking",
    "EventGraph",
    "EventIndex",
    "EventRetrieval",
    "EventRetrievalSettings",
    "EventUnit",
    "EventWeights",
    "EventsIngested",
    "ExtractMode",
    "ExtractSettings",
    "FoundEvent",
    "GraphArrays",
    "GraphSettings",
    "ResolvedClause",
    "SpacyNames",
    "TimeCode",
    "Timeline",
    "build_event_index",
    "context_within",
    "events_answer",
    "extract_events",
    "ingest_events",
    "join",
    "question_class",
    "resolve_clauses",
    "retrieve_events",
    "retrieve_events_scoped",
    "timeline_answer",
    "walk",
]
