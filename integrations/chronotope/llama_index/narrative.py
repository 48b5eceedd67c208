"""LitSeg as a LlamaIndex node parser: documents in, segments of a story out."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Self, TypeAlias

from llama_index.core.llms.loading import load_llm
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode
from pydantic import ConfigDict, Field, PrivateAttr, SkipValidation, field_serializer, field_validator, model_validator

from chronotope.litseg import RuleSettings, Segment, SegmentMode, SegmentSettings
from chronotope.litseg import segment as segmentation
from chronotope.litseg.children import CHILD_TOKENS
from chronotope.llama_index.models import AnyChat, AnyEmbedder, as_chat, as_embedder
from chronotope.llama_index.origins import Origin, read_origins
from chronotope.llama_index.portable import dumped_llm, prompt_as_text, prompt_from_text, runner_for
from chronotope.llama_index.segment_nodes import IdFunction, NodeMaker
from chronotope.models import Embedder
from chronotope.notes import counted, log_issues, unknown_option
from chronotope.prompts import Prompt
from chronotope.records import Extraction, Issue, Spent
from chronotope.steps import Estimate, Runner, Step, gather

__all__ = ["LitSegNodeParser"]

TextOf: TypeAlias = Literal["main", "shown"]
_PROMPTS: Mapping[str, Prompt[Any]] = {
    name: getattr(SegmentSettings(), f"{name}_prompt") for name in ("events", "threads", "segments", "lite")
}


class LitSegNodeParser(NodeParser):
    r"""Cuts a novel, a play or a chronicle where its story turns, in nodes that can be read on their own.

    A node's text is a slice of its document. Subtitle, chapter, turning points and context sentences are metadata; by default only
    the slice is embedded, and a language model reads it with subtitle and context. All that a parser is made of are fields, so that
    it reaches the worker processes of an `IngestionPipeline` and its cache key. The input may be chunks of another parser: offsets
    then count in the document that those come from, if they know their own.

    Args:
        llm: a LlamaIndex model or an endpoint of chronotope; its name and settings are part of cache keys, its credentials are not.
        mode: `full` asks a model three times a chapter, `lite` once, `rules` never; when absent, `full` with a model, else `rules`.
        headings: a pattern that matches whole heading lines, or the offsets at which chapters start; None finds them.
        max_words: largest stretch that is cut at once, in words; a longer chapter is divided first.
        length: what a model is told of the usual size, in sentences.
        rules: lengths and weights of the mode `rules`, and what it compares.
        embed_model: makes the vectors that rules with `cohesion="embedding"` compare; the embedded default when absent.
        prompts: texts of prompt files in place of ours, under `events`, `threads`, `segments` or `lite`.
        attempts: how often a model may answer a stage.
        children: also make small nodes that point to their segment by PARENT and `index_id`, behind the segments of each document.
        child_tokens: largest size of such a node in tokens.
        index_text: what is embedded: the slice alone (`main`), or with subtitle and context (`shown`).
        reader_text: what a language model reads, below what the document shows of its own metadata.
        include_metadata: nodes inherit the metadata of their document.
        include_prev_next_rel: nodes know the one before and the one after, children among themselves.
        id_func: names a segment from its number and the document; by default ids are the same on every run. Not in cache keys.
        concurrency: model calls under way at once.
        cache_path: a file that keeps accepted replies, so that an interrupted run goes on where it stopped.
        show_progress: show a bar on standard error.
        version: raise it to make pipeline caches forget.

    Raises:
        ValueError: the mode needs a model and there is none, or a setting has a value that is not allowed.
        TypeError: `llm` cannot answer, or `embed_model` cannot embed.
        PromptError: a prompt's text is no prompt.

    Source: LitSeg, sections 3.1 and 3.2.

    >>> from llama_index.core import Document
    >>> story = Document(text="I\n\nShe knocked.\n\nNobody came.")
    >>> node, *_ = LitSegNodeParser()([story])
    >>> story.text[node.start_char_idx : node.end_char_idx] == node.text
    True
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    llm: SkipValidation[AnyChat | None] = None
    mode: SegmentMode | None = None
    headings: str | re.Pattern[str] | tuple[int, ...] | None = None
    max_words: int = 6_000
    length: int = 40
    rules: RuleSettings = Field(default_factory=RuleSettings)
    embed_model: SkipValidation[AnyEmbedder | None] = None
    prompts: dict[str, str] = Field(default_factory=dict, validate_default=True)
    attempts: int = 3
    children: bool = False
    child_tokens: int = Field(default=CHILD_TOKENS, ge=1)
    index_text: TextOf = "main"
    reader_text: TextOf = "shown"
    id_func: SkipValidation[IdFunction | None] = Field(default=None, exclude=True)  # type: ignore[assignment]  # None: names stay
    concurrency: int = Field(default=8, ge=1)
    cache_path: str | None = None
    show_progress: bool = False
    version: int = 1
    _spent: Spent = PrivateAttr(default_factory=Spent)

    @model_validator(mode="before")
    @classmethod
    def _choose_mode(cls, data: Any) -> Any:  # noqa: ANN401 - whatever pydantic was given
        if isinstance(data, dict) and data.get("mode") is None:
            data = {**data, "mode": "rules" if data.get("llm") is None else "full"}
        return data

    @field_validator("prompts")
    @classmethod
    def _with_ours(cls, given: dict[str, str]) -> dict[str, str]:
        """Our own prompts beside the given ones, so that cache keys change with them."""
        for name in given:
            if name not in _PROMPTS:
                raise ValueError(unknown_option(name, _PROMPTS))
        return {name: given.get(name) or prompt_as_text(prompt) for name, prompt in _PROMPTS.items()}

    @model_validator(mode="after")
    def _check(self) -> LitSegNodeParser:
        as_chat(self.llm)
        if self.embed_model is not None:
            as_embedder(self.embed_model)
        if self.mode != "rules" and self.llm is None:
            raise ValueError(f"mode={self.mode!r} asks a model: give llm=, or use mode='rules'")
        self._settings()
        return self

    @field_serializer("llm")
    def _dump_llm(self, llm: AnyChat | None) -> dict[str, Any] | None:
        return dumped_llm(llm)

    @field_serializer("embed_model")
    def _dump_embed_model(self, embed_model: AnyEmbedder | None) -> dict[str, Any] | None:
        return None if embed_model is None else {"model_id": as_embedder(embed_model).model_id}

    @field_serializer("headings")
    def _dump_headings(self, headings: str | re.Pattern[str] | tuple[int, ...] | None) -> str | list[int] | None:
        if isinstance(headings, re.Pattern):
            flags = "".join(letter for letter in "aimsx" if headings.flags & getattr(re, letter.upper()))
            return f"(?{flags}){headings.pattern}" if flags else headings.pattern
        return list(headings) if isinstance(headings, tuple) else headings

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        told = [f"mode={self.mode!r}"]
        if self.llm is not None and (chat := as_chat(self.llm)):
            told.append(f"llm={chat.model_id!r}")
        told += [f"{name}={getattr(self, name)!r}" for name in ("children", "headings") if getattr(self, name)]
        return f"LitSegNodeParser({', '.join(told)})"

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores and caches it."""
        return "ChronotopeLitSegNodeParser"

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: object) -> Self:
        """Undo `to_dict`. A model that LlamaIndex cannot load by name, or that needs a key, is given again; so is an `embed_model`.

        Raises:
            ValueError: a model must be given again and was not.
        """
        data = {**data, **kwargs}
        if isinstance(told := data.get("llm"), Mapping) and "class_name" in told:
            data["llm"] = load_llm(dict(told))
        for name in ("llm", "embed_model"):
            if isinstance(told := data.get(name), Mapping):
                raise ValueError(  # noqa: TRY004 - the value is one of our own dumps
                    f"LlamaIndex cannot load the model {told.get('model_id')!r}: give it again as {name}="
                )
        made: Self = super().from_dict(data)
        return made

    def segment(self, documents: Sequence[BaseNode], *, show_progress: bool = False) -> tuple[list[BaseNode], tuple[Issue, ...]]:
        """The nodes, and an issue for whatever was left out, repaired or could not be read.

        Args:
            documents: documents, or chunks of them; blank ones give no nodes.
            show_progress: show a bar on standard error.
        """
        origins, issues = read_origins(documents)
        with self._runner(show_progress=show_progress) as runner:
            try:
                found = runner.run(self._segmentation(origins))
            finally:
                self._spent = runner.spent
        return self._made(origins, found, issues)

    async def asegment(
        self, documents: Sequence[BaseNode], *, show_progress: bool = False
    ) -> tuple[list[BaseNode], tuple[Issue, ...]]:
        """The same, awaited; rules work in a thread, since they compute and never wait."""
        if self.mode == "rules":
            return await asyncio.to_thread(self.segment, documents, show_progress=show_progress)
        origins, issues = read_origins(documents)
        with self._runner(show_progress=show_progress) as runner:
            try:
                found = await runner.arun(self._segmentation(origins))
            finally:
                self._spent = runner.spent
        return self._made(origins, found, issues)

    def estimate(self, documents: Sequence[BaseNode]) -> Estimate:
        """What cutting the documents would cost in calls and tokens. Nothing is called.

        Args:
            documents: what would be cut.
        """
        with self._runner(show_progress=False) as runner:
            return runner.estimate(self._segmentation(read_origins(documents)[0]))

    @property
    def spent(self) -> Spent:
        """What the model cost in the last run of this object; worker processes keep their own account."""
        return self._spent

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:  # noqa: ANN401, ARG002 - the framework's
        return _logged(*self.segment(nodes, show_progress=show_progress))

    async def _aparse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:  # noqa: ANN401, ARG002
        return _logged(*await self.asegment(nodes, show_progress=show_progress))

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Any]) -> list[BaseNode]:  # noqa: ARG002
        """The nodes as they are: the framework would search for each text and put the first place where it finds it."""
        return nodes

    def _runner(self, *, show_progress: bool) -> AbstractContextManager[Runner]:
        return runner_for(
            self.llm,
            embedder=self._embedder(),
            cache_path=self.cache_path,
            concurrency=self.concurrency,
            progress=show_progress or self.show_progress,
        )

    def _embedder(self) -> Embedder | None:
        compared = self.mode == "rules" and self.rules.cohesion == "embedding"
        return as_embedder(self.embed_model) if compared else None

    def _segmentation(self, origins: Sequence[Origin]) -> Step[Sequence[Extraction[Segment]]]:
        settings = self._settings()
        return (yield from gather([segmentation(origin.document, settings=settings) for origin in origins]))

    def _made(
        self, origins: Sequence[Origin], found: Sequence[Extraction[Segment]], issues: tuple[Issue, ...]
    ) -> tuple[list[BaseNode], tuple[Issue, ...]]:
        maker = NodeMaker(
            index=self.index_text == "shown",
            reader=self.reader_text == "shown",
            child_tokens=self.child_tokens if self.children else None,
            include_metadata=self.include_metadata,
            include_prev_next_rel=self.include_prev_next_rel,
            id_func=self.id_func,
        )
        nodes, doubled = maker.nodes(zip(origins, found, strict=True))
        return nodes, (*issues, *(issue for extraction in found for issue in extraction.issues), *doubled)

    def _settings(self) -> SegmentSettings:
        prompts: dict[str, Any] = {
            f"{name}_prompt": prompt_from_text(self.prompts[name], default) for name, default in _PROMPTS.items()
        }
        return SegmentSettings(
            mode=self.mode or "rules",
            headings=self.headings,
            max_words=self.max_words,
            attempts=self.attempts,
            length=self.length,
            rules=self.rules,
            **prompts,
        )


def _logged(nodes: list[BaseNode], issues: tuple[Issue, ...]) -> list[BaseNode]:
    log_issues(f"{counted(len(nodes), 'node')} made", issues)
    return nodes
