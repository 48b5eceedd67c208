"""Windows and passages: whole sentences up to a size, exact slices of their document."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.records import Document
from chronotope.temporal.interval import TimeInterval
from chronotope.text import clean, sentence_spans, split_passages, window_spans
from chronotope.tokens import estimate_tokens
from support_text import ANY_TEXT, BLANK, CHINESE, HUGE, VERSE, characters, words


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


@pytest.mark.parametrize("blank", BLANK)
def test_a_blank_document_gives_no_passage(blank: str) -> None:
    assert split_passages(Document(blank)) == []


def test_cutting_again_gives_the_same_ids() -> None:
    first, second = (split_passages(Document(VERSE + CHINESE, id="d"), max_tokens=8) for _ in range(2))
    assert [passage.id for passage in first] == [passage.id for passage in second]
    assert len({passage.id for passage in first}) == len(first) > 2


def test_equal_sentences_at_different_places_are_different_passages() -> None:
    passages = split_passages(Document("Amen.\n\nAmen.\n\nAmen."), max_tokens=1, count=words)
    assert len({passage.id for passage in passages}) == 3


@pytest.mark.parametrize(
    "text", [HUGE["one letter"], HUGE["a sentence of 50,000 characters"], "字" * 20_000], ids=["a", "words", "Chinese"]
)
def test_sizes_hold_for_a_run_without_any_stop(text: str) -> None:
    passages = split_passages(Document(text), max_tokens=100, count=estimate_tokens)
    assert max(estimate_tokens(passage.text) for passage in passages) <= 100
    assert "".join("".join(passage.text.split()) for passage in passages) == "".join(text.split())
    assert all(passage.char_end - passage.char_start > 50 for passage in passages), "no crumbs"  # type: ignore[operator]


def test_a_long_sentence_is_cut_between_words() -> None:
    passages = split_passages(Document("word " * 1_000), max_tokens=100, count=words)
    assert {word for passage in passages for word in passage.text.split()} == {"word"}
