"""What segmentation yields: a stretch of the story that can be read on its own, with where it stands and what it needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from chronotope.records import Passage, Scalar, content_id
from chronotope.text import Span, Unit

__all__ = ["ReadBy", "Segment"]

ReadBy: TypeAlias = Literal["index", "reader"]
_SEPARATOR = "\n\n"


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A block of a story: consecutive sentences of one unit, a subtitle, and sentences from elsewhere that it needs.

    Args:
        text: the main range, sliced from the source.
        source_id: id of the document.
        char_start: first character of the main range in the source.
        char_end: first character after it.
        unit: the unit it is part of.
        unit_number: place of that unit in the document, from 1.
        sentences: first and last sentence of the main range, both inside, counted from 1 within the unit or its piece.
        subtitle: what happens, in a few words; empty without a model.
        context: spans of sentences outside the main range that help to understand it, in source order.
        before: the text of those that stand before the main range, one paragraph each.
        after: the text of those that stand behind it.
        turning_points: types of the turning points that open it, such as `recognition`.
        previous_id: id of the segment before it in the document; empty for the first.
        next_id: id of the one after it; empty for the last.
        id: a hash of source, place and text when empty.

    Source: LitSeg, section 3.1.2.
    """

    text: str
    source_id: str
    char_start: int
    char_end: int
    unit: Unit
    unit_number: int = 1
    sentences: tuple[int, int] = (1, 1)
    subtitle: str = ""
    context: tuple[Span, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    turning_points: tuple[str, ...] = ()
    previous_id: str = ""
    next_id: str = ""
    id: str = field(default="")

    def __post_init__(self) -> None:
        if not self.id:
            object.__setattr__(self, "id", content_id("segment", self.source_id, self.char_start, self.char_end, self.text))

    def shown(self, *, subtitle: bool = True, context: bool = True) -> str:
        """The text as a reader gets it: subtitle on top, context sentences before and after in source order.

        Args:
            subtitle: put the subtitle on top.
            context: add the sentences from elsewhere.
        """
        before, after = (self.before, self.after) if context else ((), ())
        parts = ((self.subtitle,) if subtitle else (), before, (self.text.strip(),), after)
        return _SEPARATOR.join(text for part in parts for text in part if text)

    @property
    def metadata(self) -> dict[str, Scalar]:
        """Everything but the text as flat JSON scalars, only what there is to tell."""
        told: dict[str, Scalar] = {
            "subtitle": self.subtitle,
            "chapter": self.unit.name,
            "chapter_number": self.unit_number,
            "sentences": f"{self.sentences[0]}-{self.sentences[1]}",
            "context": "; ".join(f"{start}-{end}" for start, end in self.context),
            "turning_points": "; ".join(self.turning_points),
            "previous_id": self.previous_id,
            "next_id": self.next_id,
        }
        return {key: value for key, value in told.items() if value != ""}

    def passage(self) -> Passage:
        """The segment as a passage whose text is the main range; subtitle and the rest are metadata."""
        return Passage(
            self.text,
            id=self.id,
            source_id=self.source_id,
            char_start=self.char_start,
            char_end=self.char_end,
            metadata=self.metadata,
        )

    def __repr__(self) -> str:
        told = self.subtitle or self.text.strip()[:40]
        return (
            f"Segment({told!r}, {self.unit.name!r} sentences {self.sentences[0]}-{self.sentences[1]}, {len(self.text)} characters)"
        )
