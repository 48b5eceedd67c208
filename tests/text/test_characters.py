"""Signs that no store or endpoint can carry are replaced, and every offset stays valid."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.records import Document
from chronotope.text import clean, sentence_spans, split_passages


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
    assert sentence_spans(text)[0] == (0, len("One \udc97 two. "))
    (passage,) = split_passages(Document(text))
    assert passage.text == "One \ufffd two. Half an emoji \ufffd here.\ufffd A form feed \x0c there."
    assert (passage.char_start, passage.char_end) == (0, len(text))
