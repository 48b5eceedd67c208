"""The model-based reward: a judge marks every chunk of a plan on three dimensions, in the light of the whole unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, Final

from pydantic import BaseModel, Field

from chronotope.errors import ReplyError
from chronotope.litseg.candidates import Candidate
from chronotope.litseg.distill.completions import Completion, completion_text, read_plan
from chronotope.litseg.distill.rewards import Reward
from chronotope.litseg.plan import PlannedSegment, SegmentPlan
from chronotope.litseg.stages import numbered
from chronotope.notes import log_issues
from chronotope.prompts import Prompt, fence
from chronotope.records import Issue
from chronotope.replies import Rejected
from chronotope.steps import Runner, Step, ask, ask_in_halves, gather
from chronotope.text import Unit

__all__ = ["REWARD", "ChunkMarks", "JudgeSettings", "Judgement", "Marks", "judge", "model_reward"]

_LOWEST, _HIGHEST, _MIDDLE = 1.0, 5.0, 3.0
_CONTEXT_POINTS: Final = 0.5
_SUBTITLE_CHARACTERS = 200  # a subtitle is a few words; a longer one is a student that talks to the judge
_UNKNOWN = 0.5  # the middle of the reward, where no other completion tells better


class Marks(BaseModel):
    """What the judge says of one chunk."""

    chunk: int
    event_validity: float = Field(ge=_LOWEST, le=_HIGHEST)
    unity_of_action: float = Field(ge=_LOWEST, le=_HIGHEST)
    cut_point_logic: float = Field(ge=_LOWEST, le=_HIGHEST)
    context_helps: bool = False


class MarksReply(BaseModel):
    """What the judge says of all chunks that it was asked about."""

    chunks: list[Marks]


REWARD: Final = Prompt.load("chronotope.litseg", "reward", MarksReply)


@dataclass(frozen=True, kw_only=True)
class JudgeSettings:
    """How plans are judged.

    Args:
        attempts: how often the judge may answer.
        prompt: replaces the rubric.
    """

    attempts: int = 3
    prompt: Prompt[MarksReply] = REWARD


@dataclass(frozen=True, kw_only=True)
class ChunkMarks:
    """The marks of one chunk, each from 1 to 5, with the context points counted.

    Args:
        event_validity: does something happen, and does the subtitle say it.
        unity_of_action: is it one phase of one line of action.
        cut_point_logic: are the ends where the text lets go; half a point more where the judge finds that context sentences make
            the chunk readable, half a point less where all of them stand inside the chunk itself, within 1 to 5.
    """

    event_validity: float
    unity_of_action: float
    cut_point_logic: float

    @property
    def mean(self) -> float:
        """All three dimensions count the same."""
        return (self.event_validity + self.unity_of_action + self.cut_point_logic) / 3


@dataclass(frozen=True)
class Judgement:
    """What a judge thinks of a plan.

    Args:
        chunks: marks in the order of the segments; empty when there was nothing to judge or the judge refused.
        reward: from 0 (all marks 1) to 1 (all marks 5); 0 for a plan whose ranges do not fit the unit, None when the judge refused.
        issues: why there are no marks.
    """

    chunks: tuple[ChunkMarks, ...] = ()
    reward: float | None = None
    issues: tuple[Issue, ...] = ()


def judge(sentences: Sequence[str], plan: SegmentPlan, *, settings: JudgeSettings = JudgeSettings()) -> Step[Judgement]:
    """Have a model mark a plan: the mean of three dimensions for each chunk, then the mean over chunks.

    Where a reply is cut, each half of the chunks is asked about alone. A plan whose ranges do not fit cannot be cut into chunks and
    gets 0 without a call. Context sentences outside the unit are not shown.

    Args:
        sentences: of the unit, the first has number 1.
        plan: as the student wrote it.
        settings: attempts and rubric.

    Returns:
        The marks, or an issue `judge_refused` and no reward when no reply of the judge was acceptable.

    Source: LitSeg, section 3.2 and appendix E.3. The paper takes marks from 1 to 5 and does not say how they are scaled, nor what
    half a point more than 5 is: here marks stay within 1 to 5 and the mean is mapped onto 0 to 1.
    """
    if problems := plan.range_problems(len(sentences)):
        return Judgement(reward=0.0, issues=(Issue("plan_unusable", f"the plan was not judged: {'; '.join(problems[:3])}"),))
    if not plan.segments:
        return Judgement(reward=0.0, issues=(Issue("plan_unusable", "the unit has no sentence, so there is nothing to judge"),))
    chapter = numbered(_unit(sentences))
    parts = list(enumerate(plan.segments, 1))
    try:
        marked = yield from ask_in_halves(partial(_asked, chapter=chapter, n=len(sentences), settings=settings), parts)
    except ReplyError as error:
        return Judgement(issues=(Issue("judge_refused", f"a plan of {len(parts)} chunks has no marks: {error}"),))
    marks = [mark for _, found, _ in marked for mark in found]
    chunks = tuple(_counted(mark, part, len(sentences)) for mark, (_, part) in zip(marks, parts, strict=True))
    mean = sum(chunk.mean for chunk in chunks) / len(chunks)
    return Judgement(chunks, (mean - _LOWEST) / (_HIGHEST - _LOWEST))


def model_reward(runner: Runner, *, settings: JudgeSettings = JudgeSettings()) -> Reward:
    """The judge as a function that a GRPO trainer calls: one number from 0 to 1 for each completion.

    A completion that holds no plan, or one whose ranges do not fit, gets 0. One that the judge refuses to mark gets the mean of the
    others of its group (same sentences), so that it is pushed neither way, and 0.5 where there is none; the issue is logged on
    `chronotope`.

    Args:
        runner: has the judge as its chat model, and a cache if equal plans shall be judged once.
        settings: attempts and rubric.

    Raises:
        BudgetError: when called, if a cap of the runner is reached.
        ValueError: when called with other numbers of completions and lists of sentences.
    """

    def narrative_reward(
        completions: Sequence[Completion],
        *,
        sentences: Sequence[Sequence[str]],
        **columns: Any,  # noqa: ANN401, ARG001 - what a trainer passes
    ) -> list[float]:
        pairs = zip(completions, sentences, strict=True)
        steps = [_judged(completion_text(completion), unit, settings) for completion, unit in pairs]
        judgements = runner.run(gather(steps))
        refused = [issue for judgement in judgements if judgement.reward is None for issue in judgement.issues]
        log_issues(f"{len(judgements)} completions judged", refused)
        return _without_holes([judgement.reward for judgement in judgements], sentences)

    return narrative_reward


def _judged(text: str, sentences: Sequence[str], settings: JudgeSettings) -> Step[Judgement]:
    read = read_plan(text)
    if read is None:
        return Judgement(reward=0.0, issues=(Issue("plan_unusable", "the completion holds no plan"),))
    return (yield from judge(sentences, read.plan, settings=settings))


def _asked(parts: Sequence[tuple[int, PlannedSegment]], *, chapter: str, n: int, settings: JudgeSettings) -> Step[list[Marks]]:
    """Marks of some chunks; the chapter comes first, so that an endpoint reads it once for a whole group."""
    numbers = [number for number, _ in parts]
    return ask(
        settings.prompt,
        check=partial(_in_order, numbers=numbers),
        attempts=settings.attempts,
        blank=[_middling(number) for number in numbers],
        chapter=chapter,
        chunks=fence("\n".join(_told(number, part, n) for number, part in parts), "chunks"),
        numbers=f"{numbers[0]} to {numbers[-1]}",
    )


def _middling(number: int) -> Marks:
    """What a dry run takes for an answer."""
    return Marks(chunk=number, event_validity=_MIDDLE, unity_of_action=_MIDDLE, cut_point_logic=_MIDDLE)


def _unit(sentences: Sequence[str]) -> Candidate:
    """The sentences as a unit of their own, to be numbered as the student saw them."""
    text = "".join(sentences)
    borders = [0, *accumulate(map(len, sentences))]
    return Candidate(text, "", Unit(start=0, end=len(text)), 1, tuple(pairwise(borders)))


def _told(number: int, part: PlannedSegment, n: int) -> str:
    """A chunk as the judge reads it, on one line."""
    context = [index for index in part.context_idx if 1 <= index <= n]
    named = f", context sentences {', '.join(map(str, context))}" if context else ""
    subtitle = " ".join(part.subtitle.split())[:_SUBTITLE_CHARACTERS]
    return f"chunk {number}: sentences {part.from_idx} to {part.to_idx}{named}, subtitle: {subtitle or 'none'}"


def _in_order(reply: MarksReply, *, numbers: Sequence[int]) -> list[Marks]:
    given = [mark.chunk for mark in reply.chunks]
    if sorted(given) != list(numbers):
        raise Rejected(f'"chunks" must have one entry for each of chunks {numbers[0]} to {numbers[-1]}, not for {given}')
    return sorted(reply.chunks, key=lambda mark: mark.chunk)


def _counted(mark: Marks, part: PlannedSegment, n: int) -> ChunkMarks:
    """The marks with the context points: the penalty is arithmetic, so it is not left to the judge; the bonus needs context."""
    outside = [index for index in part.context_idx if not part.from_idx <= index <= part.to_idx]
    points = 0.0
    if part.context_idx and not outside:
        points = -_CONTEXT_POINTS
    elif mark.context_helps and any(1 <= index <= n for index in outside):
        points = _CONTEXT_POINTS
    cut = min(_HIGHEST, max(_LOWEST, mark.cut_point_logic + points))
    return ChunkMarks(event_validity=mark.event_validity, unity_of_action=mark.unity_of_action, cut_point_logic=cut)


def _without_holes(rewards: Sequence[float | None], groups: Sequence[Sequence[str]]) -> list[float]:
    """Each missing reward as the mean of its group."""
    known: dict[tuple[str, ...], list[float]] = {}
    for reward, group in zip(rewards, groups, strict=True):
        if reward is not None:
            known.setdefault(tuple(group), []).append(reward)
    filled = []
    for reward, group in zip(rewards, groups, strict=True):
        others = known.get(tuple(group), [])
        filled.append(reward if reward is not None else sum(others) / len(others) if others else _UNKNOWN)
    return filled
