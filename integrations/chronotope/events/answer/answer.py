"""Time-CoT: answers reasoned step by step over a timeline of events and their passages, or the timeline itself without a model.

A reply in JSON has the reasoning in a field of its own, and only the answer is passed on. Where a reply is streamed as plain text,
the reasoning comes first and the answer behind a marker (see `FinalPart`): a model that answers first reasons no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field

from chronotope.errors import ReplyError
from chronotope.events.answer.classes import HEURISTICS, QuestionClass, question_class
from chronotope.events.answer.shown import Shown, check_marks, lies_outside, shown_within, under_numbers
from chronotope.events.answer.timeline import Entry, Timeline
from chronotope.events.retrieve.clauses import ResolvedClause
from chronotope.events.retrieve.retrieve import EventRetrieval
from chronotope.final_part import MARK, MARK_NOTHING, FinalPart
from chronotope.models import Message
from chronotope.prompts import Prompt
from chronotope.records import Answer, Issue
from chronotope.replies import Rejected
from chronotope.steps import Step, ask
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.scope import QueryScope
from chronotope.text import is_blank

__all__ = [
    "TIME_COT",
    "TIME_COT_OFF",
    "ClassChoice",
    "PlainReply",
    "ReasonedReply",
    "answer_messages",
    "answer_values",
    "checked_answer",
    "events_answer",
    "timeline_answer",
    "timeline_text",
]

ClassChoice: TypeAlias = Literal["rules", "model"] | QuestionClass
NO_MODEL = "No model was used: these are the events that fit best, in order of time."
NO_USABLE = "The model gave no usable answer. These are the events that fit best, in order of time."
NOTHING_FOUND = "Nothing was found for the question and the time it asks about."
LINES = 10


def _all_asked(schema: dict[str, Any]) -> None:
    """A model is asked for every field, though a reply without some of them can still be read."""
    schema["required"] = list(schema["properties"])


class ReasonedReply(BaseModel):
    """What a model answers when it reasons first."""

    model_config = ConfigDict(json_schema_extra=_all_asked)

    steps: list[str] = Field(default_factory=list)
    answered: bool = True
    answer: str


class PlainReply(BaseModel):
    """What a model answers when it does not."""

    model_config = ConfigDict(json_schema_extra=_all_asked)

    answered: bool = True
    answer: str


TIME_COT: Final = Prompt.load("chronotope.events", "time_cot", ReasonedReply)
TIME_COT_OFF: Final = Prompt.load("chronotope.events", "time_cot_off", PlainReply)
"""The same question without timeline and steps, to measure what they add."""

_JSON = (
    'Reply with JSON. {steps}"answered": false when the sources do not tell it. "answer": the finished answer alone, for a reader '
    "who sees nothing else of your reply."
)
_JSON_STEPS = '"steps": the steps above, one short sentence each. '
_TEXT = (
    f"First write the steps, one short line each. Then begin a new line with {MARK} and write the finished answer alone, for a "
    f"reader who sees nothing before it. If the sources do not tell it, begin that line with {MARK_NOTHING} and say what is "
    "missing."
)


def answer_values(
    question: str,
    shown: Shown,
    *,
    asked: QueryScope | None = None,
    clauses: Sequence[ResolvedClause] = (),
    classes: ClassChoice = "rules",
    cot: bool = True,
    streamed: bool = False,
) -> dict[str, Any]:
    """What the placeholders of the prompts are filled with, as texts.

    Args:
        question: as the user asked it.
        shown: events and passages.
        asked: the question taken apart.
        clauses: how clauses of the question were read.
        classes: the kind of question: by `rules`, chosen by the `model` from all of them, or named.
        cot: the timeline in order; else sentences by score.
        streamed: the reply is plain text with a marker, not JSON.

    Raises:
        ValueError: there is no such kind of question.
    """
    kind, method = _method(question, asked, classes)
    form = (_TEXT if cot else "") if streamed else _JSON.format(steps=_JSON_STEPS if cot else "")
    return {
        "question": question.strip(),
        "time": _time(asked, clauses),
        "timeline": shown.render_timeline() if cot else shown.render_by_score(),
        "passages": shown.render_passages(),
        "question_class": kind,
        "method": method,
        "reply_form": form,
    }


def answer_messages(
    question: str,
    shown: Shown,
    *,
    asked: QueryScope | None = None,
    clauses: Sequence[ResolvedClause] = (),
    classes: ClassChoice = "rules",
    cot: bool = True,
    prompt: Prompt[Any] | None = None,
) -> list[Message]:
    """The filled prompt as messages, for callers that stream or call a model themselves.

    The reply is plain text; with `cot`, `FinalPart` takes the answer out of it.
    """
    values = answer_values(question, shown, asked=asked, clauses=clauses, classes=classes, cot=cot, streamed=True)
    return (prompt or _own(cot=cot)).fill(**values)


def events_answer(
    question: str,
    retrieval: EventRetrieval,
    *,
    budget_tokens: int = 3_000,
    passage_share: float | None = 0.5,
    classes: ClassChoice = "rules",
    cot: bool = True,
    prompt: Prompt[Any] | None = None,
) -> Step[Answer]:
    """Answer from a timeline and its passages; what is cited is checked against what was shown.

    Args:
        question: as the user asked it.
        retrieval: what `retrieve_events` found; with nothing found, no model is asked.
        budget_tokens: tokens that events and passages may take together.
        passage_share: share of it for passages, from 0 to 1; None spends every token where it is worth most, timeline or not.
        classes: the kind of question: by `rules`, chosen by the `model`, or named.
        cot: reason in steps over the timeline; else the plain prompt, for comparison.
        prompt: replaces the package's own; its reply has the fields of `ReasonedReply` or `PlainReply`.

    Returns:
        The answer. Its evidence is the events in the order of their numbers, then the passages, whose marks begin with P.

    Raises:
        ValueError: there is no such kind of question, or a number is out of its range.

    Source: DyG-RAG, section 3.5 (3).
    """
    shown = shown_within(
        budget_tokens,
        retrieval.timeline,
        retrieval.passages,
        retrieval.homes,
        passage_share=passage_share,
        within=retrieval.scope.times,
    )
    issues = retrieval.issues + shown.issues
    if not shown.evidence:
        return Answer(NOTHING_FOUND, by_model=False, issues=issues)
    values = answer_values(question, shown, asked=retrieval.scope, clauses=retrieval.clauses, classes=classes, cot=cot)
    own = prompt or _own(cot=cot)
    try:
        reply = yield from ask(own, check=_checked, blank=PlainReply(answer="-"), **values)
    except ReplyError as error:
        told = _told(retrieval, budget_tokens, LINES, failed=True)
        return replace(told, issues=(*told.issues, Issue("reply_refused", str(error))))
    return Answer(reply.answer, shown.evidence, issues=issues + checked_answer(reply.answer, shown, is_answer=reply.answered))


def checked_answer(text: str, shown: Shown, *, is_answer: bool = True) -> tuple[Issue, ...]:
    """What a careful reader should know of an answer: wrong or missing citations, or that the sources do not tell it.

    Args:
        text: the answer.
        shown: what it could cite.
        is_answer: False when the model says that the sources do not tell it; then nothing needs to be cited.
    """
    wrong = check_marks(text, shown)
    if is_answer:
        return wrong
    return (
        *(issue for issue in wrong if issue.kind != "no_citation"),
        Issue("not_told", "the model says that the sources do not tell it"),
    )


def timeline_answer(retrieval: EventRetrieval, *, budget_tokens: int = 3_000, lines: int = LINES) -> Answer:
    """The best events themselves, one a line in order of time; says that no model was used.

    Args:
        retrieval: what `retrieve_events` found.
        budget_tokens: tokens that the events may take.
        lines: largest number of events; those that lie in the asked time come before all others.

    Returns:
        The answer. Events keep the numbers of `retrieval.timeline`.
    """
    return _told(retrieval, budget_tokens, lines)


def _told(retrieval: EventRetrieval, budget_tokens: int, lines: int, *, failed: bool = False) -> Answer:
    shown = shown_within(budget_tokens, retrieval.timeline, passage_share=0)
    told = _best(shown.timeline, retrieval.scope.times, lines)
    kept = under_numbers(shown.timeline, {entry.event.id for entry in told})
    fewer = len(shown.timeline) - len(kept)
    issues = (Issue("shortened", f"{len(kept)} of {len(shown.timeline)} events are shown"),) if fewer else ()
    text = timeline_text(Shown(kept), retrieval.scope.times, lines=lines, known=retrieval.timeline, failed=failed)
    return Answer(text, Shown(kept).evidence, by_model=False, issues=retrieval.issues + shown.issues + issues)


def timeline_text(
    shown: Shown,
    within: Sequence[TimeInterval] = (),
    *,
    lines: int = LINES,
    known: Timeline | None = None,
    failed: bool = False,
) -> str:
    """The best events as an extractive answer, in order and under the numbers that they have; passages where no event is shown.

    Args:
        shown: the events and passages.
        within: the asked times; where no event lies in them, the answer says so first.
        lines: largest number of events.
        known: all events that were found, also those that are not shown.
        failed: a model was asked and gave nothing that can be used.
    """
    told = [(str(entry.number), _when(entry), entry.event.text) for entry in _best(shown.timeline, within, lines)]
    told = told or [(item.mark, item.when or "undated", item.passage.text) for item in shown.passages[:lines]]
    if not told:
        return NOTHING_FOUND
    outside = lies_outside(known or shown.timeline, within)
    none = [f"No event lies {'; '.join(time.phrase() for time in within)}; those below fit best otherwise."] if outside else []
    head = [NO_USABLE, *none] if failed else [*none, NO_MODEL]
    return "\n".join([*head, *(f"[{mark}] {time}: {' '.join(text.split())}" for mark, time, text in told)])


def _best(timeline: Timeline, within: Sequence[TimeInterval], lines: int) -> list[Entry]:
    def rank(entry: Entry) -> tuple[bool, float, int]:
        inside = any(time.overlaps(asked) for time in entry.event.times for asked in within)
        return (bool(within) and not inside, -entry.score, entry.number)

    return sorted(sorted(timeline.entries, key=rank)[:lines], key=lambda entry: entry.number)


def _when(entry: Entry) -> str:
    """The time of a line in words: the one at which the event stands on the timeline."""
    if entry.event.static:
        return "at all times"
    if entry.placed is None:
        return "undated"
    return entry.placed.phrase() if entry.event.times else f"undated, near {entry.placed}"


def _own(*, cot: bool) -> Prompt[Any]:
    return TIME_COT if cot else TIME_COT_OFF


def _checked(reply: PlainReply | ReasonedReply) -> PlainReply:
    """The answer without a marker that a model put in all the same."""
    final = FinalPart()
    text = final.whole(reply.answer)
    if is_blank(text):
        raise Rejected("answer is empty")
    return PlainReply(answered=reply.answered and final.is_answer, answer=text)


def _method(question: str, asked: QueryScope | None, classes: ClassChoice) -> tuple[str, str]:
    """Name and heuristic of the kind of question; all of them where the model is to choose."""
    if classes == "model":
        told = "\n".join(f"- {kind}: {heuristic}" for kind, heuristic in HEURISTICS.items())
        return f"one of {', '.join(HEURISTICS)}; say in step 6 which one it is", f"that of the kind you chose:\n{told}"
    if classes != "rules" and classes not in get_args(QuestionClass):
        known = ", ".join(("rules", "model", *get_args(QuestionClass)))
        raise ValueError(f"classes must be one of {known}, not {classes!r}")
    kind = question_class(question, asked) if classes == "rules" else classes
    return kind, HEURISTICS[kind]


def _time(asked: QueryScope | None, clauses: Sequence[ResolvedClause]) -> str:
    if asked is None or not (asked.times or asked.published_times):
        return "not limited"
    told = [time.phrase() for time in asked.times]
    told += [f"sources written {time.phrase()}" for time in asked.published_times]
    read = [f"{one.clause.text!r} is read as {' '.join(one.event.text.split())!r}" for one in clauses if one.event and one.time]
    return "; ".join([*told, *read])
