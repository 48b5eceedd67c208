"""Facts as LangChain documents, and the documents of a story as passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from langchain_core.documents import Document

from chronotope.langchain.convert import DATE
from chronotope.langchain.event_documents import placed_document, read_event_documents
from chronotope.langchain.pieces import checked_documents
from chronotope.metadata import MetadataKeys
from chronotope.records import Extraction, Hit, Passage
from chronotope.slices.documents.chaptered import CHAPTER_NUMBER
from chronotope.slices.documents.from_passages import COORDINATES
from chronotope.slices.documents.stored import FACTS_KEY

__all__ = ["fact_document", "story_passages"]


def fact_document(hit: Hit, *, keys: MetadataKeys) -> Document:
    """A fact or a passage as a document; what a fact says and where it stands is its date for people, so that tools print it.

    Args:
        hit: what was found.
        keys: names for the times.
    """
    passage = hit.passage
    if where := passage.metadata.get(COORDINATES):
        # A few copied words may not say of whom they tell.
        passage = replace(passage, metadata={**passage.metadata, DATE: f"{passage.metadata['statement']}; {where}"})
    document = placed_document(passage, keys=keys, score=hit.score)
    number = passage.metadata.get(CHAPTER_NUMBER)
    if number is not None and not document.metadata.get(DATE):
        document.metadata[DATE] = f"chapter {number}"
    return document


def story_passages(documents: Sequence[Document], *, keys: MetadataKeys, source_key: str) -> Extraction[Passage]:
    """Documents of a story as passages, under the names that they have without the facts that were read in them.

    Args:
        documents: never changed; blank ones are left out.
        keys: where their dates are.
        source_key: metadata key that chunks of one text share.

    Raises:
        TypeError: something else is among them, such as a text.
    """
    given = checked_documents(documents)
    bare = [_bare(document) for document in given]
    told = {id(one): document.metadata.get(FACTS_KEY) for one, document in zip(bare, given, strict=True)}
    read = read_event_documents(bare, keys=keys, source_key=source_key)
    found = [(passage, told[id(one.document)]) for one, passage in zip(read.given, read.passages, strict=True)]
    with_facts = (replace(passage, metadata={**passage.metadata, FACTS_KEY: text}) if text else passage for passage, text in found)
    return Extraction(tuple(with_facts), read.issues)


def _bare(document: Document) -> Document:
    return document.model_copy(update={"metadata": {key: value for key, value in document.metadata.items() if key != FACTS_KEY}})
