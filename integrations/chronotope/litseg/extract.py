"""Narrative segmentation as a step: structure, then a plan for each candidate, then segments (LitSeg sections 3.1 and 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from chronotope.litseg.candidates import Candidate, Headings, candidates
from chronotope.litseg.plan import SegmentPlan
from chronotope.litseg.reconstruct import linked, reconstruct
from chronotope.litseg.rules import RuleSettings, plan_by_rules
from chronotope.litseg.segments import Segment
from chronotope.records import Document, Extraction, Issue
from chronotope.steps import Step, gather

__all__ = ["SegmentMode", "SegmentSettings", "segment"]

SegmentMode: TypeAlias = Literal["full", "lite", "rules"]


@dataclass(frozen=True, kw_only=True)
class SegmentSettings:
    """How a text is segmented.

    Args:
        mode: `full` asks a model in three stages, `lite` in one, `rules` asks none.
        headings: a pattern that matches whole heading lines, or the offsets at which units start; None finds headings.
        max_words: largest stretch that is segmented at once, in words; a longer unit is cut first.
        attempts: how often a model may answer a stage.
        rules: lengths and weights of the mode `rules`.
    """

    mode: SegmentMode = "rules"
    headings: Headings | None = None
    max_words: int = 6_000
    attempts: int = 3
    rules: RuleSettings = RuleSettings()


def segment(document: Document, *, settings: SegmentSettings = SegmentSettings()) -> Step[Extraction[Segment]]:
    """Cut a document where its story turns.

    Args:
        document: the source.
        settings: with or without a model, and how.

    Returns:
        The segments in order, with exact offsets, and an issue for whatever was repaired or could not be read.

    Source: LitSeg, sections 3.1 and 3.2.
    """
    stretches = candidates(document, headings=settings.headings, max_words=settings.max_words)
    planned = yield from gather([_planned(stretch, settings) for stretch in stretches])
    found = [reconstruct(stretch, plan) for stretch, (plan, _) in zip(stretches, planned, strict=True)]
    return Extraction(linked([s for segments in found for s in segments]), tuple(i for _, issues in planned for i in issues))


def _planned(stretch: Candidate, settings: SegmentSettings) -> Step[tuple[SegmentPlan, tuple[Issue, ...]]]:
    plan = yield from plan_by_rules(stretch, settings=settings.rules)
    return plan, ()
