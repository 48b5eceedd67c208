"""The recipe that segments a story: its tale holds what its questions ask for, and it runs on the tale and on any file."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path

import pytest

from chronotope import Document, Runner
from chronotope.litseg import segment
from chronotope.testing import HashEmbedder

pytest.importorskip("llama_index.core")
pytest.importorskip("langchain_text_splitters")

RECIPE = Path(__file__).parents[2] / "cookbook" / "segment_a_story.py"


@pytest.fixture
def recipe(monkeypatch):
    """The recipe as a module, on a small embedder that loads no weights."""
    spec = spec_from_file_location("segment_a_story", RECIPE)
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "segment_a_story", module)  # its dataclass looks its own module up
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "default_embedder", HashEmbedder)
    return module


def run(recipe, monkeypatch, tmp_path, *arguments):
    monkeypatch.setattr(sys, "argv", ["segment_a_story.py", "--cache", str(tmp_path / "cache"), *map(str, arguments)])
    return recipe.main()


def test_each_question_about_the_tale_has_its_answer_in_one_place_of_it(recipe):
    tale = " ".join(recipe.TALE.read_text(encoding="utf-8").split())

    assert {question: tale.count(answer) for question, answer in recipe.QUESTIONS.items()} == dict.fromkeys(recipe.QUESTIONS, 1)


def test_no_segment_of_the_tale_crosses_a_chapter_or_a_divider(recipe):
    text = recipe.TALE.read_text(encoding="utf-8")
    chapters = [match.start() for match in re.finditer(r"^CHAPTER ", text, re.MULTILINE)]
    dividers = [match.end() for match in re.finditer(r"^\* \* \*\n\n", text, re.MULTILINE)]

    found = Runner().run(segment(Document(text, id="tale"))).items

    starts = {part.char_start for part in found}
    assert len(chapters) == 6
    assert len(dividers) == 2
    assert {*chapters, *dividers} <= starts
    assert all(before.char_end == after.char_start for before, after in pairwise(found))
    assert found[-1].char_end == len(text)


def test_it_compares_asks_and_writes_the_map(recipe, monkeypatch, tmp_path, capsys):
    assert run(recipe, monkeypatch, tmp_path, "--map", tmp_path / "tale.html") == 0

    told = capsys.readouterr().out
    assert told.count("■") == len(recipe.QUESTIONS)
    blocks = (tmp_path / "tale.html").read_text(encoding="utf-8").count('role="option"')
    assert int(re.search(r"^LitSeg +(\d+) pieces", told, re.MULTILINE)[1]) == blocks
    assert re.search(r"^LitSeg .* 0 start inside a sentence, 0 hold", told, re.MULTILINE)


def test_any_file_is_segmented_and_asked(recipe, monkeypatch, tmp_path, capsys):
    (tmp_path / "log.txt").write_text("Anna came at noon.\n\n* * *\n\nThe boat was late.", encoding="utf-8")

    assert run(recipe, monkeypatch, tmp_path, tmp_path / "log.txt", "--question", "Who came?") == 0

    told = capsys.readouterr().out
    assert "LitSeg     2 pieces" in told
    assert told.count("■") == 1
    assert "the answer" not in told


@pytest.mark.parametrize(("data", "problem"), [(b"", "no story"), (b"\xff\xfe\x00", "UTF-8")])
def test_a_file_without_a_story_is_told(recipe, monkeypatch, tmp_path, capsys, data, problem):
    (tmp_path / "file.txt").write_bytes(data)

    assert run(recipe, monkeypatch, tmp_path, tmp_path / "file.txt") == 2
    assert problem in capsys.readouterr().err
