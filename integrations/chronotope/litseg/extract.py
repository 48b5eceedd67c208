"""Narrative segmentation as a step: structure, then a plan for each candidate, then segments (LitSeg sections 3.1 and 3.2)."""

from __future__ import annotations

from dataclasses import replace

from chronotope.litseg.candidates import Candidate, check_document, survey
from chronotope.litseg.modelled import plan_by_model
from chronotope.litseg.proposals import Proposal
from chronotope.litseg.reconstruct import linked, reconstruct
from chronotope.litseg.rules import plan_by_rules
from chronotope.litseg.segments import Segment
from chronotope.litseg.settings import DEFAULTS, SegmentMode, SegmentSettings
from chronotope.records import Document, Extraction, Issue
from chronotope.steps import Step, gather

__all__ = ["SegmentMode", "SegmentSettings", "segment"]


def segment(document: Document, *, settings: SegmentSettings = DEFAULTS) -> Step[Extraction[Segment]]:
    """Cut a document where its story turns.

    Args:
        document: the source.
        settings: with or without a model, and how.

    Returns:
        The segments in order, with exact offsets, and an issue for whatever was left out, repaired or could not be read. Every
        sentence of every unit is in at least one of them.

    Raises:
        TypeError: the document or the settings are none.
        ValueError: headings given as offsets lie outside of the text.

    Source: LitSeg, sections 3.1 and 3.2.
    """
    check_document(document)
    if not isinstance(settings, SegmentSettings):
        raise TypeError(f"settings must be SegmentSettings, not {type(settings).__name__}")
    return _segmented(document, settings)


def _segmented(document: Document, settings: SegmentSettings) -> Step[Extraction[Segment]]:
    surveyed = survey(document, headings=settings.headings, max_words=settings.most_words)
    planned = yield from gather([_planned(stretch, settings) for stretch in surveyed.items])
    pairs = list(zip(surveyed.items, planned, strict=True))
    told = tuple(_placed(issue, stretch) for stretch, proposal in pairs for issue in proposal.issues)
    return Extraction(
        linked([part for stretch, proposal in pairs for part in reconstruct(stretch, proposal.plan)]), surveyed.issues + told
    )


def _planned(stretch: Candidate, settings: SegmentSettings) -> Step[Proposal]:
    if settings.mode == "rules":
        return Proposal((yield from plan_by_rules(stretch, settings=settings.rules)))
    return (yield from plan_by_model(stretch, settings=settings))


def _placed(issue: Issue, stretch: Candidate) -> Issue:
    """The issue with the unit and the document that it is about."""
    name = stretch.unit.name
    return replace(issue, message=f"{name}: {issue.message}" if name else issue.message, source_id=stretch.source_id)
