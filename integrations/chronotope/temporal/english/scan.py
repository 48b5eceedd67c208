"""One pass over one text: its tokens, its frame, and what was already read at each token."""

from __future__ import annotations

from collections.abc import Callable

from chronotope.temporal.english.tokens import tokenize
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.reading import Reading

__all__ = ["Scan"]

DEEPEST = 5  # "the first day of the last week of next year" nests twice; a page of "of the first day of" must not overflow


class Scan:
    """Reads times at token positions, each position once, through the readers that its first token allows."""

    __slots__ = ("_depth", "_memo", "_read", "frame", "text", "tokens")

    def __init__(self, text: str, frame: Frame, read: Callable[[Scan, int], Reading | None]) -> None:
        self.text, self.frame, self.tokens = text, frame, tokenize(text)
        self._read, self._memo, self._depth = read, dict[int, Reading | None](), 0

    def atom(self, i: int) -> Reading | None:
        """The longest time that begins at a token, without cues and ranges."""
        if i in self._memo:
            return self._memo[i]
        if self._depth >= DEEPEST:
            return None
        self._depth += 1
        found = self._read(self, i)
        self._depth -= 1
        self._memo[i] = found
        return found
