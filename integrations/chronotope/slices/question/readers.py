"""How far the reader has read, as a question says it: "what the reader knows at chapter 9", "no spoilers after chapter 9"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chronotope.slices.question.names import Span
from chronotope.text.structure.numerals import CHINESE_NUMBER, NUMBER, read_chinese, read_number

__all__ = ["ReaderPhrase", "reader_phrase"]

_I = re.IGNORECASE
_POINT = r"(?:the\s+)?(?:very\s+)?(?:(?P<point>end|close|start|beginning|opening|middle)\s+of\s+)?"
_CHAPTER = rf"{_POINT}(?:chapters?|chap\.?|ch\.?)\s*(?P<number>{NUMBER})\b"
_UP_TO = r"(?P<side>at|by|up\s+to|until|till|as\s+of|as\s+far\s+as|in|after|through|to|on|before|by\s+the\s+time\s+of)"
_KNOWS = r"(?:knows?|knew|ha(?:s|ve)\s+(?:learn(?:ed|t)|been\s+told|read)|(?:can|could|may)\s+know)"
_ENGLISH = (
    re.compile(
        rf"(?:,\s*)?(?:\b(?:does|do|did|can)\s+)?(?:\b(?:of\s+|from\s+)?(?:(?:everything|all|what|whatever|anything)\s+(?:that\s+)?)?|\bas\s+|\bto\s+)?"
        rf"(?:the|a|any)\s+readers?\s+(?:who\s+)?(?:already\s+|only\s+)?{_KNOWS}\s+(?:so\s+far\s+)?{_UP_TO}\s+{_CHAPTER}",
        _I,
    ),
    re.compile(
        rf"(?:[,(]\s*)?\b(?:please\s+)?(?:(?:with(?:out)?|avoid(?:ing)?|give|with\s+no|but)\s+)?(?:no\s+|any\s+|me\s+no\s+)?(?:spoilers?|spoiling\s+(?:anything|me))\s*,?\s*(?:please\s*,?\s*)?"
        rf"(?:for\s+|from\s+|of\s+|about\s+)?(?:anything\s+|what\s+(?:comes|happens)\s+)?(?P<side>after|past|beyond|later\s+than|before|from|for|of)\s+{_CHAPTER}(?P<on>\s+on(?:wards?)?)?\)?",
        _I,
    ),
    re.compile(
        rf"(?:[,(]\s*)?\b(?:please\s+)?(?:do\s+not|don['’]t)\s+(?:spoil|reveal|tell\s+me)\s+(?:anything\s+|me\s+anything\s+)?(?:that\s+(?:comes|happens)\s+)?(?P<side>after|past|beyond|from)\s+{_CHAPTER}(?P<on>\s+on(?:wards?)?)?\)?",
        _I,
    ),
    re.compile(
        rf"(?:[,(]\s*)?\bspoiler[- ]free\s*,?\s*(?P<side>up\s+to|until|till|through|to|at|as\s+of|before)\s+{_CHAPTER}\)?", _I
    ),
    re.compile(
        rf"\b(?:i(?:['’]ve|['’]m|\s+have|\s+am)?|we(?:['’]ve|\s+have|\s+are)?)\s+(?:only\s+|just\s+)?(?:read|got(?:ten)?|reached|finished|am|are|been\s+reading)?\s*"
        rf"(?:it\s+)?(?P<side>up\s+to|until|till|as\s+far\s+as|through|to|at|on|in|before)?\s*{_CHAPTER}(?:\s+so\s+far|\s+yet)?[.,;:]?",
        _I,
    ),
)
_N = rf"第?(?P<number>{CHINESE_NUMBER}+)[回章]"
_CHINESE = (
    re.compile(
        rf"[，,（(]?(?:[請请])?(?:不(?:要|可)?|別|别|勿|避免)[劇剧]透{_N}(?P<side>(?:之|以)?[後后]|以?前|起|[開开]始)?(?:的)?(?:[內内]容|情[節节])?[）)]?"
    ),
    re.compile(
        rf"[，,（(]?{_N}(?P<side>(?:之|以)[後后]|起|[開开]始)的?(?:[內内]容|情[節节])?(?:[請请])?(?:不(?:要|可)?|別|别|勿)[劇剧]透[）)]?"
    ),
    re.compile(
        rf"(?:我|[讀读]者)?(?:目前|只|[剛刚]|才|已[經经]?)*(?:[讀读看])(?:到|至|完)了?{_N}(?:[為为]止|的[時时]候|[時时])?(?:的)?(?:[讀读]者)?(?:所)?(?:知道|[瞭了]解)?(?:的)?[，,]?"
    ),
    re.compile(rf"(?:截至|[讀读]者到){_N}(?:[為为]止|[時时])?(?:[讀读]者)?(?:已)?(?:所知|知道)(?:的)?[，,]?"),
)


@dataclass(frozen=True)
class ReaderPhrase:
    """Words that say how far the reader is.

    Args:
        span: the words.
        chapter: the last chapter that the reader knows; one before the first where nothing is known.
    """

    span: Span
    chapter: int


def reader_phrase(text: str) -> ReaderPhrase | None:
    """How far the reader has read, None when the question does not say it; of several the earliest chapter, which is safe.

    >>> reader_phrase("Who is Ann's father? No spoilers after chapter 9, please.")
    ReaderPhrase(span=(21, 57), chapter=9)
    """
    found = [phrase for form in _ENGLISH for match in form.finditer(text) if (phrase := _english(match)) is not None]
    for form in _CHINESE:
        for match in form.finditer(text):
            number = read_chinese(match["number"])
            side = match.groupdict().get("side") or ""
            if number is not None:
                found.append(ReaderPhrase(match.span(), number - 1 if side in ("起", "開始", "开始", "前", "以前") else number))
    return min(found, key=lambda phrase: (phrase.chapter, phrase.span)) if found else None


def _english(match: re.Match[str]) -> ReaderPhrase | None:
    number = read_number(match["number"])
    if number is None:
        return None
    side, point = (match["side"] or "").lower(), (match["point"] or "").lower()
    starts = point in ("start", "beginning", "opening", "middle")
    before = side in ("before", "from") or bool(match.groupdict().get("on")) or starts
    return ReaderPhrase(_whole(match), number - 1 if before else number)


def _whole(match: re.Match[str]) -> Span:
    """The phrase with "please" and, where it is a sentence of its own, its full stop."""
    start, end = match.span()
    tail = re.compile(r"\s*,?\s*(?:please|thanks|thank\s+you)?\s*[.!]?", _I).match(match.string, end)
    alone = not match.string[:start].strip() or match.string[:start].rstrip()[-1] in ".?!"
    polite = tail is not None and re.search(r"\w", tail[0]) is not None
    return start, tail.end() if tail is not None and (alone or polite) else end
