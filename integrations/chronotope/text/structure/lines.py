"""A text as lines that hold something, with the white space around them and the words before them counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chronotope.text.structure.words import count_words

__all__ = ["EDGE", "Line", "ends_sentence", "is_divider", "is_prose", "is_speech", "read_lines", "run_length"]

EDGE = 9  # blank lines that the edge of a text counts for
_LONGEST = 600  # characters of a line that are looked at; no heading is longer
_LINE = re.compile(r"[^\r\n\f]+|\r\n|\n|\r|\f")
_SENTENCE_END = re.compile(r"[.!?…。！？．；:：—–-]['\"”’»」』）)\]_*]*$|[”’\"』」]$")
_SPEECH = re.compile(r"[“\"‘'].*[,.!?—-](?:[”\"]|[’'](?!\w)).*", re.DOTALL)
_DIVIDERS = re.compile(
    r"(?:[*＊✱⁎∗✻✽]\s*)+|[-–—‐_=~─━＝－～](?:\s*[-–—‐_=~─━＝－～]){2,}|(?:[·•‧・∙]\s*){2,}|[⁂❦❧☙§#◆◇■□●○★☆※♦♢❖◊](?:\s*[⁂❦❧☙§#◆◇■□●○★☆※♦♢❖◊])*"
    r"|—{2,}"
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that holds something.

    Args:
        start: its first character that is no white space.
        end: first character after its last that is none.
        text: what it says, without white space around it; cut where no heading is so long.
        gap: blank lines before it.
        after: blank lines after it.
        words: words of the text before it.
        size: words in it.
        indent: characters of white space before it.
    """

    start: int
    end: int
    text: str
    gap: int
    after: int
    words: int
    size: int
    indent: int

    @property
    def alone(self) -> bool:
        """Whether blank lines stand around it."""
        return self.gap > 0 and self.after > 0


def read_lines(text: str, start: int, end: int) -> list[Line]:
    """The lines of `text[start:end]` that are not blank, in order; a form feed counts as several blank lines."""
    start += text.startswith("\ufeff", start)
    found: list[Line] = []
    gap, words, pending = EDGE, 0, None
    for begin, stop, breaks in _raw_lines(text, start, end):
        if begin == stop:
            gap += breaks
            continue
        if pending is not None:
            found.append(_line(text, pending[0], pending[1], pending[2], gap, words))
            words += found[-1].size
        pending, gap = (begin, stop, gap), 0
    if pending is not None:
        found.append(_line(text, pending[0], pending[1], pending[2], EDGE, words))
    return found


def _raw_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Each line's span without its break, empty when it is blank, with the blank lines that it counts for."""
    content: tuple[int, int] | None = None
    for match in _LINE.finditer(text, start, end):
        if match[0][0] not in "\r\n\f":
            content = match.span()
            continue
        if content and not text[content[0] : content[1]].isspace():
            yield (*content, 0)
            if match[0] == "\f":
                yield (match.end(), match.end(), 3)
        else:
            yield (match.end(), match.end(), 3 if match[0] == "\f" else 1)
        content = None
    if content and not text[content[0] : content[1]].isspace():
        yield (*content, 0)


def _line(text: str, begin: int, stop: int, gap: int, after: int, words: int) -> Line:
    raw = text[begin:stop]
    first = begin + len(raw) - len(raw.lstrip())
    last = stop - len(raw) + len(raw.rstrip())
    return Line(first, last, text[first : min(last, first + _LONGEST)], gap, after, words, count_words(raw), first - begin)


def is_divider(line: Line) -> bool:
    """Whether the line is a printed break between scenes: asterisks, a rule, an ornament."""
    return line.end - line.start <= 120 and bool(_DIVIDERS.fullmatch(line.text))


def is_speech(line: Line) -> bool:
    """Whether the line is a speech with its quotation marks and a stop before the last of them."""
    return line.size >= 3 and bool(_SPEECH.fullmatch(line.text))


def ends_sentence(line: Line) -> bool:
    """Whether a sentence may end where the line ends."""
    return line.end - line.start > _LONGEST or bool(_SENTENCE_END.search(line.text[-8:]))


def run_length(lines: Sequence[Line], first: int, headed: Sequence[object | None], limit: int = 60) -> int:
    """How many lines stand together from `first` on: no blank line and no printed heading between them."""
    last = first
    while last + 1 < len(lines) and lines[last].after == 0 and not headed[last + 1] and last - first < limit:
        last += 1
    return last - first + 1


def is_prose(lines: Sequence[Line], first: int, headed: Sequence[object | None]) -> bool:
    """Whether a paragraph of running text starts at the line: long, or wrapped in the middle of its sentences.

    Args:
        lines: of the text.
        first: index of the line.
        headed: for each line what it reads as a heading, if anything.
    """
    if headed[first]:
        return False
    if lines[first].size >= 25:
        return True
    run = lines[first : first + run_length(lines, first, headed)]
    if len(run) < 2 or sum(line.size for line in run) < 18:
        return False
    wide = sum(line.end - line.start for line in run[:-1]) >= 40 * (len(run) - 1)
    flowing = 2 * sum(not ends_sentence(line) for line in run[:-1]) >= len(run) - 1
    return wide and flowing and any(line.text[0].islower() for line in run[1:])
