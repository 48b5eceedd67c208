"""Where the blocks of a segment map stand: rows of lines of blocks, in percent of a line, and the arcs between them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise
from math import ceil
from statistics import median

from chronotope.litseg import Segment
from chronotope.text import Span

__all__ = ["ARC_HEIGHT", "Arc", "Block", "Line", "Row", "count_words", "counted_as", "find_links", "lay_out", "own_words"]

ARC_HEIGHT = 40.0
_FLATTEST_ARC = 9.0
_TYPICAL_BLOCKS = 5  # of the median length fill a line
_MOST_BLOCKS, _NARROWEST = 6, 15.0  # on a line, and percent of it: what three words need on a common screen
_FULL = 100.0
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u9fff\uf900-\ufaff]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True)
class Block:
    """A segment on its line, in percent of the line.

    Args:
        number: place of the segment among all, from 0.
        segment: what it shows.
        words: length of the main range.
        left: where it begins.
        width: how wide it is.
    """

    number: int
    segment: Segment
    words: int
    left: float
    width: float

    @property
    def label(self) -> str:
        """The subtitle, else the first words of the story in it."""
        told = self.segment.text.strip()
        return self.segment.subtitle or " ".join((told[own_words(self.segment) :].strip() or told).split())[:300]

    def place(self, offset: int) -> float:
        """Where on the line a character of the segment stands."""
        length = self.segment.char_end - self.segment.char_start
        return self.left + self.width * (offset - self.segment.char_start) / length if length else self.left


@dataclass(frozen=True)
class Arc:
    """A link on one line: from sentences that are needed to the segment that needs them.

    Args:
        needs: number of the segment that needs them.
        gives: number of the one that holds them.
        path: the curve, as SVG writes it.
        dot: its beginning, at the sentences.
    """

    needs: int
    gives: int
    path: str
    dot: str


@dataclass(frozen=True)
class Line:
    """Blocks side by side, and the arcs between them."""

    blocks: tuple[Block, ...]
    arcs: tuple[Arc, ...]


@dataclass(frozen=True)
class Row:
    """A unit: its name, the headings above it where they change, and its lines.

    Args:
        name: its own heading.
        above: the headings that it stands under, when they differ from those of the row before.
        words: length of all its segments.
        lines: at least one.
    """

    name: str
    above: str
    words: int
    lines: tuple[Line, ...]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of all its lines."""
        return tuple(block for line in self.lines for block in line.blocks)

    @property
    def counts(self) -> str:
        """What its lengths count: words, or characters where it is Chinese."""
        return f"{counted_as(block.segment for block in self.blocks)}s"


def count_words(text: str) -> int:
    """Words of a text; where words are written without spaces between them, each Chinese character is one.

    >>> count_words("It’s a well-kept book."), count_words("第十七回")
    (4, 4)
    """
    return sum(1 for _ in _WORD.finditer(text))


def counted_as(segments: Iterable[Segment]) -> str:
    """What `count_words` mostly counts in a book: `character` where it is Chinese, else `word`."""
    pairs = [(sum(1 for _ in _HAN.finditer(segment.text)), count_words(segment.text)) for segment in segments]
    return "character" if 2 * sum(han for han, _ in pairs) > sum(words for _, words in pairs) else "word"


def own_words(segment: Segment) -> int:
    """Where the story begins in the stripped text of a segment: behind the unit's heading, if it has that."""
    blank = len(segment.text) - len(segment.text.lstrip())
    return max(segment.unit.body_start - segment.char_start - blank, 0)


def find_links(segments: Sequence[Segment]) -> list[dict[int, Span]]:
    """For each segment, the numbers of those that hold its context sentences, each with the first of the spans there."""
    by_source: dict[str, list[tuple[int, int]]] = {}
    for number, segment in enumerate(segments):
        by_source.setdefault(segment.source_id, []).append((segment.char_start, number))
    for starts in by_source.values():
        starts.sort()
    found: list[dict[int, Span]] = []
    for number, segment in enumerate(segments):
        held: dict[int, Span] = {}
        starts = by_source[segment.source_id]
        for span in segment.context:
            before = reversed(starts[: bisect_right(starts, (span[0], len(segments)))])
            holding = (other for _, other in before if other != number and span[0] < segments[other].char_end)
            if (first := next(holding, None)) is not None:
                held.setdefault(first, span)
        found.append(held)
    return found


def lay_out(segments: Sequence[Segment], links: Sequence[Mapping[int, Span]]) -> list[Row]:
    """One row for each unit, its segments as wide as they are long among those on their line, but never too narrow to read.

    A unit on one line is as wide as it is long among all units; one that needs several fills each of them.

    Args:
        segments: in order.
        links: for each, what it needs, as `find_links` tells it.
    """
    numbered = [(number, segment, count_words(segment.text)) for number, segment in enumerate(segments)]
    units = [list(group) for _, group in groupby(numbered, key=lambda item: (item[1].source_id, item[1].unit))]
    capacity = _capacity([[max(words, 1) for *_, words in unit] for unit in units])
    several = len({segment.source_id for segment in segments}) > 1
    rows, last = [], ""
    for unit in units:
        first = unit[0][1]
        above = " · ".join([first.source_id, *first.unit.parents] if several else first.unit.parents)
        lines = tuple(Line(tuple(blocks), _arcs(blocks, links)) for blocks in _broken(unit, capacity))
        rows.append(Row(_name(first, len(units)), above if above != last else "", sum(words for *_, words in unit), lines))
        last = above
    return rows


def _capacity(units: Sequence[Sequence[int]]) -> int:
    """Words on a full line: the longest unit fits on one, unless its blocks would be too narrow to read."""
    lengths = [words for unit in units for words in unit]
    longest = max((sum(unit) for unit in units), default=1)
    return max(min(longest, round(_TYPICAL_BLOCKS * median(lengths))), *lengths) if lengths else 1


def _broken(unit: Sequence[tuple[int, Segment, int]], capacity: int) -> list[list[Block]]:
    """The blocks of a unit on few lines, the lines about equally full."""
    lengths = [max(words, 1) for *_, words in unit]
    borders = [0, *_breaks(lengths, capacity), len(unit)]
    lines = []
    for first, last in pairwise(borders):
        parts = lengths[first:last]
        full = _FULL if len(borders) > 2 else min(_FULL, max(_FULL * sum(parts) / capacity, _NARROWEST * len(parts)))
        widths = _widths(parts, full)
        lefts = accumulate(widths, initial=0.0)
        lines.append([Block(*item, left, width) for item, left, width in zip(unit[first:last], lefts, widths, strict=False)])
    return lines


def _breaks(lengths: Sequence[int], capacity: int) -> list[int]:
    """Places of the blocks that begin a new line."""
    breaks: list[int] = []
    rest, used, first = sum(lengths), 0, 0
    lines = ceil(rest / capacity)
    for place, length in enumerate(lengths):
        lines = max(lines, ceil((len(lengths) - first) / _MOST_BLOCKS))
        if place > first and (place - first == _MOST_BLOCKS or (lines > 1 and used + length / 2 > rest / lines)):
            breaks.append(place)
            rest, used, first, lines = rest - used, 0, place, max(lines - 1, 1)
        used += length
    return breaks


def _widths(lengths: Sequence[int], full: float) -> list[float]:
    """Parts of a line by length; those that would be too narrow get the least width, and the others share what is left."""
    narrow: set[int] = set()
    while True:
        words = sum(length for place, length in enumerate(lengths) if place not in narrow)
        room = full - _NARROWEST * len(narrow)
        widths = [_NARROWEST if place in narrow else room * length / words for place, length in enumerate(lengths)]
        more = {place for place, width in enumerate(widths) if width < _NARROWEST - 1e-9} - narrow
        if not more or len(more) + len(narrow) == len(lengths):
            return widths
        narrow |= more


def _arcs(blocks: Sequence[Block], links: Sequence[Mapping[int, Span]]) -> tuple[Arc, ...]:
    here = {block.number: block for block in blocks}
    return tuple(_arc(block, here[other], span) for block in blocks for other, span in links[block.number].items() if other in here)


def _arc(needs: Block, gives: Block, span: Span) -> Arc:
    start, end = gives.place((span[0] + span[1]) // 2), needs.left + needs.width / 2
    rise = min(ARC_HEIGHT, _FLATTEST_ARC + abs(end - start) * 0.8)
    # A cubic curve reaches three quarters of the height of its two handles.
    top = ARC_HEIGHT - rise * 4 / 3 + 1
    curve = f"M{start:.2f},{ARC_HEIGHT:g} C{start:.2f},{top:.1f} {end:.2f},{top:.1f} {end:.2f},{ARC_HEIGHT:g}"
    return Arc(needs.number, gives.number, curve, f"M{start:.2f},{ARC_HEIGHT:g}h0.001")


def _name(segment: Segment, units: int) -> str:
    """The heading without those above it, which have a line of their own; else what the unit is."""
    own = replace(segment.unit, parents=()).name
    return own or ("without heading" if units > 1 else "whole text")
