"""Documents on their way into an index or a store: read here, the rest is the core's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from chronotope.diachronic import AnnotateSettings, DiachronicIndex, IndexWriter, Ingested, PassageWriter, ingest
from chronotope.langchain.convert import dated_copy, read_documents
from chronotope.metadata import MetadataKeys
from chronotope.records import Passage
from chronotope.steps import Step, call, embed

__all__ = ["ingestion", "trial"]


def ingestion(
    place: DiachronicIndex | VectorStore,
    documents: Sequence[Document],
    *,
    keys: MetadataKeys,
    source_key: str,
    annotation: AnnotateSettings | None,
) -> Step[Ingested]:
    """Add what is new among documents.

    Args:
        place: where they go.
        documents: in reading order.
        keys: where their times are.
        source_key: metadata key that chunks of one text share.
        annotation: how documents without times get them; None leaves them as they are.
    """
    read, issues = read_documents(documents, keys=keys, source_key=source_key)
    originals = {passage.id: document for document, passage in read}
    writer: PassageWriter = IndexWriter(place) if isinstance(place, DiachronicIndex) else _StoreWriter(place, originals, keys)
    done = yield from ingest([passage for _, passage in read], writer, annotation=annotation)
    return replace(done, issues=issues + done.issues)


def trial(
    index: DiachronicIndex | None,
    documents: Sequence[Document],
    *,
    keys: MetadataKeys,
    source_key: str,
    annotation: AnnotateSettings | None,
) -> Step[object]:
    """The same for an estimate: nothing is written, and a store (no index) is neither asked nor does its embedding count."""
    passages = [passage for _, passage in read_documents(documents, keys=keys, source_key=source_key)[0]]
    writer = _DryWriter(DiachronicIndex("") if index is None else index, counted=index is not None)
    return ingest(passages, writer, annotation=annotation)


@dataclass(frozen=True)
class _DryWriter(IndexWriter):
    """Asks for the vectors, where they count, and keeps nothing."""

    counted: bool = True

    def write(self, passages: Sequence[Passage]) -> Step[object]:
        return embed([passage.text for passage in passages] if self.counted else [])


@dataclass(frozen=True)
class _StoreWriter:
    """Writes the app's own documents, dated, into its own store."""

    store: VectorStore
    originals: Mapping[str, Document]
    keys: MetadataKeys

    def known(self, passages: Sequence[Passage]) -> Step[Mapping[str, str]]:
        """Ask the store for the ids."""
        ids = [passage.id for passage in passages]
        try:
            found = (yield from call(partial(self.store.get_by_ids, ids), partial(self.store.aget_by_ids, ids))) if ids else []
        except NotImplementedError:
            return {}  # such a store is told the ids and must see to repeated ones itself
        return {document.id: document.id for document in found if document.id}

    def write(self, passages: Sequence[Passage]) -> Step[object]:
        """Add copies that carry the times, under the ids of the passages."""
        copies = [dated_copy(self.originals[passage.id], passage, keys=self.keys) for passage in passages]
        ids = [passage.id for passage in passages]
        return call(partial(self.store.add_documents, copies, ids=ids), partial(self.store.aadd_documents, copies, ids=ids))
