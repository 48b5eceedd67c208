"""Which chapters the passages of a story tell, so that none is shown to a reader who has not come to its end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from chronotope.records import Passage
from chronotope.slices.extract.chapters import Chapter, chapters_of
from chronotope.text import clean

__all__ = ["last_chapters", "with_chapters"]

CHAPTER_NUMBER = "chapter_number"
"""Metadata key of the last chapter that a passage tells; `chapter` is left to what the source says."""


def last_chapters(passages: Sequence[Passage]) -> tuple[int | None, ...]:
    r"""The number of the last chapter that each passage holds a part of, as extraction counts them; None for blank ones.

    Args:
        passages: of whole documents, in the order of telling.

    >>> told = "CHAPTER I\n\nShe came.\n\nCHAPTER II\n\nShe left."
    >>> spans = (0, 22), (22, len(told))
    >>> last_chapters([Passage(told[start:end], source_id="a", char_start=start, char_end=end) for start, end in spans])
    (1, 2)
    """
    by_source: dict[str, list[Chapter]] = defaultdict(list)
    for chapter in chapters_of(passages)[0]:
        by_source[chapter.source_id].append(chapter)
    return tuple(_last(passage, by_source.get(passage.source_id or passage.id, [])) for passage in passages)


def with_chapters(passages: Sequence[Passage], numbers: Sequence[int | None]) -> tuple[Passage, ...]:
    """The passages with the last chapter that each tells in their metadata.

    Args:
        passages: any.
        numbers: of `last_chapters`; None leaves a passage as it is.
    """
    return tuple(
        passage if number is None else replace(passage, metadata={**passage.metadata, CHAPTER_NUMBER: number})
        for passage, number in zip(passages, numbers, strict=True)
    )


def _last(passage: Passage, chapters: Sequence[Chapter]) -> int | None:
    """By place where it is known, else by words; where neither tells, the last of all, since a reader must not see too much."""
    if not chapters or not passage.text.strip():
        return None
    start, end = passage.char_start, passage.char_end
    if start is not None and end is not None:
        placed = [chapter.number for chapter in chapters if any(low < end and start < high for low, high in _spans(chapter))]
        if placed:
            return max(placed)
    line = clean(passage.text).strip().splitlines()[-1].strip()
    told = [chapter.number for chapter in chapters if line in chapter.text]
    return max(told or [chapter.number for chapter in chapters])


def _spans(chapter: Chapter) -> list[tuple[int, int]]:
    """The stretches of the document that a chapter stands in."""
    ends = [*(at for at, _ in chapter.places[1:]), len(chapter.text)]
    starts = zip(chapter.places, ends, strict=True)
    return [(source, source + end - at) for (at, source), end in starts if source is not None]
