"""What a work is made of: units that are read as a whole, and the apparatus around them that is no part of the story."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

__all__ = ["Apparatus", "ApparatusKind", "Structure", "Unit", "UnitKind"]

UnitKind: TypeAlias = Literal[
    "text",
    "part",
    "chapter",
    "act",
    "scene",
    "canto",
    "letter",
    "episode",
    "preface",
    "prologue",
    "interlude",
    "epilogue",
    "appendix",
]
ApparatusKind: TypeAlias = Literal["header", "title_page", "contents", "licence"]


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A top-level narrative unit: a chapter, a scene of a play, a letter, a titled episode, or a whole text without headings.

    Args:
        start: first character, that of the heading where there is one.
        end: first character after it.
        kind: what its heading calls it; `text` for a stretch without a heading.
        title: the heading as printed, on one line; empty where there is none.
        number: the number in the heading, whatever it is written in.
        parents: headings of the books, volumes or acts that it stands in, outermost first.
        body_start: first character after the heading and the white space behind it.
        marks: for each printed scene divider inside, the first character of the paragraph after it.
        piece: 1, 2, … when the unit was too long and was cut; 0 when it is whole.

    >>> Unit(start=0, end=90, kind="chapter", title="CHAPTER II. The Pool of Tears", number=2, body_start=31)
    Unit('CHAPTER II. The Pool of Tears', 0:90)
    """

    start: int
    end: int
    kind: UnitKind = "text"
    title: str = ""
    number: int | None = None
    parents: tuple[str, ...] = ()
    body_start: int = -1
    marks: tuple[int, ...] = ()
    piece: int = 0

    def __post_init__(self) -> None:
        if self.kind not in get_args(UnitKind):
            raise ValueError(f"kind must be one of {', '.join(get_args(UnitKind))}, not {self.kind!r}")
        if self.body_start < 0:
            object.__setattr__(self, "body_start", self.start)
        if not self.start <= self.body_start <= self.end:
            raise ValueError(f"a unit must have start <= body_start <= end, not {self.start}, {self.body_start}, {self.end}")

    @property
    def name(self) -> str:
        """The heading with those above it, for people: `VOLUME I. CHAPTER II`; and the piece, where the unit was cut."""
        told = " ".join(part if part.endswith((".", ":")) else f"{part}." for part in self.parents)
        piece = (f"({self.piece})" if self.title else f"piece {self.piece}") if self.piece else ""
        return " ".join(part for part in (told, self.title, piece) if part)

    def __repr__(self) -> str:
        return f"Unit({self.name!r}, {self.start}:{self.end})"


@dataclass(frozen=True)
class Apparatus:
    """A stretch that belongs to the edition: a publisher's header or licence, a title page, a page of contents."""

    start: int
    end: int
    kind: ApparatusKind


@dataclass(frozen=True)
class Structure:
    """The units of a text in order, and what stands outside them; together they cover every character once.

    Args:
        units: in order.
        apparatus: in order; never indexed, still in the text.

    Raises:
        ValueError: the spans overlap or leave a gap.
    """

    units: tuple[Unit, ...] = ()
    apparatus: tuple[Apparatus, ...] = ()

    def __post_init__(self) -> None:
        pieces: tuple[Unit | Apparatus, ...] = (*self.units, *self.apparatus)
        spans = sorted((piece.start, piece.end) for piece in pieces)
        if spans and spans[0][0] != 0:
            raise ValueError(f"nothing covers the first {spans[0][0]} characters")
        for (_, end), (start, _) in pairwise(spans):
            if end != start:
                raise ValueError(
                    f"characters {min(end, start)} to {max(end, start)} are covered {'twice' if start < end else 'never'}"
                )
