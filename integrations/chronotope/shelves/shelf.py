"""Texts with their vectors and words, by row: what events and their source passages are both searched by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from chronotope.lexical import LexicalIndex
from chronotope.models import Vectors
from chronotope.records import Scalar
from chronotope.vectors import VectorTable

__all__ = ["Mask", "Rows", "Shelf", "Told", "titled"]

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Told(Protocol):
    """What is kept on a shelf: events and passages fit."""

    @property
    def id(self) -> str:
        """A name that no other has."""
        ...

    @property
    def text(self) -> str:
        """What is shown to a reader."""
        ...

    @property
    def source_id(self) -> str:
        """The document."""
        ...

    @property
    def metadata(self) -> Mapping[str, Scalar]:
        """Everything else."""
        ...


Item = TypeVar("Item", bound=Told)


def titled(item: Told, title_key: str = "title") -> str:
    """The text that is embedded and whose words are matched: the title of the source first, white space squeezed.

    Args:
        item: an event or a passage.
        title_key: metadata key of the title.

    >>> from chronotope.records import Passage
    >>> titled(Passage("He rode  to Turin.", metadata={"title": "Ann Lee"}))
    'Ann Lee. He rode to Turin.'
    """
    text = " ".join(item.text.split())
    title = " ".join(str(item.metadata.get(title_key) or "").split())
    return f"{title}. {text}" if title else text


class Shelf(Generic[Item]):
    """Items in rows that keep their number, each with a vector and its words.

    Args:
        embedder_id: the model that the vectors come from.
        title_key: metadata key of a title.
    """

    def __init__(self, embedder_id: str, title_key: str) -> None:
        self._embedder_id, self._title_key = embedder_id, title_key
        self._table: VectorTable | None = None
        self._items: list[Item | None] = []
        self._living: Mask = np.zeros(0, np.bool_)
        self._words: LexicalIndex | None = None  # built by the first search that weighs words

    def __len__(self) -> int:
        return 0 if self._table is None else len(self._table)

    def __contains__(self, name: object) -> bool:
        return self._table is not None and name in self._table

    @property
    def size(self) -> int:
        """Number of rows, removed ones included."""
        return len(self._items)

    @property
    def items(self) -> tuple[Item, ...]:
        """What is there, in the order of adding."""
        return tuple(item for item in self._items if item is not None)

    @property
    def living(self) -> Rows:
        """The rows that were not removed, ascending."""
        return np.flatnonzero(self._living)

    @property
    def table(self) -> VectorTable | None:
        """The vectors; None before the first item."""
        return self._table

    def item(self, row: int) -> Item:
        """What stands in a row.

        Raises:
            IndexError: the row was removed or never there.
        """
        found = self._items[row]
        if found is None:
            raise IndexError(f"row {row} was removed")
        return found

    def rows(self, ids: Iterable[str]) -> Rows:
        """The rows of ids, in the given order.

        Raises:
            KeyError: an id is not there.
        """
        names = list(ids)
        return np.empty(0, np.int64) if self._table is None and not names else self._known().rows(names)

    def get(self, name: str) -> Item | None:
        """The item with this id, None when there is none."""
        return self.item(int(self.rows([name])[0])) if name in self else None

    def vectors(self, ids: Sequence[str]) -> Vectors:
        """The vectors of these ids."""
        return self._known().reconstruct(self.rows(ids)) if ids else np.empty((0, 0), np.float32)

    def add(self, items: Sequence[Item], vectors: Vectors) -> Rows:
        """Append items; all or, when an error is raised, none.

        Raises:
            StoreMismatchError: vectors of another width.
            ValueError: an id that is there, or a vector that is not finite.
        """
        if not items:
            return np.empty(0, np.int64)
        table = self._table if self._table is not None else VectorTable(vectors.shape[1], self._embedder_id)
        rows = table.add([item.id for item in items], vectors)
        self._table = table
        self._items.extend(items)
        self._living = np.append(self._living, np.ones(len(items), np.bool_))
        if self._words is not None:
            self._words.add(self.titled(item) for item in items)
        return rows

    def adopt(self, items: Sequence[Item], matrix: Vectors) -> None:
        """Fill an empty shelf from a saved matrix, which is not copied."""
        self._table = VectorTable.from_matrix([item.id for item in items], matrix, self._embedder_id)
        self._items, self._living = list(items), np.ones(len(items), np.bool_)

    def remove(self, ids: Iterable[str]) -> Rows:
        """Take items out; unknown ids are passed over. Returns the rows that they had."""
        if self._table is None:
            return np.empty(0, np.int64)
        rows = self._table.remove(ids)
        for row in rows.tolist():
            self._items[row] = None
        self._living[rows] = False
        if self._words is not None:
            self._words.remove(rows)
        return rows

    def titled(self, item: Item) -> str:
        """The text of an item as it is embedded."""
        return titled(item, self._title_key)

    def similarities(self, vector: npt.NDArray[np.float32]) -> Vectors:
        """Inner products of a vector with every row, 0 for removed ones."""
        scores, rows = np.zeros(self.size, np.float32), self.living
        if rows.size:
            found, similar = self._known().search(vector, rows.size, rows=rows)
            scores[found] = similar
        return scores

    def word_scores(self, text: str) -> Vectors:
        """BM25 scores of every row, 0 for removed ones."""
        if self._words is None:
            words = LexicalIndex(self.titled(item) if item is not None else "" for item in self._items)
            words.remove([row for row, item in enumerate(self._items) if item is None])
            self._words = words
        return self._words.scores(text)

    def _known(self) -> VectorTable:
        if self._table is None:
            raise KeyError("nothing was added yet")
        return self._table
