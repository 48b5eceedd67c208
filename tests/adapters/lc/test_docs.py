"""The page and the recipe run as they stand."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import chronotope.defaults
from chronotope.langchain import ChronotopeEmbeddings
from chronotope.testing import HashEmbedder

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def embedder_without_a_model(monkeypatch):
    monkeypatch.setattr(chronotope.defaults, "default_embedder", HashEmbedder)


def test_the_examples_of_the_page_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "langchain.md").read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    for block in blocks:
        exec(block, names)
    told = capsys.readouterr().out
    assert told.index("Bombs damaged") < told.index("was repaired")
    assert "painted green" not in told


def test_every_public_name_is_on_the_page():
    import chronotope.langchain

    page = (ROOT / "docs" / "langchain.md").read_text(encoding="utf-8")
    assert [name for name in chronotope.langchain.__all__ if name not in page] == []
    assert sorted(chronotope.langchain.__all__) == chronotope.langchain.__all__
    assert all(hasattr(chronotope.langchain, name) for name in chronotope.langchain.__all__)


def test_the_recipe_runs_without_a_model(capsys):
    recipe = runpy.run_path(str(ROOT / "cookbook" / "time_in_langchain.py"))
    recipe["main"]([], embeddings=ChronotopeEmbeddings(HashEmbedder()))
    told = capsys.readouterr().out
    assert "No model was used" in told
    assert "No passage was found" in told
    assert "The agent's conversation" in told
