"""Text cut into words, numbers and marks, each with its place in the text."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["END", "Token", "tokenize"]

_TOKEN = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])|\d+|[^\W\d_]+|[^\w\s]|_")
_LONGEST_NUMBER = 8  # longer runs of digits are no dates, and int() is not linear


class Token(NamedTuple):
    """A word (`kind` "w"), a number in digits ("n", `10,000` is one) or a single mark ("p")."""

    low: str
    kind: str
    start: int
    end: int
    glued: bool  # no blank before it
    capital: bool
    number: int  # -1 unless digits

    @property
    def width(self) -> int:
        """Number of characters, which for digits tells `07` from `7`."""
        return self.end - self.start


END = Token("", "end", -1, -1, False, False, -1)


def tokenize(text: str) -> list[Token]:
    """The tokens of a text, with four empty ones at the end so that a reader may always look ahead."""
    tokens, last = [], 0
    for match in _TOKEN.finditer(text):
        word, start, end = match[0], match.start(), match.end()
        if word[0].isdecimal():
            digits = word.replace(",", "")
            number = int(digits) if len(digits) <= _LONGEST_NUMBER else -1
            tokens.append(Token(word, "n", start, end, start == last, False, number))
        else:
            kind = "w" if word[0].isalpha() else "p"
            tokens.append(Token(word.lower(), kind, start, end, start == last, word[0].isupper(), -1))
        last = end
    tokens.extend((END, END, END, END))
    return tokens
