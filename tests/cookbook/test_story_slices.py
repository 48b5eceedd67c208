"""The recipe on slices: it cuts the story by chapter, time and place, keeps the reader's secret, answers, and writes its pages."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from chronotope.testing import HashEmbedder

pytest.importorskip("openai")

RECIPE = Path(__file__).parents[2] / "cookbook" / "story_slices.py"


@pytest.fixture
def recipe(monkeypatch):
    """The recipe as a module, on a small embedder that loads no weights."""
    spec = spec_from_file_location("story_slices", RECIPE)
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "story_slices", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "default_embedder", HashEmbedder)
    return module


def run(recipe, monkeypatch, tmp_path, *arguments):
    monkeypatch.setattr(sys, "argv", ["story_slices.py", "--cache", str(tmp_path / "cache"), *map(str, arguments)])
    return recipe.main()


def part(told, title):
    """What stands under a title of the output."""
    return told.split(f"■ {title}")[1].split("■")[0]


def test_no_fact_of_the_file_breaks_a_rule(recipe):
    facts = recipe.facts_by_hand(recipe.Ontology.load(recipe.ONTOLOGY))

    assert facts.uncertain == ()
    assert facts.issues == ()
    assert [fact.statement for fact in facts.items if fact.confidence == "low"] == []


def test_it_slices_and_answers_and_writes_its_pages(recipe, monkeypatch, tmp_path, capsys):
    pages = ("--slice", tmp_path / "slice.html", "--evolution", tmp_path / "evolution.html")

    assert run(recipe, monkeypatch, tmp_path, *pages) == 0

    told = capsys.readouterr().out
    before, after = part(told, "Who serves whom in chapter 3"), part(told, "Who serves whom in chapter 8")
    assert "Corbin Ash — serves — Edmund Varley" in before
    assert "Corbin Ash" not in after
    assert "Junia Fell — serves — Honor Pell" in after
    assert "Isolde Varley" in part(told, "Who is married before the fire")
    assert "Isolde Varley" not in part(told, "Who is married while chapter 10 plays")
    assert "Honor Pell" in part(told, "Who is married while chapter 10 plays")
    died = {line.strip() for line in part(told, "Who dies in Quince House, in whatever room").splitlines() if line.endswith("died")}
    assert died == {"Isolde Varley — died", "Agatha Varley — died"}
    assert "'the cellar' is no place of this story" in part(told, "Who meets in the cellar")
    assert "Bettine" not in part(told, "The Wren, for a reader of eight chapters")
    assert "Bettine Low — messenger of — Isolde Varley" in part(told, "The Wren in chapter 9")
    assert part(told, "Who served Isolde Varley in the Blue Room before the fire?").splitlines()[1].startswith("  Bettine Low")
    assert "Bettine" not in part(told, "Who is the Wren?  (read up to chapter 8)")
    assert told.count("No model was used") == len(recipe.QUESTIONS)
    assert all("<title>" in path.read_text(encoding="utf-8") for path in tmp_path.glob("*.html"))
    assert len(list(tmp_path.glob("*.html"))) == 2


def test_a_page_for_a_reader_of_eight_chapters_does_not_know_the_messenger(recipe, monkeypatch, tmp_path, capsys):
    page = tmp_path / "slice.html"

    assert run(recipe, monkeypatch, tmp_path, "--question", "Who is the Wren?", "--reader-at", "8", "--slice", page) == 0

    html = page.read_text(encoding="utf-8")
    assert "the Wren" in html
    assert "Bettine Low was the Wren" not in html
    assert "chapter 9" not in html.lower()
    assert "Bettine" not in part(capsys.readouterr().out, "Who is the Wren?  (read up to chapter 8)").split("■")[0]


def test_an_endpoint_without_a_model_is_refused(recipe, monkeypatch, tmp_path, capsys):
    with pytest.raises(SystemExit):
        run(recipe, monkeypatch, tmp_path, "--base-url", "http://localhost:1")

    assert "--base-url needs --model" in capsys.readouterr().err
