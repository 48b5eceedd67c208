"""Chapters of passages, raised where facts that are known beside them tell of a later one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from chronotope.records import Passage
from chronotope.slices.documents.chaptered import has_number
from chronotope.slices.fact import Fact

__all__ = ["raised"]


def raised(passages: Sequence[Passage], numbers: Sequence[int | None], facts: Iterable[Fact]) -> tuple[int | None, ...]:
    """The last chapter of each passage, as its headings and the facts of its text tell it, whichever is later.

    A passage that holds the words of a fact, or stands behind them, is told in the chapter of that fact or later. Where facts know
    more chapters than headings do, as when only some chunks of a text are given, a passage that names no chapter counts as told
    with the next fact behind it, and where no fact of its text has a place, with the last of all: a reader must not see too much.

    Args:
        passages: of any number of texts.
        numbers: of `last_chapters`.
        facts: of the same texts, and maybe of others.

    >>> chunk = Passage("He died.", source_id="tale", char_start=900, char_end=908)
    >>> died = Fact(subject="Tom", relation="died", chapter=3, source_id="tale", char_start=900, char_end=908)
    >>> raised([chunk], [1], [died])
    (3,)
    """
    known = _Known(passages, numbers, facts)
    return tuple(
        number if number is None else max(number, known.earliest(passage))
        for passage, number in zip(passages, numbers, strict=True)
    )


class _Known:
    """What facts and headings tell of the texts of passages."""

    def __init__(self, passages: Sequence[Passage], numbers: Sequence[int | None], facts: Iterable[Fact]) -> None:
        self._facts: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._most = 0
        for fact in facts:
            if fact.chapter is not None:
                self._most = max(self._most, fact.chapter)
                if fact.char_start is not None:
                    self._facts[fact.source_id].append((fact.char_start, fact.chapter))
        self._read: dict[str, int] = defaultdict(int)
        self._named: set[str] = set()
        for passage, number in zip(passages, numbers, strict=True):
            source = _source(passage)
            self._read[source] = max(self._read[source], number or 0)
            if has_number(passage):
                self._named.add(source)
        self._all_read = max(self._read.values(), default=0)

    def earliest(self, passage: Passage) -> int:
        """The earliest chapter that facts leave to a passage; 0 for any."""
        source = _source(passage)
        facts = self._facts.get(source)
        if not facts or passage.char_start is None or passage.char_end is None:
            return 0 if source in self._named or self._all_read >= self._most else self._most
        before = max((chapter for start, chapter in facts if start < (passage.char_end or 0)), default=0)
        if self._read[source] >= max(chapter for _, chapter in facts) or has_number(passage):
            return before
        behind = min((one for one in facts if one[0] >= (passage.char_end or 0)), default=(0, 0))
        return max(before, behind[1])


def _source(passage: Passage) -> str:
    return passage.source_id or passage.id
