"""How far a reader has come, where more than one says so, and the graph of that reader."""

from __future__ import annotations

from chronotope.slices.graph import StoryGraph
from chronotope.slices.index.index import StoryIndex

__all__ = ["earlier", "reader_graph_of"]


def earlier(one: int | None, other: int | None) -> int | None:
    """The earlier of two last chapters that a reader knows; None is for all.

    >>> earlier(5, 9), earlier(None, 9), earlier(None, None)
    (5, 9, None)
    """
    known = [chapter for chapter in (one, other) if chapter is not None]
    return min(known) if known else None


def reader_graph_of(index: StoryIndex, reader_at: int | None) -> StoryGraph:
    """The graph of a story as far as a reader knows it.

    Args:
        index: the story.
        reader_at: last chapter that the reader knows; None for all.
    """
    return index.graph if reader_at is None else index.graph.told_until(reader_at)
