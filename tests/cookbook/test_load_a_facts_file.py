"""The recipe on a facts file: what is wrong in it is told line by line, the rest is sliced, asked, saved and loaded again."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from chronotope.testing import HashEmbedder

RECIPE = Path(__file__).parents[2] / "cookbook" / "load_a_facts_file.py"


@pytest.fixture
def recipe(monkeypatch):
    """The recipe as a module, on a small embedder that loads no weights."""
    spec = spec_from_file_location("load_a_facts_file", RECIPE)
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "load_a_facts_file", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "default_embedder", HashEmbedder)
    return module


def run(recipe, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["load_a_facts_file.py", *map(str, arguments)])
    return recipe.main()


def test_each_wrong_line_is_told_with_its_reason_and_nothing_else_is_lost(recipe, monkeypatch, tmp_path, capsys):
    assert run(recipe, monkeypatch, "--save", tmp_path / "index") == 0

    told = capsys.readouterr().out
    assert told.count("not read:") == 2
    assert "quarrels_over" in told
    assert "the winter after" in told
    kept_out = [line.split("kept out: ")[1] for line in told.splitlines() if "kept out: " in line]
    assert sorted(kept_out) == [
        "Karel Brandt — father of — Pieter Haske",
        "Lisbet Haske — mother of — Jorun Haske",
        "Odo Haske — married to — Lisbet Haske",
        "Selma Trane — meets — Pieter Haske",
    ]
    for rule in ("one_father", "no_cycle_in_descent", "no_marriage_of_near_kin", "the_dead_do_not_act"):
        assert f"    {rule}: " in told
    assert "Odo Haske and Lisbet Haske are near kin: both descend from Jorun Haske" in told
    assert "loaded again: <StoryIndex of 34 facts" in told


def test_a_slice_of_a_year_holds_the_marriage_of_that_year(recipe, monkeypatch, capsys):
    assert run(recipe, monkeypatch, "--at", "1875", "--at", "1882", "--at", "1890") == 0

    first, between, later = capsys.readouterr().out.split("■ In ")[1:4]
    assert "Jorun Haske — married to — Brita Haske" in first
    assert "married" not in between, "she died in 1880, and he married again in 1883"
    assert "Jorun Haske — married to — Selma Trane" in later.split("■")[0]


def test_the_question_is_answered_with_its_place(recipe, monkeypatch, capsys):
    assert run(recipe, monkeypatch) == 0

    answer = capsys.readouterr().out.split(f"■ {recipe.QUESTION}")[1]
    assert answer.splitlines()[1].strip().startswith("Grenholm")


def test_a_file_of_another_kind_is_refused_in_words(recipe, monkeypatch, tmp_path, capsys):
    odd = tmp_path / "facts.xlsx"
    odd.write_bytes(b"PK")

    assert run(recipe, monkeypatch, odd) == 2
    assert "must end in .csv, .tsv, .jsonl or .json" in capsys.readouterr().err
