"""Names in a text: compared without accents and forms, the longest first, none overlapping."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.slices.question.folding import folded
from chronotope.slices.question.kinds import asked_kind, shows
from chronotope.slices.question.names import NameTable
from chronotope.slices.question.pieces import Piece, joined
from chronotope.temporal.interval import Interval

NAMES = (("Lin Daiyu", "d"), ("林黛玉", "d"), ("Lin", "f"), ("the Garden", "g"), ("大觀園", "g"), ("Garden Gate", "e"))
TABLE = NameTable(NAMES, parted=["d"])


@given(st.text())
def test_folding_keeps_every_character_at_its_place(text) -> None:
    assert len(folded(text)) == len(text)
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize(
    ("one", "other"), [("Yü-ts’un", "yu-ts'un"), ("宁國府", "寧国府"), ("Ch‘in", "Ch'in"), ("Ｌin", "lin"), ("后来", "後來")]
)
def test_forms_of_one_name_are_equal(one, other) -> None:
    assert folded(one) == folded(other)


@given(st.lists(st.sampled_from([*(name for name, _ in NAMES), "and", "met", "，", " ", "at", "x", "Daiyu", "黛玉"]), max_size=12))
def test_mentions_stand_in_the_text_in_order_and_apart(pieces) -> None:
    text = "".join(pieces)
    found = TABLE.mentions(text)
    for one in found:
        assert text[one.span[0] : one.span[1]] == one.text
        assert one.ids
    for before, after in pairwise(found):
        assert before.span[1] <= after.span[0]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Lin Daiyu met Lin", ["Lin Daiyu", "Lin"]),
        ("the Garden Gate", ["Garden Gate"]),
        ("a garden gate of GARDENERS", ["garden gate"]),
        ("Linden and Lin's", ["Lin"]),
        ("林黛玉在大观园", ["林黛玉", "大观园"]),
        ("A garden is no Garden.", ["Garden"]),
        ("in a garden", ["garden"]),
    ],
)
def test_the_longest_name_is_taken_and_only_whole_words(text, names) -> None:
    assert [one.text for one in TABLE.mentions(text)] == names


CHAPTERS = st.integers(0, 20)


@given(st.lists(st.tuples(CHAPTERS, CHAPTERS, st.booleans()), min_size=1, max_size=5))
def test_pieces_add_up_and_exclusions_go(given_pieces) -> None:
    pieces, wanted, gone = [], set(), set()
    for place, (one, two, excluded) in enumerate(given_pieces):
        stretch = Interval(min(one, two), max(one, two) + 1)
        pieces.append(Piece((place * 10, place * 10 + 5), (stretch,), excluded))
        (gone if excluded else wanted).update(range(min(one, two), max(one, two) + 1))
    wanted = wanted or {*range(21)}
    found = joined(" " * 60, pieces)
    assert {number for number in range(21) if any(part.contains(number) for part in found)} == wanted - gone


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did he die?", "time"),
        ("On what day did they leave?", "time"),
        ("林如海死於何時？", "time"),
        ("How old is she?", "number"),
        ("得了多少銀子？", "number"),
        ("What is his real name?", "name"),
        ("襲人本名叫什麼？", "name"),
        ("Who came when the bell rang?", None),
        ("誰來了？", None),
    ],
)
def test_what_a_question_asks_for(question, kind) -> None:
    assert asked_kind(question) == kind


@pytest.mark.parametrize(
    ("kind", "text", "there"),
    [
        ("time", "He left on the third day of the ninth moon.", True),
        ("time", "九月初三日巳時沒的", True),
        ("time", "He left without a word.", False),
        ("number", "She gave him twenty taels.", True),
        ("number", "她給了他銀子", False),
        ("name", "本名珍珠", True),
        ("name", "She wept.", False),
    ],
)
def test_what_a_text_has_an_answer_of(kind, text, there) -> None:
    assert shows(kind, text) is there
