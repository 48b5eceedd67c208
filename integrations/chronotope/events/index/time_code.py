"""Codes of time for vector search: the nearer two moments, the larger the inner product of their codes, over the whole corpus.

A code is a set of cosines and sines of the moment. Where some wave goes through more than half a turn within the corpus, the
inner product rises again with distance and 1500 may look like 1900. Here wave k goes through k half turns over the span, and its
share of the whole is the k-th of Vietoris' coefficients divided by k. The slope of the inner product is then one of Vietoris' sine
sums, which are positive inside the half turn for any number of waves: the inner product falls from the first tick to the last, and
more steeply near 0 than any single wave would let it.

A stretch of time is coded as the mean of the codes of its moments, so that an inner product with it is the mean over it. A fact
outside time is coded as the whole span: its similarity to a question is the one expected of a dated event, neither more nor less.
Means are shorter than codes of moments; one more component, which questions do not share, makes all codes equally long, so that a
cosine over joined vectors does not favour them either.

Source: DyG-RAG, equations 2, 7 and 8; L. Vietoris, "Über das Vorzeichen gewisser trigonometrischer Summen" (1958).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from chronotope.temporal.interval import Interval

__all__ = ["TimeCode", "join"]

Vectors: TypeAlias = npt.NDArray[np.float32]
Floats: TypeAlias = npt.NDArray[np.float64]
_SMALLEST = 4  # one wave, and the two components that even out lengths
_CHUNK = 16_384  # stretches coded together


class TimeCode:
    """The code of times within one span.

    Args:
        span: from the first to the last moment of the corpus, closed on both sides. What lies outside counts as the nearer end of
            it, and open sides are cut at it.
        dims: width of a code, at least 4; (dims - 2) / 2 waves at most. A point in time is told apart from its surroundings
            at about the length of the span divided by the number of waves.
        grain: ticks of the finest precision in the corpus; no wave is shorter than that, and components left over are 0.

    Raises:
        ValueError: the span is open or empty, or an option is out of its range.

    >>> code = TimeCode(Interval(1500, 2000), grain=1)
    >>> bool(code.similarity(1) > code.similarity(100) > code.similarity(400))
    True
    """

    def __init__(self, span: Interval, *, dims: int = 64, grain: int = 86_400) -> None:
        if span.start is None or span.end is None or span.is_empty:
            raise ValueError(f"a code of time needs a span with two ends and something between them, not {span}")
        if dims < _SMALLEST:
            raise ValueError(f"dims must be at least {_SMALLEST}, not {dims}")
        if grain < 1:
            raise ValueError(f"grain counts ticks, at least 1, not {grain}")
        self.span, self.dims = span, dims
        self._start, self._length = span.start, span.end - span.start
        waves = min((dims - 2) // 2, max(1, self._length // grain))
        self._turns = np.arange(1, waves + 1)
        shares = _vietoris(waves) / self._turns
        self._shares = shares / shares.sum()

    def encode(self, events: Sequence[Sequence[Interval]]) -> Vectors:
        """Codes of events, one row of length 1 for each.

        Args:
            events: the times of each event; the mean over several. No times stand for a fact outside time.
        """
        waves, every = self._means([times or (self.span,) for times in map(_told, events)]), np.zeros((len(events), self.dims))
        every[:, : waves.shape[1]] = waves
        every[:, -2] = np.sqrt(np.maximum(0, 1 - (waves**2).sum(axis=1)))
        return every.astype(np.float32)

    def question(self, times: Iterable[Interval]) -> Vectors:
        """The code of the times that a question asks for, of length 1; without any, one that is equally near to every event."""
        asked = _told(times)
        code = np.zeros(self.dims)
        if asked:
            waves = self._means([asked])[0]
            code[: waves.size] = waves
        code[-1] = np.sqrt(max(0.0, 1 - float(code @ code)))
        return code.astype(np.float32)

    def similarity(self, distance: npt.ArrayLike) -> Floats:
        """Inner product of the codes of two moments that lie so many ticks apart, 0 to the length of the span."""
        turns = np.multiply.outer(np.asarray(distance) / self._length, self._turns)
        return np.asarray(np.cos(np.pi * turns) @ self._shares)

    def _means(self, events: Sequence[Sequence[Interval]]) -> Floats:
        """The mean over the stretches of each event, in closed form, shape (events, 2 · waves)."""
        counts = np.array([len(times) for times in events], np.int64)
        sides = np.array([self._sides(time) for times in events for time in times]).reshape(-1, 2)
        codes = np.zeros((len(events), 2 * self._turns.size))
        owner = np.repeat(np.arange(counts.size), counts)
        for first in range(0, owner.size, _CHUNK):
            part = slice(first, first + _CHUNK)
            np.add.at(codes, owner[part], self._stretches(*sides[part].T))
        return codes / counts[:, None]

    def _stretches(self, start: Floats, end: Floats) -> Floats:
        """The mean of each wave over each stretch; sides are shares of the span."""
        middle = np.pi * np.multiply.outer((start + end) / 2, self._turns)
        damped = np.sqrt(self._shares) * np.sinc(np.multiply.outer((end - start) / 2, self._turns))
        return np.concatenate([damped * np.cos(middle), damped * np.sin(middle)], axis=1)

    def _sides(self, time: Interval) -> tuple[float, float]:
        start = 0 if time.start is None else time.start - self._start
        end = self._length if time.end is None else time.end - self._start
        return min(max(start, 0), self._length) / self._length, min(max(end, 0), self._length) / self._length


def join(text: npt.ArrayLike, time: npt.ArrayLike, *, weight: float = 1.0) -> Vectors:
    """Vectors of text and codes of time side by side, text scaled to length 1 first.

    With events joined at weight 1 and a question at weight λ, an inner product is the cosine of the texts plus λ times the
    similarity of the times.

    Args:
        text: embeddings, one vector or one a row.
        time: codes of as many events, or of the question.
        weight: λ, at least 0.

    Raises:
        ValueError: the weight is negative, or the numbers of rows differ.

    Source: DyG-RAG, equations 2 and 8.
    """
    if not weight >= 0:
        raise ValueError(f"the weight of time must be 0 or more, not {weight}")
    words, when = np.asarray(text, np.float32), np.asarray(time, np.float32)
    if words.shape[:-1] != when.shape[:-1]:
        raise ValueError(f"texts of shape {words.shape} and codes of shape {when.shape} are not of the same events")
    length = np.linalg.norm(words, axis=-1, keepdims=True)
    return np.concatenate([words / np.where(length > 0, length, 1), weight * when], axis=-1, dtype=np.float32)


def _told(times: Iterable[Interval]) -> tuple[Interval, ...]:
    return tuple(time for time in times if not time.is_empty)


def _vietoris(waves: int) -> Floats:
    """1, 1/2, 1/2, 3/8, 3/8, …: the largest falling coefficients for which every sine sum is positive inside the half turn."""
    halves = np.arange(1, waves // 2 + 1)
    binomials = np.concatenate([np.ones(1), np.cumprod((2 * halves - 1) / (2 * halves))])
    return np.asarray(np.repeat(binomials, 2)[1 : waves + 1])
