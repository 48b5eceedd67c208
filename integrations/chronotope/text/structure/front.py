"""Titles at the front, before the first numbered unit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from chronotope.text.structure.english import is_title
from chronotope.text.structure.lines import Line, ends_sentence
from chronotope.text.structure.printed import Printed
from chronotope.text.structure.titles import is_no_title

__all__ = ["front_titles"]

_FEWEST_WORDS = 120  # of the text below a title at the front


def front_titles(lines: Sequence[Line], chosen: dict[int, Printed], inside: set[int]) -> dict[int, Printed]:
    """Titles in capitals, each with a text of its own, before the first heading: an essay, extracts, a note on a word.

    Args:
        lines: of the text.
        chosen: the headings so far.
        inside: lines of contents pages.
    """
    numbered = [index for index, printed in chosen.items() if printed.family != "named"]
    first = min(numbered, default=0)
    gap = min(2, *(lines[index].gap for index in numbered)) if numbered else 2
    free = [index for index in range(first) if index not in inside and index not in chosen and lines[index].gap >= gap]
    places = [index for index in free if _could_be(lines, index)]
    borders = sorted({*places, *(index for index in chosen if index <= first)})
    found = [
        place
        for place, after in pairwise(borders)
        if place in places and lines[after].words - lines[place].words - lines[place].size >= _FEWEST_WORDS
    ]
    return {index: Printed("named", "preface", rest=lines[index].text) for index in found}


def _could_be(lines: Sequence[Line], index: int) -> bool:
    line = lines[index]
    title = line.text.split("(")[0].strip("_*. ")
    if not line.alone or not title.isupper():
        return False
    settled = not index or line.gap >= 2 or ends_sentence(lines[index - 1])
    below = lines[index + 1]
    return settled and is_title(title) and not is_no_title(title) and (below.size >= 25 or ends_sentence(below) or below.after == 0)
