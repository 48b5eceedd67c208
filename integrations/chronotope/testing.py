"""Test doubles for models, and a way to drive a step by hand. Nothing here calls anyone."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from chronotope.models import Embedder, EmbedKind, Message, Reply, Reranker, Schema, Vectors
from chronotope.records import Spent
from chronotope.steps import Cache, Runner, Step
from chronotope.wrapping import unit_rows

__all__ = ["Exchange", "HashEmbedder", "OverlapReranker", "Played", "ScriptedChat", "play"]

T = TypeVar("T")
Scripted: TypeAlias = str | Mapping[str, Any] | list[Any] | Reply | BaseException
Script: TypeAlias = Iterable[Scripted] | Callable[[Sequence[Message]], Scripted]


@dataclass(frozen=True)
class Exchange:
    """One call of a chat model and what came back; `reply` is None when an error was raised."""

    messages: tuple[Message, ...]
    schema: Schema | None
    reply: Reply | None


class ScriptedChat:
    """A chat model that says what it was told to say.

    Args:
        script: replies in the order of the calls, or a function from messages to a reply. A reply is a text, a value to be
            written as JSON, a `Reply`, or an exception to be raised.
        model_id: the name in cache keys.

    Attributes:
        calls: every exchange so far.

    >>> chat = ScriptedChat(["Yes.", {"year": 1689}])
    >>> chat.chat([Message("user", "Ready?")]).text, chat.chat([Message("user", "When?")]).text
    ('Yes.', '{"year": 1689}')
    >>> len(chat.calls), chat.unused
    (2, 0)
    """

    def __init__(self, script: Script, *, model_id: str = "scripted") -> None:
        self._function = script if callable(script) else None
        self._left: deque[Scripted] = deque(() if callable(script) else script)
        self.model_id = model_id
        self.calls: list[Exchange] = []

    @property
    def unused(self) -> int:
        """How many replies are left."""
        return len(self._left)

    def chat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        """The next reply; raises LookupError when the script is over."""
        said = self._function(messages) if self._function is not None else self._next(messages)
        reply = None if isinstance(said, BaseException) else _as_reply(said)
        self.calls.append(Exchange(tuple(messages), schema, reply))
        if isinstance(said, BaseException):
            raise said
        return _as_reply(said)

    async def achat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        """The same, awaited."""
        return self.chat(messages, schema=schema)

    def _next(self, messages: Sequence[Message]) -> Scripted:
        if not self._left:
            raise LookupError(f"the script has no reply to call {len(self.calls) + 1}: {messages[-1].content!r}")
        return self._left.popleft()


class HashEmbedder:
    """An embedder without a model: texts that share words have similar vectors. For tests only.

    Args:
        width: components of a vector.

    >>> old, same, other = HashEmbedder().embed(["The old king", "the OLD king!", "a train"])
    >>> bool((old == same).all()), bool(old @ other < 0.5)
    (True, True)
    """

    def __init__(self, width: int = 64) -> None:
        self.width = width

    @property
    def model_id(self) -> str:
        """Names the width."""
        return f"hash-{self.width}"

    def embed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:  # noqa: ARG002 - the protocol's
        """Unit vectors of hashed words; zeros for a text without words."""
        rows = np.zeros((len(texts), self.width), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _words(text):
                digest = int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
                row[digest % self.width] += 1.0 if digest >> 63 else -1.0
        return unit_rows(rows)

    async def aembed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        """The same, awaited."""
        return self.embed(texts, kind=kind)


class OverlapReranker:
    """A reranker without a model: the share of the query's words that a text has. For tests only.

    >>> OverlapReranker().rank("old king", ["the old king", "an old house", "a train"])
    [1.0, 0.5, 0.0]
    """

    model_id = "overlap"

    def rank(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score from 0 to 1 a text."""
        asked = set(_words(query))
        return [len(asked & set(_words(text))) / max(1, len(asked)) for text in texts]

    async def arank(self, query: str, texts: Sequence[str]) -> list[float]:
        """The same, awaited."""
        return self.rank(query, texts)


@dataclass(frozen=True)
class Played(Generic[T]):
    """What a played step did.

    Args:
        result: what the step returned.
        exchange: the calls of the chat model, in order.
        spent: the account of the run.
    """

    result: T
    exchange: tuple[Exchange, ...]
    spent: Spent


def play(
    step: Step[T],
    replies: Script = (),
    *,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    cache: Cache | None = None,
) -> Played[T]:
    """Drive a step with scripted replies, one call after the other, depth first.

    Args:
        step: a fresh step.
        replies: what the chat model says, as for `ScriptedChat`.
        embedder: makes vectors; a `HashEmbedder` when None.
        reranker: scores texts; an `OverlapReranker` when None.
        cache: kept replies and vectors; none when None.

    Raises:
        LookupError: the step asked more than the script answers.
        ValueError: the step ended with replies left over.

    >>> from pydantic import BaseModel
    >>> from chronotope.prompts import Prompt
    >>> from chronotope.steps import ask
    >>> class Year(BaseModel):
    ...     year: int
    >>> played = play(ask(Prompt("year", "1", "", "When?", Year)), ["Hm.", {"year": 1689}])
    >>> played.result, len(played.exchange), played.spent.rejected
    (Year(year=1689), 2, 1)
    """
    chat = ScriptedChat(replies)
    runner = Runner(chat, embedder or HashEmbedder(), reranker or OverlapReranker(), cache=cache, concurrency=1)
    result = runner.run(step)
    if chat.unused:
        raise ValueError(f"{chat.unused} of the scripted replies were not asked for")
    return Played(result, tuple(chat.calls), runner.spent)


def _as_reply(said: str | Mapping[str, Any] | list[Any] | Reply) -> Reply:
    if isinstance(said, Reply):
        return said
    return Reply(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
