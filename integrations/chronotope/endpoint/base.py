"""What the three kinds of endpoint have in common: an address, a model, and how patiently to talk to it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from chronotope.endpoint.failures import CREDENTIALS
from chronotope.endpoint.wire import Wire
from chronotope.errors import ChronotopeError

__all__ = ["Endpoint"]

E = TypeVar("E", bound="Endpoint")
_OPENAI = "https://api.openai.com/v1"
_ADDRESS = re.compile(r"https?://[^/\s]", re.IGNORECASE)


@dataclass(frozen=True, eq=False, repr=False)
class Endpoint:
    """A model at an OpenAI-compatible address.

    Clients are made at the first call and rebuilt after pickling; one endpoint serves any number of threads and event loops.

    Args:
        base_url: address of the API, such as `http://localhost:8000/v1`.
        model: name of the model.
        api_key: None for a server without keys; never shown.
        timeout: seconds for one answer.
        max_retries: repetitions after a failed connection, a time-out or a fault of the server.
        patience: seconds that one call waits for rate limits in all; a 429 holds up all workers, as long as it says.
        concurrency: calls under way at once.
        headers: sent with every call; never shown.
        extra_body: further fields of every request.

    Errors of the openai client pass through once no retry is left: `APIConnectionError` for a server that does not answer,
    `AuthenticationError` for a refused key, `NotFoundError` for a wrong address or model. What `describe_failure` says of them is
    their note, with which a traceback ends.

    Raises:
        ValueError: `base_url` is no address of the web.
    """

    base_url: str
    model: str
    api_key: str | None = field(default=None, kw_only=True)
    timeout: float = field(default=300.0, kw_only=True)
    max_retries: int = field(default=2, kw_only=True)
    patience: float = field(default=600.0, kw_only=True)
    concurrency: int = field(default=64, kw_only=True)
    headers: Mapping[str, str] | None = field(default=None, kw_only=True)
    extra_body: Mapping[str, Any] | None = field(default=None, kw_only=True)
    _wire: Wire = field(init=False)

    _MODEL_VARIABLE: ClassVar[str] = "CHRONOTOPE_MODEL"

    def __post_init__(self) -> None:
        if not isinstance(self.base_url, str) or not _ADDRESS.match(self.base_url):
            shown = CREDENTIALS.sub("", str(self.base_url))
            raise ValueError(f"base_url must begin with http:// or https:// and name a server, not {shown!r}")
        wire = Wire(
            self.base_url, self.api_key, self.timeout, self.max_retries, self.patience, self.concurrency, dict(self.headers or {})
        )
        object.__setattr__(self, "_wire", wire)

    @classmethod
    def from_environment(cls: type[E], **options: Any) -> E:  # noqa: ANN401 - the constructor's
        """Read address, key and model from the environment, now and only now.

        The variables are `OPENAI_BASE_URL` (OpenAI itself when unset), `OPENAI_API_KEY`, and for the model `CHRONOTOPE_MODEL`,
        `CHRONOTOPE_EMBEDDING_MODEL` or `CHRONOTOPE_RERANK_MODEL`, according to the class.

        Args:
            options: further arguments of the class; they win over the environment.

        Raises:
            ChronotopeError: no model is named.
        """
        model = options.pop("model", None) or os.environ.get(cls._MODEL_VARIABLE)
        if not model:
            raise ChronotopeError(f"no model is named: set {cls._MODEL_VARIABLE}, or give model=")
        found = {"base_url": os.environ.get("OPENAI_BASE_URL") or _OPENAI, "api_key": os.environ.get("OPENAI_API_KEY") or None}
        return cls(**{**found, "model": model, **options})

    def close(self) -> None:
        """Close idle connections; the next call opens new ones. Those of an event loop close when it ends."""
        self._wire.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({CREDENTIALS.sub('', self.base_url)!r}, {self.model!r})"
