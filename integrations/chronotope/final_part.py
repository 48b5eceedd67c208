"""The answer out of a reply that reasons first: what comes behind the marker, piece by piece as the reply comes in."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator

__all__ = ["MARK", "MARK_NOTHING", "FinalPart"]

MARK = "ANSWER:"
MARK_NOTHING = "NO ANSWER:"
_MARK = re.compile(r"^[ \t>#*_`]*(?P<no>no[ \t]+)?answer[*_` \t]*[:：][*_` \t]*", re.IGNORECASE | re.MULTILINE)
_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_THINKS = "<think>"


class FinalPart:
    r"""Takes a reply in pieces and gives back only what a reader should see.

    Everything up to the first line that begins with the marker is held back, and so are the thoughts that some models put before
    their reply. A reply without a marker is given back whole when it ends, since it may be the answer itself.

    Args:
        marked: whether the prompt asked for the marker; else only thoughts are held back.

    >>> final = FinalPart()
    >>> [final.push("1. Scope: 1931.\nANS"), final.push("WER: In 19"), final.push("31 [2]."), final.finish()]
    ['', 'In 19', '31 [2].', '']
    """

    def __init__(self, *, marked: bool = True) -> None:
        self.text = ""
        """What was given back so far."""
        self.is_answer = True
        """False once the reply says that the sources do not tell it."""
        self.has_marker = False
        """True once the marker was seen."""
        self._marked = marked
        self._held = ""
        self._open = False

    def push(self, piece: str) -> str:
        """What of the reply so far is for the reader and was not given back yet."""
        if self._open:
            return self._given(piece)
        self._held += piece
        rest = self._behind_thoughts()
        if rest is None:
            return ""
        if self._marked:
            found = _MARK.search(rest)
            if found is None:
                return ""
            self.has_marker, self.is_answer = True, found["no"] is None
            rest = rest[found.end() :]
        rest = rest.lstrip()
        self._open = bool(rest)
        self._held = "" if self._open else self._held
        return self._given(rest)

    def finish(self) -> str:
        """What is left when the reply has ended: all of it where no marker came."""
        if self._open or self.has_marker:
            return ""
        rest = self._behind_thoughts()
        return self._given((self._held if rest is None else rest).strip())

    def over(self, pieces: Iterator[str]) -> Iterator[str]:
        """The reader's part of a stream."""
        for piece in pieces:
            if shown := self.push(piece):
                yield shown
        if shown := self.finish():
            yield shown

    async def aover(self, pieces: AsyncIterator[str]) -> AsyncIterator[str]:
        """The same, awaited."""
        async for piece in pieces:
            if shown := self.push(piece):
                yield shown
        if shown := self.finish():
            yield shown

    def whole(self, reply: str) -> str:
        """The reader's part of a reply that came in one piece."""
        return (self.push(reply) + self.finish()).strip()

    def _behind_thoughts(self) -> str | None:
        """What was held, without the thoughts at its beginning; None while they may go on."""
        begin = self._held.lstrip()
        if begin.startswith(_THINKS):
            thought = _THOUGHT.match(self._held)
            return None if thought is None else self._held[thought.end() :]
        return None if _THINKS.startswith(begin) else begin

    def _given(self, text: str) -> str:
        self.text += text
        return text
