"""BM25 over words: the leg of a retriever that knows names, numbers and rare words better than a small dense model.

The scores are those of `bm25s` (method `lucene`), so a row without any word of the query scores 0. Words are stemmed by
PyStemmer's English stemmer, which leaves other alphabets alone; Chinese and Japanese text, which has no spaces, is cut into pairs
of neighbouring characters.

Adding or removing rows changes the weight of every word, so the index is built again at the next query, in time linear in the
number of words; many changes in a row cost one build.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from sys import intern
from threading import Lock
from typing import Any, TypeAlias
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

__all__ = ["LexicalIndex", "words"]

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float32]

_SPACELESS = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = rf"[^\W_{_SPACELESS}]+"
_PIECES = re.compile(rf"(?P<run>[{_SPACELESS}]+)|{_WORD}(?:['’]{_WORD})*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def words(text: str, *, asked: bool = False) -> list[str]:
    """The words of a text as BM25 compares them: case, width of characters and English endings removed, numbers kept.

    Args:
        text: any text; what is neither letter nor digit only separates.
        asked: True for a query. A passage also gets the single characters of its Chinese runs, so that a query of one
            character finds them; a query has them only where there is no pair.

    >>> words("Emma's 1,200 ladies didn't dance"), words("林黛玉", asked=True)
    (['emma', '1200', 'ladi', "didn't", 'danc'], ['林黛', '黛玉'])
    """
    import Stemmer  # one stemmer a call: the library's objects may not be shared by threads

    plain = _THOUSANDS.sub("", normalize("NFKC", text).casefold())
    found: list[str] = []
    for piece in _PIECES.finditer(plain):
        if piece["run"]:
            found.extend(_pairs(piece["run"], asked=asked))
        else:
            found.append(piece[0].replace("’", "'"))
    return [intern(str(word)) for word in Stemmer.Stemmer("english").stemWords(found)]


def _pairs(run: str, *, asked: bool) -> Iterator[str]:
    yield from (run[i : i + 2] for i in range(len(run) - 1))
    if not asked or len(run) == 1:
        yield from run


class LexicalIndex:
    """BM25 scores of a query for every row.

    Rows are numbered in the order of adding and keep their number until `keep`. Queries may run in several threads at once;
    changes need the index for themselves.

    Args:
        texts: the text of row 0, of row 1 and so on.
        k1: how soon a repeated word stops counting.
        b: how much long texts are held back, 0 to 1.

    >>> index = LexicalIndex(["Emma rode to Donwell", "Mr. Knightley of Donwell Abbey", ""])
    >>> rows, scores = index.search("the abbey at Donwell", k=5)
    >>> rows
    array([1, 0])
    """

    def __init__(self, texts: Iterable[str] = (), *, k1: float = 1.5, b: float = 0.75) -> None:
        self.k1, self.b = k1, b
        self._lock = Lock()
        self.fit(texts)

    def fit(self, texts: Iterable[str]) -> None:
        """Index these texts instead of what was there."""
        self._words: list[list[str] | None] = [words(text) for text in texts]  # None once removed
        self._built: tuple[Any, Ints] | None = None

    def add(self, texts: Iterable[str]) -> Ints:
        """Append texts.

        Returns:
            Their row numbers.
        """
        first = self.size
        self._words += [words(text) for text in texts]
        self._built = None
        return np.arange(first, self.size)

    def remove(self, rows: int | npt.ArrayLike) -> None:
        """Forget the words of a row, or of several; rows that the index does not hold are passed over."""
        for row in np.atleast_1d(np.asarray(rows, dtype=np.int64)).tolist():
            if 0 <= row < self.size:
                self._words[row] = None
        self._built = None

    def keep(self, rows: npt.ArrayLike) -> None:
        """Keep these rows only and number them anew: `rows[i]` becomes row i. For use after `VectorTable.compact`."""
        self._words = [self._words[row] for row in np.asarray(rows, dtype=np.int64).tolist()]
        self._built = None

    def scores(self, query: str) -> Floats:
        """One score a row, shape (size,), 0 where no word of the query occurs and for removed rows."""
        scores = np.zeros(self.size, np.float32)
        engine, rows = self._engine()
        asked = [engine.vocab_dict[word] for word in words(query, asked=True) if word in engine.vocab_dict] if engine else []
        if asked:
            scores[rows] = engine.get_scores_from_ids(asked)
        return scores

    def search(self, query: str, k: int, mask: npt.NDArray[np.bool_] | None = None) -> tuple[Ints, Floats]:
        """The k best rows that share a word with the query, best first; equal scores come in the order of their rows.

        Args:
            query: any text; blank text finds nothing.
            k: how many at most.
            mask: candidates, shape (size,); None means all.

        Returns:
            Row numbers and their scores.

        Raises:
            ValueError: k is negative, or the mask has another shape.
        """
        if k < 0:
            raise ValueError(f"k counts results, so it cannot be {k}")
        if mask is not None and mask.shape != (self.size,):
            raise ValueError(f"a mask of shape {mask.shape} does not fit an index of {self.size} rows")
        scores = self.scores(query)
        found = np.flatnonzero(scores > 0 if mask is None else (scores > 0) & mask)
        best = found[np.argsort(-scores[found], kind="stable")[:k]]
        return best, scores[best]

    @property
    def size(self) -> int:
        """Number of rows, removed ones included: the length of a mask."""
        return len(self._words)

    def __len__(self) -> int:
        """Number of rows that have not been removed."""
        return sum(own is not None for own in self._words)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None, "_built": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    def _engine(self) -> tuple[Any, Ints]:
        """The bm25s index, None while there is no word at all, and the rows it holds."""
        with self._lock:
            if self._built is None:
                self._built = self._build()
            return self._built

    def _build(self) -> tuple[Any, Ints]:
        from bm25s import BM25

        rows = [row for row, own in enumerate(self._words) if own is not None]
        numbers: dict[str, int] = {}
        documents = [[numbers.setdefault(word, len(numbers)) for word in self._words[row] or ()] for row in rows]
        if not numbers:
            return None, np.array(rows, np.int64)
        engine = BM25(method="lucene", k1=self.k1, b=self.b, backend="numpy")
        engine.index((documents, numbers), create_empty_token=False, show_progress=False)
        return engine, np.array(rows, np.int64)
