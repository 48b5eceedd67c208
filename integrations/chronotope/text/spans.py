"""Exact stretches of a text: `text[start:end]` is the piece."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TypeAlias

from chronotope.text.characters import is_blank

__all__ = ["Span", "paragraph_spans", "trimmed"]

Span: TypeAlias = tuple[int, int]

_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")


def paragraph_spans(text: str) -> list[Span]:
    r"""Paragraphs as spans that partition the text; blank lines belong to the paragraph before them.

    >>> paragraph_spans("One.\n\nTwo.")
    [(0, 6), (6, 10)]
    """
    if not text:
        return []
    borders = [0, *(match.end() for match in _BLANK_LINES.finditer(text) if 0 < match.end() < len(text)), len(text)]
    return list(pairwise(borders))


def trimmed(text: str, span: Span) -> Span | None:
    r"""The span without the white space around it; None when it holds nothing to read.

    >>> trimmed("a  b \n", (1, 6))
    (3, 4)
    """
    piece = text[span[0] : span[1]]
    if is_blank(piece):
        return None
    start = span[0] + len(piece) - len(piece.lstrip())
    return (start, start + len(piece.strip()))
