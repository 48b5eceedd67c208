"""The account of a runner: what was spent, what is under way, and where the cap is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from chronotope.errors import BudgetError
from chronotope.models import Message, Reply
from chronotope.records import Spent
from chronotope.steps.requests import Call, Chat, EmbedBatch, Rank
from chronotope.steps.tree import Outcome

__all__ = ["Ledger", "prompt_tokens"]

_TURN_TOKENS = 4
_KEPT = "replies accepted so far are in the cache, if the runner has one"


def prompt_tokens(messages: tuple[Message, ...], count: Callable[[str], int]) -> int:
    """Tokens of a conversation by our own count, with the few that mark each turn."""
    return sum(count(turn.content) + _TURN_TOKENS for turn in messages)


@dataclass
class Ledger:
    """Counts calls; safe from several threads.

    Args:
        count: tokens of a text, where the endpoint does not say.
        max_calls: chat calls allowed in all; None for no cap.
        max_tokens: tokens sent and received allowed in all; None for no cap.
    """

    count: Callable[[str], int]
    max_calls: int | None = None
    max_tokens: int | None = None
    _spent: Spent = field(default=Spent(), init=False)
    _open: dict[int, int] = field(default_factory=dict, init=False)
    _unanswered: int = field(default=0, init=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    @property
    def spent(self) -> Spent:
        """The sum so far."""
        return self._spent

    def reset(self) -> None:
        """Start again at zero."""
        with self._lock:
            self._spent, self._unanswered = Spent(), 0

    def add(self, spent: Spent) -> None:
        """Count something."""
        with self._lock:
            self._spent += spent

    def open(self, call: Call) -> None:
        """Reserve a call that is about to be made.

        Raises:
            BudgetError: the call would exceed a cap.
        """
        if not isinstance(call, Chat):
            return
        tokens = prompt_tokens(call.messages, self.count) if self.max_tokens is not None else 0
        with self._lock:
            made = self._spent.calls + self._unanswered + len(self._open)
            if self.max_calls is not None and made >= self.max_calls:
                raise BudgetError(f"the cap of {self.max_calls} calls is reached; {_KEPT}")
            used = self._spent.prompt_tokens + self._spent.completion_tokens + sum(self._open.values())
            if self.max_tokens is not None and used + tokens > self.max_tokens:
                raise BudgetError(f"{tokens} more tokens would exceed the cap of {self.max_tokens}, {used} of them used; {_KEPT}")
            self._open[id(call)] = tokens

    def drop(self, call: Call) -> None:
        """Forget a call that was given up before its answer."""
        with self._lock:
            self._open.pop(id(call), None)

    def close(self, call: Call, outcome: Outcome) -> None:
        """Count a call that was answered, or failed."""
        if outcome.error is not None:
            spent = Spent(failed=1)
        elif isinstance(call, Chat):
            spent = self._answered(call, outcome.value)
        elif isinstance(call, EmbedBatch):
            spent = Spent(embedded=len(call.texts))
        else:
            spent = Spent(ranked=len(call.texts)) if isinstance(call, Rank) else Spent()
        with self._lock:
            self._open.pop(id(call), None)
            self._unanswered += outcome.error is not None and isinstance(call, Chat)
            self._spent += spent

    def _answered(self, call: Chat, reply: Reply) -> Spent:
        sent, received = reply.prompt_tokens, reply.completion_tokens
        return Spent(
            calls=1,
            prompt_tokens=prompt_tokens(call.messages, self.count) if sent is None else sent,
            completion_tokens=self.count(reply.text) if received is None else received,
            rejected=int(call.again),
        )
