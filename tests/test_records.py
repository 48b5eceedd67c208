"""The shared values: stable names, equality, and JSON, pickle and copy as identities."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.records import Answer, Document, Evidence, Extraction, Hit, Issue, Passage, Spent, content_id
from chronotope.temporal.interval import TimeInterval

T = TimeInterval.parse

TEXTS = st.text(st.characters(codec=None), max_size=40)  # lone surrogates and NUL among them
TIMES = st.sampled_from(["1969-07-20", "1969", "199X", "18XX", "-0043-03-15", "../2015", "2010/..", "2011-03/2013-06", "../.."])
METADATA = st.dictionaries(st.text(max_size=8), st.none() | st.booleans() | st.integers() | st.text(max_size=8), max_size=3)
PASSAGES = st.builds(
    Passage,
    TEXTS,
    source_id=TEXTS,
    char_start=st.none() | st.integers(0, 99),
    char_end=st.none() | st.integers(0, 99),
    times=st.lists(TIMES.map(T), max_size=3).map(tuple),
    static=st.booleans(),
    published=st.none() | TIMES.map(T),
    metadata=METADATA,
)


@given(PASSAGES)
@settings(max_examples=80, deadline=None)
def test_a_passage_comes_back_the_same_from_json_pickle_and_copies(passage: Passage) -> None:
    assert Passage.from_json(json.loads(json.dumps(passage.to_json()))) == passage
    assert pickle.loads(pickle.dumps(passage)) == passage
    assert copy.deepcopy(passage) == passage
    assert replace(passage) == passage


@given(TEXTS, METADATA)
@settings(max_examples=40, deadline=None)
def test_a_document_comes_back_the_same_from_pickle_and_copies(text: str, metadata: dict) -> None:
    document = Document(text, metadata=metadata, published=T("2014-05"))
    assert pickle.loads(pickle.dumps(document)) == document == copy.deepcopy(document)


def test_ids_depend_on_content_alone() -> None:
    assert Document("a").id == Document("a").id
    assert Document("a").id != Document("b").id
    assert Document("a", metadata={"x": 1, "y": 2}).id == Document("a", metadata={"y": 2, "x": 1}).id
    assert Document("a", id="mine").id == "mine"
    assert Passage("a", char_start=0).id == Passage("a", char_start=0).id
    assert Passage("a", char_start=0).id != Passage("a", char_start=5).id
    assert Passage("a", source_id="x").id != Passage("a", source_id="y").id


def test_dating_a_passage_does_not_rename_it() -> None:
    bare = Passage("They landed.", source_id="log", char_start=0, char_end=12)
    assert replace(bare, times=(T("1969-07-20"),), published=T("1969-08")).id == bare.id


def test_the_parts_of_an_id_do_not_run_into_each_other() -> None:
    names = {content_id("ab", "c"), content_id("a", "bc"), content_id("abc"), content_id("abc", ""), content_id("", "abc")}
    assert len(names) == 5


def test_lone_surrogates_never_crash_hashing() -> None:
    assert len({content_id("\udc97"), content_id("\ud83d"), content_id("?"), content_id("\x00")}) == 4


def test_values_copy_what_they_are_given_and_cannot_be_changed() -> None:
    metadata = {"author": "Ann"}
    times = [T("1999")]
    passage = Passage("x", times=times, metadata=metadata)
    document = Document("x", metadata=metadata)
    metadata["author"], times[:] = "Ben", []
    assert passage.metadata["author"] == document.metadata["author"] == "Ann"
    assert passage.times == (T("1999"),)
    with pytest.raises(TypeError):
        passage.metadata["author"] = "Ben"  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        passage.text = "y"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("passage", "told"),
    [
        (Passage("x", times=(T("1969"),), published=T("1970")), ("1969", "1970")),
        (Passage("x", times=(T("1969"), T("1970")), published=T("1969")), ("1969", "1970")),
        (Passage("x", published=T("1970")), ("1970",)),
        (Passage("x", static=True, published=T("1970")), ()),
        (Passage("x"), ()),
    ],
)
def test_told_times_are_the_events_and_the_date_of_writing(passage: Passage, told: tuple[str, ...]) -> None:
    assert tuple(map(str, passage.told_times)) == told


def test_what_was_spent_adds_up_field_by_field() -> None:
    total = Spent(calls=1, prompt_tokens=10, failed=1) + Spent(
        calls=2, completion_tokens=5, embedded=3, ranked=4, cached=6, rejected=7
    )
    assert total == Spent(3, 10, 5, 3, 4, 6, 7, 1)
    assert str(total) == "3 calls (10 tokens in, 5 out), 3 embedded, 6 from cache, 7 rejected, 1 failed"


def test_extractions_join_in_order_and_issues_say_where() -> None:
    first, second = Extraction((1,), (Issue("a", "one"),)), Extraction((2, 3), (Issue("b", "two", "doc-1"),))
    joined = first + second
    assert joined.items == (1, 2, 3)
    assert [str(issue) for issue in joined.issues] == ["[a] one", "[b] two (doc-1)"]


def test_hits_and_answers_survive_pickling() -> None:
    passage = Passage("x", times=(T("1969"),))
    answer = Answer("In 1969 [1].", (Evidence(1, passage, "in 1969", 0.5),), issues=(Issue("a", "b"),))
    assert pickle.loads(pickle.dumps(answer)) == answer
    assert pickle.loads(pickle.dumps(Hit(passage, 0.5))) == Hit(passage, 0.5)


def test_a_passage_with_a_time_is_no_fact_outside_time() -> None:
    dated = Passage("The mill burnt down.", times=(TimeInterval.parse("1890"),), static=True)
    assert not dated.static
    assert Passage("Water boils at 100 degrees.", static=True).static


def test_documents_and_passages_print_what_fits_on_a_line() -> None:
    text = "It was a dark\nand stormy night. " * 5_000
    assert repr(Document(text, id="night")) == "Document('night', 160,000 characters: 'It was a dark and stormy night. It was a…')"
    assert repr(Passage(text, id="p", times=(T("1969"),))).startswith("Passage('p', 1969, 160,000 characters: 'It was a dark and")
    assert repr(Passage("Short.", id="p", static=True)) == "Passage('p', outside time, 6 characters: 'Short.')"


@pytest.mark.parametrize("text", [Path("novel.txt"), b"novel", None])
def test_a_document_of_something_else_than_a_text_is_refused(text: object) -> None:
    with pytest.raises(TypeError, match=f"text must be a str, not {type(text).__name__}; read a file first"):
        Document(text)  # type: ignore[arg-type]
