"""The chapters of a story: their numbers and texts, and where each character of them stands in its document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from chronotope.records import Document, Issue, Passage
from chronotope.temporal.interval import TimeInterval
from chronotope.text import Span, clean, is_blank, read_structure

__all__ = ["Chapter", "chapters_of"]

_HIDDEN_GAP = 8  # characters between two passages of a document that are taken for the white space that was trimmed
_BREAK = "\n\n"


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """A chapter, or the part of one that one document holds.

    Args:
        number: its number in the telling.
        title: its heading, on one line; empty where there is none.
        text: its text, with signs that nothing can carry replaced.
        source_id: id of the document.
        places: for each stretch of the text, where it begins here and where in the document (None when unknown).
        published: when the document was written.
        dated: True where the date of writing belongs to this chapter, as that of a letter does.
    """

    number: int
    title: str
    text: str
    source_id: str
    places: tuple[tuple[int, int | None], ...] = ((0, 0),)
    published: TimeInterval | None = None
    dated: bool = False

    def in_source(self, span: Span) -> Span | None:
        """A span of the text as a span of the document; None where that is unknown."""
        starts = [start for start, _ in self.places]
        first, last = (self.places[bisect_right(starts, at) - 1] for at in (span[0], max(span[0], span[1] - 1)))
        if first[1] is None or first != last:
            return None
        return (span[0] - first[0] + first[1], span[1] - first[0] + first[1])


@dataclass(frozen=True)
class _Stretch:
    """A text with its document, before its chapters are numbered."""

    text: str
    source_id: str
    places: tuple[tuple[int, int | None], ...]
    published: TimeInterval | None
    chapter: int | None
    title: str = ""
    hint: int | None = None


def chapters_of(inputs: Iterable[Document | Passage]) -> tuple[tuple[Chapter, ...], tuple[Issue, ...]]:
    """The chapters of documents and passages, in the order of telling.

    Passages of one document are read as one text. A number comes from the metadata `chapter`, else from the heading, else from
    the order; numbers of headings that do not rise through the whole story are not used. What stands without a number between two
    numbered chapters, as an interlude does, is told with the later one.

    Args:
        inputs: documents, or passages cut from documents.

    Returns:
        Chapters with text, by number, and an issue where numbers of headings had to be replaced.
    """
    items, twice = _apart(inputs)
    stretches = [part for whole in _sources(items) for part in _divided(whole)]
    stretches = [part for part in stretches if not is_blank(part.text)]
    numbers, issues = _numbered(stretches)
    dates = {part.published for part in stretches if part.published}
    sources = [part.source_id for part in stretches]
    chapters = [
        Chapter(
            number=number,
            title=part.title,
            text=part.text,
            source_id=part.source_id,
            places=part.places,
            published=part.published,
            dated=len(dates) > 1 and sources.count(part.source_id) == 1,
        )
        for part, number in zip(stretches, numbers, strict=True)
    ]
    return tuple(sorted(chapters, key=lambda chapter: chapter.number)), (*twice, *issues)


def _apart(inputs: Iterable[Document | Passage]) -> tuple[list[tuple[int, Document | Passage]], list[Issue]]:
    """Each input with the number of the document of its name that it belongs to, for two documents may share one.

    What is given twice is read once.
    """
    texts: dict[tuple[str, int | None], list[str]] = {}
    found: list[tuple[int, Document | Passage]] = []
    issues: list[Issue] = []
    for item in inputs:
        if isinstance(item, Passage):
            found.append((0, item))
            continue
        seen = texts.setdefault((item.id, _told_chapter(item)), [])
        if item.text in seen:
            issues.append(Issue("duplicate_document", f"the document {item.id!r} is given twice; it is read once", item.id))
            continue
        if seen:
            told = f"two documents have the id {item.id!r}; both are read; give each an id of its own, so that places are clear"
            issues.append(Issue("duplicate_document", told, item.id))
        found.append((len(seen), item))
        seen.append(item.text)
    return found, issues


def _sources(items: Iterable[tuple[int, Document | Passage]]) -> list[_Stretch]:
    """One stretch a document, or a run of passages of one document and chapter, in the order in which each first appears."""
    grouped: dict[tuple[str, int | None, int], list[Document | Passage]] = {}
    for number, item in items:
        name = item.id if isinstance(item, Document) else item.source_id or item.id
        grouped.setdefault((name, _told_chapter(item), number), []).append(item)
    return [_joined(name, chapter, group) for (name, chapter, _), group in grouped.items()]


def _told_chapter(item: Document | Passage) -> int | None:
    told = item.metadata.get("chapter")
    if isinstance(told, str) and told.strip().isdecimal():
        return int(told)
    return told if isinstance(told, int) and not isinstance(told, bool) else None


def _joined(name: str, number: int | None, items: Sequence[Document | Passage]) -> _Stretch:
    """The items as one text; what two of them share stands once, and a short gap is the white space that was trimmed."""
    text, covered = "", 0
    places: list[tuple[int, int | None]] = []
    known = all(isinstance(item, Document) or item.char_start is not None for item in items)
    ordered = sorted(items, key=_start) if known else list(items)
    for item in ordered:
        own, start = clean(item.text), _start(item) if known else None
        if start is not None and places:
            if start < covered:
                own, start = own[covered - start :], covered
            gap = start - covered
            text += "\n" * gap if gap <= _HIDDEN_GAP else _BREAK
        elif places:
            text += _BREAK
        if own:
            if start is None or not places or places[-1][1] is None or start - places[-1][1] != len(text) - places[-1][0]:
                places.append((len(text), start))
            text += own
            covered = (start or 0) + len(own)
    published = next((item.published for item in ordered if item.published), None)
    return _Stretch(text, name, tuple(places) or ((0, 0),), published, number)


def _start(item: Document | Passage) -> int:
    return 0 if isinstance(item, Document) else item.char_start or 0


def _divided(whole: _Stretch) -> list[_Stretch]:
    """The units of a text without a number of its own; a text that has one is one chapter."""
    if whole.chapter is not None:
        return [whole]
    units = read_structure(whole.text).units
    return [
        replace(
            whole,
            text=whole.text[unit.start : unit.end],
            places=_shifted(whole.places, unit.start, unit.end),
            title=unit.name,
            hint=unit.number,
        )
        for unit in units
        if not is_blank(whole.text[unit.body_start : unit.end])
    ]


def _shifted(places: Sequence[tuple[int, int | None]], start: int, end: int) -> tuple[tuple[int, int | None], ...]:
    before = [place for place in places if place[0] <= start][-1]
    first = (0, None if before[1] is None else before[1] + start - before[0])
    return (first, *((at - start, source) for at, source in places if start < at < end))


def _numbered(stretches: Sequence[_Stretch]) -> tuple[list[int], tuple[Issue, ...]]:
    """A number for each: as told, else that of its heading, else one that fits between."""
    hints = [part.chapter if part.chapter is not None else part.hint for part in stretches]
    loose = [hint for part, hint in zip(stretches, hints, strict=True) if part.chapter is None and hint is not None]
    if any(after <= before for before, after in pairwise(loose)) or (loose and any(part.chapter is not None for part in stretches)):
        hints = [part.chapter for part in stretches]
        told = "the numbers of the headings do not rise through the story; chapters are numbered in their order"
        issues: tuple[Issue, ...] = (Issue("chapters_renumbered", told),)
    else:
        issues = ()
    known = [number for number in hints if number is not None]
    if not known:
        return list(range(1, len(stretches) + 1)), issues
    leading = next(place for place, number in enumerate(hints) if number is not None)
    numbers, last = [], min(known[0] - leading - 1, known[0] - 1)
    for place, number in enumerate(hints):
        later = next((one for one in hints[place:] if one is not None), None)
        if number is not None:
            last = number
        elif place < leading or later is None:
            last += 1
        else:  # an interlude is printed behind the chapter before it, whose reader has not come to it
            last = later
        numbers.append(last)
    return numbers, issues
