"""TA-RAG: retrieval for questions about how things went over time.

Source: "Reading Between the Timelines: RAG for Answering Diachronic Questions" (TA-RAG), sections 4.1 to 4.4.
"""

from chronotope.diachronic.answer import ANSWER, AnswerText, answer, answer_messages, answer_values, timeline_answer
from chronotope.diachronic.asking import Asking, Source
from chronotope.diachronic.coverage import Coverage
from chronotope.diachronic.extract import AnnotateMode, AnnotateSettings, annotate
from chronotope.diachronic.foreign import StoreAnswers, StoreRecord
from chronotope.diachronic.index import DiachronicIndex, build_index
from chronotope.diachronic.ingest import IndexWriter, Ingested, PassageWriter, ingest
from chronotope.diachronic.pushdown import Pushdown, PushdownPolicy, StoreSearch, UserStore, retrieve_pushed
from chronotope.diachronic.retrieve import PRESETS, Retrieval, RetrievalSettings, query_variants, retrieve, retrieve_scoped
from chronotope.diachronic.store import PassageStore, Window, retrieve_from_store, retrieve_scoped_from_store
from chronotope.evidence import (
    Order,
    check_citations,
    chronological,
    evidence_within,
    render_context,
    select_evidence,
    when,
)

__all__ = [
    "ANSWER",
    "PRESETS",
    "AnnotateMode",
    "AnnotateSettings",
    "AnswerText",
    "Asking",
    "Coverage",
    "DiachronicIndex",
    "IndexWriter",
    "Ingested",
    "Order",
    "PassageStore",
    "PassageWriter",
    "Pushdown",
    "PushdownPolicy",
    "Retrieval",
    "RetrievalSettings",
    "Source",
    "StoreAnswers",
    "StoreRecord",
    "StoreSearch",
    "UserStore",
    "Window",
    "annotate",
    "answer",
    "answer_messages",
    "answer_values",
    "build_index",
    "check_citations",
    "chronological",
    "evidence_within",
    "ingest",
    "query_variants",
    "render_context",
    "retrieve",
    "retrieve_from_store",
    "retrieve_pushed",
    "retrieve_scoped",
    "retrieve_scoped_from_store",
    "select_evidence",
    "timeline_answer",
    "when",
]
