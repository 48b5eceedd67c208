"""Small stories written by hand: every slice is what the truth table of the story says."""

from __future__ import annotations

from functools import cache

import pytest

from chronotope.slices.graph import StoryGraph
from support_worlds import WORLDS, World, told_edges

NAMES = sorted(path.stem for path in WORLDS.glob("*.toml"))


@cache
def world(name: str) -> tuple[World, StoryGraph]:
    loaded = World.load(name)
    return loaded, loaded.graph


CELLS = [(name, question) for name in NAMES for question in world(name)[0].truth]


@pytest.mark.parametrize(("name", "question"), CELLS, ids=[f"{name}: {question}" for name, question in CELLS])
def test_a_slice_is_what_the_truth_table_says(name: str, question: str) -> None:
    story, graph = world(name)
    assert told_edges(story.ask(graph, question)) == story.truth[question]
