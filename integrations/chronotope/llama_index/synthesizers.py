"""Answers in order of time as a LlamaIndex response synthesizer (TA-RAG section 4.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from llama_index.core.prompts.base import BasePromptTemplate
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryType

from chronotope.diachronic import ANSWER, Order, Retrieval, answer_messages, evidence_within, timeline_answer
from chronotope.llama_index.answering import Plan, PlannedSynthesizer
from chronotope.llama_index.convert import to_hits
from chronotope.llama_index.models import AnyChat
from chronotope.llama_index.queries import dated_keys
from chronotope.metadata import MetadataKeys
from chronotope.models import Message
from chronotope.records import Evidence, Hit, Passage
from chronotope.temporal import CalendarSettings, QueryScope, Today

__all__ = ["ChronologicalSynthesizer"]

_ENDLESS = 10**9  # tokens: what was chosen already is not cut again


class ChronologicalSynthesizer(PlannedSynthesizer[Plan]):
    """Answers from passages in order of time, each with its dates and a number that the answer cites.

    Passages are chosen by score, cut to the token budget and then put in order. `source_nodes` come back in that order, so
    that `[2]` is `source_nodes[1]`; those that did not fit follow. Nodes that `CitationQueryEngine` has numbered keep its order:
    put a `ChronologicalPostprocessor` before it. `response.metadata["chronotope"]` tells what a careful reader should
    know. A model that answers nothing gives way to a timeline, and an issue says so.

    Args:
        llm: a LlamaIndex model, or a chat model of chronotope; one that cannot stream answers in one piece. Without it, no model
            is used, not even `Settings.llm`: the answer is a timeline of the evidence.
        budget_tokens: tokens that the passages may take; less if the model's context window says so.
        order: how passages are put in line.
        keys: where nodes have their times.
        date: short for `keys=MetadataKeys(date=…)`: the app's own date of writing.
        prompt: replaces the package's own; a template with `{context_str}`, `{query_str}` and, if wanted, `{time_str}`.
        today: the day that "last year" in a question counts from.
        calendar: seasons, fiscal years, date order.
        streaming: answer piece by piece.
        options: whatever else `BaseSynthesizer` takes, such as `empty_response`.
    """

    def __init__(
        self,
        llm: AnyChat | None = None,
        *,
        budget_tokens: int = 3_000,
        order: Order = "events",
        keys: MetadataKeys | None = None,
        date: str | None = None,
        prompt: BasePromptTemplate | None = None,
        today: Today = None,
        calendar: CalendarSettings | None = None,
        streaming: bool = False,
        **options: Any,  # noqa: ANN401 - the framework's own, which differ by version
    ) -> None:
        super().__init__(
            llm,
            base=ANSWER,
            prompt=prompt,
            needs="context",
            budget_tokens=budget_tokens,
            keys=dated_keys(keys, date),
            today=today,
            calendar=calendar,
            streaming=streaming,
            **options,
        )
        self._order = order

    def _plan(self, query: QueryType, nodes: Sequence[NodeWithScore]) -> Plan:
        """Choose by score, cut to the budget, put in order, number."""
        mode = MetadataMode.NONE if self._chat is None else MetadataMode.LLM
        return self._chosen(self._scope(query), to_hits(nodes, keys=self._keys, mode=mode), kept_order=_are_numbered(nodes))

    def _plan_of_texts(self, query: str, texts: Sequence[str]) -> Plan:
        hits = [Hit(Passage(text, id=str(row)), score=-float(row)) for row, text in enumerate(texts)]
        return self._chosen(self._scope(query), hits, kept_order=True)

    def _chosen(self, asked: QueryScope, hits: Sequence[Hit], *, kept_order: bool) -> Plan:
        if self._chat is None:
            told = timeline_answer(Retrieval(asked, tuple(hits)), budget_tokens=self._budget, order=self._order)
            return Plan(asked, told.evidence, list(told.issues), told.text)
        empty = answer_messages(asked.question, (), asked=asked, prompt=self._prompt)
        kept = evidence_within(self._room(empty), hits, order=self._order, within=asked.times)
        evidence = _as_given(kept.items, hits) if kept_order else kept.items
        plan = Plan(asked, evidence, list(kept.issues), fallback=lambda: _timeline(asked, evidence, self._order))
        plan.report["by_model"] = bool(evidence)
        return plan

    def _messages(self, plan: Plan) -> list[Message]:
        return answer_messages(plan.scope.question, plan.evidence, asked=plan.scope, prompt=self._prompt)


def _are_numbered(nodes: Sequence[NodeWithScore]) -> bool:
    """True when a citation engine has written `Source 1:` and so on into the texts: its numbers must stay right."""
    return all(item.text.startswith(f"Source {number}:") for number, item in enumerate(nodes, 1))


def _as_given(evidence: Sequence[Evidence], hits: Sequence[Hit]) -> tuple[Evidence, ...]:
    """The evidence in the order in which the passages came, under the numbers that they have there."""
    numbers = {hit.passage.id: number for number, hit in enumerate(hits, 1)}
    placed = (replace(item, number=numbers[item.passage.id]) for item in evidence)
    return tuple(sorted(placed, key=lambda item: item.number))


def _timeline(asked: QueryScope, evidence: Sequence[Evidence], order: Order) -> str:
    """The evidence as an extractive answer, under the numbers that it has already."""
    hits = tuple(Hit(item.passage, item.score) for item in evidence)
    told = timeline_answer(Retrieval(asked, hits), budget_tokens=_ENDLESS, order=order)
    numbers = {item.passage.id: item.number for item in evidence}
    known = {item.number: numbers[item.passage.id] for item in told.evidence}
    return re.sub(r"^\[(\d+)\]", lambda found: f"[{known[int(found[1])]}]", told.text, flags=re.MULTILINE)
