"""The connection that all endpoints share: senders, retries, and the pause that every worker keeps after a 429."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from chronotope.endpoint.failures import describe_failure
from chronotope.endpoint.retries import Gate, Retries, is_rate_limit
from chronotope.endpoint.senders import LoopSender, ThreadSender

if TYPE_CHECKING:
    from openai import APIError

__all__ = ["Body", "Exchange", "Wire", "adrive", "drive"]

T = TypeVar("T")
Body: TypeAlias = Mapping[str, Any]
Exchange: TypeAlias = Generator[Body, Any, T]


@dataclass(eq=False)
class Wire:
    """Posts JSON; threads share a sender, and each event loop has its own. Failures are the errors of the openai client.

    Args:
        base_url: address that ends in `/v1` for most servers.
        api_key: sent as a bearer token; None sends a placeholder that local servers ignore.
        timeout: seconds for one answer.
        max_retries: repetitions after a failed connection or a fault of the server.
        patience: seconds that one call waits for rate limits in all.
        concurrency: calls under way at once: in all threads together, and in each event loop.
        headers: sent with every call.
    """

    base_url: str
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 300.0
    max_retries: int = 2
    patience: float = 600.0
    concurrency: int = 64
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._gate = Gate()
        self._slots = BoundedSemaphore(self.concurrency)
        self._sender = ThreadSender(self._headers(), self.timeout, self.concurrency)
        self._loops: dict[asyncio.AbstractEventLoop, _Local] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def post(self, path: str, body: Body) -> Any:  # noqa: ANN401 - JSON
        """Post, and give the JSON of the answer; raises what the openai client raises, once no retry is left."""
        from openai import APIError

        retries = Retries(self.max_retries, self.patience)
        while True:
            self._gate.wait()
            try:
                with self._slots:
                    return self._sender.post(self._url(path), body)
            except APIError as error:
                time.sleep(self._pause(retries, error))

    async def apost(self, path: str, body: Body) -> Any:  # noqa: ANN401 - JSON
        """The same, awaited."""
        from openai import APIError

        retries = Retries(self.max_retries, self.patience)
        local = await self._local()
        while True:
            await self._gate.wait_async()
            try:
                async with local.slots:
                    return await local.sender.post(self._url(path), body)
            except APIError as error:
                await asyncio.sleep(self._pause(retries, error))

    def close(self) -> None:
        """Close the connections of the threads; those of an event loop close with it."""
        self._sender.close()

    def _pause(self, retries: Retries, error: APIError) -> float:
        """Seconds to sleep before the next attempt; a rate limit holds up everybody. Raises the error when it is final."""
        seconds = retries.next_pause(error)
        if seconds is None:
            error.add_note(describe_failure(error))
            raise error
        if is_rate_limit(error):
            self._gate.close_for(seconds)
            return 0.0
        return seconds

    def _url(self, path: str) -> str:
        return self.base_url.rstrip("/") + "/" + path.lstrip("/")

    def _headers(self) -> dict[str, str]:
        key = {"Authorization": f"Bearer {self.api_key or 'none'}"}  # local servers ignore the placeholder
        return {"Content-Type": "application/json", "Accept": "application/json", **key, **self.headers}

    async def _local(self) -> _Local:
        """What belongs to the running loop; a session used in another loop fails."""
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            for ended in [known for known in self._loops if known.is_closed()]:
                self._loops.pop(ended, None)
            sender = LoopSender(self._headers(), self.timeout)
            self._loops[loop] = _Local(sender, asyncio.Semaphore(self.concurrency), _until_the_loop_ends(sender))
            await anext(self._loops[loop].keeper)
        return self._loops[loop]


@dataclass(frozen=True)
class _Local:
    """The sender and the slots of one event loop."""

    sender: LoopSender
    slots: asyncio.Semaphore
    keeper: AsyncGenerator[None, None]


async def _until_the_loop_ends(sender: LoopSender) -> AsyncGenerator[None, None]:
    """Closes the sender when their loop shuts its asynchronous generators down, as `asyncio.run` does at its end."""
    try:
        yield
    finally:
        await sender.close()


def drive(exchange: Exchange[T], post: Callable[[Body], Any]) -> T:
    """Drive an exchange: post what it yields, and send it the answer or throw it the endpoint's refusal."""
    from openai import APIStatusError

    answer, refusal = None, None
    while True:
        try:
            body = exchange.send(answer) if refusal is None else exchange.throw(refusal)
        except StopIteration as end:
            result: T = end.value
            return result
        answer, refusal = None, None
        try:
            answer = post(body)
        except APIStatusError as error:
            refusal = error


async def adrive(exchange: Exchange[T], post: Callable[[Body], Awaitable[Any]]) -> T:
    """The same, awaited."""
    from openai import APIStatusError

    answer, refusal = None, None
    while True:
        try:
            body = exchange.send(answer) if refusal is None else exchange.throw(refusal)
        except StopIteration as end:
            result: T = end.value
            return result
        answer, refusal = None, None
        try:
            answer = await post(body)
        except APIStatusError as error:
            refusal = error
