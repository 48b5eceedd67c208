"""Timelines: order, what stands apart, budgets, and the context of events and passages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.events import (
    ContextSettings,
    EventRetrievalSettings,
    EventUnit,
    EventWeights,
    Timeline,
    context_within,
    retrieve_events,
)
from chronotope.events.answer.context import passage_block
from chronotope.events.answer.shown import shown_within
from chronotope.records import Hit, Passage
from chronotope.testing import play
from chronotope.tokens import count_tokens
from support_event_index import T, built, event, story, worlds


def lines(*events, **options) -> list[str]:
    return Timeline.of(((one, 1.0) for one in events), **options).render().splitlines()


def test_static_facts_come_first_then_dated_events_in_order_then_what_nothing_places() -> None:
    """Field report G36 and S7: whatever the order of retrieval."""
    events = [
        event("It closed.", "1890"),
        event("Nobody knows when.", "~1870"),
        event("It burnt.", "1871-05"),
        event("It stands on the Wend.", "static"),
        event("Never told."),
        event("It was founded.", "1868"),
    ]
    assert lines(*events) == [
        "Event # [1] [static]: It stands on the Wend.",
        "Event # [2] [1868]: It was founded.",
        "Event # [3] [~1870]: Nobody knows when.",
        "Event # [4] [1871-05]: It burnt.",
        "Event # [5] [1890]: It closed.",
        "Event # [6] [undated]: Never told.",
    ]
    assert lines(*events[1:3], undated="apart") == [
        "Event # [1] [1871-05]: It burnt.",
        "Event # [2] [undated]: Nobody knows when.",
    ]


def test_events_of_one_time_stand_in_source_order_whatever_the_order_of_retrieval() -> None:
    """Field report G36: three pieces of one chapter, retrieved as 3, 1, 2."""
    told = [
        EventUnit(text=f"Part {n}.", source_id="chapter", char_start=n * 10, char_end=n * 10 + 5, times=(T("1871"),))
        for n in (3, 1, 2)
    ]
    assert [line[-7:] for line in lines(*told)] == ["Part 1.", "Part 2.", "Part 3."]


def test_a_longer_state_that_begins_earlier_stands_before_what_falls_into_it() -> None:
    events = [event("She left.", "1875"), event("She managed it.", "1872/1880"), event("Until then it was small.", "../1866")]
    assert [line.split("]: ")[1] for line in lines(*events)] == ["Until then it was small.", "She managed it.", "She left."]


def test_an_event_with_several_times_stands_at_the_one_that_was_asked_for() -> None:
    """Field report G7: two windows at once."""
    twice = event("The river froze.", "1890", "1941")
    other = event("The bridge fell.", "1920")
    assert next(line[-14:] for line in lines(twice, other)) == "e river froze."
    assert lines(twice, other, within=[T("1940/1945")])[1] == "Event # [2] [1890; 1941]: The river froze."


def test_of_several_events_with_one_id_the_best_score_counts() -> None:
    one = event("It closed.", "1890", name="a")
    line = Timeline.of([(one, 0.2), (one, 0.9), (one, 0.5)])
    assert [entry.score for entry in line.entries] == [0.9]


def test_numbers_find_their_events_and_no_others() -> None:
    line = Timeline.of([(event("It closed.", "1890"), 1.0), (event("It stands.", "static"), 1.0)])
    assert [line.entry(n) and line.entry(n).event.text for n in (0, 1, 2, 3, -1)] == [None, "It stands.", "It closed.", None, None]


def test_an_unknown_place_for_the_undated_is_refused() -> None:
    with pytest.raises(ValueError, match="hint or apart, not 'end'"):
        Timeline.of([], undated="end")


@settings(max_examples=40, deadline=None)
@given(worlds(), st.lists(st.floats(0, 1), min_size=12, max_size=12), st.integers(0, 200))
def test_a_budget_holds_and_keeps_the_order_and_the_best(events, scores, budget) -> None:
    whole = Timeline.of(zip(events, scores, strict=False))
    part = whole.within(budget)
    assert count_tokens(part.render()) <= budget
    order = [entry.event.id for entry in whole.entries]
    assert [entry.event.id for entry in part.entries] == [name for name in order if name in {e.event.id for e in part.entries}]
    assert [entry.number for entry in part.entries] == list(range(1, len(part) + 1))
    left_out = [entry for entry in whole.entries if entry.event.id not in {e.event.id for e in part.entries}]
    cost = count_tokens(part.render())
    assert all(
        cost + count_tokens(entry.render()) + 4 > budget for entry in left_out if all(entry.score > e.score for e in part.entries)
    )
    assert whole.within(10_000) == whole


@settings(max_examples=40, deadline=None)
@given(worlds())
def test_dated_events_are_in_order_and_every_event_stands_once(events) -> None:
    line = Timeline.of((one, 0.0) for one in events)
    starts = [entry.placed.envelope for entry in line.dated]
    assert starts == sorted(starts)
    assert sorted(entry.event.id for entry in line.entries) == sorted(one.id for one in events)
    assert {entry.event.id for entry in line.static} == {one.id for one in events if one.static}


def found(question: str):
    """By words above all, since hashed vectors know no meaning."""
    options = EventRetrievalSettings(weights=EventWeights(words=2.0, passage_vectors=0.2))
    return play(retrieve_events(built(*story()), question, settings=options)).result


@pytest.mark.parametrize("budget", [0, 5, 30, 60, 120, 400])
@pytest.mark.parametrize("share", [None, 0.0, 0.5, 1.0])
def test_a_context_keeps_its_budget_and_lists_no_event_of_a_shown_passage_twice(budget, share) -> None:
    retrieval = found("Who managed the Alder mill in 1875?")
    context = retrieval.context(budget, settings=ContextSettings(passages=share))
    assert count_tokens(context.render()) <= budget
    shown = {passage.id for passage in context.passages}
    assert not [entry for entry in context.timeline.entries if retrieval.homes.get(entry.event.id) in shown]
    assert not (share == 0 and context.passages)
    assert not (share == 1 and len(context.timeline))


def test_a_scarce_budget_shows_the_event_and_a_larger_one_its_passage() -> None:
    told, other = event("Tom Reed managed the mill.", "1872/1880", name="e1"), event("It rained.", "1873", name="e2")
    line = Timeline.of([(told, 1.0), (other, 0.8)])
    passage = Passage("Tom Reed managed the mill. It rained. " + "The river ran high and the wheel stood still. " * 3, id="p")
    scarce, ample = (context_within(budget, line, [Hit(passage, 1.0)], {"e1": "p", "e2": "p"}) for budget in (30, 200))
    assert scarce.render() == "Event # [1] [1872/1880]: Tom Reed managed the mill."
    assert ample.render() == f"[P1] {passage.text.strip()}"


@pytest.mark.parametrize("budget", [30, 60, 120, 200, 400, 1_000])
@pytest.mark.parametrize("share", [None, 0.0, 0.5, 1.0])
def test_an_answer_gets_what_was_measured_and_only_what_is_left_lists_events_again(budget, share) -> None:
    retrieval = found("Who managed the Alder mill in 1875?")
    measured = retrieval.context(budget, settings=ContextSettings(passages=share))
    shown = shown_within(budget, retrieval.timeline, retrieval.passages, retrieval.homes, passage_share=share)
    told = {entry.event.id for entry in shown.timeline.entries}
    seen = {item.passage.id for item in shown.passages}
    if measured.render():
        assert [item.passage for item in shown.passages] == list(measured.passages)
        assert {name for name in told if retrieval.homes[name] not in seen} == {
            entry.event.id for entry in measured.timeline.entries
        }
    passages = "\n\n".join(passage_block(item.number, item.passage) for item in shown.passages)
    assert shown.render_passages() == f"<passages>\n{passages or '(none)'}\n</passages>"
    assert count_tokens(f"{shown.timeline.render()}\n\n{passages}") <= budget or len(shown.evidence) == 1


def test_a_passage_is_shown_with_its_time_where_that_is_known() -> None:
    assert passage_block(3, Passage(" The mill burnt.\n")) == "[P3] The mill burnt."
    assert passage_block(3, Passage("It burnt.", times=(T("1871-05"),))) == "[P3] (in May 1871) It burnt."


def test_passages_of_a_context_stand_in_order_of_the_asked_time() -> None:
    """The times of each, in the order of the source: a passage of two times stands at the one that was asked for."""
    passages = [
        Hit(Passage(f"Note {n}.", id=f"p{n}", times=tuple(map(T, times))), 1.0)
        for n, times in enumerate((["1880"], ["1871"], ["1860", "1885"]))
    ]
    orders = [
        [one.id for one in context_within(100, Timeline(), passages, within=within).passages] for within in ([], [T("1879/1890")])
    ]
    assert orders == [["p2", "p1", "p0"], ["p1", "p0", "p2"]]


def test_passages_of_a_context_stand_in_source_order() -> None:
    """Field report G36."""
    ample = found("Who managed the Alder mill in 1875?").context(400)
    assert "Tom Reed managed" in ample.render()
    places = [(passage.source_id, passage.char_start) for passage in ample.passages]
    assert len(places) > 1
    assert places == sorted(places)


def test_several_likely_events_of_one_passage_are_shown_as_that_passage() -> None:
    """Worth per token: two events cost 2 x 20 tokens, the passage that holds both costs less."""
    names = [event(f"Ann sold mill {n}.", "1871", name=f"e{n}") for n in (1, 2)]
    passage = Passage("Ann sold mill 1. Ann sold mill 2.", id="p")
    line = Timeline.of((one, 1.0) for one in names)
    context = context_within(60, line, [Hit(passage, 1.0)], {"e1": "p", "e2": "p"})
    assert context.render() == "[P1] Ann sold mill 1. Ann sold mill 2."


@pytest.mark.parametrize(("options", "message"), [({"passages": 1.5}, "1.5"), ({"passages": -1}, "-1"), ({"temperature": 0}, "0")])
def test_shares_and_temperatures_out_of_range_are_refused(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        ContextSettings(**options)
