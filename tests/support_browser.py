"""A real browser for tests of pages: it runs a page's script and tells what became of it. Skips where there is none."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_CONSOLE = re.compile(r"CONSOLE[:(]\d+\)?\] \"(.*?)\", source: ", re.DOTALL)


@dataclass(frozen=True)
class Seen:
    """What a browser made of a page: the document after its script ran, and the lines of its console."""

    dom: str
    console: tuple[str, ...]


def find_browser() -> str:
    """The path of a browser; the test that asks is skipped where there is none."""
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    return found


def opened(page: str, *, at: str = "", size: tuple[int, int] = (1200, 800)) -> Seen:
    """The page as a browser shows it from a file; `at` is what stands behind the `#` of its address."""
    browser = find_browser()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "page.html"
        place.write_text(page, encoding="utf-8", newline="\n")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={folder}/profile"]
        drawn = ["--enable-logging=stderr", "--virtual-time-budget=4000", f"--window-size={size[0]},{size[1]}", "--dump-dom"]
        run = subprocess.run(
            [browser, *options, *drawn, f"{place.as_uri()}#{at}"], capture_output=True, text=True, timeout=120, check=True
        )
    return Seen(run.stdout, tuple(_CONSOLE.findall(run.stderr)))


def operated(page: str, script: str, *, size: tuple[int, int] = (1200, 800)) -> object:
    """Open the page in a frame and run `script` against it from outside, as a user would work it.

    The script is the body of a function of `doc`, `view`, `press(key)` and `click(selector)`; what it returns comes back as JSON.
    """
    outer = f"""<!doctype html><meta charset="utf-8"><body style="margin:0">
<iframe id="frame" style="border:0;width:100vw;height:100vh" srcdoc="{html.escape(page)}"></iframe><pre id="answer"></pre><script>
const frame = document.getElementById("frame");
frame.addEventListener("load", () => {{
  const view = frame.contentWindow, doc = frame.contentDocument;
  const pressed = (key) => new view.KeyboardEvent("keydown", {{ key, bubbles: true, cancelable: true }});
  const press = (key) => doc.activeElement.dispatchEvent(pressed(key));
  const click = (selector) => doc.querySelector(selector).click();
  let told;
  try {{ told = {{ value: (() => {{ {script} }})() ?? null }}; }} catch (error) {{ told = {{ error: String(error) }}; }}
  document.getElementById("answer").textContent = JSON.stringify(told);
}});
</script>"""
    seen = opened(outer, size=size)
    answer = re.search(r'<pre id="answer">(.*?)</pre>', seen.dom, re.DOTALL)
    assert answer, "the browser wrote no answer"
    told = json.loads(html.unescape(answer[1]))
    assert "error" not in told, told.get("error")
    return told["value"]


@contextmanager
def listening() -> Iterator[tuple[str, Sequence[str]]]:
    """A server on this machine: its address, and the paths that were asked of it so far."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
