"""Answers from dated evidence: by a model that cites it, or as an extractive timeline when there is no model."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from chronotope.diachronic.context import Order, check_citations, render_context, select_evidence
from chronotope.diachronic.retrieve import Retrieval
from chronotope.diachronic.rules import date_by_rules
from chronotope.errors import ReplyError
from chronotope.lexical import words
from chronotope.models import Message
from chronotope.prompts import Prompt, fence
from chronotope.questions.subject import subject
from chronotope.records import Answer, Evidence, Issue, Passage
from chronotope.steps import Step, ask
from chronotope.temporal.scope import QueryScope
from chronotope.temporal.settings import CalendarSettings
from chronotope.text import sentence_spans

__all__ = ["ANSWER", "AnswerText", "answer", "answer_messages", "timeline_answer"]

NO_MODEL = "No model was used: these are sentences of the evidence itself, in order of time."


class AnswerText(BaseModel):
    """What a model answers."""

    answer: str


ANSWER = Prompt.load("chronotope.diachronic", "answer", AnswerText)


def answer_messages(
    question: str, evidence: Sequence[Evidence], *, asked: QueryScope | None = None, prompt: Prompt[AnswerText] = ANSWER
) -> list[Message]:
    """The filled prompt as messages, for callers that stream or call a model themselves; the reply is plain text."""
    return prompt.fill(question=question.strip(), time=_time_words(asked), context=fence(render_context(evidence), "passages"))


def _time_words(asked: QueryScope | None) -> str:
    return "; ".join(time.phrase() for time in asked.times) if asked and asked.times else "not limited"


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
    evidence = select_evidence(retrieval.hits, budget_tokens=budget_tokens, order=order)
    if not evidence:
        return Answer("Nothing was found for the asked time.", by_model=False, issues=retrieval.issues)
    try:
        context = fence(render_context(evidence), "passages")
        reply = yield from ask(prompt, question=question.strip(), time=_time_words(retrieval.scope), context=context)
    except ReplyError as error:
        fallback = timeline_answer(retrieval, budget_tokens=budget_tokens, order=order)
        return Answer(fallback.text, fallback.evidence, by_model=False, issues=(*fallback.issues, Issue("reply_refused", str(error))))
    return Answer(reply.answer, evidence, issues=retrieval.issues + check_citations(reply.answer, evidence))


def timeline_answer(retrieval: Retrieval, *, budget_tokens: int = 3_000, order: Order = "events") -> Answer:
    """The evidence itself, its most telling sentence a line, in order of time; says that no model was used."""
    evidence = select_evidence(retrieval.hits, budget_tokens=budget_tokens, order=order)
    if not evidence:
        return Answer("Nothing was found for the asked time.", by_model=False, issues=retrieval.issues)
    lines = [f"[{item.number}] {telling_sentence(item.passage, retrieval.scope)}" for item in evidence]
    return Answer("\n".join([NO_MODEL, *lines]), evidence, by_model=False, issues=retrieval.issues)


def telling_sentence(passage: Passage, asked: QueryScope) -> str:
    """The sentence that shares most words with the question and tells of the asked time, behind its date."""
    about = set(words(subject(asked.core), asked=True))
    published = passage.published

    def weight(sentence: str) -> tuple[int, int]:
        times = date_by_rules(sentence, published=published, calendar=CalendarSettings()).times
        inside = any(time.overlaps(wanted) for time in times for wanted in asked.times)
        return (len(about & set(words(sentence))) + inside, inside)

    sentences = [" ".join(passage.text[start:end].split()) for start, end in sentence_spans(passage.text)]
    best = max((s for s in sentences if s), key=weight, default="")
    told = date_by_rules(best, published=published, calendar=CalendarSettings()).times or passage.told_times
    in_scope = [time for time in told if any(time.overlaps(wanted) for wanted in asked.times)] or list(told)
    return f"{in_scope[0].phrase() if in_scope else 'undated'}: {best}"
