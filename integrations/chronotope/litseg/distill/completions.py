"""What a student wrote, read as a plan: the same tolerant reading as in the mode `lite`, without its checks and repairs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from chronotope.litseg.plan import PlannedSegment, SegmentPlan
from chronotope.litseg.replies import LiteReply
from chronotope.replies import read_reply

__all__ = ["Completion", "ReadPlan", "completion_text", "read_plan"]

Completion: TypeAlias = str | Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class ReadPlan:
    """The plan of a completion as it was written, with whatever is wrong with it.

    Args:
        plan: ranges, subtitles and context sentences.
        plain: True when the text is JSON and nothing had to be mended, renamed or taken out of its surroundings.
    """

    plan: SegmentPlan
    plain: bool


def completion_text(completion: Completion) -> str:
    """The text of a completion, be it a text or a list of messages, the last of which is the student's."""
    if isinstance(completion, str):
        return completion
    return str(completion[-1].get("content") or "") if completion else ""


def read_plan(text: str) -> ReadPlan | None:
    """The plan of a completion, None where the text holds no reply of the mode `lite`; no text makes it raise."""
    try:
        reply = read_reply(text, LiteReply).value
    except (ValueError, RecursionError):
        return None
    parts = (PlannedSegment(s.from_idx, s.to_idx, s.subtitle, tuple(s.context_idx)) for s in reply.segments)
    return ReadPlan(SegmentPlan(tuple(parts)), _is_plain(text, reply))


def _is_plain(text: str, reply: LiteReply) -> bool:
    """True when the text says exactly what was read, as JSON and in the right types."""
    try:
        return bool(json.loads(text) == reply.model_dump(exclude_unset=True))
    except (ValueError, RecursionError):
        return False
