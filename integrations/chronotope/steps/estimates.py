"""The bill beforehand: a run in which no model is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from chronotope.steps.flows import Cache, kept_value, kept_vectors
from chronotope.steps.ledger import prompt_tokens
from chronotope.steps.requests import Ask, Embed, Foreign, Rank, Step
from chronotope.steps.tree import Flow, Tree

__all__ = ["DryDesk", "Estimate", "dry_run"]

T = TypeVar("T")


@dataclass(frozen=True)
class Estimate:
    """What a run would cost if every first reply were accepted.

    Args:
        calls: chat calls.
        prompt_tokens: tokens sent.
        completion_tokens: a guess, since nobody knows before: what the step expects, else a share of the tokens sent.
        embedded: texts to embed.
        ranked: texts to score.
        cached: replies and vectors that are in the cache already, counted nowhere else.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    embedded: int = 0
    ranked: int = 0
    cached: int = 0

    def __str__(self) -> str:
        tokens = f"{self.prompt_tokens} tokens in, about {self.completion_tokens} out"
        return f"{self.calls} calls ({tokens}), {self.embedded} to embed, {self.ranked} to rank, {self.cached} from cache"

    def price(self, prompt: float, completion: float) -> float:
        """Money, from the prices of a million tokens sent and received.

        >>> Estimate(calls=10, prompt_tokens=500_000, completion_tokens=100_000).price(0.2, 0.8)
        0.18
        """
        return (self.prompt_tokens * prompt + self.completion_tokens * completion) / 1_000_000


@dataclass
class DryDesk:
    """Serves requests without calls: a kept reply where there is one, else blanks and zeros."""

    chat_id: str | None
    embedder_id: str | None
    width: int
    cache: Cache | None
    count: Callable[[str], int]
    reply_share: float = 0.25
    sums: Counter[str] = field(default_factory=Counter)
    received: float = 0.0

    def expand(self, request: Ask[Any] | Embed | Rank | Foreign) -> Flow:
        """A flow that ends without a call."""
        yield from ()
        if isinstance(request, Foreign):
            return request.blank
        if isinstance(request, Ask):
            return self._asked(request)
        return self._embedded(request) if isinstance(request, Embed) else self._ranked(request)

    def _asked(self, ask: Ask[Any]) -> object:
        if self.chat_id is not None and (kept := kept_value(ask, self.cache, ask.key(self.chat_id))):
            self.sums["cached"] += 1
            return kept[0]
        sent = prompt_tokens(ask.messages, self.count)
        self.sums["calls"] += 1
        self.sums["prompt_tokens"] += sent
        self.received += ask.expected or sent * self.reply_share
        return ask.blank_value()

    def _embedded(self, request: Embed) -> object:
        known = kept_vectors(self.embedder_id, request, self.cache) if self.embedder_id is not None else {}
        self.sums["cached"] += len(known)
        self.sums["embedded"] += len({text for text in request.texts if text.strip() and text not in known})
        return np.zeros((len(request.texts), self.width), dtype=np.float32)

    def _ranked(self, request: Rank) -> object:
        self.sums["ranked"] += len(request.texts)
        return [0.0] * len(request.texts)


def dry_run(step: Step[T], desk: DryDesk) -> Estimate:
    """Drive a step to its end at a desk that calls nobody; raises what the step raises."""
    tree = Tree(step, desk.expand, lambda _added, _finished: None)
    while not tree.done:
        tree.advance()
    tree.result()
    return Estimate(**desk.sums, completion_tokens=round(desk.received))
