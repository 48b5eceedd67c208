"""The plan of a unit by a model: three stages, or one (LitSeg sections 3.1.2 and 3.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from chronotope.errors import CutReply, ReplyError
from chronotope.litseg.candidates import Candidate
from chronotope.litseg.guesses import guessed_events, guessed_threads
from chronotope.litseg.plan import UNIT_UNCUT, PlannedSegment, SegmentPlan
from chronotope.litseg.proposals import Draft, Proposal
from chronotope.litseg.replies import EventsReply, LiteReply, SegmentsReply, ThreadsReply
from chronotope.litseg.rules import plan_by_rules
from chronotope.litseg.settings import SegmentSettings
from chronotope.litseg.stages import most_events, numbered, told_events, told_threads
from chronotope.prompts import Prompt
from chronotope.records import Issue
from chronotope.replies import Rejected
from chronotope.steps import Step, ask
from chronotope.tokens import count_tokens

__all__ = ["plan_by_model"]

_SEGMENT_TOKENS = 70  # of a segment and its turning point in a reply
_ALWAYS_ALLOWED = 2_000  # characters of a stage's result, however short the chapter


def plan_by_model(candidate: Candidate, *, settings: SegmentSettings) -> Step[Proposal]:
    """Let a model divide a unit, and put right what stays wrong.

    A stage is asked at most `attempts` times. Where the reply with the segments is cut at the length limit, its complete
    segments are kept and the model goes on behind them: at most `attempts - 1` more calls, each answered once.

    Args:
        candidate: the unit; one of a single sentence is not asked about.
        settings: the mode (`full` or `lite`), prompts, attempts, length, fallback.

    Returns:
        A usable plan, and an issue for each thing that was repaired, refused or cut. Where no segment of the model was usable, the
        plan is that of the rules, or the whole unit, as `fallback` says.

    Source: LitSeg, section 3.1.2, "Multi-stage Generation" and "Validation, Retry, and Fallback" (which keeps the unit whole).
    """
    if len(candidate) < 2:
        return Proposal(SegmentPlan.whole(len(candidate)))
    proposal = yield from _answered(candidate, settings)
    if settings.fallback == "rules" and any(issue.kind == UNIT_UNCUT for issue in proposal.issues):
        plan = yield from plan_by_rules(candidate, settings=replace(settings.rules, cohesion="lexical"))
        kept = tuple(issue for issue in proposal.issues if issue.kind != UNIT_UNCUT)
        return Proposal(plan, (*kept, Issue("cut_by_rules", "no segment of the model was usable; rules cut the unit")))
    return _readable(candidate, proposal)


def _readable(candidate: Candidate, proposal: Proposal) -> Proposal:
    """The proposal without context sentences that say nothing: a heading, which the metadata name anyway, or a divider."""
    parts: list[PlannedSegment] = []
    issues: list[Issue] = []
    for part in proposal.plan.segments:
        told = tuple(index for index in part.context_idx if candidate.tells(index))
        if dropped := sorted(set(part.context_idx) - set(told)):
            shown = ", ".join(map(str, dropped))
            issues.append(Issue("context_dropped", f"context sentences of {part} that are a heading or a divider: {shown}"))
        parts.append(replace(part, context_idx=told))
    return Proposal(SegmentPlan(tuple(parts)), (*proposal.issues, *issues))


def _answered(candidate: Candidate, settings: SegmentSettings) -> Step[Proposal]:
    """What the stages give, usable."""
    given: dict[str, Any] = {
        "chapter": numbered(candidate),
        "length": settings.length,
        "last": len(candidate),
        "most": most_events(candidate),
    }
    size = _SEGMENT_TOKENS * (1 + len(candidate) // settings.length)
    if settings.mode == "lite":
        told = guessed_events(candidate), guessed_threads(candidate)
        size += sum(count_tokens(guess.model_dump_json()) for guess in told)
        return (yield from _segments(settings.lite_prompt, settings.attempts, given, size))
    events, refused = yield from _settled(_events(candidate, settings, given), "events", told_events(()))
    given |= {"events": events}
    threads, refused_too = yield from _settled(_threads(candidate, settings, given), "threads", told_threads(()))
    given |= {"threads": threads}
    proposal = yield from _segments(settings.segments_prompt, settings.attempts, given, size)
    return replace(proposal, issues=(*refused, *refused_too, *proposal.issues))


def _events(candidate: Candidate, settings: SegmentSettings, given: dict[str, Any]) -> Step[str]:
    def check(reply: EventsReply) -> str:
        return _bounded(told_events(reply.events), "events", given["chapter"])

    guess = guessed_events(candidate)
    size = count_tokens(guess.model_dump_json())
    return ask(
        settings.events_prompt, check=check, attempts=settings.attempts, blank=told_events(guess.events), expected=size, **given
    )


def _threads(candidate: Candidate, settings: SegmentSettings, given: dict[str, Any]) -> Step[str]:
    def check(reply: ThreadsReply) -> str:
        return _bounded(told_threads(reply.threads), "threads", given["chapter"])

    guess = guessed_threads(candidate)
    size = count_tokens(guess.model_dump_json())
    return ask(
        settings.threads_prompt, check=check, attempts=settings.attempts, blank=told_threads(guess.threads), expected=size, **given
    )


def _bounded(told: str, what: str, chapter: str) -> str:
    """The result of a stage, unless it would cost the next stages more than the chapter does."""
    if len(told) > max(len(chapter), _ALWAYS_ALLOWED):
        raise Rejected(f"the {what} are longer than the chapter; keep the important ones, in a few words each")
    return told


def _settled(step: Step[str], what: str, nothing: str) -> Step[tuple[str, tuple[Issue, ...]]]:
    """A stage whose failure does not end the work: what was complete of its reply, or nothing, and an issue."""
    try:
        return (yield from step), ()
    except CutReply as cut:
        kept = cut.partial is not None
        told = f"the list of {what} was cut; {'its complete items' if kept else 'none of it'} went into the next stage"
        return cut.partial if kept else nothing, (Issue("reply_cut", told),)
    except ReplyError as error:
        return nothing, (Issue("reply_refused", f"{error}; the next stage went on without {what}"),)


def _segments(prompt: Prompt[SegmentsReply] | Prompt[LiteReply], attempts: int, given: dict[str, Any], size: int) -> Step[Proposal]:
    """The stage that divides: asked until it is sound, continued where it was cut, repaired where it stays wrong."""
    n: int = given["last"]
    blank = Proposal(SegmentPlan.whole(n))
    settled = Proposal()
    for tries in (attempts, *[1] * (attempts - 1)):
        draft, reached = Draft(n, settled), settled.reach(n)
        try:
            found = yield from ask(
                prompt, check=draft.check, attempts=tries, blank=blank, expected=size, first=reached + 1, **given
            )
            return found.repaired(n)
        except CutReply:
            complete = draft.last or settled
            cut = complete.told(Issue("reply_cut", f"the list of segments was cut behind sentence {complete.reach(n)}"))
            if not reached < cut.reach(n) < n:
                return cut.repaired(n)
            settled = cut.repaired(cut.reach(n))
        except ReplyError as error:
            return (draft.last or settled).told(Issue("reply_refused", str(error))).repaired(n)
    return settled.repaired(n)
