"""An answer from dated passages as an LCEL chain."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import BasePromptTemplate, ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda

from chronotope.diachronic import ANSWER, Order, Retrieval, answer_values, check_citations, evidence_within, timeline_answer
from chronotope.langchain.chain_parts import answer_text
from chronotope.langchain.convert import DEFAULT_KEYS, to_hits
from chronotope.langchain.models import AnyChat, as_runnable
from chronotope.langchain.prompts import as_chat_prompt
from chronotope.metadata import MetadataKeys
from chronotope.notes import log_issues
from chronotope.records import Evidence, Extraction, Issue
from chronotope.temporal import CalendarSettings, QueryScope, Today, parse_scope
from chronotope.text import is_blank

__all__ = ["chronological_chain", "chronological_prompt", "citation_check"]

DEFAULT_CALENDAR = CalendarSettings()


def chronological_chain(
    llm: AnyChat | None = None,
    *,
    prompt: BasePromptTemplate[Any] | None = None,
    document_variable_name: str = "context",
    budget_tokens: int = 3_000,
    order: Order = "events",
    keys: MetadataKeys = DEFAULT_KEYS,
    today: Today = None,
    calendar: CalendarSettings = DEFAULT_CALENDAR,
) -> Runnable[dict[str, Any], str]:
    """A chain from `{"input": question, "context": documents}` to an answer that follows the order of time and cites its passages.

    Documents are chosen by score, cut to the budget, put in order of time, numbered and shown with their dates. The chain takes the
    place of `create_stuff_documents_chain` in `create_retrieval_chain`, streams token by token, and each of its parts is traced.

    Args:
        llm: a LangChain model or any runnable that answers a prompt, or a chat model of chronotope; None gives an extractive
            timeline that says that no model was used.
        prompt: replaces the package's own; it may use `{input}`, the document variable, `{asked_time}` and any other input.
        document_variable_name: key of the documents in the input, and of their text in the prompt.
        budget_tokens: tokens that the passages may take; the best one always stays.
        order: how the passages are put in line.
        keys: where the times of the documents are.
        today: the day that "last year" in a question counts from.
        calendar: seasons, fiscal years, date order.
    """
    desk = _Desk(document_variable_name, budget_tokens, order, keys, today, calendar)
    if llm is None:
        answer: Runnable[dict[str, Any], str] = RunnableLambda(desk.timeline, name="timeline_without_model")
    else:
        dated = RunnableLambda(desk.filled, name="dated_passages")
        answer = dated | (prompt or chronological_prompt(document_variable_name)) | as_runnable(llm) | StrOutputParser()
    return answer.with_config(run_name="chronological_chain")


def chronological_prompt(document_variable_name: str = "context") -> ChatPromptTemplate:
    """The package's answer prompt as a LangChain prompt over `input`, `asked_time` and the document variable."""
    return as_chat_prompt(ANSWER, {"question": "input", "time": "asked_time", "context": document_variable_name})


def citation_check(
    *,
    answer_variable_name: str = "answer",
    document_variable_name: str = "context",
    budget_tokens: int = 3_000,
    keys: MetadataKeys = DEFAULT_KEYS,
) -> Runnable[dict[str, Any], list[Issue]]:
    """What is wrong with the citations of an answer: numbers that no passage has, or none at all; or that it is empty.

    It reads the whole answer, so it stands behind the chain and leaves the answer's stream alone:
    `RunnablePassthrough.assign(answer=chronological_chain(llm)) | RunnablePassthrough.assign(issues=citation_check())`.

    Args:
        answer_variable_name: key of the answer in the input.
        document_variable_name: key of the documents, as given to the chain.
        budget_tokens: as given to the chain.
        keys: as given to the chain.
    """
    desk = _Desk(document_variable_name, budget_tokens, "events", keys, None, DEFAULT_CALENDAR)

    def check(inputs: Mapping[str, Any]) -> list[Issue]:
        answer = answer_text(inputs, answer_variable_name)
        if is_blank(answer):
            return [Issue("reply_refused", "the answer is empty")]
        return list(check_citations(answer, desk.evidence(inputs).items))

    return RunnableLambda(check, name="citation_check")


@dataclass(frozen=True)
class _Desk:
    """What happens between the documents and the prompt."""

    name: str
    budget_tokens: int
    order: Order
    keys: MetadataKeys
    today: Today
    calendar: CalendarSettings

    def filled(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The inputs with the documents as dated text, and with the asked time in words."""
        kept = self.evidence(inputs)
        log_issues("an answer's evidence was chosen", kept.issues, level=logging.INFO)
        values = answer_values(str(inputs["input"]), kept.items, self._asked(inputs))
        return {**inputs, self.name: values["context"], "asked_time": values["time"]}

    def evidence(self, inputs: Mapping[str, Any]) -> Extraction[Evidence]:
        """The documents as numbered evidence."""
        hits = to_hits(inputs[self.name], keys=self.keys)
        return evidence_within(self.budget_tokens, hits, order=self.order, within=self._asked(inputs).times)

    def timeline(self, inputs: Mapping[str, Any]) -> str:
        """The documents as an extractive answer."""
        retrieval = Retrieval(self._asked(inputs), to_hits(inputs[self.name], keys=self.keys))
        return timeline_answer(retrieval, budget_tokens=self.budget_tokens, order=self.order).text

    def _asked(self, inputs: Mapping[str, Any]) -> QueryScope:
        return parse_scope(str(inputs["input"]), today=self.today, settings=self.calendar)
