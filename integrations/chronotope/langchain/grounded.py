"""Grounded answers as an LCEL chain: facts and passages, copied proofs, every citation compared (NS-ST-GraphRAG)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import BasePromptTemplate, ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda

from chronotope.langchain.chain_parts import ReaderPart, ReplyText, answer_text, check_inputs, check_model, reply_issues
from chronotope.langchain.convert import DEFAULT_KEYS, to_hits
from chronotope.langchain.models import AnyChat, as_runnable
from chronotope.langchain.prompts import as_chat_prompt
from chronotope.metadata import MetadataKeys
from chronotope.notes import log_issues
from chronotope.records import Hit, Issue
from chronotope.slices.answer.answer import (
    GROUNDED_ANSWER,
    NO_MODEL,
    NO_USABLE,
    NOTHING_FOUND,
    answer_values,
    checked_answer,
    facts_text,
)
from chronotope.slices.answer.context import SliceContext
from chronotope.slices.answer.opening import Opening
from chronotope.slices.documents.from_passages import asked_of, context_of, issues_of, opening_of
from chronotope.text import is_blank

__all__ = ["grounded_chain", "grounded_check", "grounded_prompt"]

_FORM = "reply_form"


def grounded_chain(
    llm: AnyChat | None = None,
    *,
    prompt: BasePromptTemplate[Any] | None = None,
    document_variable_name: str = "context",
    budget_tokens: int = 3_000,
    passage_share: float = 0.5,
    keys: MetadataKeys = DEFAULT_KEYS,
) -> Runnable[dict[str, Any], str]:
    """A chain from `{"input": question, "context": documents}` to an answer with a few copied words as the proof of each statement.

    Facts (from a `SliceRetriever`, or of any store over its documents) are shown with their chapter, story time and place, other
    documents as passages; a plain vector store has passages alone. The model reasons first; only its answer leaves the chain, also
    when it streams. It takes the place of `create_stuff_documents_chain` in `create_retrieval_chain`, and each of its parts is
    traced. Without documents no model is asked; where its reply holds no answer, the best facts stand in its place.
    `grounded_check` compares the citations.

    Args:
        llm: a LangChain model or any runnable that answers a prompt, or a chat model of chronotope; None gives the best facts
            themselves with coordinates and words, and says that no model was used.
        prompt: replaces the package's own (see `grounded_prompt`); without `{reply_form}`, the reply leaves the chain as it comes.
        document_variable_name: key of the documents in the input, and of facts and passages together in the prompt.
        budget_tokens: tokens that facts and passages may take.
        passage_share: share of it for passages, from 0 to 1; all of it where there are no facts.
        keys: where the times of the documents are.

    Raises:
        TypeError: `llm` is a retriever.
        ValueError: a number is out of its range.

    Source: NS-ST-GraphRAG, figures 5 and 6.
    """
    check_model(llm, "grounded_chain")
    desk = _Desk(document_variable_name, budget_tokens, passage_share, keys)
    context_of((), budget_tokens=budget_tokens, passage_share=passage_share)  # what cannot be is told now
    if llm is None:
        answer: Runnable[dict[str, Any], str] = RunnableLambda(replace(desk, names_first=True).facts, name="facts_without_model")
        return answer.with_config(run_name="grounded_chain")
    asked = prompt or grounded_prompt()
    marked = _FORM in asked.input_variables
    replied = asked | as_runnable(llm) | StrOutputParser()

    def answered(inputs: Mapping[str, Any]) -> Runnable[Any, str]:
        context, scope, begins = desk.chosen(inputs)
        if not context.evidence:
            return RunnableLambda(lambda _: NOTHING_FOUND, name="nothing_found")
        part = ReaderPart(lambda: facts_text(context, question=str(inputs["input"]), begins=begins, failed=True), marked=marked)
        filled: Runnable[Any, dict[str, Any]] = RunnableLambda(
            lambda told: desk.filled(told, context, scope), name="facts_and_passages"
        )
        return filled | replied | part.as_runnable()

    return RunnableLambda(answered, name="grounded_chain")


def grounded_prompt() -> ChatPromptTemplate:
    """The package's prompt as a LangChain prompt, to be changed and given back.

    Its variables are `input`, `facts`, `passages`, `scope` and `reply_form`.
    """
    return as_chat_prompt(GROUNDED_ANSWER, {"question": "input"})


def grounded_check(
    *,
    answer_variable_name: str = "answer",
    document_variable_name: str = "context",
    budget_tokens: int = 3_000,
    passage_share: float = 0.5,
    keys: MetadataKeys = DEFAULT_KEYS,
) -> Runnable[dict[str, Any], list[Issue]]:
    """What a careful reader should know of an answer, as issues.

    What the search had to say (`unresolved_time`, `unknown_chapter` and the like), each citation that is not verbatim, or that
    there is none; and, as long as the answer is the text that left the chain, that its reply was not marked (`unmarked_answer`) or
    says that the sources do not tell it (`not_told`).

    It reads the whole answer, so it stands behind the chain and leaves the answer's stream alone:
    `RunnablePassthrough.assign(answer=grounded_chain(llm)) | RunnablePassthrough.assign(issues=grounded_check())`.

    Args:
        answer_variable_name: key of the answer in the input.
        document_variable_name: key of the documents, as given to the chain.
        budget_tokens: as given to the chain.
        passage_share: as given to the chain.
        keys: as given to the chain.
    """
    desk = _Desk(document_variable_name, budget_tokens, passage_share, keys)

    def check(inputs: Mapping[str, Any]) -> list[Issue]:
        answer = answer_text(inputs, answer_variable_name)
        context, _, _ = replace(desk, names_first=NO_MODEL in answer.splitlines()).chosen(inputs)
        told = list(issues_of(desk.hits(inputs)))
        if is_blank(answer):
            return [*told, Issue("reply_refused", "the answer is empty")]
        if NO_USABLE in answer.splitlines():
            return [*told, Issue("reply_refused", "the model gave no usable answer; facts stand in its place")]
        says_it = not isinstance(answer, ReplyText) or answer.is_answer
        return [*told, *checked_answer(answer, context, is_answer=says_it), *reply_issues(answer)]

    return RunnableLambda(check, name="grounded_check")


@dataclass(frozen=True)
class _Desk:
    """What happens between the documents and the prompt."""

    name: str
    budget_tokens: int
    passage_share: float
    keys: MetadataKeys
    names_first: bool = False  # facts that answer by name come before all others

    def filled(self, inputs: Mapping[str, Any], context: SliceContext, scope: str) -> dict[str, Any]:
        """The inputs with facts and passages as text, and with what is known of the question."""
        values = answer_values(str(inputs["input"]), context, asked=scope, streamed=True)
        return {**inputs, **values, self.name: f"{values['facts']}\n\n{values['passages']}"}

    def chosen(self, inputs: Mapping[str, Any]) -> tuple[SliceContext, str, Opening]:
        """What of the documents fits into the budget, what their retriever found the question to ask for, and the first words."""
        hits = self.hits(inputs)
        begins = opening_of(hits, str(inputs["input"]))
        first = begins.facts if self.names_first else ()
        context = context_of(hits, budget_tokens=self.budget_tokens, passage_share=self.passage_share, first=first)
        log_issues("an answer's evidence was chosen", context.issues, level=logging.INFO)
        return context, asked_of(hits), begins

    def hits(self, inputs: Mapping[str, Any]) -> tuple[Hit, ...]:
        """The documents as hits."""
        check_inputs(inputs, self.name)
        return to_hits(inputs[self.name], keys=self.keys)

    def facts(self, inputs: Mapping[str, Any]) -> str:
        """The facts as an extractive answer."""
        context, _, begins = self.chosen(inputs)
        return facts_text(context, question=str(inputs["input"]), begins=begins)
