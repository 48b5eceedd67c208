"""Sentences as exact spans that partition the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from chronotope.text.characters import clean
from chronotope.text.spans import Span

__all__ = ["sentence_spans"]

_LONGEST_SENTENCE = 4_000  # characters; a run without a stop is cut so that every later stage has a bound
_STRETCH, _MARGIN = 8_000, 2_000  # characters read at once, and how many of them may still change with what follows
_SPACE = re.compile(r"\s*")


def sentence_spans(text: str, *, language: str = "en") -> list[Span]:
    """Sentences as spans that partition the text; white space belongs to the sentence before it.

    Args:
        text: any text; full-width stops of Chinese and Japanese end sentences too.
        language: ISO code that picks the abbreviations.

    >>> [("Dr. Lee left. He ran.")[a:b] for a, b in sentence_spans("Dr. Lee left. He ran.")]
    ['Dr. Lee left. ', 'He ran.']
    """
    starts, reached = [0], _past_space(text, 0)
    for start in _starts(clean(text), language):
        if start > reached:
            reached = _past_space(text, start)
            starts += [reached] if reached < len(text) else []
    starts = [*starts, len(text)] if text else starts
    return [piece for span in pairwise(starts) for piece in _bounded(text, span)]


def _past_space(text: str, start: int) -> int:
    return _SPACE.match(text, start).end()  # type: ignore[union-attr]  # matches nothing as well


def _starts(text: str, language: str) -> Iterator[int]:
    """Where sentences start, read stretch by stretch: the library needs quadratic time for one long paragraph of Chinese."""
    from sentencex import get_sentence_boundaries

    begin, size = 0, _STRETCH
    while begin < len(text):
        starts = [begin + boundary["start_index"] for boundary in get_sentence_boundaries(language, text[begin : begin + size])]
        if begin + size >= len(text):
            yield from starts
            return
        settled = [start for start in starts if begin < start <= begin + size - _MARGIN]
        yield from settled
        begin, size = (settled[-1], _STRETCH) if settled else (begin, 2 * size)


def _bounded(text: str, span: Span) -> list[Span]:
    pieces, start = [], span[0]
    while span[1] - start > _LONGEST_SENTENCE:
        blank = text.rfind(" ", start + _LONGEST_SENTENCE // 2, start + _LONGEST_SENTENCE)
        cut = blank + 1 if blank >= 0 else start + _LONGEST_SENTENCE
        pieces.append((start, cut))
        start = cut
    return [*pieces, (start, span[1])]
