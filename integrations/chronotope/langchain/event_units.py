"""Event units as LangChain documents: texts in, sentences that tell one event each out (DyG-RAG section 3.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.runnables import RunnableConfig

from chronotope.events.event import EventUnit
from chronotope.events.extract.extract import ExtractSettings, extract_events
from chronotope.events.extract.settings import DEFAULTS, ExtractMode
from chronotope.langchain.convert import DEFAULT_KEYS
from chronotope.langchain.event_documents import EventDocuments, read_event_documents
from chronotope.langchain.models import AnyChat, as_chat
from chronotope.metadata import MetadataKeys
from chronotope.notes import counted, log_issues
from chronotope.records import Extraction, Issue, Spent
from chronotope.steps import Cache, Estimate, Runner
from chronotope.temporal.settings import CalendarSettings

__all__ = ["EventUnitTransformer"]


@dataclass(frozen=True, kw_only=True)
class EventUnitTransformer(BaseDocumentTransformer):
    """Makes a document of every event and lasting state that texts tell of: one sentence, with its times and who takes part.

    Pronouns are replaced where it is sure whom they mean, so that a document can be read alone; `char_start` and `char_end` are
    those of the sentence in the text. Chunks that say where they stand are read together where they come from one text. The
    documents given are not changed. What comes out goes into any vector store; behind its retriever, `time_cot_chain` makes a
    timeline of it.

    Args:
        mode: `rules` asks no model, `llm` asks one about each window; None is `llm` with a model, else `rules`.
        llm: a LangChain model or any runnable that answers messages, or a chat model of chronotope; not needed for `rules`.
        keys: names in the metadata.
        date: shortcut for `keys.date`, an existing key that holds the date of writing.
        source_key: metadata key that chunks of one text share.
        calendar: seasons, fiscal years, date order; None takes that of the settings.
        settings: everything else about extraction; its mode gives way to that above.
        cache: a `ReplyCache`, so that a killed run goes on where it stopped.
        max_concurrency: model calls under way at once.

    Raises:
        ValueError: the mode needs a model and there is none.

    Source: DyG-RAG, section 3.3.

    >>> letter = Document("Ann Lee moved to Turin in May 1931. In 1935 Ann Lee left it.")
    >>> [event.metadata["time_intervals"] for event in EventUnitTransformer().transform_documents([letter])]
    ['1931-05', '1935']
    """

    mode: ExtractMode | None = None
    llm: AnyChat | None = None
    keys: MetadataKeys = DEFAULT_KEYS
    date: str | None = None
    source_key: str = "source_id"
    calendar: CalendarSettings | None = None
    settings: ExtractSettings = DEFAULTS
    cache: Cache | None = field(default=None, repr=False)
    max_concurrency: int = 8
    _account: Runner = field(default_factory=Runner, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        mode = self.mode or ("rules" if self.llm is None else "llm")
        settings = replace(self.settings, mode=mode, calendar=self.calendar or self.settings.calendar)
        if mode != "rules" and self.llm is None:
            raise ValueError(f"mode={mode!r} asks a model: give llm=, or use mode='rules'")
        if self.llm is not None:
            as_chat(self.llm)
        object.__setattr__(self, "mode", mode)
        object.__setattr__(self, "keys", self.keys.with_date(self.date))
        object.__setattr__(self, "settings", settings)

    def __repr__(self) -> str:
        told = [f"mode={self.mode!r}"]
        if self.llm is not None:
            told += [
                f"llm={as_chat(self.llm).model_id}",
                f"prompts {self.settings.prompt.name!r}, {self.settings.missed_prompt.name!r}",
            ]
        for item in fields(ExtractSettings):
            value = getattr(self.settings, item.name)
            if value != getattr(DEFAULTS, item.name) and item.name not in ("mode", "prompt", "missed_prompt"):
                told.append(f"{item.name}={value!r}")
        return f"<EventUnitTransformer, {', '.join(told)}>"

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:  # noqa: ANN401, ARG002 - the framework's
        """The events; what was guessed or dropped is logged, and returned by `extract`."""
        return _logged(*self.extract(documents))

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:  # noqa: ANN401, ARG002
        """The same, awaited."""
        return _logged(*await self.aextract(documents))

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """The same as `transform_documents`, under the name that `BaseLoader.load_and_split` calls."""
        return self.transform_documents(list(documents))

    def extract(
        self, documents: Sequence[Document], *, config: RunnableConfig | None = None
    ) -> tuple[list[Document], tuple[Issue, ...]]:
        """The events, and an issue for whatever was dropped, guessed, refused, not read or left without a time.

        Args:
            documents: whole texts, or chunks of them.
            config: passed on with every model call, for callbacks and tags.
        """
        read = self._read(documents)
        return self._written(read, self._runner(config).run(extract_events(read.passages, settings=self.settings)))

    async def aextract(
        self, documents: Sequence[Document], *, config: RunnableConfig | None = None
    ) -> tuple[list[Document], tuple[Issue, ...]]:
        """The same, awaited; rules work in a thread, since they compute and never wait."""
        if self.settings.mode == "rules":
            return await asyncio.to_thread(self.extract, documents, config=config)
        read = self._read(documents)
        found = await self._runner(config).arun(extract_events(read.passages, settings=self.settings))
        return self._written(read, found)

    def estimate(self, documents: Sequence[Document]) -> Estimate:
        """What reading the documents would cost in calls and tokens. Nothing is called.

        Args:
            documents: what would be read.
        """
        return self._runner(None).estimate(extract_events(self._read(documents).passages, settings=self.settings))

    @property
    def spent(self) -> Spent:
        """What the model cost so far."""
        return self._account.spent

    def _read(self, documents: Sequence[Document]) -> EventDocuments:
        return read_event_documents(documents, keys=self.keys, source_key=self.source_key)

    def _runner(self, config: RunnableConfig | None) -> Runner:
        chat = as_chat(self.llm, config) if self.llm is not None else None
        return Runner(chat, cache=self.cache, concurrency=self.max_concurrency).charged_to(self._account)

    def _written(self, read: EventDocuments, found: Extraction[EventUnit]) -> tuple[list[Document], tuple[Issue, ...]]:
        return read.documents(found.items, keys=self.keys), (*read.issues, *found.issues)


def _logged(documents: list[Document], issues: tuple[Issue, ...]) -> list[Document]:
    log_issues(f"{counted(len(documents), 'document')} made", issues)
    return documents
