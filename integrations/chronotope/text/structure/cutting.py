"""Units that are too long, in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chronotope.text.sentences import sentence_spans
from chronotope.text.spans import Span, paragraph_spans
from chronotope.text.structure.words import count_words, word_starts
from chronotope.text.units import Unit

__all__ = ["cut_unit"]


def cut_unit(text: str, unit: Unit, *, max_words: int) -> tuple[Unit, ...]:
    """The unit in pieces, cut between paragraphs, then between sentences, then between words, each as full as it can be.

    Args:
        text: that the unit is of.
        unit: to cut; returned as it is when it is short enough.
        max_words: of a piece, in words; each Chinese or Japanese character counts as one.

    Raises:
        ValueError: `max_words` is not positive.
    """
    if max_words < 1:
        raise ValueError(f"max_words must be at least 1, not {max_words}")
    if count_words(text[unit.start : unit.end]) <= max_words:
        return (unit,)
    borders, words = [unit.start], 0
    for start, end in _smallest(text, unit, max_words):
        size = count_words(text[start:end])
        if words and words + size > max_words:
            borders.append(start)
            words = 0
        words += size
    return tuple(_piece(unit, (start, end), number) for number, (start, end) in enumerate(_spans(borders, unit.end), 1))


def _spans(borders: list[int], end: int) -> Iterator[Span]:
    return zip(borders, [*borders[1:], end], strict=True)


def _piece(unit: Unit, span: Span, number: int) -> Unit:
    start, end = span
    marks = tuple(mark for mark in unit.marks if start <= mark < end)
    return replace(unit, start=start, end=end, body_start=min(max(unit.body_start, start), end), marks=marks, piece=number)


def _smallest(text: str, unit: Unit, max_words: int) -> Iterator[Span]:
    """Paragraphs; sentences of those that are too long; runs of words of sentences that are too long."""
    for start, end in paragraph_spans(text[unit.start : unit.end]):
        paragraph = (unit.start + start, unit.start + end)
        if count_words(text[slice(*paragraph)]) <= max_words:
            yield paragraph
            continue
        for first, last in sentence_spans(text[slice(*paragraph)]):
            yield from _words(text, (paragraph[0] + first, paragraph[0] + last), max_words)


def _words(text: str, span: Span, max_words: int) -> Iterator[Span]:
    starts = word_starts(text, *span)
    borders = [span[0], *starts[max_words::max_words]]
    yield from _spans(borders, span[1])
