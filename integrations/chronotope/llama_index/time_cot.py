"""Time-CoT as a LlamaIndex response synthesizer: reasoning over a timeline, and the answer alone (DyG-RAG section 3.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from llama_index.core.prompts.base import BasePromptTemplate
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryType

from chronotope.events.answer.answer import (
    NOTHING_FOUND,
    TIME_COT,
    TIME_COT_OFF,
    ClassChoice,
    answer_messages,
    checked_answer,
    timeline_text,
)
from chronotope.events.answer.shown import Shown, scope_issues, shown_within
from chronotope.events.retrieve.from_passages import as_retrieved, is_event, materials
from chronotope.llama_index.answering import PlannedSynthesizer
from chronotope.llama_index.convert import to_hits
from chronotope.llama_index.final_plan import FinalPlan
from chronotope.llama_index.models import AnyChat
from chronotope.llama_index.queries import dated_keys
from chronotope.metadata import MetadataKeys
from chronotope.models import Message
from chronotope.records import Hit, Issue, Passage
from chronotope.temporal import CalendarSettings, QueryScope, Today

__all__ = ["TimeCoTSynthesizer"]


@dataclass
class CotPlan(FinalPlan):
    """A plan over a timeline."""

    instead: ClassVar[str] = "events stand"
    shown: Shown = field(default_factory=Shown)

    def doubts(self, text: str, *, is_answer: bool) -> tuple[Issue, ...]:
        """What is wrong with the citations of an answer."""
        return checked_answer(text, self.shown, is_answer=is_answer)


class TimeCoTSynthesizer(PlannedSynthesizer[CotPlan]):
    """Answers by reasoning over a timeline of events and the passages beside it, and cites both by number.

    Event units (from an `EventGraphRetriever`, or from any index over the nodes of an `EventUnitNodeParser`) become the timeline,
    other nodes the passages; where no event unit is among the nodes, rules find the events that they tell of. `source_nodes` come
    back in the order of the numbers: events, then passages, then what did not fit. The model reasons first; only its answer reaches
    the reader, also when it streams, so the first piece comes later than with other synthesizers.
    `response.metadata["chronotope"]` tells what a careful reader should know, and under `marks` what each source is cited by.

    Args:
        llm: a LlamaIndex model, or a chat model of chronotope; one that cannot stream answers in one piece. Without it, no model
            is used, not even `Settings.llm`: the answer is a timeline of the best events.
        budget_tokens: tokens that events and passages may take; less if the model's context window says so.
        passage_share: share of it for passages, from 0 to 1; None spends every token where it is worth most, timeline
            or not. Without a model, events alone are shown.
        classes: the kind of question, which decides how it is reasoned about: by `rules`, chosen by the `model`, or named.
        cot: reason in steps over the timeline; else a plain prompt over the same evidence, for comparison.
        keys: where nodes have their times.
        date: short for `keys=MetadataKeys(date=…)`: the app's own date of writing.
        prompt: replaces the package's own; a template with `{timeline}` and `{query_str}`, and, if wanted, `{passages}`,
            `{time_str}`, `{question_class}`, `{method}` and `{reply_form}`. Without the last, the reply is shown as it comes.
        today: the day that "last year" in a question counts from.
        calendar: seasons, fiscal years, date order.
        streaming: answer piece by piece.
        options: whatever else `BaseSynthesizer` takes.

    Raises:
        ValueError: `classes` is no kind of question, or a number is out of its range.

    Source: DyG-RAG, section 3.5 (3).
    """

    def __init__(
        self,
        llm: AnyChat | None = None,
        *,
        budget_tokens: int = 3_000,
        passage_share: float | None = 0.5,
        classes: ClassChoice = "rules",
        cot: bool = True,
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
            base=TIME_COT if cot else TIME_COT_OFF,
            prompt=prompt,
            needs="timeline",
            budget_tokens=budget_tokens,
            keys=dated_keys(keys, date),
            today=today,
            calendar=calendar,
            streaming=streaming,
            **options,
        )
        self._share = passage_share if self._chat is not None else 0
        self._classes, self._cot = classes, cot
        self._asked(self._scope(""), Shown())  # what cannot be is told now, not with the first question
        shown_within(budget_tokens, Shown().timeline, passage_share=passage_share)

    def __repr__(self) -> str:
        model = "no model" if self._chat is None else self._chat.model_id
        steps = "" if self._cot else ", cot=False"
        return f"<TimeCoTSynthesizer, {model}, budget_tokens={self._budget}, classes={self._classes!r}{steps}>"

    def _plan(self, query: QueryType, nodes: Sequence[NodeWithScore]) -> CotPlan:
        passages = MetadataMode.NONE if self._chat is None else MetadataMode.LLM
        return self._chosen(self._scope(query), [self._hit(item, passages) for item in nodes])

    def _plan_of_texts(self, query: str, texts: Sequence[str]) -> CotPlan:
        hits = [Hit(Passage(text, id=str(row)), score=-float(row)) for row, text in enumerate(texts)]
        return self._chosen(self._scope(query), hits)

    def _hit(self, item: NodeWithScore, mode: MetadataMode) -> Hit:
        return to_hits([item], keys=self._keys, mode=MetadataMode.NONE if is_event(item.node.metadata) else mode)[0]

    def _chosen(self, asked: QueryScope, hits: Sequence[Hit]) -> CotPlan:
        asked = as_retrieved(asked, hits)
        given = materials(hits, asked)
        room = self._room(self._asked(asked, Shown()))
        shown = shown_within(room, given.timeline, given.passages, given.homes, passage_share=self._share, within=asked.times)
        plan = CotPlan(
            asked,
            shown.evidence,
            [*scope_issues(asked, given.timeline), *given.issues, *shown.issues],
            timeline=timeline_text(shown, asked.times, known=given.timeline) if hits else NOTHING_FOUND,
            fallback=lambda: timeline_text(shown, asked.times, known=given.timeline, failed=True),
            shown=shown,
            marked=self._cot and "reply_form" in self._prompt.variables,
        )
        plan.report["by_model"] = self._chat is not None and bool(plan.evidence)
        return plan

    def _messages(self, plan: CotPlan) -> list[Message]:
        return self._asked(plan.scope, plan.shown)

    def _asked(self, asked: QueryScope, shown: Shown) -> list[Message]:
        return answer_messages(asked.question, shown, asked=asked, classes=self._classes, cot=self._cot, prompt=self._prompt)
