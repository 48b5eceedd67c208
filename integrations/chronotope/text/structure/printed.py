"""What a single line says if it is a heading, before anything around it is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from chronotope.text.units import UnitKind

__all__ = ["Printed", "is_chinese"]


@dataclass(frozen=True, slots=True)
class Printed:
    """A line read as a heading.

    Args:
        family: headings that are counted together: `chapter`, `letter`, `part`, `act`, `roman`, `named`, …
        kind: of the unit that it opens.
        number: the number in it.
        rest: what follows the number: a title, or nothing.
        holds: it can stand above other headings, as a book above chapters.
        bare: a number without a word that says of what.
        doubtful: prose can begin like this too; the numbers around it have to agree.
        within: the heading above it that is printed in the same line, as in `ACT I. SCENE 2.`
        above: family of that heading.
    """

    family: str
    kind: UnitKind
    number: int | None = None
    rest: str = ""
    holds: bool = False
    bare: bool = False
    doubtful: bool = False
    within: str = ""
    above: str = ""


def is_chinese(printed: Printed | None) -> bool:
    """Whether the heading is printed in Chinese."""
    return printed is not None and not printed.family.isascii()
