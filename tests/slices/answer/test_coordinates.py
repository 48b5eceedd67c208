"""Where a fact stands, in words for a reader."""

from __future__ import annotations

import pytest

from chronotope.slices.answer.coordinates import coordinates, statement, validity
from chronotope.slices.axis import build_axis
from chronotope.slices.fact import Entity
from chronotope.slices.graph import build_graph
from chronotope.slices.ontology import Ontology
from chronotope.temporal.interval import Interval, TimeInterval
from support_grounded import FACTS, GRAPH, ONTOLOGY, PEOPLE, PLACES, fact, told

T = TimeInterval.parse


def story(*facts, axis=None, ontology=ONTOLOGY, entities=(*PEOPLE, *PLACES)):
    return build_graph(facts, ontology=ontology, entities=entities, axis=axis or build_axis(range(1, 21)))


INSIDE = (
    told(101, "the Bower", "inside", "the Garden", 1, "the Bower of the Garden"),
    told(102, "the Garden", "inside", "Lund", 1, ""),
)


@pytest.mark.parametrize(
    ("fields", "full", "compact"),
    [
        ({"chapter": 17}, "told in chapter 17", "chapter 17"),
        ({"chapter": None}, "", ""),
        (
            {"chapter": 17, "story": (Interval(11, 12),)},
            "told in chapter 17; in story time while chapter 12 plays",
            "chapter 17; while chapter 12 plays",
        ),
        (
            {"chapter": 17, "story": (Interval(11, 12), Interval(4, 5))},
            "told in chapter 17; in story time while chapter 12 plays and while chapter 5 plays",
            "chapter 17; while chapter 12 plays and while chapter 5 plays",
        ),
        ({"chapter": None, "story": (Interval(11, 12),)}, "in story time while chapter 12 plays", "while chapter 12 plays"),
        ({"chapter": 2, "place": "Lund"}, "told in chapter 2; in Lund", "chapter 2; in Lund"),
        (
            {"chapter": 2, "place": "the Bower"},
            "told in chapter 2; in the Bower (in the Garden, in Lund)",
            "chapter 2; in the Bower, the Garden, Lund",
        ),
        ({"chapter": None, "place": "nowhere known"}, "in nowhere known", "in nowhere known"),
    ],
)
def test_coordinates_tell_chapter_story_time_and_place_and_leave_out_what_nothing_tells(fields, full, compact):
    one = told(1, "Ann Lee", "meets", "Wade", quote="They met.", **fields)
    graph = story(one, *INSIDE)
    assert coordinates(one, graph) == full
    assert coordinates(one, graph, compact=True) == compact


def test_on_an_axis_of_dates_the_time_of_the_chapter_counts_where_a_fact_has_none_of_its_own():
    axis = build_axis([1, 2], kind="dates", dates={1: (T("1931-05"),)})
    own = told(1, "Ann Lee", "meets", "Wade", 1, "They met.", story=(T("1920"),))
    chapters, unknown = told(2, "Bess", "meets", "Wade", 1, "They met."), told(3, "Bess", "meets", "Crane", 2, "They met.")
    graph = story(own, chapters, unknown, axis=axis)
    assert coordinates(own, graph) == "told in chapter 1; in story time in 1920"
    assert coordinates(chapters, graph) == "told in chapter 1; in story time in May 1931"
    assert coordinates(unknown, graph) == "told in chapter 2"


def test_a_state_that_ended_says_when_it_held_and_what_ended_it():
    said = validity(fact(5), GRAPH)
    assert said == f"so {GRAPH.axis.phrase(Interval(3, 9))}; ended by “Ann Lee — dismisses — Bess” (chapter 9)"


def test_a_state_that_a_later_one_replaced_and_the_later_one_both_say_when_they_hold():
    assert validity(fact(3), GRAPH) == f"so {GRAPH.axis.phrase(Interval(0, 11))}; ended by “Ann Lee — lives in — Lund” (chapter 12)"
    assert validity(fact(10), GRAPH) == f"so {GRAPH.axis.phrase(Interval(11, None))}"


@pytest.mark.parametrize("number", [1, 4, 7, 8, 9])
def test_states_that_nothing_ended_and_whatever_is_no_state_tell_no_validity(number):
    assert validity(fact(number), GRAPH) == ""


@pytest.mark.parametrize("chapter", [8, 11])
def test_a_reader_who_has_not_read_of_an_ending_is_not_told_of_it(chapter):
    early = GRAPH.told_until(chapter)
    assert ("ended by" in validity(fact(5), early)) == (chapter >= 9)
    assert "ended by" not in validity(fact(3), early)


def test_an_amended_rule_and_its_amendment_both_say_from_when_to_when_they_hold():
    rules = Ontology.parse(
        '[types.thing]\n[types.value]\n[relations.lasts]\ndomain = ["thing"]\nrange = ["value"]\nreplaces = true', "rules"
    )
    old = told(1, "the warranty", "lasts", "180 days", 1, "180 days", story=(T("2015/.."),))
    new = told(2, "the warranty", "lasts", "270 days", 2, "270 days from April 2023", story=(T("2023-04-01/.."),))
    axis = build_axis([1, 2], kind="dates", dates={})
    graph = story(old, new, axis=axis, ontology=rules, entities=())
    assert validity(old, graph).startswith(f"so {T('2015-01/2023-03').phrase()}; ended by “the warranty — lasts — 270 days”")
    assert validity(new, graph) == f"so {T('2023-04-01/..').phrase()}"


def test_a_statement_names_whom_an_alias_means():
    known = Entity(name="Thomas Reed", aliases=("the Captain",), type="person")
    one = told(1, "the Captain", "meets", "Wade", 1, "They met.")
    graph = story(one, entities=(known, *PEOPLE))
    assert statement(one, graph) == "Thomas Reed (the Captain) — meets — Wade"


def test_a_reader_is_not_told_whom_an_alias_means_before_the_chapter_that_says_so():
    one = told(1, "the Heron", "meets", "Wade", 2, "The Heron met Wade.")
    later = told(2, "the Heron", "alias_of", "Bess", 5, "Bess had been the Heron.")
    graph = story(one, later)
    assert statement(one, graph.told_until(4)) == "the Heron — meets — Wade"
    assert statement(one, graph) == "Bess (the Heron) — meets — Wade"


def test_every_fact_of_a_story_has_coordinates_with_its_chapter():
    assert all(coordinates(one, GRAPH).startswith(f"told in chapter {one.chapter}") for one in FACTS)
