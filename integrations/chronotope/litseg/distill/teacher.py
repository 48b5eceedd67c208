"""A teacher at work: the mode `full` runs on a document, and what it said without being corrected becomes training examples."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from chronotope.litseg.candidates import Candidate, candidates
from chronotope.litseg.distill.examples import TrainingExample, as_example
from chronotope.litseg.modelled import plan_by_model
from chronotope.litseg.replies import EventsReply, LiteReply, SegmentsReply, ThreadsReply
from chronotope.litseg.settings import DEFAULTS, SegmentSettings
from chronotope.records import Document, Extraction, Issue, content_id
from chronotope.steps import Ask, Step, gather
from chronotope.steps.tree import Outcome

__all__ = ["training_examples"]

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)


def training_examples(
    document: Document, *, settings: SegmentSettings = DEFAULTS, work: str = ""
) -> Step[Extraction[TrainingExample]]:
    """Run the three stages on a document and keep what a student can learn from.

    A unit whose plan had to be repaired, completed or given up is left out, and so is one in which a stage was refused or cut:
    its plan would teach what the events and threads in front of it do not support.

    Args:
        document: a whole work, or a part of one.
        settings: those with which the student will be asked; the mode is `full` here whatever they say.
        work: name of the work; give it where a work comes in several documents or editions. When empty, a hash of the text, so that
            the same text under two ids is one work.

    Returns:
        Examples in the order of the text, and one issue `left_out` for each unit that is none, with the reason.

    Source: LitSeg, section 3.2.
    """
    teaching = replace(settings, mode="full")
    name = work or content_id("work", " ".join(document.text.split()))
    stretches = candidates(document, headings=settings.headings, max_words=settings.most_words)
    taught = yield from gather([_taught(stretch, teaching, name) for stretch in stretches])
    kept = tuple(example for example in taught if isinstance(example, TrainingExample))
    return Extraction(kept, tuple(issue for issue in taught if isinstance(issue, Issue)))


def _taught(candidate: Candidate, settings: SegmentSettings, work: str) -> Step[TrainingExample | Issue]:
    proposal, said = yield from _noted(plan_by_model(candidate, settings=settings))
    if proposal.issues:
        return _left_out(candidate, "; ".join(map(str, proposal.issues)))
    events, threads, segments = _last(said, EventsReply), _last(said, ThreadsReply), _last(said, SegmentsReply)
    if events is None or threads is None or segments is None:
        return _left_out(candidate, "the model was not asked about it in all three stages")
    reply = LiteReply(
        events=events.events, threads=threads.threads, turning_points=segments.turning_points, segments=segments.segments
    )
    try:
        return as_example(candidate, reply, settings=settings, work=work)
    except ValueError as problem:
        return _left_out(candidate, str(problem))


def _left_out(candidate: Candidate, reason: str) -> Issue:
    name = repr(candidate.unit.name) if candidate.unit.name else "a unit without a heading"
    return Issue("left_out", f"{name} is no example: {reason}", candidate.source_id)


def _noted(step: Step[T]) -> Step[tuple[T, list[BaseModel]]]:
    """The step, and the replies that its checks accepted, in order.

    A step gets from the runner what its check made of a reply; the reply itself is what a student must learn to write.
    """
    accepted: list[BaseModel] = []
    outcome = Outcome()
    with closing(step):
        while True:
            try:
                request = step.send(outcome.value) if outcome.error is None else step.throw(outcome.error)
            except StopIteration as end:
                return end.value, accepted
            with Outcome() as outcome:
                outcome.value = yield _noting(request, accepted) if isinstance(request, Ask) else request


def _noting(request: Ask[Any], accepted: list[BaseModel]) -> Ask[Any]:
    def check(reply: BaseModel) -> Any:  # noqa: ANN401 - what the request's own check makes
        value = request.checked(reply)
        accepted.append(reply)
        return value

    return replace(request, check=check)


def _last(said: list[BaseModel], kind: type[M]) -> M | None:
    return next((reply for reply in reversed(said) if isinstance(reply, kind)), None)
