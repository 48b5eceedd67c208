"""What counts as something to read, and signs that no store or endpoint can carry."""

from __future__ import annotations

import re

__all__ = ["clean", "is_blank"]

_UNSENDABLE = re.compile("[\ud800-\udfff\x00]")
_INK = re.compile(r"[^\s\ufeff\ufffd\u200b-\u200f\u2060]")


def clean(text: str) -> str:
    r"""The text with lone surrogates and NUL bytes replaced one for one, so that every offset stays valid.

    >>> clean("a\x00b") == "a\ufffdb"
    True
    """
    return _UNSENDABLE.sub("\ufffd", text)


def is_blank(text: str) -> bool:
    r"""True when there is nothing to read: white space, byte order marks, and signs that stand for no character.

    >>> is_blank(" \n\ufeff"), is_blank(" a ")
    (True, False)
    """
    return _INK.search(text) is None
