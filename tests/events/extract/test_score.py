"""The information score, and what kind of thing a sentence says."""

from __future__ import annotations

import pytest

from chronotope.events.extract.score import information_score, tells_quantity
from chronotope.naming.statements import is_heading, is_timeless, tells_event
from support_events import T


@pytest.mark.parametrize(
    ("sentence", "entities", "time", "score"),
    [
        ("Much remains uncertain.", [], None, 0),
        ("She resigned.", [], None, 2),
        ("Ann Lee is a painter.", ["Ann Lee"], None, 1),
        ("Ann Lee resigned.", ["Ann Lee"], "1931", 2),
        ("Ann Lee resigned.", ["Ann Lee"], "1931-05", 3),
        ("Ann Lee sold nine boats.", ["Ann Lee"], "1931-05-03", 4),
        ("寶玉生了一子。", [], None, 1),
    ],
)
def test_each_criterion_is_worth_one_point(sentence: str, entities: list[str], time: str | None, score: int) -> None:
    assert information_score(sentence, entities=entities, times=[T(time)] if time else []) == score


def test_the_figures_of_a_date_are_no_quantity() -> None:
    assert not tells_quantity("He left in 1931.", [(8, 15)])
    assert tells_quantity("He left in 1931 with 12 men.", [(8, 15)])


@pytest.mark.parametrize(
    ("sentence", "timeless"),
    [
        ("Klemzig is a suburb of Adelaide.", True),
        ("Klemzig is located in Australia.", True),
        ("The Lagoon lies between Alder and Port Wyn.", True),
        ("Klemzig was a suburb of Adelaide.", False),
        ("Ann Lee is a retired painter.", False),
        ("Ann Lee is the current mayor.", False),
        ("The hall has been renovated.", False),
        ("Klemzig is a suburb that was founded by settlers.", False),
        ("Is Klemzig a suburb?", False),
        ("Ann Lee resigned.", False),
    ],
)
def test_only_lasting_facts_in_the_present_tense_are_timeless(sentence: str, timeless: bool) -> None:
    assert is_timeless(sentence, about_name=True) is timeless


def test_a_definition_of_a_kind_needs_no_name_but_a_saying_about_somebody_does() -> None:
    assert is_timeless("A sonnet is a poem of fourteen lines.", about_name=False)
    assert is_timeless("Flint glass contains lead oxide.", about_name=False)
    assert not is_timeless("He is a good man.", about_name=False)
    assert not is_timeless("There water flows into the bay.", about_name=False)


@pytest.mark.parametrize("line", ["Career .", "Personal life", "Early life and education .", "- Order of the Bath", "第三回"])
def test_a_line_without_a_verb_or_a_number_is_a_heading(line: str) -> None:
    assert is_heading(line)


@pytest.mark.parametrize("line", ["He left.", "- 1811 : George Peter", "Stop!", "The bridge is long .", "寶玉走了。"])
def test_a_line_that_says_something_is_none(line: str) -> None:
    assert not is_heading(line)


@pytest.mark.parametrize(
    ("words", "told"), [("the so-called need", False), ("a named bridge", False), ("She was named mayor", True)]
)
def test_a_participle_that_only_describes_is_no_event(words: str, told: bool) -> None:
    assert tells_event(words) is told
