"""Token counts: exact where a vocabulary is at hand, near elsewhere, never from the network."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chronotope.tokens import count_tokens, estimate_tokens

ENGLISH = (
    "On the 19th of November 1863, four months after the battle, the President spoke for about two minutes at the dedication "
    "of the cemetery. The orator before him, Edward Everett, had spoken for two hours; next day he wrote that he wished he had "
    "come as near to the central idea in two hours as the President did in two minutes."
)
CHINESE = "且说黛玉自那日弃舟登岸时，便有荣国府打发了轿子并拉行李的车辆久候了。这林黛玉常听得母亲说过，他外祖母家与别家不同。"


def in_a_process(code: str, **environment: str) -> str:
    command, variables = [sys.executable, "-c", code], {"PATH": "", **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def source_root() -> str:
    spec = importlib.util.find_spec("chronotope")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parents[1])


COUNT = "import sys; from chronotope.tokens import count_tokens; print(count_tokens(sys.stdin.read() or 'The king came back.'))"
OFFLINE = """
import socket, sys
def refuse(*_, **__):
    raise OSError("no network in this test")
socket.socket.connect = socket.getaddrinfo = refuse
"""


@pytest.mark.parametrize(("text", "cl100k"), [(ENGLISH, 70), (CHINESE, 82), ("", 0), ("   \n", 0)])
def test_the_estimate_is_near(text, cl100k) -> None:
    assert abs(estimate_tokens(text) - cl100k) <= 0.2 * cl100k


def test_g23_without_a_vocabulary_the_estimate_serves_and_nobody_goes_to_the_network(tmp_path) -> None:
    out = in_a_process(OFFLINE + COUNT, PYTHONPATH=source_root(), TIKTOKEN_CACHE_DIR=str(tmp_path))
    assert int(out) == estimate_tokens("The king came back.")
    assert not list(tmp_path.iterdir())


def test_g23_a_damaged_vocabulary_is_left_alone(tmp_path) -> None:
    address = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
    file = tmp_path / hashlib.sha1(address.encode()).hexdigest()
    file.write_bytes(b"IQ== 0\n")
    out = in_a_process(OFFLINE + COUNT, PYTHONPATH=source_root(), TIKTOKEN_CACHE_DIR=str(tmp_path))
    assert int(out) == estimate_tokens("The king came back.")
    assert file.is_file()


def test_g23_a_vocabulary_that_is_at_hand_is_used() -> None:
    package = pytest.importorskip("llama_index.core", reason="its package holds the vocabulary")
    folder = Path(package.__file__).parent / "_static" / "tiktoken_cache"
    out = in_a_process(OFFLINE + COUNT, PYTHONPATH=source_root(), TIKTOKEN_CACHE_DIR=str(folder))
    assert int(out) == 5


def test_an_encoding_that_nobody_knows_is_estimated() -> None:
    assert count_tokens("The king came back.", encoding="no_such_encoding") == estimate_tokens("The king came back.")


@pytest.mark.parametrize("text", [unit * 100_000 for unit in ("a", "漢", "1", " ", "a b ", "\x00\udc97")])
def test_g22_long_runs_take_linear_time(text) -> None:
    began = time.monotonic()
    assert 0 <= count_tokens(text) <= 3 * len(text)
    assert time.monotonic() - began < 2
