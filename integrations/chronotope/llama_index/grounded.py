"""Grounded answers as a LlamaIndex response synthesizer: facts, passages, and citations that are compared (NS-ST-GraphRAG)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from llama_index.core.prompts.base import BasePromptTemplate
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryType

from chronotope.llama_index.answering import PlannedSynthesizer
from chronotope.llama_index.convert import to_hits
from chronotope.llama_index.final_plan import FinalPlan
from chronotope.llama_index.models import AnyChat
from chronotope.llama_index.queries import dated_keys
from chronotope.metadata import MetadataKeys
from chronotope.models import Message
from chronotope.records import Hit, Issue, Passage
from chronotope.slices.answer.answer import GROUNDED_ANSWER, answer_messages, checked_answer, facts_text
from chronotope.slices.answer.context import SliceContext
from chronotope.slices.answer.verify import verify
from chronotope.slices.documents.from_passages import asked_of, context_of, issues_of, opening_of
from chronotope.temporal import QueryScope

__all__ = ["GroundedSynthesizer"]


@dataclass
class GroundedPlan(FinalPlan):
    """A plan whose citations are compared with what they cite, letter by letter."""

    instead: ClassVar[str] = "facts stand"
    context: SliceContext = field(default_factory=SliceContext)
    asked: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.report["citations"] = []

    def doubts(self, text: str, *, is_answer: bool) -> tuple[Issue, ...]:
        """What is wrong with the citations of an answer; all of them are told in the report."""
        self.report["citations"] = [asdict(found) for found in verify(text, self.context.evidence)]
        return checked_answer(text, self.context, is_answer=is_answer)


class GroundedSynthesizer(PlannedSynthesizer[GroundedPlan]):
    """Answers from facts of a story and passages of its text, with a few copied words as the proof of each statement.

    Facts (from a `SliceRetriever`, or of any index over its nodes) are shown with their chapter, story time and place, other nodes
    as passages; a plain vector store has passages alone. The model reasons first; only its answer reaches the reader, also when it
    streams. `source_nodes` come back in the order of the numbers: facts, then passages, then what did not fit.
    `response.metadata["chronotope"]` tells under `issues` what a careful reader should know, what the search had to say included,
    under `marks` what each source is cited by, and under `citations` each citation with its kind: `verbatim`, `mixed`,
    `non_verbatim` or `error`.

    Args:
        llm: a LlamaIndex model, or a chat model of chronotope; one that cannot stream answers in one piece. Without it, no model
            is used, not even `Settings.llm`: the answer is the best facts with their coordinates and words, behind the answer by
            name where they give one, or behind word that nothing lies in what is asked.
        budget_tokens: tokens that facts and passages may take; less if the model's context window says so.
        passage_share: share of it for passages, from 0 to 1; all of it where there are no facts.
        keys: where nodes have their times.
        date: short for `keys=MetadataKeys(date=…)`: the app's own date of writing.
        prompt: replaces the package's own; a template with `{facts}` and `{query_str}`, and, if wanted, `{passages}`, `{scope}` and
            `{reply_form}`. Without the last, the reply is shown as it comes.
        streaming: answer piece by piece.
        options: whatever else `BaseSynthesizer` takes.

    Raises:
        ValueError: a number is out of its range.
        PromptError: the template has no place for the facts.

    Source: NS-ST-GraphRAG, figures 5 and 6.
    """

    def __init__(
        self,
        llm: AnyChat | None = None,
        *,
        budget_tokens: int = 3_000,
        passage_share: float = 0.5,
        keys: MetadataKeys | None = None,
        date: str | None = None,
        prompt: BasePromptTemplate | None = None,
        streaming: bool = False,
        **options: Any,  # noqa: ANN401 - the framework's own, which differ by version
    ) -> None:
        context_of((), budget_tokens=budget_tokens, passage_share=passage_share)  # what cannot be is told now
        super().__init__(
            llm,
            base=GROUNDED_ANSWER,
            prompt=prompt,
            needs="facts",
            budget_tokens=budget_tokens,
            keys=dated_keys(keys, date),
            today=None,
            calendar=None,
            streaming=streaming,
            **options,
        )
        self._share = passage_share

    def __repr__(self) -> str:
        model = "no model" if self._chat is None else self._chat.model_id
        return f"<GroundedSynthesizer, {model}, budget_tokens={self._budget}, passage_share={self._share}>"

    def _plan(self, query: QueryType, nodes: Sequence[NodeWithScore]) -> GroundedPlan:
        return self._chosen(self._scope(query), to_hits(nodes, keys=self._keys, mode=MetadataMode.NONE))

    def _plan_of_texts(self, query: str, texts: Sequence[str]) -> GroundedPlan:
        return self._chosen(
            self._scope(query), [Hit(Passage(text, id=str(row)), score=-float(row)) for row, text in enumerate(texts)]
        )

    def _chosen(self, asked: QueryScope, hits: Sequence[Hit]) -> GroundedPlan:
        told, begins = asked_of(hits), opening_of(hits, asked.question)
        empty = answer_messages(asked.question, SliceContext(), asked=told, prompt=self._prompt)
        first = begins.facts if self._chat is None else ()
        context = context_of(hits, budget_tokens=self._room(empty), passage_share=self._share, first=first)
        plan = GroundedPlan(
            asked,
            context.evidence,
            [*issues_of(hits), *context.issues],
            timeline=facts_text(context, question=asked.question, begins=begins),
            fallback=lambda: facts_text(context, question=asked.question, begins=begins, failed=True),
            marked="reply_form" in self._prompt.variables,
            context=context,
            asked=told,
        )
        plan.report["by_model"] = self._chat is not None and bool(context.evidence)
        return plan

    def _messages(self, plan: GroundedPlan) -> list[Message]:
        return answer_messages(plan.scope.question, plan.context, asked=plan.asked, prompt=self._prompt)
