"""NS-ST-GraphRAG: story graphs that know rules, two times and places, their slices, and answers with coordinates.

Source: "NS-ST-GraphRAG: Neuro-Symbolic Spatio-Temporal GraphRAG for Literary Knowledge Processing".
"""

from chronotope.slices.answer.answer import GROUNDED_ANSWER, facts_answer, grounded_answer
from chronotope.slices.answer.context import SliceContext, slice_context
from chronotope.slices.answer.coordinates import coordinates, validity
from chronotope.slices.answer.direct import DirectAnswer, direct_answer
from chronotope.slices.answer.verify import Citation, CitationKind, citation_counts, verify
from chronotope.slices.axis import OrderConstraint, StoryAxis, build_axis
from chronotope.slices.cast import Cast, Merge
from chronotope.slices.diagnose.diagnose import AnswerTrace, Diagnosis, Gold, diagnose, diagnose_all
from chronotope.slices.edge import Edge, Ending
from chronotope.slices.evolution.evolution import Evolution, evolution, evolution_of_all
from chronotope.slices.extract import FactMode, FactSettings, checked_facts, extract_facts
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.facts_file import ReadFacts, read_facts, write_facts
from chronotope.slices.graph import Constraint, Path, PlaceTree, Slice, StoryGraph, build_graph
from chronotope.slices.index.index import StoryIndex, build_story_index
from chronotope.slices.index.ingest import StoryIngested, ingest_story
from chronotope.slices.ontology import KnownFacts, Ontology, Relation, Rule, Verdict, check, rule_from
from chronotope.slices.question import parse_question, story_scope
from chronotope.slices.retrieve.asking import SliceAsking
from chronotope.slices.retrieve.retrieval_settings import SliceSettings, SliceWeights
from chronotope.slices.retrieve.retrieve import FoundFact, SliceRetrieval, retrieve_slice
from chronotope.slices.scope import Landmark, StoryScope
from chronotope.slices.story_facts import Exchange, StoryFacts, Uncertain

__all__ = [
    "GROUNDED_ANSWER",
    "AnswerTrace",
    "Cast",
    "Citation",
    "CitationKind",
    "Constraint",
    "Diagnosis",
    "DirectAnswer",
    "Edge",
    "Ending",
    "Entity",
    "Evolution",
    "Exchange",
    "Fact",
    "FactMode",
    "FactSettings",
    "FoundFact",
    "Gold",
    "KnownFacts",
    "Landmark",
    "Merge",
    "Ontology",
    "OrderConstraint",
    "Path",
    "PlaceTree",
    "ReadFacts",
    "Relation",
    "Rule",
    "Slice",
    "SliceAsking",
    "SliceContext",
    "SliceRetrieval",
    "SliceSettings",
    "SliceWeights",
    "StoryAxis",
    "StoryFacts",
    "StoryGraph",
    "StoryIndex",
    "StoryIngested",
    "StoryScope",
    "Uncertain",
    "Verdict",
    "build_axis",
    "build_graph",
    "build_story_index",
    "check",
    "checked_facts",
    "citation_counts",
    "coordinates",
    "diagnose",
    "diagnose_all",
    "direct_answer",
    "evolution",
    "evolution_of_all",
    "extract_facts",
    "facts_answer",
    "grounded_answer",
    "ingest_story",
    "parse_question",
    "read_facts",
    "retrieve_slice",
    "rule_from",
    "slice_context",
    "story_scope",
    "validity",
    "verify",
    "write_facts",
]
