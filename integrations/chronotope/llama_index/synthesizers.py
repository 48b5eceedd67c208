"""Answers in order of time as a LlamaIndex response synthesizer (TA-RAG section 4.4)."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from llama_index.core.base.response.schema import RESPONSE_TYPE
from llama_index.core.llms import LLM, MockLLM
from llama_index.core.prompts.base import BasePromptTemplate
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.response_synthesizers import BaseSynthesizer
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, QueryType
from llama_index.core.types import RESPONSE_TEXT_TYPE

from chronotope.diachronic import ANSWER, Order, Retrieval, answer_messages, check_citations, evidence_within, timeline_answer
from chronotope.llama_index.convert import to_hits
from chronotope.llama_index.models import AnyChat, LlamaIndexChat, as_chat
from chronotope.llama_index.prompts import as_prompt, as_template
from chronotope.metadata import MetadataKeys
from chronotope.models import Message
from chronotope.records import Evidence, Hit, Issue, Passage
from chronotope.temporal import CalendarSettings, QueryScope, Today, parse_scope
from chronotope.text import is_blank
from chronotope.tokens import count_tokens
from chronotope.wrapping import apieces_of, pieces_of

__all__ = ["ChronologicalSynthesizer"]

PROMPT_NAME = "answer_prompt"
REPORT_NAME = "chronotope"
_ENDLESS = 10**9  # tokens: what was chosen already is not cut again


@dataclass
class _Plan:
    """What one answer rests on. Issues are added while the answer comes in, so it is one list from first to last."""

    scope: QueryScope
    evidence: tuple[Evidence, ...] = ()
    issues: list[Issue] = field(default_factory=list)
    timeline: str = ""  # the answer itself, where there is no model
    fallback: Callable[[], str] = str  # what takes the place of an empty answer
    report: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.report = {"issues": self.issues, "by_model": False, "evidence": [item.passage.id for item in self.evidence]}

    def checked(self, text: str) -> str:
        """The answer as it is, after its citations were compared with the evidence; a timeline in place of an empty one."""
        if is_blank(text):
            self.report["by_model"] = False
            self.issues.append(Issue("reply_refused", "the model's answer was empty; a timeline stands in its place"))
            return self.fallback()
        self.issues.extend(check_citations(text, self.evidence))
        return text

    def watched(self, pieces: Iterator[str]) -> Generator[str, None, None]:
        """The pieces as they come; citations are checked at the end."""
        said = []
        for piece in pieces:
            said.append(piece)
            yield piece
        text = "".join(said)
        if (checked := self.checked(text)) != text:
            yield checked

    async def awatched(self, pieces: AsyncIterator[str]) -> AsyncGenerator[str, None]:
        """The same, awaited."""
        said = []
        async for piece in pieces:
            said.append(piece)
            yield piece
        text = "".join(said)
        if (checked := self.checked(text)) != text:
            yield checked


class ChronologicalSynthesizer(BaseSynthesizer):
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
        # The framework would fall back on Settings.llm, and so perhaps on a paid endpoint that nobody asked for.
        super().__init__(llm=llm if isinstance(llm, LLM) else MockLLM(), streaming=streaming, **options)
        self._chat = as_chat(llm)
        self._budget, self._order, self._keys = budget_tokens, order, (keys or MetadataKeys()).with_date(date)
        self._prompt = ANSWER if prompt is None else as_prompt(prompt, ANSWER, needs="context")
        self._today, self._calendar = today, calendar or CalendarSettings()

    def _get_prompts(self) -> PromptDictType:
        return {PROMPT_NAME: as_template(self._prompt)}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        if PROMPT_NAME in prompts_dict:
            self._prompt = as_prompt(prompts_dict[PROMPT_NAME], ANSWER, needs="context")

    def synthesize(
        self,
        query: QueryType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **response_kwargs: object,
    ) -> RESPONSE_TYPE:
        """Answer a question from nodes, which may come in any order."""
        plan = self._plan(query, nodes)
        ordered = _in_order(nodes, plan)
        response = super().synthesize(query, ordered, additional_source_nodes, plan=plan, **response_kwargs)
        return self._with_report(response, plan)

    async def asynthesize(
        self,
        query: QueryType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **response_kwargs: object,
    ) -> RESPONSE_TYPE:
        """The same, awaited."""
        plan = self._plan(query, nodes)
        ordered = _in_order(nodes, plan)
        response = await super().asynthesize(query, ordered, additional_source_nodes, plan=plan, **response_kwargs)
        return self._with_report(response, plan)

    def get_response(self, query_str: str, text_chunks: Sequence[str], **response_kwargs: object) -> RESPONSE_TEXT_TYPE:
        """Answer from bare texts in the given order, since they have no dates; `synthesize` passes its plan along instead."""
        plan = self._plan_for(query_str, text_chunks, response_kwargs.get("plan"))
        if self._chat is None:
            return _at_once(plan.timeline) if self._streaming else plan.timeline
        if self._streaming:
            return plan.watched(pieces_of(self._chat, self._messages(plan)))
        return plan.checked(self._chat.chat(self._messages(plan)).text)

    async def aget_response(self, query_str: str, text_chunks: Sequence[str], **response_kwargs: object) -> RESPONSE_TEXT_TYPE:
        """The same, awaited."""
        plan = self._plan_for(query_str, text_chunks, response_kwargs.get("plan"))
        if self._chat is None:
            return _aat_once(plan.timeline) if self._streaming else plan.timeline
        if self._streaming:
            return plan.awatched(apieces_of(self._chat, self._messages(plan)))
        return plan.checked((await self._chat.achat(self._messages(plan))).text)

    def _plan(self, query: QueryType, nodes: Sequence[NodeWithScore]) -> _Plan:
        """Choose by score, cut to the budget, put in order, number."""
        mode = MetadataMode.NONE if self._chat is None else MetadataMode.LLM
        return self._chosen(self._scope(query), to_hits(nodes, keys=self._keys, mode=mode), kept_order=_are_numbered(nodes))

    def _plan_for(self, query: str, texts: Sequence[str], given: object) -> _Plan:
        if isinstance(given, _Plan):
            return given
        hits = [Hit(Passage(text, id=str(row)), score=-float(row)) for row, text in enumerate(texts)]
        return self._chosen(self._scope(query), hits, kept_order=True)

    def _chosen(self, asked: QueryScope, hits: Sequence[Hit], *, kept_order: bool) -> _Plan:
        if self._chat is None:
            told = timeline_answer(Retrieval(asked, tuple(hits)), budget_tokens=self._budget, order=self._order)
            return _Plan(asked, told.evidence, list(told.issues), told.text)
        kept = evidence_within(self._room(asked), hits, order=self._order, within=asked.times)
        evidence = _as_given(kept.items, hits) if kept_order else kept.items
        plan = _Plan(asked, evidence, list(kept.issues), fallback=lambda: _timeline(asked, evidence, self._order))
        plan.report["by_model"] = bool(evidence)
        return plan

    def _room(self, asked: QueryScope) -> int:
        """The budget, or what the model's window leaves of it; the framework would cut the text without a word."""
        if not isinstance(self._chat, LlamaIndexChat):
            return self._budget
        empty = answer_messages(asked.question, (), asked=asked, prompt=self._prompt)
        return max(1, min(self._budget, self._chat.window - sum(count_tokens(message.content) for message in empty)))

    def _scope(self, query: QueryType) -> QueryScope:
        question = query.query_str if isinstance(query, QueryBundle) else query
        return parse_scope(question, today=self._today, settings=self._calendar)

    def _messages(self, plan: _Plan) -> list[Message]:
        return answer_messages(plan.scope.question, plan.evidence, asked=plan.scope, prompt=self._prompt)

    def _with_report(self, response: RESPONSE_TYPE, plan: _Plan) -> RESPONSE_TYPE:
        """What the reader should know; it is the plan's own, since a stream is checked when it ends."""
        response.metadata = {**(response.metadata or {}), REPORT_NAME: plan.report}
        return response


def _are_numbered(nodes: Sequence[NodeWithScore]) -> bool:
    """True when a citation engine has written `Source 1:` and so on into the texts: its numbers must stay right."""
    return all(item.text.startswith(f"Source {number}:") for number, item in enumerate(nodes, 1))


def _in_order(nodes: Sequence[NodeWithScore], plan: _Plan) -> list[NodeWithScore]:
    places = {item.passage.id: number for number, item in enumerate(plan.evidence)}
    return sorted(nodes, key=lambda item: places.get(item.node.node_id, len(places)))


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


def _at_once(text: str) -> Generator[str, None, None]:
    yield text


async def _aat_once(text: str) -> AsyncGenerator[str, None]:
    yield text
