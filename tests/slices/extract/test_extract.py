"""Extraction as a whole: what it costs, what it is shown, what comes back, and settings that make no sense."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from chronotope.errors import OntologyError
from chronotope.models import Message
from chronotope.prompts import Prompt
from chronotope.records import Document, Passage
from chronotope.slices.extract import FactSettings, extract_facts
from chronotope.slices.extract.proposals import STORY_FACTS, StoryProposals
from chronotope.slices.fact import Entity
from chronotope.slices.facts_file import read_facts
from chronotope.slices.graph import build_graph
from chronotope.slices.story_facts import StoryFacts
from chronotope.steps import Runner
from chronotope.testing import HashEmbedder, ScriptedChat, play
from chronotope.text import split_passages
from chronotope.tokens import count_tokens
from support_story_facts import LLM, RULES, SMALL, by_model, by_rules, kinds, reply, statements, told

BOOK = "".join(
    f"CHAPTER {number}\n\nTom served Ann. " + "The tide came in with every boat. " * 20 + "\n\n" for number in range(1, 6)
)


def careful(messages: Sequence[Message]) -> dict[str, Any]:
    return reply(told("Tom", "serves", "Ann", quote="Tom served Ann")) if "Tom served" in messages[-1].content else reply()


@pytest.mark.parametrize("settings", [LLM, RULES])
@pytest.mark.parametrize("blank", [[], [Passage("")], [Passage(" \n\t", source_id="a"), Document("\ufeff")]])
def test_blank_input_asks_nobody(settings: FactSettings, blank: list[Passage]) -> None:
    done = play(extract_facts(blank, settings=settings))
    assert done.spent.calls == 0
    assert done.result == StoryFacts()


def test_the_cost_is_known_before_the_first_call() -> None:
    runner = Runner(ScriptedChat(careful), HashEmbedder())
    small = replace(LLM, window_tokens=100)
    expected = runner.estimate(extract_facts([Document(BOOK)], settings=small))
    found = runner.run(extract_facts([Document(BOOK)], settings=small))
    assert expected.calls == runner.spent.calls > 5
    assert [fact.chapter for fact in found.items] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("ontology", "most"), [("general_fiction", 1.57), ("household", 1.65)])
def test_a_token_of_text_costs_little_more_than_one(ontology: str, most: float) -> None:
    text = "The boats came in with the tide, and nobody at the quay had a word for the harbour master. " * 600
    done = play(extract_facts([Document(text)], settings=FactSettings(mode="llm", ontology=ontology)), lambda _: reply())
    full = done.exchange[:-1]  # the last window is what is left
    shown = sum(count_tokens(turn.content) for call in full for turn in call.messages)
    carried = sum(count_tokens(call.messages[-1].content.split("<text>")[1]) for call in full)
    assert len(full) >= 5
    assert shown / carried <= most


def test_what_comes_before_the_chapter_is_the_same_in_every_prompt() -> None:
    done = play(extract_facts([Document(BOOK)], settings=LLM), careful)
    assert len({call.messages[0].content for call in done.exchange}) == 1
    assert [call.messages[1].content.split("\n")[0] for call in done.exchange] == [f"Chapter {number}" for number in range(1, 6)]


def test_who_is_known_is_shown_where_a_window_names_them() -> None:
    cast = (Entity(name="Tom", type="person", aliases=("Tommy",)), Entity(name="Kate", type="person"))
    done = play(extract_facts([Document("Tom died.")], settings=replace(LLM, cast=cast)), [reply()])
    assert "Known names: Tom (person, Tommy)\n" in done.exchange[0].messages[-1].content
    assert "Kate" not in done.exchange[0].messages[-1].content
    assert done.result.entities == cast


def test_passages_of_a_chapter_are_read_together_and_their_chapter_is_kept() -> None:
    pieces = [
        Passage("Tom served Ann.", source_id="a", metadata={"chapter": 9}),
        Passage("Ann died.", source_id="a", metadata={"chapter": 9}),
    ]
    facts = [told("Tom", "serves", "Ann", quote="Tom served Ann"), told("Ann", "died", quote="Ann died")]
    found = by_model(pieces, [reply(*facts)])
    assert [(fact.chapter, fact.source_id, fact.char_start) for fact in found.items] == [(9, "a", None), (9, "a", None)]


def test_facts_of_passages_have_the_places_of_the_document() -> None:
    document = Document(BOOK, id="book")
    whole = Runner(ScriptedChat(careful)).run(extract_facts([document], settings=LLM))
    pieces = Runner(ScriptedChat(careful)).run(extract_facts(split_passages(document, max_tokens=40), settings=LLM))
    assert [fact.id for fact in pieces.items] == [fact.id for fact in whole.items]
    assert all(BOOK[fact.char_start : fact.char_end] == fact.quote for fact in pieces.items)


def test_windows_that_overlap_tell_a_fact_once() -> None:
    text = "The tide came in. " * 6 + "Tom served Ann. " + "The tide came in. " * 6
    found = play(extract_facts([Document(text)], settings=replace(LLM, window_tokens=40, overlap_tokens=30)), careful).result
    assert statements(found.items) == ["Tom — serves — Ann"]
    assert kinds(found) == ["duplicate_facts"]


def test_a_reply_cut_inside_one_sentence_keeps_what_was_complete() -> None:
    cut = '{"facts": [{"subject": "Tom", "relation": "serves", "object": "Ann", "quote": "Tom served Ann"}, {"subject": "To'
    found = by_model("Tom served Ann.", [cut])
    assert statements(found.items) == ["Tom — serves — Ann"]
    assert kinds(found) == ["reply_cut"]


def test_a_refused_reply_never_ends_the_book() -> None:
    replies = ["I would rather not.", reply(told("Ann", "died", quote="Ann died"))]
    first = "CHAPTER I\n\nBen Moor married Kate Lee.\n\n"
    found = by_model(first + "CHAPTER II\n\nAnn died.", replies)
    assert statements(found.items) == ["Ben Moor — married to — Kate Lee", "Ann — died"]
    assert [(issue.kind, issue.message.split(":")[0]) for issue in found.issues] == [
        ("reply_refused", f"characters 0 to {len(first)}")
    ]


def test_results_can_be_pickled_and_shown() -> None:
    found = by_rules(BOOK)
    assert pickle.loads(pickle.dumps(found)) == found
    assert pickle.loads(pickle.dumps(RULES)) == RULES
    assert repr(found) == f"StoryFacts({len(found.items)} facts (0 low-confidence), 0 uncertain, 0 entities, 0 issues)"


@pytest.mark.parametrize("text", ["The tide came in with every boat.", "他說了一句話。"])
def test_rules_that_find_nothing_say_how_much_they_read_and_what_helps(text: str) -> None:
    (issue,) = by_rules(text).issues
    assert issue.kind == "nothing_found"
    assert issue.message.startswith(f"{len(text)} characters were read and no fact was found")
    assert all(word in issue.message for word in ("cast=", "entities=", "mode='llm'"))


def test_rules_that_find_something_and_a_model_that_finds_nothing_say_no_such_thing() -> None:
    assert by_rules("Ben Moor married Kate Lee.").issues == ()
    assert by_model("The tide came in.", [reply()]).issues == ()


def test_a_prompt_may_be_replaced() -> None:
    own = STORY_FACTS.with_text(system="List facts.", user="$text")
    done = play(extract_facts([Document("Tom died.")], settings=replace(LLM, prompt=own)), [reply()])
    assert done.exchange[0].messages[0].content == "List facts."


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"mode": "magic"}, "mode must be one of rules, llm"),
        ({"axis": "moons"}, "axis must be ticks, dates or None"),
        ({"repairs": -1}, "repairs must be a whole number of at least 0"),
        ({"attempts": 0}, "attempts must be"),
        ({"window_tokens": True}, "window_tokens must be"),
        ({"window_tokens": 50, "overlap_tokens": 50}, "overlap_tokens must be below"),
        ({"entities": "names"}, "entities must be callable"),
        ({"prompt": Prompt("own", "1", "", "Say something.", StoryProposals)}, r"it lacks \$text"),
        ({"repair_prompt": Prompt("own", "1", "", "$text", StoryProposals)}, r"it lacks \$facts"),
    ],
)
def test_settings_that_make_no_sense_are_refused(change: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        FactSettings(**change)


def test_an_ontology_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(OntologyError, match="fairy_tales"):
        FactSettings(ontology="fairy_tales")


def test_a_text_and_a_facts_file_mean_one_place_whether_or_not_they_keep_the_article() -> None:
    text = by_rules("Ann met Tom at the Bell Inn. Kate lived in the Bell Inn.")
    rows = [{"subject": "Eve", "relation": "lives_in", "object": "the Bell Inn"}, {"entity": "the Bell Inn", "type": "place"}]
    listed = read_facts(rows, ontology=SMALL)
    graph = build_graph([*text.items, *listed.items], ontology=SMALL, entities=[*text.entities, *listed.entities])
    assert len(graph.places.ids) == 1
    for name in ("Bell Inn", "the Bell Inn"):
        found = graph.slice(entities=name)
        assert statements(found.facts) == ["Eve — lives in — the Bell Inn", "Kate — lives in — Bell Inn"]
        assert found.issues == ()
        assert statements(graph.slice(place=name, told=1).facts) == ["Ann — meets — Tom"]


def test_an_entity_of_the_cast_is_not_listed_again_without_its_article() -> None:
    cast = (Entity(name="the Bell Inn", id="inn", type="place"),)
    types = [{"name": "Bell Inn", "type": "place"}]
    settings = replace(LLM, cast=cast)
    found = by_model("Kate lived in the Bell Inn.", [reply(entities=types)], settings=settings)
    assert found.entities == cast
