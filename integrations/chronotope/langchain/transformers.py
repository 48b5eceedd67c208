"""Time annotation as a LangChain document transformer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.runnables import RunnableConfig

from chronotope.diachronic import AnnotateMode, AnnotateSettings, annotate
from chronotope.langchain.convert import DEFAULT_KEYS, dated_copy, read_documents
from chronotope.langchain.models import AnyChat, as_chat
from chronotope.metadata import MetadataKeys
from chronotope.notes import counted, log_issues
from chronotope.records import Extraction, Issue, Passage
from chronotope.steps import Cache, Runner
from chronotope.temporal.settings import CalendarSettings

__all__ = ["TimeAnnotator"]

DEFAULT_CALENDAR = CalendarSettings()
DEFAULT_SETTINGS = AnnotateSettings()


@dataclass(frozen=True, kw_only=True)
class TimeAnnotator(BaseDocumentTransformer):
    """Writes into each document's metadata when its events happened and when it was written.

    The documents given are not changed: copies come back, in order, without blank ones. Date objects in their metadata become ISO
    texts, so that every store and record manager takes them. Times that a document has already are kept.

    Args:
        mode: `rules` asks no model, `auto` asks it only where relative or implicit time remains, `llm` reads everything with it.
        llm: a LangChain model or any runnable that answers messages, or a chat model of chronotope; not needed for `rules`.
        keys: names in the metadata.
        date: shortcut for `keys.date`, an existing key that holds the date of writing.
        source_key: metadata key that chunks of one text share; they are read as one document, so that a dateline in the first
            dates them all. `source` is right for chunks of text files and wrong for rows of one table.
        calendar: seasons, fiscal years, date order.
        settings: everything else about annotating; its mode and calendar give way to those above.
        cache: a `ReplyCache`, so that a killed run goes on where it stopped.
        max_concurrency: model calls under way at once.

    Raises:
        ValueError: the mode needs a model and there is none.

    >>> letter = Document("We moved in on 3 May 1851.", metadata={"by": "Ann"})
    >>> TimeAnnotator().transform_documents([letter])[0].metadata["time_intervals"]
    '1851-05-03'
    """

    mode: AnnotateMode = "rules"
    llm: AnyChat | None = None
    keys: MetadataKeys = DEFAULT_KEYS
    date: str | None = None
    source_key: str = "source_id"
    calendar: CalendarSettings = DEFAULT_CALENDAR
    settings: AnnotateSettings = DEFAULT_SETTINGS
    cache: Cache | None = field(default=None, repr=False)
    max_concurrency: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", self.keys.with_date(self.date))
        object.__setattr__(self, "settings", replace(self.settings, mode=self.mode, calendar=self.calendar))
        if self.mode != "rules" and self.llm is None:
            raise ValueError(f"mode={self.mode!r} asks a model where rules do not suffice: give llm=, or use mode='rules'")

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:  # noqa: ANN401, ARG002 - the framework's
        """Annotated copies; what was guessed or dropped is logged, and returned by `annotate`."""
        annotated, issues = self.annotate(documents)
        log_issues(f"{counted(len(annotated), 'document')} annotated", issues)
        return annotated

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:  # noqa: ANN401, ARG002
        """The same, awaited."""
        annotated, issues = await self.aannotate(documents)
        log_issues(f"{counted(len(annotated), 'document')} annotated", issues)
        return annotated

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """The same as `transform_documents`, under the name that `BaseLoader.load_and_split` calls."""
        return self.transform_documents(list(documents))

    def annotate(
        self, documents: Sequence[Document], *, config: RunnableConfig | None = None
    ) -> tuple[list[Document], tuple[Issue, ...]]:
        """Annotated copies, and an issue for whatever was guessed, refused, not read or left out.

        Args:
            documents: in reading order.
            config: passed on with every model call, for callbacks and tags.
        """
        read, issues = read_documents(documents, keys=self.keys, source_key=self.source_key)
        found = self._runner(config).run(annotate([passage for _, passage in read], settings=self.settings))
        return self._written(read, found), issues + found.issues

    async def aannotate(
        self, documents: Sequence[Document], *, config: RunnableConfig | None = None
    ) -> tuple[list[Document], tuple[Issue, ...]]:
        """The same, awaited."""
        read, issues = read_documents(documents, keys=self.keys, source_key=self.source_key)
        found = await self._runner(config).arun(annotate([passage for _, passage in read], settings=self.settings))
        return self._written(read, found), issues + found.issues

    def _runner(self, config: RunnableConfig | None) -> Runner:
        chat = as_chat(self.llm, config) if self.llm is not None else None
        return Runner(chat=chat, cache=self.cache, concurrency=self.max_concurrency)

    def _written(self, read: Sequence[tuple[Document, Passage]], found: Extraction[Passage]) -> list[Document]:
        return [dated_copy(document, passage, keys=self.keys) for (document, _), passage in zip(read, found.items, strict=True)]
