"""Children: small pieces of a segment that are embedded in its place, since one vector says little about a long stretch."""

from __future__ import annotations

import re
from collections.abc import Mapping

from chronotope.litseg.segments import Segment
from chronotope.records import Document, Passage, Scalar, content_id
from chronotope.text import split_passages
from chronotope.tokens import TokenCounter, count_tokens

__all__ = ["CHILD_TOKENS", "SEGMENT_ID", "children"]

CHILD_TOKENS = 120
SEGMENT_ID = "segment_id"
_WORD = re.compile(r"\w")
_INHERITED = ("subtitle", "chapter", "chapter_number")


def children(
    parent: Segment | Document, *, max_tokens: int = CHILD_TOKENS, start: int = 0, count: TokenCounter = count_tokens
) -> tuple[Passage, ...]:
    r"""Paragraphs of a segment, short ones joined and long ones cut between sentences, each pointing to the segment.

    Args:
        parent: a segment, of which the main range is cut; or any text.
        max_tokens: largest size of a piece in tokens; a single sentence beyond it is cut between words.
        start: where a text begins in its source, in characters; a segment knows that itself.
        count: how tokens are counted.

    Returns:
        The pieces in order, without white space around them: exact slices of the source that hold every word of it, with ids that
        depend on nothing but the segment and the place, the segment's id under `segment_id`, and its subtitle and chapter.

    Raises:
        ValueError: `max_tokens` is below 1.

    >>> [piece.text for piece in children(Document("She knocked.\n\nNobody came.", id="a"), max_tokens=5)]
    ['She knocked.', 'Nobody came.']
    """
    if max_tokens < 1:
        raise ValueError(f"max_tokens must be at least 1, not {max_tokens}")
    inherited: Mapping[str, Scalar] = parent.metadata
    source_id = parent.id
    if isinstance(parent, Segment):
        start, source_id = parent.char_start, parent.source_id
        inherited = {key: inherited[key] for key in _INHERITED if key in inherited}
    pieces = split_passages(Document(parent.text, id=source_id), max_tokens=max_tokens, count=count)
    told = [piece for piece in pieces if _WORD.search(piece.text)] or pieces  # a scene divider alone is nothing to look for
    spans = [(start + (piece.char_start or 0), piece.text) for piece in told]
    return tuple(
        Passage(
            text,
            id=content_id("child", parent.id, at, at + len(text)),
            source_id=source_id,
            char_start=at,
            char_end=at + len(text),
            metadata={**inherited, SEGMENT_ID: parent.id},
        )
        for at, text in spans
    )
