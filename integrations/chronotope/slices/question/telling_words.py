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
    ...     told.add(told.split(text))
    >>> found = told.done()
    >>> found.rows("burnt").tolist(), found.rows_alike("burnt").tolist()
    ([0], [0, 1])
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._held: list[int] = []
        self._counts: list[int] = []
        self._split: dict[str, list[str]] = {}

    def split(self, text: str) -> list[str]:
        """The words of a text; what stands between two blanks is taken apart once only."""
        found: list[str] = []
        for chunk in text.split():
            own = self._split.get(chunk)
            if own is None:
                own = self._split[chunk] = words(chunk, asked=True)
            found += own
        return found

    def add(self, row: Iterable[str]) -> None:
        """The words of the next row."""
        numbers = self._numbers
        before = len(self._held)
        self._held += [numbers.setdefault(word, len(numbers)) for word in row]
        self._counts.append(len(self._held) - before)

    def done(self) -> RowsOfWords:
        """All rows by their words."""
        size = max(1, len(self._counts))
        rows = np.repeat(np.arange(len(self._counts), dtype=np.int64), self._counts)
        pairs = np.unique(np.array(self._held, np.int64) * size + rows)
        groups = Groups.of(pairs // size, pairs % size, len(self._numbers))
        stems: dict[str, list[int]] = defaultdict(list)
        for word, number in self._numbers.items():
            if _is_long(word):
                stems[word[:_STEM]].append(number)
        return RowsOfWords(self._numbers, {stem: np.array(numbers, np.int64) for stem, numbers in stems.items()}, groups)


def _is_long(word: str) -> bool:
    return word.isascii() and len(word) >= _STEM
