"""LangChain documents as passages and back. Documents that come in are never changed; those that go out are copies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.documents import Document

from chronotope.metadata import MetadataKeys, plain, read_times, write_times
from chronotope.records import Hit, Issue, Passage, content_id
from chronotope.text import clean, is_blank

__all__ = ["DATE", "SCORE", "dated_copy", "read_documents", "to_document", "to_hits", "to_passage"]

DATE = "date"
SCORE = "relevance_score"
DEFAULT_KEYS = MetadataKeys()
_SHOWN = 3  # times in a date for people; of more, the first and the last


def read_documents(
    documents: Iterable[Document], *, keys: MetadataKeys = DEFAULT_KEYS, source_key: str = "source_id"
) -> tuple[list[tuple[Document, Passage]], tuple[Issue, ...]]:
    """Documents with their passages, and what could not be read; blank ones are left out and counted in one issue.

    Args:
        documents: any LangChain documents.
        keys: where their times are.
        source_key: metadata key that chunks of one text share.

    Raises:
        TypeError: something else is among them, such as a text.
    """
    documents = list(documents)
    for document in documents:
        if not isinstance(document, Document):
            raise TypeError(f"documents must be LangChain documents, such as Document(…), not {type(document).__name__}")
    kept = [document for document in documents if not is_blank(document.page_content)]
    read = [to_passage(document, keys=keys, source_key=source_key) for document in kept]
    issues = tuple(issue for _, found in read for issue in found)
    if blank := len(documents) - len(kept):
        issues += (Issue("blank", f"{blank} of {len(documents)} documents hold no text and were left out"),)
    return [(document, passage) for document, (passage, _) in zip(kept, read, strict=True)], issues


def to_passage(
    document: Document, *, keys: MetadataKeys = DEFAULT_KEYS, source_key: str = "source_id"
) -> tuple[Passage, tuple[Issue, ...]]:
    """Read one document, and say what of its times could not be read.

    The id is the document's own, else a hash of its text, its source, its metadata and when it was written: the same document
    gives the same id on every run, and two notices with the same words on two days stay two.
    """
    metadata = plain(document.metadata)
    kept = {key: value for key, value in metadata.items() if key not in keys.all}
    source = str(metadata.get(source_key) or "")
    told = read_times(document.metadata, keys=keys)
    name = document.id or content_id(source, document.page_content, told.published, _hashed(kept))
    text = clean(document.page_content)
    start, end = _span(metadata, len(text))
    passage = Passage(text, name, source, start, end, told.times, told.static, told.published, kept)
    return passage, tuple(replace(issue, source_id=name) for issue in told.issues)


def to_document(passage: Passage, *, keys: MetadataKeys = DEFAULT_KEYS, score: float | None = None) -> Document:
    """Write a passage as a document; its metadata always has a `date` for people, an empty text when none is known.

    Args:
        passage: what to write.
        keys: names for the times.
        score: stored as `relevance_score`.
    """
    metadata: dict[str, Any] = {
        **plain(passage.metadata),
        **write_times(passage.times, static=passage.static, published=passage.published, keys=keys),
    }
    metadata[DATE] = metadata.get(DATE) or _when(passage)
    if score is not None:
        metadata[SCORE] = float(score)
    return Document(id=passage.id, page_content=passage.text, metadata=metadata)


def dated_copy(document: Document, passage: Passage, *, keys: MetadataKeys = DEFAULT_KEYS) -> Document:
    """A copy of a document that carries the times of a passage; date objects become ISO texts, since stores refuse them."""
    times = write_times(passage.times, static=passage.static, published=passage.published, keys=keys)
    metadata = plain(document.metadata)
    return document.model_copy(update={"metadata": {**metadata, **times}})


def to_hits(documents: Sequence[Document], *, keys: MetadataKeys = DEFAULT_KEYS) -> tuple[Hit, ...]:
    """Read retrieved documents; where none has a score, their order is the score."""
    ranks = [1 / (1 + rank) for rank in range(len(documents))]
    scored = all(isinstance(document.metadata.get(SCORE), (int, float)) for document in documents)
    scores = [float(document.metadata[SCORE]) for document in documents] if scored else ranks
    return tuple(Hit(to_passage(document, keys=keys)[0], score) for document, score in zip(documents, scores, strict=True))


def _when(passage: Passage) -> str:
    if len(passage.times) > _SHOWN:
        return f"{passage.times[0]} … {passage.times[-1]}"
    if passage.times:
        return "; ".join(map(str, passage.times))
    return str(passage.published) if passage.published else ""


def _hashed(metadata: Mapping[str, Any]) -> str:
    told = {key: value for key, value in metadata.items() if key != SCORE}
    return json.dumps(told, sort_keys=True, ensure_ascii=False)


def _span(metadata: Mapping[str, Any], length: int) -> tuple[int | None, int | None]:
    """Where the text stands in its source; a splitter that could not tell wrote a negative start."""
    start = metadata.get("char_start", metadata.get("start_index"))
    if not isinstance(start, int) or start < 0:
        return None, None
    end = metadata.get("char_end")
    return start, end if isinstance(end, int) and end >= start else start + length
