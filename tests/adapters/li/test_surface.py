"""What the adapter shows to the outside: names, types, a clear message without the framework, a page that runs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

import chronotope.llama_index as adapter

ROOT = Path(__file__).resolve().parents[3]


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={"PYTHONPATH": str(ROOT / "integrations")}
    )


def test_every_public_name_is_there_listed_and_documented() -> None:
    for name in adapter.__all__:
        assert getattr(adapter, name).__doc__, name
    assert adapter.__all__ == sorted(adapter.__all__)
    assert set(adapter.__all__) <= set(dir(adapter))
    with pytest.raises(AttributeError):
        _ = adapter.Nothing


def test_every_annotation_of_a_public_name_can_be_resolved() -> None:
    for name in adapter.__all__:
        thing = getattr(adapter, name)
        members = [("", thing)] if inspect.isfunction(thing) else inspect.getmembers(thing, inspect.isfunction)
        ours = [(at, it) for at, it in members if it.__module__.startswith("chronotope.") and (at == "__init__" or at[:1] != "_")]
        written = [function for _, function in ours if function.__code__.co_filename != "<string>"]  # not by dataclass
        for function in written:
            assert "return" in get_type_hints(function), f"{name}.{function.__name__}"


def test_without_the_framework_the_error_names_the_extra() -> None:
    code = "import sys; sys.modules['llama_index'] = None\nimport chronotope.llama_index"
    failed = python(code)
    assert 'pip install "chronotope[llama-index]"' in failed.stderr
    assert "MissingExtraError" in failed.stderr


def test_the_core_loads_without_the_framework() -> None:
    code = "import sys, chronotope.diachronic; assert not any(name.startswith('llama_index') for name in sys.modules)"
    done = python(code)
    assert done.returncode == 0, done.stderr


def test_the_example_of_the_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    from chronotope.testing import HashEmbedder

    monkeypatch.setattr("chronotope.llama_index.models.default_embedder", lambda: HashEmbedder(64))
    page = (ROOT / "docs" / "llama-index.md").read_text(encoding="utf-8")
    blocks = [part.split("```")[0] for part in page.split("```python\n")[1:]]
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/llama-index.md", "exec"), names)
