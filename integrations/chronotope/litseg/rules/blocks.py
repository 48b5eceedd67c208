"""Blocks: what segmentation by rules keeps whole. Paragraphs, or sentences where a paragraph is too long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chronotope.litseg.candidates import Candidate
from chronotope.text import paragraph_spans

__all__ = ["Block", "blocks", "size"]

# Chinese, Japanese and Korean writing says about as much in one character as an English text in three.
_DENSE = re.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, or a sentence of a very long one.

    Args:
        first: number of its first sentence in the candidate, from 1.
        text: its characters without the white space around it.
        size: its length in characters, white space included, see `size`.
        opens: True when it opens a paragraph.
        marked: True when a scene divider is printed before it.
        heading: True when it is part of the heading of the unit.
    """

    first: int
    text: str
    size: int
    opens: bool = True
    marked: bool = False
    heading: bool = False

    @property
    def wordless(self) -> bool:
        """True for a divider, an ornament, white space."""
        return _WORD.search(self.text) is None


def size(text: str) -> int:
    """Length in characters, where one of Chinese, Japanese or Korean counts as three.

    >>> size("Emma"), size("黛玉")
    (4, 6)
    """
    return len(text) if text.isascii() else len(text) + 2 * sum(len(run) for run in _DENSE.findall(text))


def blocks(candidate: Candidate, *, longest: int) -> list[Block]:
    """The blocks of a candidate in order; they partition its sentences.

    Args:
        candidate: what is to be segmented.
        longest: size from which a paragraph is taken sentence by sentence.
    """
    unit, text = candidate.unit, candidate.text
    marks = set(unit.marks)
    found = []
    for first, last in _paragraphs(candidate):
        start, end = candidate.sentences[first - 1][0], candidate.sentences[last - 1][1]
        whole = size(text[start:end])
        pieces = [(first, last)] if whole <= longest else [(index, index) for index in range(first, last + 1)]
        for a, z in pieces:
            left, right = candidate.sentences[a - 1][0], candidate.sentences[z - 1][1]
            piece = text[left:right]
            own = whole if len(pieces) == 1 else size(piece)
            found.append(Block(a, piece.strip(), own, a == first, left in marks, left < unit.body_start))
    return found


def _paragraphs(candidate: Candidate) -> Iterator[tuple[int, int]]:
    """First and last sentence of each paragraph."""
    body = candidate.unit.body_start
    starts = {body + start for start, _ in paragraph_spans(candidate.text[body : candidate.unit.end])}
    opened = 1
    for index, (start, _) in enumerate(candidate.sentences, 1):
        if index > opened and start in starts:
            yield opened, index - 1
            opened = index
    if candidate.sentences:
        yield opened, len(candidate)
