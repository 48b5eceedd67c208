"""What events are extracted from: whole documents, or passages that were cut from documents before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from chronotope.naming.rule_names import plain_name
from chronotope.records import Document, Passage, Scalar
from chronotope.temporal.interval import TimeInterval
from chronotope.text import clean

__all__ = ["Piece", "Source", "gathered"]

_BEHIND_NAME = re.compile(
    r"\s*(?:[\[(:;].*|,(?!\s*(?:[JS]r\b|I{2,3}\b|IV\b|\d{3}\b(?!\d))).*|[,–—-]?\s*\b\d{3,4}\s*[-–—]\s*(?:\d{2,4})?\s*)\Z"
)


@dataclass(frozen=True)
class Piece:
    """A stretch of a source, as it was given.

    Args:
        text: its text, with signs that nothing can carry replaced.
        start: where it begins in the source, None when unknown.
        published: when the source was written.
        metadata: what its events inherit.
    """

    text: str
    start: int | None
    published: TimeInterval | None
    metadata: Mapping[str, Scalar]


@dataclass(frozen=True)
class Source:
    """The pieces of one source in reading order, and what the whole is about.

    Args:
        id: id of the document.
        title: its title, empty where there is none.
        pieces: one for a document; the passages of a document that was cut.
    """

    id: str
    title: str
    pieces: tuple[Piece, ...]

    @property
    def subject(self) -> str:
        """The name in the title, without what tells it from others or says more: "Mercury (planet)", "Ann Lee, 1850-1916"."""
        return plain_name(_BEHIND_NAME.sub("", self.title)) or self.title


def gathered(inputs: Iterable[Document | Passage], title_key: str) -> list[Source]:
    """The sources of documents and passages, in the order in which each first appears; passages in reading order.

    Args:
        inputs: documents, or passages whose `source_id` says what they were cut from.
        title_key: metadata key of a title.
    """
    pieces: dict[str, list[Piece]] = {}
    titles: dict[str, str] = {}
    for item in inputs:
        name = item.id if isinstance(item, Document) else item.source_id or item.id
        start = 0 if isinstance(item, Document) else item.char_start
        pieces.setdefault(name, []).append(Piece(clean(item.text), start, item.published, item.metadata))
        titles[name] = titles.get(name) or " ".join(str(item.metadata.get(title_key) or "").split())
    return [Source(name, titles[name], _in_order(parts)) for name, parts in pieces.items()]


def _in_order(pieces: list[Piece]) -> tuple[Piece, ...]:
    if any(piece.start is None for piece in pieces):
        return tuple(pieces)
    return tuple(sorted(pieces, key=lambda piece: piece.start or 0))
