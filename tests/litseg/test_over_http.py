"""Segmentation over real HTTP: what arrives at the server, what a bad server does, a run that is killed and goes on."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from typing import Any

import pytest

from chronotope.cache import ReplyCache
from chronotope.endpoint import ChatEndpoint
from chronotope.litseg import SegmentSettings, segment
from chronotope.models import Message
from chronotope.records import Document, Extraction
from chronotope.steps import Runner, Step, gather
from support_http import Answer, ModelServer, killed_and_run_again, level, llama_server, missing_for_llama, told
from support_litseg import FERRY, LONG, covers_everything, narrator, segments, stage_of

FULL, LITE = SegmentSettings(mode="full"), SegmentSettings(mode="lite")
BOTH = pytest.mark.parametrize("settings", [FULL, LITE], ids=["full", "lite"])
CALLS = {"full": 3, "lite": 1}
BOOK = [Document(LONG.text.replace("river", f"river {number}"), id=f"chapter-{number}") for number in range(5)]


def messages(body: dict[str, Any]) -> list[Message]:
    return [Message(turn["role"], turn["content"]) for turn in body["messages"]]


def diligent(body: dict[str, Any], _number: int) -> dict[str, Any]:
    return narrator(messages(body))


def the_book(settings: SegmentSettings) -> Step[list[Extraction[Any]]]:
    return gather([segment(chapter, settings=settings) for chapter in BOOK])


def over(server: ModelServer, step: Step[Any], **limits: Any) -> tuple[Any, Runner]:
    chat = ChatEndpoint(server.url, "m")
    runner = Runner(chat, **limits)
    found = runner.run(step)
    chat.close()
    return found, runner


def by_chapter(bodies: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The requests of each chapter, in the order in which they came."""
    sorted_out = defaultdict(list)
    for body in bodies:
        sorted_out[body["messages"][1]["content"].partition("\n</chapter>")[0]].append(body)
    return sorted_out


@BOTH
async def test_a_chapter_costs_three_calls_or_one_and_both_drivers_find_the_same(settings: SegmentSettings) -> None:
    with ModelServer(diligent) as server:
        found, runner = over(server, the_book(settings), concurrency=4)
        driven = list(server.bodies)
        chat = ChatEndpoint(server.url, "m")
        awaited = await Runner(chat, concurrency=4).arun(the_book(settings))
        chat.close()
    assert awaited == found
    assert all(covers_everything(chapter, part) for chapter, part in zip(BOOK, found, strict=True))
    assert all(len(part.items) > 1 and not part.issues for part in found)
    for bodies in (driven, server.bodies[len(driven) :]):
        assert [len(asked) for asked in by_chapter(bodies).values()] == [CALLS[settings.mode]] * len(BOOK)
    assert runner.spent.calls == len(driven)
    assert {level(body) for body in server.bodies} == {"json_schema"}


def test_prompts_share_their_beginning_as_they_arrive() -> None:
    with ModelServer(diligent) as server:
        over(server, the_book(FULL), concurrency=8)
    assert len({body["messages"][0]["content"] for body in server.bodies}) == 1, "one system text for all"
    for chapter, asked in by_chapter(server.bodies).items():
        assert [stage_of(messages(body)) for body in asked] == ["events", "threads", "segments"]
        assert [body["messages"][0]["role"] for body in asked] == ["system"] * 3
        assert all([turn["role"] for turn in body["messages"]] == ["system", "user"] for body in asked)
        _, second, third = (told(body) for body in asked)
        assert third.startswith(second.partition("\n</events>")[0])
        assert all(told(body).startswith(chapter + "\n</chapter>\n") for body in asked)


def test_prompts_share_their_beginning_on_a_server_that_knows_no_schema() -> None:
    def plain(body, number):
        if "response_format" in body:
            return Answer(status=400, error="response_format is not supported")
        return diligent(
            {"messages": [body["messages"][0], {"role": "user", "content": told(body).partition("\n\nReply with")[0]}]}, number
        )

    with ModelServer(plain) as server:
        found, _ = over(server, segment(LONG, settings=FULL))
    answered = [body for body in server.bodies if level(body) == "text"]
    assert (len(answered), found.issues) == (3, ())
    chapter = told(answered[0]).partition("</chapter>")[0]
    assert all(told(body).startswith(chapter) and '"properties"' in told(body)[len(chapter) :] for body in answered)


@BOTH
def test_a_refused_plan_is_asked_again_with_the_reason_and_the_same_beginning(settings: SegmentSettings) -> None:
    def careless(body, number):
        if len(body["messages"]) == 2 and stage_of(messages(body)) in ("segments", "lite"):
            return segments((1, 4), (7, 999))
        return narrator(messages(body)[:2])

    with ModelServer(careless) as server:
        found, runner = over(server, segment(LONG, settings=settings))
    assert found.issues == ()
    assert len(server.bodies) == CALLS[settings.mode] + 1
    assert runner.spent.rejected == 1
    *_, refused, again = server.bodies
    assert again["messages"][:2] == refused["messages"]
    assert [turn["role"] for turn in again["messages"][2:]] == ["assistant", "user"]
    assert "segment 7-999 is outside 1-" in told(again)


def test_a_stage_that_is_broken_and_a_server_that_stumbles_do_not_end_the_book() -> None:
    def stumbling(body, number):
        if number % 5 == 2:
            return Answer(status=429, headers={"Retry-After": "0.01"})
        if stage_of(messages(body)) == "threads":
            return "There are many threads, as in life."
        return narrator(messages(body)[:2])

    with ModelServer(stumbling) as server:
        found, runner = over(server, the_book(FULL), concurrency=3)
    assert all(covers_everything(chapter, part) for chapter, part in zip(BOOK, found, strict=True))
    assert [[issue.kind for issue in part.issues] for part in found] == [["reply_refused"]] * len(BOOK)
    assert runner.spent.calls == len(BOOK) * (1 + FULL.attempts + 1)
    last = [body for body in server.bodies if stage_of(messages(body)) == "segments"]
    assert all("<threads>\nnone\n</threads>" in told(body) for body in last)


@BOTH
def test_a_reply_that_stops_at_its_length_limit_goes_on_behind_it(settings: SegmentSettings) -> None:
    def short_of_breath(body, number):
        reply = json.dumps(narrator(messages(body)))
        if stage_of(messages(body)) in ("segments", "lite") and "for sentences 1 to" in told(body):
            return Answer(reply[: reply.rindex('"from_idx"')], finish="length")
        return reply

    with ModelServer(short_of_breath) as server:
        found, _ = over(server, segment(LONG, settings=settings))
    assert covers_everything(LONG, found)
    assert [issue.kind for issue in found.issues] == ["reply_cut"]
    assert len(server.bodies) == CALLS[settings.mode] + 1
    whole, rest = (told(body).partition("for sentences ") for body in server.bodies[-2:])
    assert whole[0] == rest[0]
    assert rest[2].split()[0] != "1"
    assert len(found.items) > 2


CHILD = """
import asyncio, sys
from chronotope.cache import ReplyCache
from chronotope.endpoint import ChatEndpoint
from chronotope.litseg import SegmentSettings, segment
from chronotope.records import Document
from chronotope.steps import Runner, gather

url, path, drive, mode = sys.argv[1:]
chapters = [Document(f"Day {n} began. The ship left port {n}. A storm rose. They turned back.", id=str(n)) for n in range(36)]
with ReplyCache(path) as cache:
    runner = Runner(ChatEndpoint(url, "m"), cache=cache, concurrency=4)
    step = gather([segment(chapter, settings=SegmentSettings(mode=mode)) for chapter in chapters])
    found = runner.run(step) if drive == "run" else asyncio.run(runner.arun(step))
    whole = sum("".join(s.text for s in part.items) == chapter.text for part, chapter in zip(found, chapters))
    print(whole, runner.spent.calls, runner.spent.cached)
"""


@pytest.mark.parametrize("drive", ["run", "arun"])
@pytest.mark.parametrize("mode", ["full", "lite"])
def test_a_segmentation_that_is_killed_goes_on_and_repeats_no_accepted_call(drive, mode, tmp_path) -> None:
    path = str(tmp_path / "cache.db")
    asked = 36 * CALLS[mode]

    def speak(body, number):
        return Answer("<think>where does it turn?</think>\n```json\n" + json.dumps(diligent(body, number)) + "\n```", delay=0.02)

    with ModelServer(speak) as server:
        command = [sys.executable, "-c", CHILD, server.url, path, drive, mode]
        accepted, told_at_last, again = killed_and_run_again(server, command, path, after=asked // 2)
    assert 3 < accepted < asked
    assert told_at_last == ["36", str(asked - accepted), str(accepted)]
    assert len({told(body) for body in again}) == len(again) == asked - accepted, "exactly the missing calls are made"


def test_a_second_run_over_the_same_book_asks_nothing(tmp_path) -> None:
    with ModelServer(diligent) as server, ReplyCache(tmp_path / "cache.db") as cache:
        first, _ = over(server, the_book(FULL), cache=cache)
        count = len(server.bodies)
        second, runner = over(server, the_book(FULL), cache=cache)
    assert second == first
    assert (len(server.bodies), runner.spent.cached) == (count, count)


@pytest.mark.skipif(missing_for_llama() is not None, reason=str(missing_for_llama()))
def test_a_real_server_segments_without_losing_a_sentence() -> None:
    with llama_server() as url:
        chat = ChatEndpoint(url, "smollm2", api_key="test", max_tokens=40, timeout=300)
        for mode in ("full", "lite"):
            runner = Runner(chat, concurrency=1)
            found = runner.run(segment(FERRY, settings=SegmentSettings(mode=mode, attempts=1)))
            assert covers_everything(FERRY, found)
            assert runner.spent.calls >= CALLS[mode]
        chat.close()
