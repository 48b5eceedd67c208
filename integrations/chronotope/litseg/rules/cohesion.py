"""Cohesion: how much the stretch before a border and the one after it have in common, in words, in names or in vectors.

Source: Hearst, "TextTiling" (1997), for windows on both sides of a border and for the depth of a valley between them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import log
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from chronotope.lexical import words
from chronotope.models import Vectors

__all__ = ["depth", "names", "similarity", "standard", "terms", "vector_similarity"]

Floats: TypeAlias = npt.NDArray[np.float64]

_PIECE = re.compile(r"\w+(?:['’]\w+)*")
_PLAIN = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*")
_LOWER = re.compile(r"[^\W\d_]{2,}")
_CAPITALISED = re.compile(r"\b[A-ZÀ-ÖØ-ÞΑ-ΩА-Я][^\W\d_]+")
_INSIDE = re.compile(r"(?<=[\w,;][ \n])[A-ZÀ-ÖØ-ÞΑ-ΩА-Я][^\W\d_]+")
_FARTHEST = 2.5  # standard deviations at which one sign stops growing, so that it cannot drown the others
_COMMON = 0.25  # words in more of the blocks than this are few, and are counted as the columns of a matrix
_NOTHING = 1e-6


def terms(texts: Sequence[str]) -> list[list[str]]:
    """The stemmed words of each text; Chinese as pairs of neighbouring characters.

    >>> terms(["Emma walked.", "She walks. 林黛玉"])
    [['emma', 'walk'], ['she', 'walk', '林黛', '黛玉']]
    """
    pieces = [_PIECE.findall(text) for text in texts]
    known = _stems({piece for row in pieces for piece in row})
    return [[word for piece in row for word in known[piece]] for row in pieces]


def _stems(pieces: set[str]) -> dict[str, list[str]]:
    """The words of each piece as `words` has them; plain ones, nearly all of an English text, straight from its stemmer."""
    import Stemmer

    plain = sorted(filter(_PLAIN.fullmatch, pieces))
    stems = Stemmer.Stemmer("english").stemWords([piece.lower().replace("’", "'") for piece in plain])
    found = {piece: [word] for piece, word in zip(plain, stems, strict=True)}
    found |= {piece: words(piece, asked=True) for piece in pieces if piece not in found}
    return {piece: [word for word in row if len(word) > 1] for piece, row in found.items()}


def names(texts: Sequence[str]) -> list[list[str]]:
    """The names in each text: words with a capital inside sentences, and the same words where they open one.

    >>> names(["When Emma came, Harriet left.", "Harriet smiled. Then she spoke."])
    [['Emma', 'Harriet'], ['Harriet']]
    """
    capitals, plain = Counter[str](), Counter[str]()
    for text in texts:
        capitals.update(_INSIDE.findall(text))
        plain.update(_LOWER.findall(text))
    known = {word for word, count in capitals.items() if count >= plain[word.lower()] and word.istitle()}
    return [[word for word in _CAPITALISED.findall(text) if word in known] for text in texts]


def similarity(rows: Sequence[Sequence[str]], sizes: Sequence[int], *, window: int) -> Floats:
    """For a border before each block, the cosine of what stands before it and after it; 1 where one of them is empty.

    Words count by how rare they are among the blocks. Both windows slide over the text, so the cost is linear whatever their size.

    Args:
        rows: the words of each block.
        sizes: of the blocks.
        window: characters on each side, filled up to the end of a block.
    """
    counts = [Counter(row) for row in rows]
    seen = Counter(word for row in counts for word in row)
    weights = {word: log((len(rows) + 1) / count) ** 2 for word, count in seen.items()}
    common = sorted(word for word, count in seen.items() if count > 1 + _COMMON * len(rows))
    reach = list(_reach(sizes, window))
    products, squares = _by_matrix(counts, common, weights, reach)
    columns = set(common)
    blocks = [_Counted.of(row, seen, weights, columns) for row in counts]
    before, after, product = _Window(), _Window(), 0.0
    left = right = 0
    for border, (first, last) in enumerate(reach):
        if border:
            product -= after.remove(blocks[border - 1], before)
            product += before.add(blocks[border - 1], after)
        for place in range(left, first):
            product -= before.remove(blocks[place], after)
        for place in range(right, last):
            product += after.add(blocks[place], before)
        left, right = first, last
        products[border] += product
        squares[border] += before.square, after.square
    found: Floats = np.ones(len(rows))
    # Sums that rise and fall leave a trace where nothing is left.
    there = squares.min(axis=1) > _NOTHING
    found[there] = products[there] / np.sqrt(squares[there].prod(axis=1))
    return found


def _by_matrix(
    counts: Sequence[Counter[str]], common: Sequence[str], weights: Mapping[str, float], reach: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats]:
    """Products and squares of the windows for words that stand in many blocks: differences of running sums."""
    table = np.array([[row[word] for word in common] for row in counts], dtype=np.float64).reshape(len(counts), len(common))
    sums = np.zeros((len(counts) + 1, len(common)))
    np.cumsum(table, axis=0, out=sums[1:])
    edges = np.array(reach, dtype=np.int64).reshape(-1, 2)
    before, after = sums[:-1] - sums[edges[:, 0]], sums[edges[:, 1]] - sums[:-1]
    scale = np.array([weights[word] for word in common])
    return (before * after) @ scale, np.column_stack([(before * before) @ scale, (after * after) @ scale])


@dataclass(frozen=True, slots=True)
class _Counted:
    """The words of a block that a few others have too, with count and weight, and the square of the vector of its own words."""

    shared: tuple[tuple[str, int, float], ...]
    alone: float

    @classmethod
    def of(cls, row: Counter[str], seen: Counter[str], weights: Mapping[str, float], columns: set[str]) -> _Counted:
        shared = tuple((word, count, weights[word]) for word, count in row.items() if seen[word] > 1 and word not in columns)
        return cls(shared, sum(weights[word] * count * count for word, count in row.items() if seen[word] == 1))


class _Window:
    """Words with their counts, and the square of the length of their weighted vector."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.square = 0.0

    def add(self, block: _Counted, other: _Window) -> float:
        """Take the words of a block in; gives what the product with the other window gains."""
        gained, square, counts, opposite = 0.0, block.alone, self.counts, other.counts
        for word, count, weight in block.shared:
            held = counts.get(word, 0)
            counts[word] = held + count
            square += weight * count * (2 * held + count)
            if word in opposite:
                gained += weight * count * opposite[word]
        self.square += square
        return gained

    def remove(self, block: _Counted, other: _Window) -> float:
        """Let the words of a block go; gives what the product with the other window loses."""
        lost, square, counts, opposite = 0.0, block.alone, self.counts, other.counts
        for word, count, weight in block.shared:
            held = counts[word]
            counts[word] = held - count
            square += weight * count * (2 * held - count)
            if word in opposite:
                lost += weight * count * opposite[word]
        self.square -= square
        return lost


def vector_similarity(vectors: Vectors, sizes: Sequence[int], *, window: int) -> Floats:
    """The same by vectors: the mean of each side, seen from the mean of all blocks, since embedders crowd all texts in one corner.

    Args:
        vectors: one a block, zeros for a block without words.
        sizes: of the blocks.
        window: characters on each side, filled up to the end of a block.
    """
    weights = np.asarray(sizes, dtype=np.float64) * vectors.any(axis=1)
    center = weights @ vectors / max(weights.sum(), 1.0)
    sums = np.zeros((len(vectors) + 1, vectors.shape[1]))
    np.cumsum((vectors - center) * weights[:, None], axis=0, out=sums[1:])
    reach = np.array(list(_reach(sizes, window)), dtype=np.int64).reshape(-1, 2)
    borders = np.arange(len(vectors))
    before, after = sums[borders] - sums[reach[:, 0]], sums[reach[:, 1]] - sums[borders]
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    found: Floats = np.ones(len(vectors))
    np.divide((before * after).sum(axis=1), lengths, out=found, where=lengths > _NOTHING)
    return found


def _reach(sizes: Sequence[int], window: int) -> Iterator[tuple[int, int]]:
    """For each border, the first block of the window before it and the first one behind the window after it."""
    ends = [0, *accumulate(sizes)]
    first = last = 0
    for border in range(len(sizes)):
        while first + 1 < border and ends[border] - ends[first + 1] >= window:
            first += 1
        while last < len(sizes) and (last <= border or ends[last] - ends[border] < window):
            last += 1
        yield first, last


def depth(found: Floats) -> Floats:
    """How deep each border lies below the tops on both sides of it.

    >>> [round(float(d), 1) for d in depth(np.array([1.0, 0.5, 0.2, 0.4]))]
    [0.0, 0.5, 1.0, 0.0]
    """
    return _climb(found) + _climb(found[::-1])[::-1] - 2 * found


def _climb(found: Floats) -> Floats:
    """The top reached from each place by going left as long as it does not go down."""
    tops = found.copy()
    for place, (before, here) in enumerate(pairwise(found.tolist()), 1):
        if before >= here:
            tops[place] = tops[place - 1]
    return tops


def standard(found: Floats) -> Floats:
    """In standard deviations from the mean of the borders inside, bounded; zeros where they are all alike.

    >>> standard(np.array([9.0, 1.0, 1.0, 1.0]))
    array([0., 0., 0., 0.])
    """
    inside = found[1:]
    spread = inside.std() if len(inside) > 1 else 0.0
    if spread < _NOTHING:
        return np.zeros(len(found))
    scaled: Floats = np.clip((found - inside.mean()) / spread, -_FARTHEST, _FARTHEST)
    scaled[0] = 0.0
    return scaled
