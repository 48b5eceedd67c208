"""Where in a text the words of a quotation stand, and whether a name stands there as a word of its own."""

from __future__ import annotations

import re
from bisect import bisect_left

from chronotope.text import Span, is_quoted

__all__ = ["is_pronoun", "quoted_span", "stands_in", "tells"]

_PRONOUN = re.compile(
    r"(?:I|me|my|mine|he|she|it|they|we|you|him|her|them|his|hers|its|their|theirs|our|your|us|who|whom|this|that|these|those|"
    r"himself|herself|themselves|someone|somebody|nobody|everyone|none|null|unknown|one|"
    r"[我你您他她它吾汝](?:们|們)?|此|彼|谁|誰|自己|某人)",
    re.IGNORECASE,
)
_UNIT = re.compile("[\u2e80-\u9fff]|[^\\W_\u2e80-\u9fff]+")
_HAN = re.compile("[\u2e80-\u9fff]")


def quoted_span(quote: str, text: str) -> Span | None:
    """A stretch of a text that holds the words of a quotation as `is_quoted` sees them, and nothing else; None without one.

    The words as they are told come before those in other quote marks, case or white space; of either the first.

    >>> text = "So it was: the  King\u2019s men left."
    >>> text[slice(*quoted_span("The king's men", text))]
    'the  King’s men'
    """
    if not is_quoted(quote, text):
        return None
    words = quote.strip()
    start = text.find(words)
    if start >= 0:
        return start, start + len(words)
    end = bisect_left(range(len(text) + 1), True, key=lambda stop: is_quoted(quote, text[:stop]))
    start = bisect_left(range(end + 1), True, key=lambda first: not is_quoted(quote, text[first:end])) - 1
    return start, end


def tells(quote: str) -> bool:
    """True for words that can tell a fact: at least two, or two Chinese characters.

    >>> tells("Ann died"), tells("Ann"), tells("死了")
    (True, False, True)
    """
    return len(_UNIT.findall(quote)) > 1


def is_pronoun(name: str) -> bool:
    """True for a word that stands for a name, and for what models write in its place."""
    return _PRONOUN.fullmatch(name.strip()) is not None


def stands_in(name: str, text: str) -> bool:
    """True when a text holds a name, and not only as a part of longer words.

    >>> stands_in("Al", "Also Ann."), stands_in("Ann", "Also Ann."), stands_in("宝玉", "贾宝玉来了。")
    (False, True, True)
    """
    if not is_quoted(name, text):
        return False
    if _HAN.search(name):
        return True
    words = r"\s+".join(re.sub(r"['’‘]", "['’‘]", re.sub("[-–—‑]", "[-–—‑]", re.escape(word))) for word in name.split())
    return re.search(rf"(?<![^\W_]){words}(?![^\W_])", text, re.IGNORECASE) is not None
