"""Cutting text without changing it: sentences, windows and passages as exact character spans.

Spans always partition the text they were taken from: nothing is lost, nothing is changed, and `text[start:end]` is the piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from chronotope.records import Document, Passage
from chronotope.tokens import TokenCounter, count_tokens

__all__ = ["Span", "clean", "is_blank", "paragraph_spans", "sentence_spans", "split_passages", "window_spans"]

Span: TypeAlias = tuple[int, int]

_UNSENDABLE = re.compile("[\ud800-\udfff\x00]")
_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_LONGEST_SENTENCE = 4_000  # characters; a run without a stop is cut so that every later stage has a bound
_STRETCH, _MARGIN = 8_000, 2_000  # characters read at once, and how many of them may still change with what follows
_SPACE = re.compile(r"\s*")
_INK = re.compile(r"[^\s\ufeff\ufffd\u200b-\u200f\u2060]")


def clean(text: str) -> str:
    r"""The text with lone surrogates and NUL bytes replaced one for one, so that every offset stays valid.

    >>> clean("a\x00b") == "a\ufffdb"
    True
    """
    return _UNSENDABLE.sub("\ufffd", text)


def is_blank(text: str) -> bool:
    r"""True when there is nothing to read: white space, byte order marks, and signs that stand for no character.

    >>> is_blank(" \n\ufeff"), is_blank(" a ")
    (True, False)
    """
    return _INK.search(text) is None


def paragraph_spans(text: str) -> list[Span]:
    r"""Paragraphs as spans that partition the text; blank lines belong to the paragraph before them.

    >>> paragraph_spans("One.\n\nTwo.")
    [(0, 6), (6, 10)]
    """
    if not text:
        return []
    borders = [0, *(match.end() for match in _BLANK_LINES.finditer(text) if 0 < match.end() < len(text)), len(text)]
    return list(pairwise(borders))


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


def window_spans(text: str, *, max_tokens: int, overlap: int = 0, count: TokenCounter = count_tokens) -> list[Span]:
    """Windows of whole sentences, each at most `max_tokens` long, repeating up to `overlap` tokens of the window before.

    Args:
        text: any text; a sentence longer than a window stands alone and may exceed it.
        max_tokens: size of a window in tokens.
        overlap: tokens repeated from the window before, in whole sentences.
        count: how tokens are counted.

    Raises:
        ValueError: the overlap is not smaller than the window.
    """
    if not 0 <= overlap < max_tokens:
        raise ValueError(f"overlap must be at least 0 and below max_tokens={max_tokens}, not {overlap}")
    sentences = sentence_spans(text)
    costs = [count(text[start:end]) for start, end in sentences]
    windows, first = [], 0
    while first < len(sentences):
        last, total = first + 1, costs[first]
        while last < len(sentences) and total + costs[last] <= max_tokens:
            total, last = total + costs[last], last + 1
        windows.append((sentences[first][0], sentences[last - 1][1]))
        if last == len(sentences):
            break
        first = _step_back(costs, first, last, min(overlap, max_tokens - costs[last]))  # the next sentence must fit as well
    return windows


def _step_back(costs: Sequence[int], first: int, last: int, overlap: int) -> int:
    repeated, start = 0, last
    while start - 1 > first and repeated + costs[start - 1] <= overlap:
        start -= 1
        repeated += costs[start]
    return start


def split_passages(document: Document, *, max_tokens: int = 256, count: TokenCounter = count_tokens) -> list[Passage]:
    """Cut a document into passages: neighbouring paragraphs joined up to the size, longer ones cut between sentences.

    Args:
        document: the source; its metadata and date are copied to each passage.
        max_tokens: largest size of a passage in tokens; a single sentence beyond it is cut between words.
        count: how tokens are counted.
    """
    text = clean(document.text)
    pieces = [
        piece
        for start, end in paragraph_spans(text)
        for a, b in window_spans(text[start:end], max_tokens=max_tokens, count=count)
        for piece in _capped(text, (start + a, start + b), max_tokens, count)
    ]
    spans = [trimmed for span in _joined(text, pieces, max_tokens, count) if (trimmed := _trim(text, span))]
    return [
        Passage(
            text[start:end],
            source_id=document.id,
            char_start=start,
            char_end=end,
            published=document.published,
            metadata=document.metadata,
        )
        for start, end in spans
    ]


def _capped(text: str, span: Span, max_tokens: int, count: TokenCounter) -> list[Span]:
    """The span in parts of at most `max_tokens`, halved at a blank where there is one."""
    start, end = span
    if end - start == 1 or count(text[start:end]) <= max_tokens:
        return [span]
    middle = (start + end) // 2
    blank = text.rfind(" ", start + (end - start) // 4, middle)
    cut = blank + 1 if blank >= 0 else middle
    return [*_capped(text, (start, cut), max_tokens, count), *_capped(text, (cut, end), max_tokens, count)]


def _joined(text: str, pieces: Sequence[Span], max_tokens: int, count: TokenCounter) -> list[Span]:
    spans: list[Span] = []
    size = 0
    for start, end in pieces:
        cost = count(text[start:end])
        if spans and size + cost <= max_tokens:
            spans[-1], size = (spans[-1][0], end), size + cost
        else:
            spans.append((start, end))
            size = cost
    return spans


def _trim(text: str, span: Span) -> Span | None:
    piece = text[span[0] : span[1]]
    if is_blank(piece):
        return None
    kept = piece.strip()
    start = span[0] + len(piece) - len(piece.lstrip())
    return (start, start + len(kept))
