"""An embedder at an OpenAI-compatible endpoint."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Final, Literal

import numpy as np

from chronotope.endpoint.base import Endpoint
from chronotope.endpoint.wire import Body, Exchange, adrive, drive
from chronotope.errors import ReplyError, StoreMismatchError
from chronotope.models import EmbedKind, Vectors, sendable
from chronotope.records import content_id
from chronotope.wrapping import unit_rows

__all__ = ["EmbeddingEndpoint"]

_PATH: Final = "/embeddings"


@dataclass
class _Seen:
    """The width of the vectors, once one has come."""

    width: int | None


@dataclass(frozen=True, eq=False, repr=False)
class EmbeddingEndpoint(Endpoint):
    """Embeddings of texts; texts are sent as they are, never as token numbers.

    Args:
        base_url: address of the API, such as `http://localhost:8000/v1`.
        model: name of the model.
        query_prefix: put before every question, such as `query: ` for the E5 family.
        passage_prefix: put before every other text.
        dimensions: shorter vectors, from models that can; None sends no such field.
        batch_size: texts in one call.
        encoding_format: `base64` is several times smaller; `float` is for servers that know nothing else.

    The other arguments and the errors are those of every `Endpoint`.
    """

    query_prefix: str = field(default="", kw_only=True)
    passage_prefix: str = field(default="", kw_only=True)
    dimensions: int | None = field(default=None, kw_only=True)
    batch_size: int = field(default=64, kw_only=True)
    encoding_format: Literal["base64", "float"] = field(default="base64", kw_only=True)
    _seen: _Seen = field(init=False)

    _MODEL_VARIABLE: ClassVar[str] = "CHRONOTOPE_EMBEDDING_MODEL"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {self.batch_size}")
        object.__setattr__(self, "_seen", _Seen(self.dimensions))

    @property
    def model_id(self) -> str:
        """The model, and a hash of whatever else shapes its vectors."""
        shaping = (self.query_prefix, self.passage_prefix, self.dimensions, sorted((self.extra_body or {}).items()))
        return f"{self.model}#{content_id(*shaping)}"

    @property
    def width(self) -> int | None:
        """Components of a vector: `dimensions`, or what the first answer had; None before it."""
        return self._seen.width

    def embed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        """Unit vectors as rows.

        Raises:
            StoreMismatchError: the vectors have another width than those before.
            ReplyError: the answer is no list of vectors, one for each text.
        """
        return drive(self._exchange(texts, kind), partial(self._wire.post, _PATH))

    async def aembed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        """The same, awaited."""
        return await adrive(self._exchange(texts, kind), partial(self._wire.apost, _PATH))

    def _exchange(self, texts: Sequence[str], kind: EmbedKind) -> Exchange[Vectors]:
        prefix = self.query_prefix if kind == "query" else self.passage_prefix
        sent = [sendable(prefix + text) for text in texts]
        rows: list[Vectors] = []
        for place in range(0, len(sent), self.batch_size):
            batch = sent[place : place + self.batch_size]
            rows.append(self._vectors((yield self._body(batch)), len(batch)))
        return np.concatenate(rows) if rows else np.zeros((0, self.width or 0), dtype=np.float32)

    def _body(self, texts: list[str]) -> Body:
        body = {"model": self.model, "input": texts, "encoding_format": self.encoding_format}
        return body | ({} if self.dimensions is None else {"dimensions": self.dimensions}) | dict(self.extra_body or {})

    def _vectors(self, answer: Any, expected: int) -> Vectors:  # noqa: ANN401 - JSON
        """The vectors of an answer in the order of the texts, each of length 1."""
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or len(data) != expected:
            raise ReplyError(self.model, str(answer)[:500], f"the endpoint's answer does not hold {expected} vectors")
        ordered = sorted(data, key=lambda item: item.get("index", 0))
        rows = [_row(item.get("embedding")) for item in ordered]
        for width in {len(row) for row in rows}:
            self._check_width(width)
        return unit_rows(np.stack(rows))

    def _check_width(self, width: int) -> None:
        if self._seen.width is None:
            self._seen.width = width
        if width != self._seen.width:
            raise StoreMismatchError(f"{self!r} gave a vector of width {width}, where {self._seen.width} was expected")


def _row(embedding: str | list[float]) -> Vectors:
    if isinstance(embedding, str):
        return np.frombuffer(b64decode(embedding), dtype="<f4").astype(np.float32)
    return np.asarray(embedding, dtype=np.float32)
