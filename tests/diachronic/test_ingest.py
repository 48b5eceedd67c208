"""Passages are read once: blank and known ones passed over, the others dated and written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chronotope.diachronic import AnnotateSettings, DiachronicIndex, IndexWriter, ingest
from chronotope.records import Passage
from chronotope.steps import Runner
from chronotope.temporal import TimeInterval
from chronotope.testing import HashEmbedder

EMBEDDER = HashEmbedder()
NOTES = [
    Passage("The mill burnt on 3 May 1911.", "a", "book", 0, 29),
    Passage(" \ufeff", "b", "book", 30, 32),
    Passage("It was never built again.", "c", "book", 33, 58),
]


@pytest.fixture
def index():
    return DiachronicIndex(EMBEDDER.model_id)


RULES = AnnotateSettings()


def add(index, passages, annotation=RULES):
    return Runner(embedder=EMBEDDER).run(ingest(passages, IndexWriter(index), annotation=annotation))


def test_blank_passages_are_left_out_and_told_and_the_others_dated(index):
    done = add(index, NOTES)
    assert (done.ids, done.added) == (("a", "c"), 2)
    assert [(issue.kind, issue.source_id) for issue in done.issues] == [("blank", "b"), ("undated", "c")]
    assert index.passages[0].times == (TimeInterval.parse("1911-05-03"),)


def test_without_annotation_passages_are_written_as_they_are(index):
    add(index, NOTES[:1], None)
    assert index.passages == (NOTES[0],)


def test_the_same_text_at_the_same_place_is_known_under_its_first_id(index):
    add(index, NOTES)
    again = add(index, [replace(note, id=f"new-{note.id}") for note in NOTES])
    assert (again.ids, again.added, len(index)) == (("a", "c"), 0, 2)


def test_the_same_words_elsewhere_or_of_another_day_are_new(index):
    day, other = TimeInterval.parse("1851-05-03"), TimeInterval.parse("1851-05-10")
    market = Passage("Market day.", "m1", "feed", 0, 11, published=day)
    assert add(index, [market]).added == 1
    others = [
        replace(market, id="m2", published=other),
        replace(market, id="m3", char_start=20),
        replace(market, id="m4", source_id="letters"),
        replace(market, id="m5", char_start=None),
    ]
    assert add(index, others).added == 4


def test_a_passage_that_comes_twice_is_written_once(index):
    assert (add(index, [NOTES[0], NOTES[0]]).added, len(index)) == (1, 1)


def test_nothing_new_is_nothing_written(index):
    assert add(index, []).added == 0


def test_of_two_passages_with_one_id_the_first_stays_and_the_other_is_told(index):
    done = add(index, [NOTES[0], replace(NOTES[0], text="It burnt in 1920.")], None)
    assert (done.added, index.passages) == (1, (NOTES[0],))
    assert [(issue.kind, issue.source_id) for issue in done.issues] == [("duplicate_id", "a")]


def test_an_index_that_is_given_one_id_twice_keeps_the_first_and_tells_it(index):
    runner = Runner(embedder=EMBEDDER)
    assert runner.run(index.add([NOTES[0], replace(NOTES[0], text="It burnt in 1920.")])) == 1
    assert index.passages == (NOTES[0],)
    assert [issue.kind for issue in index.issues] == ["duplicate_id", "undated"]
