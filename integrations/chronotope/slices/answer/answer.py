"""Grounded answers: by a model from facts and passages of a slice, with copied proofs, or by the facts themselves."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from chronotope.errors import ReplyError
from chronotope.final_part import MARK, MARK_NOTHING, FinalPart
from chronotope.lexical import words
from chronotope.models import Message
from chronotope.prompts import Prompt
from chronotope.records import Answer, Evidence, Issue
from chronotope.replies import Rejected
from chronotope.slices.answer.asked_for import NOTHING_FOUND, asked_words, nothing_found
from chronotope.slices.answer.context import PASSAGES, LineOrder, SliceContext, slice_context
from chronotope.slices.answer.opening import NO_OPENING, Opening, opening
from chronotope.slices.answer.verify import verify
from chronotope.steps import Step, ask
from chronotope.text import is_blank, sentence_spans

if TYPE_CHECKING:
    from chronotope.slices.retrieve.retrieve import SliceRetrieval

__all__ = [
    "GROUNDED_ANSWER",
    "NOTHING_FOUND",
    "NO_MODEL",
    "NO_USABLE",
    "GroundedReply",
    "answer_messages",
    "answer_values",
    "asked_words",
    "checked_answer",
    "facts_answer",
    "facts_text",
    "grounded_answer",
    "nothing_found",
]

NO_MODEL = "No model was used: these are the facts that fit best."
NO_USABLE = "The model gave no usable answer. These are the facts that fit best."
LINES = 10
_BRIEF = 300  # characters of a citation that an issue repeats
_KINDS: Final = {"mixed": "mixed_citation", "non_verbatim": "non_verbatim_citation", "error": "unknown_citation"}


def _all_asked(schema: dict[str, Any]) -> None:
    """A model is asked for every field, though a reply without some of them can still be read."""
    schema["required"] = list(schema["properties"])


class GroundedReply(BaseModel):
    """What a model answers: how it came there, and the answer with its citations."""

    model_config = ConfigDict(json_schema_extra=_all_asked)

    steps: list[str] = Field(default_factory=list)
    answered: bool = True
    answer: str


GROUNDED_ANSWER: Final = Prompt.load("chronotope.slices", "grounded_answer", GroundedReply)

_JSON = (
    'Reply with JSON. "steps": the steps above, one short sentence each. "answered": false when facts and passages do not tell it. '
    '"answer": the finished answer alone with its citations, for a reader who sees nothing else of your reply.'
)
_TEXT = (
    f"First write the steps, one short line each. Then begin a new line with {MARK} and write the finished answer alone with its "
    f"citations, for a reader who sees nothing before it. If facts and passages do not tell it, begin that line with "
    f"{MARK_NOTHING} and say what is missing."
)


def answer_values(question: str, context: SliceContext, *, asked: str = "", streamed: bool = False) -> dict[str, Any]:
    """What the placeholders of the prompt are filled with, as texts.

    Args:
        question: as the user asked it.
        context: facts and passages.
        asked: chapters, time and places of the question in words; see `asked_words`.
        streamed: the reply is plain text with a marker, not JSON.
    """
    return {
        "question": question.strip(),
        "facts": context.render_facts(),
        "passages": context.render_passages(),
        "scope": asked or "not limited",
        "reply_form": _TEXT if streamed else _JSON,
    }


def answer_messages(
    question: str, context: SliceContext, *, asked: str = "", prompt: Prompt[Any] = GROUNDED_ANSWER
) -> list[Message]:
    """The filled prompt as messages, for callers that stream or call a model themselves.

    The reply is plain text; `chronotope.final_part.FinalPart` takes the answer out of it.
    """
    return prompt.fill(**answer_values(question, context, asked=asked, streamed=True))


def grounded_answer(
    question: str,
    retrieval: SliceRetrieval,
    *,
    budget_tokens: int = 3_000,
    passage_share: float = 0.5,
    order: LineOrder = "rank",
    prompt: Prompt[Any] | None = None,
) -> Step[Answer]:
    """Answer from a slice; every citation is compared with what it cites.

    Args:
        question: as the user asked it.
        retrieval: what `retrieve_slice` found; with nothing found, no model is asked.
        budget_tokens: tokens that facts and passages may take together.
        passage_share: share of it for passages, from 0 to 1.
        order: how the facts are listed; see `slice_context`.
        prompt: replaces the package's own; its reply has the fields of `GroundedReply`.

    Returns:
        The answer. Its evidence is the facts in the order of their numbers, each with its coordinates as `when`, then the passages,
        whose marks begin with P. What `verify` finds wrong with its citations is among the issues; the text stays as it is.

    Raises:
        ValueError: the budget, the share or the order is none that there is.

    Source: NS-ST-GraphRAG, figures 1 (Module C) and 6 (5).
    """
    context = slice_context(retrieval, budget_tokens=budget_tokens, passage_share=passage_share, order=order)
    issues = retrieval.issues + context.issues
    if not context.evidence:
        return Answer(nothing_found(retrieval), by_model=False, issues=issues)
    values = answer_values(question, context, asked=asked_words(retrieval))
    try:
        reply = yield from ask(prompt or GROUNDED_ANSWER, check=_checked, blank=GroundedReply(answer="-"), **values)
    except ReplyError as error:
        told = _told(retrieval, budget_tokens, LINES, failed=True)
        return replace(told, issues=(*told.issues, Issue("reply_refused", str(error))))
    return Answer(reply.answer, context.evidence, issues=issues + checked_answer(reply.answer, context, is_answer=reply.answered))


def checked_answer(text: str, context: SliceContext, *, is_answer: bool = True) -> tuple[Issue, ...]:
    """What a careful reader should know of an answer: citations that do not hold, none at all, or that the sources do not tell it.

    Args:
        text: the answer.
        context: what it could cite.
        is_answer: False when the model says that the sources do not tell it; then nothing needs to be cited.

    Returns:
        `mixed_citation`, `non_verbatim_citation` and `unknown_citation`, one for each citation that is not verbatim; `no_citation`;
        `not_told`.
    """
    ids = {item.mark: item.passage.id for item in context.evidence}
    found = verify(text, context.evidence)
    wrong = [
        Issue(_KINDS[one.kind], f"the citation [{one.mark}] {_brief(one.quote)!r}: {_brief(one.why)}", ids.get(one.mark))
        for one in found
        if one.kind != "verbatim"
    ]
    if not is_answer:
        wrong.append(Issue("not_told", "the model says that the sources do not tell it"))
    elif not found and context.evidence and text.strip():
        wrong.append(Issue("no_citation", "the answer cites none of the facts and passages"))
    return tuple(dict.fromkeys(wrong))


def _brief(text: str) -> str:
    return text if len(text) <= _BRIEF else f"{text[:_BRIEF]}…"


def facts_answer(retrieval: SliceRetrieval, *, budget_tokens: int = 3_000, lines: int = LINES) -> Answer:
    """The best facts themselves with coordinates and words of the text; says that no model was used.

    A question for who, whom, what, when or where over one relation is answered by name first where the slice leaves no doubt; see
    `direct_answer`.

    Args:
        retrieval: what `retrieve_slice` found.
        budget_tokens: tokens that the facts may take.
        lines: largest number of facts.

    Raises:
        ValueError: the budget is below 1.
    """
    return _told(retrieval, budget_tokens, lines)


def _told(retrieval: SliceRetrieval, budget_tokens: int, lines: int, *, failed: bool = False) -> Answer:
    begins = opening(retrieval)
    context = slice_context(retrieval, budget_tokens=budget_tokens, passage_share=0 if retrieval.trace else 1, first=begins.facts)
    issues = retrieval.issues + context.issues
    if not context.evidence:
        return Answer(nothing_found(retrieval), by_model=False, issues=issues)
    kept = context.evidence[: max(1, lines)]
    if fewer := len(context.evidence) - len(kept):
        issues += (Issue("shortened", f"{len(kept)} of {len(kept) + fewer} facts are shown"),)
    return Answer(_said(begins, kept, retrieval.scope.question, failed=failed), kept, by_model=False, issues=issues)


def facts_text(
    context: SliceContext, *, question: str = "", lines: int = LINES, begins: Opening = NO_OPENING, failed: bool = False
) -> str:
    """Facts as an extractive answer, one a line, with coordinates and words; of passages the sentence closest to the question.

    Args:
        context: facts, or passages where there are none.
        question: as it was asked.
        lines: largest number of lines.
        begins: what the answer begins with.
        failed: a model was asked and gave nothing that can be used.
    """
    shown = (context.facts or context.passages)[:lines]
    return _said(begins, shown, question, failed=failed) if shown else NOTHING_FOUND


def _said(begins: Opening, shown: Sequence[Evidence], question: str, *, failed: bool) -> str:
    return "\n".join([*begins.lines(shown), NO_USABLE if failed else NO_MODEL, *_lines(shown, question)])


def _lines(shown: Iterable[Evidence], question: str) -> list[str]:
    return [_told_line(_closest(item, question) if item.series == PASSAGES else item) for item in shown]


def _told_line(item: Evidence) -> str:
    """What a line of evidence says, with its words as its own citation where it has words beside the statement."""
    text = " ".join(item.passage.text.split())
    said = str(item.passage.metadata.get("statement") or "") if item.series != PASSAGES else ""
    proof = f"[{item.mark}]" if said == text else f"[{item.mark} “{text}”]"
    told = [said, f"({item.when})" if item.when else "", proof]
    return " ".join(filter(None, told))


def _closest(item: Evidence, question: str) -> Evidence:
    """A passage cut down to its sentence that shares most words with the question."""
    text, wanted = item.passage.text, set(words(question, asked=True))
    sentences = [text[start:end] for start, end in sentence_spans(text)] or [text]
    best = max(sentences, key=lambda sentence: len(wanted & set(words(sentence))))
    return replace(item, passage=replace(item.passage, text=best))


def _checked(reply: GroundedReply) -> GroundedReply:
    """The answer without a marker that a model put in all the same."""
    final = FinalPart()
    text = final.whole(_unwrapped(reply.answer))
    if is_blank(text):
        raise Rejected("answer is empty")
    return reply.model_copy(update={"answered": reply.answered and final.is_answer, "answer": text})


def _unwrapped(text: str) -> str:
    """The answer of a reply that a model put as a whole into its answer."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        inner = json.loads(text)
    except ValueError:
        return text
    answer = inner.get("answer") if isinstance(inner, dict) else None
    return answer if isinstance(answer, str) else text
