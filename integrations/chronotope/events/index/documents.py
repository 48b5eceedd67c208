"""The documents behind events and passages: number of each, and the words of their titles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from chronotope.events.event import EventUnit
from chronotope.lexical import LexicalIndex
from chronotope.records import Passage
from chronotope.shelves.shelf import Rows, Shelf

__all__ = ["Sources", "sources_of"]


@dataclass(frozen=True)
class Sources:
    """The documents of an index.

    Args:
        titles: one a document, empty where none is known.
        titles_index: the words of the titles.
        of_events: number of the document of each row of the events, 0 for removed ones.
        of_passages: the same for passages.
    """

    titles: tuple[str, ...]
    titles_index: LexicalIndex
    of_events: Rows
    of_passages: Rows


def sources_of(events: Shelf[EventUnit], passages: Shelf[Passage], title_key: str) -> Sources:
    """Number the documents in the order in which they were added."""
    numbers: dict[str, int] = {}
    titles: list[str] = []

    def number(items: Iterable[tuple[int, EventUnit | Passage]], size: int) -> Rows:
        found = np.zeros(size, np.int64)
        for row, item in items:
            if item.source_id not in numbers:
                numbers[item.source_id] = len(titles)
                titles.append(" ".join(str(item.metadata.get(title_key) or "").split()))
            found[row] = numbers[item.source_id]
        return found

    of_events = number(((row, events.item(row)) for row in events.living.tolist()), events.size)
    of_passages = number(((row, passages.item(row)) for row in passages.living.tolist()), passages.size)
    return Sources(tuple(titles), LexicalIndex(titles), of_events, of_passages)
