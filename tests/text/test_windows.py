"""Cutting text: spans partition it, slices are exact, sizes hold, and nothing takes quadratic time."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.records import Document
from chronotope.temporal.interval import TimeInterval
from chronotope.text import clean, paragraph_spans, sentence_spans, split_passages, window_spans
from chronotope.tokens import estimate_tokens

VERSE = (
    "  Tyger Tyger, burning bright,\r\n    In the forests of the night;\r\n\r\n* * *\r\n\r\n"
    "  What immortal hand or eye,\n\tCould frame?\n"
)
CHINESE = "第四句。第五句。“走吧！”她说。\n\n" + "Two  spaces.  And 第六句。"
PIECES = st.sampled_from(
    [
        "Dr. Lee left. ",
        "“Hi?” she said. ",
        "第四句。",
        "\r\n\r\n",
        "\n \n",
        "  ",
        "a" * 30,
        "😀 ",
        "\udc97",
        "\x00",
        "\x0c",
        "\ufeff",
        "... ",
        "e\u0301",
        "1) x ",
    ]
)
ANY_TEXT = (
    st.text(st.characters(codec=None), max_size=60) | st.lists(PIECES, max_size=25).map("".join) | st.sampled_from([VERSE, CHINESE])
)


def words(text: str) -> int:
    return len(text.split())


def characters(text: str) -> int:
    return len(text)


def assert_partition(text: str, spans: list[tuple[int, int]]) -> None:
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)


@given(ANY_TEXT)
@settings(max_examples=150, deadline=None)
def test_sentences_and_paragraphs_partition_any_text(text: str) -> None:
    assert_partition(text, sentence_spans(text))
    assert_partition(text, paragraph_spans(text))


@given(ANY_TEXT)
@settings(max_examples=80, deadline=None)
def test_every_sentence_but_the_first_starts_with_its_first_letter(text: str) -> None:
    spans = sentence_spans(text)
    assert not any(text[start].isspace() for start, _ in spans[1:])
    assert len(spans) <= 1 or all(text[start:end].strip() for start, end in spans)


@given(ANY_TEXT, st.integers(1, 40), st.integers(0, 39))
@settings(max_examples=150, deadline=None)
def test_windows_cover_the_text_in_order_and_overlap_no_more_than_asked(text: str, size: int, overlap: int) -> None:
    overlap = min(overlap, size - 1)
    spans = window_spans(text, max_tokens=size, overlap=overlap, count=characters)
    sentences = sentence_spans(text)
    starts, ends = {start for start, _ in sentences}, {end for _, end in sentences}
    assert all(start in starts and end in ends for start, end in spans), "windows hold whole sentences"
    assert all(end - start <= size or (start, end) in sentences for start, end in spans)
    reached = 0
    for start, end in spans:
        assert start <= reached < end
        assert reached - start <= overlap
        reached = end
    assert reached == len(text)


@given(ANY_TEXT, st.integers(1, 40))
@settings(max_examples=150, deadline=None)
def test_passages_slice_the_cleaned_text_and_lose_only_white_space(text: str, size: int) -> None:
    passages = split_passages(Document(text, id="d"), max_tokens=size, count=characters)
    cleaned = clean(text)
    reached = 0
    for passage in passages:
        assert passage.char_start is not None
        assert passage.char_end is not None
        assert cleaned[passage.char_start : passage.char_end] == passage.text
        assert 0 < len(passage.text) <= size
        assert passage.text == passage.text.strip()
        gap = cleaned[reached : passage.char_start]
        assert not any(character.isalnum() for character in gap)
        assert passage.char_start >= reached
        reached = passage.char_end
    assert not any(character.isalnum() for character in cleaned[reached:])


@given(st.text(st.characters(codec=None), max_size=80))
@settings(max_examples=80, deadline=None)
def test_cleaning_keeps_every_offset_and_makes_the_text_sendable(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) == len(text)
    cleaned.encode("utf-8")
    assert "\x00" not in cleaned
    assert all(new == old for new, old in zip(cleaned, text, strict=True) if new != "\ufffd")
    assert clean(cleaned) == cleaned


def test_lone_surrogates_and_nul_never_crash_cutting() -> None:
    text = "One \udc97 two. Half an emoji \ud83d here.\x00 A form feed \x0c there."
    assert sentences(text)[0] == "One \udc97 two. "
    (passage,) = split_passages(Document(text))
    assert passage.text == "One \ufffd two. Half an emoji \ufffd here.\ufffd A form feed \x0c there."
    assert (passage.char_start, passage.char_end) == (0, len(text))


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def test_titles_and_initials_end_no_sentence_and_full_width_stops_do() -> None:
    assert sentences("Mr. J. R. Lee paused. Dr. Wu left.") == ["Mr. J. R. Lee paused. ", "Dr. Wu left."]
    assert sentences("第四句。第五句。") == ["第四句。", "第五句。"]


def test_the_sentences_of_a_long_text_are_those_of_its_parts() -> None:
    unit = "Dr. Lee left at 3 p.m. on Sunday. He ran. “Why?” she asked. 第四句。第五句。\n\n"
    alone = [piece.strip() for piece in sentences(unit)]
    assert [piece.strip() for piece in sentences(unit * 400)] == alone * 400


def test_paragraphs_end_at_blank_lines_of_any_kind() -> None:
    text = "One.\r\n\r\nTwo,\nstill two.\n \t\n\n\nThree."
    assert [text[start:end] for start, end in paragraph_spans(text)] == ["One.\r\n\r\n", "Two,\nstill two.\n \t\n\n\n", "Three."]


def test_neighbouring_paragraphs_share_a_passage_up_to_the_size() -> None:
    text = "One two.\n\nThree four.\n\nFive six seven.\n\nEight nine. Ten eleven twelve."
    passages = split_passages(Document(text), max_tokens=4, count=words)
    assert [passage.text for passage in passages] == [
        "One two.\n\nThree four.",
        "Five six seven.",
        "Eight nine.",
        "Ten eleven twelve.",
    ]


def test_a_window_repeats_whole_sentences_of_the_one_before() -> None:
    text = "One two. Three four. Five six. Seven eight."
    spans = window_spans(text, max_tokens=4, overlap=2, count=words)
    assert [text[start:end].strip() for start, end in spans] == [
        "One two. Three four.",
        "Three four. Five six.",
        "Five six. Seven eight.",
    ]


@pytest.mark.parametrize("overlap", [4, 5, -1])
def test_an_overlap_that_leaves_no_room_is_refused(overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap"):
        window_spans("One.", max_tokens=4, overlap=overlap)


def test_passages_carry_the_date_and_metadata_of_their_document() -> None:
    document = Document("One.\n\nTwo.", id="d", metadata={"author": "Ann"}, published=TimeInterval.parse("2014"))
    (passage,) = split_passages(document)
    assert (passage.source_id, passage.published, dict(passage.metadata)) == ("d", document.published, {"author": "Ann"})


@pytest.mark.parametrize("blank", ["", "  \n\t", "\ufeff", "\ufeff \n\n\ufeff", "\x00", "\n\n\n\n", "\u200b \u2060"])
def test_a_blank_document_gives_no_passage(blank: str) -> None:
    assert split_passages(Document(blank)) == []
    assert_partition(blank, sentence_spans(blank))
    assert_partition(blank, paragraph_spans(blank))


def test_cutting_again_gives_the_same_ids() -> None:
    first, second = (split_passages(Document(VERSE + CHINESE, id="d"), max_tokens=8) for _ in range(2))
    assert [passage.id for passage in first] == [passage.id for passage in second]
    assert len({passage.id for passage in first}) == len(first) > 2


def test_equal_sentences_at_different_places_are_different_passages() -> None:
    passages = split_passages(Document("Amen.\n\nAmen.\n\nAmen."), max_tokens=1, count=words)
    assert len({passage.id for passage in passages}) == 3


HUGE = {
    "one letter": "a" * 100_000,
    "a sentence of 50,000 characters": "word " * 10_000,
    "blank lines": "\n\n" * 50_000,
    "Chinese in one paragraph": "第四句。" * 25_000,
    "quotation marks": '"' * 100_000,
    "brackets": "([" * 50_000,
    "prose": "Dr. Lee left on Sunday. He ran away.\r\n\r\n" * 2_500,
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE.keys())
@pytest.mark.parametrize("cut", [sentence_spans, paragraph_spans], ids=["sentences", "paragraphs"])
def test_huge_texts_are_cut_in_near_linear_time(text: str, cut: Callable[[str], list[tuple[int, int]]]) -> None:
    def seconds(part: str) -> float:
        began = time.process_time()
        assert_partition(part, cut(part))
        return time.process_time() - began

    cut("Warm.")
    quarter = max(min(seconds(text[: len(text) // 4]) for _ in range(2)), 0.02)
    assert seconds(text) < 10 * quarter, "four times the text takes four times as long; sixteen times if it were quadratic"


@pytest.mark.parametrize(
    "text", [HUGE["one letter"], HUGE["a sentence of 50,000 characters"], "字" * 20_000], ids=["a", "words", "Chinese"]
)
def test_sizes_hold_for_a_run_without_any_stop(text: str) -> None:
    passages = split_passages(Document(text), max_tokens=100, count=estimate_tokens)
    assert max(estimate_tokens(passage.text) for passage in passages) <= 100
    assert "".join("".join(passage.text.split()) for passage in passages) == "".join(text.split())
    assert all(passage.char_end - passage.char_start > 50 for passage in passages), "no crumbs"  # type: ignore[operator]
    assert max(end - start for start, end in sentence_spans(text)) <= 4_000


def test_a_long_sentence_is_cut_between_words() -> None:
    passages = split_passages(Document("word " * 1_000), max_tokens=100, count=words)
    assert {word for passage in passages for word in passage.text.split()} == {"word"}
