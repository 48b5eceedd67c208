"""Citations of an answer: how they are read from a text, and what comparing them with their evidence says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.records import Answer, Evidence, Passage
from chronotope.slices.answer.marks import read_marks
from chronotope.slices.answer.verify import LEAST_LETTERS, citation_counts, verify

ANN = "Ann and Tom were wed in the old church. It rained, and the bells rang until noon."
LETTER = "He wrote: “I shall not come home, Clara’s house is full.”"
FENG = "鳳姐兒便命平兒：「你去請大夫來，別聲張。」平兒答應着去了。"
SHOWN = (
    Evidence(1, Passage(ANN), "told in chapter 3", 1.0),
    Evidence(2, Passage(LETTER), "told in chapter 4", 0.8),
    Evidence(3, Passage(FENG), "told in chapter 5", 0.7),
    Evidence(4, Passage("He died."), "told in chapter 6", 0.7),
    Evidence(1, Passage("A long passage about the mill by the river."), "", 0.5, series="P"),
)


def kinds(text):
    return [citation.kind for citation in verify(text, SHOWN)]


@pytest.mark.parametrize(
    "text",
    [
        '[1 "were wed in the old church"]',
        "[1 “were wed in the old church”]",
        "[1 „were wed in the old church“]",
        "[1 «were wed in the old church»]",
        "[1 'were wed in the old church']",
        "[1 ‘were wed in the old church’]",
        '[1: "were wed in the old church"]',
        '[1, "were wed in the old church"]',
        "[1: were wed in the old church]",
        '[fact 1 "were wed in the old church"]',
        '【1 "were wed in the old church"】',
        '［１ "were wed in the old church"］',
        '[1 "WERE  wed\nin the old Church."]',
        '[1 "Ann … were wed"]',
        '[1 "Ann ... the bells rang"]',
        '[1 "Ann [...] were wed … until noon"]',
        '[1 "Ann and Tom" "until noon"]',
        '[1 "until noon", "Ann and Tom"]',
        '"were wed in the old church" [1]',
        "“were wed in the old church”, [1]",
        "“were wed in the old church.” [1]",
        '[2 "Clara\'s house is full"]',
        "[2 'Clara's house is full']",
        '[2 "He wrote: "I shall not come home"]',
        "[2 “He wrote: ‘I shall not come home’”]",
        "[3 「你去請大夫來」]",
        "[3 『平兒答應着去了』]",
        "[3 “命平兒，你去請大夫來”]",
        "[3 「你去請……別聲張」]",
        "「平兒答應着去了」[3]",
        "【3 「平兒答應着去了」】",
        '[4 "he died"]',
        '[P1 "the mill by the river"]',
        '[p1 "the mill by the river"]',
        '[passage P1 "the mill by the river"]',
    ],
)
def test_words_that_stand_in_the_evidence_are_verbatim_whatever_their_marks_case_and_blanks(text):
    assert kinds(f"It is so {text}.") == ["verbatim"]


@pytest.mark.parametrize(
    "text",
    [
        '[1 "were wed in the old church … on a Sunday"]',
        '[1 "were wed in the old church" "on a Sunday"]',
        '[1 "the bells rang until noon … were wed"]',
        '[1 "Ann and Tom were wed in the old church. Everybody danced."]',
        "[3 「你去請大夫來……快些回來」]",
        "[3 「平兒答應着去了。鳳姐睡了。」]",
    ],
)
def test_some_words_that_stand_there_beside_others_that_do_not_are_mixed(text):
    assert kinds(text) == ["mixed"]


@pytest.mark.parametrize(
    "text",
    [
        "[1]",
        "[P1]",
        '[1 "they married in a chapel"]',
        '[1 "the mill by the river"]',
        '[1 "in the"]',
        '[1 "It … and"]',
        '[1 "…"]',
        '[1 ""]',
        "[3 「他去」]",
        "[3 「去了」]",
        "they “married” [1]",
        '[4 "he"]',
        '[1 "on a ship … were wea"]',
    ],
)
def test_a_citation_without_words_of_its_evidence_or_with_too_few_is_not_verbatim(text):
    assert kinds(text) == ["non_verbatim"]


@pytest.mark.parametrize(
    "text",
    [
        "[5]",
        "[0]",
        '[7 "were wed in the old church"]',
        '[P2 "the mill by the river"]',
        '[1 "were wed in the old church"',
        "So it is [1",
        '[Ann "were wed in the old church"]',
        '[X3 "were wed"]',
    ],
)
def test_a_citation_of_nothing_that_was_shown_or_that_cannot_be_read_is_an_error(text):
    assert kinds(text) == ["error"]


@pytest.mark.parametrize(
    "text", ["Ann.", "Ann [sic].", "in [1931-05]", "in [1931-05/1940-06]", "in [../1940]", "[]", "[ ]", "“words” alone"]
)
def test_brackets_that_hold_no_mark_and_times_are_no_citations(text):
    assert kinds(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1, P2]", [("1", ""), ("P2", "")]),
        ("[1-3]", [("1", ""), ("2", ""), ("3", "")]),
        ("[P1–P2]", [("P1", ""), ("P2", "")]),
        ('[1 "a b"; 2 "c d"]', [("1", "a b"), ("2", "c d")]),
        ('[1 "a b" 2 "c d"]', [("1", "a b"), ("2", "c d")]),
        ("[1 「甲乙」；P1「丙丁」]", [("1", "甲乙"), ("P1", "丙丁")]),
        ('[1 "a" and "b"]', [("1", "a … b")]),
        ("“a b” [1] and “c d” [2].", [("1", "a b"), ("2", "c d")]),
        ('[1 "he [the king] left"]', [("1", "he [the king] left")]),
        ('[1 "a b"] [2 "c d"]', [("1", "a b"), ("2", "c d")]),
        ("He said “a b”\n[1] and so on", [("1", "")]),
        ("[1 ““a,” he said, “b.””]", [("1", "“a,” he said, “b.”")]),
    ],
)
def test_every_mark_of_a_text_is_read_with_the_words_that_stand_with_it(text, expected):
    assert [(one.mark, " … ".join(one.quotes)) for one in read_marks(text)] == expected


def test_a_citation_says_what_of_its_words_is_not_there():
    (citation,) = verify('[1 "were wed in the old church … on a Sunday"]', SHOWN)
    assert (citation.mark, citation.quote) == ("1", "were wed in the old church … on a Sunday")
    assert "'on a Sunday'" in citation.why
    assert "old church" not in citation.why


def test_an_answer_brings_its_own_evidence_and_a_bare_text_must_be_given_some():
    answer = Answer('Wed [1 "were wed in the old church"] [6].', SHOWN)
    assert [citation.kind for citation in verify(answer)] == ["verbatim", "error"]
    with pytest.raises(ValueError, match="give the evidence"):
        verify(answer.text)


def test_counts_tell_every_kind():
    citations = verify('[1 "were wed in the old church"] [1 "were wed … on a Sunday"] [1] [2] [9]', SHOWN)
    assert citation_counts(citations) == {"verbatim": 1, "mixed": 1, "non_verbatim": 2, "error": 1}


WORDS = st.text(
    st.characters(categories=("Lu", "Ll", "Lo", "Nd", "Zs"), include_characters=",.;:-–!?。，！？…\n"), min_size=1, max_size=80
)


def letters(text):
    return sum(letter.isalnum() for letter in text)


@given(WORDS, st.integers(0, 80), st.integers(1, 80))
def test_any_exact_stretch_of_enough_letters_verifies_as_verbatim(text, start, length):
    stretch = text[start : start + length]
    shown = [Evidence(1, Passage(text), "", 1.0)]
    (citation,) = verify(f'[1 "{stretch}"]', shown)
    if letters(stretch) >= LEAST_LETTERS:
        assert citation.kind == "verbatim"


@given(st.text("abcdefg ,.!“「」『』‘’\"'", min_size=1, max_size=60))
def test_a_whole_text_with_quotation_marks_of_other_kinds_verifies_as_verbatim(text):
    citations = verify(f"[1 “{text}”]", [Evidence(1, Passage(text), "", 1.0)])
    if letters(text):
        assert [citation.kind for citation in citations] == ["verbatim"]


@given(st.text("abcdefg ,.", min_size=1, max_size=60), st.text("uvwxyz ,.…甲乙", max_size=40))
def test_words_whose_letters_the_evidence_does_not_have_never_verify(text, other):
    (citation,) = verify(f'[1 "{other}"]', [Evidence(1, Passage(text), "", 1.0)])
    assert citation.kind == "non_verbatim"


@given(st.text(alphabet=st.sampled_from(list("[]【】\"“”「」'1P9,;:-…. ab\n甲")), max_size=60))
def test_any_text_at_all_is_read_to_its_end_and_every_error_says_why(text):
    for citation in verify(text, SHOWN):
        assert citation.mark
        assert (citation.kind == "verbatim") == (citation.why == "")


def test_of_endless_brackets_only_the_first_are_read_and_that_is_told():
    citations = verify('[1 "' * 5_000, SHOWN)
    assert len(citations) == 501
    assert "not read" in citations[-1].why
