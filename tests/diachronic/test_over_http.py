"""Annotation over real HTTP: a run that is killed and goes on, and a real small model whose content is always wrong."""

from __future__ import annotations

import json
import re
import sys

import pytest

from chronotope.diachronic import AnnotateSettings, annotate
from chronotope.endpoint import ChatEndpoint
from chronotope.records import Passage
from chronotope.steps import Runner
from support_http import Answer, ModelServer, killed_and_run_again, llama_server, missing_for_llama, told

CHILD = """
import asyncio, sys
from chronotope.cache import ReplyCache
from chronotope.diachronic import AnnotateSettings, annotate
from chronotope.endpoint import ChatEndpoint
from chronotope.records import Passage
from chronotope.steps import Runner

url, path, drive = sys.argv[1:]
passages = [Passage(f"In {1900 + n} the bridge number {n} was opened.", source_id=f"book-{n % 3}") for n in range(45)]
with ReplyCache(path) as cache:
    runner = Runner(ChatEndpoint(url, "m"), cache=cache, concurrency=4)
    step = annotate(passages, settings=AnnotateSettings(mode="llm"))
    found = runner.run(step) if drive == "run" else asyncio.run(runner.arun(step))
    right = sum([str(t) for t in p.times] == [str(1900 + n)] for n, p in enumerate(found.items))
    print(right, runner.spent.calls, runner.spent.cached)
"""
QUESTIONS = 45 + 3


def honest(body) -> str:
    """What a careful model would answer to either stage."""
    text = told(body)
    if "<document>" in text:
        return json.dumps({"published": "1950", "abstract": "A register of bridges."})
    year = re.search(r"<passage>\s*In (\d{4})", text)[1]
    return json.dumps({"events": [{"quote": f"In {year} the bridge", "start": year, "end": year}]})


@pytest.mark.parametrize("drive", ["run", "arun"])
def test_an_annotation_that_is_killed_goes_on_and_repeats_no_accepted_call(drive, tmp_path) -> None:
    path = str(tmp_path / "cache.db")

    def speak(body, number):
        if number % 9 == 4:
            return Answer(status=429, headers={"Retry-After": "0.01"})
        return Answer("<think>first the year</think>\n```json\n" + honest(body) + "\n```", delay=0.02)

    with ModelServer(speak) as server:
        command = [sys.executable, "-c", CHILD, server.url, path, drive]
        accepted, told_at_last, again = killed_and_run_again(server, command, path, after=25)
    assert 5 < accepted < QUESTIONS
    assert told_at_last == ["45", str(QUESTIONS - accepted), str(accepted)]
    assert len({told(body) for body in again}) == QUESTIONS - accepted, "exactly the missing calls are made"


@pytest.mark.skipif(missing_for_llama() is not None, reason=str(missing_for_llama()))
def test_a_real_server_annotates_without_losing_a_passage() -> None:
    passages = [Passage(f"The bridge over the river was opened in {year}.", source_id="register") for year in (1911, 1926)]
    with llama_server() as url:
        chat = ChatEndpoint(url, "smollm2", api_key="test", max_tokens=120)
        runner = Runner(chat, concurrency=2)
        found = runner.run(annotate(passages, settings=AnnotateSettings(mode="llm", attempts=1)))
        chat.close()
    assert [passage.text for passage in found.items] == [passage.text for passage in passages]
    assert runner.spent.calls >= 3
    assert all(passage.times for passage in found.items), "where the model places nothing, rules stand in"
