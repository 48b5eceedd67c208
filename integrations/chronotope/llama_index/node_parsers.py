"""Time annotation as a LlamaIndex transformation, for pipelines and indexes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Self

from llama_index.core.llms import LLM
from llama_index.core.llms.loading import load_llm
from llama_index.core.schema import BaseNode, TransformComponent
from pydantic import Field, SerializeAsAny, field_serializer, model_validator

from chronotope.diachronic import AnnotateMode, AnnotateSettings, annotate
from chronotope.diachronic.extract import DOCUMENT_TIME, PASSAGE_TIMES
from chronotope.llama_index.convert import dated_copy, to_passages
from chronotope.llama_index.portable import dumped_llm, prompt_as_text, prompt_from_text, runner_for
from chronotope.metadata import MetadataKeys
from chronotope.notes import counted, log_issues
from chronotope.records import Extraction, Issue, Passage
from chronotope.temporal.settings import CalendarSettings

__all__ = ["TimeAnnotator"]


class TimeAnnotator(TransformComponent):
    """Returns the nodes it is given, as copies with the times that they tell of in their metadata; ids and texts stay.

    Everything it is made of is a field, so that it reaches the worker processes of an `IngestionPipeline` and its cache key.
    Nodes of one source document are read together, in the given order. Nodes that have times keep them.

    Args:
        mode: `rules` asks no model, `auto` asks it only where relative or implicit time remains, `llm` reads everything with it.
        llm: a LlamaIndex model; its name and settings are part of cache keys, its credentials are not.
        keys: where times are read and written.
        date: short for `keys=MetadataKeys(date=…)`: the app's own date of writing, from which "last month" is counted.
        calendar: seasons, fiscal years, date order.
        undated_take_published: a node that names no time gets the date of its document.
        attempts: how often a refused reply is asked again.
        document_prompt: the first stage's prompt, as text of a prompt file.
        passage_prompt: the second stage's prompt, as text of a prompt file.
        concurrency: model calls under way at once.
        cache_path: a file that keeps accepted replies, so that an interrupted run goes on where it stopped.
        version: raise it to make pipeline caches forget.

    Raises:
        ValueError: `mode` needs a model and there is none.
        PromptError: a prompt's text is no prompt.

    >>> from llama_index.core.schema import TextNode
    >>> node, = TimeAnnotator()([TextNode(text="The probe was launched on 5 September 1977.")])
    >>> node.metadata["time_intervals"]
    '1977-09-05'
    """

    mode: AnnotateMode = "rules"
    llm: SerializeAsAny[LLM] | None = None
    keys: MetadataKeys = Field(default_factory=MetadataKeys)
    date: str | None = None
    calendar: CalendarSettings = Field(default_factory=CalendarSettings)
    undated_take_published: bool = True
    attempts: int = Field(default=3, ge=1)
    document_prompt: str = Field(default_factory=lambda: prompt_as_text(DOCUMENT_TIME))
    passage_prompt: str = Field(default_factory=lambda: prompt_as_text(PASSAGE_TIMES))
    concurrency: int = Field(default=16, ge=1)
    cache_path: str | None = None
    version: int = 1

    @model_validator(mode="after")
    def _check(self) -> TimeAnnotator:
        if self.mode != "rules" and self.llm is None:
            raise ValueError(f"mode={self.mode!r} needs llm=")
        self._settings()
        return self

    @field_serializer("llm")
    def _dump_llm(self, llm: LLM | None) -> dict[str, Any] | None:
        return dumped_llm(llm)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores and caches it."""
        return "ChronotopeTimeAnnotator"

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: object) -> Self:
        """Undo `to_dict`. A model that LlamaIndex cannot load by name, or that needs a key, is given again as `llm=`."""
        data = {**data, **kwargs}
        if isinstance(data.get("llm"), Mapping):
            data["llm"] = load_llm(data["llm"])
        made: Self = super().from_dict(data)
        return made

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: object) -> list[BaseNode]:  # noqa: ARG002 - pipelines pass their own
        """Copies of the nodes with times; what could not be read is logged."""
        return self._logged(*self.annotate(nodes))

    async def acall(self, nodes: Sequence[BaseNode], **kwargs: object) -> list[BaseNode]:  # noqa: ARG002 - pipelines pass their own
        """The same, awaited."""
        return self._logged(*await self.aannotate(nodes))

    def annotate(self, nodes: Sequence[BaseNode]) -> tuple[list[BaseNode], tuple[Issue, ...]]:
        """Copies of the nodes with times, and an issue for whatever was guessed, refused or not read."""
        passages = to_passages(nodes, keys=self._keys)
        with runner_for(self.llm, cache_path=self.cache_path, concurrency=self.concurrency) as runner:
            found = runner.run(annotate(passages.items, settings=self._settings()))
        return self._dated(nodes, passages, found)

    async def aannotate(self, nodes: Sequence[BaseNode]) -> tuple[list[BaseNode], tuple[Issue, ...]]:
        """The same, awaited; rules work in a thread, since they compute and never wait."""
        if self.mode == "rules":
            return await asyncio.to_thread(self.annotate, nodes)
        passages = to_passages(nodes, keys=self._keys)
        with runner_for(self.llm, cache_path=self.cache_path, concurrency=self.concurrency) as runner:
            found = await runner.arun(annotate(passages.items, settings=self._settings()))
        return self._dated(nodes, passages, found)

    @property
    def _keys(self) -> MetadataKeys:
        return self.keys.with_date(self.date)

    def _settings(self) -> AnnotateSettings:
        return AnnotateSettings(
            mode=self.mode,
            calendar=self.calendar,
            undated_take_published=self.undated_take_published,
            attempts=self.attempts,
            document_prompt=prompt_from_text(self.document_prompt, DOCUMENT_TIME),
            passage_prompt=prompt_from_text(self.passage_prompt, PASSAGE_TIMES),
        )

    def _dated(
        self, nodes: Sequence[BaseNode], passages: Extraction[Passage], found: Extraction[Passage]
    ) -> tuple[list[BaseNode], tuple[Issue, ...]]:
        """Blank nodes pass through: leaving them out is for parsers and indexes."""
        by_id = {passage.id: passage for passage in found.items}
        dated = [dated_copy(node, by_id[node.node_id], keys=self._keys) if node.node_id in by_id else node for node in nodes]
        return dated, passages.issues + found.issues

    def _logged(self, nodes: list[BaseNode], issues: tuple[Issue, ...]) -> list[BaseNode]:
        log_issues(f"{counted(len(nodes), 'node')} annotated", issues)
        return nodes
