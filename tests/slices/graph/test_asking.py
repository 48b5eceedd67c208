"""What a slice may be asked for, and how a slice tells what it could not do with it."""

from __future__ import annotations

from typing import Any

import pytest

from chronotope.slices.graph import Slice
from chronotope.temporal.interval import Interval
from support_worlds import fact, graph_of

STORY = graph_of(
    [
        fact("Ann is_in Mill", 1, place="Mill"),
        fact("Ann meets Tom", 2),
        fact("Tom is_in Mill", 10**9),
        fact("Tom meets Eve", -4),
    ]
)


def kinds(found: Slice) -> list[str]:
    return [issue.kind for issue in found.issues]


@pytest.mark.parametrize("name", ["chapter", "told", "story_time", "place", "entities"])
def test_a_list_of_nothing_matches_nothing_and_says_so(name: str) -> None:
    found = STORY.slice(**{name: []})
    assert not found
    assert kinds(found) == ["matches_nothing"]
    assert "names no" in found.issues[0].message


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"chapter": "3"}, "a chapter is a number"),
        ({"chapter": True}, "a chapter is a number"),
        ({"told": 1.5}, "a chapter is a number"),
        ({"place": 5}, "place is asked for by name or id, not by 5"),
        ({"entities": [None]}, "entity is asked for by name or id, not by None"),
        ({"reader_at": "5"}, "the number of a chapter, not '5'"),
        ({"reader_at": 2.5}, "the number of a chapter, not 2.5"),
        ({"reader_at": True}, "the number of a chapter, not True"),
    ],
)
def test_what_is_of_another_kind_is_refused_with_its_value(asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        STORY.slice(**asked)


@pytest.mark.parametrize(("words", "chapter"), [("chapter 1000000000", 10**9), ("in chapter -4", -4), ("chapter two", 2)])
def test_every_number_that_a_chapter_can_have_can_be_read(words: str, chapter: int) -> None:
    assert STORY.axis.read(words) == STORY.axis.now(chapter)[0]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (7, "chapter 7"),
        (Interval(3, 5), "chapters 3 to 4"),
        (Interval(3, 4), "chapter 3"),
        (Interval(2 * 10**9, None), "chapter 2000000000 and later"),
        (Interval(None, -9), "chapters up to -10"),
    ],
)
def test_chapters_that_do_not_exist_are_named_as_they_were_asked_for(asked: int | Interval, words: str) -> None:
    found = STORY.slice(chapter=asked)
    assert found.issues[0].message == f"there is no {words}; chapters are -4 to 1000000000"
    assert found.trace[0].asked == words


def test_all_chapters_of_a_story_without_any_do_not_exist() -> None:
    found = graph_of([fact("Ann meets Tom")]).slice(told=Interval(None, None))
    assert [issue.message for issue in found.issues] == ["there is no chapter; no chapter is known"]


@pytest.mark.parametrize("told", ["Bell Inn", "the Bell Inn"])
@pytest.mark.parametrize("asked", ["Bell Inn", "the Bell Inn", " The  bell inn"])
def test_a_leading_article_makes_no_difference_to_what_is_asked_for(told: str, asked: str) -> None:
    story = graph_of([fact("Ann meets Tom", 1, place=told), fact("Eve is_in Mill", 2, place="Mill")])
    for found in (story.slice(place=asked), story.slice(place=asked, reader_at=1)):
        assert [one.statement for one in found.facts] == ["Ann — meets — Tom"]
        assert kinds(found) == []
    assert story.place_id(asked) == told
    assert [one.statement for one in story.slice(entities="the Ann").facts] == ["Ann — meets — Tom"]


def test_facts_of_a_text_and_of_a_list_meet_in_one_place_whatever_their_articles() -> None:
    story = graph_of(
        [fact("Ann meets Tom", 1, place="Bell Inn", source_id="tale"), fact("Eve is_in Mill", 1, place="the Bell Inn")],
    )
    assert len(story.slice(place="the Bell Inn").facts) == 2
    assert story.issues == ()
