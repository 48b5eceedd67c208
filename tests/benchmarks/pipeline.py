"""How near model work comes to the throughput of its endpoint.

A local server answers chat requests after 50 ms, 16 at once; others wait in its queue. Annotating 400 passages of 8 documents in
`llm` mode takes 408 questions (one a document, one a passage), so not less than 408 / 16 * 50 ms = 1.275 s. The benchmark does it
through `Runner.run` and `Runner.arun` with a concurrency of 24, so that the server always has a request at hand, and with one of
exactly 16 (`run_exact`, `arun_exact`), where a slot of the server stands empty while the client works; and, for comparison, by 16
bare sockets that only send the same bytes and wait.

    python tests/benchmarks/pipeline.py --json pipeline.json
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import socket
import statistics
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import ClassVar, Self, TypeAlias

import _report

from chronotope.diachronic import AnnotateSettings, annotate
from chronotope.endpoint import ChatEndpoint
from chronotope.records import Extraction, Passage
from chronotope.steps import Runner, Step

HOLD_SECONDS = 0.05
AT_ONCE = 16
AHEAD = 24
PASSAGES = 400
Figures: TypeAlias = dict[str, float]
DOCUMENTS = 8
QUOTE = "In the spring of 1911 the council met again"
# One answer serves both stages: each reads its own keys.
EVENT = {"quote": QUOTE, "start": "1911-03", "end": "1911-05"}
REPLY = {"published": "1911-06", "abstract": "Minutes of a council.", "events": [EVENT]}


def make_step(passages: Sequence[Passage]) -> Step[Extraction[Passage]]:
    """The work that is measured: the two stages of annotation, as an app runs them."""
    return annotate(passages, settings=AnnotateSettings(mode="llm"))


def make_passages(count: int) -> list[Passage]:
    """Passages of some 500 characters, all different, in eight documents."""
    rest = "It resolved to build the new bridge before the winter came, and asked the mayor to find the stone for it. " * 4
    return [Passage(f"Minute {number}. {QUOTE}. {rest}", source_id=f"minutes-{number % DOCUMENTS}") for number in range(count)]


def questions(count: int) -> int:
    """Calls that annotating so many passages takes."""
    return count + min(count, DOCUMENTS)


class Server(asyncio.Protocol):
    """Answers each request after its time, 16 at once, with as little HTTP as keeps a connection alive."""

    answer = b""
    busy = 0
    queue: ClassVar[deque[Server]] = deque()
    held: ClassVar[list[float]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.heard = b""

    def data_received(self, data: bytes) -> None:
        self.heard += data
        head, gap, body = self.heard.partition(b"\r\n\r\n")
        if gap and len(body) >= int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0]):
            self.heard = b""
            self.queue.append(self)
            self.begin()

    @classmethod
    def begin(cls) -> None:
        while cls.queue and cls.busy < AT_ONCE:
            cls.busy += 1
            # The loop's clock ticks in milliseconds and rounds up: half a tick less makes the mean right.
            asyncio.get_running_loop().call_later(HOLD_SECONDS - 0.0005, cls.queue.popleft().end, time.perf_counter())

    def end(self, since: float) -> None:
        self.held.append(time.perf_counter() - since)
        self.transport.write(self.answer)
        type(self).busy -= 1
        self.begin()


def serve(connection) -> None:
    """Runs in a process of its own: tells its port, serves until told to stop, tells what it measured."""
    content = json.dumps(REPLY)
    usage = {"prompt_tokens": 300, "completion_tokens": 40, "total_tokens": 340}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    body = json.dumps({"object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}).encode()
    Server.answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

    async def main() -> None:
        server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
        connection.send(server.sockets[0].getsockname()[1])
        await asyncio.to_thread(connection.recv)
        server.close()

    asyncio.run(main())
    connection.send((time.process_time(), statistics.fmean(Server.held), len(Server.held)))


def bare(port: int, count: int) -> Figures:
    """The same exchange by threads with one socket each and no client at all: what this machine can do."""
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": make_passages(1)[0].text}]}).encode()
    request = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    jobs: SimpleQueue[int] = SimpleQueue()
    for number in range(questions(count)):
        jobs.put(number)

    def work() -> None:
        with socket.create_connection(("127.0.0.1", port)) as line:
            while True:
                try:
                    jobs.get_nowait()
                except Empty:
                    return
                line.sendall(request)
                line.recv(65536)

    threads = [threading.Thread(target=work) for _ in range(AT_ONCE)]
    with Clock(questions(count)) as clock:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return clock.figures


class Clock(AbstractContextManager["Clock"]):
    """Wall and CPU time of its block, and the share of the ideal throughput that it reached."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.figures: Figures = {}

    def __enter__(self) -> Self:
        self.wall, self.cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        ideal = self.count / AT_ONCE * HOLD_SECONDS
        self.figures = {
            "seconds": wall,
            "ideal_seconds": ideal,
            "ideal_share": ideal / wall,
            "client_cpu_ms_per_call": cpu / self.count * 1000,
        }


def by_run(port: int, passages: Sequence[str], concurrency: int) -> Figures:
    """Through threads; the connections are open before the clock starts."""
    chat = ChatEndpoint(f"http://127.0.0.1:{port}/v1", "m")
    runner = Runner(chat, concurrency=concurrency)
    runner.run(make_step(passages[:concurrency]))
    with Clock(questions(len(passages))) as clock:
        assert len(runner.run(make_step(passages)).items) == len(passages)
    chat.close()
    return clock.figures


def by_arun(port: int, passages: Sequence[str], concurrency: int) -> Figures:
    """Through an event loop; the connections are open before the clock starts."""

    async def work() -> Figures:
        runner = Runner(ChatEndpoint(f"http://127.0.0.1:{port}/v1", "m"), concurrency=concurrency)
        await runner.arun(make_step(passages[:concurrency]))
        with Clock(questions(len(passages))) as clock:
            assert len((await runner.arun(make_step(passages))).items) == len(passages)
        return clock.figures

    return asyncio.run(work())


def best(port: int, count: int, repeats: int) -> dict[str, Figures]:
    """Each way in turn, several times: the best of each, since others may use the machine meanwhile, and the median share."""
    passages = make_passages(count)
    ways: dict[str, Callable[[], Figures]] = {
        "bare": lambda: bare(port, count),
        "run": lambda: by_run(port, passages, AHEAD),
        "arun": lambda: by_arun(port, passages, AHEAD),
        "run_exact": lambda: by_run(port, passages, AT_ONCE),
        "arun_exact": lambda: by_arun(port, passages, AT_ONCE),
    }
    rounds = [{name: work() for name, work in ways.items()} for _ in range(repeats)]
    shares = {name: [figures[name]["ideal_share"] for figures in rounds] for name in ways}
    chosen = {name: max((figures[name] for figures in rounds), key=lambda row: row["ideal_share"]) for name in ways}
    return {name: {**chosen[name], "median_ideal_share": statistics.median(shares[name])} for name in ways}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--json", type=Path, help="write the figures to this file")
    options.add_argument("--quick", action="store_true", help="one round of 100 passages")
    options.add_argument("--rounds", type=int, default=5, help="how often everything is measured")
    chosen = options.parse_args()
    count, repeats = (100, 1) if chosen.quick else (PASSAGES, chosen.rounds)
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()
    figures: dict[str, object] = dict(best(port, count, repeats))
    ours.send("stop")
    cpu, hold, answered = ours.recv()
    server.join()
    figures["server"] = {"cpu_ms_per_call": cpu / answered * 1000, "mean_hold_ms": hold * 1000}
    figures["passages"], figures["at_once"], figures["load_average"] = count, AT_ONCE, os.getloadavg()[0]
    for name, row in figures.items():
        told = "  ".join(f"{key} {value:.3f}" for key, value in row.items()) if isinstance(row, dict) else row
        print(f"{name:14}{told}")
    _report.write(chosen.json, figures)


if __name__ == "__main__":
    main()
