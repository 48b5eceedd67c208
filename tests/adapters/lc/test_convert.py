"""Documents as passages and back."""

from __future__ import annotations

import copy
import json
from datetime import date, datetime, timedelta, timezone

import pytest
from langchain_core.documents import Document

from chronotope.langchain.convert import read_documents, to_document, to_hits, to_passage
from chronotope.metadata import MetadataKeys
from chronotope.records import Passage
from chronotope.temporal.interval import TimeInterval


@pytest.mark.parametrize(
    "value",
    [
        "2024-01-01",
        "2024-01-01T00:00:00",
        datetime(2024, 1, 1, 12),  # noqa: DTZ001 - naive is UTC
        datetime(2024, 1, 1, 23, tzinfo=timezone(timedelta(hours=2))),
        date(2024, 1, 1),
        20240101,
        1704067200,
    ],
)
def test_a_date_of_any_common_type_is_read_as_the_same_day(value):
    passage, issues = to_passage(Document("x", metadata={"at": value}), keys=MetadataKeys(date="at"))
    assert passage.published.overlaps(TimeInterval.parse("2024-01-01"))
    assert not issues


def test_one_bad_date_is_an_issue_about_its_document_alone():
    documents = [Document("a", metadata={"at": "not-a-date"}), Document("b", metadata={"at": "2020"})]
    read, issues = read_documents(documents, keys=MetadataKeys(date="at"))
    assert [passage.published and str(passage.published) for _, passage in read] == [None, "2020"]
    assert [(issue.kind, issue.source_id) for issue in issues] == [("bad_date", read[0][1].id)]


def test_blank_documents_are_left_out_and_counted():
    read, issues = read_documents([Document(text) for text in ("", "  \n\t", "\ufeff", "text")])
    assert [passage.text for _, passage in read] == ["text"]
    assert [issue.kind for issue in issues] == ["blank"]
    assert "3 of 4" in issues[0].message


def test_the_documents_given_are_not_changed():
    given = Document("x", metadata={"at": date(2024, 1, 1), "tags": ["a", {"b": 1}]})
    before = copy.deepcopy(given)
    passage, _ = to_passage(given, keys=MetadataKeys(date="at"))
    to_document(passage).metadata["tags"].append("c")
    assert given == before


def test_the_same_words_on_two_days_are_two_passages():
    first, second = (to_passage(Document("Market day.", metadata={"published": day}))[0] for day in ("1851-05-03", "1851-05-10"))
    assert first.id != second.id


def test_the_same_document_has_the_same_id_on_every_run_and_keeps_its_own():
    assert (
        to_passage(Document("x", metadata={"b": 1, "a": [2]}))[0].id == to_passage(Document("x", metadata={"a": [2], "b": 1}))[0].id
    )
    assert to_passage(Document("x", id="mine"))[0].id == "mine"


def test_a_score_does_not_change_the_id():
    assert to_passage(Document("x"))[0].id == to_passage(Document("x", metadata={"relevance_score": 0.5}))[0].id


def test_a_written_document_holds_json_scalars_and_a_date_for_people():
    passage = Passage("x", times=(TimeInterval.parse("1914/1918"), TimeInterval.parse("1939-09")))
    metadata = to_document(passage, score=0.25).metadata
    assert metadata["date"] == "1914/1918; 1939-09"
    assert metadata["relevance_score"] == 0.25
    assert all(isinstance(metadata[key], int) for key in MetadataKeys().machine)
    assert json.loads(json.dumps(metadata)) == metadata


def test_of_many_times_people_see_the_first_and_the_last():
    passage = Passage("x", times=tuple(TimeInterval.parse(str(year)) for year in range(1960, 1970)))
    metadata = to_document(passage).metadata
    assert metadata["date"] == "1960 … 1969"
    assert metadata["time_intervals"].count(";") == 9


@pytest.mark.parametrize(("published", "shown"), [("2001-02", "2001-02"), (None, "")])
def test_a_date_is_always_there_even_when_no_event_is_dated(published, shown):
    when = TimeInterval.parse(published) if published else None
    assert to_document(Passage("x", published=when)).metadata["date"] == shown


def test_a_date_of_the_apps_own_is_kept():
    passage, _ = to_passage(Document("In 1999 it rained.", metadata={"date": date(2001, 2, 3)}))
    assert to_document(passage).metadata["date"] == "2001-02-03"


def test_renamed_keys_are_read_and_written():
    keys = MetadataKeys(times="t", start="t0", end="t1", published="p")
    passage = Passage("x", times=(TimeInterval.parse("1999"),), published=TimeInterval.parse("2000"))
    metadata = to_document(passage, keys=keys).metadata
    assert metadata["t"] == "1999"
    assert to_passage(Document("x", metadata=metadata), keys=keys)[0].times == passage.times


def test_the_place_in_the_source_comes_from_a_splitters_start_index_unless_it_is_negative():
    assert to_passage(Document("four", metadata={"start_index": 10}))[0].char_end == 14
    assert to_passage(Document("four", metadata={"start_index": -1}))[0].char_start is None


def test_characters_that_cannot_be_sent_are_replaced_one_for_one():
    assert to_passage(Document("a\x00b"))[0].text == "a\ufffdb"


def test_documents_without_scores_are_ranked_by_their_order():
    scores = [hit.score for hit in to_hits([Document("a"), Document("b")])]
    assert scores == sorted(scores, reverse=True)
    assert [hit.score for hit in to_hits([Document("a", metadata={"relevance_score": 0.1})])] == [0.1]
