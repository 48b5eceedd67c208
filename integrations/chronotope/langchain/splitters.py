"""LitSeg as a LangChain text splitter: documents in, segments of a story out."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any, Final, Literal, Never, TypeAlias, get_args

from langchain_core.documents import Document
from langchain_core.runnables import RunnableConfig
from langchain_text_splitters import TextSplitter

from chronotope.cache import as_cache
from chronotope.langchain.models import AnyChat, AnyEmbeddings, as_chat, as_embedder
from chronotope.langchain.pieces import Given, Writer, as_documents, checked_text, findable, read_given
from chronotope.litseg import RuleSettings, Segment, SegmentMode, SegmentSettings
from chronotope.litseg import segment as segmentation
from chronotope.litseg.changed import changes
from chronotope.litseg.children import CHILD_TOKENS
from chronotope.litseg.headings import Headings
from chronotope.litseg.options import checked_settings, meant_mode, no_such_option, whole_number
from chronotope.notes import counted, log_issues
from chronotope.records import Extraction, Issue, Spent
from chronotope.steps import Cache, Estimate, Runner, Step, gather

__all__ = ["LitSegTextSplitter"]

TextOf: TypeAlias = Literal["main", "shown"]
Family: TypeAlias = tuple[Document, list[Document]]


class LitSegTextSplitter(TextSplitter):
    r"""Cuts a novel, a play or a chronicle where its story turns, in documents that can be read on their own.

    Each has its exact place under `char_start` and `char_end`, subtitle, chapter, turning points and context sentences in its
    metadata, and an id that is the same on every run. The documents given are not changed; blank ones give nothing. Chunks of
    another splitter keep counting from the text that they were cut from, if they say where they stand.

    Args:
        llm: a LangChain model or any runnable that answers messages, or a chat model of chronotope.
        mode: `full` asks a model three times a chapter, `lite` once, `rules` never. When absent, that of the settings if it asks a
            model; else `full` with a model, `rules` without.
        headings: a pattern that matches whole heading lines, or the offsets at which chapters start; None finds them.
        max_words: largest stretch that is cut at once, in words; a longer chapter is divided first. None means 6,000 for a model
            and no limit for `rules`.
        attempts: how often a model may answer a stage.
        rules: lengths and weights of the mode `rules`, and what it compares; `RuleSettings(length=…)` sets the usual size.
        settings: all of that in one value, and prompts; what is said above goes before it.
        embeddings: makes the vectors that rules with `cohesion="embedding"` compare; the small local model when absent.
        text: `page_content` is the slice alone (`main`), for an index, or has subtitle and context (`shown`), for a reader.
        children: also give small pieces, behind the segments of each document, that name their segment under `id_key`.
        child_tokens: largest size of such a piece in tokens.
        id_key: the key that `ParentDocumentRetriever` and `MultiVectorRetriever` look under.
        add_start_index: write `start_index` as other splitters do.
        cache: a `ReplyCache` or the path of one, made when absent, with its folder; a killed run goes on where it stopped.
        max_concurrency: model calls under way at once.

    Raises:
        ValueError: the mode needs a model and there is none, or a setting has a value that is not allowed.
        TypeError: there is no such option, a value is of the wrong kind, `llm` cannot answer, or `embeddings` cannot embed.
        StoreError: the cache cannot be opened.

    Source: LitSeg, sections 3.1 and 3.2.

    >>> story = "I\n\nShe knocked.\n\nNobody came."
    >>> first, *_ = LitSegTextSplitter().create_documents([story])
    >>> story[first.metadata["char_start"] : first.metadata["char_end"]] == first.page_content
    True
    """

    def __init__(
        self,
        *,
        llm: AnyChat | None = None,
        mode: SegmentMode | None = None,
        headings: Headings | None = None,
        max_words: int | None = None,
        attempts: int | None = None,
        rules: RuleSettings | None = None,
        settings: SegmentSettings | None = None,
        embeddings: AnyEmbeddings | None = None,
        text: TextOf = "main",
        children: bool = False,
        child_tokens: int = CHILD_TOKENS,
        id_key: str = "doc_id",
        add_start_index: bool = False,
        cache: Cache | str | os.PathLike[str] | None = None,
        max_concurrency: int = 8,
        **unknown: Never,
    ) -> None:
        for name in unknown:
            raise TypeError(no_such_option(name, _OPTIONS))
        super().__init__(chunk_overlap=0, strip_whitespace=False, add_start_index=add_start_index)
        if text not in get_args(TextOf):
            raise ValueError(f"text must be one of {', '.join(get_args(TextOf))}, not {text!r}")
        given = {"headings": headings, "max_words": max_words, "attempts": attempts, "rules": rules}
        told: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        meant = meant_mode(mode, checked_settings(settings), has_model=llm is not None)
        self.settings = replace(settings or SegmentSettings(), mode=meant, **told)
        if self.settings.mode != "rules" and llm is None:
            raise ValueError(f"mode={self.settings.mode!r} asks a model: give llm=, or use mode='rules'")
        compared = self.settings.mode == "rules" and self.settings.rules.cohesion == "embedding"
        self._embedder = as_embedder(embeddings) if compared or embeddings is not None else None
        if llm is not None:
            as_chat(llm)
        self.llm, self.text, self.children = llm, text, children
        self.child_tokens = whole_number("child_tokens", child_tokens)
        self.cache, self.max_concurrency = as_cache(cache), whole_number("max_concurrency", max_concurrency)
        self._writer = Writer(shown=text == "shown", id_key=id_key, start_index=add_start_index)
        self._spent = Spent()

    def __repr__(self) -> str:
        told = [f"mode={self.settings.mode!r}"]
        if self.llm is not None:
            told.append(f"llm={as_chat(self.llm).model_id!r}")
        told += changes(self.settings, without=["mode"])
        beside = {"text": self.text, "children": self.children, "child_tokens": self.child_tokens, "id_key": self._writer.id_key}
        told += [f"{name}={value!r}" for name, value in beside.items() if value != _OPTIONS[name].default]
        return f"LitSegTextSplitter({', '.join(told)})"

    def split_text(self, text: str) -> list[str]:
        """The texts of the segments alone, exactly as they stand; for whoever takes no documents, such as LlamaIndex.

        Texts that a search would find at an earlier place are joined to the segment before, since such callers search.

        Args:
            text: any text; a blank one gives nothing, and the name of a file a warning, since no file is read.
        """
        given, issues = read_given([Document(checked_text(text))])
        found = self._run(given, None)
        _log(sum(len(extraction.items) for extraction in found), "segment", (*issues, *_issues(found)))
        segments = [segment for extraction in found for segment in extraction.items]
        if self.text == "shown":
            return [segment.shown() for segment in segments]
        return [text[start:end] for start, end in findable(text, [(part.char_start, part.char_end) for part in segments])]

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """The segments of texts as documents.

        Args:
            texts: whole texts, in a list even if there is only one.
            metadatas: the metadata of each.
        """
        return self.split_documents(as_documents(texts, metadatas))

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """The segments of documents; what was repaired or left out is logged, and returned by `segment`."""
        return _logged(*self.segment(documents))

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:  # noqa: ANN401, ARG002 - the framework's
        """The same, awaited."""
        return _logged(*await self.asegment(documents))

    def segment(
        self, documents: Iterable[Document], *, config: RunnableConfig | None = None
    ) -> tuple[list[Document], tuple[Issue, ...]]:
        """The segments, and an issue for whatever was left out, repaired or could not be read.

        Args:
            documents: whole texts, or chunks of them.
            config: passed on with every model call, for callbacks and tags.
        """
        given, issues = read_given(documents)
        found = self._run(given, config)
        return self._flat(given, found), (*issues, *_issues(found))

    async def asegment(
        self, documents: Iterable[Document], *, config: RunnableConfig | None = None
    ) -> tuple[list[Document], tuple[Issue, ...]]:
        """The same, awaited; rules work in a thread, since they compute and never wait."""
        given, issues = read_given(documents)
        found = await self._arun(given, config)
        return self._flat(given, found), (*issues, *_issues(found))

    def with_children(self, documents: Iterable[Document]) -> tuple[list[tuple[str, Document]], list[Document]]:
        """What a `MultiVectorRetriever` is filled with: segments by id for its docstore, small pieces for its vector store.

        Args:
            documents: whole texts, or chunks of them.
        """
        given, issues = read_given(documents)
        found = self._run(given, None)
        return self._apart(given, found, issues)

    async def awith_children(self, documents: Iterable[Document]) -> tuple[list[tuple[str, Document]], list[Document]]:
        """The same, awaited."""
        given, issues = read_given(documents)
        return self._apart(given, await self._arun(given, None), issues)

    def estimate(self, documents: Iterable[Document]) -> Estimate:
        """What cutting the documents would cost in calls and tokens. Nothing is called.

        Args:
            documents: what would be cut.
        """
        return self._runner(None).estimate(self._step(read_given(documents)[0]))

    @property
    def spent(self) -> Spent:
        """What the model cost in the last run."""
        return self._spent

    def _step(self, given: Sequence[Given]) -> Step[Sequence[Extraction[Segment]]]:
        return (yield from gather([segmentation(one.source, settings=self.settings) for one in given]))

    def _run(self, given: Sequence[Given], config: RunnableConfig | None) -> Sequence[Extraction[Segment]]:
        runner = self._runner(config)
        try:
            return runner.run(self._step(given))
        finally:
            self._spent = runner.spent

    async def _arun(self, given: Sequence[Given], config: RunnableConfig | None) -> Sequence[Extraction[Segment]]:
        if self.settings.mode == "rules":
            return await asyncio.to_thread(self._run, given, config)
        runner = self._runner(config)
        try:
            return await runner.arun(self._step(given))
        finally:
            self._spent = runner.spent

    def _runner(self, config: RunnableConfig | None) -> Runner:
        chat = as_chat(self.llm, config) if self.llm is not None else None
        return Runner(chat, self._embedder, cache=self.cache, concurrency=self.max_concurrency)

    def _families(self, given: Given, found: Extraction[Segment], *, children: bool) -> list[Family]:
        return [
            (document, self._writer.children(given, segment, max_tokens=self.child_tokens) if children else [])
            for segment, document in self._writer.segments(given, found)
        ]

    def _flat(self, given: Sequence[Given], found: Sequence[Extraction[Segment]]) -> list[Document]:
        documents: list[Document] = []
        for one, extraction in zip(given, found, strict=True):
            families = self._families(one, extraction, children=self.children)
            documents += [segment for segment, _ in families]
            documents += [piece for _, pieces in families for piece in pieces]
        return documents

    def _apart(
        self, given: Sequence[Given], found: Sequence[Extraction[Segment]], issues: tuple[Issue, ...]
    ) -> tuple[list[tuple[str, Document]], list[Document]]:
        pairs = zip(given, found, strict=True)
        families = [family for one, extraction in pairs for family in self._families(one, extraction, children=True)]
        _log(len(families), "document", (*issues, *_issues(found)))
        return [(str(segment.id), segment) for segment, _ in families], [piece for _, pieces in families for piece in pieces]


def _issues(found: Iterable[Extraction[Segment]]) -> tuple[Issue, ...]:
    return tuple(issue for extraction in found for issue in extraction.issues)


def _logged(documents: list[Document], issues: tuple[Issue, ...]) -> list[Document]:
    _log(len(documents), "document", issues)
    return documents


def _log(count: int, noun: str, issues: Iterable[Issue]) -> None:
    log_issues(f"{counted(count, noun)} made", issues)


_OPTIONS: Final = {name: option for name, option in signature(LitSegTextSplitter).parameters.items() if name != "unknown"}
