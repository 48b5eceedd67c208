"""What whoever wraps a foreign model needs: rows of length 1, scores in the order of the texts, an answer in pieces."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from chronotope.models import ChatModel, Message, StreamingChat, Vectors

__all__ = ["apieces_of", "pieces_of", "scores_by_place", "unit_rows"]


def pieces_of(chat: ChatModel, messages: Sequence[Message]) -> Iterator[str]:
    """The answer piece by piece, or in one piece from a model that does not stream."""
    if isinstance(chat, StreamingChat):
        yield from chat.stream(messages)
    else:
        yield chat.chat(messages).text


async def apieces_of(chat: ChatModel, messages: Sequence[Message]) -> AsyncIterator[str]:
    """The same, awaited."""
    if isinstance(chat, StreamingChat):
        async for piece in chat.astream(messages):
            yield piece
    else:
        yield (await chat.achat(messages)).text


def unit_rows(rows: npt.ArrayLike) -> Vectors:
    """Vectors as float32 rows of length 1, as every embedder gives them; a row of zeros stays one.

    >>> unit_rows([[3, 4], [0, 0]]).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    table = np.asarray(rows, dtype=np.float32)
    if table.ndim < 2:  # no rows at all, as a list
        return np.zeros((0, 0), dtype=np.float32)
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    units: Vectors = table / np.maximum(lengths, np.finfo(np.float32).tiny)
    return units


def scores_by_place(ranked: Iterable[tuple[int, float | None]], count: int) -> list[float]:
    """One score a text in the order of the texts, from what a reranker gave back best first.

    Args:
        ranked: place of a text and its score; without a score, the rank counts.
        count: number of texts; those that were not given back come last.

    >>> scores_by_place([(2, 0.9), (0, 0.4)], 3)
    [0.4, -0.6, 0.9]
    """
    told = {place: -float(rank) if score is None else float(score) for rank, (place, score) in enumerate(ranked)}
    lowest = min(told.values(), default=0.0) - 1.0
    return [told.get(place, lowest) for place in range(count)]
