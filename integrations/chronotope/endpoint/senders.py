"""What carries a request: urllib3 for threads, aiohttp for event loops.

The openai client would do, and its errors are ours; but it and httpx take 2.5 to 3 ms of processor time a call, which on one core
holds 16 requests at once below nine tenths of an endpoint's throughput. These two take 0.4 to 1 ms (docs/performance.md).
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from chronotope.endpoint.faults import connection_failed, refused, timed_out

if TYPE_CHECKING:
    import aiohttp
    import urllib3

__all__ = ["LoopSender", "ThreadSender"]

CONNECT_SECONDS: Final = 10.0
_OK: Final = 200
_FAILED: Final = 400


class ThreadSender:
    """Posts from any number of threads, over connections that are kept.

    Args:
        headers: sent with every request.
        timeout: seconds for one answer.
        connections: how many are kept.
    """

    def __init__(self, headers: Mapping[str, str], timeout: float, connections: int) -> None:
        self._headers, self._timeout, self._connections = dict(headers), timeout, connections

    def post(self, url: str, body: object) -> Any:  # noqa: ANN401 - JSON
        """The JSON of the answer.

        Raises:
            openai.APIError: no connection, no answer in time, or an error status.
        """
        from urllib3 import Retry, Timeout
        from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError, ReadTimeoutError

        limits = Timeout(connect=min(self._timeout, CONNECT_SECONDS), read=self._timeout)
        only_redirects = Retry(0, connect=0, read=0, status=0, other=0, redirect=3, raise_on_redirect=False)
        try:
            answer = self._pool(url).request(
                "POST", url, body=encoded(body), headers=self._headers, timeout=limits, retries=only_redirects
            )
        except HTTPError as error:
            cause = getattr(error, "reason", None) or error
            late = isinstance(cause, (ConnectTimeoutError, ReadTimeoutError)) and not isinstance(cause, NewConnectionError)
            raise (timed_out(url) if late else connection_failed(url, str(cause))) from error
        return decoded(url, answer.status, answer.headers, answer.data)

    def close(self) -> None:
        """Close idle connections; the next request opens new ones."""
        pools = self.__dict__.pop("_pools", None)
        for pool in pools or ():
            pool.clear()

    def _pool(self, url: str) -> urllib3.PoolManager:
        proxied, direct = self._pools
        return proxied if proxied is not direct and not proxy_bypass(urlsplit(url).netloc) else direct

    @cached_property
    def _pools(self) -> tuple[urllib3.PoolManager, urllib3.PoolManager]:
        """The way through the proxy that the environment names, and the direct one; one and the same without a proxy."""
        import urllib3

        kept: dict[str, Any] = {"maxsize": self._connections, "ssl_context": trusted()}
        direct = urllib3.PoolManager(**kept)
        proxy = getproxies().get("https") or getproxies().get("http")
        return (urllib3.ProxyManager(proxy, **kept) if proxy else direct), direct


class LoopSender:
    """Posts from the tasks of one event loop, over connections that are kept.

    Args:
        headers: sent with every request.
        timeout: seconds for one answer.
    """

    def __init__(self, headers: Mapping[str, str], timeout: float) -> None:
        self._headers, self._timeout = dict(headers), timeout
        self._session: aiohttp.ClientSession | None = None

    async def post(self, url: str, body: object) -> Any:  # noqa: ANN401 - JSON
        """The JSON of the answer; raises as `ThreadSender.post` does."""
        from aiohttp import ClientError

        try:
            async with self._opened().post(url, data=encoded(body), headers=self._headers) as answer:
                content = await answer.read()
        except TimeoutError as error:
            raise timed_out(url) from error
        except (ClientError, OSError) as error:
            raise connection_failed(url, str(error)) from error
        return decoded(url, answer.status, answer.headers, content)

    async def close(self) -> None:
        """Close all connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            from aiohttp import ClientSession, ClientTimeout, TCPConnector

            # aiohttp looks the proxy up on a thread at every request, so it is told to only where there is one.
            limits = ClientTimeout(total=None, sock_connect=min(self._timeout, CONNECT_SECONDS), sock_read=self._timeout)
            connector = TCPConnector(limit=0, ssl=trusted())
            self._session = ClientSession(timeout=limits, connector=connector, trust_env=bool(getproxies()))
        return self._session


def encoded(body: object) -> bytes:
    """A request's body; lone surrogates, which no server reads, become question marks."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")


def decoded(url: str, status: int, headers: Mapping[str, str], content: bytes) -> Any:  # noqa: ANN401 - JSON
    """The JSON of an answer, or its text where it is none.

    Raises:
        openai.APIStatusError: an error status.
    """
    if status >= _FAILED or status < _OK:
        raise refused(url, status, headers, content)
    try:
        return json.loads(content)
    except ValueError:
        return content.decode("utf-8", "replace")


def trusted() -> ssl.SSLContext:
    """The system's certificates, and those of certifi for machines that have none."""
    context = ssl.create_default_context()
    try:
        import certifi
    except ImportError:
        return context
    context.load_verify_locations(certifi.where())
    return context
