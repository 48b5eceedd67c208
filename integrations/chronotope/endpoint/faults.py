"""Failures of an exchange as the errors of the openai client, which users of such endpoints already know how to catch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openai import APIConnectionError, APIStatusError

__all__ = ["connection_failed", "refused", "timed_out"]

_SHOWN = 300


def connection_failed(url: str, reason: str) -> APIConnectionError:
    """No connection, or one that broke."""
    from openai import APIConnectionError

    return APIConnectionError(message=reason or "Connection error.", request=_request(url))


def timed_out(url: str) -> APIConnectionError:
    """No answer in time."""
    from openai import APITimeoutError

    return APITimeoutError(request=_request(url))


def refused(url: str, status: int, headers: Mapping[str, str], content: bytes) -> APIStatusError:
    """An answer with an error status, with its headers and its body."""
    import openai

    kinds: dict[int, type[APIStatusError]] = {
        400: openai.BadRequestError,
        401: openai.AuthenticationError,
        403: openai.PermissionDeniedError,
        404: openai.NotFoundError,
        409: openai.ConflictError,
        422: openai.UnprocessableEntityError,
        429: openai.RateLimitError,
    }
    kind = kinds.get(status, openai.InternalServerError if status >= 500 else openai.APIStatusError)
    text = content.decode("utf-8", "replace")
    body = _body(text)
    told = body if body is not None else text[:_SHOWN]
    kept = {name: value for name, value in headers.items() if name.lower() not in ("content-encoding", "content-length")}
    response = _library().Response(status, headers=kept, content=content, request=_request(url))
    return kind(f"Error code: {status} - {told}", response=response, body=body)


def _body(text: str) -> Any:  # noqa: ANN401 - JSON
    """What the endpoint says of the error: the `error` object that the protocol has, or whatever JSON there is."""
    try:
        body = json.loads(text)
    except json.JSONDecodeError:
        return None
    return body.get("error", body) if isinstance(body, dict) else body


def _request(url: str) -> Any:  # noqa: ANN401 - of httpx or httpx2
    """The request as an error names it: without the key, which has no place in a traceback."""
    return _library().Request("POST", url)


def _library() -> Any:  # noqa: ANN401 - a module
    """The HTTP library whose types the installed openai client speaks: httpx up to version 2, httpx2 from version 3."""
    from openai import DefaultHttpxClient

    client = next(kind for kind in DefaultHttpxClient.__mro__ if kind.__name__ == "Client")
    return import_module(client.__module__.partition(".")[0])
