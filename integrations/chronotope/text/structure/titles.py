"""Titles without a number, found without a contents page: only where many of the same shape stand far apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from chronotope.text.structure.contents import Headed
from chronotope.text.structure.english import is_title
from chronotope.text.structure.lines import Line, ends_sentence

__all__ = ["recurring_titles"]

_FEWEST, _MOST_WORDS = 3, 12
_TYPICAL_WORDS, _FEWEST_WORDS = 600, 120  # of the text between two titles
_TYPICAL_WIDE, _FEWEST_WIDE = 150, 40  # where two blank lines or more are above each
_NO_TITLE = re.compile(
    r"(?:the end|finis|fin|end|the end of .*|to be continued|by .*|copyright.*|[\[(].*[\])])[.!]?", re.IGNORECASE
)


def recurring_titles(lines: Sequence[Line], headed: Headed) -> list[int]:
    """Lines that are titles by their shape and their distance; none unless three or more agree."""
    candidates = [index for index in range(len(lines)) if _could_be(lines, headed, index)]
    wide = [index for index in candidates if lines[index].gap >= 2]
    capitals = [index for index in candidates if lines[index].text.isupper()]
    wide_capitals = [index for index in wide if lines[index].text.isupper()]
    for group in (wide_capitals, wide, capitals, candidates):
        spread = _far_apart(lines, group, wide=group is wide or group is wide_capitals)
        if len(spread) >= _FEWEST and len(spread) >= 0.6 * len(group):
            return spread
    return []


def _could_be(lines: Sequence[Line], headed: Headed, index: int) -> bool:
    """A short line alone, set as a title, between the end of one paragraph and the start of a long one."""
    line = lines[index]
    if not line.alone or headed[index] or line.size > _MOST_WORDS or index + 1 == len(lines):
        return False
    text = line.text.strip("_*=~ \u3000")
    if text.isalpha() and not text[0].isascii() and line.gap >= 2 and line.size > 1:
        return _text_below(lines, index + 1)
    if line.gap >= 2:
        text = text.removesuffix(".")
    if not is_title(text) or _NO_TITLE.fullmatch(text) or (not text.isupper() and text.endswith((".", "!", ":"))):
        return False
    settled = index == 0 or ends_sentence(lines[index - 1]) or line.gap >= 2
    return settled and _text_below(lines, index + 1)


def _text_below(lines: Sequence[Line], first: int) -> bool:
    """Whether running text follows, a short line of speech to begin with, perhaps."""
    last = min(first + 3, len(lines) - 1)
    return lines[last].words + lines[last].size - lines[first].words >= 20 and (
        not lines[first].alone or ends_sentence(lines[first])
    )


def _far_apart(lines: Sequence[Line], group: Sequence[int], *, wide: bool) -> list[int]:
    """The group without those that another follows closely; none if they are not far apart as a rule."""
    typical, fewest = (_TYPICAL_WIDE, _FEWEST_WIDE) if wide else (_TYPICAL_WORDS, _FEWEST_WORDS)
    gaps = _distances(lines, group)
    kept = [index for index, gap in zip(group, gaps, strict=True) if gap >= max(fewest, 0.1 * median(gaps))]
    return kept if kept and median(_distances(lines, kept)) >= typical else []


def _distances(lines: Sequence[Line], group: Sequence[int]) -> list[int]:
    end = lines[-1].words + lines[-1].size if lines else 0
    return [after - before for before, after in pairwise([*(lines[index].words for index in group), end])]
