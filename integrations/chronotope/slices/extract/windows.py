"""What a model is shown at once: whole sentences of one chapter, with the words around which everything it says must stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chronotope.slices.extract.chapters import Chapter
from chronotope.text import Span, is_blank, sentence_spans, window_spans

__all__ = ["Window", "windows_of"]


@dataclass(frozen=True)
class Window:
    """A stretch of a chapter.

    Args:
        chapter: the chapter.
        span: the stretch, in characters of the chapter's text.
    """

    chapter: Chapter
    span: Span

    @property
    def text(self) -> str:
        """What is shown."""
        return self.chapter.text[slice(*self.span)]

    @property
    def place(self) -> str:
        """The window for people: characters of the document, or of the chapter where those are unknown."""
        known = self.chapter.in_source(self.span)
        start, end = known or self.span
        return f"characters {start} to {end}" + ("" if known else f" of chapter {self.chapter.number}")

    def sentences(self) -> list[Span]:
        """Its sentences, in characters of the chapter's text."""
        return [(self.span[0] + start, self.span[0] + end) for start, end in sentence_spans(self.text)]

    def part(self, sentences: Sequence[Span]) -> Window:
        """The stretch from the first to the last of some sentences."""
        return Window(self.chapter, (sentences[0][0], sentences[-1][1]))


def windows_of(chapters: Iterable[Chapter], *, max_tokens: int, overlap: int = 0) -> list[Window]:
    """The windows of all chapters in the order of telling; blank ones are left out.

    Args:
        chapters: in the order of telling.
        max_tokens: size of a window in tokens.
        overlap: tokens that a window repeats of the one before.
    """
    return [
        Window(chapter, span)
        for chapter in chapters
        for span in window_spans(chapter.text, max_tokens=max_tokens, overlap=overlap)
        if not is_blank(chapter.text[slice(*span)])
    ]
