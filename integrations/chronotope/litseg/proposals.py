"""From what a model said to a plan: its segments with the turning points that open them, and what had to be left out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from chronotope.litseg.plan import PlannedSegment, SegmentPlan
from chronotope.litseg.replies import LiteReply, SegmentReply, SegmentsReply, TurningPointReply
from chronotope.records import Issue
from chronotope.replies import Rejected

__all__ = ["Draft", "Proposal", "propose", "type_name"]

_SHOWN_PROBLEMS = 4
_LONGEST_SUBTITLE = 160  # characters; a model that runs on would put a page on top of every segment
_LONGEST_TYPE = 40
_MOST_HELD = (
    2  # sentences in all main ranges, for each sentence of the unit; a model that lists 1-10, 1-20, 1-30 has not understood
)
_UNCUT: Final = SegmentPlan()


@dataclass(frozen=True)
class Proposal:
    """A plan as a model gave it, with an issue for each thing that was left out or put right.

    Args:
        plan: the segments; they may have problems.
        issues: in the order in which they were found.
    """

    plan: SegmentPlan = _UNCUT
    issues: tuple[Issue, ...] = ()

    def reach(self, n: int) -> int:
        """The last of `n` sentences that a main range comes to; 0 when there is none."""
        return max((min(max(part.from_idx, part.to_idx), n) for part in self.plan.segments), default=0)

    def told(self, issue: Issue) -> Proposal:
        """The same with one more issue."""
        return replace(self, issues=(*self.issues, issue))

    def repaired(self, n: int) -> Proposal:
        """The same with a plan that is usable for `n` sentences."""
        plan, issues = self.plan.repaired(n)
        return Proposal(plan, (*self.issues, *issues))


def propose(reply: SegmentsReply | LiteReply, n: int, *, settled: Proposal = Proposal()) -> Proposal:
    """The plan that a reply means.

    Args:
        reply: what the model said.
        n: number of sentences.
        settled: what stands before the segments of the reply.
    """
    issues = [
        Issue("turning_point_dropped", f"{_called(point)} stands at sentence {point.sentence}, which does not exist")
        for point in reply.turning_points
        if not 1 <= point.sentence <= n
    ]
    segments = [_planned(part, reply.turning_points, issues) for part in reply.segments]
    return Proposal(SegmentPlan((*settled.plan.segments, *segments)), (*settled.issues, *issues))


@dataclass
class Draft:
    """Checks replies about one unit, and remembers the last that could be read, for when none is accepted.

    Args:
        n: number of sentences.
        settled: what stands before the segments of a reply.
        last: the last proposal, accepted or not.
    """

    n: int
    settled: Proposal = Proposal()
    last: Proposal | None = field(default=None, init=False)

    def check(self, reply: SegmentsReply | LiteReply) -> Proposal:
        """The proposal of a reply.

        Raises:
            Rejected: the main ranges are not sound, or mostly repeat each other. Context sentences alone are no reason, since they
                are repaired later.
        """
        self.last = propose(reply, self.n, settled=self.settled)
        if problems := self.last.plan.range_problems(self.n):
            more = len(problems) - _SHOWN_PROBLEMS
            raise Rejected("; ".join(problems[:_SHOWN_PROBLEMS]) + (f"; and {more} more problems" if more > 0 else ""))
        held = sum(part.to_idx - part.from_idx + 1 for part in self.last.plan.segments)
        if held > _MOST_HELD * self.n:
            raise Rejected(f"the segments hold {held} sentences and the chapter has {self.n}; neighbours may share a few at most")
        return self.last


def type_name(words: str) -> str:
    """The type of a turning point as one lower-case word.

    >>> type_name("Setback & Reversal")
    'setback_reversal'
    """
    return "_".join(re.findall(r"\w+", words.lower().replace("_", " ")))[:_LONGEST_TYPE].rstrip("_")


def _planned(part: SegmentReply, points: Iterable[TurningPointReply], issues: list[Issue]) -> PlannedSegment:
    opening = (type_name(point.type) for point in points if point.sentence == part.from_idx)
    subtitle = part.subtitle
    if len(subtitle) > _LONGEST_SUBTITLE:
        subtitle = subtitle[: _LONGEST_SUBTITLE - 1].rstrip() + "…"
        issues.append(Issue("subtitle_cut", f"the subtitle {subtitle!r} was longer than {_LONGEST_SUBTITLE} characters"))
    types = tuple(dict.fromkeys(name for name in opening if name))
    return PlannedSegment(part.from_idx, part.to_idx, subtitle, tuple(part.context_idx), types)


def _called(point: TurningPointReply) -> str:
    return f"turning point {point.what or point.type!r}"
