"""The plan of a unit by rules alone."""

from __future__ import annotations

from dataclasses import dataclass

from chronotope.litseg.candidates import Candidate
from chronotope.litseg.plan import SegmentPlan
from chronotope.steps import Step

__all__ = ["RuleSettings", "plan_by_rules"]


@dataclass(frozen=True, kw_only=True)
class RuleSettings:
    """How segments are found without a model."""


def plan_by_rules(candidate: Candidate, *, settings: RuleSettings = RuleSettings()) -> Step[SegmentPlan]:
    """Cut a unit where the signs of a turn are strongest, with lengths near a reference."""
    yield from ()
    return SegmentPlan.whole(len(candidate))
