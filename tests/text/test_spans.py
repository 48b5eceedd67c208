"""Paragraphs partition the text, whatever their line ends."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from chronotope.text import paragraph_spans
from support_text import ANY_TEXT, BLANK, HUGE, assert_near_linear, assert_partition


@given(ANY_TEXT)
@settings(max_examples=150, deadline=None)
def test_paragraphs_partition_any_text(text: str) -> None:
    assert_partition(text, paragraph_spans(text))


@pytest.mark.parametrize("blank", BLANK)
def test_blank_texts_are_kept_whole(blank: str) -> None:
    assert_partition(blank, paragraph_spans(blank))


def test_paragraphs_end_at_blank_lines_of_any_kind() -> None:
    text = "One.\r\n\r\nTwo,\nstill two.\n \t\n\n\nThree."
    assert [text[start:end] for start, end in paragraph_spans(text)] == ["One.\r\n\r\n", "Two,\nstill two.\n \t\n\n\n", "Three."]


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE.keys())
def test_huge_texts_are_cut_in_near_linear_time(text: str) -> None:
    assert_near_linear(paragraph_spans, text)
