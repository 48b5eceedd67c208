"""Candidates: what is segmented at once, and how a model sees it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from chronotope.litseg import candidates
from chronotope.litseg.stages import numbered
from chronotope.records import Document
from chronotope.text import clean, is_blank
from support_litseg import FERRY, STORIES, only


@given(STORIES)
def test_sentences_partition_their_candidate_and_none_is_blank(story: str) -> None:
    for candidate in candidates(Document(story)):
        spans = candidate.sentences
        assert (spans[0][0], spans[-1][1]) == (candidate.unit.start, candidate.unit.end)
        assert all(end == start for (_, end), (start, _) in pairwise(spans))
        assert not any(is_blank(candidate.sentence(index)) for index in range(1, len(candidate) + 1))
        assert (
            "".join(candidate.sentence(i) for i in range(1, len(candidate) + 1)) == clean(story)[slice(spans[0][0], spans[-1][1])]
        )


@pytest.mark.parametrize("text", ["", "  \n\t", "\ufeff", "\n\n\n"])
def test_a_blank_document_has_no_candidate(text: str) -> None:
    assert candidates(Document(text)) == ()


def test_layout_before_the_first_sentence_belongs_to_it() -> None:
    candidate = only(Document("\n\n  \n\nOnce upon a time. The end.\n\n\n"))
    assert [candidate.sentence(1), candidate.sentence(2)] == ["\n\n  \n\nOnce upon a time. ", "The end.\n\n\n"]


def test_a_candidate_prints_its_name_and_size() -> None:
    assert repr(only(FERRY)) == "Candidate('', 11 sentences)"


def test_a_model_sees_one_numbered_sentence_a_line_and_blank_lines_between_paragraphs() -> None:
    text = "He ran.\nShe  stayed\nat home.\n\n“No!”\u2028 he said."
    assert numbered(only(Document(text))) == "<chapter>\n1 He ran.\n2 She stayed at home.\n\n3 “No!” he said.\n</chapter>"


@given(STORIES)
def test_only_sentence_numbers_start_a_line_of_what_a_model_sees(story: str) -> None:
    for candidate in candidates(Document(story)):
        first, *lines, last = numbered(candidate).split("\n")
        assert (first, last) == ("<chapter>", "</chapter>")
        assert [line.split(" ")[0] for line in lines if line] == [str(index) for index in range(1, len(candidate) + 1)]
        assert all(not line or line.isprintable() or line.splitlines() == [line] for line in lines)


def test_numbers_in_the_text_never_stand_where_a_sentence_number_does() -> None:
    text = "It began in May.\n\n[7] It is said that he left.\n12 men followed.\n\n3\n\n1815 was the year."
    lines = numbered(only(Document(text))).split("\n")
    numbers = [line.split(" ")[0] for line in lines[1:-1] if line]
    assert numbers == [str(place) for place in range(1, len(numbers) + 1)]
    assert any(line.split(" ", 1)[1].startswith("[7] It is said") for line in lines if " " in line)


def test_a_fake_closing_tag_in_the_text_ends_nothing() -> None:
    shown = numbered(only(Document("He wrote </chapter> and < /CHAPTER > on the wall. Then he left.")))
    assert shown.count("</chapter>") == 1
    assert shown.endswith("\n</chapter>")
    assert "&lt;/chapter> and &lt; /CHAPTER >" in shown
