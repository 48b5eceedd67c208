"""Candidates: the stretches of a document that are segmented one by one, with their sentences numbered from 1."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from chronotope.litseg.headings import Headings, checked_headings, structure_issues
from chronotope.records import Document, Extraction
from chronotope.text import Span, Unit, clean, cut_unit, is_blank, paragraph_spans, read_structure, sentence_spans

__all__ = ["Candidate", "candidates", "check_document", "survey"]

_WORD = re.compile(r"\w")


@dataclass(frozen=True)
class Candidate:
    """A unit, or a piece of a long one, with its sentences.

    Args:
        text: the whole document; spans count its characters.
        source_id: id of the document.
        unit: what is to be segmented.
        number: place of the unit in the document, from 1.
        sentences: spans that partition the unit; none crosses a paragraph.
    """

    text: str
    source_id: str
    unit: Unit
    number: int
    sentences: tuple[Span, ...]

    def __len__(self) -> int:
        return len(self.sentences)

    def sentence(self, index: int) -> str:
        """The sentence with a number, from 1, white space behind it included."""
        start, end = self.sentences[index - 1]
        return self.text[start:end]

    def tells(self, index: int) -> bool:
        """True for a sentence of the story, False for a heading or a divider."""
        return self.sentences[index - 1][0] >= self.unit.body_start and _WORD.search(self.sentence(index)) is not None

    def __repr__(self) -> str:
        return f"Candidate({self.unit.name!r}, {len(self)} sentences)"


def candidates(document: Document, *, headings: Headings | None = None, max_words: int | None = 6_000) -> tuple[Candidate, ...]:
    """The units of a document in order, long ones cut, blank ones left out.

    Args:
        document: the source.
        headings: a pattern that matches whole heading lines, or the offsets at which units start; None finds headings.
        max_words: largest size of a candidate in words; None leaves every unit whole.

    Raises:
        ValueError: the headings fit no text, or lie outside of this one.
        TypeError: the document is none.

    Source: LitSeg, section 3.1.2, "Preprocessing".
    """
    return survey(document, headings=headings, max_words=max_words).items


def survey(document: Document, *, headings: Headings | None = None, max_words: int | None = 6_000) -> Extraction[Candidate]:
    """The same as `candidates`, with an issue for what is kept out of the units and for headings that did not fit.

    Args:
        document: the source.
        headings: a pattern that matches whole heading lines, or the offsets at which units start; None finds headings.
        max_words: largest size of a candidate in words; None leaves every unit whole.
    """
    check_document(document)
    text = clean(document.text)
    structure = read_structure(text, headings=checked_headings(headings))
    found = tuple(
        Candidate(text, document.id, piece, number, _sentences(text, piece))
        for number, unit in enumerate((u for u in structure.units if not is_blank(text[u.start : u.end])), 1)
        for piece in (cut_unit(text, unit, max_words=max_words) if max_words is not None else (unit,))
    )
    issues = structure_issues(text, structure, headings)
    return Extraction(found, tuple(replace(issue, source_id=document.id) for issue in issues))


def check_document(document: object) -> None:
    """Refuse what is no document.

    Raises:
        TypeError: it is something else, such as a text or a path.
    """
    if not isinstance(document, Document):
        kind = type(document)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        raise TypeError(f"document must be a chronotope.Document, not {name}; wrap a text: Document(text, id=…)")


def _sentences(text: str, unit: Unit) -> tuple[Span, ...]:
    """Sentences of the paragraphs of a unit; its heading is one of them, and none is blank."""
    stretches = [span for span in ((unit.start, unit.body_start), (unit.body_start, unit.end)) if span[0] < span[1]]
    spans = (
        (start + a + b, start + a + c)
        for start, end in stretches
        for a, z in paragraph_spans(text[start:end])
        for b, c in sentence_spans(text[start + a : start + z])
    )
    return tuple(_readable(text, spans))


def _readable(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans, blank ones joined to the one before, those at the very start to the first."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and (is_blank(text[start:end]) or is_blank(text[slice(*joined[-1])])):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
