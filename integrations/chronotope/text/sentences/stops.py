"""Places where a sentence may end: a stop, the signs that close behind it, and what comes next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["QUOTES", "Stop", "candidates", "is_cjk", "read_stop"]

QUOTES = frozenset("\"'“”‘’«»„‚「」『』")
_FULL_WIDTH = "。！？．｡"
_STOPS = ".!?…‼⁇⁈⁉؟۔।॥։።" + _FULL_WIDTH
# Signs that open in one country close in another („so“, »so«): behind a stop they close unless a letter follows at once.
_CLOSERS = r"""(?:["'”’»)\]}」』》〉）】_*]|[“‘«](?=[\s,.;:)—–]|\Z)|[ \xa0\u202f]»(?![^\W_]))*"""
_NEW_PARAGRAPH = r"\n[^\S\n]*\n|\n\u3000\u3000"
_CANDIDATE = re.compile(
    rf"(?P<mark>[{_STOPS}]+(?:[ \xa0][.…]++(?![^\W_]))*"
    r"|\](?=_?[^\S\n]*\n)"  # a stage direction ends with its line
    r"|[—-](?=[\"”’»]\s+[\"“‘«]))"  # one speaker breaks in on the other
    rf"(?P<closers>{_CLOSERS})(?P<dash>(?:[—–]|--)*)(?P<gap>\s*)|(?:{_NEW_PARAGRAPH})\s*"
)
_LEAD = re.compile(r"""[\s"'“”‘’«»„‚「『《〈（(\[{_*¿¡—–….-]{0,12}""")
_SPACE = re.compile(r"\s*")
_PARAGRAPH = re.compile(_NEW_PARAGRAPH)
_CJK = re.compile("[\u2e80-\u30ff\uff00-\uffef\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop in its surroundings.

    Args:
        text: all of the text.
        begin: first character of the sentence that it may end.
        at: where the stop stands.
        mark: the stop, or several in a row; empty where a paragraph ends without one.
        closers: quotation marks and brackets that close right behind it.
        dash: dashes right behind those.
        gap: white space behind those.
        after: where the next sentence would start.
        lead: quotation marks, brackets and dashes that stand there.
        first: the first sign behind them; empty at the end of the text.
    """

    text: str
    begin: int
    at: int
    mark: str
    closers: str
    dash: str
    gap: str
    after: int
    lead: str
    first: str

    @property
    def ends_paragraph(self) -> bool:
        """True where the paragraph ends as well, with a stop or without."""
        return not self.mark or ("\n" in self.gap and _PARAGRAPH.search(self.gap) is not None)

    @property
    def is_cjk(self) -> bool:
        """True where Chinese and Japanese print rules: a full-width stop, or any stop between their letters."""
        if not self.mark.isascii() and any(sign in _FULL_WIDTH for sign in self.mark):
            return True
        return self.at > 0 and is_cjk(self.text[self.at - 1]) and (bool(self.gap) or is_cjk(self.first))

    @property
    def is_ellipsis(self) -> bool:
        """True for three dots; a fourth is the full stop."""
        return self.mark.endswith("…") or self.mark.count(".") == 3

    @property
    def closes_quote(self) -> bool:
        """True when a quotation ends with the stop."""
        return not QUOTES.isdisjoint(self.closers)

    @property
    def opens_quote(self) -> bool:
        """True when a quotation starts behind the stop."""
        return not QUOTES.isdisjoint(self.lead)

    @property
    def next_at(self) -> int:
        """The first sign of the next sentence behind its quotation marks."""
        return self.after + len(self.lead)

    def closing_at(self, end: int) -> Stop:
        """The stop with all up to that place as its closers; what stands behind opens the next sentence."""
        gap = _SPACE.match(self.text, end)
        after = gap.end() if gap else end
        closers = self.text[self.at + len(self.mark) : end]
        return Stop(self.text, self.begin, self.at, self.mark, closers, "", self.text[end:after], after, *_next(self.text, after))


def is_cjk(sign: str) -> bool:
    """True for a Chinese or Japanese letter."""
    return _CJK.match(sign) is not None


def candidates(text: str) -> Iterator[re.Match[str]]:
    """Every stop and every end of a paragraph, in order."""
    return _CANDIDATE.finditer(text)


def read_stop(found: re.Match[str], begin: int) -> Stop:
    """A candidate in its surroundings, for the sentence that begins there."""
    mark, closers, dash, gap = (part or "" for part in found.group("mark", "closers", "dash", "gap"))
    return Stop(found.string, begin, found.start(), mark, closers, dash, gap, found.end(), *_next(found.string, found.end()))


def _next(text: str, after: int) -> tuple[str, str]:
    lead = _LEAD.match(text, after)
    end = lead.end() if lead else after
    return text[after:end], text[end : end + 1]
