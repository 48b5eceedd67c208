"""The repair loop: what goes back to the model, what comes of its replies, and that it ends with every candidate accounted for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.models import Message
from chronotope.records import Document
from chronotope.slices.extract import FactSettings, checked_facts, extract_facts
from chronotope.slices.story_facts import StoryFacts
from chronotope.steps import Runner
from chronotope.testing import Played, ScriptedChat, play
from support_story_facts import LLM, SMALL, by_model, kinds, reply, statements, told, withdraw

TEXT = "Tom served Ann. Kate served Tom. Ann met Kate in the Long Garden. Ann died."
SERVES = told("Tom", "serves", "Ann", quote="Tom served Ann")
TURNED = told("Ann", "serves", "Tom", quote="Tom served Ann")
KATE = told("Kate", "serves", "Tom", quote="Kate served Tom")


def played(*replies: Any, settings: FactSettings = LLM, text: str = TEXT) -> Played[StoryFacts]:
    return play(extract_facts([Document(text, id="book")], settings=settings), replies)


def mend(number: int, **fields: Any) -> dict[str, Any]:
    return {"facts": [{"number": number, **fields}]}


def test_a_window_without_violations_costs_one_call() -> None:
    done = played(reply(SERVES, KATE))
    assert done.spent.calls == 1
    assert statements(done.result.items) == ["Tom — serves — Ann", "Kate — serves — Tom"]
    assert done.result.uncertain == ()


def test_a_violation_goes_back_with_its_rule_its_words_and_what_it_contradicts() -> None:
    done = played(reply(SERVES, TURNED), mend(1, subject="Kate", object="Tom", quote="Kate served Tom"))
    asked = done.exchange[1].messages[-1].content
    assert "no_loop_of_service" in asked
    assert "subject: Ann; relation: serves; object: Tom; quote: Tom served Ann" in asked
    assert "Known before:\n- subject: Tom; relation: serves; object: Ann; quote: Tom served Ann" in asked
    assert TEXT in asked
    assert statements(done.result.items) == ["Tom — serves — Ann", "Kate — serves — Tom"]
    assert done.result.uncertain == ()


def test_both_prompts_begin_with_the_same_ontology() -> None:
    first, second = (one.messages[0].content for one in played(reply(SERVES, TURNED), {"facts": [withdraw(1)]}).exchange)
    head = first.split("\n\n")[0]
    assert head.startswith("Types: person, place, event")
    assert second.startswith(head)


def test_a_withdrawn_fact_is_in_the_log_with_its_exchange() -> None:
    found = by_model(TEXT, [reply(SERVES, TURNED), {"facts": [withdraw(1)]}])
    (uncertain,) = found.uncertain
    (exchange,) = uncertain.history
    assert (uncertain.outcome, uncertain.fact.statement) == ("withdrawn", "Ann — serves — Tom")
    assert (exchange.round, exchange.verdict, json.loads(exchange.replied)) == (1, None, {"withdraw": True})
    assert "no_loop_of_service" in exchange.asked


def test_what_still_breaks_a_rule_after_all_rounds_is_in_the_log_with_every_exchange() -> None:
    wrong = [mend(1, relation="weds"), mend(1, relation="wedz")]
    found = by_model(TEXT, [reply(SERVES, TURNED), *wrong])
    (uncertain,) = found.uncertain
    assert (uncertain.outcome, uncertain.fact.relation) == ("rejected", "wedz")
    assert [exchange.round for exchange in uncertain.history] == [1, 2]
    assert [json.loads(exchange.replied)["relation"] for exchange in uncertain.history] == ["weds", "wedz"]
    assert [exchange.verdict.outcome for exchange in uncertain.history if exchange.verdict] == ["rejected", "rejected"]
    assert uncertain.history[-1].verdict == uncertain.verdict


@pytest.mark.parametrize("repairs", [0, 1, 3])
def test_no_more_rounds_than_asked_for(repairs: int) -> None:
    wrong = [mend(1, relation=f"weds{number}") for number in range(repairs)]
    done = played(reply(SERVES, TURNED), *wrong, settings=replace(LLM, repairs=repairs))
    assert done.spent.calls == 1 + repairs
    assert len(done.result.uncertain) == 1


def test_the_same_is_not_asked_twice() -> None:
    done = played(reply(SERVES, TURNED), mend(1, relation="serves"))
    assert done.spent.calls == 2
    assert len(done.result.uncertain) == 1


def test_silence_is_told_to_the_model_in_the_next_round() -> None:
    done = played(reply(SERVES, TURNED), {"facts": []}, {"facts": [withdraw(1)]})
    assert "did not settle it" in done.exchange[2].messages[-1].content
    assert [exchange.replied for exchange in done.result.uncertain[0].history] == ["", '{"withdraw":true}']


def test_a_mend_must_stand_in_the_text_like_any_fact() -> None:
    done = played(reply(SERVES, TURNED), mend(1, quote="Nobody said this"), mend(1, subject="Nora"))
    assert "does not stand in the text" in done.exchange[2].messages[-1].content
    assert kinds(done.result) == ["ungrounded_fact", "ungrounded_fact"]
    assert [one.fact.statement for one in done.result.uncertain] == ["Ann — serves — Tom"]


def test_a_refused_reply_leaves_the_facts_in_the_log_with_what_was_said() -> None:
    found = by_model(TEXT, [reply(SERVES, TURNED, KATE), "I would rather not."])
    assert statements(found.items) == ["Tom — serves — Ann", "Kate — serves — Tom"]
    assert found.uncertain[0].history[0].replied == "I would rather not."
    (issue,) = found.issues
    assert (issue.kind, issue.source_id) == ("reply_refused", "book")
    assert f"characters 0 to {len(TEXT)}" in issue.message


def test_of_a_reply_that_is_cut_what_was_complete_counts() -> None:
    twice = [SERVES, TURNED, told("Ann", "weds", "Tom", quote="Tom served Ann")]
    cut = '{"facts": [{"number": 1, "withdraw": true}, {"number": 2, "rel'
    found = by_model(TEXT, [reply(*twice), cut], settings=replace(LLM, repairs=1))
    assert [(one.outcome, one.history[0].replied) for one in found.uncertain] == [
        ("withdrawn", '{"withdraw":true}'),
        ("rejected", ""),
    ]


def test_a_fact_mended_into_one_that_stands_is_counted_as_a_duplicate() -> None:
    found = by_model(TEXT, [reply(SERVES, TURNED), mend(1, subject="Tom", object="Ann")])
    assert statements(found.items) == ["Tom — serves — Ann"]
    assert kinds(found) == ["duplicate_facts"]
    assert found.uncertain == ()


def test_numbers_that_nobody_asked_about_are_told() -> None:
    found = by_model(TEXT, [reply(SERVES, TURNED), {"facts": [withdraw(7), withdraw(1)]}])
    assert kinds(found) == ["unknown_number"]
    assert found.uncertain[0].outcome == "withdrawn"


def test_each_window_is_asked_about_its_own_facts_alone() -> None:
    text = "CHAPTER I\n\nTom served Ann.\n\nCHAPTER II\n\nAnn served Tom.\n\nCHAPTER III\n\nAnn died."
    second = told("Ann", "serves", "Tom", quote="Ann served Tom")
    died = told("Ann", "died", quote="Ann died")
    done = played(reply(SERVES), reply(second), reply(died), {"facts": [withdraw(1)]}, text=text)
    asked = done.exchange[3].messages[-1].content
    assert asked.startswith("Chapter 2\n")
    assert "Ann died" not in asked
    assert statements(done.result.items) == ["Tom — serves — Ann", "Ann — died"]


RELATIONS = st.sampled_from(["serves", "parent_of", "weds", "died", "married_to", ""])
NAMES = st.sampled_from(["Ann", "Tom", "Kate", "Nora", "she", ""])
QUOTES = st.sampled_from(["Tom served Ann", "Kate served Tom", "Ann died", "Nobody said this", ""])
WHEN = st.sampled_from([None, "", "ten years earlier", "soon"])
PROPOSED = st.fixed_dictionaries({"subject": NAMES, "relation": RELATIONS, "object": NAMES, "quote": QUOTES, "when": WHEN})
MEND = st.fixed_dictionaries(
    {"number": st.integers(-1, 5)},
    optional={"withdraw": st.booleans(), "subject": NAMES, "relation": RELATIONS, "object": NAMES, "quote": QUOTES, "when": WHEN},
)
GARBAGE = st.one_of(st.text(max_size=20), st.just('{"facts": [{"number": 1, "relation": "died"}, {"num'))
REPLIES = st.one_of(
    GARBAGE,
    st.lists(PROPOSED, max_size=5).map(lambda facts: json.dumps({"facts": facts})),
    st.lists(MEND, max_size=5).map(lambda facts: json.dumps({"facts": facts})),
)
BOOK = "CHAPTER I\n\nTom served Ann. Kate served Tom.\n\nCHAPTER II\n\nAnn died. Tom served Ann, and Kate served Tom."


def scripted(replies: Sequence[str]) -> ScriptedChat:
    """A model whose reply depends on what it is asked and on nothing else."""

    def speak(messages: Sequence[Message]) -> str:
        return replies[sum(map(ord, messages[-1].content)) % len(replies)]

    return ScriptedChat(speak)


@settings(max_examples=80, deadline=None)
@given(st.lists(REPLIES, min_size=1, max_size=6), st.integers(0, 3))
def test_repair_ends_within_its_rounds_and_loses_nothing_under_any_replies(replies: list[str], repairs: int) -> None:
    with_repair = replace(LLM, repairs=repairs)
    documents = [Document(BOOK, id="book")]
    runner = Runner(scripted(replies), concurrency=1)
    found = runner.run(extract_facts(documents, settings=with_repair))
    assert runner.spent.calls <= 2 * (1 + repairs)
    assert all(len(one.history) <= repairs for one in found.uncertain)
    assert all(exchange.round == number for one in found.uncertain for number, exchange in enumerate(one.history, 1))
    unrepaired = Runner(scripted(replies), concurrency=1).run(extract_facts(documents, settings=replace(LLM, repairs=0)))
    assert total(found) == total(unrepaired)
    again = checked_facts(found.items, ontology=SMALL, entities=found.entities, axis=found.axis)
    assert (statements(again.items), again.uncertain) == (statements(found.items), ())
    for fact in found.items:
        assert BOOK[fact.char_start : fact.char_end] == fact.quote


def total(found: StoryFacts) -> int:
    """How many candidates a result accounts for."""
    twice = sum(int(issue.message.split()[0]) for issue in found.issues if issue.kind == "duplicate_facts")
    return len(found.items) + len(found.uncertain) + twice


@settings(max_examples=40, deadline=None)
@given(st.lists(REPLIES, min_size=1, max_size=6))
def test_the_same_replies_give_the_same_facts_whatever_the_concurrency(replies: list[str]) -> None:
    documents = [Document(BOOK, id="book")]
    one, many = (Runner(scripted(replies), concurrency=n).run(extract_facts(documents, settings=LLM)) for n in (1, 8))
    assert one == many
