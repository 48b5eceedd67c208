"""Windows and passages: whole sentences up to a size in tokens."""

from __future__ import annotations

from collections.abc import Sequence

from chronotope.records import Document, Passage
from chronotope.text.characters import clean
from chronotope.text.sentences import sentence_spans
from chronotope.text.spans import Span, paragraph_spans, trimmed
from chronotope.tokens import TokenCounter, count_tokens

__all__ = ["split_passages", "window_spans"]


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
    spans = [kept for span in _joined(text, pieces, max_tokens, count) if (kept := trimmed(text, span))]
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
