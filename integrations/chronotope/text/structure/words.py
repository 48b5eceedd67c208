"""What counts as a word, in scripts with and without spaces."""

from __future__ import annotations

import re

__all__ = ["count_words", "word_starts"]

_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_IDEOGRAPHS}]|[^\s{_IDEOGRAPHS}\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+")


def count_words(text: str) -> int:
    """Words between white space; each Chinese or Japanese character counts as one.

    >>> count_words("It was late."), count_words("夜深了。 OK")
    (3, 4)
    """
    return len(text.split()) if text.isascii() else len(_WORD.findall(text))


def word_starts(text: str, start: int, end: int) -> list[int]:
    """Where the words in `text[start:end]` begin."""
    return [match.start() for match in _WORD.finditer(text, start, end)]
