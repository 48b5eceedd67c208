"""Numbers as cells of a facts file hold them: chapters as books print them, places in a text, degrees of certainty."""

from __future__ import annotations

import re
import unicodedata

from chronotope.slices.fact import Confidence
from chronotope.text.structure.numerals import read_chinese, read_number

__all__ = ["read_certainty", "read_chapter", "read_whole"]

_WHOLE = re.compile(r"([-+−]?\d{1,9})(?:\.0+)?")
_ENGLISH = re.compile(r"(?:the\s+)?(?:chapter|chap|ch|stave|canto)\b[.:]?\s*(.+?)(?:\s*[:.—–]\s.*|[.:])?", re.IGNORECASE)
_CHINESE = re.compile(r"第?\s*([^\s第]+?)\s*[回章][\s:：.．、]*.*", re.DOTALL)
_CERTAINTY = re.compile(r"(\d{1,3}(?:[.,]\d+)?)\s*(%?)")
_DOUBTED = 0.5  # a certainty below this is low


def read_whole(text: str) -> int:
    """A whole number, also with the `.0` that spreadsheets add.

    Raises:
        ValueError: it is none.
    """
    found = _WHOLE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no whole number")
    return int(found[1].replace("−", "-"))


def read_chapter(text: str) -> int:
    """The number of a chapter, as a figure or as a book prints it.

    Raises:
        ValueError: it is none.

    >>> [read_chapter(text) for text in ("4", "IV", "Chapter 4", "chapter four", "第五回", "十二", "Ch. XII: The Fire")]
    [4, 4, 4, 4, 5, 12, 12]
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    if _WHOLE.fullmatch(plain):
        return read_whole(plain)
    printed = next((found[1] for form in (_ENGLISH, _CHINESE) if (found := form.fullmatch(plain))), plain)
    number = read_number(printed)
    number = read_chinese(printed) if number is None else number
    if number is None or number >= 10**9:
        raise ValueError(f"{text!r} is no whole number, and no chapter such as 'IV', 'chapter 4' or '第四回'")
    return number


def read_certainty(text: str) -> Confidence:
    """How sure a fact is: `high`, `low`, a number from 0 to 1, or one of a hundred with `%`; nothing is high.

    Raises:
        ValueError: it is none of these.

    >>> [read_certainty(text) for text in ("", "Low", "0.2", "0,9", "30 %")]
    ['high', 'low', 'low', 'high', 'low']
    """
    told = text.strip().lower()
    if told in ("high", ""):
        return "high"
    if told == "low":
        return "low"
    found = _CERTAINTY.fullmatch(told)
    share = float(found[1].replace(",", ".")) / (100 if found[2] else 1) if found else -1.0
    if not 0 <= share <= 1:
        raise ValueError(f"{text!r} must be high, low or a number from 0 to 1")
    return "low" if share < _DOUBTED else "high"
