"""The recipe on events: its corpus holds what its questions need and what it promises, and it answers before and after."""

import json
import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from chronotope import Runner
from chronotope.events import build_event_index, extract_events, retrieve_events
from chronotope.testing import HashEmbedder

pytest.importorskip("llama_index.core")
pytest.importorskip("langchain_core")

RECIPE = Path(__file__).parents[2] / "cookbook" / "event_timelines.py"


@pytest.fixture
def recipe(monkeypatch):
    """The recipe as a module, on a small embedder that loads no weights."""
    spec = spec_from_file_location("event_timelines", RECIPE)
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "event_timelines", module)  # its dataclass looks its own module up
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "default_embedder", HashEmbedder)
    return module


def run(recipe, monkeypatch, tmp_path, *arguments):
    monkeypatch.setattr(sys, "argv", ["event_timelines.py", "--cache", str(tmp_path / "cache"), *map(str, arguments)])
    return recipe.main()


def test_the_corpus_is_of_the_promised_size(recipe):
    rows = [json.loads(line) for line in recipe.HISTORIES.read_text(encoding="utf-8").splitlines()]

    assert 6 <= len(rows) <= 8
    assert all(350 <= len(row["text"].split()) <= 600 for row in rows)
    assert len({row["title"] for row in rows}) == len({row["id"] for row in rows}) == len(rows)
    years = {row["id"]: [int(year) for year in re.findall(r"\b1[89]\d\d\b", row["text"])] for row in rows}
    assert all(max(years[row["id"]]) <= int(row["published"][:4]) for row in rows)


def test_each_needed_sentence_stands_in_the_corpus(recipe):
    text = " ".join(" ".join(document.text.split()) for document in recipe.load_histories(recipe.HISTORIES))

    needed = [words for question in recipe.QUESTIONS.values() for words in question]
    assert [words for words in needed if words not in text] == []


def test_the_sources_disagree_about_the_fire_and_agree_about_the_merger(recipe):
    documents = recipe.load_histories(recipe.HISTORIES)

    def days(word):
        pattern = rf"\b(\d\d? \w+ {word})\b"
        return {day for document in documents for day in re.findall(pattern, document.text)}

    assert days("1896") == {"9 November 1896", "11 November 1896"}
    assert days("1907") >= {"14 March 1907", "1 July 1907"}


def test_a_clause_of_a_question_is_found_among_the_events(recipe):
    runner = Runner(embedder=HashEmbedder())
    events = runner.run(extract_events(recipe.load_histories(recipe.HISTORIES))).items
    index = runner.run(build_event_index(events, embedder_id=HashEmbedder().model_id))

    found = runner.run(retrieve_events(index, "Who headed Corvane-Marrable after the merger was announced?"))

    assert [str(time) for time in found.scope.times] == ["1907-03-15/.."]
    headed = {one.event.text.split(" headed ")[0] for one in found.trace if " headed Corvane-Marrable" in one.event.text}
    assert headed == {"Helene Corvane", "Samuel Dray", "Matilda Oyen"}


def test_it_answers_in_both_frameworks_before_and_after_and_writes_the_pages(recipe, monkeypatch, tmp_path, capsys):
    (tmp_path / "pages").mkdir()
    pages = ("--timeline", tmp_path / "pages" / "timeline.html", "--graph", tmp_path / "pages" / "graph.html")

    assert run(recipe, monkeypatch, tmp_path, *pages) == 0

    told = capsys.readouterr().out
    assert told.count("■") == len(recipe.QUESTIONS)
    for name in ("before, LlamaIndex", "before, LangChain", "after, LlamaIndex", "after, LangChain"):
        assert told.count(name) == len(recipe.QUESTIONS)
    assert "'after the merger was announced' is 'The merger was announced on 14 March 1907.'" in told
    last = list(recipe.QUESTIONS)[-1]
    assert all(f"<title>{last}</title>" in path.read_text(encoding="utf-8") for path in (tmp_path / "pages").iterdir())
    assert len(list((tmp_path / "pages").iterdir())) == 2
    page = (tmp_path / "pages" / "timeline.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="page-data"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
    marks = {int(mark) for mark in re.findall(r"^\[(\d+)\]", told.split("on the pages, by number:")[1], re.MULTILINE)}
    assert {event["n"] for event in data["events"] if event["cited"]} == marks != set()
    lines = dict(re.findall(r"^\[(\d+)\] .*?: (.*)$", told.split("on the pages, by number:")[1], re.MULTILINE))
    assert all(lines[str(event["n"])].endswith(event["text"]) for event in data["events"] if event["cited"])


def test_any_question_can_be_asked(recipe, monkeypatch, tmp_path, capsys):
    assert run(recipe, monkeypatch, tmp_path, "--question", "What did Lucas Pell do in 1902?") == 0

    told = capsys.readouterr().out
    assert told.count("■") == 1
    assert "asked of: in 1902" in told
    assert "Lucas Pell was arrested on 21 November 1902" in told.split("after, LlamaIndex")[1]


def test_an_endpoint_without_a_model_is_refused(recipe, monkeypatch, tmp_path, capsys):
    with pytest.raises(SystemExit):
        run(recipe, monkeypatch, tmp_path, "--base-url", "http://localhost:1")

    assert "--base-url needs --model" in capsys.readouterr().err
