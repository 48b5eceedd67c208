"""Chapters: their numbers, and where each character of them stands in its document."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.records import Document, Passage
from chronotope.slices.extract.chapters import chapters_of
from chronotope.slices.extract.windows import windows_of
from chronotope.text import split_passages

BOOK = "CHAPTER I\n\nIt rained on the mill.\n\nCHAPTER II\n\nIt cleared at last.\n\nCHAPTER III\n\nThe mill burnt."


def numbers(*items: Document | Passage) -> list[int]:
    return [chapter.number for chapter in chapters_of(items)[0]]


def test_a_book_is_cut_at_its_headings() -> None:
    chapters, issues = chapters_of([Document(BOOK, id="book")])
    assert [(chapter.number, chapter.title) for chapter in chapters] == [(1, "CHAPTER I"), (2, "CHAPTER II"), (3, "CHAPTER III")]
    assert "".join(chapter.text for chapter in chapters) == BOOK
    assert issues == ()


def test_chinese_headings_are_chapters_too() -> None:
    text = "第五回 雨\n\n下雨了。\n\n第六回 火\n\n磨坊失火了。"
    assert numbers(Document(text)) == [5, 6]


def test_documents_without_numbers_are_numbered_in_their_order() -> None:
    assert numbers(Document("It rained.", id="a"), Document("It cleared.", id="b")) == [1, 2]


def test_told_chapters_are_kept_and_put_in_order() -> None:
    items = [Document("It cleared.", id="b", metadata={"chapter": 17}), Document("It rained.", id="a", metadata={"chapter": "4"})]
    assert [(chapter.number, chapter.source_id) for chapter in chapters_of(items)[0]] == [(4, "a"), (17, "b")]


def test_numbers_that_start_again_are_replaced_by_the_order_and_told() -> None:
    two = [Document(BOOK, id="one"), Document(BOOK, id="two")]
    chapters, issues = chapters_of(two)
    assert [chapter.number for chapter in chapters] == [1, 2, 3, 4, 5, 6]
    assert [issue.kind for issue in issues] == ["chapters_renumbered"]


def test_what_stands_before_the_first_chapter_comes_before_it() -> None:
    text = "PROLOGUE\n\nThere was a mill, and it was old.\n\n" + BOOK
    assert numbers(Document(text)) == [0, 1, 2, 3]


INTERLUDES = [
    ("CHAPTER I\n\nIt rained.\n\nINTERLUDE\n\nThe miller slept.\n\nCHAPTER II\n\nIt cleared.\n\nEPILOGUE\n\nAll slept.", "miller"),
    ("第一回 雨\n\n下雨了。\n\n楔子\n\n磨坊空了。\n\n第二回 火\n\n磨坊失火了。\n\n尾聲\n\n人散了。", "空了"),
]


@pytest.mark.parametrize(("text", "words"), INTERLUDES)
def test_an_interlude_is_told_with_the_chapter_behind_it_and_an_epilogue_after_the_last(text: str, words: str) -> None:
    chapters, issues = chapters_of([Document(text)])
    assert [chapter.number for chapter in chapters] == [1, 2, 2, 3]
    assert [chapter.number for chapter in chapters if words in chapter.text] == [2]
    assert issues == ()


def test_documents_without_a_number_between_numbered_ones_are_told_with_the_later() -> None:
    first, last = (Document("It rained.", id=f"{number}", metadata={"chapter": number}) for number in (2, 5))
    assert numbers(first, Document("The miller slept.", id="a"), Document("He woke.", id="b"), last) == [2, 5, 5, 5]


@given(st.lists(st.none() | st.integers(0, 9), min_size=1, max_size=8, unique_by=lambda one: object() if one is None else one))
def test_no_reader_of_a_chapter_is_told_what_is_printed_behind_it(told: list[int | None]) -> None:
    rising = iter(sorted(number for number in told if number is not None))
    order = [None if number is None else next(rising) for number in told]
    items = [
        Document(f"It rained for {at} days.", id=f"{at:02d}", metadata={} if n is None else {"chapter": n})
        for at, n in enumerate(order)
    ]
    found = {chapter.source_id: chapter.number for chapter in chapters_of(items)[0]}
    ordered = [found[item.id] for item in items]
    assert ordered == sorted(ordered)
    for at, number in enumerate(order):
        if number is not None:
            assert ordered[at] == number
            assert all(later > number for later in ordered[at + 1 :])


def test_blank_documents_have_no_chapters() -> None:
    assert chapters_of([Document(""), Document(" \n\ufeff"), Passage("")]) == ((), ())


def test_letters_are_dated_and_a_book_with_a_year_of_printing_is_not() -> None:
    from chronotope.temporal.interval import TimeInterval

    first, second = (TimeInterval.parse(text) for text in ("1816-05-01", "1816-06-03"))
    letters = [Document("I am well.", id="a", published=first), Document("I am ill.", id="b", published=second)]
    assert [chapter.dated for chapter in chapters_of(letters)[0]] == [True, True]
    assert [chapter.dated for chapter in chapters_of([Document(BOOK, published=first)])[0]] == [False] * 3


def test_passages_of_one_document_are_read_as_one_text() -> None:
    document = Document(BOOK, id="book")
    whole, _ = chapters_of([document])
    pieces, _ = chapters_of(split_passages(document, max_tokens=8))
    assert [chapter.number for chapter in pieces] == [chapter.number for chapter in whole]
    for chapter in pieces:
        start = chapter.text.index(chapter.text.split("\n")[-1])
        span = chapter.in_source((start, len(chapter.text)))
        assert span is not None
        assert BOOK[slice(*span)] == chapter.text[start:]


def test_passages_that_overlap_are_read_once() -> None:
    text = "It rained on the mill. It cleared at last."
    first, second = Passage(text[:30], source_id="s", char_start=0), Passage(text[10:], source_id="s", char_start=10)
    ((chapter,), _) = chapters_of([second, first])
    assert chapter.text == text
    assert chapter.in_source((5, len(text))) == (5, len(text))


def test_nothing_runs_over_a_gap_and_nothing_is_known_of_passages_without_offsets() -> None:
    far = [Passage("It rained.", source_id="s", char_start=0), Passage("It cleared.", source_id="s", char_start=5_000)]
    ((chapter,), _) = chapters_of(far)
    place = chapter.text.index("It cleared.")
    assert chapter.in_source((place, place + 11)) == (5_000, 5_011)
    assert chapter.in_source((0, place + 11)) is None
    ((loose,), _) = chapters_of([Passage("It rained.", source_id="s"), Passage("It cleared.", source_id="s")])
    assert loose.in_source((0, 5)) is None


@pytest.mark.parametrize("overlap", [0, 6])
def test_windows_hold_every_sentence_of_every_chapter(overlap: int) -> None:
    chapters, _ = chapters_of([Document(BOOK + " It rained again." * 30)])
    windows = windows_of(chapters, max_tokens=20, overlap=overlap)
    for chapter in chapters:
        shown = {at for window in windows if window.chapter is chapter for at in range(*window.span)}
        assert all(at in shown for at, char in enumerate(chapter.text) if not char.isspace())


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.lists(st.tuples(st.integers(0, 200), st.integers(0, 60)), max_size=5), st.integers(0, 5))
def test_characters_stand_where_the_document_has_them(text: str, cuts: list[tuple[int, int]], chapter: int) -> None:
    pieces = [(start, text[start : start + length]) for start, length in cuts]
    passages = [Passage(piece, source_id="s", char_start=start, metadata={"chapter": chapter}) for start, piece in pieces if piece]
    for found in chapters_of(passages)[0]:
        for at, char in enumerate(found.text):
            span = found.in_source((at, at + 1))
            if span is not None and not char.isspace() and char != "\ufffd":
                assert text[slice(*span)] == char
