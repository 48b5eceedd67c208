"""The citations that a text holds, as they are written: marks in square brackets and the words that stand with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["CitedWords", "read_marks"]

_PAIRS: Final = {
    '"': '"',
    "“": "”",
    "”": "”",
    "„": "“”",
    "«": "»",
    "‹": "›",
    "「": "」",
    "『": "』",
    "｢": "｣",
    "〝": "〞〟",
    "＂": "＂",
    "‘": "’",
    "'": "'",
}
_OPEN, _CLOSE = r"[\[［【〔]", r"[\]］】〕]"
_MARK = r"(?:(?:facts?|passages?|sources?|evidence|lines?)\s*)?#?\s*(?:P\s?)?\d{1,4}(?![\w])"
_SIGNS = "".join(_PAIRS)
_START = re.compile(_OPEN)
_END = re.compile(rf"\s*{_CLOSE}")
_BETWEEN = re.compile(r"\s*(?:[,;，；、&]|and\b|:|：)?\s*")
_ONE = re.compile(_MARK, re.IGNORECASE)
_RANGE = re.compile(r"\s*[-–—~]\s*(?:P\s?)?(\d{1,4})(?!\w)", re.IGNORECASE)
_DAY = r"-?\d{4}(?:-\d\d?){0,2}"
_DATE = re.compile(rf"{_OPEN}\s*(?:-?\d{{4}}(?:-\d\d?){{1,2}}|(?:{_DAY}|\.\.)/(?:{_DAY}|\.\.))\s*{_CLOSE}")
_AND = r"(?:\s*(?:[,;，；、&]|and\b)\s*|\s+)"
_AFTER_QUOTE = re.compile(rf"\s*{_CLOSE}|{_AND}?{_MARK}|{_AND}[{re.escape(_SIGNS)}]", re.IGNORECASE)
_STRANGE = re.compile(rf"[^\[\]［］【】〔〕{re.escape(_SIGNS)}]{{0,20}}[{re.escape(_SIGNS)}]")
_WHOLE = r"“([^“”]+)”|„([^„“”]+)[“”]|\"([^\"]+)\"|「([^「」]+)」|『([^『』]+)』|«([^«»]+)»|‘([^‘’]+)’"
_BEFORE = re.compile(rf"(?:{_WHOLE})[^\S\n]*[,.;:，。；：]?[^\S\n]*\Z")
_LONGEST = 5_000  # characters of a quotation
_LONGEST_RANGE = 100
_MOST = 500  # brackets of a text that are read; an answer with more is none


@dataclass(frozen=True)
class CitedWords:
    """One citation as it is written.

    Args:
        mark: `3` or `P1`, in capitals and without blanks; what stands in its place where it is no mark.
        quotes: the words that stand with it, a text for each quotation.
        problem: why it cannot be read; empty when it can.
    """

    mark: str
    quotes: tuple[str, ...] = ()
    problem: str = ""


def read_marks(text: str) -> Iterator[CitedWords]:
    """The citations of a text in their order; a bracket that is neither mark nor quotation, or holds a date, is none.

    >>> list(read_marks('Wed [1 "in the church"; P2], see [sic].'))
    [CitedWords(mark='1', quotes=('in the church',), problem=''), CitedWords(mark='P2', quotes=(), problem='')]
    """
    place = read = 0
    while found := _START.search(text, place):
        place, read = found.end(), read + 1
        if read > _MOST:
            yield CitedWords("…", problem=f"there are more than {_MOST} brackets; what follows was not read")
            return
        if _DATE.match(text, found.start()):
            continue
        if not _ONE.match(text, _blank_after(text, place)):
            if strange := _strange(text, place):
                yield CitedWords(strange, problem="it does not begin with the number of a line or passage")
            continue
        cited, end = _read_bracket(text, place)
        before = _quoted_before(text, found.start()) if not any(one.quotes for one in cited) else ()
        yield from (CitedWords(one.mark, one.quotes or before, one.problem) for one in cited)
        place = max(place, end)


def _read_bracket(text: str, place: int) -> tuple[list[CitedWords], int]:
    """Everything that a bracket cites, and where it ends. One that never closes, or holds something else, is a problem."""
    marks: list[tuple[list[str], list[str]]] = []
    place = _blank_after(text, place)
    while True:
        if end := _END.match(text, place):
            return [CitedWords(mark, tuple(filter(_says, quotes))) for names, quotes in marks for mark in names], end.end()
        at = _BETWEEN.match(text, place)
        place = at.end() if at else place
        if one := _ONE.match(text, place):
            names, place = _names(text, one)
            marks.append((names, []))
        elif marks and text[place : place + 1] in _PAIRS and (quoted := _quotation(text, place)):
            marks[-1][1].append(quoted[0])
            place = quoted[1]
        elif marks and (bare := _bare(text, place)):
            marks[-1][1].append(bare[0])
            place = bare[1]
        else:
            problem = "its bracket never closes"
            return [CitedWords(mark, tuple(quotes), problem) for names, quotes in marks for mark in names], place


def _says(quote: str) -> bool:
    return any(letter.isalnum() for letter in quote)


def _names(text: str, one: re.Match[str]) -> tuple[list[str], int]:
    """The marks that a number or a range of numbers stands for."""
    number = "".join(letter for letter in one[0] if letter.isdigit())
    series = "P" if re.search(r"P\s?\d", one[0], re.IGNORECASE) else ""
    until = _RANGE.match(text, one.end())
    low, high = int(number), int(until[1]) if until else int(number)
    names = [f"{series}{n}" for n in range(low, min(high, low + _LONGEST_RANGE) + 1)] or [f"{series}{low}"]
    return names, until.end() if until else one.end()


def _quotation(text: str, place: int) -> tuple[str, int] | None:
    """The words from an opening quotation mark to the one that closes it: behind that one the bracket ends or goes on to cite."""
    closing = _PAIRS[text[place]]
    for end in range(place + 1, min(len(text), place + _LONGEST)):
        if text[end] in closing and (_AFTER_QUOTE.match(text, end + 1) or text[end + 1 : end + 2] == text[place]):
            return text[place + 1 : end], end + 1
    return None


def _bare(text: str, place: int) -> tuple[str, int] | None:
    """Words without quotation marks, up to the end of the bracket."""
    end = re.compile(_CLOSE).search(text, place, place + _LONGEST)
    if end is None or "\n\n" in text[place : end.start()]:
        return None
    return text[place : end.start()].strip(), end.start()


def _quoted_before(text: str, place: int) -> tuple[str, ...]:
    found = _BEFORE.search(text[max(0, place - _LONGEST) : place])
    return tuple(words for words in found.groups() if words) if found else ()


def _strange(text: str, place: int) -> str:
    """What stands where a mark should be, in a bracket that looks like a citation: a word or two, then a quotation."""
    found = _STRANGE.match(text, place)
    return found[0][:-1].strip() if found else ""


def _blank_after(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place
