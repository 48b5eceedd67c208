"""Ontologies: what can be so in a story, and the rules that facts are checked against."""

from chronotope.slices.ontology.ontology import EntityType, Kind, Match, Relation, StateEnd
from chronotope.slices.ontology.verdict import Penalty, Verdict, Violation

__all__ = ["EntityType", "Kind", "Match", "Penalty", "Relation", "StateEnd", "Verdict", "Violation"]
