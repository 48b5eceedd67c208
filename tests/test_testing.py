"""The shipped test doubles."""

from __future__ import annotations

import asyncio
import pickle

import numpy as np
import pytest
from pydantic import BaseModel

from chronotope.cache import ReplyCache
from chronotope.models import ChatModel, Embedder, Message, Reply, Reranker
from chronotope.prompts import Prompt
from chronotope.steps import ask, embed, rank
from chronotope.testing import HashEmbedder, OverlapReranker, ScriptedChat, play


class Year(BaseModel):
    year: int


WHEN = Prompt("when", "1", "", "When was $event?", Year)


def test_the_doubles_fit_the_protocols() -> None:
    assert isinstance(ScriptedChat([]), ChatModel)
    assert isinstance(HashEmbedder(), Embedder)
    assert isinstance(OverlapReranker(), Reranker)


def test_a_script_may_hold_texts_values_replies_and_errors() -> None:
    chat = ScriptedChat(["text", {"a": "é"}, [1], Reply("r", truncated=True), ConnectionError("gone")])
    ask_ = [Message("user", "?")]
    assert [chat.chat(ask_).text for _ in range(3)] == ["text", '{"a": "é"}', "[1]"]
    assert asyncio.run(chat.achat(ask_, schema={"type": "object"})).truncated
    with pytest.raises(ConnectionError, match="gone"):
        chat.chat(ask_)
    with pytest.raises(LookupError, match=r"the script has no reply to call 6: '\?'"):
        chat.chat(ask_)
    assert [exchange.reply is None for exchange in chat.calls] == [False, False, False, False, True]
    assert chat.calls[3].schema == {"type": "object"}


def test_a_script_may_be_a_function() -> None:
    chat = ScriptedChat(lambda messages: messages[-1].content.upper())
    assert chat.chat([Message("user", "why")]).text == "WHY"
    assert chat.unused == 0


def test_hash_vectors_are_the_same_on_every_machine() -> None:
    first, _, blank = HashEmbedder(16).embed(["The old king", "the KING, old", "…"])
    assert first.dtype == np.float32
    assert np.isclose(np.linalg.norm(first), 1)
    assert not blank.any()
    assert np.isclose(first @ HashEmbedder(16).embed(["king the old"])[0], 1)
    assert HashEmbedder(16).model_id == "hash-16"
    assert HashEmbedder().embed(["\udc97 x"]).shape == (1, 64)


def test_play_tells_what_was_asked_and_spent() -> None:
    def step():
        answer = yield from ask(WHEN, event="it")
        vectors = yield from embed([str(answer.year)])
        scores = yield from rank("old king", ["the old king"])
        return answer.year, vectors.shape, scores

    played = play(step(), [{"year": 1660}])
    assert played.result == (1660, (1, 64), [1.0])
    assert played.exchange[0].messages == (Message("user", "When was it?"),)
    assert (played.spent.calls, played.spent.embedded, played.spent.ranked) == (1, 1, 1)


def test_play_takes_other_models_and_a_cache() -> None:
    cache = ReplyCache()
    assert play(embed(["a"]), embedder=HashEmbedder(8), cache=cache).result.shape == (1, 8)
    assert play(embed(["a"]), embedder=HashEmbedder(8), cache=cache).spent.cached == 1


def test_play_minds_replies_that_nobody_asked_for() -> None:
    with pytest.raises(ValueError, match="2 of the scripted replies were not asked for"):
        play(ask(WHEN, event="it"), [{"year": 1}, "x", "y"])


async def test_play_works_inside_a_loop() -> None:
    assert play(ask(WHEN, event="it"), [{"year": 1}]).result.year == 1


def test_doubles_are_picklable() -> None:
    chat = pickle.loads(pickle.dumps(ScriptedChat([{"year": 1}])))
    assert play(ask(WHEN, event="it"), lambda messages: chat.chat(messages)).result.year == 1
