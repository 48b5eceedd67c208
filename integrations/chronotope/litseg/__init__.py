"""LitSeg: a novel, a play or a chronicle cut where its story turns, in segments that can be read on their own.

Source: "LitSeg: Narrative-Aware Document Segmentation for Literary RAG", sections 3.1 and 3.2.
"""

from chronotope.litseg.candidates import Candidate, candidates
from chronotope.litseg.children import children
from chronotope.litseg.extract import segment
from chronotope.litseg.plan import PlannedSegment, SegmentPlan
from chronotope.litseg.reconstruct import linked, reconstruct
from chronotope.litseg.rules import RuleSettings, plan_by_rules
from chronotope.litseg.segments import Segment
from chronotope.litseg.settings import SegmentMode, SegmentSettings

__all__ = [
    "Candidate",
    "PlannedSegment",
    "RuleSettings",
    "Segment",
    "SegmentMode",
    "SegmentPlan",
    "SegmentSettings",
    "candidates",
    "children",
    "linked",
    "plan_by_rules",
    "reconstruct",
    "segment",
]
