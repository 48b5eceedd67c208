"""Titles without a number, found without a contents page: only where many of the same shape stand far apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from chronotope.text.structure.chinese import is_chinese_title
from chronotope.text.structure.contents import Headed
from chronotope.text.structure.english import is_quoted_title, is_title
from chronotope.text.structure.lines import Line, ends_sentence, is_prose

__all__ = ["is_no_title", "recurring_titles"]

_FEWEST, _MANY, _MOST_WORDS = 3, 5, 24
_TYPICAL_WORDS, _FEWEST_WORDS = 600, 120  # of the text between two titles
_TYPICAL_MANY, _FEWEST_MANY = 100, 30  # where many titles, none of them twice, look like the one that the text opens with
_TYPICAL_WIDE, _FEWEST_WIDE = 100, 40  # where two blank lines or more are above each
_NO_TITLE = re.compile(
    r"(?:the end|finis|fin|end|the end of .*|to be continued|by .*|copyright.*|[\[(].*[\])])[.!]?", re.IGNORECASE
)
_CONTINUED = re.compile(r"\s*[-–—]*\s*[_(\[]*continued[_)\].]*$", re.IGNORECASE)
_CHINESE_MARKS = "〈〉《》【】「」『』 \u3000"


def recurring_titles(lines: Sequence[Line], headed: Headed) -> list[int]:
    """Lines that are titles by their shape and their distance; none unless three or more agree.

    They look alike, and like the one that stands above the first running text, if one does.
    """
    candidates = [index for index in range(len(lines)) if _could_be(lines, headed, index)]
    leads = _leads(lines, headed, candidates)
    known, often = set(candidates), Counter(lines[index].text for index in candidates)
    candidates = [
        index
        for index in candidates
        if (index - 1 not in known or index in leads) and often[lines[index].text] <= max(2, len(candidates) // 2)
    ]
    for group in _styles(lines, headed, candidates):
        if leads and leads.isdisjoint(group):
            continue
        spread = _far_apart(lines, group, led=bool(leads))
        if len(spread) >= _FEWEST and len(spread) >= 0.6 * len(group):
            return _completed(lines, headed, spread)
    return []


def _styles(lines: Sequence[Line], headed: Headed, candidates: Sequence[int]) -> Iterator[list[int]]:
    """Groups of titles that are set alike, the clearest first: what stands below the heading of a part says nothing of the gap."""
    wide = [index for index in candidates if lines[index].gap >= 2]
    clear = sum(not index or not headed[index - 1] for index in wide) >= _FEWEST
    for some in ([wide] if clear else []) + [list(candidates)]:
        for style in sorted({_style(lines[index]) for index in some}):
            yield [index for index in some if _style(lines[index]) == style]
        yield some


def _style(line: Line) -> str:
    text = _CONTINUED.sub("", line.text)
    if text.isupper():
        return "capitals"
    return "couplet" if _is_couplet(text) else "title"


def _leads(lines: Sequence[Line], headed: Headed, candidates: Sequence[int]) -> set[int]:
    """The titles before the first running text."""
    prose = next((index for index in range(len(lines)) if is_prose(lines, index, headed)), len(lines))
    return {index for index in candidates if index < prose}


def _could_be(lines: Sequence[Line], headed: Headed, index: int) -> bool:
    """A short line alone, set as a title, between the end of one paragraph and the start of a long one."""
    line = lines[index]
    if headed[index] or line.size > _MOST_WORDS or index + 1 == len(lines):
        return False
    text = _CONTINUED.sub("", line.text).replace("_", "").strip("*=~ \u3000")
    settled = index == 0 or line.gap >= 2 or ends_sentence(lines[index - 1]) or bool(headed[index - 1])
    if text and not text[0].isascii() and _is_chinese_name(text, line, lines[index + 1]):
        return settled and _text_below(lines, index + 1)
    if line.gap >= 2:
        text = text.removesuffix(".")
    if not line.alone or not is_title(text) or is_no_title(text) or (not text.isupper() and text.endswith((".", "!", ":"))):
        return False
    return settled and _text_below(lines, index + 1)


def is_no_title(text: str) -> bool:
    """Whether the words close a book, name its author or stand for a picture."""
    return bool(_NO_TITLE.fullmatch(text))


def _is_chinese_name(text: str, line: Line, below: Line) -> bool:
    """A couplet, or a few characters alone on their line, or above a line that is indented."""
    inner = text.strip(_CHINESE_MARKS)
    if _is_couplet(inner):
        return True
    letters = sum(character.isalpha() for character in inner)
    alone = line.alone or (line.gap > 0 and below.indent > line.indent and below.size > 2 * line.size)
    return alone and 2 <= letters <= 12 and letters >= len(inner) - 3 and is_chinese_title(inner)


def _is_couplet(text: str) -> bool:
    halves = text.split()
    return (
        len(halves) == 2
        and 5 <= len(halves[0]) <= 10
        and all(half.isalpha() and not half[0].isascii() for half in halves)
        and (len(halves[0]) == len(halves[1]))
    )


def _text_below(lines: Sequence[Line], first: int) -> bool:
    """Whether running text follows, a few short lines of speech to begin with, perhaps."""
    last = min(first + 7, len(lines) - 1)
    return lines[last].words + lines[last].size - lines[first].words >= 20 and (
        not lines[first].alone or ends_sentence(lines[first])
    )


def _far_apart(lines: Sequence[Line], group: Sequence[int], *, led: bool) -> list[int]:
    """The group without those that another follows closely; none if they are not far apart as a rule."""
    if not group:
        return []
    typical, fewest = _TYPICAL_WORDS, _FEWEST_WORDS
    if all(lines[index].gap >= 2 or _is_couplet(lines[index].text) for index in group):
        typical, fewest = _TYPICAL_WIDE, _FEWEST_WIDE
    elif led and len(group) >= _MANY and len({lines[index].text for index in group}) >= 0.8 * len(group):
        typical, fewest = _TYPICAL_MANY, _FEWEST_MANY
    gaps = _distances(lines, group)
    kept = [index for index, gap in zip(group, gaps, strict=True) if gap >= max(fewest, 0.1 * median(gaps))]
    return kept if kept and median(_distances(lines, kept)) >= typical else []


def _completed(lines: Sequence[Line], headed: Headed, titles: Sequence[int]) -> list[int]:
    """The titles with those that are set apart as they are, though their words alone would not do: a cry, a quotation."""
    gap = min(lines[index].gap for index in titles)
    known = set(titles)
    near = {index + step for index in titles for step in (-1, 1)}
    more = [
        index
        for index in range(titles[0], len(lines) - 1)
        if index not in known and index not in near and not headed[index] and lines[index].alone and lines[index].gap >= gap
        if lines[index].size <= _MOST_WORDS and _is_bold_title(lines[index].text, wide=gap >= 2) and _text_below(lines, index + 1)
    ]
    return sorted([*titles, *more])


def _is_bold_title(text: str, *, wide: bool) -> bool:
    inner = text.strip("_*=~ ").removesuffix("!").removesuffix("?") if wide else text.strip("_*=~ ")
    if is_quoted_title(inner) and (wide or inner[-2].isalnum()):
        return len(inner.split()) >= 2 or wide
    plain = inner[:1].isupper() and len(inner.split()) <= 12 and not inner.endswith((".", ",", ";", ":", "”", '"'))
    return wide and (is_title(inner) or plain) and not is_no_title(inner)


def _distances(lines: Sequence[Line], group: Sequence[int]) -> list[int]:
    end = lines[-1].words + lines[-1].size if lines else 0
    return [after - before for before, after in pairwise([*(lines[index].words for index in group), end])]
