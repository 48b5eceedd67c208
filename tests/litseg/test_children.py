"""Children: small exact pieces of a segment."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.litseg import RuleSettings, SegmentSettings, segment
from chronotope.litseg.children import children
from chronotope.litseg.reading import frame, reading_text
from chronotope.records import Document
from chronotope.steps import Runner
from chronotope.testing import ScriptedChat
from chronotope.text import clean
from chronotope.tokens import count_tokens
from support_litseg import STORIES

SETTINGS = SegmentSettings(rules=RuleSettings(length=120, longest=400))


def segments(text, *, name="a", settings=SETTINGS):
    return Runner().run(segment(Document(text, id=name), settings=settings)).items


@settings(max_examples=60, deadline=None)
@given(text=STORIES, size=st.integers(1, 40))
def test_children_are_slices_of_the_source_in_order_and_hold_every_word(text, size):
    for part in segments(text):
        pieces = children(part, max_tokens=size)
        spans = [(piece.char_start, piece.char_end) for piece in pieces]
        assert [clean(text)[start:end] for start, end in spans] == [piece.text for piece in pieces]
        assert all(one[1] <= two[0] for one, two in itertools.pairwise(spans))
        assert all(part.char_start <= start < end <= part.char_end for start, end in spans)
        assert re.findall(r"\w", "".join(piece.text for piece in pieces)) == re.findall(r"\w", part.text)
        assert all(piece.metadata["segment_id"] == part.id for piece in pieces)


@pytest.mark.parametrize("size", [5, 20, 60, 120])
def test_no_child_is_larger_than_it_may_be_and_none_could_take_its_neighbour(size):
    text = "\n\n".join(f"On day {n} the water stood at step {n}. Ada wrote it down, and went to bed." for n in range(40))
    for part in segments(text, settings=SegmentSettings()):
        sizes = [count_tokens(piece.text) for piece in children(part, max_tokens=size)]
        assert all(0 < tokens <= size for tokens in sizes)
        assert size < 60 or all(one + two > size for one, two in itertools.pairwise(sizes))


def test_ids_are_the_same_on_every_run_and_differ_between_segments_and_documents():
    text = "She knocked.\n\nNobody came.\n\n" * 30
    runs = [[piece.id for part in segments(text, name=name) for piece in children(part)] for name in ("a", "a", "b")]
    assert runs[0] == runs[1]
    assert not set(runs[0]) & set(runs[2])
    assert len(set(runs[0])) == len(runs[0])


def test_a_child_tells_subtitle_and_chapter_and_leaves_the_rest_to_its_segment():
    reply = {"turning_points": [], "segments": [{"subtitle": "A visit", "from_idx": 1, "to_idx": 3, "context_idx": []}]}
    runner = Runner(ScriptedChat([reply]))
    (part,) = runner.run(
        segment(Document("Ann came. She knocked. Nobody came.", id="a"), settings=SegmentSettings(mode="lite"))
    ).items
    (piece,) = children(part)
    assert dict(piece.metadata) == {"subtitle": "A visit", "chapter_number": 1, "segment_id": part.id}
    assert piece.source_id == "a"


def test_a_text_of_its_own_has_children_too_with_offsets_from_where_it_begins():
    parent = Document("She knocked.\n\nNobody came.", id="seg", metadata={"by": "A"})
    pieces = children(parent, max_tokens=5, start=100)
    assert [(piece.char_start, piece.char_end) for piece in pieces] == [(100, 112), (114, 126)]
    assert dict(pieces[0].metadata) == {"by": "A", "segment_id": "seg"}
    assert children(Document(" \n")) == ()


def test_a_scene_divider_is_no_child_unless_there_is_nothing_else():
    texts = [piece.text for piece in children(Document("She knocked twice.\n\n* * *\n\nNobody came."), max_tokens=5)]
    assert texts == ["She knocked twice.", "Nobody came."]
    assert [piece.text for piece in children(Document("* * *\n\n?!"))] == ["* * *\n\n?!"]


def test_a_size_below_one_is_refused():
    with pytest.raises(ValueError, match="max_tokens must be at least 1, not 0"):
        children(Document("A."), max_tokens=0)


def test_what_was_stored_gives_the_text_that_the_segment_shows():
    reply = {
        "turning_points": [],
        "segments": [
            {"subtitle": "Before", "from_idx": 1, "to_idx": 1, "context_idx": [3]},
            {"subtitle": "The knock", "from_idx": 2, "to_idx": 3, "context_idx": [1]},
        ],
    }
    runner = Runner(ScriptedChat([reply]))
    found = runner.run(segment(Document("Ann came. She knocked. Nobody came."), settings=SegmentSettings(mode="lite"))).items
    assert [reading_text(part.text, frame(part)) for part in found] == [part.shown() for part in found]
    assert [part.shown() for part in found] == [
        "Before\n\nAnn came.\n\nNobody came.",
        "The knock\n\nAnn came.\n\nShe knocked. Nobody came.",
    ]
