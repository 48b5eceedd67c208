"""Segments: reading text, metadata, and ids."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace

from chronotope.litseg import PlannedSegment, Segment, SegmentPlan, reconstruct
from chronotope.records import Document
from chronotope.text import Unit
from support_litseg import FERRY, only

UNIT = Unit(start=0, end=400, kind="chapter", title="CHAPTER III. The Ice", number=3, parents=("PART ONE",))
SEGMENT = Segment(
    text="He walked. It held.\n\n",
    source_id="ferry",
    char_start=100,
    char_end=121,
    unit=UNIT,
    unit_number=3,
    sentences=(4, 5),
    subtitle="Over the ice",
    context=((0, 9), (200, 210)),
    before=("It froze.",),
    after=("He was gone.",),
    turning_points=("point_of_no_return", "time_shift"),
    previous_id="p",
)


def test_a_reader_gets_the_subtitle_on_top_and_context_around() -> None:
    assert SEGMENT.shown() == "Over the ice\n\nIt froze.\n\nHe walked. It held.\n\nHe was gone."
    assert SEGMENT.shown(subtitle=False) == "It froze.\n\nHe walked. It held.\n\nHe was gone."
    assert SEGMENT.shown(context=False) == "Over the ice\n\nHe walked. It held."
    assert replace(SEGMENT, subtitle="", before=(), after=()).shown() == "He walked. It held."


def test_the_passage_of_a_segment_is_its_main_range_alone() -> None:
    passage = SEGMENT.passage()
    assert (passage.text, passage.char_start, passage.char_end) == (SEGMENT.text, 100, 121)
    assert (passage.id, passage.source_id, dict(passage.metadata)) == (SEGMENT.id, "ferry", SEGMENT.metadata)


def test_metadata_is_flat_json_and_tells_only_what_there_is() -> None:
    assert SEGMENT.metadata == {
        "subtitle": "Over the ice",
        "chapter": "PART ONE. CHAPTER III. The Ice",
        "chapter_number": 3,
        "sentences": "4-5",
        "context": "0-9; 200-210",
        "turning_points": "point_of_no_return; time_shift",
        "previous_id": "p",
    }
    assert json.loads(json.dumps(SEGMENT.metadata)) == SEGMENT.metadata
    bare = Segment(text="a", source_id="d", char_start=0, char_end=1, unit=Unit(start=0, end=1))
    assert set(bare.metadata) == {"chapter_number", "sentences"}


def test_an_id_depends_on_source_place_and_text_and_on_nothing_a_model_said() -> None:
    assert replace(SEGMENT, id="", subtitle="Other", context=(), next_id="n").id == SEGMENT.id
    for change in ({"source_id": "x"}, {"char_start": 99}, {"char_end": 122}, {"text": "He walked."}):
        assert replace(SEGMENT, id="", **change).id != SEGMENT.id


def test_a_segment_prints_its_subtitle_or_its_first_words() -> None:
    assert repr(SEGMENT) == "Segment('Over the ice', 'PART ONE. CHAPTER III. The Ice' sentences 4-5, 21 characters)"
    assert repr(replace(SEGMENT, subtitle="", unit=Unit(start=0, end=9))).startswith("Segment('He walked. It held.', ''")


def test_segments_survive_pickle_and_copy_unchanged() -> None:
    parts = reconstruct(
        only(FERRY), SegmentPlan((PlannedSegment(1, 6, "a", (9,)), PlannedSegment(7, 11, "b", (1,), ("reversal",))))
    )
    assert pickle.loads(pickle.dumps(parts)) == parts == copy.deepcopy(parts)


def test_segments_of_text_with_broken_characters_can_be_written_as_utf_8() -> None:
    (part,) = reconstruct(only(Document("He ran \udc97 off.")), SegmentPlan.whole(1))
    assert part.shown().encode("utf-8").decode("utf-8") == "He ran \ufffd off."
