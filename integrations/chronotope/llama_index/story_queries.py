"""A question about a story, with what its words alone do not say: how far the reader has read."""

from __future__ import annotations

from dataclasses import dataclass

from llama_index.core.schema import QueryBundle

from chronotope.slices.scope import StoryScope

__all__ = ["StoryQuery"]


@dataclass
class StoryQuery(QueryBundle):
    """A query with what stands beside its words.

    Args:
        reader_at: last chapter that the reader knows, so that nothing of a later one is used or shown; of two, this one and the
            retriever's, the earlier counts.
        scope: chapters, story time, places and entities that replace what the words say.

    >>> StoryQuery("Who is the messenger?", reader_at=4).reader_at
    4
    """

    reader_at: int | None = None
    scope: StoryScope | None = None
