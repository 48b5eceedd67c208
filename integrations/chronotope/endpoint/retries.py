"""When to try again, and how long everybody waits. Pure policy: nothing here sends anything."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from openai import APIError

__all__ = ["Gate", "Retries", "is_rate_limit", "speaks_of_format"]

_SHORTEST_PAUSE: Final = 0.05
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 8.0
_BUSY: Final = 429
_AGAIN: Final = frozenset({408, 409, 425})
_FAULT: Final = 500
_FORMAT_WORDS: Final = ("response_format", "json_schema", "json_object", "schema", "grammar", "guided", "structured output")


@dataclass
class Gate:
    """A door that all workers of an endpoint pass before each call; a rate limit closes it for all of them."""

    _opens: float = field(default=0.0, init=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def close_for(self, seconds: float) -> None:
        """Keep the door shut for so long, or longer if it is shut already."""
        with self._lock:
            self._opens = max(self._opens, time.monotonic() + seconds)

    def wait(self) -> None:
        """Return once the door is open."""
        while (left := self._opens - time.monotonic()) > 0:
            time.sleep(left)

    async def wait_async(self) -> None:
        """The same, awaited."""
        while (left := self._opens - time.monotonic()) > 0:
            await asyncio.sleep(left)


@dataclass
class Retries:
    """The retries of one call.

    A failed connection, a time-out and a fault of the server are tried `max_retries` times more. A rate limit is waited for as
    often as `patience` allows, since it tells when to come back. Anything else is final, such as a refused key.

    Args:
        max_retries: repetitions after faults.
        patience: seconds to wait for rate limits in all.
    """

    max_retries: int
    patience: float
    _faults: int = field(default=0, init=False)
    _limits: int = field(default=0, init=False)

    def next_pause(self, error: APIError) -> float | None:
        """Seconds until the next attempt; None when the error is final."""
        told = retry_after(error)
        if is_rate_limit(error):
            seconds = max(told, _SHORTEST_PAUSE) if told else _backoff(self._limits)
            self._limits += 1
            self.patience -= seconds
            return seconds if self.patience >= 0 else None
        if not _is_fault(error) or self._faults >= self.max_retries:
            return None
        self._faults += 1
        return told if told is not None else _backoff(self._faults - 1)


def is_rate_limit(error: APIError) -> bool:
    """True for a 429 that time heals; an exhausted account is one that it does not."""
    return getattr(error, "status_code", None) == _BUSY and getattr(error, "code", None) != "insufficient_quota"


def speaks_of_format(error: APIError) -> bool:
    """True when the endpoint complains about the reply format that was asked for."""
    told = f"{error.message} {error.body}".lower()
    return any(word in told for word in _FORMAT_WORDS)


def retry_after(error: APIError) -> float | None:
    """Seconds in the answer's `Retry-After`, be it a number or a date; None without one."""
    response = getattr(error, "response", None)
    text = response.headers.get("retry-after", "") if response is not None else ""
    try:
        return max(0.0, float(text))
    except ValueError:
        return _seconds_until(text)


def _seconds_until(text: str) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None


def _is_fault(error: APIError) -> bool:
    """True when the same call may succeed later: no answer came, or the server is at fault, and not because of the format."""
    status: int | None = getattr(error, "status_code", None)
    if status is None:
        return getattr(error, "response", None) is None
    return status in _AGAIN or (status >= _FAULT and not speaks_of_format(error))


def _backoff(attempt: int) -> float:
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**attempt)
