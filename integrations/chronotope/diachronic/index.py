"""Passages with their vectors, words and times, searched together; incremental, deletable, saved as a plain folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from chronotope.lexical import LexicalIndex
from chronotope.models import Vectors
from chronotope.records import Issue, Passage
from chronotope.steps import Step, embed
from chronotope.storage import load_folder, save_folder
from chronotope.temporal.calendar import Grain
from chronotope.temporal.index import IntervalIndex
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.scope import QueryScope
from chronotope.text import is_blank
from chronotope.vectors import VectorTable

__all__ = ["DiachronicIndex", "build_index", "first_of_each"]

KIND = "diachronic"
VERSION = 1
Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class DiachronicIndex:
    """An embedded index over dated passages.

    Searches change nothing and may run in several threads at once; `add`, `remove` and `save` need the index for themselves.

    Args:
        embedder_id: name of the model that its vectors come from; a query must be embedded by the same one.
    """

    def __init__(self, embedder_id: str) -> None:
        self.embedder_id = embedder_id
        self._table: VectorTable | None = None
        self._passages: list[Passage | None] = []
        self._events, self._published = IntervalIndex(), IntervalIndex()
        self._living: Mask = np.zeros(0, np.bool_)
        self._timeless: Mask = np.zeros(0, np.bool_)
        self._undated: Mask = np.zeros(0, np.bool_)
        self._doubled: tuple[Issue, ...] = ()
        self._words: LexicalIndex | None = None  # built by the first search that weighs words

    def __len__(self) -> int:
        """Number of passages that a search can find."""
        return 0 if self._table is None else len(self._table)

    def __contains__(self, passage_id: object) -> bool:
        return self._table is not None and passage_id in self._table

    def __repr__(self) -> str:
        return f"<DiachronicIndex of {len(self)} passages, {self.span or 'undated'}, {self.embedder_id}>"

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages in the order of adding."""
        return tuple(passage for passage in self._passages if passage is not None)

    @property
    def span(self) -> TimeInterval | None:
        """From the first to the last known date of any passage, None when there is none."""
        whole = self._events.span
        return None if whole is None else TimeInterval(whole.start, whole.end, Grain.YEAR)

    @property
    def issues(self) -> tuple[Issue, ...]:
        """What a user of the index should know: ids that came twice, and how many passages have no time at all."""
        undated = int(self.undated.sum())
        if not undated:
            return self._doubled
        return (
            *self._doubled,
            Issue(
                "undated",
                f"{undated} of {len(self)} passages have no time; a time filter leaves them out unless undated= says otherwise",
            ),
        )

    def add(self, passages: Iterable[Passage]) -> Step[int]:
        """Embed and add passages; those whose id is known, and blank ones, are passed over; of two with one id the first stays.

        Returns:
            How many were added. Either all new ones are, or, when an error is raised, none.
        """
        fresh, doubled = first_of_each([p for p in passages if not is_blank(p.text) and p.id not in self])
        if not fresh:
            return 0
        vectors = yield from embed([p.text for p in fresh])
        self.insert(fresh, vectors)
        self._doubled += doubled
        return len(fresh)

    def insert(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        """Add passages whose vectors are known already.

        Args:
            passages: new ones, each id once.
            vectors: shape (len(passages), width), unit length.

        Raises:
            StoreMismatchError: vectors of another width.
        """
        table = self._table if self._table is not None else VectorTable(vectors.shape[1], self.embedder_id)
        rows = table.add([p.id for p in passages], vectors)
        self._table = table
        self._enter(rows, passages)

    def _enter(self, rows: Rows, passages: Sequence[Passage]) -> None:
        for row, passage in zip(rows.tolist(), passages, strict=True):
            self._events.add(row, passage.told_times)
            self._published.add(row, (passage.published,) if passage.published else ())
        self._passages.extend(passages)
        self._living = np.append(self._living, np.ones(len(passages), np.bool_))
        self._timeless = np.append(self._timeless, [p.static for p in passages])
        self._undated = np.append(self._undated, [p.is_undated for p in passages])
        if self._words is not None:
            self._words.add(p.text for p in passages)

    def remove(self, ids: Iterable[str]) -> int:
        """Take passages out, with their vectors, words and times; unknown ids are passed over. Returns how many there were."""
        if self._table is None:
            return 0
        rows = self._table.remove(ids)
        for row in rows.tolist():
            self._passages[row] = None
        self._events.remove(rows)
        self._published.remove(rows)
        self._living[rows] = False
        if self._words is not None:
            self._words.remove(rows)
        return int(rows.size)

    def remove_source(self, source_id: str) -> int:
        """Take out every passage of a document. Returns how many there were."""
        return self.remove([p.id for p in self.passages if p.source_id == source_id])

    def passage(self, row: int) -> Passage:
        """The passage of a row number that a search gave.

        Raises:
            IndexError: the row was removed or never there.
        """
        found = self._passages[row]
        if found is None:
            raise IndexError(f"row {row} was removed")
        return found

    def in_scope(self, asked: QueryScope) -> Mask:
        """One entry a row: True where its times overlap the asked ones; facts outside time hold at every time."""
        size = len(self._passages)
        inside = np.ones(size, np.bool_)
        if asked.times:
            inside &= self._events.mask(asked.times, size) | self._timeless
        if asked.published_times:
            inside &= self._published.mask(asked.published_times, size)
        return inside & self._living

    @property
    def living(self) -> Mask:
        """One entry a row: False where a passage was removed."""
        return self._living.copy()

    @property
    def undated(self) -> Mask:
        """One entry a row: True where nothing tells when."""
        return self._living & self._undated

    def similarities(self, vector: npt.NDArray[np.float32], rows: Rows) -> Vectors:
        """Inner products of a query vector with these rows, which must ascend; in the given order."""
        scores = np.zeros(len(rows), np.float32)
        if self._table is not None and len(rows):
            found, similar = self._table.search(vector, len(rows), rows=rows)
            scores[np.searchsorted(rows, found)] = similar
        return scores

    def word_scores(self, text: str, rows: Rows) -> Vectors:
        """BM25 scores of these rows, in the given order."""
        if self._words is None:
            words = LexicalIndex([p.text if p else "" for p in self._passages])
            words.remove(np.flatnonzero(~self._living))  # an empty text would still weigh in the statistics
            self._words = words
        return self._words.scores(text)[rows]

    def overlap(self, periods: Sequence[TimeInterval], rows: Rows) -> Mask:
        """Which of these rows lie in which period, shape (len(rows), len(periods))."""
        size = len(self._passages)
        columns = [self._events.mask([period], size)[rows] for period in periods]
        return np.stack(columns, axis=1) if columns else np.zeros((len(rows), 0), np.bool_)

    def save(self, folder: str | Path) -> None:
        """Write everything to a folder, atomically; an older save there is replaced.

        Raises:
            StoreError: the folder holds something else.
        """
        table = self._table
        header = {"embedder_id": self.embedder_id, "width": table.width if table else None}
        arrays = {"vectors": table.blocks()} if table else {}
        save_folder(folder, kind=KIND, version=VERSION, header=header, items=(p.to_json() for p in self.passages), arrays=arrays)

    @classmethod
    def load(cls, folder: str | Path, *, embedder_id: str | None = None) -> DiachronicIndex:
        """Read a folder that `save` wrote.

        Args:
            folder: the folder.
            embedder_id: the model that will embed the questions; None takes the one that the index names.

        Raises:
            StoreError: the folder is absent, incomplete or damaged.
            StoreVersionError: it was written by a newer version.
            StoreMismatchError: it is of another kind, or was made with another embedder.
        """
        saved = load_folder(folder, kind=KIND, version=VERSION, embedder_id=embedder_id)
        index = cls(str(saved.header["embedder_id"]))
        passages = [Passage.from_json(item) for item in saved.items]
        if passages:
            index._table = VectorTable.from_matrix([p.id for p in passages], saved.arrays["vectors"], index.embedder_id)
            index._enter(np.arange(len(passages)), passages)
        return index


def first_of_each(passages: Iterable[Passage]) -> tuple[tuple[Passage, ...], tuple[Issue, ...]]:
    """The first passage of every id, and an issue for every later one whose text differs and is lost.

    >>> kept, issues = first_of_each([Passage("one", "a"), Passage("two", "a"), Passage("one", "a")])
    >>> [p.text for p in kept], [(issue.kind, issue.source_id) for issue in issues]
    (['one'], [('duplicate_id', 'a')])
    """
    kept: dict[str, Passage] = {}
    issues = []
    for passage in passages:
        if kept.setdefault(passage.id, passage).text != passage.text:
            told = f"another passage of the same batch has the id {passage.id!r} and a different text; only the first was added"
            issues.append(Issue("duplicate_id", told, passage.id))
    return tuple(kept.values()), tuple(issues)


def build_index(passages: Iterable[Passage], *, embedder_id: str) -> Step[DiachronicIndex]:
    """Embed passages into a new index.

    Args:
        passages: dated or not; blank ones are passed over.
        embedder_id: `model_id` of the embedder that the runner uses.
    """
    index = DiachronicIndex(embedder_id)
    yield from index.add(passages)
    return index
