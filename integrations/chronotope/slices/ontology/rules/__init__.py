"""Rules that facts are checked against: their kinds as data, and what a rule written in Python is."""

from chronotope.slices.ontology.rules.from_data import KINDS, rule_from
from chronotope.slices.ontology.rules.rule import Broken, Judge, Rule

__all__ = ["KINDS", "Broken", "Judge", "Rule", "rule_from"]
