"""Whether an answer says what it should, by its letters alone: the same verdict on every machine, in any language."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

__all__ = ["plain", "says"]

_ARTICLES = frozenset({"a", "an", "the"})


def plain(text: str) -> str:
    """A text without case, width, marks and articles: words with one blank between them.

    >>> plain("  The  Garden’s GATE. "), plain("「紫鵑。」")
    ('garden s gate', '紫鵑')
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = "".join(sign if sign.isalnum() else " " for sign in folded).split()
    return " ".join(word for word in words if word not in _ARTICLES)


def says(answer: str, wanted: Iterable[str]) -> bool:
    """True when an answer holds one of the wanted texts as whole words, or (in a script that does not part words) anywhere.

    Args:
        answer: what was answered.
        wanted: texts of which each is a right answer; of one without a letter or digit nothing is asked.

    >>> says("It was Ann Lee, in chapter 3.", ["Ann Lee"]), says("Annabel", ["Ann"]), says("是紫鵑所說。", ["紫鵑"])
    (True, False, True)
    """
    said = plain(answer)
    return any(_holds(said, words) for text in wanted if (words := plain(text)))


def _holds(said: str, words: str) -> bool:
    if any(_stands_alone(sign) for sign in words):
        return words.replace(" ", "") in said.replace(" ", "")
    return f" {words} " in f" {said} "


def _stands_alone(sign: str) -> bool:
    """True for signs of scripts that put no blanks between words: Han, kana."""
    return "\u3040" <= sign <= "\u30ff" or "\u3400" <= sign <= "\u9fff" or sign >= "\U00020000"
