"""Facts of a story as a LangChain document transformer: documents in, the same documents with their facts out (NS-ST-GraphRAG)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.runnables import RunnableConfig

from chronotope.langchain.convert import DEFAULT_KEYS
from chronotope.langchain.event_documents import EventDocuments, read_event_documents
from chronotope.langchain.models import AnyChat, as_chat
from chronotope.langchain.pieces import checked_documents
from chronotope.metadata import MetadataKeys, plain
from chronotope.notes import counted, log_issues
from chronotope.records import Issue, Spent
from chronotope.slices.documents.given import extraction_settings, kept_out
from chronotope.slices.documents.laying import with_stored
from chronotope.slices.documents.stored import FACTS_KEY, StoredFacts, facts_by_passage, has_stored
from chronotope.slices.extract import FactMode, FactSettings, extract_facts
from chronotope.slices.extract.settings import DEFAULTS
from chronotope.slices.ontology import Ontology
from chronotope.slices.story_facts import StoryFacts
from chronotope.steps import Cache, Estimate, Runner, Step

__all__ = ["StoryFactTransformer"]


@dataclass(frozen=True, kw_only=True)
class StoryFactTransformer(BaseDocumentTransformer):
    """Writes into each document's metadata which facts of the story it tells, checked against an ontology.

    A fact is a relation between persons, places and things, with its chapter, its time in the story, its place and the words that
    tell it. The facts of a document are one JSON text under `story_facts`, which a `SliceRetriever` takes as it is. The documents
    given are not changed: copies come back, all of them and in order. Chunks of one text are read together; documents that have
    `story_facts` are not read again.

    Args:
        mode: `rules` asks no model, `llm` asks one about each stretch of a chapter; None is `llm` with a model, else `rules`.
        ontology: what can be so: a shipped one by its name, the path of a file, or an `Ontology`; None takes that of the settings.
        llm: a LangChain model or any runnable that answers messages, or a chat model of chronotope; not needed for `rules`.
        settings: everything else about extraction; its mode and ontology give way to those above.
        keys: names in the metadata.
        date: shortcut for `keys.date`, an existing key that holds the date of writing.
        source_key: metadata key that chunks of one text share.
        cache: a `ReplyCache`, so that a killed run goes on where it stopped.
        max_concurrency: model calls under way at once.

    Raises:
        ValueError: there is no such mode, or it needs a model and there is none.
        TypeError: `settings`, `ontology` or `llm` is something else.
        OntologyError: there is no such ontology, or it cannot be read.

    Source: NS-ST-GraphRAG, figures 2 and 3.
    """

    mode: FactMode | None = None
    llm: AnyChat | None = None
    ontology: str | Path | Ontology | None = None
    settings: FactSettings = DEFAULTS
    keys: MetadataKeys = DEFAULT_KEYS
    date: str | None = None
    source_key: str = "source_id"
    cache: Cache | None = field(default=None, repr=False)
    max_concurrency: int = 8
    _account: Runner = field(default_factory=Runner, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.settings, FactSettings):
            raise TypeError(f"settings must be FactSettings, not {self.settings!r}; a mode is given as mode=")
        mode = self.mode or ("rules" if self.llm is None else "llm")
        settings = replace(extraction_settings(self.settings, self.ontology), mode=mode)
        if mode != "rules" and self.llm is None:
            raise ValueError(f"mode={mode!r} asks a model: give llm=, or use mode='rules'")
        if self.llm is not None:
            as_chat(self.llm)
        object.__setattr__(self, "mode", mode)
        object.__setattr__(self, "ontology", settings.known)
        object.__setattr__(self, "settings", settings)
        object.__setattr__(self, "keys", self.keys.with_date(self.date))

    def __repr__(self) -> str:
        told = [f"mode={self.mode!r}", f"ontology={self.settings.known.name!r}"]
        if self.llm is not None:
            told.append(f"llm={as_chat(self.llm).model_id}")
        for item in fields(FactSettings):
            value = getattr(self.settings, item.name)
            if value != getattr(DEFAULTS, item.name) and item.name not in ("mode", "ontology", "prompt", "repair_prompt", "cast"):
                told.append(f"{item.name}={value!r}")
        return f"<StoryFactTransformer, {', '.join(told)}>"

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:  # noqa: ANN401, ARG002 - the framework's
        """The documents with their facts; what was guessed, refused or kept out is logged, and returned by `extract`."""
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
        """Copies of the documents with their facts, and an issue for whatever was dropped, guessed, refused or kept out.

        Args:
            documents: whole texts, or chunks of them; blank ones come back without facts.
            config: passed on with every model call, for callbacks and tags.
        """
        given, read = self._read(documents)
        return self._written(given, read, self._runner(config).run(self._step(read)))

    async def aextract(
        self, documents: Sequence[Document], *, config: RunnableConfig | None = None
    ) -> tuple[list[Document], tuple[Issue, ...]]:
        """The same, awaited; rules work in a thread, since they compute and never wait."""
        if self.settings.mode == "rules":
            return await asyncio.to_thread(self.extract, documents, config=config)
        given, read = self._read(documents)
        return self._written(given, read, await self._runner(config).arun(self._step(read)))

    def facts(self, documents: Sequence[Document], *, config: RunnableConfig | None = None) -> StoryFacts:
        """The facts alone, with the log of those that were kept out and all that was said of them.

        Args:
            documents: as for `extract`; documents that have `story_facts` are not read again, their facts are taken as they are.
            config: passed on with every model call.

        Raises:
            FactError: the facts of a document cannot be read.
        """
        given, read = self._read(documents)
        stored = [StoredFacts.from_text(one.metadata[FACTS_KEY]) for one in given if has_stored(one.metadata)]
        return with_stored(self._runner(config).run(self._step(read)), stored)

    def estimate(self, documents: Sequence[Document]) -> Estimate:
        """What reading the documents would cost in calls and tokens. Nothing is called.

        Args:
            documents: what would be read.
        """
        return self._runner(None).estimate(self._step(self._read(documents)[1]))

    @property
    def spent(self) -> Spent:
        """What the model cost so far."""
        return self._account.spent

    def _read(self, documents: Sequence[Document]) -> tuple[list[Document], EventDocuments]:
        given = checked_documents(documents)
        fresh = [document for document in given if not has_stored(document.metadata)]
        return given, read_event_documents(fresh, keys=self.keys, source_key=self.source_key)

    def _step(self, read: EventDocuments) -> Step[StoryFacts]:
        return extract_facts(read.passages, settings=self.settings)

    def _runner(self, config: RunnableConfig | None) -> Runner:
        chat = as_chat(self.llm, config) if self.llm is not None else None
        return Runner(chat, cache=self.cache, concurrency=self.max_concurrency).charged_to(self._account)

    def _written(
        self, given: Sequence[Document], read: EventDocuments, found: StoryFacts
    ) -> tuple[list[Document], tuple[Issue, ...]]:
        shares = facts_by_passage(found, read.passages)
        told = {id(one.document): share for one, share in zip(read.given, shares, strict=True)}
        return [_with_facts(document, told.get(id(document))) for document in given], (
            *read.issues,
            *found.issues,
            *kept_out(found.uncertain),
        )


def _with_facts(document: Document, share: StoredFacts | None) -> Document:
    """A copy of a document. What was not read has facts of an earlier run, or is blank."""
    if share is None and has_stored(document.metadata):
        return document.model_copy(update={"metadata": dict(document.metadata)})
    text = (share or StoredFacts()).to_text()
    return document.model_copy(update={"metadata": {**plain(document.metadata), FACTS_KEY: text}})


def _logged(documents: list[Document], issues: tuple[Issue, ...]) -> list[Document]:
    log_issues(f"{counted(len(documents), 'document')} read for facts", issues)
    return documents
