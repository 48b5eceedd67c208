"""Answers from dated evidence: by a model that cites it, or as an extractive timeline when there is no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from chronotope.dating import date_by_rules
from chronotope.diachronic.retrieve import Retrieval
from chronotope.errors import ReplyError
from chronotope.evidence import Order, check_citations, evidence_within, render_context
from chronotope.lexical import words
from chronotope.models import Message
from chronotope.prompts import Prompt, fence
from chronotope.questions.subject import subject
from chronotope.records import Answer, Evidence, Issue, Passage
from chronotope.replies import Rejected
from chronotope.steps import Step, ask
from chronotope.temporal.expressions import DEFAULTS
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.scope import QueryScope
from chronotope.temporal.settings import CalendarSettings
from chronotope.text import sentence_spans

__all__ = ["ANSWER", "AnswerText", "answer", "answer_messages", "answer_values", "timeline_answer"]

_ENDS = tuple(".!?…。！？.”\"’')")
NO_MODEL = "No model was used: these are sentences of the evidence itself, in order of time."


class AnswerText(BaseModel):
    """What a model answers."""

    answer: str


ANSWER = Prompt.load("chronotope.diachronic", "answer", AnswerText)


def answer_messages(
    question: str, evidence: Sequence[Evidence], *, asked: QueryScope | None = None, prompt: Prompt[AnswerText] = ANSWER
) -> list[Message]:
    """The filled prompt as messages, for callers that stream or call a model themselves; the reply is plain text."""
    return prompt.fill(**answer_values(question, evidence, asked))


def answer_values(question: str, evidence: Sequence[Evidence], asked: QueryScope | None = None) -> dict[str, Any]:
    """What the placeholders of the answer prompt are filled with, as texts."""
    time = "; ".join(interval.phrase() for interval in asked.times) if asked else ""
    return {"question": question.strip(), "time": time or "not limited", "context": fence(render_context(evidence), "passages")}


def answer(
    question: str,
    retrieval: Retrieval,
    *,
    budget_tokens: int = 3_000,
    order: Order = "events",
    prompt: Prompt[AnswerText] = ANSWER,
) -> Step[Answer]:
    """Answer from what was retrieved; numbers cited are checked against the evidence.

    Args:
        question: as the user asked it.
        retrieval: what `retrieve` found; with no hits, no model is asked.
        budget_tokens: tokens that the evidence may take.
        order: how the evidence is put in line.
        prompt: replaces the package's own.

    Source: TA-RAG section 4.4.
    """
    kept = evidence_within(budget_tokens, retrieval.hits, order=order, within=retrieval.scope.times)
    evidence, issues = kept.items, retrieval.issues + kept.issues
    if not evidence:
        return Answer("Nothing was found for the asked time.", by_model=False, issues=issues)
    try:
        reply = yield from ask(prompt, check=_not_blank, **answer_values(question, evidence, retrieval.scope))
    except ReplyError as error:
        fallback = timeline_answer(retrieval, budget_tokens=budget_tokens, order=order)
        return Answer(
            fallback.text, fallback.evidence, by_model=False, issues=(*fallback.issues, Issue("reply_refused", str(error)))
        )
    return Answer(reply.answer, evidence, issues=issues + check_citations(reply.answer, evidence))


def _not_blank(reply: AnswerText) -> AnswerText:
    if not reply.answer.strip():
        raise Rejected("answer is empty")
    return reply


def timeline_answer(retrieval: Retrieval, *, budget_tokens: int = 3_000, order: Order = "events") -> Answer:
    """The evidence itself, its most telling sentence a line, in order of time; says that no model was used."""
    kept = evidence_within(budget_tokens, retrieval.hits, order=order, within=retrieval.scope.times)
    issues = retrieval.issues + kept.issues
    if not kept.items:
        return Answer("Nothing was found for the asked time.", by_model=False, issues=issues)
    told = [(item, *telling_sentence(item.passage, retrieval.scope, calendar=retrieval.calendar)) for item in kept.items]
    if order == "events":
        told.sort(key=lambda line: (line[1] is None, line[1].envelope if line[1] else (0, 0)))
    numbered = tuple(replace(item, number=number) for number, (item, _, _) in enumerate(told, 1))
    lines = [f"[{number}] {time.phrase() if time else 'undated'}: {text}" for number, (_, time, text) in enumerate(told, 1)]
    return Answer("\n".join([NO_MODEL, *lines]), numbered, by_model=False, issues=issues)


def telling_sentence(
    passage: Passage, asked: QueryScope, *, calendar: CalendarSettings = DEFAULTS
) -> tuple[TimeInterval | None, str]:
    """Of the sentences that tell of the asked time, or of all, the one that shares most words with the question, and its time."""
    about = set(words(subject(asked.core), asked=True))
    sentences = [" ".join(passage.text[start:end].split()) for start, end in sentence_spans(passage.text)]
    whole = [sentence for sentence in sentences if sentence.endswith(_ENDS)] or sentences
    dated = [(sentence, _times(sentence, passage, calendar)) for sentence in whole]
    weighed = [(bool(_in_scope(told, asked)), len(about & set(words(sentence))), not told) for sentence, told in dated]
    best, told = dated[max(range(len(dated)), key=weighed.__getitem__)] if dated else ("", ())
    times = _in_scope(told, asked) or told or _in_scope(passage.told_times, asked) or passage.told_times
    return (times[0] if times else None), best


def _times(sentence: str, passage: Passage, calendar: CalendarSettings) -> tuple[TimeInterval, ...]:
    return tuple(e.interval for e in date_by_rules(sentence, published=passage.published, calendar=calendar).placed)


def _in_scope(times: Sequence[TimeInterval], asked: QueryScope) -> tuple[TimeInterval, ...]:
    return tuple(time for time in times if any(time.overlaps(wanted) for wanted in asked.times))
