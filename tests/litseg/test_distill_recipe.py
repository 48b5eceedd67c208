from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from support_http import ROOT, ModelServer, environment

RECIPE = ROOT / "cookbook" / "distill_a_segmenter.py"


def recipe(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(RECIPE), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment(), timeout=120)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_recipe_runs_without_a_model_and_writes_works_apart(tmp_path: Path) -> None:
    done = recipe("--output", str(tmp_path))
    assert done.returncode == 0, done.stderr
    train, held = rows(tmp_path / "train.jsonl"), rows(tmp_path / "validation.jsonl")
    assert {row["work"] for row in train} | {row["work"] for row in held} == {"The Ferry", "The Lamp"}
    assert len({row["work"] for row in train} & {row["work"] for row in held}) == 0
    assert len(train) + len(held) == 3, "three units of four; the fourth was repaired"
    assert "[left_out]" in done.stdout
    assert "gap_closed" in done.stdout
    (first,) = [line for line in done.stdout.splitlines() if "the teacher's answer" in line]
    assert first.split()[-3] == "1.000"


def test_the_recipe_takes_texts_and_an_endpoint_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "tale.txt").write_text("Ada found a key. It opened the door. Nobody was there.", encoding="utf-8")
    part = {"subtitle": "A key", "from_idx": 1, "to_idx": 3, "context_idx": []}
    stages: list[dict[str, Any]] = [{"events": ["1 a key"]}, {"threads": []}, {"segments": [part]}]
    judged = {"chunks": [{"chunk": 1, "event_validity": 4, "unity_of_action": 4, "cut_point_logic": 4}]}

    def speak(_body: dict[str, Any], number: int) -> dict[str, Any]:
        return stages[number] if number < 3 else judged

    with ModelServer(speak) as server:
        endpoint = ("--base-url", server.url, "--model", "m")
        done = recipe("--input", str(tmp_path / "tale.txt"), "--output", str(tmp_path / "made"), *endpoint)
    assert done.returncode == 0, done.stderr
    assert "that takes examples of two works" in done.stdout
    assert "0.750" in done.stdout


@pytest.mark.skipif(find_spec("trl") is not None, reason="the trainer is installed, and would train")
def test_the_recipe_says_what_training_needs(tmp_path: Path) -> None:
    assert recipe("--output", str(tmp_path)).returncode == 0
    done = recipe("--output", str(tmp_path), "--train", "student", "--base-url", "http://127.0.0.1:9/v1", "--model", "judge")
    assert done.returncode == 2
    assert "pip install" in done.stderr
    assert "trl" in done.stderr


@pytest.mark.parametrize(
    "options", [("--train", "student"), ("--input", "nowhere", "--base-url", "http://127.0.0.1:9/v1", "--model", "m")]
)
def test_the_recipe_says_what_is_missing(options: tuple[str, ...]) -> None:
    done = recipe(*options)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
