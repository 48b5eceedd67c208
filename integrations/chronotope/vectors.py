"""Exact search by inner product over a table of vectors, over all of its rows or among a subset.

Rows are numbered in the order of adding and keep their number until `compact`, so that other structures (intervals, words) may
point to them; a removed row is never given out again before that. Vectors lie in pages of 32 MB that never move: adding copies
no older vector, and a matrix read from a file, mapped or not, becomes a page as it is.

Scores come from the FAISS kernel behind `IndexFlatIP.compute_distance_subset`, called on our own memory because an `IndexFlatIP`
would hold a second copy. It visits the wanted rows only, so a search costs what reading those rows costs, shared by a few threads
when it is many megabytes. Measured against an `IDSelectorBitmap` and against gathering rows for a matrix product, it was the
fastest at every share from 1 % to 95 % of the rows (docs/performance.md). It gives equal vectors equal scores wherever they lie,
which makes ties stable.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Self, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from chronotope.errors import StoreMismatchError
from chronotope.models import Vectors

__all__ = ["VectorTable"]

Ints: TypeAlias = npt.NDArray[np.int64]
_PAGE_BYTES = 32 * 2**20
_SHARE_BYTES = 64 * 2**20  # what a thread should have to read before it pays to wait for another one


class VectorTable:
    """Vectors under string ids, searched exactly.

    Searches change nothing and may run in several threads at once; `add`, `remove` and `compact` need the table for themselves.

    Args:
        width: number of components of every vector, at least 1.
        embedder_id: name of the model the vectors come from; part of every message about a mismatch.
        threads: how many threads a search that reads many megabytes may use; None means one for each CPU, at most 4.

    >>> table = VectorTable(2, "toy")
    >>> _ = table.add(["east", "north", "up"], [[1, 0], [0, 1], [0.6, 0.8]])
    >>> _ = table.remove(["north"])
    >>> rows, scores = table.search([0, 1], k=2)
    >>> print(table.ids(rows), scores)
    ['up', 'east'] [0.8 0. ]
    """

    def __init__(self, width: int, embedder_id: str, *, threads: int | None = None) -> None:
        if width < 1:
            raise ValueError(f"a vector has at least one component, not {width}")
        self.width, self.embedder_id, self.threads = width, embedder_id, threads
        self._parts: list[Vectors] = []  # the rows, page after page, filled rows only
        self._page: Vectors | None = None  # the memory behind the last part, while it has room
        self._ids: list[str | None] = []  # by row, None once removed
        self._row: dict[str, int] = {}

    @classmethod
    def from_matrix(cls, ids: Sequence[str], matrix: Vectors, embedder_id: str) -> Self:
        """Take over a matrix without copying or reading it, such as one mapped from a file; nobody may write to it afterwards.

        Args:
            ids: one a row, each once.
            matrix: float32, C-contiguous, shape (len(ids), width); finite, which is not checked.
            embedder_id: name of the model the vectors come from.

        Raises:
            ValueError: another dtype, layout or number of rows, or an id twice.
        """
        if matrix.ndim != 2 or matrix.dtype != np.float32 or not matrix.flags.c_contiguous or len(matrix) != len(ids):
            raise ValueError(f"needs a contiguous float32 matrix of {len(ids)} rows, not {matrix.dtype} of shape {matrix.shape}")
        table = cls(matrix.shape[1], embedder_id)
        table._refuse_known(ids)
        table._enter(ids)
        table._parts = [np.asarray(matrix)] if len(matrix) else []
        return table

    def add(self, ids: Sequence[str], matrix: npt.ArrayLike) -> Ints:
        """Append vectors; either all of them or, when an error is raised, none.

        Args:
            ids: one a vector, each new to the table.
            matrix: shape (len(ids), width), copied as float32.

        Returns:
            The row numbers given to the ids, shape (len(ids),).

        Raises:
            StoreMismatchError: vectors of another width.
            ValueError: an id twice, a vector that is not finite, or not one vector an id.
        """
        vectors = self._checked(matrix, ids)
        self._refuse_known(ids)
        first = self.size
        self._append(vectors)
        self._enter(ids)
        return np.arange(first, self.size)

    def remove(self, ids: Iterable[str]) -> Ints:
        """Take vectors out of every later search; ids that the table does not hold are passed over.

        Returns:
            The rows that were removed, ascending. Their memory is freed by `compact`.
        """
        rows = sorted(self._row.pop(name) for name in set(ids) & self._row.keys())
        for row in rows:
            self._ids[row] = None
        return np.array(rows, np.int64)

    def compact(self) -> Ints:
        """Free the memory of removed rows and number the others anew.

        Returns:
            The old number of each row, shape (len(self),): what `IntervalIndex.keep` and `LexicalIndex.keep` need to follow.
        """
        kept = self._living()
        ids = self.ids(kept)
        self._parts, self._page = self.blocks(), None
        self._ids, self._row = [], {}
        self._enter(ids)
        return kept

    def search(self, query: npt.ArrayLike, k: int, *, rows: npt.ArrayLike | None = None) -> tuple[Ints, Vectors]:
        """The k rows with the largest inner product, best first; equal scores come in the order of their rows.

        Args:
            query: shape (width,).
            k: how many at most; fewer come back when there are fewer candidates.
            rows: candidates, as a boolean mask of shape (size,) or as row numbers in any order; None means all. Removed rows
                are no candidates.

        Returns:
            Row numbers and their scores, both of shape (min(k, candidates),).

        Raises:
            StoreMismatchError: a query of another width.
            ValueError: the query is not finite, k is negative, or the candidates lie outside the table.
        """
        if k < 0:
            raise ValueError(f"k counts results, so it cannot be {k}")
        wanted = self._checked([query], ["the query"])[0]
        candidates = self._candidates(rows)
        scores = self._scores(wanted, candidates)
        best = _largest(scores, k)
        return candidates[best], scores[best]

    def reconstruct(self, rows: npt.ArrayLike) -> Vectors:
        """A copy of the vectors in these rows, shape (len(rows), width), in the given order.

        Raises:
            IndexError: a row was removed or lies outside the table.
        """
        wanted = np.asarray(rows, dtype=np.int64)
        self.ids(wanted)
        out = np.empty((wanted.size, self.width), np.float32)
        for first, part in self._placed():
            here = np.flatnonzero((wanted >= first) & (wanted < first + len(part)))
            out[here] = part[wanted[here] - first]
        return out

    def ids(self, rows: npt.ArrayLike) -> list[str]:
        """The ids of these rows, in the given order.

        Raises:
            IndexError: a row was removed or lies outside the table.
        """
        found = []
        for row in np.asarray(rows, dtype=np.int64).tolist():
            name = self._ids[row] if 0 <= row < self.size else None
            if name is None:
                raise IndexError(f"row {row} holds no vector")
            found.append(name)
        return found

    def rows(self, ids: Iterable[str]) -> Ints:
        """The row of each id, in the given order.

        Raises:
            KeyError: an id that the table does not hold.
        """
        return np.array([self._row[name] for name in ids], np.int64)

    def blocks(self) -> list[Vectors]:
        """The vectors in row order without removed ones, as matrices to be written one after the other; views where possible."""
        living = self._living()
        pieces = [(part, living[(living >= first) & (living < first + len(part))] - first) for first, part in self._placed()]
        return [part if len(own) == len(part) else part[own] for part, own in pieces if len(own)]

    @property
    def size(self) -> int:
        """Number of rows, removed ones included: the length of a mask."""
        return len(self._ids)

    def __len__(self) -> int:
        """Number of vectors that a search can find."""
        return len(self._row)

    def __contains__(self, name: object) -> bool:
        return name in self._row

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_page": None}

    def _checked(self, matrix: npt.ArrayLike | Sequence[npt.ArrayLike], names: Sequence[str]) -> Vectors:
        """The matrix as float32 of the right shape, or an error that says what is wrong with it."""
        given: Any = (
            matrix if isinstance(matrix, np.ndarray) and matrix.ndim == 2 else [np.ravel(row) for row in cast("Any", matrix)]
        )
        widths = {given.shape[1]} if isinstance(given, np.ndarray) else {row.size for row in given}
        if len(given) and widths != {self.width}:
            found = " and ".join(str(width) for width in sorted(widths))
            raise StoreMismatchError(f"vectors of {self.embedder_id!r} have width {self.width} in this table, these have {found}")
        if len(given) != len(names):
            raise ValueError(f"{len(names)} ids came with {len(given)} vectors")
        vectors = np.asarray(given, dtype=np.float32).reshape(-1, self.width)
        for start in range(0, len(vectors), 4_096):  # in slices: a bitmap of the whole would be a quarter of the matrix
            finite = np.isfinite(vectors[start : start + 4_096]).all(axis=1)
            if not finite.all():
                raise ValueError(f"the vector of {names[start + int(np.argmin(finite))]!r} has a component that is not finite")
        return vectors

    def _refuse_known(self, ids: Sequence[str]) -> None:
        seen: set[str] = set()
        for name in ids:
            if name in self._row or name in seen:
                raise ValueError(f"id {name!r} is in the table already; remove it first")
            seen.add(name)

    def _enter(self, ids: Iterable[str]) -> None:
        for name in ids:
            self._row[name] = len(self._ids)
            self._ids.append(name)

    def _append(self, vectors: Vectors) -> None:
        done = 0
        while done < len(vectors):
            if self._page is None or len(self._parts[-1]) == len(self._page):
                self._page = np.empty((max(1, _PAGE_BYTES // (4 * self.width)), self.width), np.float32)
                self._parts.append(self._page[:0])
            filled = len(self._parts[-1])
            chunk = vectors[done : done + len(self._page) - filled]
            self._page[filled : filled + len(chunk)] = chunk
            self._parts[-1] = self._page[: filled + len(chunk)]
            done += len(chunk)

    def _placed(self) -> Iterator[tuple[int, Vectors]]:
        """Every part with the number of its first row."""
        first = 0
        for part in self._parts:
            yield first, part
            first += len(part)

    def _living(self) -> Ints:
        if len(self._row) == self.size:
            return np.arange(self.size)
        return np.array(sorted(self._row.values()), np.int64)

    def _candidates(self, rows: npt.ArrayLike | None) -> Ints:
        """Living candidate rows, ascending and each once."""
        if rows is None:
            return self._living()
        given = np.asarray(rows)
        if given.dtype == np.bool_:
            if given.shape != (self.size,):
                raise ValueError(f"a mask of shape {given.shape} does not fit a table of {self.size} rows")
            wanted = np.flatnonzero(given)
        else:
            wanted = given.astype(np.int64, copy=False).reshape(-1)
            if not (wanted[1:] > wanted[:-1]).all():
                wanted = np.unique(wanted)
            if wanted.size and not 0 <= wanted[0] <= wanted[-1] < self.size:
                raise ValueError(f"candidate rows {wanted[0]} to {wanted[-1]} reach outside a table of {self.size} rows")
        if len(self._row) < self.size:
            living = np.zeros(self.size, np.bool_)
            living[self._living()] = True
            wanted = wanted[living[wanted]]
        return wanted

    def _scores(self, query: Vectors, candidates: Ints) -> Vectors:
        scores = np.empty(candidates.size, np.float32)
        query = np.ascontiguousarray(query)
        shares = max(1, min(self.threads or min(4, os.cpu_count() or 1), candidates.size * self.width * 4 // _SHARE_BYTES))
        bounds = np.linspace(0, candidates.size, shares + 1, dtype=np.int64)
        work = [(query, candidates[a:b], scores[a:b]) for a, b in pairwise(bounds)]
        if shares == 1:
            self._score(*work[0])
        else:
            with ThreadPoolExecutor(shares) as pool:
                list(pool.map(self._score, *zip(*work, strict=True)))
        return scores

    def _score(self, query: Vectors, candidates: Ints, out: Vectors) -> None:
        """Write the score of every candidate, ascending rows, to `out`."""
        with _faiss_on_this_thread() as faiss:
            for first, part in self._placed():
                here = slice(*np.searchsorted(candidates, [first, first + len(part)]))
                arrays = (out[here], query, part, candidates[here] - first)  # named, so that the memory outlives its pointers
                faiss.fvec_inner_products_by_idx(*map(faiss.swig_ptr, arrays), self.width, 1, arrays[0].size)


@contextmanager
def _faiss_on_this_thread() -> Iterator[Any]:
    """FAISS, told not to start threads of its own.

    The kernel splits its work by query, so for one query a second thread only waits, up to a time slice when cores are busy. The
    setting belongs to the calling thread and is put back.
    """
    import faiss

    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield faiss
    finally:
        faiss.omp_set_num_threads(threads)


def _largest(scores: Vectors, k: int) -> Ints:
    """Positions of the k largest scores, best first, equal ones in order."""
    if not k:
        return np.zeros(0, np.int64)
    if k < scores.size:
        least = np.partition(scores, scores.size - k)[scores.size - k]
        found = np.flatnonzero(scores >= least)
    else:
        found = np.arange(scores.size)
    return found[np.argsort(-scores[found], kind="stable")[:k]]
