"""Drives steps: by threads in `run`, by tasks of the caller's loop in `arun`. Everything else is shared by both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from chronotope.models import ChatModel, Embedder, Reranker
from chronotope.records import Spent
from chronotope.steps.crew import Crew, Troop
from chronotope.steps.estimates import DryDesk, Estimate, dry_run
from chronotope.steps.flows import Cache, Desk
from chronotope.steps.ledger import Ledger
from chronotope.steps.requests import Call, Chat, EmbedBatch, Foreign, Step
from chronotope.steps.session import Command, Done, Pause, session
from chronotope.steps.tree import Job
from chronotope.tokens import TokenCounter, count_tokens

__all__ = ["Runner"]

T = TypeVar("T")
Model = TypeVar("Model")


@dataclass(frozen=True, eq=False)
class Runner:
    """Runs steps on models; one runner may serve many runs, also side by side.

    Args:
        chat: answers questions; steps that ask none need none.
        embedder: makes vectors.
        reranker: scores texts.
        cache: a `ReplyCache`, so that nothing accepted is asked or embedded twice; None asks everything.
        concurrency: calls under way at once, for each run.
        max_calls: chat calls allowed until `reset`; the call that would exceed it is not made.
        max_tokens: tokens sent and received allowed until `reset`. Replies under way may exceed it, since their length is unknown.
        progress: show a bar on standard error that counts gathered steps.
        batch_size: texts in one call of the embedder.
        counter: tokens of a text, for estimates and for endpoints that do not say.

    >>> from chronotope.testing import HashEmbedder
    >>> from chronotope.steps import embed
    >>> Runner(embedder=HashEmbedder(8)).run(embed(["once", "upon", "a time"])).shape
    (3, 8)
    """

    chat: ChatModel | None = None
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    cache: Cache | None = field(default=None, kw_only=True)
    concurrency: int = field(default=16, kw_only=True)
    max_calls: int | None = field(default=None, kw_only=True)
    max_tokens: int | None = field(default=None, kw_only=True)
    progress: bool = field(default=False, kw_only=True)
    batch_size: int = field(default=64, kw_only=True)
    counter: TokenCounter = field(default=count_tokens, kw_only=True)
    _ledger: Ledger = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("concurrency", "batch_size"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        object.__setattr__(self, "_ledger", Ledger(self.counter, self.max_calls, self.max_tokens))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_ledger"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    @property
    def spent(self) -> Spent:
        """What all runs since the last `reset` cost."""
        return self._ledger.spent

    def reset(self) -> None:
        """Set `spent` to zero, and with it the caps."""
        self._ledger.reset()

    def charged_to(self, account: Runner) -> Runner:
        """The same models, with their cost on the account of another runner and under its caps."""
        twin = replace(self, max_calls=account.max_calls, max_tokens=account.max_tokens)
        object.__setattr__(twin, "_ledger", account._ledger)
        return twin

    def run(self, step: Step[T]) -> T:
        """Run a step and give its result; calls are made by threads, so it works in a notebook or inside a running loop.

        Args:
            step: a fresh step; it is used up.

        Raises:
            BudgetError: a cap is reached; calls under way are finished and kept first.
            ReplyError: no reply was acceptable, and the step did not catch it.
        """
        with Crew(self._perform, self.concurrency) as crew, closing(self._session(step)) as play:
            done: Done | None = None
            while True:
                try:
                    command = play.send(done)
                except StopIteration as end:
                    result: T = end.value
                    return result
                done = crew.next_done() if command is Pause.WAIT else None
                if isinstance(command, Job):
                    crew.start(command)

    async def arun(self, step: Step[T]) -> T:
        """The same, awaited: calls are tasks of the running loop, and nothing is kept for another loop.

        Args:
            step: a fresh step; it is used up.

        Raises:
            BudgetError: a cap is reached; calls under way are finished and kept first.
            ReplyError: no reply was acceptable, and the step did not catch it.
        """
        async with Troop(self._aperform, self.concurrency) as troop:
            with closing(self._session(step)) as play:
                done: Done | None = None
                while True:
                    try:
                        command = play.send(done)
                    except StopIteration as end:
                        result: T = end.value
                        return result
                    done = await troop.next_done() if command is Pause.WAIT else None
                    if isinstance(command, Job):
                        troop.start(command)
                    elif command is Pause.BREATHE:
                        await asyncio.sleep(0)

    def estimate(self, step: Step[Any], *, reply_share: float = 0.25) -> Estimate:
        """What a step would cost, found by running it with blank replies and no call at all; it needs no model.

        Args:
            step: a fresh step, used up by this; every Ask gets its `blank`, every text a zero vector.
            reply_share: tokens received for each token sent, where the step does not say how long its replies are.

        Raises:
            ValueError: a check refuses the empty reply, and the step gives no `blank`.
        """
        chat_id = self.chat.model_id if self.chat is not None else None
        embedder_id, width = (self.embedder.model_id, self.embedder.width or 1) if self.embedder is not None else (None, 1)
        return dry_run(step, DryDesk(chat_id, embedder_id, width, self.cache, self.counter, reply_share))

    def _session(self, step: Step[T]) -> Generator[Command, Done | None, T]:
        if not isinstance(step, Generator):
            raise TypeError(f"run takes a step, such as ask(…) or a call of a generator function, not {type(step).__name__}")
        desk = Desk(self.chat, self.embedder, self.reranker, self.cache, self._ledger, self.batch_size)
        with progress_bar(shown=self.progress) as count:
            result = yield from session(step, desk, self.concurrency, count)
        return result

    def _perform(self, call: Call) -> object:
        if isinstance(call, Chat):
            return _given(self.chat).chat(call.messages, schema=call.schema)
        if isinstance(call, Foreign):
            return call.sync()
        if isinstance(call, EmbedBatch):
            return _given(self.embedder).embed(call.texts, kind=call.kind)
        return _given(self.reranker).rank(call.query, call.texts)

    async def _aperform(self, call: Call) -> object:
        if isinstance(call, Chat):
            return await _given(self.chat).achat(call.messages, schema=call.schema)
        if isinstance(call, Foreign):
            return await call.awaited()
        if isinstance(call, EmbedBatch):
            return await _given(self.embedder).aembed(call.texts, kind=call.kind)
        return await _given(self.reranker).arank(call.query, call.texts)


def _given(model: Model | None) -> Model:
    """The model; the desk has refused the request before if there is none."""
    if model is None:
        raise TypeError("a call was due for a model that is not there")
    return model


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[Callable[[int, int], object]]:
    """A bar of gathered steps on standard error, and what counts them: how many were added, how many finished."""
    if not shown:
        yield lambda _added, _finished: None
        return
    from tqdm import tqdm  # only who wants a bar pays for it

    with tqdm(total=0, unit="step") as bar:

        def count(added: int, finished: int) -> None:
            bar.total = (bar.total or 0) + added
            bar.update(finished)

        yield count
