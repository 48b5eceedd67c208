"""Which chapter a passage belongs to for a reader: the last that it tells, and never too early a one."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.records import Passage
from chronotope.slices.chaptered import last_chapters, with_chapters
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
