"""The runner: both drivers, caching, caps, accounts, failures."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import gc
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from pydantic import BaseModel

from chronotope.cache import ReplyCache
from chronotope.errors import BudgetError, ReplyError, StoreMismatchError
from chronotope.models import Reply
from chronotope.prompts import Prompt
from chronotope.records import Spent
from chronotope.steps import Runner, ask, call, embed, gather, rank
from chronotope.testing import HashEmbedder, OverlapReranker, ScriptedChat
from support_http import environment


class Year(BaseModel):
    year: int


WHEN = Prompt("when", "1", "", "When was $event", Year)
WHO = contextvars.ContextVar("who", default="nobody")


def year(event: object):
    return (yield from ask(WHEN, event=event)).year


def many(count: int):
    return gather([year(number) for number in range(count)])


class Clerk:
    """Answers with the number asked about, after a while; counts how many wait at once."""

    model_id = "clerk"

    def __init__(self, seconds: float = 0.0, tokens=(None, None), fails: frozenset[int] = frozenset()) -> None:
        self.seconds, self.tokens, self.fails = seconds, tokens, fails
        self.asked: list[int] = []
        self.who: set[str] = set()
        self.now = self.most = 0
        self.lock = threading.Lock()

    def _begin(self, messages) -> int:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
            self.asked.append(int(messages[0].content.split()[-1]))
            self.who.add(WHO.get())
            return self.asked[-1]

    def _end(self, number: int) -> Reply:
        with self.lock:
            self.now -= 1
        if number in self.fails:
            raise ConnectionError(f"no answer about {number}")
        return Reply(f'{{"year": {number}}}', False, *self.tokens)

    def chat(self, messages, *, schema=None) -> Reply:
        number = self._begin(messages)
        time.sleep(self.seconds)
        return self._end(number)

    async def achat(self, messages, *, schema=None) -> Reply:
        number = self._begin(messages)
        await asyncio.sleep(self.seconds)
        return self._end(number)


def by_run(runner: Runner, step):
    return runner.run(step)


def by_arun(runner: Runner, step):
    return asyncio.run(runner.arun(step))


both = pytest.mark.parametrize("drive", [by_run, by_arun])


@both
def test_calls_run_side_by_side_up_to_the_limit(drive) -> None:
    clerk = Clerk(0.01)
    began = time.monotonic()
    assert drive(Runner(clerk, concurrency=8), many(80)) == list(range(80))
    assert clerk.most == 8
    assert time.monotonic() - began < 0.6


@both
def test_thousands_of_nested_steps_need_no_more_threads_than_calls(drive) -> None:
    before = threading.active_count()
    most = 0

    def counted(number: int):
        nonlocal most
        result = yield from year(number)
        most = max(most, threading.active_count())
        return result

    step = gather([gather([gather([counted(100 * a + 10 * b + c) for c in range(10)]) for b in range(10)]) for a in range(20)])
    result = drive(Runner(Clerk(), concurrency=4), step)
    assert result[19][9] == list(range(1990, 2000))
    assert most <= before + 4
    assert threading.active_count() == before


@both
def test_steps_go_depth_first(drive) -> None:
    clerk = Clerk()

    def pair(number: int):
        return (yield from year(number)) + (yield from year(number + 100))

    drive(Runner(clerk, concurrency=1), gather([pair(0), pair(1), pair(2)]))
    assert clerk.asked == [0, 100, 1, 101, 2, 102]


@both
def test_deep_recursion_of_gathers_is_no_recursion_of_the_runner(drive) -> None:
    def nested(depth: int):
        if depth == 0:
            return 0
        return 1 + (yield from gather([nested_root(depth - 1)]))[0]

    def nested_root(depth: int):
        return (yield from nested(depth))

    assert drive(Runner(), nested_root(3000)) == 3000


@both
def test_context_variables_reach_the_calls(drive) -> None:
    clerk = Clerk()
    token = WHO.set("ada")
    drive(Runner(clerk), many(5))
    WHO.reset(token)
    assert clerk.who == {"ada"}


async def test_s10_run_works_inside_a_running_loop() -> None:
    assert Runner(Clerk(0.001)).run(many(20)) == list(range(20))


def test_s10_run_works_in_a_thread_without_a_loop() -> None:
    results: list[list[int]] = []
    thread = threading.Thread(target=lambda: results.append(Runner(Clerk()).run(many(3))))
    thread.start()
    thread.join()
    assert results == [[0, 1, 2]]


async def test_s10_arun_lets_the_loop_breathe() -> None:
    beats = 0

    async def heart() -> None:
        nonlocal beats
        while True:
            beats += 1
            await asyncio.sleep(0.001)

    def busy():
        time.sleep(0.001)
        return (yield from gather([]))

    task = asyncio.create_task(heart())
    await Runner().arun(gather([busy() for _ in range(300)]))
    task.cancel()
    assert beats > 5, "steps that need no call must not starve the loop"


def test_one_runner_serves_successive_loops_and_threads() -> None:
    runner = Runner(Clerk(0.001), concurrency=4)
    for _ in range(3):
        assert asyncio.run(runner.arun(many(9))) == runner.run(many(9))
    assert runner.spent.calls == 54


@both
def test_an_error_of_a_model_reaches_the_step_at_its_yield(drive) -> None:
    def careful(number: int):
        try:
            return (yield from year(number))
        except ConnectionError as error:
            return str(error)

    runner = Runner(Clerk(fails=frozenset({1})))
    assert drive(runner, gather([careful(0), careful(1), careful(2)])) == [0, "no answer about 1", 2]
    assert (runner.spent.calls, runner.spent.failed) == (2, 1)


@both
def test_an_error_that_no_step_catches_leaves_the_run_and_stops_the_rest(drive) -> None:
    clerk = Clerk(0.005, fails=frozenset({3}))
    closed = []

    def watched(number: int):
        try:
            return (yield from year(number))
        finally:
            closed.append(number)

    with pytest.raises(ConnectionError, match="about 3"):
        drive(Runner(clerk, concurrency=2), gather([watched(number) for number in range(50)]))
    assert len(clerk.asked) < 12
    assert set(closed) >= set(clerk.asked), "every step that began is closed"
    assert clerk.now == 0, "no call is left under way"


@both
def test_a_failure_in_a_gather_can_be_caught_around_it(drive) -> None:
    def step():
        try:
            yield from gather([year(1), gather([year(2), year(3)])])
        except ConnectionError:
            return (yield from year(4))

    assert drive(Runner(Clerk(fails=frozenset({2}))), step()) == 4


@both
def test_g27_replies_under_way_at_a_failure_are_still_kept(drive) -> None:
    cache = ReplyCache()

    class Slow(Clerk):
        def chat(self, messages, *, schema=None):
            self.seconds = 0.0 if "0" in messages[0].content else 0.05
            return super().chat(messages, schema=schema)

        async def achat(self, messages, *, schema=None):
            self.seconds = 0.0 if "0" in messages[0].content else 0.05
            return await super().achat(messages, schema=schema)

    clerk = Slow(fails=frozenset({0}))
    with pytest.raises(ConnectionError):
        drive(Runner(clerk, cache=cache, concurrency=4), gather([year(1), year(2), year(0)]))
    assert len(cache) == 2


@both
def test_accepted_replies_come_from_the_cache_next_time(drive) -> None:
    cache = ReplyCache()
    first, second = Runner(Clerk(), cache=cache), Runner(Clerk(), cache=cache)
    assert drive(first, many(10)) == drive(second, many(10))
    assert (first.spent.calls, first.spent.cached) == (10, 0)
    assert (second.spent.calls, second.spent.cached) == (0, 10)


def test_only_accepted_replies_are_kept_and_only_under_their_own_key() -> None:
    cache = ReplyCache()
    chat = ScriptedChat(["Hm.", {"year": 1}])
    assert Runner(chat, cache=cache).run(year("a")) == 1
    assert len(cache) == 1
    for changed, model in ((WHEN.with_text(user="When, pray, was $event"), "scripted"), (WHEN, "another")):
        runner = Runner(ScriptedChat([{"year": 2}], model_id=model), cache=cache)
        assert runner.run(ask(changed, event="a")).year == 2
        assert runner.spent.cached == 0


def test_g24_a_cut_reply_is_never_kept() -> None:
    cache = ReplyCache()

    class Years(BaseModel):
        years: list[int]

    prompt = Prompt("all", "1", "", "All years", Years)
    with pytest.raises(ReplyError):
        Runner(ScriptedChat([Reply('{"years": [1, 2', truncated=True)]), cache=cache).run(ask(prompt))
    assert len(cache) == 0


def test_a_kept_reply_that_a_new_check_refuses_is_asked_again() -> None:
    cache = ReplyCache()
    Runner(ScriptedChat([{"year": 1}]), cache=cache).run(ask(WHEN, event="a"))

    def strict(reply: Year) -> int:
        if reply.year < 5:
            raise ValueError("too early")
        return reply.year

    assert Runner(ScriptedChat([{"year": 7}]), cache=cache).run(ask(WHEN, check=strict, event="a")) == 7
    assert Runner(ScriptedChat([]), cache=cache).run(ask(WHEN, check=strict, event="a")) == 7


class CountingEmbedder(HashEmbedder):
    def __init__(self, width: int = 8, model_id: str = "counting") -> None:
        super().__init__(width)
        self.name = model_id
        self.batches: list[list[str]] = []

    @property
    def model_id(self) -> str:
        return self.name

    def embed(self, texts, *, kind="passage"):
        self.batches.append(list(texts))
        return super().embed(texts, kind=kind)


@both
def test_nothing_is_embedded_twice(drive) -> None:
    cache, embedder = ReplyCache(), CountingEmbedder()
    runner = Runner(embedder=embedder, cache=cache, batch_size=2, concurrency=1)
    first = drive(runner, embed(["a", "b", "a", "c", ""]))
    again = drive(runner, embed(["c", "d", "b"]))
    assert embedder.batches == [["a", "b"], ["c"], ["d"]]
    assert np.array_equal(again[[0, 2]], first[[3, 1]])
    assert np.array_equal(first[0], first[2])
    assert runner.spent == Spent(embedded=4, cached=2)
    drive(runner, embed(["a"], kind="query"))
    assert embedder.batches[-1] == ["a"], "a question is another vector than a passage"


def test_g29_widths_that_change_are_told_with_both_numbers() -> None:
    cache = ReplyCache()
    Runner(embedder=CountingEmbedder(8), cache=cache).run(embed(["a"]))
    with pytest.raises(StoreMismatchError, match=r"'counting' gave vectors of widths 8 and 16"):
        Runner(embedder=CountingEmbedder(16), cache=cache).run(embed(["a", "b"]))


def test_a_wrong_number_of_vectors_or_scores_is_told() -> None:
    class Short(HashEmbedder):
        def embed(self, texts, *, kind="passage"):
            return super().embed(texts[1:], kind=kind)

    class Mute(OverlapReranker):
        def rank(self, query, texts):
            return []

    with pytest.raises(ReplyError, match="2 texts gave an array of shape"):
        Runner(embedder=Short()).run(embed(["a", "b"]))
    with pytest.raises(ReplyError, match="0 scores came for 2 texts"):
        Runner(reranker=Mute()).run(rank("q", ["a", "b"]))


def test_g33_odd_characters_pass_hashing_keeping_and_sending() -> None:
    cache, embedder = ReplyCache(), CountingEmbedder()
    odd = "split \ud83d emoji \x00 \x0c"
    chat = ScriptedChat(lambda _messages: '{"year": 1, "note": "\ud83d"}')
    runner = Runner(chat, embedder, OverlapReranker(), cache=cache)
    for _ in range(2):
        assert runner.run(year(odd)) == 1
        assert runner.run(embed([odd])).shape == (1, 8)
        assert runner.run(rank(odd, [odd])) == [1.0]
    assert runner.spent.cached == 2
    for sent in (chat.calls[0].messages[0].content, embedder.batches[0][0]):
        assert sent.encode("utf-8")
        assert "\x00" not in sent


@both
def test_g39_a_cap_on_calls_stops_before_the_call_that_would_exceed_it(drive) -> None:
    clerk, cache = Clerk(0.002), ReplyCache()
    runner = Runner(clerk, cache=cache, max_calls=7, concurrency=4)
    with pytest.raises(BudgetError, match="the cap of 7 calls is reached"):
        drive(runner, many(30))
    assert (len(clerk.asked), runner.spent.calls, len(cache), clerk.now) == (7, 7, 7, 0)
    with pytest.raises(BudgetError):
        drive(runner, year(99))
    runner.reset()
    assert drive(runner, many(14)) == list(range(14))
    assert (runner.spent.calls, runner.spent.cached) == (7, 7)


@both
def test_g39_a_cap_on_tokens_counts_what_is_sent_and_received(drive) -> None:
    clerk = Clerk(tokens=(10, 5))
    runner = Runner(clerk, max_tokens=50, concurrency=1, counter=lambda text: 6)
    with pytest.raises(BudgetError, match=r"10 more tokens would exceed the cap of 50, 45 of them used"):
        drive(runner, many(30))
    assert runner.spent == Spent(calls=3, prompt_tokens=30, completion_tokens=15)


def test_a_cap_cannot_be_caught_by_a_step() -> None:
    def greedy():
        for number in range(9):
            try:
                yield from year(number)
            except Exception:  # noqa: BLE001 - just what must not help
                return "caught"
        return "unlimited"

    with pytest.raises(BudgetError):
        Runner(Clerk(), max_calls=3).run(greedy())


def test_tokens_are_counted_here_when_the_endpoint_is_silent() -> None:
    runner = Runner(Clerk(), counter=len)
    runner.run(year(1))
    assert runner.spent == Spent(calls=1, prompt_tokens=len("When was 1") + 4, completion_tokens=len('{"year": 1}'))


def test_g39_an_estimate_calls_nobody_and_counts_everything() -> None:
    def step():
        years = yield from many(5)
        yield from embed([f"in {year}" for year in range(3)] + ["in 1", ""])
        scores = yield from rank("q", ["a", "b"])
        vectors = yield from embed(["z"], kind="query")
        assert years == [0] * 5
        assert scores == [0.0, 0.0]
        assert not vectors.any()

    estimate = Runner(ScriptedChat([]), HashEmbedder(8), counter=len).estimate(step())
    assert (estimate.calls, estimate.embedded, estimate.ranked, estimate.cached) == (5, 4, 2, 0)
    assert estimate.prompt_tokens == 5 * (len("When was 1") + 4)
    assert estimate.completion_tokens == round(estimate.prompt_tokens / 4)
    assert "5 calls" in str(estimate)
    assert Runner(counter=len).estimate(step()) == estimate, "no model is needed"


def test_g39_an_estimate_agrees_with_the_run() -> None:
    runner = Runner(Clerk(), HashEmbedder())
    estimate = runner.estimate(many(8))
    runner.run(many(8))
    assert (estimate.calls, estimate.prompt_tokens) == (runner.spent.calls, runner.spent.prompt_tokens)


def test_an_estimate_takes_the_size_of_a_reply_from_the_step_where_it_says_one() -> None:
    def step():
        yield from gather([ask(WHEN, event="a", expected=50), ask(WHEN, event="b")])

    estimate = Runner(counter=len).estimate(step(), reply_share=0.5)
    assert estimate.completion_tokens == 50 + round(estimate.prompt_tokens / 2 * 0.5)


def test_an_estimate_knows_what_is_in_the_cache() -> None:
    runner = Runner(Clerk(), HashEmbedder(), cache=ReplyCache())
    runner.run(many(3))
    runner.run(embed(["a"]))
    seen = []

    def step():
        seen.extend((yield from many(5)))
        yield from embed(["a", "b"])

    estimate = runner.estimate(step())
    assert (estimate.calls, estimate.cached, estimate.embedded) == (2, 4, 1)
    assert seen == [0, 1, 2, 0, 0]


def test_an_estimate_says_when_it_needs_a_blank() -> None:
    def check(reply: Year) -> int:
        if not reply.year:
            raise ValueError("there is no year 0")
        return reply.year

    with pytest.raises(ValueError, match=r"prompt 'when' needs blank= for a dry run: there is no year 0"):
        Runner().estimate(ask(WHEN, check=check, event="a"))
    assert Runner().estimate(ask(WHEN, check=check, blank=1, event="a")).calls == 1


@both
def test_foreign_calls_take_the_form_of_the_driver(drive) -> None:
    async def awaited() -> str:
        return "awaited"

    def step():
        return (yield from call(lambda: "sync", awaited, blank="blank"))

    runner = Runner()
    assert drive(runner, step()) == ("sync" if drive is by_run else "awaited")
    assert runner.spent == Spent()
    assert runner.estimate(step()).calls == 0


@both
def test_accounts_add_up_over_runs_until_reset(drive) -> None:
    runner = Runner(ScriptedChat(["Hm.", {"year": 1}, "Hm.", "Hm.", "Hm."]), HashEmbedder(), OverlapReranker(), counter=len)
    drive(runner, year("a"))
    with pytest.raises(ReplyError):
        drive(runner, year("b"))
    drive(runner, rank("q", ["a", "b"]))
    spent = runner.spent
    assert (spent.calls, spent.rejected, spent.failed, spent.ranked) == (5, 4, 1, 2)
    runner.reset()
    assert runner.spent == Spent()


def test_g35_a_runner_can_be_pickled_and_copied() -> None:
    runner = Runner(ScriptedChat([{"year": 1}, {"year": 2}]), HashEmbedder(), cache=ReplyCache(), concurrency=3, max_calls=9)
    runner.run(year("a"))
    for twin in (pickle.loads(pickle.dumps(runner)), copy.deepcopy(runner)):
        assert (twin.concurrency, twin.max_calls, twin.spent) == (3, 9, Spent())
        assert twin.run(year("b")) == 2


def test_limits_must_be_positive() -> None:
    with pytest.raises(ValueError, match="concurrency must be at least 1, not 0"):
        Runner(concurrency=0)
    with pytest.raises(ValueError, match="batch_size must be at least 1"):
        Runner(batch_size=0)


def test_progress_is_off_by_default_and_counts_steps_when_on(capsys) -> None:
    Runner(Clerk()).run(many(5))
    assert capsys.readouterr() == ("", "")
    Runner(Clerk(), progress=True).run(many(5))
    shown = capsys.readouterr()
    assert "5/5" in shown.err
    assert shown.out == ""


async def test_a_cancelled_arun_cancels_its_calls() -> None:
    clerk = Clerk(5.0)
    runner = Runner(clerk, max_calls=40)
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(runner.arun(many(30)), 0.05)
    assert len(asyncio.all_tasks()) == 1
    clerk.seconds = 0.0
    assert await runner.arun(many(40)) == list(range(40)), "calls that were given up use up no cap"


INTERRUPTED = r"""
import os, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from chronotope.models import Reply
from chronotope.prompts import Prompt
from chronotope.steps import Runner, ask, gather
from pydantic import BaseModel
class Year(BaseModel):
    year: int
class Sleepy:
    model_id = "sleepy"
    def chat(self, messages, *, schema=None):
        os.write(1, b"asked\n")
        time.sleep(60)
        return Reply('{"year": 1}')
try:
    Runner(Sleepy(), concurrency=4).run(gather([ask(Prompt("p", "1", "", "$n", Year), n=n) for n in range(9)]))
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def test_ctrl_c_stops_at_once_though_calls_are_under_way() -> None:
    command, pipe = [sys.executable, "-c", INTERRUPTED], subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment()) as process:
        try:
            assert process.stdout is not None
            for _ in range(4):
                assert process.stdout.readline() == "asked\n"
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
            assert (out, err, process.returncode) == ("stopped\n", "", 0)
            assert time.monotonic() - began < 5
        finally:
            process.kill()


def test_nothing_is_left_behind() -> None:
    def left(number: int):
        yield from year(number)
        raise RuntimeError("left")

    with pytest.raises(RuntimeError, match="left"):
        Runner(Clerk(0.001)).run(gather([left(1), left(2)]))
    gc.collect()
    assert not [thread for thread in threading.enumerate() if thread.name == "chronotope-call"]


def test_heavy_libraries_are_not_imported() -> None:
    code = """
import sys
import chronotope.steps, chronotope.cache, chronotope.endpoint, chronotope.testing
heavy = {"openai", "tiktoken", "faiss", "pandas", "tqdm", "json_repair", "httpx", "llama_index", "langchain_core"}
sys.exit(", ".join(sorted(heavy & set(sys.modules))) or 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment())
    assert (done.returncode, done.stderr) == (0, "")


def test_runners_charged_to_one_account_share_its_bill_and_its_cap() -> None:
    account = Runner(max_calls=2)
    prompt = Prompt("year", "1", "", "When was $event?", Year)
    for event in ("Hastings", "Bosworth"):
        Runner(ScriptedChat([{"year": 1066}])).charged_to(account).run(ask(prompt, event=event))
    assert account.spent.calls == 2
    with pytest.raises(BudgetError, match="cap of 2 calls"):
        Runner(ScriptedChat([{"year": 1066}])).charged_to(account).run(ask(prompt, event="Naseby"))
