"""The slice that a question asks for: what lies in its chapters and time, and at its places or is about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from chronotope.records import Issue
from chronotope.slices.graph import Constraint, Path, Slice, StoryGraph
from chronotope.slices.graph.arrays import Ints
from chronotope.slices.retrieve.retrieval_settings import Untold
from chronotope.slices.scope import StoryScope

__all__ = ["asked_paths", "slice_of"]


def slice_of(graph: StoryGraph, asked: StoryScope, *, unplaced: Untold = "exclude", untimed: Untold = "exclude") -> Slice:
    """The slice of a scope; entities rank, they do not cut.

    Facts about an asked place lie in it too, though most have no place of their own: "Ann — lives in — the mill" tells of the mill
    as much as what happens there. Chapters and times hold for them as for all.

    Args:
        graph: of the story, or of a reader.
        asked: what the question is limited to; its `reader_at` makes the slice that of the reader's graph.
        unplaced: what becomes of facts without a place where a place is asked.
        untimed: what becomes of facts that nothing places in time where a time is asked.
    """
    own = graph if asked.reader_at is None else graph.told_until(asked.reader_at)
    limits = {"chapter": asked.chapters, "told": asked.told, "story_time": asked.story, "place": asked.places}
    given: dict[str, Any] = {name: value for name, value in limits.items() if value}
    cut = graph.slice(**given, reader_at=asked.reader_at, unplaced=unplaced, untimed=untimed)
    if not asked.places:
        return cut
    at_places = _AtPlaces(own, asked.places, {"unplaced": unplaced, "untimed": untimed})
    rows = at_places.rows(given)
    trace = tuple(at_places.counted(one, given, rows.size) for one in cut.trace)
    return replace(cut, rows=rows, trace=trace, issues=at_places.issues(cut))


def asked_paths(cut: Slice, entities: Sequence[str]) -> tuple[Path, ...]:
    """The shortest paths of a slice between the entities of a question, the shortest first.

    Between two who share the name that was asked for there is no path to look for: only one of them is meant.
    """
    names = {entity: {name.casefold() for name in cut.graph.names_of(entity)} for entity in entities}
    paths = cut.paths(entities)
    apart = [path for path in paths if not names.get(path.entities[0], set()) & names.get(path.entities[-1], set())]
    return tuple(sorted(apart, key=len))


class _AtPlaces:
    """Facts that happen at some places, or are about them."""

    def __init__(self, graph: StoryGraph, places: tuple[str, ...], options: Mapping[str, Any]) -> None:
        self._graph, self._places, self._options = graph, places, options
        known = [found for place in places for found in graph.place_ids(place)]
        self._about = [name for place in known for name in graph.places.inside(place) if name in graph.numbers]

    def rows(self, limits: Mapping[str, Any]) -> Ints:
        """The facts in all limits."""
        there = self._graph.slice(**limits, **self._options).rows
        if "place" not in limits:
            return there
        others = {name: value for name, value in limits.items() if name != "place"}
        about = self._graph.slice(**others, **self._options, entities=self._about).rows
        found: Ints = np.union1d(there, about)
        return found

    def counted(self, one: Constraint, limits: Mapping[str, Any], size: int) -> Constraint:
        """What a constraint did, counted with the facts about the places."""
        if one.name == "reader_at":
            return replace(one, without=size)
        alone = self.rows({"place": self._places}).size if one.name == "place" else one.alone
        without = self.rows({name: value for name, value in limits.items() if name != one.name}).size
        return replace(one, alone=int(alone), without=int(without))

    def issues(self, cut: Slice) -> tuple[Issue, ...]:
        """Without "nothing happens there" where facts are about the place."""
        about = self._graph.slice(entities=self._about).rows
        settled = self._graph.slice(place=self._places).issues if about.size else ()
        return tuple(issue for issue in cut.issues if issue.kind != "matches_nothing" or issue not in settled)
