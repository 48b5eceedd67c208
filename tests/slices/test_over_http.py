"""Extraction with repair over real HTTP: planted violations, a server that fails, and a run that is killed and goes on."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import openai
import pytest

from chronotope.cache import ReplyCache
from chronotope.endpoint import ChatEndpoint
from chronotope.records import Document
from chronotope.slices.extract import FactSettings, extract_facts
from chronotope.slices.story_facts import StoryFacts
from chronotope.steps import Runner
from support_http import Answer, ModelServer, killed_and_run_again, told

CHAPTER = (
    "CHAPTER XVII\n\nMartin Hale was the father of Clara Hale. Clara Hale was the mother of Sam Hale. "
    "Old people said that Sam Hale looked like the father of them all. Clara Hale married Piet Moor in the Lower Garden. "
    "The nurse said that Sam Hale was as wise as the father of Martin Hale. Martin Hale died in the winter."
)
SETTINGS = FactSettings(mode="llm", window_tokens=400, attempts=2)
PROPOSED = [
    {
        "subject": "Martin Hale",
        "relation": "father_of",
        "object": "Clara Hale",
        "quote": "Martin Hale was the father of Clara Hale",
    },
    {"subject": "Clara Hale", "relation": "mother_of", "object": "Sam Hale", "quote": "Clara Hale was the mother of Sam Hale"},
    {"subject": "Sam Hale", "relation": "father_of", "object": "Clara Hale", "quote": "Clara Hale married Piet Moor"},
    {"subject": "Sam Hale", "relation": "father_of", "object": "Martin Hale", "quote": "the father of Martin Hale"},
    {"subject": "Martin Hale", "relation": "died", "quote": "Martin Hale died in the winter"},
]
MENDED = {"subject": "Clara Hale", "relation": "married_to", "object": "Piet Moor", "place": "Lower Garden"}


def of_chapter(body: dict[str, Any], _: int = 0) -> str:
    """A model that proposes two impossible facts, mends one, and insists on the other in new words each time."""
    asked = told(body)
    if "<facts>" not in asked:
        return json.dumps({"facts": PROPOSED, "entities": [], "order": []})
    mends = []
    for number, words in re.findall(r"^(\d+)\. (.*)$", asked, re.MULTILINE):
        if "Clara Hale married Piet Moor" in words:
            mends.append({"number": int(number), **MENDED})
        else:
            quote = "as wise as the father of Martin Hale" if "quote: the father" in words else "the father of Martin Hale"
            mends.append({"number": int(number), "quote": quote})
    return json.dumps({"facts": mends})


def extracted(server: ModelServer, *texts: str, settings: FactSettings = SETTINGS, **options: Any) -> tuple[StoryFacts, Runner]:
    chat = ChatEndpoint(server.url, "m")
    runner = Runner(chat, **{"concurrency": 4, **options})
    try:
        return runner.run(extract_facts([Document(text, id="hale") for text in texts], settings=settings)), runner
    finally:
        chat.close()


def test_of_two_planted_violations_one_is_mended_and_one_ends_in_the_log_with_its_exchange() -> None:
    with ModelServer(of_chapter) as server:
        found, runner = extracted(server, CHAPTER)
        bodies = list(server.bodies)
    assert [fact.statement for fact in found.items] == [
        "Martin Hale — father of — Clara Hale",
        "Clara Hale — mother of — Sam Hale",
        "Clara Hale — married to — Piet Moor",
        "Martin Hale — died",
    ]
    mended = found.items[2]
    assert (mended.chapter, mended.place, mended.quote) == (17, "Lower Garden", "Clara Hale married Piet Moor")
    assert CHAPTER[mended.char_start : mended.char_end] == mended.quote
    (uncertain,) = found.uncertain
    assert (uncertain.fact.statement, uncertain.outcome) == ("Sam Hale — father of — Martin Hale", "rejected")
    assert [exchange.round for exchange in uncertain.history] == [1, 2]
    rule = uncertain.verdict.violations[0].rule
    for exchange in uncertain.history:
        assert rule in exchange.asked
        assert "Sam Hale" in exchange.asked
        assert "father of Martin Hale" in json.loads(exchange.replied)["quote"]
        assert exchange.verdict is not None
        assert exchange.verdict.outcome == "rejected"
    assert len(bodies) == runner.spent.calls == 3
    assert uncertain.verdict.violations[0].reason in told(bodies[1])
    assert "married" not in told(bodies[2]).split("<text>")[0]


async def test_both_drivers_give_the_same() -> None:
    with ModelServer(of_chapter) as server:
        chat = ChatEndpoint(server.url, "m")
        awaited = await Runner(chat, concurrency=4).arun(extract_facts([Document(CHAPTER, id="hale")], settings=SETTINGS))
        chat.close()
        found, _ = extracted(server, CHAPTER)
    assert awaited == found


def test_a_busy_server_is_asked_again() -> None:
    busy: Counter[str] = Counter()

    def speak(body: dict[str, Any], number: int) -> Answer | str:
        busy[told(body)] += 1
        return Answer(status=429, headers={"Retry-After": "0"}) if busy[told(body)] == 1 else of_chapter(body, number)

    with ModelServer(speak) as server:
        found, _ = extracted(server, CHAPTER)
    assert (len(found.items), len(found.uncertain)) == (4, 1)
    assert set(busy.values()) == {2}


def test_a_reply_that_is_cut_is_asked_for_in_halves() -> None:
    def speak(body: dict[str, Any], number: int) -> Answer | str:
        shown = told(body).split("<text>")[1]
        if "Martin Hale was" in shown and "died in the winter" in shown and "<facts>" not in told(body):
            return Answer('{"facts": [{"subject": "Martin Hale", "relation": "fath', finish="length")
        return of_chapter(body, number)

    with ModelServer(speak) as server:
        found, _ = extracted(server, CHAPTER)
    assert len(found.items) == 4
    assert found.items[-1].statement == "Martin Hale — died"


def test_a_refused_window_is_read_by_rules_and_named_and_the_book_goes_on() -> None:
    first = "CHAPTER I\n\nClara Hale married Piet Moor. Clara Hale met Ada Finch.\n\n"
    second = "CHAPTER II\n\nClara Hale left the house of Piet Moor."
    proposed = {"subject": "Clara Hale", "relation": "leaves", "object": "house of Piet Moor", "quote": "Clara Hale left the house"}

    def speak(body: dict[str, Any], _: int) -> str:
        return "I would rather not." if "Ada Finch" in told(body) else json.dumps({"facts": [proposed]})

    with ModelServer(speak) as server:
        found, _ = extracted(server, first + second, settings=replace(SETTINGS, attempts=1))
    assert [(fact.chapter, fact.statement) for fact in found.items] == [
        (1, "Clara Hale — married to — Piet Moor"),
        (1, "Clara Hale — meets — Ada Finch"),
        (2, "Clara Hale — leaves — house of Piet Moor"),
    ]
    assert [fact.metadata.get("extracted_by") for fact in found.items] == ["rules", "rules", None]
    (issue,) = (issue for issue in found.issues if issue.kind == "reply_refused")
    assert f"characters 0 to {len(first)}" in issue.message


BOOK = "".join(
    f"CHAPTER {number}\n\nIn that year Ada Finch served Lord Vane{number}. "
    + "The harbour kept a full ledger of every boat that came in with the tide. " * 6
    + "\n\n"
    for number in range(1, 41)
)
CHILD = """
import asyncio, sys
from chronotope.cache import ReplyCache
from chronotope.endpoint import ChatEndpoint
from chronotope.records import Document
from chronotope.slices.extract import FactSettings, extract_facts
from chronotope.steps import Runner

url, path, drive, text = sys.argv[1:]
with ReplyCache(path) as cache:
    runner = Runner(ChatEndpoint(url, "m"), cache=cache, concurrency=4)
    step = extract_facts([Document(text, id="book")], settings=FactSettings(mode="llm", attempts=1))
    found = runner.run(step) if drive == "run" else asyncio.run(runner.arun(step))
    right = sum(fact.object == f"Lord Vane{fact.chapter}" for fact in found.items)
    print(right, len(found.uncertain), runner.spent.calls, runner.spent.cached)
"""


def of_book(body: dict[str, Any], _: int) -> Answer:
    """A model that tells in each chapter one fact that is so and one of an unknown relation, which it withdraws when asked."""
    found = re.search(r"Ada Finch served (Lord Vane(\d+))", told(body))
    assert found is not None
    if "<facts>" in told(body):
        return Answer(json.dumps({"facts": [{"number": 1, "withdraw": True}]}), delay=0.03)
    facts = [{"subject": "Ada Finch", "relation": name, "object": found[1], "quote": found[0]} for name in ("serves", "haunts")]
    return Answer(json.dumps({"facts": facts}), delay=0.03)


@pytest.mark.parametrize("drive", ["run", "arun"])
def test_an_extraction_that_is_killed_goes_on_with_exactly_the_missing_calls(drive: str, tmp_path: Path) -> None:
    path = str(tmp_path / "cache.db")
    with ModelServer(of_book) as server:
        command = [sys.executable, "-c", CHILD, server.url, path, drive, BOOK]
        accepted, words, again = killed_and_run_again(server, command, path, after=55)
    assert 40 < accepted < 80
    assert words == ["40", "40", str(80 - accepted), str(accepted)]
    assert len({told(body) for body in again}) == len(again) == 80 - accepted


def test_a_server_that_dies_ends_the_run_and_another_goes_on_where_it_stopped(tmp_path: Path) -> None:
    step = partial(extract_facts, [Document(BOOK, id="book")], settings=FactSettings(mode="llm", attempts=1))

    def dying(body: dict[str, Any], number: int) -> Answer:
        return of_book(body, number) if number < 20 else Answer(status=503)

    with ReplyCache(tmp_path / "cache.db") as cache:
        with ModelServer(dying) as server:
            chat = ChatEndpoint(server.url, "m", max_retries=0)
            with pytest.raises(openai.InternalServerError):
                Runner(chat, cache=cache, concurrency=4).run(step())
            chat.close()
        accepted = len(cache)
        assert 10 < accepted <= 20
        with ModelServer(of_book) as server:
            chat = ChatEndpoint(server.url, "m")
            runner = Runner(chat, cache=cache, concurrency=4)
            found = runner.run(step())
            chat.close()
            assert len(server.bodies) == runner.spent.calls == 80 - accepted
    assert (len(found.items), len(found.uncertain), runner.spent.cached) == (40, 40, accepted)


def test_a_second_run_asks_nobody(tmp_path: Path) -> None:
    with ModelServer(of_chapter) as server, ReplyCache(tmp_path / "cache.db") as cache:
        first, _ = extracted(server, CHAPTER, cache=cache)
        second, runner = extracted(server, CHAPTER, cache=cache)
    assert first == second
    assert (runner.spent.calls, runner.spent.cached) == (0, 3)
