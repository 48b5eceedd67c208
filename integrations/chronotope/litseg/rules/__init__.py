"""Segmentation without a model: where dividers, shifts and a lack of cohesion say that the story turns."""

from chronotope.litseg.rules.planning import RuleSettings, plan_by_rules

__all__ = ["RuleSettings", "plan_by_rules"]
