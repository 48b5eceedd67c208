"""Segmentation without a model: where dividers, shifts and a lack of cohesion say that the story turns."""

from chronotope.litseg.rules.planning import RuleSettings, plan_by_rules
from chronotope.litseg.rules.signs import SignWeights

__all__ = ["RuleSettings", "SignWeights", "plan_by_rules"]
