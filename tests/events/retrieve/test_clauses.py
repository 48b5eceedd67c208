"""Clauses of a question that name an event: found without a model, cited, ambiguous ones shown, unknown ones told."""

from __future__ import annotations

import pytest

from chronotope.events import EventRetrievalSettings, resolve_clauses, retrieve_events
from chronotope.events.retrieve.clauses import placed_by
from chronotope.temporal.scope import parse_scope
from chronotope.testing import play
from support_event_index import T, built, event, story


def index():
    return built(*story())


def resolved(question: str, replies=(), *, choose: bool = False, events=None):
    source = built(events) if events is not None else index()
    return play(resolve_clauses(source, parse_scope(question), choose=choose), replies)


@pytest.mark.parametrize(
    ("relation", "time", "expected"),
    [
        ("after", "1998-05", "1998-06/.."),
        ("after", "1990/1993", "1994/.."),
        ("after", "1990/..", "1990/.."),
        ("since", "1990/1993", "1990/.."),
        ("before", "1990/1993", "../1989"),
        ("before", "../1993", "../1993"),
        ("until", "1990/1993", "../1993"),
        ("by", "1990", "../1990"),
        ("during", "1990/1993", "1990/1993"),
        ("between", "1990/1993", "1990/1993"),
    ],
)
def test_the_relation_of_a_clause_makes_the_interval(relation, time, expected) -> None:
    assert str(placed_by(relation, T(time))) == expected


@pytest.mark.parametrize(
    ("question", "cited", "time"),
    [
        ("Who managed the Alder mill after it merged with Wend Cotton?", "In June 1881", "1881-07/.."),
        ("Who managed the mill before the merger with Wend Cotton?", None, None),
        ("What did Ann Lee do while she studied in Leeds?", "Ann Lee studied", "1858/1862"),
        ("Who owned the mill before Ann Lee founded the Alder mill?", "In 1868", "../1867"),
        ("What was built after a fire destroyed the roof?", "In May 1871", "1871-06/.."),
        ("Who lived there until Ann Lee died in York?", "In 1895", "../1895"),
    ],
)
def test_a_clause_becomes_the_time_of_the_event_that_it_names(question, cited, time) -> None:
    result = resolved(question).result
    (clause,) = result.clauses
    if cited is None:  # "merger" is no word of "merged with Wend Cotton", but the names are enough
        cited, time = "In June 1881", "../1881-05"
    assert clause.event is not None
    assert clause.event.text.startswith(cited)
    assert [str(one) for one in result.scope.times] == [time]
    assert result.scope.unresolved == ()
    assert clause.candidates[0][0] == clause.event


def test_no_model_is_asked_to_find_an_event() -> None:
    assert resolved("Who managed the mill after it merged with Wend Cotton?").spent.calls == 0


def test_a_clause_that_no_event_fits_limits_nothing_and_is_told() -> None:
    result = resolved("Who managed the mill after the comet struck Lisbon?").result
    assert [issue.kind for issue in result.issues] == ["unresolved_clause"]
    assert "comet struck Lisbon" in result.issues[0].message
    assert result.scope.times == ()
    assert [one.text for one in result.scope.unresolved] == ["after the comet struck Lisbon"]
    assert result.clauses[0].event is None


def test_undated_and_timeless_events_place_no_clause() -> None:
    events = [event("The comet struck Lisbon."), event("The comet strikes Lisbon.", "static")]
    assert resolved("Who ruled after the comet struck Lisbon?", events=events).result.clauses[0].event is None


TWO_WARS = [
    event("The war with Spain began.", "1898", name="spain"),
    event("The war with Japan began.", "1941", name="japan"),
]


def test_several_events_that_fit_are_all_shown_and_the_choice_is_told() -> None:
    result = resolved("Who governed before the war began?", events=TWO_WARS).result
    assert {one.id for one, _ in result.clauses[0].candidates} == {"spain", "japan"}
    (issue,) = result.issues
    assert issue.kind == "ambiguous_clause"
    assert "The war with Spain began.' (1898)" in issue.message
    assert "The war with Japan began.' (1941)" in issue.message
    assert result.clauses[0].event is not None


MET = event("Jane Orr met Paul Orr in Oxford in May 1923.", "1923-05", name="met", names=["Jane Orr", "Paul Orr", "Oxford"])
STUDIED = event(
    "Jane Orr studied physics in Oxford from October 1921 to June 1925.",
    "1921-10/1925-06",
    name="studied",
    names=["Jane Orr", "Oxford"],
)
TAUGHT = event("Jane Orr taught in Oxford from 1931 to 1934.", "1931/1934", name="taught", names=["Jane Orr", "Oxford"])
OTHER = event("Tom Hall lived in Oxford from 1850 to 1870.", "1850/1870", name="other", names=["Tom Hall", "Oxford"])


@pytest.mark.parametrize("cue", ["while she was in Oxford", "when she was in Oxford", "during her time in Oxford"])
def test_a_clause_that_asks_for_a_stretch_prefers_what_lasted_to_what_has_one_date(cue) -> None:
    result = resolved(f"Whom did Jane Orr know {cue}?", events=[MET, STUDIED]).result
    assert [str(time) for time in result.scope.times] == ["1921-10/1925-06"]
    assert [one.id for one, _ in result.clauses[0].candidates] == ["studied", "met"]
    assert result.issues == ()  # the meeting lies inside the studies


def test_what_lasted_is_not_preferred_when_it_is_of_somebody_else() -> None:
    result = resolved("What did Jane Orr do while she was in Oxford?", events=[MET, OTHER]).result
    assert [str(time) for time in result.scope.times] == ["1923-05"]


def test_stretches_at_other_times_that_fit_as_well_are_named_with_their_times() -> None:
    result = resolved("What did Jane Orr do while she was in Oxford?", events=[MET, STUDIED, TAUGHT]).result
    (issue,) = result.issues
    assert issue.kind == "ambiguous_clause"
    assert "(1921-10/1925-06)" in issue.message
    assert "(1931/1934)" in issue.message


def test_a_clause_that_no_event_fits_is_one_issue_of_the_retrieval() -> None:
    found = play(retrieve_events(index(), "Who managed the mill after the comet struck Lisbon?")).result
    assert [issue.kind for issue in found.issues if issue.kind.startswith("unresolved")] == ["unresolved_clause"]
    assert [issue.kind for issue in found.unmet] == ["unresolved_clause"]


def test_a_model_chooses_only_when_asked_to_and_only_where_several_fit() -> None:
    question = "Who governed before the war began?"
    played = resolved(question, [{"event": 2}], choose=True, events=TWO_WARS)
    (clause,) = played.result.clauses
    second = [one for one, _ in clause.candidates][1]
    assert (clause.event, clause.by_model, played.spent.calls) == (second, True, 1)
    assert played.result.issues == ()
    alone = resolved(question, choose=True, events=TWO_WARS[:1])
    assert (alone.spent.calls, alone.result.clauses[0].event) == (0, TWO_WARS[0])


def test_a_model_may_say_that_none_is_meant_and_a_refused_reply_leaves_the_best() -> None:
    question = "Who governed before the war began?"
    none = resolved(question, [{"event": 0}], choose=True, events=TWO_WARS).result
    assert (none.clauses[0].event, none.scope.times) == (None, ())
    assert [issue.kind for issue in none.issues] == ["unresolved_clause"]
    refused = resolved(question, [{"event": 7}] * 3, choose=True, events=TWO_WARS).result
    assert refused.clauses[0].event == refused.clauses[0].candidates[0][0]
    assert "reply_refused" in [issue.kind for issue in refused.issues]


def test_a_time_of_the_question_and_a_clause_limit_it_together() -> None:
    result = resolved("Who managed the Alder mill in the 1880s after it merged with Wend Cotton?").result
    assert [str(time) for time in result.scope.times] == ["1881-07/1889-12"]


def test_the_clause_scopes_the_retrieval_and_its_event_is_cited() -> None:
    question = "Who managed the Alder mill after it merged with Wend Cotton?"
    found = play(retrieve_events(index(), question, settings=EventRetrievalSettings(time_filter="cut", undated="exclude"))).result
    assert found.trace[0].event.text.startswith("After that, Ida Cole")
    assert found.clauses[0].event is not None
    assert found.clauses[0].event.text.startswith("In June 1881")
    assert not [issue for issue in found.issues if issue.kind == "unresolved_time"]
    assert all("Tom Reed" not in one.event.text for one in found.trace)
    off = play(retrieve_events(index(), question, settings=EventRetrievalSettings(clauses=False))).result
    assert off.clauses == ()
    assert [issue.kind for issue in off.issues] == ["unresolved_time"]
