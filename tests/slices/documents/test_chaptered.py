"""Which chapter a passage belongs to for a reader: the last that it tells, and never too early a one."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.records import Passage
from chronotope.slices.documents.chaptered import in_chapters, last_chapters, with_chapters
from support_told_story import CHAPTERS, STORY

STARTS = [STORY.index(f"CHAPTER {number}\n") for number in ("I", "II", "III", "IV")]


def cut(*places):
    ends = [0, *places, len(STORY)]
    return [Passage(STORY[start:end], source_id="story", char_start=start, char_end=end) for start, end in pairwise(ends)]


@given(st.sets(st.integers(1, len(STORY) - 1), max_size=12))
def test_a_passage_belongs_to_the_last_chapter_that_a_character_of_it_stands_in(places):
    passages = cut(*sorted(places))
    for passage, number in zip(passages, last_chapters(passages), strict=True):
        if passage.text.strip():
            last = passage.char_start + len(passage.text.rstrip()) - 1
            assert number is not None
            assert number >= sum(start <= last for start in STARTS)


def test_numbers_of_the_metadata_count_and_a_heading_is_no_number_by_itself():
    told = [Passage(text, id=f"p{number}", metadata={"chapter": number + 10}) for number, text in enumerate(CHAPTERS)]
    assert last_chapters(told) == (10, 11, 12, 13)


def test_without_places_the_words_tell():
    told = [Passage(text, id=f"p{number}", source_id="story") for number, text in enumerate(CHAPTERS)]
    assert last_chapters(told) == (1, 2, 3, 4)


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_blank_passage_has_no_chapter_and_stays_as_it_is(text):
    blank = Passage(text, id="b")
    assert last_chapters([blank]) == (None,)
    assert with_chapters([blank], [None]) == (blank,)


def test_the_number_stands_beside_what_the_source_says():
    (told,) = with_chapters([Passage("x", metadata={"chapter": "The letter"})], [4])
    assert dict(told.metadata) == {"chapter": "The letter", "chapter_number": 4}


OUTSIDE_HEADINGS = [place for place in range(1, len(STORY)) if not any(start < place <= start + 13 for start in STARTS)]


@given(st.sets(st.sampled_from(OUTSIDE_HEADINGS), max_size=8))
def test_a_chunk_that_comes_alone_is_in_no_earlier_chapter_than_among_the_others(places):
    held = []
    for passage in cut(*sorted(places)):
        numbers = in_chapters([passage], held)[1]
        held += with_chapters([passage], numbers)
    together = [number or 0 for number in last_chapters(cut(*sorted(places)))]
    assert all(passage.metadata.get("chapter_number", 0) >= number for passage, number in zip(held, together, strict=True))


def test_a_chunk_without_a_heading_is_read_in_the_chapter_of_those_before_it():
    first, second = cut(STARTS[3] + 15)
    held = with_chapters([first], [4])
    pieces, numbers = in_chapters([second], held)
    assert numbers == (4,)
    assert [(piece.metadata["chapter"], piece.char_start) for piece in pieces] == [(4, second.char_start)]


def test_a_chunk_over_two_chapters_is_read_in_two_pieces_at_their_places():
    first, second, third = cut(STARTS[1] + 15, STARTS[2] + 15)
    pieces, numbers = in_chapters([second], with_chapters([first, third], [2, 4]))
    assert numbers == (3,)
    assert [piece.metadata["chapter"] for piece in pieces] == [2, 3]
    assert "".join(piece.text for piece in pieces).split() == second.text.split()
    assert all(piece.text == STORY[piece.char_start : piece.char_end] for piece in pieces)


def test_documents_in_which_nothing_tells_a_number_follow_one_another_also_when_they_come_alone():
    held = []
    for number in (1, 2, 3):
        one = Passage(f"Somebody came to the mill for the time {number}.", id=f"p{number}", source_id=f"d{number}")
        held += with_chapters([one], in_chapters([one], held)[1])
    assert [passage.metadata["chapter_number"] for passage in held] == [1, 2, 3]
    again = Passage("And went.", id="p4", source_id="d2")
    assert in_chapters([again], held)[1] == (2,)


def test_a_number_in_the_metadata_or_a_heading_is_kept_whatever_is_held():
    held = with_chapters([Passage("She left.", id="z", source_id="z")], [9])
    told = Passage("She came.", id="a", source_id="a", metadata={"chapter": 3})
    headed = Passage(CHAPTERS[1], id="b", source_id="b")
    assert in_chapters([told], held)[1] == (3,)
    assert in_chapters([headed], held)[1] == (2,)
