"""Those who make the calls of one run: threads, or tasks of an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, suppress
from contextvars import Context, copy_context
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, Final

from chronotope.steps.requests import Call
from chronotope.steps.session import Done
from chronotope.steps.tree import Job, Outcome

__all__ = ["Crew", "Troop"]

_LONGEST_WAIT: Final = 0.5  # seconds; a Ctrl-C in the instant before a wait is noticed only when the wait ends


class Crew(AbstractContextManager["Crew"]):
    """Starts calls on threads of its own, as many as are under way at once, and gives their outcomes as they come.

    The threads are daemons: after Ctrl-C neither the caller nor the interpreter waits for a slow endpoint.

    Args:
        perform: makes a call and gives its result.
        size: calls under way at once; others wait their turn.
    """

    def __init__(self, perform: Callable[[Call], Any], size: int) -> None:
        self._perform, self._size = perform, size
        self._due: SimpleQueue[tuple[Context, Job] | None] = SimpleQueue()
        self._done: SimpleQueue[Done] = SimpleQueue()
        self._threads: list[Thread] = []
        self._under_way = 0
        self._over = False

    def start(self, job: Job) -> None:
        """Make a call on a thread, with the caller's context variables."""
        self._under_way += 1
        if len(self._threads) < min(self._under_way, self._size):
            self._threads.append(Thread(target=self._work, name="chronotope-call", daemon=True))
            self._threads[-1].start()
        self._due.put((copy_context(), job))

    def next_done(self) -> Done:
        """Wait for a call to end."""
        while True:
            with suppress(Empty):
                done = self._done.get(timeout=_LONGEST_WAIT)
                self._under_way -= 1
                return done

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._over = True
        for _ in self._threads:
            self._due.put(None)
        if not self._under_way:
            for thread in self._threads:
                thread.join()

    def _work(self) -> None:
        while (due := self._due.get()) is not None and not self._over:
            context, job = due
            outcome = Outcome()
            try:
                with outcome:
                    outcome.value = context.run(self._perform, job.call)
            finally:
                self._done.put((job, outcome))


class Troop(AbstractAsyncContextManager["Troop"]):
    """Starts calls as tasks of the running loop and gives their outcomes as they come; leaving it cancels what is under way.

    Args:
        perform: makes a call and gives its result.
        size: calls under way at once; others wait their turn.
    """

    def __init__(self, perform: Callable[[Call], Awaitable[Any]], size: int) -> None:
        self._perform, self._slots = perform, asyncio.Semaphore(size)
        self._done: asyncio.Queue[Done] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, job: Job) -> None:
        """Make a call as a task; it inherits the caller's context variables."""
        task = asyncio.get_running_loop().create_task(self._work(job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def next_done(self) -> Done:
        """Wait for a call to end."""
        return await self._done.get()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _work(self, job: Job) -> None:
        outcome = Outcome()
        try:
            async with self._slots:
                with outcome:
                    outcome.value = await self._perform(job.call)
        finally:
            self._done.put_nowait((job, outcome))
