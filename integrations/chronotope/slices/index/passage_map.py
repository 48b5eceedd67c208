"""Where the passages of an index stand: in which chapter, between which others, and what they are called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chronotope.lexical import LexicalIndex
from chronotope.models import Vectors
from chronotope.records import Passage
from chronotope.shelves import Mask, Rows, Shelf
from chronotope.slices.question.chapters import chapter_number
from chronotope.slices.question.folding import folded, is_cjk
from chronotope.text import sentence_spans

__all__ = ["NO_CHAPTER", "PassageMap", "chapter_of"]

NO_CHAPTER = -(2**62)
_PIECE = 300
_KEYS = ("chapter_number", "chapter")


def chapter_of(passage: Passage) -> int | None:
    """The number of the chapter that a passage says it stands in.

    >>> chapter_of(Passage("…", metadata={"chapter": "Chapter IV"})), chapter_of(Passage("…"))
    (4, None)
    """
    told = (chapter_number(passage.metadata[key]) for key in _KEYS if passage.metadata.get(key) not in (None, ""))
    return next((number for number in told if number is not None), None)


@dataclass(frozen=True, eq=False)
class PassageMap:
    """The passages of an index by their rows.

    Args:
        shelf: the passages.
        chapters: chapter of each row, `NO_CHAPTER` where none is known.
        before: row of the passage before it in its source, itself where there is none.
        after: row of the passage after it.
        titles: title of each chapter that has one.
    """

    shelf: Shelf[Passage]
    chapters: Rows
    before: Rows
    after: Rows
    titles: dict[int, str]

    @classmethod
    def of(cls, shelf: Shelf[Passage], title_key: str) -> PassageMap:
        """From the passages of an index."""
        chapters = np.full(shelf.size, NO_CHAPTER, np.int64)
        before, after = np.arange(shelf.size), np.arange(shelf.size)
        sources: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
        titles: dict[int, str] = {}
        for row in shelf.living.tolist():
            passage = shelf.item(row)
            number = chapter_of(passage)
            if number is not None:
                chapters[row] = number
                for key in ("chapter_title", title_key):
                    if passage.metadata.get(key):
                        titles.setdefault(number, str(passage.metadata[key]))
            place = passage.char_start if passage.char_start is not None else row
            sources[passage.source_id, int(chapters[row])].append((place, row))
        for found in sources.values():
            rows = [row for _, row in sorted(found)]
            before[rows[1:]], after[rows[:-1]] = rows[:-1], rows[1:]
        return cls(shelf, chapters, before, after, titles)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The chapters that passages stand in, ascending."""
        return tuple(np.unique(self.chapters[self.chapters != NO_CHAPTER]).tolist())

    def title_scores(self, text: str, chapters: Sequence[int]) -> dict[int, float]:
        """From 0 to 1 for each of some chapters that has a title, by the words that this shares with a text."""
        titled = [number for number in chapters if number in self.titles]
        scores = LexicalIndex(self.titles[number] for number in titled).scores(text)
        best = float(scores.max(initial=0))
        return {number: float(score) / best for number, score in zip(titled, scores, strict=True)} if best > 0 else {}

    def readable(self, reader_at: int | None) -> tuple[Mask, int]:
        """The rows that a reader may see, and how many are left out because nothing tells their chapter.

        A passage without a chapter is seen only where no passage of its source has one: such a source is not told in chapters.
        """
        living = np.zeros(self.shelf.size, np.bool_)
        living[self.shelf.living] = True
        if reader_at is None:
            return living, 0
        unknown = self.chapters == NO_CHAPTER
        numbered = {self.shelf.item(row).source_id for row in np.flatnonzero(living & ~unknown).tolist()}
        loose = [row for row in np.flatnonzero(living & unknown).tolist() if self.shelf.item(row).source_id in numbered]
        seen = living & (self.chapters <= reader_at)
        seen[loose] = False
        return seen, len(loose)

    @cached_property
    def folded(self) -> list[str]:
        """The texts as names are compared."""
        return [folded(self.shelf.item(row).text) if row in self._living else "" for row in range(self.shelf.size)]

    @cached_property
    def _sentences(self) -> tuple[LexicalIndex, Rows]:
        """The words of every few sentences, and the row of the passage that each stands in."""
        told = [(row, piece) for row in self.shelf.living.tolist() for piece in _cut(self.shelf.item(row).text)]
        return LexicalIndex(piece for _, piece in told), np.array([row for row, _ in told], np.int64)

    def sentence_scores(self, text: str) -> Vectors:
        """For each row the BM25 score of its best few sentences, so that a long passage need not say it all over."""
        index, owners = self._sentences
        found = np.zeros(self.shelf.size, np.float32)
        np.maximum.at(found, owners, index.scores(text))
        return found

    @cached_property
    def _living(self) -> frozenset[int]:
        return frozenset(self.shelf.living.tolist())

    def naming(self, names: list[str], rows: Rows) -> Mask:
        """Which of some rows have one of the names in their text."""
        wanted = [plain for name in names if (plain := folded(" ".join(name.split())))]
        return np.array([any(_stands(name, self.folded[row]) for name in wanted) for row in rows.tolist()], np.bool_)


def _cut(text: str) -> list[str]:
    """Runs of whole sentences of about `_PIECE` letters, Chinese characters counting for three."""
    found, size = [""], 0
    for start, end in sentence_spans(text):
        own = sum(3 if is_cjk(character) else 1 for character in text[start:end])
        if size and size + own > _PIECE:
            found.append("")
            size = 0
        found[-1] += text[start:end]
        size += own
    return [" ".join(piece.split()) for piece in found if piece.strip()]


def _stands(name: str, text: str) -> bool:
    """True when a name stands in a text, and not as a part of a longer western word."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        left = start == 0 or not (text[start - 1].isascii() and text[start - 1].isalnum() and name[0].isascii())
        right = end == len(text) or not (text[end].isascii() and text[end].isalnum() and name[-1].isascii())
        if left and right:
            return True
        start = text.find(name, start + 1)
    return False
