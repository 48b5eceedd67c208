"""Ontologies: what can be so in a story, and the rules that facts are checked against."""

from chronotope.slices.ontology.check import check
from chronotope.slices.ontology.known import KnownFacts
from chronotope.slices.ontology.ontology import EntityType, Kind, Match, Relation, StateEnd
from chronotope.slices.ontology.rules import Broken, Judge, Rule, rule_from
from chronotope.slices.ontology.verdict import Penalty, Verdict, Violation
from chronotope.slices.ontology.vocabulary import Ontology

__all__ = [
    "Broken",
    "EntityType",
    "Judge",
    "Kind",
    "KnownFacts",
    "Match",
    "Ontology",
    "Penalty",
    "Relation",
    "Rule",
    "StateEnd",
    "Verdict",
    "Violation",
    "check",
    "rule_from",
]
