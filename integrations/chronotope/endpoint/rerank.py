"""A reranker at an endpoint of the shape that Jina, Cohere, vLLM and Text Embeddings Inference share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

from chronotope.endpoint.base import Endpoint
from chronotope.endpoint.wire import Body, Exchange, adrive, drive
from chronotope.errors import ReplyError
from chronotope.models import sendable
from chronotope.records import content_id

__all__ = ["RerankEndpoint"]

_PATH: Final = "/rerank"


@dataclass(frozen=True, eq=False, repr=False)
class RerankEndpoint(Endpoint):
    """Scores by a cross-encoder, asked at `<base_url>/rerank`.

    Args:
        base_url: address of the API, such as `http://localhost:8000/v1`.
        model: name of the model.

    The other arguments and the errors are those of every `Endpoint`.
    """

    _MODEL_VARIABLE: ClassVar[str] = "CHRONOTOPE_RERANK_MODEL"

    @property
    def model_id(self) -> str:
        """The model, and a hash of the extra fields."""
        return f"{self.model}#{content_id(sorted((self.extra_body or {}).items()))}"

    def rank(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, in the order of the texts.

        Raises:
            ReplyError: the answer does not score every text.
        """
        return drive(self._exchange(query, texts), partial(self._wire.post, _PATH))

    async def arank(self, query: str, texts: Sequence[str]) -> list[float]:
        """The same, awaited."""
        return await adrive(self._exchange(query, texts), partial(self._wire.apost, _PATH))

    def _exchange(self, query: str, texts: Sequence[str]) -> Exchange[list[float]]:
        if not texts:
            return []
        documents = [sendable(text) for text in texts]
        body: Body = {"model": self.model, "query": sendable(query), "documents": documents, "top_n": len(documents)}
        scores = _scores((yield {**body, **(self.extra_body or {})}))
        if scores.keys() != set(range(len(texts))):
            raise ReplyError(self.model, str(scores)[:500], f"the endpoint's answer does not score {len(texts)} texts")
        return [scores[place] for place in range(len(texts))]


def _scores(answer: Any) -> dict[int, float]:  # noqa: ANN401 - JSON
    """Scores by place, from `{"results": [...]}` or a bare list; the score is called `relevance_score` or `score`."""
    results = answer.get("results", answer.get("data")) if isinstance(answer, dict) else answer
    if not isinstance(results, list):
        return {}
    return {item["index"]: float(item.get("relevance_score", item.get("score", "nan"))) for item in results}
