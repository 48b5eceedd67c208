"""The event unit: identity, what it refuses, and its ways into a passage, JSON and a worker process."""

from __future__ import annotations

import pickle
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.events import EventUnit
from chronotope.metadata import write_times
from chronotope.temporal.interval import TimeInterval

MAY = TimeInterval.parse("1931-05")


def moved(**changes) -> EventUnit:
    given = {
        "text": "Ann Lee moved to Turin.",
        "source_id": "life",
        "char_start": 10,
        "char_end": 33,
        "times": (MAY,),
        "entities": ("Turin", "Ann Lee"),
        "score": 3,
        "metadata": {"title": "Ann Lee"},
    }
    return EventUnit(**{**given, **changes})


def test_the_id_depends_on_source_place_time_and_sentence_and_on_nothing_else():
    same = [moved(), moved(entities=("Ann Lee",)), moved(score=1), moved(metadata={})]
    assert len({event.id for event in same}) == 1
    changes = [{"text": "Ann Lee left Turin."}, {"source_id": "obituary"}, {"char_end": 34}, {"times": ()}]
    assert len({moved(**change).id for change in changes} | {moved().id}) == 1 + len(changes)


def test_two_days_told_by_one_sentence_are_two_events():
    days = [moved(times=(TimeInterval.parse(day),)) for day in ("1931-05-01", "1931-05-02")]
    assert days[0].id != days[1].id


def test_entities_are_kept_sorted_each_once_without_blanks():
    assert moved(entities=("Turin", " Ann Lee ", "", "  ", "Turin")).entities == ("Ann Lee", "Turin")


def test_an_event_with_a_time_is_no_fact_outside_time():
    assert not moved(static=True).static
    timeless = moved(times=(), static=True)
    assert timeless.static
    assert not timeless.is_undated
    assert moved(times=()).is_undated


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"score": 5}, ValueError, "0 to 4, not 5"),
        ({"score": -1}, ValueError, "0 to 4, not -1"),
        ({"char_start": None}, ValueError, "both char_start and char_end"),
        ({"char_start": 40}, ValueError, "40 to 33"),
        ({"char_start": -1}, ValueError, "-1 to 33"),
        ({"entities": "Ann Lee"}, TypeError, "'Ann Lee'"),
    ],
)
def test_what_cannot_be_an_event_is_refused_with_the_value_named(changes, error, message):
    with pytest.raises(error, match=message):
        moved(**changes)


def test_its_passage_carries_times_and_flat_metadata():
    passage = moved().passage()
    assert (passage.id, passage.source_id, passage.char_start, passage.char_end) == (moved().id, "life", 10, 33)
    assert passage.times == (MAY,)
    assert dict(passage.metadata) == {"title": "Ann Lee", "entities": "Ann Lee; Turin", "score": 3}
    assert write_times(passage.times)["time_intervals"] == "1931-05"
    assert moved(times=(), static=True).passage().static
    assert "entities" not in moved(entities=()).passage().metadata


names = st.lists(st.text(max_size=6), max_size=4).map(tuple)
times = st.lists(st.sampled_from(["1931-05", "../2002", "2010/..", "199X", "-0043-03-15"]).map(TimeInterval.parse), max_size=3)


@given(st.text(max_size=20), names, times.map(tuple), st.booleans(), st.integers(0, 4))
def test_json_pickle_and_copy_give_the_same_event_back(text, entities, when, static, score):
    event = EventUnit(text=text, entities=entities, times=when, static=static, score=score, metadata={"chapter": 2})
    for other in (EventUnit.from_json(event.to_json()), pickle.loads(pickle.dumps(event)), deepcopy(event), replace(event)):
        assert other == event
        assert other.metadata == event.metadata


def test_metadata_of_the_caller_is_neither_shared_nor_writable():
    mine = {"title": "Ann Lee"}
    event = moved(metadata=mine)
    mine["title"] = "changed"
    assert event.metadata["title"] == "Ann Lee"
    with pytest.raises(TypeError):
        event.metadata["title"] = "changed"
