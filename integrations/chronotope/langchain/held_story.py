"""A story behind a LangChain retriever: what is put in, taken out, told about it, and saved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Annotated, TypeAlias

from langchain_core.documents import Document
from langchain_core.runnables import RunnableConfig

from chronotope.langchain.asked_story import AskedStory
from chronotope.langchain.fact_documents import story_passages
from chronotope.notes import counted, log_issues
from chronotope.opaque import Opaque
from chronotope.records import Extraction, Issue, Passage
from chronotope.slices.axis import StoryAxis
from chronotope.slices.documents.given import GivenFacts, checked_entities, extraction_settings
from chronotope.slices.documents.leaving import taken_out
from chronotope.slices.documents.told import ingest_given, ingest_told, ingest_trial
from chronotope.slices.extract import FactMode, FactSettings
from chronotope.slices.fact import Entity
from chronotope.slices.index.ingest import StoryIngested
from chronotope.slices.story_facts import Uncertain
from chronotope.steps import Estimate, Step

__all__ = ["Folder", "HeldStory"]

Folder: TypeAlias = str | PathLike[str]


class HeldStory(AskedStory):
    """A retriever over a story index that is filled; `SliceRetriever` says what the fields mean and how to make one."""

    extract: Annotated[FactMode | FactSettings, Opaque] = "rules"
    axis: Annotated[StoryAxis | None, Opaque] = None
    uncertain: Annotated[tuple[Uncertain, ...], Opaque] = ()

    def save(self, folder: Folder) -> None:
        """Write facts, passages, vectors, ontology and axis to a folder, atomically."""
        self.index.save(str(folder))

    def add_documents(self, documents: Sequence[Document], *, config: RunnableConfig | None = None) -> list[str]:
        """Read documents for facts and add both; texts that are there whole are passed over.

        Args:
            documents: in the order of telling.
            config: passed on with every model call.

        Returns:
            The ids of the documents and of the facts that were added; `delete` takes them all out again.
        """
        return self._runner(config).run(self._addition(documents))

    async def aadd_documents(self, documents: Sequence[Document], *, config: RunnableConfig | None = None) -> list[str]:
        """The same, awaited."""
        return await self._runner(config).arun(self._addition(documents))

    def add_facts(self, facts: GivenFacts, *, documents: Sequence[Document] = (), entities: Iterable[Entity] = ()) -> list[str]:
        """Add facts that are known already, checked; those that are there are passed over.

        Args:
            facts: as for `from_facts`.
            documents: the text that they were read in; it is not read again.
            entities: what is known of persons and places.

        Returns:
            The ids of the facts that stand.
        """
        return self._added(*self._runner(None).run(self._fact_ingestion(facts, documents, entities)))

    async def aadd_facts(
        self, facts: GivenFacts, *, documents: Sequence[Document] = (), entities: Iterable[Entity] = ()
    ) -> list[str]:
        """The same, awaited."""
        return self._added(*await self._runner(None).arun(self._fact_ingestion(facts, documents, entities)))

    def estimate(self, documents: Sequence[Document]) -> Estimate:
        """What `add_documents` would cost: calls, tokens and texts to embed. Nothing is called, nothing added.

        Args:
            documents: what would be added; texts of facts that only a model could find are not counted.
        """
        read = self._read(documents)
        step = ingest_trial(read.items, self.index, settings=self._extraction, reader_at=self.reader_at)
        return self._runner(None).estimate(step)

    def delete(self, ids: Sequence[str]) -> None:
        """Take facts and passages out by id, with their vectors and words; unknown ids are passed over.

        A passage takes along the facts that stand in it alone, and the last of a chapter takes the chapter along.
        """
        taken_out(self.index, lambda: self.index.remove(ids), axis=self.axis)

    def delete_source(self, source_id: str) -> int:
        """Take out every fact and passage of a text. Returns how many there were."""
        return taken_out(self.index, lambda: self.index.remove_source(source_id), axis=self.axis)

    @property
    def _extraction(self) -> FactSettings:
        settings = extraction_settings(self.extract, self.index.ontology)
        return settings if isinstance(self.extract, FactSettings) else replace(settings, calendar=self.calendar)

    def _read(self, documents: Sequence[Document]) -> Extraction[Passage]:
        return story_passages(documents, keys=self.keys, source_key=self.source_key)

    def _addition(self, documents: Sequence[Document]) -> Step[list[str]]:
        read, known = self._read(documents), {*self._ids()}
        done = yield from ingest_told(read.items, self.index, settings=self._extraction, axis=self.axis)
        self._added(done, read.issues)
        return [name for name in self._ids() if name not in known]

    def _ids(self) -> Iterable[str]:
        """The ids of all that is held, passages first."""
        return (item.id for items in (self.index.passages, self.index.facts) for item in items)

    def _fact_ingestion(
        self, facts: GivenFacts, documents: Sequence[Document], entities: Iterable[Entity]
    ) -> Step[tuple[StoryIngested, tuple[Issue, ...]]]:
        read = self._read(documents)
        done = yield from ingest_given(facts, read.items, self.index, entities=checked_entities(entities), axis=self.axis)
        return done, read.issues

    def _added(self, done: StoryIngested, unread: tuple[Issue, ...]) -> list[str]:
        issues = unread + done.issues
        self.issues += issues
        self.uncertain += done.uncertain
        log_issues(f"{counted(done.added, 'fact')} added", issues)
        return list(done.ids)
