"""What stands behind a request: the conversation of an Ask, the batches of an Embed, and the cache before both."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from chronotope.errors import ChronotopeError, ReplyError, StoreMismatchError
from chronotope.models import ChatModel, Embedder, EmbedKind, Message, Reply, Reranker, sendable
from chronotope.records import Spent, content_id
from chronotope.steps.ledger import Ledger
from chronotope.steps.requests import Ask, Chat, CutReply, Embed, EmbedBatch, Foreign, Gather, Rank
from chronotope.steps.tree import Flow

__all__ = ["Cache", "Desk", "batched", "converse", "kept_value", "kept_vectors", "vector_key"]

R = TypeVar("R")
Vector = npt.NDArray[np.float32]
_REFUSED = "Your last reply was refused: {reason}. Answer the task again, with the corrected JSON and nothing else."


class Cache(Protocol):
    """Keeps accepted replies and vectors by key; `chronotope.cache.ReplyCache` is one."""

    def reply(self, key: str) -> str | None:
        """An accepted reply, None when there is none."""
        ...

    def keep_reply(self, key: str, text: str) -> None:
        """Keep an accepted reply at once."""
        ...

    def vectors(self, keys: Sequence[str]) -> Mapping[str, Vector]:
        """The vectors that are known of these keys."""
        ...

    def keep_vectors(self, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors at once."""
        ...


def converse(ask: Ask[R]) -> Generator[Chat, Reply, tuple[R, str]]:
    """Ask, and answer each refused reply with the reason.

    Returns:
        The result, and the text of the accepted reply.

    Raises:
        CutReply: the reply was cut.
        ReplyError: no attempt was acceptable.
    """
    messages = ask.messages
    for attempt in count(1):
        reply = yield Chat(messages, ask.prompt.schema, again=attempt > 1)
        try:
            return ask.read(reply), reply.text
        except CutReply as cut:
            if reply.truncated or attempt == ask.attempts:
                raise
            reason = cut.problem
        except ValueError as refusal:
            reason = " ".join(str(refusal).split()).rstrip(".") or type(refusal).__name__
            if attempt == ask.attempts:
                raise ReplyError(ask.prompt.name, reply.text, reason) from refusal
        # Only the last reply is shown again: a row of failures costs tokens and teaches the model its own mistakes.
        refused = Message("assistant", reply.text.strip() or "(empty)")
        messages = (*ask.messages, refused, Message("user", _REFUSED.format(reason=reason)))
    raise AssertionError("an endless loop ended")


def kept_value(ask: Ask[R], cache: Cache | None, key: str) -> tuple[R] | None:
    """The result of a reply that is in the cache, if it still passes the check."""
    text = cache.reply(key) if cache is not None else None
    if text is None:
        return None
    try:
        return (ask.read(Reply(text)),)
    except (ValueError, ReplyError):
        return None  # accepted by an older check: ask again


def vector_key(model_id: str, kind: EmbedKind, text: str) -> str:
    """The name under which a vector is kept."""
    return content_id("vector", model_id, kind, text)


def kept_vectors(model_id: str, request: Embed, cache: Cache | None) -> dict[str, Vector]:
    """The vectors that are in the cache, by text."""
    if cache is None:
        return {}
    keys = {vector_key(model_id, request.kind, text): text for text in request.texts}
    return {keys[key]: vector for key, vector in cache.vectors(list(keys)).items()}


def batched(texts: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    """Cut into runs of at most `size`."""
    return (tuple(texts[place : place + size]) for place in range(0, len(texts), size))


@dataclass(frozen=True)
class Desk:
    """Serves requests by calls.

    Args:
        chat: answers an Ask.
        embedder: answers an Embed.
        reranker: answers a Rank.
        cache: looked up before, filled after.
        ledger: told what came from the cache and what was refused.
        batch_size: texts in one call of the embedder.
    """

    chat: ChatModel | None
    embedder: Embedder | None
    reranker: Reranker | None
    cache: Cache | None
    ledger: Ledger
    batch_size: int

    def expand(self, request: Ask[Any] | Embed | Rank | Foreign) -> Flow:
        """The flow of calls that ends in the request's result."""
        if isinstance(request, Foreign):
            return _foreign(request)
        if isinstance(request, Ask):
            return self._asked(request)
        return self._embedded(request) if isinstance(request, Embed) else self._ranked(request)

    def _asked(self, ask: Ask[Any]) -> Flow:
        if self.chat is None:
            raise ChronotopeError(f"prompt {ask.prompt.name!r} needs a chat model, and this Runner has none: Runner(chat=…)")
        key = ask.key(self.chat.model_id) if self.cache is not None else ""
        if kept := kept_value(ask, self.cache, key):
            self.ledger.add(Spent(cached=1))
            return kept[0]
        try:
            value, text = yield from converse(ask)
        except ReplyError as error:
            self.ledger.add(Spent(rejected=1, failed=0 if isinstance(error, CutReply) else 1))
            raise
        if self.cache is not None:
            self.cache.keep_reply(key, text)
        return value

    def _ranked(self, request: Rank) -> Flow:
        if self.reranker is None:
            raise ChronotopeError("this step ranks texts, and this Runner has no reranker: give one as Runner(reranker=…)")
        if not request.texts:
            return []
        sent = Rank(sendable(request.query), tuple(map(sendable, request.texts)))
        scores = [float(score) for score in (yield sent)]
        if len(scores) != len(request.texts):
            raise ReplyError(self.reranker.model_id, str(scores), f"{len(scores)} scores came for {len(request.texts)} texts")
        return scores

    def _embedded(self, request: Embed) -> Flow:
        if self.embedder is None:
            raise ChronotopeError("this step embeds texts, and this Runner has no embedder: give one as Runner(embedder=…)")
        embedder = self.embedder
        known = kept_vectors(embedder.model_id, request, self.cache)
        self.ledger.add(Spent(cached=len(known)))
        missing = [text for text in dict.fromkeys(request.texts) if text not in known and text.strip()]
        flows: tuple[Any, ...] = tuple(self._batch(embedder, batch, request.kind) for batch in batched(missing, self.batch_size))
        for fresh in (yield Gather(flows)):
            known.update(fresh)
        return _matrix(request.texts, known, embedder)

    def _batch(self, embedder: Embedder, texts: tuple[str, ...], kind: EmbedKind) -> Flow:
        vectors = np.asarray((yield EmbedBatch(tuple(map(sendable, texts)), kind)), dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise ReplyError(embedder.model_id, "", f"{len(texts)} texts gave an array of shape {vectors.shape}, or one with gaps")
        if self.cache is not None:
            keys = (vector_key(embedder.model_id, kind, text) for text in texts)
            self.cache.keep_vectors(dict(zip(keys, vectors, strict=True)))
        return dict(zip(texts, vectors, strict=True))


def _foreign(request: Foreign) -> Flow:
    result = yield request
    return result


def _matrix(texts: Sequence[str], known: Mapping[str, Vector], embedder: Embedder) -> npt.NDArray[np.float32]:
    """The vectors as rows; zeros for blank texts.

    Raises:
        StoreMismatchError: two vectors have different widths.
    """
    widths = {len(vector) for vector in known.values()} or {embedder.width or 0}
    if len(widths) > 1:
        told = " and ".join(map(str, sorted(widths)))
        raise StoreMismatchError(f"embedder {embedder.model_id!r} gave vectors of widths {told}; use one model, and another cache")
    rows = np.zeros((len(texts), *widths), dtype=np.float32)
    for place, text in enumerate(texts):
        if text in known:
            rows[place] = known[text]
    return rows
