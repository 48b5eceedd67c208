"""What synthesizers that answer in order of time share: a plan for one answer, and the way from nodes to a response."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, ClassVar, Generic, TypeVar

from llama_index.core.base.response.schema import RESPONSE_TYPE
from llama_index.core.llms import LLM, MockLLM
from llama_index.core.prompts.base import BasePromptTemplate
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.response_synthesizers import BaseSynthesizer
from llama_index.core.schema import NodeWithScore, QueryBundle, QueryType
from llama_index.core.types import RESPONSE_TEXT_TYPE

from chronotope.evidence import check_citations
from chronotope.llama_index.models import AnyChat, LlamaIndexChat, as_chat
from chronotope.llama_index.prompts import as_prompt, as_template
from chronotope.metadata import MetadataKeys
from chronotope.models import Message
from chronotope.notes import unknown_option
from chronotope.prompts import Prompt
from chronotope.records import Evidence, Issue
from chronotope.temporal import CalendarSettings, QueryScope, Today, parse_scope
from chronotope.text import is_blank
from chronotope.tokens import count_tokens
from chronotope.wrapping import apieces_of, pieces_of

__all__ = ["PROMPT_NAME", "Plan", "PlannedSynthesizer"]

PROMPT_NAME = "answer_prompt"
REPORT_NAME = "chronotope"


@dataclass
class Plan:
    """What one answer rests on. Issues are added while the answer comes in, so it is one list from first to last."""

    instead: ClassVar[str] = "a timeline stands"  # where the model answered nothing
    scope: QueryScope
    evidence: tuple[Evidence, ...] = ()
    issues: list[Issue] = field(default_factory=list)
    timeline: str = ""  # the answer itself, where there is no model
    fallback: Callable[[], str] = str  # what takes the place of an empty answer
    report: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.report = {"issues": self.issues, "by_model": False, "evidence": [item.passage.id for item in self.evidence]}

    def checked(self, text: str) -> str:
        """The answer as it is, after its citations were compared with the evidence; what the plan has in place of an empty one."""
        if is_blank(text):
            self.report["by_model"] = False
            self.issues.append(Issue("reply_refused", f"the model's answer was empty; {self.instead} in its place"))
            return self.fallback()
        self.issues.extend(self.wrong(text))
        return text

    def wrong(self, text: str) -> tuple[Issue, ...]:
        """What a careful reader should know of an answer."""
        return check_citations(text, self.evidence)

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


P = TypeVar("P", bound=Plan)


class PlannedSynthesizer(BaseSynthesizer, Generic[P]):
    """Answers from a plan; `source_nodes` come back in the order of its evidence, those that it leaves out behind them.

    Args:
        llm: a LlamaIndex model, or a chat model of chronotope; None uses no model, not even `Settings.llm`.
        base: the package's own prompt.
        prompt: replaces it.
        needs: the placeholder of the prompt without which it is useless.
        budget_tokens: tokens that the evidence may take.
        keys: where nodes have their times.
        today: the day that "last year" in a question counts from.
        calendar: seasons, fiscal years, date order.
        streaming: answer piece by piece.
        options: whatever else `BaseSynthesizer` takes.
    """

    def __init__(
        self,
        llm: AnyChat | None,
        *,
        base: Prompt[Any],
        prompt: BasePromptTemplate | None,
        needs: str,
        budget_tokens: int,
        keys: MetadataKeys,
        today: Today,
        calendar: CalendarSettings | None,
        streaming: bool,
        **options: Any,  # noqa: ANN401 - the framework's own, which differ by version
    ) -> None:
        self._check_options(options)
        # The framework would fall back on Settings.llm, and so perhaps on a paid endpoint that nobody asked for.
        super().__init__(llm=llm if isinstance(llm, LLM) else MockLLM(), streaming=streaming, **options)
        self._chat = as_chat(llm)
        self._base, self._needs = base, needs
        self._prompt = base if prompt is None else as_prompt(prompt, base, needs=needs)
        self._budget, self._keys = budget_tokens, keys
        self._today, self._calendar = today, calendar or CalendarSettings()

    @classmethod
    def _check_options(cls, options: Mapping[str, object]) -> None:
        """Whether there are such options, here or in the framework."""
        known = {*signature(BaseSynthesizer).parameters, *signature(cls).parameters} - {"options", "output_cls"}
        if options.get("output_cls") is not None:
            raise TypeError(
                f"there is no option 'output_cls'; give the model that makes such objects: {cls.__name__}(llm.as_structured_llm(…))"
            )
        for name in options:
            if name not in known and name != "output_cls":
                raise TypeError(unknown_option(name, known))

    def _get_prompts(self) -> PromptDictType:
        return {PROMPT_NAME: as_template(self._prompt)}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        if PROMPT_NAME in prompts_dict:
            self._prompt = as_prompt(prompts_dict[PROMPT_NAME], self._base, needs=self._needs)

    @abstractmethod
    def _plan(self, query: QueryType, nodes: Sequence[NodeWithScore]) -> P:
        """Choose, cut to the budget, put in order, number."""

    @abstractmethod
    def _plan_of_texts(self, query: str, texts: Sequence[str]) -> P:
        """The same from bare texts."""

    @abstractmethod
    def _messages(self, plan: P) -> list[Message]:
        """What the model is asked."""

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
        return _with_report(response, plan)

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
        return _with_report(response, plan)

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

    def _plan_for(self, query: str, texts: Sequence[str], given: object) -> P:
        return given if isinstance(given, Plan) else self._plan_of_texts(query, texts)  # type: ignore[return-value]  # our own

    def _scope(self, query: QueryType) -> QueryScope:
        question = query.query_str if isinstance(query, QueryBundle) else query
        return parse_scope(question, today=self._today, settings=self._calendar)

    def _room(self, empty: Sequence[Message]) -> int:
        """The budget, or what the model's window leaves of it; the framework would cut the text without a word.

        Args:
            empty: the messages without any evidence.
        """
        if not isinstance(self._chat, LlamaIndexChat):
            return self._budget
        return max(1, min(self._budget, self._chat.window - sum(count_tokens(message.content) for message in empty)))


def _with_report(response: RESPONSE_TYPE, plan: Plan) -> RESPONSE_TYPE:
    """What the reader should know; it is the plan's own, since a stream is checked when it ends."""
    response.metadata = {**(response.metadata or {}), REPORT_NAME: plan.report}
    return response


def _in_order(nodes: Sequence[NodeWithScore], plan: Plan) -> list[NodeWithScore]:
    places = {item.passage.id: number for number, item in enumerate(plan.evidence)}
    return sorted(nodes, key=lambda item: places.get(item.node.node_id, len(places)))


def _at_once(text: str) -> Generator[str, None, None]:
    yield text


async def _aat_once(text: str) -> AsyncGenerator[str, None]:
    yield text
