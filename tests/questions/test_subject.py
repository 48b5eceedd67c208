"""What a question is about, without the words it is wrapped in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.questions.subject import subject


@pytest.mark.parametrize(
    ("core", "words"),
    [
        ("How did the president's statements about Social Security change?", "Social Security"),
        ("What did Eisenhower say about Korea?", "Korea Eisenhower"),
        ("In what ways did farm prices change?", "farm prices"),
        ("Summarize the history of NASA", "NASA"),
        ("Which engines flew on the Saturn V?", "engines flew Saturn V"),
        ("Who was the CEO of IBM?", "CEO IBM"),
        ("How did views on child labor in coal mines shift?", "child labor coal mines"),
        ("What was reported about the U.S.S. Maine?", "U.S.S Maine"),
    ],
)
def test_the_wrapping_is_taken_off(core: str, words: str) -> None:
    assert subject(core) == words


@pytest.mark.parametrize("core", ["Why?", "What did they say about it?", "How did it change?", "", "?!", "林黛玉"])
def test_a_question_of_nothing_but_wrapping_stays_as_it_is(core: str) -> None:
    assert subject(core) == core


@given(st.text(max_size=80))
@settings(max_examples=100, deadline=None)
def test_no_word_is_invented_and_only_blank_questions_have_no_subject(core: str) -> None:
    found = subject(core)
    assert all(word in core for word in found.split())
    assert bool(found.strip()) == bool(core.strip())


def test_a_very_long_question_takes_no_more_than_moderate_time() -> None:
    assert subject("what did they say about " * 2_000 + "Cuba?").endswith("Cuba")
