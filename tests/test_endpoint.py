"""Endpoints against a local server: levels, retries, rate limits, loops, errors."""

from __future__ import annotations

import asyncio
import copy
import gc
import pickle
import subprocess
import sys
import threading
import time
import traceback
from email.utils import formatdate

import numpy as np
import openai
import pytest

from chronotope.endpoint import ChatEndpoint, EmbeddingEndpoint, RerankEndpoint, describe_failure
from chronotope.endpoint.levels import as_strict
from chronotope.errors import ChronotopeError, ReplyError, StoreMismatchError
from chronotope.models import ChatModel, Embedder, Message, Reranker
from support_http import Answer, ModelServer, environment, free_port, level, told

SCHEMA = {"type": "object", "properties": {"year": {"type": "integer"}}}
ASK = [Message("system", "You date."), Message("user", "When?")]
GOOD = '{"year": 1660}'


def by_thread(endpoint: ChatEndpoint, schema=SCHEMA):
    return endpoint.chat(ASK, schema=schema)


def by_loop(endpoint: ChatEndpoint, schema=SCHEMA):
    return asyncio.run(endpoint.achat(ASK, schema=schema))


both = pytest.mark.parametrize("chat", [by_thread, by_loop])


def test_endpoints_fit_the_protocols() -> None:
    assert isinstance(ChatEndpoint("http://x/v1", "m"), ChatModel)
    assert isinstance(EmbeddingEndpoint("http://x/v1", "m"), Embedder)
    assert isinstance(RerankEndpoint("http://x/v1", "m"), Reranker)


@both
def test_the_strictest_level_is_asked_first(chat) -> None:
    with ModelServer(lambda body, number: GOOD) as server:
        reply = chat(ChatEndpoint(server.url, "m", max_tokens=50, extra_body={"top_k": 1}, headers={"X-Team": "history"}))
    assert (reply.text, reply.truncated, reply.prompt_tokens, reply.completion_tokens) == (GOOD, False, 7, 3)
    body = server.bodies[0]
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": as_strict(SCHEMA)},
    }
    assert body["messages"] == [{"role": "system", "content": "You date."}, {"role": "user", "content": "When?"}]
    assert (body["model"], body["temperature"], body["max_tokens"], body["top_k"]) == ("m", 0.0, 50, 1)
    assert server.headers[0]["X-Team"] == "history"


def test_without_a_schema_nothing_is_asked_of_the_form() -> None:
    with ModelServer(lambda body, number: "1660") as server:
        endpoint = ChatEndpoint(server.url, "m", temperature=None)
        assert endpoint.chat(ASK).text == "1660"
        endpoint.close()
    assert set(server.bodies[0]) == {"model", "messages"}


def refuses(*levels: str, status: int = 400, error: str = "response_format of this type is not supported"):
    return lambda body, number: Answer(status=status, error=error) if level(body) in levels else GOOD


@both
@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, "response_format of this type is not supported"),
        (400, "something went wrong"),
        (404, "json_schema is unknown here"),
        (422, "Input should be 'text'"),
        (500, "[{'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}]"),
    ],
)
def test_g26_a_level_that_is_refused_is_left_for_the_next(chat, status, error) -> None:
    with ModelServer(refuses("json_schema", status=status, error=error)) as server:
        endpoint = ChatEndpoint(server.url, "m")
        assert chat(endpoint).text == GOOD
        assert chat(endpoint).text == GOOD
        endpoint.close()
    assert [level(body) for body in server.bodies] == ["json_schema", "json_object", "json_object"], "the level is remembered"
    assert told(server.bodies[1]).startswith("When?\n\nReply with one JSON object that fits this JSON schema")
    assert '"year":{"type":"integer"}' in told(server.bodies[1])


@both
def test_g26_plain_text_is_the_last_level(chat) -> None:
    with ModelServer(refuses("json_schema", "json_object")) as server:
        assert chat(ChatEndpoint(server.url, "m")).text == GOOD
    assert [level(body) for body in server.bodies] == ["json_schema", "json_object", "text"]


@both
def test_g26_a_whitespace_reply_steps_down_too(chat) -> None:
    with ModelServer(lambda body, number: "\r\n \n" if level(body) == "json_schema" else GOOD) as server:
        endpoint = ChatEndpoint(server.url, "m")
        assert [chat(endpoint).text for _ in range(2)] == [GOOD, GOOD]
        endpoint.close()
    assert [level(body) for body in server.bodies] == ["json_schema", "json_object", "json_object"]


def test_g26_a_blank_reply_at_every_level_is_returned_as_it_is() -> None:
    with ModelServer(lambda body, number: None) as server:
        endpoint = ChatEndpoint(server.url, "m")
        assert endpoint.chat(ASK, schema=SCHEMA).text == ""
        endpoint.close()
    assert len(server.bodies) == 3


def test_a_reply_that_is_blank_because_it_was_cut_is_no_reason_to_step_down() -> None:
    with ModelServer(lambda body, number: Answer("", finish="length")) as server:
        endpoint = ChatEndpoint(server.url, "m")
        assert endpoint.chat(ASK, schema=SCHEMA).truncated
        endpoint.close()
    assert len(server.bodies) == 1


def test_a_level_that_has_worked_is_not_left_for_another_complaint() -> None:
    def speak(body, number):
        return GOOD if number == 0 else Answer(status=400, error="maximum context length exceeded")

    with ModelServer(speak) as server:
        endpoint = ChatEndpoint(server.url, "m")
        endpoint.chat(ASK, schema=SCHEMA)
        with pytest.raises(openai.BadRequestError, match="maximum context length"):
            endpoint.chat(ASK, schema=SCHEMA)
        endpoint.close()
    assert len(server.bodies) == 2


@pytest.mark.parametrize(("strictness", "asked"), [("schema", "json_schema"), ("json", "json_object"), ("text", "text")])
def test_a_fixed_strictness_stays(strictness, asked) -> None:
    with ModelServer(refuses(asked)) as server:
        endpoint = ChatEndpoint(server.url, "m", strictness=strictness)
        with pytest.raises(openai.BadRequestError):
            endpoint.chat(ASK, schema=SCHEMA)
        endpoint.close()
    assert [level(body) for body in server.bodies] == [asked]
    with pytest.raises(ValueError, match="strictness is one of auto, schema, json, text"):
        ChatEndpoint("http://x/v1", "m", strictness="strict")


@both
def test_g24_a_finish_reason_of_length_means_cut(chat) -> None:
    with ModelServer(lambda body, number: Answer('{"ye', finish="length", usage=None)) as server:
        reply = chat(ChatEndpoint(server.url, "m"))
    assert (reply.text, reply.truncated, reply.prompt_tokens) == ('{"ye', True, None)


def test_an_answer_that_is_no_completion_is_told() -> None:
    with ModelServer(lambda body, number: GOOD) as server:
        server._server.clear()
        server._server.expect_request("/v1/chat/completions").respond_with_json({"error": {"message": "upstream is down"}})
        endpoint = ChatEndpoint(server.url, "m")
        with pytest.raises(ReplyError, match="the endpoint's answer is no chat completion") as caught:
            endpoint.chat(ASK)
        assert "upstream is down" in caught.value.reply
        endpoint.close()


@both
@pytest.mark.parametrize("header", ["0.3", "date"])
def test_g27_retry_after_is_honoured(chat, header) -> None:
    waited = {"0.3": 0.3, "date": 1.0}[header]

    def speak(body, number):
        value = formatdate(time.time() + 2, usegmt=True) if header == "date" else header
        return Answer(status=429, headers={"Retry-After": value}, error="slow down") if number == 0 else GOOD

    with ModelServer(speak) as server:
        assert chat(ChatEndpoint(server.url, "m")).text == GOOD
    assert server.times[1] - server.times[0] >= waited


def test_g27_a_rate_limit_makes_all_workers_wait() -> None:
    def speak(body, number):
        return Answer(status=429, headers={"Retry-After": "0.5"}) if number == 0 else Answer(GOOD, delay=0.01)

    with ModelServer(speak) as server:
        endpoint = ChatEndpoint(server.url, "m")
        endpoint.chat(ASK)
        first = server.times[0]
        server.times.clear()
        server.bodies.clear()
        threads = [threading.Thread(target=lambda: [endpoint.chat(ASK) for _ in range(20)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        endpoint.close()
    assert first
    limited = server.times[0]
    early = [when for when in server.times if limited + 0.1 < when < limited + 0.5]
    assert not early, "nobody knocks while the door is shut"
    assert len(server.bodies) == 81


def test_g27_a_storm_of_rate_limits_is_survived() -> None:
    def speak(body, number):
        return Answer(status=429, headers={"Retry-After": "0.01"}) if number % 3 == 0 else GOOD

    with ModelServer(speak) as server:
        endpoint = ChatEndpoint(server.url, "m", max_retries=0)
        assert [endpoint.chat(ASK).text for _ in range(20)] == [GOOD] * 20
        endpoint.close()


def test_patience_has_an_end_and_an_empty_account_none() -> None:
    with ModelServer(lambda body, number: Answer(status=429, headers={"Retry-After": "5"})) as server:
        endpoint = ChatEndpoint(server.url, "m", patience=1.0)
        began = time.monotonic()
        with pytest.raises(openai.RateLimitError) as caught:
            endpoint.chat(ASK)
        assert time.monotonic() - began < 2
        assert describe_failure(caught.value).startswith("the endpoint's rate limit or quota is used up (status 429")
        endpoint.close()


@both
def test_faults_of_the_server_are_retried_a_few_times(chat) -> None:
    with ModelServer(lambda body, number: Answer(status=503, error="overloaded") if number < 2 else GOOD) as server:
        assert chat(ChatEndpoint(server.url, "m")).text == GOOD
    with ModelServer(lambda body, number: Answer(status=500, error="broken")) as server:
        with pytest.raises(openai.InternalServerError) as caught:
            chat(ChatEndpoint(server.url, "m", max_retries=1))
        assert describe_failure(caught.value).startswith("the endpoint failed (status 500")
    assert len(server.bodies) == 2


@both
def test_a_wrong_key_is_refused_at_once_and_never_shown(chat) -> None:
    with ModelServer(lambda body, number: GOOD, key="right") as server:
        endpoint = ChatEndpoint(server.url, "m", api_key="hunter2")
        with pytest.raises(openai.AuthenticationError) as caught:
            chat(endpoint)
        assert describe_failure(caught.value).startswith("the endpoint refused the API key (status 401")
        assert caught.value.__notes__ == [describe_failure(caught.value)]
        assert "hunter2" not in repr(endpoint) + str(caught.value) + describe_failure(caught.value)
        assert repr(endpoint) == f"ChatEndpoint({server.url!r}, 'm')"
        assert chat(ChatEndpoint(server.url, "m", api_key="right")).text == GOOD


@both
def test_an_unreachable_endpoint_is_told_with_its_address(chat) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    with pytest.raises(openai.APIConnectionError) as caught:
        chat(ChatEndpoint(url, "m", max_retries=0))
    assert describe_failure(caught.value).startswith(f"nothing answers at {url}/chat/completions")
    assert caught.value.__notes__ == [describe_failure(caught.value)]
    assert "".join(traceback.format_exception(caught.value)).rstrip().endswith(f"{describe_failure(caught.value)}")


@pytest.mark.parametrize("kind", [ChatEndpoint, EmbeddingEndpoint, RerankEndpoint])
@pytest.mark.parametrize("address", ["localhost:9/v1", "", "ftp://host/v1", "http://", "https:///v1", "ada:pass@host", None])
def test_an_address_that_is_none_is_refused_when_the_endpoint_is_made(kind, address) -> None:
    with pytest.raises(ValueError, match="base_url must begin with http:// or https://"):
        kind(address, "m")
    assert kind("HTTPS://host", "m").base_url == "HTTPS://host"


def test_credentials_in_an_address_are_in_no_note() -> None:
    with pytest.raises(openai.APIConnectionError) as caught:
        ChatEndpoint(f"http://ada:hunter2@127.0.0.1:{free_port()}/v1", "m", max_retries=0).chat(ASK)
    (note,) = caught.value.__notes__
    assert note.startswith("nothing answers at http://127.0.0.1:")
    assert "hunter2" not in note


def test_a_slow_answer_runs_out_of_time() -> None:
    with ModelServer(lambda body, number: Answer(GOOD, delay=1.0)) as server:
        endpoint = ChatEndpoint(server.url, "m", timeout=0.2, max_retries=0)
        with pytest.raises(openai.APITimeoutError) as caught:
            endpoint.chat(ASK)
        assert describe_failure(caught.value).startswith("no answer came in time from http")
        endpoint.close()


def test_a_wrong_address_is_told() -> None:
    with ModelServer() as server:
        endpoint = ChatEndpoint(server.url.removesuffix("/v1"), "m")
        with pytest.raises(openai.APIStatusError) as caught:
            endpoint.chat(ASK)
        endpoint.close()
    assert "status" in describe_failure(caught.value)
    assert describe_failure(ChronotopeError("no")) == "ChronotopeError: no"
    assert describe_failure(KeyboardInterrupt()) == "KeyboardInterrupt"


def test_credentials_in_the_address_are_not_shown() -> None:
    assert repr(ChatEndpoint("http://ada:pass@host/v1", "m")) == "ChatEndpoint('http://host/v1', 'm')"


def test_calls_at_once_are_limited_by_the_endpoint_too() -> None:
    with ModelServer(lambda body, number: Answer(GOOD, delay=0.02)) as server:
        endpoint = ChatEndpoint(server.url, "m", concurrency=3)
        threads = [threading.Thread(target=endpoint.chat, args=(ASK,)) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        endpoint.close()

        async def many() -> None:
            await asyncio.gather(*(endpoint.achat(ASK) for _ in range(12)))

        asyncio.run(many())
    assert server.most_under_way == 3


def test_one_endpoint_serves_successive_event_loops() -> None:
    with ModelServer(lambda body, number: GOOD) as server:
        endpoint = ChatEndpoint(server.url, "m", max_retries=0)
        for _ in range(4):
            assert asyncio.run(endpoint.achat(ASK)).text == GOOD
        assert len(endpoint._wire._loops) == 1, "clients of ended loops are dropped"
        gc.collect()


async def test_one_endpoint_serves_threads_while_a_loop_runs() -> None:
    with ModelServer(lambda body, number: GOOD) as server:
        endpoint = ChatEndpoint(server.url, "m")
        replies = await asyncio.gather(endpoint.achat(ASK), asyncio.to_thread(endpoint.chat, ASK))
        endpoint.close()
    assert [reply.text for reply in replies] == [GOOD, GOOD]


LEAKS = """
import asyncio, gc, sys, warnings
warnings.simplefilter("error")
from chronotope.endpoint import ChatEndpoint
from chronotope.models import Message
def work(url):
    endpoint = ChatEndpoint(url, "m")
    ask = [Message("user", "?")]
    async def twice():
        return await asyncio.gather(endpoint.achat(ask), endpoint.achat(ask))
    for _ in range(2):
        asyncio.run(twice())
    endpoint.chat(ask)
work(sys.argv[1])
gc.collect()
"""


def test_nothing_is_left_open() -> None:
    with ModelServer(lambda body, number: GOOD) as server:
        command = [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-c", LEAKS, server.url]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=environment())
    assert "ResourceWarning" not in done.stderr
    assert done.returncode == 0, done.stderr


def test_g35_endpoints_can_be_pickled_and_copied() -> None:
    with ModelServer(refuses("json_schema"), key="k") as server:
        chat = ChatEndpoint(server.url, "m", api_key="k", headers={"A": "b"})
        chat.chat(ASK, schema=SCHEMA)
        for twin in (pickle.loads(pickle.dumps(chat)), copy.deepcopy(chat)):
            server.bodies.clear()
            assert twin.chat(ASK, schema=SCHEMA).text == GOOD
            assert [level(body) for body in server.bodies] == ["json_object"], "what was learnt goes along"
            twin.close()
        embedder = pickle.loads(pickle.dumps(EmbeddingEndpoint(server.url, "m", api_key="k")))
        assert embedder.embed(["a"]).shape == (1, 4)
        embedder.close()
        chat.close()


def test_the_model_id_changes_with_whatever_shapes_the_answer() -> None:
    ids = {
        ChatEndpoint("http://x/v1", "m", **options).model_id
        for options in ({}, {"temperature": 0.5}, {"max_tokens": 5}, {"extra_body": {"top_k": 1}})
    }
    assert len(ids) == 4
    assert ChatEndpoint("http://x/v1", "m", api_key="a").model_id == ChatEndpoint("http://y/v1", "m", timeout=5).model_id
    assert EmbeddingEndpoint("http://x/v1", "m", query_prefix="query: ").model_id != EmbeddingEndpoint("http://x/v1", "m").model_id


@pytest.mark.parametrize("floats", [False, True])
def test_embeddings_are_ordered_units_of_the_texts_themselves(floats) -> None:
    with ModelServer() as server:
        server.float_vectors = floats
        endpoint = EmbeddingEndpoint(server.url, "m", batch_size=2, query_prefix="query: ", dimensions=4)
        vectors = endpoint.embed(["a", "bb", "ccc"])
        question = endpoint.embed(["a\nb\udc97"], kind="query")
        assert np.array_equal(asyncio.run(endpoint.aembed(["a", "bb", "ccc"])), vectors)
        endpoint.close()
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, np.array([1, 2, 3, 4]) / np.sqrt(30))
    assert question.shape == (1, 4)
    inputs = [body["input"] for body in server.bodies]
    assert inputs[:3] == [["a", "bb"], ["ccc"], ["query: a\nb\ufffd"]]
    assert server.bodies[0]["dimensions"] == 4
    assert endpoint.width == 4


def test_g29_a_width_that_changes_is_told_with_both_numbers() -> None:
    with ModelServer(width=4) as server:
        endpoint = EmbeddingEndpoint(server.url, "m")
        assert endpoint.width is None
        assert endpoint.embed([]).shape == (0, 0)
        endpoint.embed(["a"])
        server.width = 6
        with pytest.raises(StoreMismatchError, match="gave a vector of width 6, where 4 was expected"):
            endpoint.embed(["a"])
        endpoint.close()


def test_an_answer_without_vectors_is_told() -> None:
    with ModelServer() as server:
        server._server.clear()
        server._server.expect_request("/v1/embeddings").respond_with_json({"data": []})
        endpoint = EmbeddingEndpoint(server.url, "m")
        with pytest.raises(ReplyError, match="does not hold 1 vectors"):
            endpoint.embed(["a"])
        endpoint.close()


def test_a_reranker_scores_in_the_order_of_the_texts() -> None:
    with ModelServer() as server:
        endpoint = RerankEndpoint(server.url, "m", extra_body={"truncate": True})
        assert endpoint.rank("q\x00", ["aaa", "a", "aa"]) == [0.03, 0.01, 0.02]
        assert asyncio.run(endpoint.arank("q", ["a", "aa"])) == [0.01, 0.02]
        assert endpoint.rank("q", []) == []
        endpoint.close()
    assert server.bodies[0] == {
        "model": "m",
        "query": "q\ufffd",
        "documents": ["aaa", "a", "aa"],
        "top_n": 3,
        "truncate": True,
    }


@pytest.mark.parametrize("answer", [{"results": [{"index": 0, "relevance_score": 1.0}]}, {"detail": "no"}, []])
def test_a_reranker_that_forgets_a_text_is_told(answer) -> None:
    with ModelServer() as server:
        server._server.clear()
        server._server.expect_request("/v1/rerank").respond_with_json(answer)
        endpoint = RerankEndpoint(server.url, "m")
        with pytest.raises(ReplyError, match="does not score 2 texts"):
            endpoint.rank("q", ["a", "b"])
        endpoint.close()


def test_a_bare_list_of_scores_is_understood() -> None:
    with ModelServer() as server:
        server._server.clear()
        server._server.expect_request("/v1/rerank").respond_with_json([{"index": 1, "score": 0.5}, {"index": 0, "score": 0.25}])
        endpoint = RerankEndpoint(server.url, "m")
        assert endpoint.rank("q", ["a", "b"]) == [0.25, 0.5]
        endpoint.close()


def test_the_environment_is_read_only_when_asked(monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://host/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("CHRONOTOPE_MODEL", "qwen")
    monkeypatch.setenv("CHRONOTOPE_EMBEDDING_MODEL", "e5")
    monkeypatch.delenv("CHRONOTOPE_RERANK_MODEL", raising=False)
    assert ChatEndpoint("http://x/v1", "m").api_key is None
    found = ChatEndpoint.from_environment(timeout=5.0)
    assert (repr(found), found.api_key, found.timeout) == ("ChatEndpoint('http://host/v1', 'qwen')", "secret", 5.0)
    assert EmbeddingEndpoint.from_environment().model == "e5"
    with pytest.raises(ChronotopeError, match="no model is named: set CHRONOTOPE_RERANK_MODEL, or give model="):
        RerankEndpoint.from_environment()
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert RerankEndpoint.from_environment(model="m").base_url == "https://api.openai.com/v1"


def test_no_key_of_the_environment_is_sent_unasked(monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    with ModelServer() as server:
        endpoint = ChatEndpoint(server.url, "m")
        endpoint.chat(ASK)
        endpoint.close()
    assert "secret" not in str(server.headers)
