"""Says an error in one sentence, for programs that print it and stop."""

from __future__ import annotations

import re
import sys
from typing import Final

__all__ = ["CREDENTIALS", "describe_failure"]

_STATUS: Final = {
    401: "the endpoint refused the API key",
    403: "the API key may not use this model or address",
    404: "the endpoint knows no such model, or the address is wrong (most end in /v1)",
    429: "the endpoint's rate limit or quota is used up",
}
_FAULT: Final = 500
CREDENTIALS: Final = re.compile(r"(?<=://)[^/@]*@")


def describe_failure(error: BaseException) -> str:
    """What went wrong, and where to look, in one sentence.

    Args:
        error: anything that a run or an endpoint raised.

    >>> describe_failure(KeyError("year"))
    "KeyError: 'year'"
    """
    openai = sys.modules.get("openai")  # an error of the client exists only where the client was imported
    if openai is None or not isinstance(error, openai.APIError):
        return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    place = CREDENTIALS.sub("", str(getattr(error.request, "url", "the endpoint")))
    if isinstance(error, openai.APITimeoutError):
        return f"no answer came in time from {place}"
    if isinstance(error, openai.APIConnectionError):
        return f"nothing answers at {place}: is the server running, and is the address right?"
    status = getattr(error, "status_code", None)
    told = _STATUS.get(status or 0) or ("the endpoint failed" if (status or 0) >= _FAULT else "the endpoint refused the request")
    return f"{told} (status {status}, {place}): {error.message}"
