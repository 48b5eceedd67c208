"""Which passages lie in the chapters, the story time and the places that a question asks about."""

from __future__ import annotations

import numpy as np

from chronotope.shelves import Mask, Rows
from chronotope.slices.graph import Slice, StoryGraph
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.index.passage_map import NO_CHAPTER
from chronotope.slices.retrieve.slicing import slice_of
from chronotope.slices.scope import StoryScope

__all__ = ["passages_within"]


def passages_within(index: StoryIndex, graph: StoryGraph, asked: StoryScope, rows: Rows) -> Mask:
    """For each kind of constraint, one row of which passages meet it.

    A passage is of a chapter by its metadata; of a time when its chapter plays then, a fact in it was so then, or its own times
    overlap; at a place when a fact in it happens there or is about it, or it names the place or one inside it.

    Args:
        index: the story.
        graph: the reader's.
        asked: what the question is limited to.
        rows: the passages that count.
    """
    found: list[Mask] = []
    chapters = index.passage_map.chapters[rows]
    if asked.chapters:
        own = np.array([any(one.contains(number) for one in asked.chapters) for number in chapters.tolist()], np.bool_)
        found.append(own & (chapters != NO_CHAPTER))
    if asked.told:
        told = np.array([any(one.contains(number) for one in asked.told) for number in chapters.tolist()], np.bool_)
        found.append(told & (chapters != NO_CHAPTER))
    if asked.story:
        found.append(_timed(index, graph, asked, rows) | _with_facts(index, graph.slice(story_time=asked.story), rows))
    if asked.places:
        found.append(
            _placed(index, graph, asked, rows)
            | _with_facts(index, slice_of(graph, StoryScope(question=asked.question, places=asked.places)), rows)
        )
    return np.stack(found) if found else np.ones((1, rows.size), np.bool_)


def _with_facts(index: StoryIndex, cut: Slice, rows: Rows) -> Mask:
    """Passages in which a fact of a slice stands; what is so at all times proves nothing."""
    lasting = np.array([cut.graph.kinds[row] != "timeless" for row in cut.rows.tolist()], np.bool_)
    homes = index.homes[index.fact_rows(cut.graph)[cut.rows[lasting]]] if cut.rows.size else np.empty(0, np.int64)
    found: Mask = np.isin(rows, homes[homes >= 0])
    return found


def _timed(index: StoryIndex, graph: StoryGraph, asked: StoryScope, rows: Rows) -> Mask:
    chapters = index.passage_map.chapters[rows].tolist()
    playing = {number: any(now.overlaps(one) for now in graph.axis.now(number) for one in asked.story) for number in {*chapters}}
    own = np.array([playing[number] for number in chapters], np.bool_)
    if graph.axis.kind == "dates":
        passages = (index.passage_shelf.item(row) for row in rows.tolist())
        own |= np.array(
            [any(time.overlaps(one) for time in passage.times for one in asked.story) for passage in passages], np.bool_
        )
    return own


def _placed(index: StoryIndex, graph: StoryGraph, asked: StoryScope, rows: Rows) -> Mask:
    inside = dict.fromkeys(name for place in asked.places for name in graph.places.inside(place))
    names = [name for place in inside for name in graph.cast.entity(place).names]
    return index.passage_map.naming(names, rows)
