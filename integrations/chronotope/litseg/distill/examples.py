"""Training examples: what the mode `lite` asks and the reply that it should get, kept apart by work, written as chat JSON lines."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chronotope.litseg.candidates import Candidate
from chronotope.litseg.modelled import plan_by_model
from chronotope.litseg.plan import SegmentPlan
from chronotope.litseg.proposals import propose
from chronotope.litseg.replies import LiteReply
from chronotope.litseg.settings import DEFAULTS, SegmentSettings
from chronotope.models import Message, sendable
from chronotope.records import content_id
from chronotope.steps import Ask

__all__ = ["Split", "TrainingExample", "as_example", "split_by_work", "write_jsonl"]


@dataclass(frozen=True, kw_only=True)
class TrainingExample:
    """One conversation of a student: system, user, assistant.

    Args:
        messages: the first two are what the mode `lite` sends, the last is the reply that a teacher would accept.
        sentences: of the unit, the first has number 1; joined they are its text. Rewards need them.
        source_id: id of the document.
        unit: name of the unit.
        work: examples of the same work never stand on both sides of a split.
    """

    messages: tuple[Message, ...]
    sentences: tuple[str, ...]
    source_id: str = ""
    unit: str = ""
    work: str = ""

    @property
    def plan(self) -> SegmentPlan:
        """The plan of the assistant's message, read as the mode `lite` reads it."""
        return propose(LiteReply.model_validate_json(self.messages[-1].content), len(self.sentences)).plan

    def to_json(self) -> dict[str, Any]:
        """The example as one row: `messages` for supervised training, `sentences` for the rewards, and where it is from."""
        messages = [{"role": message.role, "content": message.content} for message in self.messages]
        return {
            "messages": messages,
            "sentences": list(self.sentences),
            "source_id": self.source_id,
            "unit": self.unit,
            "work": self.work,
        }


def as_example(candidate: Candidate, reply: LiteReply, *, settings: SegmentSettings = DEFAULTS, work: str = "") -> TrainingExample:
    """The example that teaches a reply, which may also come from a person.

    Args:
        candidate: the unit.
        reply: what a student should say.
        settings: those with which the student will be asked; prompt and length are part of what it reads.
        work: name of the work; the id of the document when empty.

    Raises:
        ValueError: the plan has problems, or the mode `lite` would have to leave something out; or it never asks about this unit.
    """
    found = propose(reply, len(candidate))
    wrong = [*found.plan.problems(len(candidate)), *(issue.message for issue in found.issues)]
    if wrong:
        raise ValueError(f"a reply with problems teaches them: {'; '.join(wrong)}")
    asked = _asked(candidate, settings)
    answer = Message("assistant", reply.model_dump_json())
    return TrainingExample(
        messages=(*asked, answer),
        sentences=tuple(candidate.sentence(index) for index in range(1, len(candidate) + 1)),
        source_id=candidate.source_id,
        unit=candidate.unit.name,
        work=work or candidate.source_id,
    )


def _asked(candidate: Candidate, settings: SegmentSettings) -> tuple[Message, ...]:
    """What the mode `lite` sends first, taken from the mode itself so that not a byte differs."""
    step = plan_by_model(candidate, settings=replace(settings, mode="lite"))
    try:
        request = next(step)
    except StopIteration:
        raise ValueError(f"{candidate} is never asked about, so it teaches nothing") from None
    finally:
        step.close()
    if not isinstance(request, Ask):
        raise TypeError(f"the mode `lite` asks no chat model first, but {type(request).__name__}")
    return request.messages


@dataclass(frozen=True)
class Split:
    """Examples to learn from and examples to measure with; no work is in both."""

    train: tuple[TrainingExample, ...]
    validation: tuple[TrainingExample, ...]


def split_by_work(examples: Iterable[TrainingExample], *, share: float = 0.1, seed: int = 0) -> Split:
    """Set whole works aside for validation, the same ones on every machine and in whatever order the examples come.

    Args:
        examples: of any number of works.
        share: of the works (not of the examples) that goes to validation, rounded; at least one work where there are two and the
            share is not 0, and never all.
        seed: another one sets other works aside.

    Raises:
        ValueError: the share is not in 0 to 1.
    """
    if not 0 <= share < 1:
        raise ValueError(f"share must be at least 0 and below 1, not {share}")
    kept = list(examples)
    works = sorted({example.work for example in kept}, key=lambda work: (content_id("split", seed, work), work))
    most = len(works) - 1
    held = set(works[: max(0, min(most, max(1, round(share * len(works)))))] if share else ())
    return Split(tuple(e for e in kept if e.work not in held), tuple(e for e in kept if e.work in held))


def write_jsonl(path: str | os.PathLike[str], examples: Iterable[TrainingExample]) -> int:
    """Write one example a line; whoever is killed on the way leaves the old file as it was.

    Args:
        path: where to; missing folders are made. One process at a time may write there.
        examples: in the order of the lines; taken one by one. A lone surrogate, which no file of UTF-8 holds, becomes U+FFFD.

    Returns:
        How many were written.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.saving")
    count = 0
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            for example in examples:
                file.write(sendable(json.dumps(example.to_json(), ensure_ascii=False)) + "\n")
                count += 1
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
    return count
