"""Units that are too long are cut without loss, each piece as full as it can be."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.text import Unit, cut_unit, paragraph_spans, read_structure
from chronotope.text.structure import count_words

PIECES = st.sampled_from(
    [
        "Dr. Lee left. ",
        "“Hi?” she said. ",
        "第四句。",
        "夜深了，他還在等。",
        "\n\n",
        "\r\n\r\n",
        "  ",
        "a" * 30,
        "one two three four five six",
        "—",
        "* * *\n\n",
    ]
)
TEXTS = st.lists(PIECES, min_size=1, max_size=60).map("".join)


@pytest.mark.parametrize(
    ("text", "words"),
    [("It was late.", 3), ("夜深了。 OK", 4), ("第四句。第五句。", 6), ("", 0), (" \n", 0), ("« Et toi ? »", 5), ("ＡＢＣ　夜", 2)],
)
def test_a_word_is_a_run_between_spaces_or_one_chinese_character(text: str, words: int) -> None:
    assert count_words(text) == words


@given(TEXTS, st.integers(1, 12))
@settings(deadline=None)
def test_pieces_cover_the_unit_and_none_is_too_long(text: str, most: int) -> None:
    unit = Unit(start=0, end=len(text), kind="chapter", title="CHAPTER I", number=1, parents=("BOOK I",))
    pieces = cut_unit(text, unit, max_words=most)
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    assert all(count_words(text[piece.start : piece.end]) <= most for piece in pieces)
    assert {(piece.title, piece.number, piece.kind, piece.parents) for piece in pieces} == {
        ("CHAPTER I", 1, "chapter", ("BOOK I",))
    }
    assert [piece.piece for piece in pieces] == ([0] if len(pieces) == 1 else list(range(1, len(pieces) + 1)))


@given(st.lists(st.integers(1, 8), min_size=1, max_size=12), st.integers(8, 20))
@settings(deadline=None)
def test_paragraphs_stay_whole_and_no_piece_has_room_for_the_next(sizes: list[int], most: int) -> None:
    text = "\n\n".join(" ".join(["word"] * size) for size in sizes)
    pieces = cut_unit(text, Unit(start=0, end=len(text)), max_words=most)
    borders = {start for start, _ in paragraph_spans(text)}
    assert {piece.start for piece in pieces} <= borders
    for before, after in pairwise(pieces):
        first = next(end for start, end in paragraph_spans(text) if start == after.start)
        assert count_words(text[before.start : first]) > most


def test_a_paragraph_that_is_too_long_is_cut_between_sentences() -> None:
    text = "He came home. She was not there. He waited until dark."
    pieces = cut_unit(text, Unit(start=0, end=len(text)), max_words=7)
    assert [text[piece.start : piece.end] for piece in pieces] == ["He came home. She was not there. ", "He waited until dark."]


def test_a_sentence_that_is_too_long_is_cut_between_words_and_nothing_is_dropped() -> None:
    text = " ".join(["word"] * 25) + "."
    pieces = cut_unit(text, Unit(start=0, end=len(text)), max_words=10)
    assert [count_words(text[piece.start : piece.end]) for piece in pieces] == [10, 10, 5]


def test_a_short_tail_and_a_short_head_are_kept() -> None:
    head = " ".join(["Short"] * 19) + " head.\n\n"
    text = head + "word " * 600 + "end.\n\nTail."
    pieces = cut_unit(text, Unit(start=0, end=len(text)), max_words=300)
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    assert text[pieces[-1].start : pieces[-1].end].endswith("Tail.")


def test_marks_stay_with_their_piece_and_the_body_start_with_the_first() -> None:
    text = "CHAPTER I\n\nOne two three.\n\n* * *\n\nFour five six.\n\n* * *\n\nSeven eight."
    (unit,) = read_structure(text).units
    pieces = cut_unit(text, unit, max_words=8)
    assert [mark for piece in pieces for mark in piece.marks] == list(unit.marks)
    assert all(piece.start <= mark < piece.end for piece in pieces for mark in piece.marks)
    assert pieces[0].body_start == unit.body_start
    assert all(piece.body_start == piece.start for piece in pieces[1:])


def test_an_indented_poem_with_a_divider_comes_back_byte_for_byte() -> None:
    text = (
        "  Tyger Tyger, burning bright,\r\n    In the forests of the night;\r\n\r\n* * *\r\n\r\n  "
        "What immortal hand or eye,\n\tCould frame?\n"
    )
    pieces = [piece for unit in read_structure(text).units for piece in cut_unit(text, unit, max_words=4)]
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text


def test_ragged_stops_and_list_marks_of_a_scan_come_back_unchanged() -> None:
    text = "He paused .. then ran .... 1) bread 2) rope  3) wine ?? What ?? No."
    pieces = cut_unit(text, Unit(start=0, end=len(text)), max_words=3)
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text


def test_a_limit_below_one_word_is_refused() -> None:
    with pytest.raises(ValueError, match="max_words must be at least 1, not 0"):
        cut_unit("One.", Unit(start=0, end=4), max_words=0)


def test_a_run_of_one_letter_and_a_long_line_are_cut_in_bounded_time() -> None:
    for text in ("a" * 100_000, "He left. " * 5_000, "\n" * 100_000):
        pieces = cut_unit(text, Unit(start=0, end=len(text)), max_words=500)
        assert sum(piece.end - piece.start for piece in pieces) == len(text)
