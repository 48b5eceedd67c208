"""Out of a story index: with the last of a chapter, the chapter itself goes from the axis that was read with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from chronotope.slices.axis import StoryAxis
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.index.passage_map import chapter_of

__all__ = ["taken_out"]


def taken_out(index: StoryIndex, removal: Callable[[], int], *, axis: StoryAxis | None = None) -> int:
    """Take facts and passages out, and the chapters of which nothing is left.

    Args:
        index: where they are.
        removal: takes them out and counts them.
        axis: when chapters play, whatever the texts say; it stays as it is.
    """
    had = _told(index)
    count = removal()
    if axis is None and index.axis is not None and count:
        index.axis = _shorter(index.axis, had, _told(index))
    return count


def _told(index: StoryIndex) -> set[int]:
    """The chapters that facts and passages are of; a passage is of the last one that it tells."""
    numbers = {fact.chapter for fact in index.facts} | {chapter_of(passage) for passage in index.passages}
    return {number for number in numbers if number is not None}


def _shorter(axis: StoryAxis, had: set[int], left: set[int]) -> StoryAxis | None:
    """The axis without the chapters that are gone, and those before them that only the same passages told; None without any."""
    gone: set[int] = set()
    for last in had - left:
        first = max((number for number in left if number < last), default=None)
        gone |= {number for number in axis.chapters if number <= last and (first is None or number > first)}
    gone -= left
    if not left and gone:
        return None
    chapters = {number: times for number, times in axis.chapters.items() if number not in gone}
    before = {telling: known for telling, known in axis.before.items() if telling not in gone}
    return replace(axis, chapters=chapters, before=before) if gone else axis
