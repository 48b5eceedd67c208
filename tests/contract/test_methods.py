"""What every method owes its callers, run over each of them: one entry in METHODS a method."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chronotope.diachronic import AnnotateSettings, DiachronicIndex, annotate, build_index, retrieve
from chronotope.models import Message
from chronotope.records import Document, Extraction, Issue, Passage
from chronotope.steps import Runner, Step
from chronotope.temporal.interval import TimeInterval
from chronotope.testing import HashEmbedder, ScriptedChat
from chronotope.text import split_passages


@dataclass(frozen=True)
class Method:
    """A method behind the four things that all of them do; what is not told differs from method to method.

    Args:
        extract: a step from passages to what is indexed, with the help of a model.
        replies: what that model says.
        build: a step from extracted items to an index.
        add: a step that adds items to an index and gives how many were new.
        load: reads what `index.save(folder)` wrote.
        search: a step from an index and a question to what was found.
        ids: the names of extracted items.
    """

    extract: Callable[[Sequence[Passage]], Step[Extraction[Any]]]
    replies: Callable[[Sequence[Message]], Any]
    build: Callable[[Sequence[Any]], Step[Any]]
    add: Callable[[Any, Sequence[Any]], Step[int]]
    load: Callable[[Path], Any]
    search: Callable[[Any, str], Step[Any]]
    ids: Callable[[Sequence[Any]], list[str]]


def diachronic_replies(messages: Sequence[Message]) -> dict[str, Any]:
    text = messages[1].content
    if "<document>" in text:
        return {"published": "1870", "abstract": "How a mill fared."}
    quotes = {"The mill was built": "1868", "it burnt down": "1869"}
    events = [{"quote": quote, "start": year, "end": year} for quote, year in quotes.items() if quote in text]
    return {"events": [*events, {"quote": "Nobody said this", "start": "1999", "end": "1999"}]}


METHODS = {
    "diachronic": Method(
        extract=lambda passages: annotate(passages, settings=AnnotateSettings(mode="llm")),
        replies=diachronic_replies,
        build=lambda items: build_index(items, embedder_id="hash-64"),
        add=lambda index, items: index.add(items),
        load=DiachronicIndex.load,
        search=retrieve,
        ids=lambda items: [item.id for item in items],
    ),
}

DOCUMENTS = [
    Document(
        "The mill was built. A year later, it burnt down.\n\nNobody was hurt \udc97 in the fire.",
        id="mill",
        metadata={"author": "Ann"},
    ),
    Document("第四句。第五句。 On the river, ships passed.", id="river", published=TimeInterval.parse("1871-05")),
]
QUESTION = "What became of the mill between 1860 and 1880?"


def passages() -> list[Passage]:
    return [piece for document in DOCUMENTS for piece in split_passages(document, max_tokens=16)]


def runner(method: Method, **limits: Any) -> Runner:
    return Runner(ScriptedChat(method.replies), HashEmbedder(), **limits)


@pytest.fixture(params=METHODS.values(), ids=METHODS.keys())
def method(request: pytest.FixtureRequest) -> Method:
    return request.param


def test_extraction_is_deterministic_and_its_ids_are_stable(method: Method) -> None:
    first = runner(method, concurrency=1).run(method.extract(passages()))
    second = runner(method, concurrency=8).run(method.extract(passages()))
    assert first == second
    assert method.ids(first.items) == method.ids(second.items)
    assert len(set(method.ids(first.items))) == len(first.items) > 0


def test_what_was_dropped_is_returned_as_issues(method: Method) -> None:
    extraction = runner(method).run(method.extract(passages()))
    assert extraction.issues
    assert all(isinstance(issue, Issue) and issue.kind and issue.message for issue in extraction.issues)
    assert any("Nobody said this" in issue.message and issue.source_id for issue in extraction.issues)


def test_re_ingesting_writes_nothing(method: Method) -> None:
    driver = runner(method)
    items = driver.run(method.extract(passages())).items
    index = driver.run(method.build(items))
    size = len(index)
    driver.reset()
    assert driver.run(method.add(index, runner(method).run(method.extract(passages())).items)) == 0
    assert (len(index), driver.spent.embedded) == (size, 0)


def test_inputs_are_not_mutated(method: Method) -> None:
    given = passages()
    before = copy.deepcopy(given)
    items = runner(method).run(method.extract(given)).items
    assert given == before
    items_before = copy.deepcopy(items)
    index = runner(method).run(method.build(items))
    runner(method).run(method.search(index, QUESTION))
    assert items == items_before


async def test_run_and_arun_give_equal_results(method: Method) -> None:
    driven, awaited = runner(method), runner(method)
    extraction = driven.run(method.extract(passages()))
    assert await awaited.arun(method.extract(passages())) == extraction
    index = driven.run(method.build(extraction.items))
    twin = await awaited.arun(method.build(extraction.items))
    found = driven.run(method.search(index, QUESTION))
    assert await awaited.arun(method.search(twin, QUESTION)) == found
    assert found.hits
    assert driven.spent == awaited.spent


@pytest.mark.parametrize("blank", [[], [Passage("")], [Passage(" \n\t", source_id="a"), Passage("", source_id="b")]])
def test_blank_input_gives_nothing_and_asks_nobody(method: Method, blank: list[Passage]) -> None:
    driver = runner(method)
    extraction = driver.run(method.extract(blank))
    index = driver.run(method.build(extraction.items))
    assert len(index) == 0
    assert driver.run(method.search(index, QUESTION)).hits == ()
    assert (driver.spent.calls, driver.spent.embedded) == (0, 0)


def test_a_saved_index_loads_as_itself(method: Method, tmp_path: Path) -> None:
    driver = runner(method)
    index = driver.run(method.build(driver.run(method.extract(passages())).items))
    index.save(tmp_path / "index")
    loaded = method.load(tmp_path / "index")
    assert len(loaded) == len(index)
    assert driver.run(method.search(loaded, QUESTION)) == driver.run(method.search(index, QUESTION))
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again" / "items.jsonl").read_bytes() == (tmp_path / "index" / "items.jsonl").read_bytes()


def test_the_cost_is_known_before_the_first_call(method: Method) -> None:
    driver = runner(method)
    expected = driver.estimate(method.extract(passages())).calls
    driver.run(method.extract(passages()))
    assert driver.spent.calls == expected > 0
