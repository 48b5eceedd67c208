"""What rules read from a whole source: every sentence once, in order, in time that grows with its length alone."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from chronotope.events.extract.extract import extract_events
from chronotope.events.extract.rules import read_source
from chronotope.events.extract.settings import ExtractSettings
from chronotope.events.extract.sources import gathered
from chronotope.records import Document, Passage
from chronotope.testing import play
from support_events import by_rules, document

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
SENTENCES = "Ann Lee sold the mill in May 1931. She left Turin. Two days later Eva Bok came. "


def test_every_sentence_is_read_once_with_its_paragraph() -> None:
    (source,) = gathered([document("Ann Lee came. She left.\n\nEva Bok stayed.")], "title")
    readings = read_source(source, ExtractSettings()).readings
    assert [(one.words, one.paragraph) for one in readings] == [("Ann Lee came.", 0), ("She left.", 0), ("Eva Bok stayed.", 1)]
    assert [source.pieces[0].text[slice(*one.span)] for one in readings] == [one.words for one in readings]


def test_sources_keep_the_order_in_which_they_appear_and_passages_that_of_their_text() -> None:
    passages = [Passage(f"{place}", source_id=name, char_start=place) for name, place in (("b", 50), ("a", 9), ("b", 0))]
    sources = gathered(passages, "title")
    assert [(source.id, [piece.start for piece in source.pieces]) for source in sources] == [("b", [0, 50]), ("a", [9])]


@pytest.mark.parametrize(
    ("title", "subject"),
    [
        ("Mercury (planet)", "Mercury"),
        ("Alder House", "Alder House"),
        ("", ""),
        ("Edda Marrable, 1850-1916", "Edda Marrable"),
        ("The Corvane Glassworks: the first forty years", "Corvane Glassworks"),
        ("Martin King, Jr.", "Martin King, Jr."),
        ("UEFA Euro 2004", "UEFA Euro 2004"),
        ("(untitled)", "(untitled)"),
    ],
)
def test_what_tells_a_title_from_others_is_no_part_of_its_subject(title: str, subject: str) -> None:
    (source,) = gathered([document("x", title=title)], "title")
    assert source.subject == subject


def seconds(text: str) -> float:
    began = time.process_time()
    found = by_rules(text)
    assert len(found.items) >= text.count("Eva Bok came")
    return time.process_time() - began


@pytest.mark.parametrize("layout", [SENTENCES, SENTENCES + "\n\n"])
def test_time_grows_with_the_length_alone_even_in_one_paragraph(layout: str) -> None:
    seconds(layout * 30)
    short = max(min(seconds(layout * 120) for _ in range(2)), 0.05)
    assert seconds(layout * 480) < 10 * short, "four times the text; sixteen times if it were quadratic"


@pytest.mark.parametrize(
    "huge", ["a" * 200_000, "word " * 40_000, "\n\n" * 100_000, "A. " * 50_000, "Mr. Ann of " * 20_000, "寶玉道：" * 20_000]
)
def test_text_without_sense_is_read_in_seconds(huge: str) -> None:
    began = time.process_time()
    by_rules(huge)
    assert time.process_time() - began < 20


@pytest.mark.skipif(not DATA.exists(), reason="the articles are not here")
def test_articles_give_units_that_stand_in_them_and_most_gold_evidence_stands_in_a_unit() -> None:
    rows = [json.loads(line) for line in (DATA / "timeqa" / "documents.jsonl").read_text(encoding="utf-8").splitlines()][:60]
    documents = {
        row["doc_id"]: Document("\n\n".join(row["paragraphs"]), id=row["doc_id"], metadata={"title": row["title"]}) for row in rows
    }
    events = play(extract_events(list(documents.values()))).result.items
    held: dict[str, set[int]] = {name: set() for name in documents}
    for event in events:
        assert documents[event.source_id].text[event.char_start : event.char_end].strip()
        held[event.source_id].update(range(event.char_start or 0, event.char_end or 0))
    gold = []
    for line in (DATA / "timeqa" / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        if question["answerable"] and question["doc_id"] in documents:
            evidence = question["evidence"][0]
            paragraphs = next(row["paragraphs"] for row in rows if row["doc_id"] == question["doc_id"])
            before = sum(len(paragraph) + 2 for paragraph in paragraphs[: evidence["para"]])
            gold.append(before + evidence["start"] in held[question["doc_id"]])
    assert len(gold) > 100
    assert sum(gold) / len(gold) > 0.94
