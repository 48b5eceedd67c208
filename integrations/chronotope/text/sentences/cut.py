"""Text in, sentences out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from chronotope.text.characters import clean
from chronotope.text.sentences import chinese, western
from chronotope.text.sentences.stops import Stop, candidates, read_stop
from chronotope.text.sentences.words import Words, words_of
from chronotope.text.spans import Span

__all__ = ["sentence_spans"]

_LONGEST_SENTENCE = 4_000  # characters; a run without a stop is cut so that every later stage has a bound
_SPACE = re.compile(r"\s*")


def sentence_spans(text: str, *, language: str | None = None) -> list[Span]:
    """Sentences as spans that partition the text; white space belongs to the sentence before it.

    Args:
        text: any text; Chinese and Japanese print is read by its own rules wherever it stands.
        language: ISO code that adds the abbreviations of a language (de, es, fr, it, nl, pt) to those read in every text.

    >>> text = "“Who?” Dr. Lee asked. “He. Not I.”"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['“Who?” Dr. Lee asked. ', '“He. ', 'Not I.”']
    """
    if not text:
        return []
    starts = [0, *_starts(clean(text), words_of(language)), len(text)]
    return [piece for span in pairwise(starts) for piece in _bounded(text, span)]


def _starts(text: str, words: Words) -> Iterator[int]:
    """Where sentences start, but for the first."""
    begin = _SPACE.match(text).end()  # type: ignore[union-attr]  # matches nothing as well
    for found in candidates(text):
        if found.start() < begin:
            continue
        stop = chinese.closed(read_stop(found, begin))
        if stop.after < len(text) and _ends(stop, words):
            yield stop.after
            begin = stop.after


def _ends(stop: Stop, words: Words) -> bool:
    if stop.ends_paragraph:
        return True
    return chinese.ends(stop) if stop.is_cjk else western.ends(stop, words)


def _bounded(text: str, span: Span) -> list[Span]:
    pieces, start = [], span[0]
    while span[1] - start > _LONGEST_SENTENCE:
        blank = text.rfind(" ", start + _LONGEST_SENTENCE // 2, start + _LONGEST_SENTENCE)
        cut = blank + 1 if blank >= 0 else start + _LONGEST_SENTENCE
        pieces.append((start, cut))
        start = cut
    return [*pieces, (start, span[1])]
