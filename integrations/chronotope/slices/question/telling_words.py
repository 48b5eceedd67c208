"""Rows by the words they have, whole or by their first letters: an inverted index that is made in one pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from chronotope.lexical import words
from chronotope.slices.graph.arrays import Groups, Ints

__all__ = ["RowsOfWords", "WordRows"]

_STEM = 4  # letters by which two forms of one word are known: burnt and burned, marriage and married
_NO_ROWS: Ints = np.empty(0, np.int64)


@dataclass(frozen=True)
class RowsOfWords:
    """Which rows have a word.

    Args:
        numbers: the number of each word.
        stems: the numbers of the words that begin with the same letters.
        groups: rows by the number of a word.
    """

    numbers: dict[str, int]
    stems: dict[str, Ints]
    groups: Groups

    def rows(self, word: str) -> Ints:
        """The rows that have just this word."""
        number = self.numbers.get(word)
        return _NO_ROWS if number is None else self.groups.of_number(number)

    def rows_alike(self, word: str) -> Ints:
        """The rows that have a word which begins like this one; some may come twice. Short and Chinese words are like no other."""
        numbers = self.stems.get(word[:_STEM]) if _is_long(word) else None
        return _NO_ROWS if numbers is None else self.groups.rows[self.groups.places_of(numbers)]


class WordRows:
    """Takes the words of one row after the other.

    >>> told = WordRows()
    >>> for text in ("the temple burnt", "the burning hall"):
    ...     told.add(text)
    >>> found = told.done()
    >>> found.rows("burnt").tolist(), found.rows_alike("burnt").tolist()
    ([0], [0, 1])
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._held: list[int] = []
        self._counts: list[int] = []
        self._chunks: dict[str, list[int]] = {}

    def add(self, text: str, more: Iterable[str] = ()) -> None:
        """The next row: the words of a text, and some that are words already.

        What stands between two blanks is taken apart once only, however often it comes.
        """
        before = len(self._held)
        for chunk in text.split():
            own = self._chunks.get(chunk)
            if own is None:
                own = self._chunks[chunk] = [self._number(word) for word in words(chunk, asked=True)]
            self._held += own
        self._held += [self._number(word) for word in more]
        self._counts.append(len(self._held) - before)

    def _number(self, word: str) -> int:
        return self._numbers.setdefault(word, len(self._numbers))

    def done(self) -> RowsOfWords:
        """All rows by their words."""
        size = max(1, len(self._counts))
        rows = np.repeat(np.arange(len(self._counts), dtype=np.int64), self._counts)
        pairs = np.sort(np.array(self._held, np.int64) * size + rows)
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # each word of a row once
        bounds = np.searchsorted(pairs, np.arange(len(self._numbers) + 1, dtype=np.int64) * size)
        stems: dict[str, list[int]] = defaultdict(list)
        for word, number in self._numbers.items():
            if _is_long(word):
                stems[word[:_STEM]].append(number)
        groups = Groups(bounds.astype(np.int64), pairs % size)
        return RowsOfWords(self._numbers, {stem: np.array(numbers, np.int64) for stem, numbers in stems.items()}, groups)


def _is_long(word: str) -> bool:
    return word.isascii() and len(word) >= _STEM
