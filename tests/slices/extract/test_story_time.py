"""When facts were: words of the text on the axis of the story, chapters that play elsewhere, dates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chronotope.records import Document
from chronotope.slices.story_facts import StoryFacts
from chronotope.temporal.interval import Interval, TimeInterval
from support_story_facts import LLM, RULES, by_model, by_rules, kinds, reply, told

STORY = (
    "CHAPTER I\n\nThe fire burnt all night. Ann served Tom.\n\n"
    "CHAPTER II\n\nTen years earlier Ann met Tom. They met in spring.\n\n"
    "CHAPTER III\n\nAnn died. Before the fire Tom met Kate. Three days earlier Ann served Kate."
)
FIRE = told("fire", "happens", quote="The fire burnt all night")
BACK = {"one": "this chapter", "relation": "before", "other": "chapter 1", "offset": "Ten years", "quote": "Ten years earlier"}


def story(first: list[Any], second: list[Any], third: list[Any], *order: dict[str, Any], text: str = STORY) -> StoryFacts:
    return by_model(text, [reply(*first), reply(*second, order=order), reply(*third)])


def test_chapters_play_one_after_the_other_and_a_statement_of_order_moves_one() -> None:
    assert story([], [], []).axis.chapters == {1: (Interval(0, 1),), 2: (Interval(1, 2),), 3: (Interval(2, 3),)}  # type: ignore[union-attr]
    moved = story([], [], [], BACK).axis
    assert moved is not None
    (second,) = moved.now(2)
    assert second.start == -3_650
    assert moved.now(1)[0].start == 0


@pytest.mark.parametrize("other", ["Chapter 1", "chapter one", "第一回"])
def test_chapters_are_named_in_many_ways(other: str) -> None:
    axis = story([], [], [], {**BACK, "other": other}).axis
    assert axis is not None
    assert axis.now(2)[0].start == -3_650


def test_words_that_move_the_chapter_do_not_move_its_facts_again() -> None:
    meets = told("Ann", "meets", "Tom", quote="Ann met Tom", when="Ten years earlier")
    (fact,) = story([], [meets], [], BACK).items
    assert fact.story == ()


def test_a_recollection_counts_from_its_chapter_and_moves_nothing() -> None:
    served = told("Ann", "serves", "Kate", quote="Ann served Kate", when="Three days earlier", recalled=True)
    found = story([], [], [served])
    assert found.items[0].story == (Interval(-1, 0),)
    assert found.axis is not None
    assert found.axis.now(3) == (Interval(2, 3),)


def test_a_recalled_event_without_a_time_was_before_its_chapter_and_a_state_may_go_on() -> None:
    recalled = [
        told("Tom", "meets", "Kate", quote="Tom met Kate", recalled=True),
        told("Ann", "serves", "Kate", quote="Ann served Kate", recalled=True),
    ]
    met, served = story([], [], recalled).items
    assert (met.story, served.story) == ((Interval(None, 2),), ())


def test_events_of_the_story_are_landmarks() -> None:
    met = told("Tom", "meets", "Kate", quote="Tom met Kate", when="Before the fire")
    found = story([FIRE], [], [met])
    assert found.items[-1].story == (Interval(None, 0),)
    assert found.issues == ()


def test_a_time_that_cannot_be_placed_is_told_and_the_fact_counts_when_its_chapter_plays() -> None:
    found = story([], [told("Ann", "meets", "Tom", quote="Ann met Tom", when="in spring")], [])
    assert found.items[0].story == ()
    assert kinds(found) == ["unplaced_time"]
    assert "chapter 2 plays" in found.issues[0].message


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"quote": "Nobody said this"}, "ungrounded_order"),
        ({"other": "chapter 99"}, "ungrounded_order"),
        ({"other": "the flood"}, "ungrounded_order"),
        ({"relation": "besides"}, "ungrounded_order"),
        ({"other": "this chapter"}, "order_contradiction"),
    ],
)
def test_statements_of_order_that_say_nothing_are_told(change: dict[str, str], kind: str) -> None:
    found = story([], [], [], {**BACK, **change})
    assert kinds(found) == [kind]
    assert found.axis is not None
    assert found.axis.now(2) == (Interval(1, 2),)


def test_a_distance_that_cannot_be_read_leaves_the_order_and_is_told() -> None:
    found = story([], [], [], {**BACK, "offset": "-1 days"})
    assert kinds(found) == ["unplaced_time"]
    assert found.axis is not None
    (second,), (first,) = found.axis.now(2), found.axis.now(1)
    assert second.end is not None
    assert first.start is not None
    assert second.end <= first.start


def test_a_number_of_the_text_is_no_tick_of_the_axis() -> None:
    text = STORY.replace("Ann died.", "In 1931 Ann died, at 3.")
    died = [told("Ann", "died", quote="Ann died", when=when) for when in ("In 1931", "1931", "3")]
    found = story([], [], died[:1], text=text)
    assert (found.items[0].story, kinds(found)) == ((), ["unplaced_time"])
    for one in died[1:]:
        assert kinds(story([], [], [one], text=text)) == ["unplaced_time"]


def test_by_rules_the_one_date_of_a_sentence_is_when_it_was() -> None:
    text = "In May 1931 Ann Lee met Ben Moor. Ann Lee died. Between 1932 and 1934, after 1920, Ben Moor died."
    found = by_rules(text, settings=replace(RULES, axis="dates"))
    assert [fact.story for fact in found.items] == [(TimeInterval.parse("1931-05"),), (), ()]


def test_of_two_statements_that_contradict_each_other_the_later_is_left_out_and_told() -> None:
    found = story([], [], [], BACK, {**BACK, "relation": "after", "offset": None})
    assert kinds(found) == ["order_contradiction"]
    assert found.axis is not None
    assert found.axis.now(2)[0].start == -3_650


@pytest.mark.parametrize(
    ("opening", "start"),
    [
        ("Ten years earlier, the mill stood whole.", -3_650),
        ("Two days later, the mill stood whole.", 2),
        ("十年前，磨坊还在。", -3_650),
        ("Ten years earlier, Ann had lived there.", 1),
        ("The mill stood ten years earlier, too.", 1),
    ],
)
def test_without_a_model_a_chapter_is_moved_by_its_first_words_alone(opening: str, start: int) -> None:
    axis = by_rules(f"CHAPTER I\n\nThe mill burnt.\n\nCHAPTER II\n\n{opening} It rained.").axis
    assert axis is not None
    assert axis.now(2)[0].start == start


LETTERS = [
    Document("Ann died yesterday. Tom met Kate in March 1931.", id="one", published=TimeInterval.parse("1931-05-02")),
    Document("Tom served Kate.", id="two", published=TimeInterval.parse("1931-06-09")),
]


def test_dated_letters_make_an_axis_of_dates_and_words_are_read_by_the_rules_of_dates() -> None:
    first = [
        told("Ann", "died", quote="Ann died", when="yesterday"),
        told("Tom", "meets", "Kate", quote="Tom met Kate", when="March 1931"),
    ]
    found = by_model(LETTERS, [reply(*first), reply(told("Tom", "serves", "Kate", quote="Tom served Kate"))])
    assert found.axis is not None
    assert (found.axis.kind, found.axis.now(2)) == ("dates", (TimeInterval.parse("1931-06-09"),))
    assert [fact.story for fact in found.items] == [(TimeInterval.parse("1931-05-01"),), (TimeInterval.parse("1931-03"),), ()]


def test_a_date_needs_its_year_in_the_text() -> None:
    proposed = [
        told("Ann", "died", quote="Ann died", when="1931-03"),
        told("Tom", "meets", "Kate", quote="Tom met Kate", when="1950"),
    ]
    found = by_model(LETTERS, [reply(*proposed), reply()])
    assert [fact.story for fact in found.items] == [(TimeInterval.parse("1931-03"),), ()]
    assert kinds(found) == ["ungrounded_time"]


def test_the_axis_may_be_told() -> None:
    found = by_model(LETTERS, [reply(), reply()], settings=replace(LLM, axis="ticks"))
    assert found.axis is not None
    assert found.axis.kind == "ticks"
    undated = by_rules("Ann died.", settings=replace(RULES, axis="dates"))
    assert undated.axis is not None
    assert (undated.axis.kind, undated.axis.now(1)) == ("dates", ())


def test_a_year_of_printing_does_not_date_a_story() -> None:
    axis = by_model([Document("Ann died.", published=TimeInterval.parse("1847"))], [reply()]).axis
    assert axis is not None
    assert axis.kind == "ticks"


def test_dates_before_the_year_one_are_read() -> None:
    text = "In 44 BC Ann died. In 300 BC Tom died."
    proposed = [told("Ann", "died", quote="Ann died", when="44 BC"), told("Tom", "died", quote="Tom died", when="300 BC")]
    found = by_model(text, [reply(*proposed)])
    assert [str(fact.story[0]) for fact in found.items] == ["-0043", "-0299"]
