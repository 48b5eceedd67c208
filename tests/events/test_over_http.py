"""Extraction over real HTTP: a run that is killed and goes on, an endpoint that breaks replies, both drivers."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache

import pytest

from chronotope.endpoint import ChatEndpoint
from chronotope.events.event import EventUnit
from chronotope.events.extract.extract import ExtractSettings, extract_events
from chronotope.records import Extraction
from chronotope.steps import Runner
from support_events import LEDGER, document, honest
from support_http import Answer, ModelServer, environment, killed_and_run_again, told

SETTINGS = ExtractSettings(mode="llm", window_tokens=250, overlap_tokens=0, attempts=1)
CHILD = """
import asyncio, sys
from chronotope.cache import ReplyCache
from chronotope.endpoint import ChatEndpoint
from chronotope.events.extract.extract import ExtractSettings, extract_events
from chronotope.records import Document
from chronotope.steps import Runner

url, path, drive, text = sys.argv[1:]
settings = ExtractSettings(mode="llm", window_tokens=250, overlap_tokens=0, attempts=1)
with ReplyCache(path) as cache:
    runner = Runner(ChatEndpoint(url, "m"), cache=cache, concurrency=4)
    step = extract_events([Document(text, id="ledger")], settings=settings)
    found = runner.run(step) if drive == "run" else asyncio.run(runner.arun(step))
    right = sum([str(t) for t in e.times] == [str(1900 + n)] for n, e in enumerate(found.items))
    print(right, runner.spent.calls, runner.spent.cached)
"""


ESTIMATE = """
import sys
from chronotope.events.extract.extract import ExtractSettings, extract_events
from chronotope.records import Document
from chronotope.steps import Runner
from chronotope.testing import ScriptedChat

settings = ExtractSettings(mode="llm", window_tokens=250, overlap_tokens=0, attempts=1)
print(Runner(ScriptedChat([])).estimate(extract_events([Document(sys.argv[1], id="ledger")], settings=settings)).calls)
"""


@cache
def windows() -> int:
    """Windows of the ledger in a process of its own: whether tokens are counted or estimated depends on what a process loaded."""
    command = [sys.executable, "-c", ESTIMATE, LEDGER]
    return int(subprocess.run(command, capture_output=True, text=True, check=True, env=environment()).stdout)


def test_the_ledger_has_thirty_pages() -> None:
    assert len(LEDGER.split()) > 30 * 180
    assert windows() > 30


@pytest.mark.parametrize("drive", ["run", "arun"])
def test_an_extraction_that_is_killed_goes_on_with_exactly_the_missing_calls(drive, tmp_path) -> None:
    path = str(tmp_path / "cache.db")
    with ModelServer(lambda body, _: Answer(json.dumps(honest(told(body))), delay=0.05)) as server:
        command = [sys.executable, "-c", CHILD, server.url, path, drive, LEDGER]
        accepted, told_at_last, again = killed_and_run_again(server, command, path, after=windows() // 2)
    assert 5 < accepted < windows()
    assert told_at_last == ["90", str(windows() - accepted), str(accepted)]
    assert len({told(body) for body in again}) == len(again) == windows() - accepted


def extracted(server: ModelServer) -> Extraction[EventUnit]:
    chat = ChatEndpoint(server.url, "m")
    try:
        return Runner(chat, concurrency=4).run(extract_events([document(LEDGER)], settings=SETTINGS))
    finally:
        chat.close()


def test_an_endpoint_that_breaks_one_reply_in_ten_loses_no_other_window_and_lists_the_broken() -> None:
    def speak(body, _):
        year = int(told(body).split("<text>")[1].split("In ")[1][:4]) if "In " in told(body).split("<text>")[1] else 0
        return "I would rather not." if year % 10 == 4 else json.dumps(honest(told(body)))

    with ModelServer(lambda body, _: json.dumps(honest(told(body)))) as server:
        sound = extracted(server)
    with ModelServer(speak) as server:
        broken = extracted(server)
        refused = [body for body in server.bodies if speak(body, 0) == "I would rather not."]
    listed = [issue for issue in broken.issues if issue.kind == "reply_refused"]
    assert windows() // 20 <= len(listed) <= windows() // 5
    spans = [tuple(int(word) for word in issue.message.split(":")[0].split()[1::2]) for issue in listed]
    shown = [LEDGER[start:end] for start, end in spans]
    assert all(any(text in told(body) for body in refused) for text in shown)
    outside = [event for event in sound.items if not any(start <= (event.char_start or 0) < end for start, end in spans)]
    assert outside == [event for event in broken.items if not any(start <= (event.char_start or 0) < end for start, end in spans)]
    assert {event.times for event in sound.items} == {event.times for event in broken.items if event.times}


async def test_both_drivers_give_the_same() -> None:
    with ModelServer(lambda body, _: json.dumps(honest(told(body)))) as server:
        chat = ChatEndpoint(server.url, "m")
        awaited = await Runner(chat, concurrency=4).arun(extract_events([document(LEDGER)], settings=SETTINGS))
        chat.close()
        assert awaited == extracted(server)
    assert len(awaited.items) == 90
