"""From a plan to segments: main ranges sliced from the source, context sentences around them in source order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chronotope.litseg.candidates import Candidate
from chronotope.litseg.plan import SegmentPlan
from chronotope.litseg.segments import Segment

__all__ = ["linked", "reconstruct"]


def reconstruct(candidate: Candidate, plan: SegmentPlan) -> tuple[Segment, ...]:
    """The segments of one candidate.

    Args:
        candidate: the numbered stretch.
        plan: a usable plan for it.

    Raises:
        ValueError: the plan has problems for this number of sentences.

    Source: LitSeg, section 3.1.2, "Reconstruction".
    """
    if problems := plan.range_problems(len(candidate)):
        raise ValueError(f"the plan does not fit {len(candidate)} sentences: {'; '.join(problems)}")
    segments = []
    for part in plan.segments:
        start, end = candidate.sentences[part.from_idx - 1][0], candidate.sentences[part.to_idx - 1][1]
        outside = [i for i in sorted(set(part.context_idx)) if 1 <= i <= len(candidate) and not part.from_idx <= i <= part.to_idx]
        segments.append(
            Segment(
                text=candidate.text[start:end],
                source_id=candidate.source_id,
                char_start=start,
                char_end=end,
                unit=candidate.unit,
                unit_number=candidate.number,
                sentences=(part.from_idx, part.to_idx),
                subtitle=part.subtitle,
                context=tuple(candidate.sentences[i - 1] for i in outside),
                before=tuple(candidate.sentence(i).strip() for i in outside if i < part.from_idx),
                after=tuple(candidate.sentence(i).strip() for i in outside if i > part.to_idx),
                turning_points=part.turning_points,
            )
        )
    return tuple(segments)


def linked(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """The segments of a document, each with the ids of its neighbours."""
    ids = ["", *(segment.id for segment in segments), ""]
    return tuple(replace(s, previous_id=ids[place], next_id=ids[place + 2]) for place, s in enumerate(segments))
