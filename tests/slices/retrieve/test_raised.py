"""Facts that are known beside the passages say how late these are told, where headings do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.records import Passage
from chronotope.slices.documents.chaptered import has_number, last_chapters
from chronotope.slices.fact import Fact
from chronotope.slices.retrieve.raised import raised

PLACES = st.lists(st.integers(0, 990), min_size=1, max_size=8, unique=True).map(sorted)


def fact(chapter, start=None, source="tale"):
    end = None if start is None else start + 5
    return Fact(subject="Tom", relation="died", chapter=chapter, source_id=source, char_start=start, char_end=end)


def chunk(start, end, text="He came home.", source="tale", **metadata):
    return Passage(text, id=f"{source}{start}", source_id=source, char_start=start, char_end=end, metadata=metadata)


@given(PLACES, st.integers(0, 990))
def test_no_chunk_is_told_before_a_fact_that_stands_before_or_in_it(starts, at):
    facts = [fact(number, start) for number, start in enumerate(starts, 1)]
    (number,) = raised([chunk(at, at + 10)], [1], facts)
    assert number >= max((one.chapter for one in facts if one.char_start < at + 10), default=1)


@given(PLACES, st.integers(0, 990))
def test_a_chunk_that_names_no_chapter_counts_with_the_next_fact_where_headings_tell_less(starts, at):
    facts = [fact(number + 1, start) for number, start in enumerate(starts, 1)]
    (number,) = raised([chunk(at, at + 10)], [1], facts)
    behind = [one.chapter for one in facts if one.char_start >= at + 10]
    assert number >= min(behind, default=1)


@pytest.mark.parametrize("told", [{"chapter": 1}, {"chapter": "1"}])
def test_a_number_of_ones_own_is_taken_where_no_fact_stands_before(told):
    assert raised([chunk(0, 10, **told)], [1], [fact(3, 500)]) == (1,)


def test_where_no_fact_has_a_place_and_no_heading_a_number_only_the_last_reader_sees_the_text():
    assert raised([chunk(0, 10)], [1], [fact(1), fact(9)]) == (9,)
    named = chunk(0, 10, text="CHAPTER I\n\nHe came.")
    assert has_number(named)
    assert raised([named], [1], [fact(9, source="another")]) == (1,)


def test_what_headings_say_stays_where_they_know_as_much_as_the_facts():
    text = "CHAPTER I\n\nHe came.\n\nCHAPTER II\n\nHe left."
    cut = text.index("CHAPTER II")
    passages = [chunk(0, cut, text[:cut]), chunk(cut, len(text), text[cut:])]
    numbers = last_chapters(passages)
    assert raised(passages, numbers, [fact(1, 12), fact(2, cut + 12)]) == numbers == (1, 2)


def test_a_blank_passage_stays_without_a_chapter():
    assert raised([chunk(0, 1, text=" ")], [None], [fact(3, 0)]) == (None,)
