"""Answers from dated evidence: by a model that cites it, or as an extractive timeline when there is no model."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from chronotope.diachronic.context import Order, check_citations, render_context, select_evidence
from chronotope.diachronic.retrieve import Retrieval
from chronotope.errors import ReplyError
from chronotope.models import Message
from chronotope.prompts import Prompt, fence
from chronotope.records import Answer, Evidence, Issue
from chronotope.steps import Step, ask
from chronotope.temporal.scope import QueryScope
from chronotope.text import sentence_spans

__all__ = ["ANSWER", "AnswerText", "answer", "answer_messages", "timeline_answer"]

NO_MODEL = "No model was used: these are the first sentences of the evidence, in order of time."


class AnswerText(BaseModel):
    """What a model answers."""

    answer: str


ANSWER = Prompt.load("chronotope.diachronic", "answer", AnswerText)


def answer_values(question: str, evidence: Sequence[Evidence], asked: QueryScope | None = None) -> dict[str, str]:
    """What the answer prompt is filled with."""
    time = "; ".join(interval.phrase() for interval in asked.times) if asked else ""
    return {"question": question.strip(), "time": time or "not limited", "context": fence(render_context(evidence), "passages")}


def answer_messages(
    question: str, evidence: Sequence[Evidence], *, asked: QueryScope | None = None, prompt: Prompt[AnswerText] = ANSWER
) -> list[Message]:
    """The filled prompt as messages, for callers that stream or call a model themselves; the reply is plain text."""
    return prompt.fill(**answer_values(question, evidence, asked))


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
        reply = yield from ask(prompt, **answer_values(question, evidence, retrieval.scope))
    except ReplyError as error:
        fallback = timeline_answer(retrieval, budget_tokens=budget_tokens, order=order)
        return Answer(fallback.text, fallback.evidence, by_model=False, issues=(*fallback.issues, Issue("reply_refused", str(error))))
    return Answer(reply.answer, evidence, issues=retrieval.issues + check_citations(reply.answer, evidence))


def timeline_answer(retrieval: Retrieval, *, budget_tokens: int = 3_000, order: Order = "events") -> Answer:
    """The evidence itself, one line each in order of time, saying that no model was used."""
    evidence = select_evidence(retrieval.hits, budget_tokens=budget_tokens, order=order)
    if not evidence:
        return Answer("Nothing was found for the asked time.", by_model=False, issues=retrieval.issues)
    lines = [f"[{item.number}] {item.when or 'undated'}: {_first_sentence(item.passage.text)}" for item in evidence]
    return Answer("\n".join([NO_MODEL, *lines]), evidence, by_model=False, issues=retrieval.issues)


def _first_sentence(text: str) -> str:
    stripped = text.strip()
    start, end = sentence_spans(stripped)[0]
    return " ".join(stripped[start:end].split())
