"""Time-CoT as an LCEL chain: reasoning over a timeline of events, and the answer alone (DyG-RAG section 3.5)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import BasePromptTemplate, ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda

from chronotope.events.answer.answer import (
    NO_USABLE,
    NOTHING_FOUND,
    TIME_COT,
    TIME_COT_OFF,
    ClassChoice,
    answer_values,
    checked_answer,
    timeline_text,
)
from chronotope.events.answer.shown import Shown, scope_issues, shown_within
from chronotope.events.retrieve.from_passages import Materials, as_retrieved, materials
from chronotope.langchain.chain_parts import ReaderPart, ReplyText, answer_text, check_inputs, check_model, reply_issues
from chronotope.langchain.convert import DEFAULT_KEYS, to_hits
from chronotope.langchain.models import AnyChat, as_runnable
from chronotope.langchain.prompts import as_chat_prompt
from chronotope.metadata import MetadataKeys
from chronotope.notes import log_issues
from chronotope.records import Issue
from chronotope.temporal import CalendarSettings, QueryScope, Today, parse_scope
from chronotope.text import is_blank

__all__ = ["time_cot_chain", "time_cot_check", "time_cot_prompt"]

DEFAULT_CALENDAR = CalendarSettings()
_FORM = "reply_form"


def time_cot_chain(
    llm: AnyChat | None = None,
    *,
    prompt: BasePromptTemplate[Any] | None = None,
    document_variable_name: str = "context",
    budget_tokens: int = 3_000,
    passage_share: float | None = 0.5,
    classes: ClassChoice = "rules",
    cot: bool = True,
    keys: MetadataKeys = DEFAULT_KEYS,
    today: Today = None,
    calendar: CalendarSettings = DEFAULT_CALENDAR,
) -> Runnable[dict[str, Any], str]:
    """A chain from `{"input": question, "context": documents}` to an answer reasoned over a timeline, with its events cited.

    Event units (from an `EventGraphRetriever`, or from any retriever over what an `EventUnitTransformer` made) become the timeline,
    other documents the passages; where no event unit is among them, rules find the events that they tell of. The model reasons
    first; only its answer leaves the chain, also when it streams, so the first piece comes later than with other chains. It takes
    the place of `create_stuff_documents_chain` in `create_retrieval_chain`, and each of its parts is traced. Without documents no
    model is asked; where its reply holds no answer, the best events stand in its place, and the first line says so.

    Args:
        llm: a LangChain model or any runnable that answers a prompt, or a chat model of chronotope; None gives the best events
            themselves in order of time, and says that no model was used.
        prompt: replaces the package's own (see `time_cot_prompt`); without `{reply_form}`, the reply leaves the chain as it comes.
        document_variable_name: key of the documents in the input, and of timeline and passages together in the prompt.
        budget_tokens: tokens that events and passages may take.
        passage_share: share of it for passages, from 0 to 1; None spends every token where it is worth most, timeline
            or not. Without a model, events alone are shown.
        classes: the kind of question, which decides how it is reasoned about: by `rules`, chosen by the `model`, or named.
        cot: reason in steps over the timeline; else a plain prompt over the same evidence, for comparison.
        keys: where the times of the documents are.
        today: the day that "last year" in a question counts from.
        calendar: seasons, fiscal years, date order.

    Raises:
        TypeError: `llm` is a retriever.
        ValueError: `classes` is no kind of question, or a number is out of its range.

    Source: DyG-RAG, section 3.5 (3).
    """
    check_model(llm, "time_cot_chain")
    desk = _Desk(document_variable_name, budget_tokens, passage_share, keys, today, calendar, classes, cot)
    desk.values("", Shown(), parse_scope(""))  # what cannot be is told now, not with the first question
    shown_within(budget_tokens, Shown().timeline, passage_share=passage_share)
    if llm is None:
        events_alone = replace(desk, passage_share=0)
        answer: Runnable[dict[str, Any], str] = RunnableLambda(events_alone.timeline, name="timeline_without_model")
        return answer.with_config(run_name="time_cot_chain")
    asked = prompt or time_cot_prompt(cot=cot)
    marked = cot and _FORM in asked.input_variables
    replied = asked | as_runnable(llm) | StrOutputParser()

    def answered(inputs: Mapping[str, Any]) -> Runnable[Any, str]:
        scope, given, shown = desk.chosen(inputs)
        if not shown.evidence:
            return RunnableLambda(lambda _: NOTHING_FOUND, name="nothing_found")
        part = ReaderPart(lambda: timeline_text(shown, scope.times, known=given.timeline, failed=True), marked=marked)
        filled: Runnable[Any, dict[str, Any]] = RunnableLambda(
            lambda told: desk.filled(told, shown, scope), name="timeline_and_passages"
        )
        return filled | replied | part.as_runnable()

    return RunnableLambda(answered, name="time_cot_chain")


def time_cot_prompt(*, cot: bool = True) -> ChatPromptTemplate:
    """The package's prompt as a LangChain prompt, to be changed and given back.

    Its variables are `input`, `timeline`, `passages`, `asked_time`, `question_class`, `method` and `reply_form`.

    Args:
        cot: the one that reasons in steps; else the plain one.
    """
    return as_chat_prompt(TIME_COT if cot else TIME_COT_OFF, {"question": "input", "time": "asked_time"})


def time_cot_check(
    *,
    answer_variable_name: str = "answer",
    document_variable_name: str = "context",
    budget_tokens: int = 3_000,
    passage_share: float | None = 0.5,
    keys: MetadataKeys = DEFAULT_KEYS,
) -> Runnable[dict[str, Any], list[Issue]]:
    """What a careful reader should know of an answer, as issues.

    Wrong or missing citations, an answer that is empty or in whose place events stand (`reply_refused`), an asked time in which no
    event lies (`empty_window`), and a clause of the question that was not placed.

    It reads the whole answer, so it stands behind the chain and leaves the answer's stream alone:
    `RunnablePassthrough.assign(answer=time_cot_chain(llm)) | RunnablePassthrough.assign(issues=time_cot_check())`.

    Args:
        answer_variable_name: key of the answer in the input.
        document_variable_name: key of the documents, as given to the chain.
        budget_tokens: as given to the chain.
        passage_share: as given to the chain; 0 behind one without a model.
        keys: as given to the chain.
    """
    desk = _Desk(document_variable_name, budget_tokens, passage_share, keys, None, DEFAULT_CALENDAR, "rules", cot=True)

    def check(inputs: Mapping[str, Any]) -> list[Issue]:
        answer = answer_text(inputs, answer_variable_name)
        scope, given, shown = desk.chosen(inputs)
        told = list(scope_issues(scope, given.timeline))
        if is_blank(answer):
            return [*told, Issue("reply_refused", "the answer is empty")]
        if answer.startswith(NO_USABLE):
            told.append(Issue("reply_refused", "the model gave no usable answer; events stand in its place"))
        says_it = not isinstance(answer, ReplyText) or answer.is_answer
        return [*told, *checked_answer(answer, shown, is_answer=says_it), *reply_issues(answer)]

    return RunnableLambda(check, name="time_cot_check")


@dataclass(frozen=True)
class _Desk:
    """What happens between the documents and the prompt."""

    name: str
    budget_tokens: int
    passage_share: float | None
    keys: MetadataKeys
    today: Today
    calendar: CalendarSettings
    classes: ClassChoice
    cot: bool

    def filled(self, inputs: Mapping[str, Any], shown: Shown, asked: QueryScope) -> dict[str, Any]:
        """The inputs with timeline and passages as text, and with what a model is told about the question."""
        values = self.values(str(inputs["input"]), shown, asked)
        together = f"{values['timeline']}\n\n{values['passages']}"
        return {**inputs, **values, "asked_time": values["time"], self.name: together}

    def values(self, question: str, shown: Shown, asked: QueryScope) -> dict[str, Any]:
        """What the placeholders of the prompt are filled with."""
        return answer_values(question, shown, asked=asked, classes=self.classes, cot=self.cot, streamed=True)

    def chosen(self, inputs: Mapping[str, Any]) -> tuple[QueryScope, Materials, Shown]:
        """The question taken apart, what was found for it, and what of that fits into the budget."""
        check_inputs(inputs, self.name)
        hits = to_hits(inputs[self.name], keys=self.keys)
        asked = as_retrieved(parse_scope(str(inputs["input"]), today=self.today, settings=self.calendar), hits)
        given = materials(hits, asked)
        share = self.passage_share
        shown = shown_within(
            self.budget_tokens, given.timeline, given.passages, given.homes, passage_share=share, within=asked.times
        )
        issues = (*scope_issues(asked, given.timeline), *shown.issues)
        log_issues("an answer's evidence was chosen", issues, level=logging.INFO)
        return asked, given, shown

    def timeline(self, inputs: Mapping[str, Any]) -> str:
        """The events as an extractive answer."""
        asked, given, shown = self.chosen(inputs)
        return timeline_text(shown, asked.times, known=given.timeline)
