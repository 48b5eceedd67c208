"""Headings of a user's own: what may be given, and what came of them; and what a structure keeps out of the units."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final, TypeAlias

from chronotope.records import Issue
from chronotope.text import Structure, is_blank, paragraph_spans, read_structure, sentence_spans

__all__ = ["Headings", "checked_headings", "structure_issues"]

Headings: TypeAlias = str | re.Pattern[str] | Sequence[int]
_EMPTY: Final = "headings must not be empty; None finds headings, (0,) takes the whole text as one unit"
_NAMES: Final = {
    "header": "a publisher's header",
    "title_page": "a title page",
    "contents": "a page of contents",
    "licence": "a licence",
}
_SHOWN: Final = 60  # characters of what was left out
_AROUND: Final = 20  # characters shown on either side of an offset


def checked_headings(headings: Headings | None) -> Headings | None:
    """The headings, offsets as a tuple, unless they could fit no text.

    Args:
        headings: a pattern that matches whole heading lines, or the offsets at which units start.

    Raises:
        ValueError: they are empty, the pattern is no regular expression, or the offsets are negative or do not rise.
        TypeError: they are neither a pattern nor offsets.
    """
    if headings is None:
        return None
    if isinstance(headings, (str, re.Pattern)):
        if not (headings.pattern if isinstance(headings, re.Pattern) else headings):
            raise ValueError(_EMPTY)
        read_structure("a text", headings=headings)  # refuses what is no regular expression
        return headings
    return _checked_offsets(headings)


def _checked_offsets(headings: Sequence[int]) -> tuple[int, ...]:
    """What can be said of offsets before there is a text."""
    if not isinstance(headings, Sequence) or any(isinstance(offset, bool) or not isinstance(offset, int) for offset in headings):
        raise TypeError(f"headings must be a pattern or offsets in characters (int), not {headings!r}")
    if not headings:
        raise ValueError(_EMPTY)
    if headings[0] < 0 or any(after <= before for before, after in pairwise(headings)):
        raise ValueError(f"headings must be offsets of 0 or more that rise, not {headings!r}")
    return tuple(headings)


def structure_issues(text: str, structure: Structure, headings: Headings | None) -> Iterator[Issue]:
    """What a user should know of how a text was divided: what stays outside, and headings that did not fit.

    Args:
        text: that was read.
        structure: its units and apparatus.
        headings: those that were given.
    """
    kept_out = sorted((part for part in structure.apparatus if not is_blank(text[part.start : part.end])), key=lambda p: p.kind)
    for kind, group in groupby(kept_out, key=lambda part: part.kind):
        parts = list(group)
        size = sum(len(text[part.start : part.end].strip()) for part in parts)
        words = " ".join(text[parts[0].start : parts[0].end].split())
        shown = words if len(words) <= _SHOWN else words[: _SHOWN - 1].rstrip() + "…"
        yield Issue("left_out", f"{_NAMES[kind]} ({kind}, {size:,} characters) is in no segment: {shown!r}")
    if isinstance(headings, (str, re.Pattern)):
        if not is_blank(text) and not any(unit.title or unit.parents for unit in structure.units):
            shown = headings if isinstance(headings, str) else headings.pattern
            yield Issue("headings_unmatched", f"the pattern {shown!r} matched no line; it must match the whole of a heading line")
    elif headings is not None:
        yield from _inside(text, headings)


def _inside(text: str, offsets: Sequence[int]) -> Iterator[Issue]:
    """An issue for each offset with words of the same sentence on both sides; the start of a line is where a heading may stand."""
    paragraphs = paragraph_spans(text)
    starts = [start for start, _ in paragraphs]
    for place, group in groupby(offsets if paragraphs else (), key=lambda offset: bisect_right(starts, offset) - 1):
        start, end = paragraphs[place]
        sentences = [start + first for first, _ in sentence_spans(text[start:end])]
        for offset in group:
            number = bisect_right(sentences, offset)
            before, after = text[sentences[number - 1] : offset], text[offset : [*sentences, end][number]]
            white = before[len(before.rstrip()) :] + after[: len(after) - len(after.lstrip())]
            if not (is_blank(before) or is_blank(after) or "\n" in white):
                shown = f"{before[-_AROUND:]}|{after[:_AROUND]}"
                yield Issue("heading_inside_sentence", f"a unit starts inside a sentence at offset {offset}: {shown!r}")
