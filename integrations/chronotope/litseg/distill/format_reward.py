"""The rule-based format reward: how far a completion is a plan that the mode `lite` would take as it stands. No model is asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from chronotope.litseg.distill.completions import Completion, completion_text, read_plan
from chronotope.litseg.plan import PlannedSegment, SegmentPlan

__all__ = ["FormatGrade", "format_grade", "format_reward"]


@dataclass(frozen=True, kw_only=True)
class FormatGrade:
    """What a completion earns, part by part; each part is a share from 0 to 1.

    Args:
        json: 1 when there is a JSON object at all; worth 0.1.
        schema: 1 when it could be read as a reply of the mode `lite`; worth 0.2.
        plain: 1 when it needed no help: nothing around the JSON, no broken or renamed parts; worth 0.1.
        ranges: share of the segments whose range lies in the unit, runs forwards and does not start before the one listed
            before it; worth 0.2.
        cover: share of the sentences that such ranges have; worth 0.2.
        ends: half for a range that starts at the first sentence, half for one that ends at the last; worth 0.1.
        context: share of the context sentences that exist and lie outside the range that they serve, 1 where no segment names
            any; worth 0.1.

    Without a readable plan everything from `schema` on is 0. The score is 1 for exactly the plans that have no problems and are
    written as plain JSON.

    Source: LitSeg, section 3.2 and appendix I.3.2, which name the parts; the worth of each is ours.
    """

    json: float = 0.0
    schema: float = 0.0
    plain: float = 0.0
    ranges: float = 0.0
    cover: float = 0.0
    ends: float = 0.0
    context: float = 0.0

    @property
    def score(self) -> float:
        """The weighted sum of the parts, from 0 to 1."""
        # in tenths, so that the sum of full parts is 1 and not nearly 1
        points = self.json + 2 * self.schema + self.plain + 2 * self.ranges + 2 * self.cover + self.ends + self.context
        return points / 10


def format_reward(completions: Sequence[Completion], *, sentences: Sequence[Sequence[str]], **columns: Any) -> list[float]:  # noqa: ANN401, ARG001 - what a trainer passes
    """One score from 0 to 1 for each completion, in the form that a GRPO trainer calls.

    Args:
        completions: what the student wrote: texts, or lists with one assistant message.
        sentences: for each completion, the sentences of the unit that it segments.
        columns: the other columns of the data set; not used.

    Raises:
        ValueError: there are not as many lists of sentences as completions.

    >>> whole = '{"segments": [{"subtitle": "All of it", "from_idx": 1, "to_idx": 2, "context_idx": []}]}'
    >>> format_reward([whole, "I cannot do that."], sentences=[["One. ", "Two."]] * 2)
    [1.0, 0.0]
    """
    pairs = zip(completions, sentences, strict=True)
    return [format_grade(completion_text(completion), len(unit)).score for completion, unit in pairs]


def format_grade(text: str, n: int) -> FormatGrade:
    """Grade the text of one completion; no text makes it raise.

    Args:
        text: what the student wrote.
        n: number of sentences of the unit.
    """
    read = read_plan(text)
    if read is None:
        return FormatGrade(json=float(_is_json_object(text)))
    return FormatGrade(json=1.0, schema=1.0, plain=float(read.plain), **_plan_parts(read.plan, n))


def _plan_parts(plan: SegmentPlan, n: int) -> dict[str, float]:
    sound = _sound_ranges(plan.segments, n)
    if not plan.segments:
        return {}
    covered = _covered([(part.from_idx, part.to_idx) for part in sound])
    named = sum(len(part.context_idx) for part in plan.segments)
    ends = any(part.from_idx == 1 for part in sound), any(part.to_idx == n for part in sound)
    return {
        "ranges": len(sound) / len(plan.segments),
        "cover": covered / n if n else 0.0,
        "ends": sum(ends) / 2,
        "context": 1 - len(plan.context_problems(n)) / named if named else 1.0,
    }


def _sound_ranges(segments: Iterable[PlannedSegment], n: int) -> list[PlannedSegment]:
    """Those inside the unit that run forwards, follow the start of the one listed before, and repeat no range."""
    sound: dict[tuple[int, int], PlannedSegment] = {}
    before: PlannedSegment | None = None
    for part in segments:
        if 1 <= part.from_idx <= part.to_idx <= n and (before is None or before.from_idx <= part.from_idx):
            sound.setdefault((part.from_idx, part.to_idx), part)
        before = part
    return list(sound.values())


def _covered(ranges: Iterable[tuple[int, int]]) -> int:
    """Number of sentences in at least one of the ranges."""
    covered = reached = 0
    for first, last in sorted(ranges):
        covered += max(0, last - max(first - 1, reached))
        reached = max(reached, last)
    return covered


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
