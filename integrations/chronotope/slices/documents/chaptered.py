"""Which chapters the passages of a story tell, so that none is shown to a reader who has not come to its end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from chronotope.records import Passage
from chronotope.slices.extract.chapters import Chapter, chapters_of
from chronotope.text import clean, is_blank, read_structure

__all__ = ["CHAPTER_NUMBER", "has_number", "in_chapters", "last_chapters", "with_chapters"]

CHAPTER_NUMBER = "chapter_number"
"""Metadata key of the last chapter that a passage tells; `chapter` is left to what the source says."""


def last_chapters(passages: Sequence[Passage]) -> tuple[int | None, ...]:
    r"""The number of the last chapter that each passage holds a part of, as extraction counts them; None for blank ones.

    Args:
        passages: of whole documents, in the order of telling.

    >>> told = "CHAPTER I\n\nShe came.\n\nCHAPTER II\n\nShe left."
    >>> spans = (0, 22), (22, len(told))
    >>> last_chapters([Passage(told[start:end], source_id="a", char_start=start, char_end=end) for start, end in spans])
    (1, 2)
    """
    by_source = _by_source(passages)
    return tuple(_last(passage, by_source.get(_source(passage), [])) for passage in passages)


def in_chapters(passages: Sequence[Passage], held: Sequence[Passage]) -> tuple[tuple[Passage, ...], tuple[int | None, ...]]:
    r"""Passages as they are to be read for facts, beside what is held already, and the number of the last chapter of each.

    A chunk that comes alone may have no heading: the chunks of its document that came before say in which chapter it stands. A
    document in which nothing tells a number goes on behind the last chapter that is held.

    Args:
        passages: in the order of telling.
        held: what was added before, with its chapters in the metadata.

    >>> first = Passage("CHAPTER II\n\nShe came.", id="1", source_id="a", char_start=0, char_end=21)
    >>> second = Passage("She left.", id="2", source_id="a", char_start=23, char_end=32)
    >>> last_chapters([second]), in_chapters([second], [first])[1]
    ((1,), (2,))
    """
    if not held:
        return tuple(passages), last_chapters(passages)
    sources = {_source(passage) for passage in passages}
    others = [passage for passage in held if _source(passage) in sources]
    begun = {_source(passage) for passage in others}
    again, new = [one for one in passages if _source(one) in begun], [one for one in passages if _source(one) not in begun]
    known = {passage.id for passage in again}
    found = _by_source([*(one for one in others if one.id not in known), *again])
    shifts = {source: _shift(source, others, found) for source in begun}
    behind = 0 if any(map(has_number, new)) else max(map(_held_number, held))
    found |= _by_source(new)
    numbers: list[int | None] = []
    pieces: list[Passage] = []
    for passage in passages:
        source = _source(passage)
        chapters = [replace(one, number=one.number + shifts.get(source, behind)) for one in found.get(source, [])]
        numbers.append(_last(passage, chapters))
        pieces += _pieces(passage, chapters) if source in begun or behind else [passage]
    return tuple(pieces), tuple(numbers)


def with_chapters(passages: Sequence[Passage], numbers: Sequence[int | None]) -> tuple[Passage, ...]:
    """The passages with the last chapter that each tells in their metadata.

    Args:
        passages: any.
        numbers: of `last_chapters`; None leaves a passage as it is.
    """
    return tuple(
        passage if number is None else replace(passage, metadata={**passage.metadata, CHAPTER_NUMBER: number})
        for passage, number in zip(passages, numbers, strict=True)
    )


def has_number(passage: Passage) -> bool:
    """True for a passage whose metadata, or a heading in it, tells the number of a chapter."""
    told = passage.metadata.get("chapter")
    if isinstance(told, int) or str(told or "").strip().isdecimal():
        return True
    return any(unit.number is not None for unit in read_structure(clean(passage.text)).units)


def _source(passage: Passage) -> str:
    return passage.source_id or passage.id


def _by_source(passages: Sequence[Passage]) -> dict[str, list[Chapter]]:
    found: dict[str, list[Chapter]] = defaultdict(list)
    for chapter in chapters_of(passages)[0]:
        found[chapter.source_id].append(chapter)
    return found


def _last(passage: Passage, chapters: Sequence[Chapter]) -> int | None:
    """By place where it is known, else by words; where neither tells, the last of all, since a reader must not see too much."""
    if not chapters or is_blank(passage.text):
        return None
    start, end = passage.char_start, passage.char_end
    if start is not None and end is not None:
        placed = [chapter.number for chapter in chapters if any(low < end and start < high for low, high in _spans(chapter))]
        if placed:
            return max(placed)
    line = clean(passage.text).strip().splitlines()[-1].strip()
    told = [chapter.number for chapter in chapters if line in chapter.text]
    return max(told or [chapter.number for chapter in chapters])


def _spans(chapter: Chapter) -> list[tuple[int, int]]:
    """The stretches of the document that a chapter stands in."""
    ends = [*(at for at, _ in chapter.places[1:]), len(chapter.text)]
    starts = zip(chapter.places, ends, strict=True)
    return [(source, source + end - at) for (at, source), end in starts if source is not None]


def _held_number(passage: Passage) -> int:
    number = passage.metadata.get(CHAPTER_NUMBER)
    return number if isinstance(number, int) else 0


def _shift(source: str, held: Iterable[Passage], found: Mapping[str, Sequence[Chapter]]) -> int:
    """By how much the chapters of a document stand behind those that it would have by itself."""
    own = [one for one in held if _source(one) == source and _held_number(one)]
    return max((_held_number(one) - (_last(one, found.get(source, [])) or _held_number(one)) for one in own), default=0)


def _pieces(passage: Passage, chapters: Sequence[Chapter]) -> list[Passage]:
    """The parts of a passage that stand in one chapter each, with its number; the whole where its place is not known."""
    start, end = passage.char_start, passage.char_end
    if start is None or end is None or end - start != len(passage.text):
        return [_numbered(passage, _last(passage, chapters))]
    pieces = []
    for chapter in chapters:
        for low, high in _spans(chapter):
            first, last = max(low, start), min(high, end)
            if first < last:
                part = replace(passage, text=passage.text[first - start : last - start], char_start=first, char_end=last)
                pieces.append(_numbered(part, chapter.number))
    return pieces or [passage]


def _numbered(passage: Passage, number: int | None) -> Passage:
    return passage if number is None else replace(passage, metadata={**passage.metadata, "chapter": number})
