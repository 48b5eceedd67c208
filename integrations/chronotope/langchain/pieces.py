"""Segments and their children as LangChain documents, and where a document stands in the text that it was cut from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.documents import Document

from chronotope.litseg import Segment, linked
from chronotope.litseg.children import children
from chronotope.litseg.options import file_names, type_name
from chronotope.litseg.reading import AFTER, BEFORE, frame
from chronotope.metadata import plain
from chronotope.records import Document as Source
from chronotope.records import Extraction, Issue, Passage, content_id
from chronotope.text import Span, clean, is_blank

__all__ = ["PLACES", "Given", "Writer", "as_documents", "checked_documents", "checked_text", "findable", "read_given"]

PLACES = ("char_start", "char_end", "start_index")
_OF_SEGMENTS = (BEFORE, AFTER, "context", "sentences", "turning_points", "previous_id", "next_id")


@dataclass(frozen=True, eq=False)
class Given:
    """A document that is to be cut; it is never changed.

    Args:
        document: as it was given.
        source: its text under the id that its parts are named after.
        base: where its text begins in the text that it was cut from, 0 for a whole one; None when that cannot be told.
    """

    document: Document
    source: Source
    base: int | None


def read_given(documents: Iterable[Document]) -> tuple[list[Given], tuple[Issue, ...]]:
    """The documents that hold text, in order, and issues: one for the blank ones, one for each name of a file.

    Raises:
        TypeError: something else is among them, or given in their place.
    """
    documents = checked_documents(documents)
    kept = [_given(document) for document in documents if not is_blank(clean(document.page_content))]
    blank = len(documents) - len(kept)
    told = f"{blank} of {len(documents)} documents hold no text and were left out"
    names = file_names(document.page_content for document in documents)
    return kept, ((Issue("blank", told),) if blank else ()) + names


def checked_documents(documents: Any) -> list[Document]:  # noqa: ANN401 - whatever a caller gave
    """Documents as they were given.

    Raises:
        TypeError: there is one thing instead of several, or something else is among them, such as a text.
    """
    if isinstance(documents, (str, Document)) or not isinstance(documents, Iterable):
        raise TypeError(f"documents must be a list of LangChain documents, such as [Document(…)], not one {type_name(documents)}")
    found: list[Document] = list(documents)
    for document in found:
        if not isinstance(document, Document):
            raise TypeError(f"documents must be LangChain documents, such as Document(…), not {type_name(document)}")
    return found


@dataclass(frozen=True, kw_only=True)
class Writer:
    """How parts become documents.

    Args:
        shown: the text of a segment has its subtitle and context.
        id_key: metadata key under which a child names its segment.
        start_index: also write where a part begins as `start_index`.
    """

    shown: bool = False
    id_key: str = "doc_id"
    start_index: bool = False

    def segments(self, given: Given, found: Extraction[Segment]) -> list[tuple[Segment, Document]]:
        """The segments of a document, in order, each with its offsets in the text that the document was cut from."""
        placed = linked([_placed(segment, given.base) for segment in found.items])
        return [(segment, self._segment(given, segment)) for segment in placed]

    def children(self, given: Given, parent: Segment, *, max_tokens: int) -> list[Document]:
        """The small pieces of a segment, which name it.

        Args:
            given: the document.
            parent: one of its segments.
            max_tokens: largest size of a piece in tokens.
        """
        pieces = children(parent, max_tokens=max_tokens)
        return [self._piece(given, piece, {**piece.metadata, self.id_key: parent.id}) for piece in pieces]

    def pieces(self, given: Given, *, max_tokens: int) -> list[Document]:
        """The small pieces of a document that is a segment itself.

        Args:
            given: the segment.
            max_tokens: largest size of a piece in tokens.
        """
        parent = Source(given.document.page_content, id=given.document.id or given.source.id)
        pieces = children(parent, max_tokens=max_tokens, start=given.base or 0)
        return [self._piece(given, piece, piece.metadata) for piece in pieces]

    def _piece(self, given: Given, piece: Passage, told: Mapping[str, Any]) -> Document:
        made = self._document(given, piece.id, piece.text, told, (piece.char_start or 0, piece.char_end or 0))
        made.metadata = {key: value for key, value in made.metadata.items() if key not in _OF_SEGMENTS}
        return made

    def _segment(self, given: Given, segment: Segment) -> Document:
        told: dict[str, Any] = {**segment.metadata, **frame(segment)}
        if given.base is None:
            told.pop("context", None)
        text = segment.shown() if self.shown else segment.text
        return self._document(given, segment.id, text, told, (segment.char_start, segment.char_end))

    def _document(self, given: Given, name: str, text: str, told: Mapping[str, Any], span: Span) -> Document:
        kept = {key: value for key, value in deepcopy(given.document.metadata).items() if key not in PLACES}
        metadata = {"source_id": given.source.id, **kept, **told}
        if given.base is not None:
            metadata |= {"char_start": span[0], "char_end": span[1]}
            if self.start_index:
                metadata["start_index"] = span[0]
        return Document(id=name, page_content=text, metadata=metadata)


def as_documents(texts: Any, metadatas: Any) -> list[Document]:  # noqa: ANN401 - whatever a caller gave
    """Whole texts as documents, each with its metadata where there are any.

    Raises:
        TypeError: there is one text or one metadata instead of several, or something that is no text.
        ValueError: there are more or fewer metadatas than texts.
    """
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise TypeError(f"texts must be a list of texts, such as [text], not one {type_name(texts)}")
    if isinstance(metadatas, Mapping):
        raise TypeError("metadatas must be a list of one dict for each text, such as [metadata], not a single dict")
    given = [checked_text(text) for text in texts]
    told = list(metadatas) if metadatas is not None else [{} for _ in given]
    if len(told) != len(given):
        raise ValueError(f"each text needs its metadata: there are {len(given)} texts and {len(told)} metadatas")
    return [Document(text, metadata=metadata) for text, metadata in zip(given, told, strict=True)]


def checked_text(text: Any) -> str:  # noqa: ANN401 - whatever a caller gave
    """A text as it was given.

    Raises:
        TypeError: it is something else, such as a path.
    """
    if isinstance(text, str):
        return text
    if isinstance(text, os.PathLike):
        raise TypeError(f"a path is no text: give {text!r}.read_text(encoding='utf-8')")
    raise TypeError(f"a text must be a str, not {type_name(text)}")


def findable(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans, joined where needed so that a search for one text after the other finds each at its own place.

    Args:
        text: what they are spans of.
        spans: in order. One whose words also stand earlier, behind the beginning of the one before, joins that one; the first, if
            its words stand earlier, joins the next.
    """
    kept: list[Span] = []
    waiting: int | None = None
    for begin, end in spans:
        start = begin if waiting is None else waiting
        after = kept[-1][0] + 1 if kept else 0
        if text.find(text[start:end], after, end) == start:
            kept.append((start, end))
            waiting = None
        elif kept:
            kept[-1] = (min(start, kept[-1][0]), max(end, kept[-1][1]))
        else:
            waiting = start
    return [*kept, (waiting, spans[-1][1])] if waiting is not None else kept


def _given(document: Document) -> Given:
    text, metadata = document.page_content, document.metadata
    base = _base(metadata, len(text))
    told = json.dumps(plain(metadata), sort_keys=True, ensure_ascii=False)
    name = document.id or content_id("document", text, told)
    if base is not None and not metadata.keys().isdisjoint(PLACES):
        name = str(metadata.get("source_id") or name)  # a chunk, whose place tells it from others of the same source
    return Given(document, Source(text, id=name), base)


def _base(metadata: Mapping[str, Any], length: int) -> int | None:
    """Where a text begins; a splitter that could not tell wrote a negative start, and a rewritten text has another length."""
    start = metadata.get("char_start", metadata.get("start_index", 0))
    end = metadata.get("char_end", start + length) if isinstance(start, int) else None
    return start if end is not None and start >= 0 and end - start == length else None


def _placed(segment: Segment, base: int | None) -> Segment:
    if not base:
        return segment
    context = tuple((start + base, end + base) for start, end in segment.context)
    start, end = segment.char_start + base, segment.char_end + base
    return replace(segment, char_start=start, char_end=end, context=context, id="")
