"""Where a work's own units begin and end."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from chronotope.text.structure.apparatus import body_span
from chronotope.text.structure.assemble import build_units, headings_with_titles, scene_marks
from chronotope.text.structure.choose import chosen_headings, read_line
from chronotope.text.structure.contents import contents_pages
from chronotope.text.structure.english import is_title
from chronotope.text.structure.lines import Line, ends_sentence, is_prose, read_lines
from chronotope.text.structure.printed import Printed
from chronotope.text.units import Apparatus, ApparatusKind, Structure, Unit

__all__ = ["read_structure"]

_FEWEST_PROSE_WORDS = 50  # of running text below a title page that make it a unit


def read_structure(text: str, *, headings: str | re.Pattern[str] | Sequence[int] | None = None) -> Structure:
    r"""Parts, chapters, acts, scenes, letters and titled episodes of a text, with its apparatus kept apart.

    Args:
        text: any text; every offset counts its characters as they are.
        headings: what starts a unit, if it is not to be found out: a regular expression that matches the whole of a heading line,
            white space around it apart, or the offsets of the units, in characters and rising.

    Raises:
        ValueError: the pattern is no regular expression, or the offsets do not rise or lie outside of the text.
        TypeError: an offset is no integer.

    >>> read_structure("CHAPTER I\n\nIt rained.\n\nCHAPTER II\n\nIt cleared.").units
    (Unit('CHAPTER I', 0:23), Unit('CHAPTER II', 23:46))
    """
    if not text:
        return Structure()
    if headings is not None and not isinstance(headings, (str, re.Pattern)):
        return Structure(_given(text, headings))
    begin, end = body_span(text)
    lines = read_lines(text, begin, end)
    if headings is None:
        chosen, pages = chosen_headings(lines)
    else:
        chosen, pages = _matching(lines, _compiled(headings))
    return _divided(text, lines, chosen, pages, begin, end)


def _compiled(headings: str | re.Pattern[str]) -> re.Pattern[str]:
    try:
        return re.compile(headings)
    except re.error as error:
        raise ValueError(
            f"headings must be a regular expression that matches a heading line; {headings!r} is none: {error}"
        ) from error


def _given(text: str, offsets: Sequence[int]) -> tuple[Unit, ...]:
    """Units at the user's own offsets; nothing is guessed."""
    for offset in offsets:
        if isinstance(offset, bool) or not isinstance(offset, int):
            raise TypeError(f"headings must be a pattern or offsets in characters (int), not {offset!r}")
        if not 0 <= offset < len(text):
            raise ValueError(f"headings has the offset {offset}, but the text has characters 0 to {len(text) - 1}")
    for before, after in pairwise(offsets):
        if after <= before:
            raise ValueError(f"headings must be offsets that rise; {after} comes after {before}")
    lines = read_lines(text, 0, len(text))
    borders = [*sorted({0, *offsets}), len(text)]
    starts = [line.start for line in lines]
    return tuple(
        Unit(start=start, end=stop, marks=scene_marks(lines, bisect_left(starts, start), stop)) for start, stop in pairwise(borders)
    )


def _matching(lines: Sequence[Line], pattern: re.Pattern[str]) -> tuple[dict[int, Printed], list[range]]:
    """The lines that the user's pattern matches, contents pages apart."""
    headed = [read_line(line) for line in lines]
    pages = contents_pages(lines, headed)
    inside = {index for page in pages for index in page}
    found = (index for index, line in enumerate(lines) if index not in inside and pattern.fullmatch(line.text))
    return {index: headed[index] or Printed("given", "chapter", rest=lines[index].text) for index in found}, pages


def _divided(
    text: str, lines: Sequence[Line], chosen: dict[int, Printed], pages: Sequence[range], begin: int, end: int
) -> Structure:
    """The whole text as apparatus and units, without a gap."""
    if not lines:
        return Structure(() if begin or end < len(text) else (Unit(start=0, end=len(text)),), _outside(text, begin, end) or ())
    heads = headings_with_titles(lines, chosen)
    pages = [page for page in pages if heads]
    borders = [lines[page.start].start for page in pages]
    units = build_units(lines, heads, borders, end)
    opening = _opening(lines, heads[0].first if heads else len(lines), pages)
    if opening is not None or not heads:
        start = lines[opening].start if heads and opening is not None else begin
        stop = min([border for border in (*borders, *(unit.start for unit in units)) if border > start], default=end)
        first = 0 if opening is None else opening
        units = (Unit(start=start, end=stop, marks=scene_marks(lines, first, stop)), *units)
    return Structure(units, _apparatus(text, units, borders, begin, end))


def _opening(lines: Sequence[Line], first: int, pages: Sequence[range]) -> int | None:
    """The line with which running text starts before the first heading, if there is some: not on a title page."""
    inside = {index for page in pages for index in page}
    free = [index for index in range(first) if index not in inside]
    headed: list[Printed | None] = [None] * len(lines)
    prose = [index for index in free if (lines[index].gap or index == 0) and is_prose(lines, index, headed)]
    if free and _is_sentence(lines[free[0]]):
        return free[0]
    if not prose or lines[first - 1].words + lines[first - 1].size - lines[prose[0]].words < _FEWEST_PROSE_WORDS:
        return None
    return prose[0]


def _is_sentence(line: Line) -> bool:
    return line.size >= 4 and ends_sentence(line) and not is_title(line.text) and not line.text.lower().startswith("by ")


def _outside(text: str, begin: int, end: int) -> tuple[Apparatus, ...]:
    header = (Apparatus(0, end, "header"),) if end and begin else ()
    licence = (Apparatus(end if header else 0, len(text), "licence"),) if end < len(text) else ()
    return header + licence


def _apparatus(text: str, units: Sequence[Unit], contents: Sequence[int], begin: int, end: int) -> tuple[Apparatus, ...]:
    """What the units leave over: the header, title pages, contents pages and the licence."""
    found: list[Apparatus] = []
    gaps = [(before, after) for before, after in pairwise([(0, 0), *((unit.start, unit.end) for unit in units), (end, end)])]
    for (_, stop), (start, _) in gaps:
        borders = sorted({stop, start, *(border for border in (begin, *contents) if stop < border < start)})
        for left, right in pairwise(borders):
            kind: ApparatusKind = "header" if right <= begin else "contents" if left in contents else "title_page"
            found.append(Apparatus(left, right, kind))
    if end < len(text):
        found.append(Apparatus(end, len(text), "licence"))
    return tuple(found)
