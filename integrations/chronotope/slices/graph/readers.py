"""Graphs of readers: made of what is told up to a chapter, and of nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chronotope.slices.graph.graph import StoryGraph

__all__ = ["last_chapter", "reader_graph"]


def reader_graph(graph: StoryGraph, chapter: int, made: Mapping[int, StoryGraph]) -> StoryGraph:
    """The graph of a reader who has read up to a chapter; the whole one for who has read all.

    Args:
        graph: the whole.
        chapter: last chapter that the reader knows.
        made: graphs that were made before, by chapter.

    Raises:
        TypeError: the chapter is no number.
    """
    from chronotope.slices.graph.build import build_graph

    if not isinstance(chapter, int) or isinstance(chapter, bool):
        raise TypeError(f"a reader has read up to the number of a chapter, not {chapter!r}")
    if chapter >= graph.last_chapter:
        return graph
    if chapter in made:
        return made[chapter]
    facts = [fact for fact in graph.facts if fact.chapter is None or fact.chapter <= chapter]
    axis = graph.given_axis.until(chapter)
    cast = graph.cast.as_of(chapter, facts, clock=axis.now)
    return build_graph(facts, ontology=graph.ontology, axis=axis, cast=cast)


def last_chapter(graph: StoryGraph) -> float:
    """The chapter after which nothing more is to be known: the last that a fact, the axis, an entity or a decision names."""
    told = graph.cast.last_chapter
    telling = [*graph.chapters, *graph.axis.before, *([] if told is None else [told])]
    merged = [merge.chapter for merge in graph.cast.merges if merge.chapter is not None]
    return max((*telling, *merged), default=-math.inf)
