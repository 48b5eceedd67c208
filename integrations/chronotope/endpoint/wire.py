"""The connection that all endpoints share: clients, retries, and the pause that every worker keeps after a 429."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from chronotope.endpoint.lanes import Lanes
from chronotope.endpoint.retries import Gate, Retries, is_rate_limit

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI, OpenAI

__all__ = ["Body", "Exchange", "Wire", "adrive", "drive"]

T = TypeVar("T")
Body: TypeAlias = Mapping[str, Any]
Exchange: TypeAlias = Generator[Body, Any, T]
CONNECT_SECONDS: Final = 10.0


@dataclass(eq=False)
class Wire:
    """Posts JSON with the openai client; threads share some clients, and each event loop has its own.

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
        self._lanes = Lanes(self._client)
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
                with self._slots, self._lanes.client() as client:
                    return client.post(path, body=body, cast_to=object)
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
                    with local.lanes.client() as client:
                        return await client.post(path, body=body, cast_to=object)
            except APIError as error:
                await asyncio.sleep(self._pause(retries, _as_it_was(error)))

    def close(self) -> None:
        """Close the connections of the threads; those of an event loop close with it."""
        for client in self._lanes.drain():
            client.close()

    def _pause(self, retries: Retries, error: APIError) -> float:
        """Seconds to sleep before the next attempt; a rate limit holds up everybody. Raises the error when it is final."""
        seconds = retries.next_pause(error)
        if seconds is None:
            error.add_note(f"while posting to {self.base_url}")
            raise error
        if is_rate_limit(error):
            self._gate.close_for(seconds)
            return 0.0
        return seconds

    def _client(self) -> OpenAI:
        from openai import OpenAI

        return OpenAI(**self._options())

    def _async_client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        return AsyncOpenAI(**self._options(), http_client=_aiohttp_client())

    def _options(self) -> dict[str, Any]:
        from openai import Timeout

        timeout = Timeout(self.timeout, connect=min(self.timeout, CONNECT_SECONDS))
        access = {"base_url": self.base_url, "api_key": self.api_key or "none", "default_headers": dict(self.headers)}
        return {**access, "timeout": timeout, "max_retries": 0}  # retried here, where all workers learn of a rate limit

    async def _local(self) -> _Local:
        """What belongs to the running loop; a client used in another loop fails at every second call."""
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            for ended in [known for known in self._loops if known.is_closed()]:
                self._loops.pop(ended, None)
            lanes = Lanes(self._async_client)
            self._loops[loop] = _Local(lanes, asyncio.Semaphore(self.concurrency), _until_the_loop_ends(lanes))
            await anext(self._loops[loop].keeper)
        return self._loops[loop]


def _as_it_was(error: APIError) -> APIError:
    """The error itself, or a failed connection where the transport over aiohttp tells one as a time-out."""
    from openai import APIConnectionError, APITimeoutError

    if not isinstance(error, APITimeoutError):
        return error
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and not isinstance(cause, TimeoutError):
            refused = APIConnectionError(request=error.request)
            refused.__cause__ = error
            return refused
        cause = cause.__cause__ or cause.__context__
    return error


def _aiohttp_client() -> Any:  # noqa: ANN401 - httpx.AsyncClient or httpx2.AsyncClient, as the version of openai has it
    """The client over aiohttp, if openai knows it and aiohttp is there: half the processor time of a call. Else None."""
    import openai

    make = getattr(openai, "DefaultAioHttpClient", None)
    try:
        return make() if make is not None else None
    except RuntimeError:  # how openai says that its extra `aiohttp` is absent
        return None


@dataclass(frozen=True)
class _Local:
    """The clients and the slots of one event loop."""

    lanes: Lanes[AsyncOpenAI]
    slots: asyncio.Semaphore
    keeper: AsyncGenerator[None, None]


async def _until_the_loop_ends(lanes: Lanes[AsyncOpenAI]) -> AsyncGenerator[None, None]:
    """Closes the clients when their loop shuts its asynchronous generators down, as `asyncio.run` does at its end."""
    try:
        yield
    finally:
        for client in lanes.drain():
            await client.close()


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
