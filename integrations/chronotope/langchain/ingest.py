"""Adding documents to an index or a store, as a step: read, annotated, and written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from chronotope.diachronic import AnnotateMode, AnnotateSettings, DiachronicIndex, annotate
from chronotope.langchain.convert import dated_copy, read_documents
from chronotope.metadata import MetadataKeys
from chronotope.records import Issue, Passage
from chronotope.steps import Step, call
from chronotope.temporal.settings import CalendarSettings

__all__ = ["Ingest"]


@dataclass(frozen=True)
class Ingest:
    """One batch of documents on its way into a retriever; the fields are those of the retriever.

    Attributes:
        issues: what was guessed, refused or left out, once the step has run.
    """

    index: DiachronicIndex | None
    store: VectorStore | None
    keys: MetadataKeys
    source_key: str
    mode: AnnotateMode | None
    calendar: CalendarSettings
    issues: list[Issue] = field(default_factory=list)

    def step(self, documents: Sequence[Document]) -> Step[list[str]]:
        """Add what is new; either all of it or, when an error is raised, none. Gives the ids of all documents."""
        read, issues = read_documents(documents, keys=self.keys, source_key=self.source_key)
        self.issues.extend(issues)
        known = yield from self._known([passage.id for _, passage in read])
        fresh = {passage.id: (document, passage) for document, passage in read if passage.id not in known}
        passages = yield from self._annotated([passage for _, passage in fresh.values()])
        if self.index is not None:
            yield from self.index.add(passages)
        elif self.store is not None and passages:
            copies = [
                dated_copy(document, passage, keys=self.keys)
                for (document, _), passage in zip(fresh.values(), passages, strict=True)
            ]
            yield from _written(self.store, copies, list(fresh))
        return [passage.id for _, passage in read]

    def _annotated(self, passages: Sequence[Passage]) -> Step[Sequence[Passage]]:
        if self.mode is None:
            return passages
        found = yield from annotate(passages, settings=AnnotateSettings(mode=self.mode, calendar=self.calendar))
        self.issues.extend(found.issues)
        return found.items

    def _known(self, ids: Sequence[str]) -> Step[set[str]]:
        if self.index is not None:
            return {name for name in ids if name in self.index}
        if self.store is None or not ids:
            return set()
        try:
            found = yield from call(partial(self.store.get_by_ids, ids), partial(self.store.aget_by_ids, ids))
        except NotImplementedError:
            return set()  # such a store is told the ids and must see to repeated ones itself
        return {document.id for document in found if document.id}


def _written(store: VectorStore, documents: list[Document], ids: list[str]) -> Step[object]:
    return call(partial(store.add_documents, documents, ids=ids), partial(store.aadd_documents, documents, ids=ids))
