"""What every method owes its callers, run over each of them: one entry in METHODS a method."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chronotope.diachronic import AnnotateSettings, DiachronicIndex, annotate, build_index, retrieve
from chronotope.events import EventIndex, build_event_index, retrieve_events
from chronotope.events.extract.extract import ExtractSettings, extract_events
from chronotope.litseg import Segment, SegmentSettings, segment
from chronotope.models import Message
from chronotope.records import Document, Extraction, Issue, Passage
from chronotope.slices import FactSettings, StoryIndex, build_story_index, extract_facts, retrieve_slice
from chronotope.steps import Runner, Step, gather
from chronotope.temporal.interval import TimeInterval
from chronotope.testing import HashEmbedder, ScriptedChat
from chronotope.text import split_passages
from support_litseg import segments, shown_sentences, stage_of


@dataclass(frozen=True)
class Indexing:
    """What a method that retrieves does with the items that it extracted.

    Args:
        build: a step from extracted items to an index.
        add: a step that adds items to an index and gives how many were new.
        load: reads what `index.save(folder)` wrote.
        search: a step from an index and a question to what was found.
    """

    build: Callable[[Sequence[Any]], Step[Any]]
    add: Callable[[Any, Sequence[Any]], Step[int]]
    load: Callable[[Path], Any]
    search: Callable[[Any, str], Step[Any]]


@dataclass(frozen=True)
class Method:
    """A method behind what all of them do; what is not told differs from method to method.

    Args:
        extract: a step from passages to items, with the help of a model.
        replies: what that model says.
        ids: the names of extracted items.
        indexing: how items are indexed and found again; None for a method that only cuts or annotates.
    """

    extract: Callable[[Sequence[Passage]], Step[Extraction[Any]]]
    replies: Callable[[Sequence[Message]], Any]
    ids: Callable[[Sequence[Any]], list[str]]
    indexing: Indexing | None = None

    @property
    def indexes(self) -> Indexing:
        """The indexing of a method that has one."""
        assert self.indexing is not None
        return self.indexing


def diachronic_replies(messages: Sequence[Message]) -> dict[str, Any]:
    text = messages[1].content
    if "<document>" in text:
        return {"published": "1870", "abstract": "How a mill fared."}
    quotes = {"The mill was built": "1868", "it burnt down": "1869"}
    events = [{"quote": quote, "start": year, "end": year} for quote, year in quotes.items() if quote in text]
    return {"events": [*events, {"quote": "Nobody said this", "start": "1999", "end": "1999"}]}


def segmented(passages: Sequence[Passage]) -> Step[Extraction[Segment]]:
    """Each passage as a document of its own."""
    documents = [Document(passage.text, id=passage.id) for passage in passages]
    parts = yield from gather([segment(document, settings=SegmentSettings(mode="full")) for document in documents])
    return sum(parts, Extraction())


def litseg_replies(messages: Sequence[Message]) -> dict[str, Any]:
    last = len(shown_sentences(messages))
    missing = {"type": "reversal", "sentence": last + 7, "what": "Nobody said this"}
    told = {
        "events": {"events": ["1 A mill is built"]},
        "threads": {"threads": [{"name": "The fate of a mill"}]},
        "segments": segments((1, 1), (2, last), turning_points=[missing]),
    }
    return told[stage_of(messages)]


def event_replies(messages: Sequence[Message]) -> dict[str, Any]:
    text = messages[1].content
    quotes = {"The mill was built": None, "it burnt down": None, "Nobody was hurt": None, "ships passed": None}
    events = [{"quote": quote, "entities": ["mill"], "time": time} for quote, time in quotes.items() if quote in text]
    return {"events": [*events, {"quote": "Nobody said this", "entities": [], "time": None}]}


def story_replies(messages: Sequence[Message]) -> dict[str, Any]:
    text = messages[1].content
    told = {"The mill was built": ("mill", "happens"), "it burnt down": ("mill", "happens"), "ships passed": ("ships", "happens")}
    facts = [{"subject": who, "relation": what, "quote": quote} for quote, (who, what) in told.items() if quote in text]
    return {"facts": [*facts, {"subject": "mill", "relation": "happens", "quote": "Nobody said this"}]}


METHODS = {
    "diachronic": Method(
        extract=lambda passages: annotate(passages, settings=AnnotateSettings(mode="llm")),
        replies=diachronic_replies,
        ids=lambda items: [item.id for item in items],
        indexing=Indexing(
            build=lambda items: build_index(items, embedder_id="hash-64"),
            add=lambda index, items: index.add(items),
            load=DiachronicIndex.load,
            search=retrieve,
        ),
    ),
    "events": Method(
        extract=lambda passages: extract_events(passages, settings=ExtractSettings(mode="llm")),
        replies=event_replies,
        ids=lambda items: [item.id for item in items],
        indexing=Indexing(
            build=lambda items: build_event_index(items, embedder_id="hash-64"),
            add=lambda index, items: index.add(items),
            load=EventIndex.load,
            search=retrieve_events,
        ),
    ),
    "slices": Method(
        extract=lambda passages: extract_facts(passages, settings=FactSettings(mode="llm")),
        replies=story_replies,
        ids=lambda items: [item.id for item in items],
        indexing=Indexing(
            build=lambda items: build_story_index(items, embedder_id="hash-64"),
            add=lambda index, items: index.add(items),
            load=StoryIndex.load,
            search=retrieve_slice,
        ),
    ),
    "litseg": Method(extract=segmented, replies=litseg_replies, ids=lambda items: [item.id for item in items]),
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


INDEXED = {name: method for name, method in METHODS.items() if method.indexing}


@pytest.fixture(params=INDEXED.values(), ids=INDEXED.keys())
def indexed(request: pytest.FixtureRequest) -> Method:
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


def test_re_ingesting_writes_nothing(indexed: Method) -> None:
    driver = runner(indexed)
    items = driver.run(indexed.extract(passages())).items
    index = driver.run(indexed.indexes.build(items))
    size = len(index)
    driver.reset()
    assert driver.run(indexed.indexes.add(index, runner(indexed).run(indexed.extract(passages())).items)) == 0
    assert (len(index), driver.spent.embedded) == (size, 0)


def test_inputs_are_not_mutated(method: Method) -> None:
    given = passages()
    before = copy.deepcopy(given)
    runner(method).run(method.extract(given))
    assert given == before


def test_extracted_items_are_not_mutated(indexed: Method) -> None:
    items = runner(indexed).run(indexed.extract(passages())).items
    before = copy.deepcopy(items)
    index = runner(indexed).run(indexed.indexes.build(items))
    runner(indexed).run(indexed.indexes.search(index, QUESTION))
    assert items == before


async def test_run_and_arun_extract_the_same_at_the_same_cost(method: Method) -> None:
    driven, awaited = runner(method), runner(method)
    assert await awaited.arun(method.extract(passages())) == driven.run(method.extract(passages()))
    assert driven.spent == awaited.spent


async def test_run_and_arun_give_equal_results(indexed: Method) -> None:
    driven, awaited = runner(indexed), runner(indexed)
    extraction = driven.run(indexed.extract(passages()))
    assert await awaited.arun(indexed.extract(passages())) == extraction
    index = driven.run(indexed.indexes.build(extraction.items))
    twin = await awaited.arun(indexed.indexes.build(extraction.items))
    found = driven.run(indexed.indexes.search(index, QUESTION))
    assert await awaited.arun(indexed.indexes.search(twin, QUESTION)) == found
    assert found.hits
    assert driven.spent == awaited.spent


BLANKS = [[], [Passage("")], [Passage(" \n\t", source_id="a"), Passage("", source_id="b")]]


@pytest.mark.parametrize("blank", BLANKS)
def test_blank_input_asks_nobody(method: Method, blank: list[Passage]) -> None:
    driver = runner(method)
    assert all(not item.text.strip() for item in driver.run(method.extract(blank)).items)
    assert (driver.spent.calls, driver.spent.embedded) == (0, 0)


@pytest.mark.parametrize("blank", BLANKS)
def test_blank_input_gives_nothing_to_find(indexed: Method, blank: list[Passage]) -> None:
    driver = runner(indexed)
    extraction = driver.run(indexed.extract(blank))
    index = driver.run(indexed.indexes.build(extraction.items))
    assert len(index) == 0
    assert driver.run(indexed.indexes.search(index, QUESTION)).hits == ()
    assert (driver.spent.calls, driver.spent.embedded) == (0, 0)


def test_a_saved_index_loads_as_itself(indexed: Method, tmp_path: Path) -> None:
    driver = runner(indexed)
    index = driver.run(indexed.indexes.build(driver.run(indexed.extract(passages())).items))
    index.save(tmp_path / "index")
    loaded = indexed.indexes.load(tmp_path / "index")
    assert len(loaded) == len(index)
    assert driver.run(indexed.indexes.search(loaded, QUESTION)) == driver.run(indexed.indexes.search(index, QUESTION))
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again" / "items.jsonl").read_bytes() == (tmp_path / "index" / "items.jsonl").read_bytes()


def test_the_cost_is_known_before_the_first_call(method: Method) -> None:
    driver = runner(method)
    expected = driver.estimate(method.extract(passages())).calls
    driver.run(method.extract(passages()))
    assert driver.spent.calls == expected > 0
