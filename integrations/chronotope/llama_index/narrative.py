"""LitSeg as a LlamaIndex node parser: documents in, segments of a story out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from llama_index.core.schema import BaseNode
from pydantic import Field, SkipValidation, field_serializer, model_validator

from chronotope.litseg import RuleSettings, Segment, SegmentMode, SegmentSettings
from chronotope.litseg import segment as segmentation
from chronotope.litseg.children import CHILD_TOKENS
from chronotope.litseg.options import checked_settings, meant_mode, no_such_option
from chronotope.litseg.settings import Fallback
from chronotope.llama_index.models import AnyEmbedder, as_embedder
from chronotope.llama_index.origins import Origin, read_origins
from chronotope.llama_index.parsers import Made, ParserRun, ReadingNodeParser
from chronotope.llama_index.portable import prompt_as_text
from chronotope.llama_index.segment_nodes import NodeMaker
from chronotope.models import Embedder
from chronotope.prompts import Prompt
from chronotope.records import Extraction, Issue
from chronotope.steps import gather

__all__ = ["LitSegNodeParser"]

TextOf: TypeAlias = Literal["main", "shown"]
_PROMPTS: Mapping[str, Prompt[Any]] = {
    name: getattr(SegmentSettings(), f"{name}_prompt") for name in ("events", "threads", "segments", "lite")
}


class LitSegNodeParser(ReadingNodeParser):
    r"""Cuts a novel, a play or a chronicle where its story turns, in nodes that can be read on their own.

    A node's text is a slice of its document. Subtitle, chapter, turning points and context sentences are metadata; by default only
    the slice is embedded, and a language model reads it with subtitle and context. All that a parser is made of are fields, so that
    it reaches the worker processes of an `IngestionPipeline` and its cache key. The input may be chunks of another parser: offsets
    then count in the document that those come from, if they know their own.

    Args:
        llm: a LlamaIndex model or an endpoint of chronotope; its name and settings are part of cache keys, its credentials are not.
        mode: `full` asks a model three times a chapter, `lite` once, `rules` never. When absent, that of the settings if it asks a
            model; else `full` with a model, `rules` without.
        headings: a pattern that matches whole heading lines, or the offsets at which chapters start; None finds them.
        max_words: largest stretch that is cut at once, in words; a longer chapter is divided first. None means 6,000 for a model
            and no limit for `rules`.
        length: what a model is told of the usual size, in sentences.
        fallback: what becomes of a unit of which no segment of the model was usable: `rules` cut it, or it stays `whole`.
        rules: lengths and weights of the mode `rules`, and what it compares; `RuleSettings(length=…)` sets the usual size.
        settings: all of that in one value, and prompts, as the core takes it; it is spread over the other fields, which go before
            it where they are given, and is not kept itself.
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
        cache_path: a file that keeps accepted replies, or a `ReplyCache` of one, so that an interrupted run goes on where it
            stopped; made when absent, with its folder.
        show_progress: show a bar on standard error.
        version: raise it to make pipeline caches forget.

    Raises:
        ValueError: there is no such option, the mode needs a model and there is none, or a setting has a value that is not allowed.
        TypeError: `llm` cannot answer, `embed_model` cannot embed, or `settings` or `cache_path` is something else.
        PromptError: a prompt's text is no prompt.

    Source: LitSeg, sections 3.1 and 3.2.

    >>> from llama_index.core import Document
    >>> story = Document(text="I\n\nShe knocked.\n\nNobody came.")
    >>> node, *_ = LitSegNodeParser()([story])
    >>> story.text[node.start_char_idx : node.end_char_idx] == node.text
    True
    """

    model_mode: ClassVar[str] = "full"
    own_prompts: ClassVar[Mapping[str, Prompt[Any]]] = _PROMPTS
    told_fields: ClassVar[tuple[str, ...]] = (
        "headings",
        "max_words",
        "length",
        "fallback",
        "rules",
        "attempts",
        "children",
        "child_tokens",
        "index_text",
        "reader_text",
    )
    given_again: ClassVar[tuple[str, ...]] = ("llm", "embed_model")

    mode: SegmentMode | None = None
    headings: str | re.Pattern[str] | tuple[int, ...] | None = None
    max_words: int | None = None
    length: int = 40
    fallback: Fallback = "rules"
    rules: RuleSettings = Field(default_factory=RuleSettings)
    settings: SkipValidation[SegmentSettings | None] = Field(default=None, exclude=True)
    embed_model: SkipValidation[AnyEmbedder | None] = None
    children: bool = False
    child_tokens: int = Field(default=CHILD_TOKENS, ge=1)
    index_text: TextOf = "main"
    reader_text: TextOf = "shown"

    @model_validator(mode="before")
    @classmethod
    def _spread_settings(cls, data: Any) -> Any:  # noqa: ANN401 - whatever pydantic was given
        """The settings as fields, with the mode that is meant."""
        if not isinstance(data, dict):
            return data
        settings = checked_settings(data.get("settings"))
        own = {name: value for name, value in data.items() if name != "settings"}
        if settings is not None:
            own = {**_fields_of(settings), **own, "prompts": {**_prompts_of(settings), **(own.get("prompts") or {})}}
        return {**own, "mode": meant_mode(own.get("mode"), settings, has_model=own.get("llm") is not None)}

    @model_validator(mode="after")
    def _check(self) -> LitSegNodeParser:
        if self.embed_model is not None:
            as_embedder(self.embed_model)
        self._settings()
        return self

    @field_serializer("embed_model")
    def _dump_embed_model(self, embed_model: AnyEmbedder | None) -> dict[str, Any] | None:
        return None if embed_model is None else {"model_id": as_embedder(embed_model).model_id}

    @field_serializer("headings")
    def _dump_headings(self, headings: str | re.Pattern[str] | tuple[int, ...] | None) -> str | list[int] | None:
        if isinstance(headings, re.Pattern):
            flags = "".join(letter for letter in "aimsx" if headings.flags & getattr(re, letter.upper()))
            return f"(?{flags}){headings.pattern}" if flags else headings.pattern
        return list(headings) if isinstance(headings, tuple) else headings

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex stores and caches it."""
        return "ChronotopeLitSegNodeParser"

    def segment(self, documents: Sequence[BaseNode], *, show_progress: bool = False) -> Made:
        """The nodes, and an issue for whatever was left out, repaired or could not be read.

        Args:
            documents: documents, or chunks of them; blank ones give no nodes.
            show_progress: show a bar on standard error.
        """
        return self._read(documents, show_progress=show_progress)

    async def asegment(self, documents: Sequence[BaseNode], *, show_progress: bool = False) -> Made:
        """The same, awaited; rules work in a thread, since they compute and never wait."""
        return await self._aread(documents, show_progress=show_progress)

    @classmethod
    def _no_such_option(cls, name: str) -> str:
        return no_such_option(name, cls.model_fields)

    def _embedder(self) -> Embedder | None:
        compared = self.mode == "rules" and self.rules.cohesion == "embedding"
        return as_embedder(self.embed_model) if compared else None

    def _reading(self, documents: Sequence[BaseNode]) -> ParserRun[Sequence[Extraction[Segment]]]:
        origins, issues = read_origins(documents)
        settings = self._settings()
        step = gather([segmentation(origin.document, settings=settings) for origin in origins])
        return ParserRun(step, lambda found: self._made(origins, found, issues))

    def _made(self, origins: Sequence[Origin], found: Sequence[Extraction[Segment]], issues: tuple[Issue, ...]) -> Made:
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
        return SegmentSettings(
            mode=self.mode or "rules",
            headings=self.headings,
            max_words=self.max_words,
            attempts=self.attempts,
            length=self.length,
            fallback=self.fallback,
            rules=self.rules,
            **self._prompts_as(),
        )


def _fields_of(settings: SegmentSettings) -> dict[str, Any]:
    """What settings say, except mode and prompts, which are not taken over as they are."""
    names = ("headings", "max_words", "attempts", "length", "fallback", "rules")
    return {name: getattr(settings, name) for name in names}


def _prompts_of(settings: SegmentSettings) -> dict[str, str]:
    """The prompts that are not ours, as texts of prompt files."""
    given = {name: getattr(settings, f"{name}_prompt") for name in _PROMPTS}
    return {name: prompt_as_text(prompt) for name, prompt in given.items() if prompt != _PROMPTS[name]}
