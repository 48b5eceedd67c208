"""What chronotope asks of a model: three small protocols. Endpoints, framework objects and test doubles all fit them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

__all__ = [
    "ChatModel",
    "EmbedKind",
    "Embedder",
    "Message",
    "Reply",
    "Reranker",
    "Schema",
    "StreamingChat",
    "Vectors",
    "sendable",
]

Schema: TypeAlias = Mapping[str, Any]
Vectors: TypeAlias = npt.NDArray[np.float32]
EmbedKind: TypeAlias = Literal["passage", "query"]
_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")


def sendable(text: str) -> str:
    r"""The text with U+FFFD for each NUL and lone surrogate, which no request can carry; offsets stay as they are.

    >>> sendable("a\x00b") == "a\ufffdb"
    True
    """
    return text if text.isascii() and "\x00" not in text else _UNSENDABLE.sub("\ufffd", text)


@dataclass(frozen=True)
class Message:
    """One turn of a conversation with a chat model; its content is made `sendable`."""

    role: Literal["system", "user", "assistant"]
    content: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "content", sendable(self.content))


@dataclass(frozen=True)
class Reply:
    """What a chat model answered.

    Args:
        text: the answer as it came.
        truncated: True when the model stopped at its length limit (finish reason `length`).
        prompt_tokens: tokens read, None when the model does not say.
        completion_tokens: tokens written, None when the model does not say.
    """

    text: str
    truncated: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@runtime_checkable
class ChatModel(Protocol):
    """Answers messages, if it can under a JSON schema; both methods may be called from several threads or tasks at once."""

    @property
    def model_id(self) -> str:
        """A name that changes when answers may change; part of every cache key."""
        ...

    def chat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        """Answer, as JSON under `schema` when one is given."""
        ...

    async def achat(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Reply:
        """The same, awaited."""
        ...


@runtime_checkable
class StreamingChat(Protocol):
    """A chat model that can answer piece by piece."""

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """Answer piece by piece."""
        ...

    def astream(self, messages: Sequence[Message]) -> AsyncIterator[str]:
        """The same, awaited."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def model_id(self) -> str:
        """A name saved with every index; an index made with another one is refused."""
        ...

    @property
    def width(self) -> int | None:
        """Number of components of a vector, None when only a call would tell."""
        ...

    def embed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        """Vectors of shape (len(texts), width), float32, each of length 1."""
        ...

    async def aembed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        """The same, awaited."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Scores how well each text answers a query."""

    @property
    def model_id(self) -> str:
        """A name that changes when scores may change."""
        ...

    def rank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One score a text, higher is better, in the order of the texts."""
        ...

    async def arank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """The same, awaited."""
        ...
