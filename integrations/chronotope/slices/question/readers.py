"""How far the reader has read, as a question says it: "what the reader knows at chapter 9", "no spoilers after chapter 9"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

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

_CLAUSE = r"[^.?!;]"
_NOT_READ = re.compile(
    rf"(?:[,(]\s*)?(?:\b(?:i|we)\s+)?\b(?:ha(?:ve|s)\s*(?:n['’]t|\s+not|\s+never)|(?:did|do)\s*n['’]t|not\s+yet|never)\s+(?:yet\s+|even\s+)?"
    rf"(?:read(?:ing)?|got(?:ten)?|get|reach(?:ed)?|been|gone|finish(?:ed)?|start(?:ed)?|seen)\s*(?:it\s+|the\s+(?:book|story|novel)\s+)?"
    rf"(?P<side>past|beyond|after|further\s+than|farther\s+than|(?:up\s+)?to|as\s+far\s+as|until|till)?\s*{_CHAPTER}(?:\s+yet)?\)?[.,;:]?",
    _I,
)
_STOPPED = re.compile(
    rf"\b(?:i|we)(?:['’](?:m|ve|re)|\s+(?:am|are|have))?\s+(?:just\s+|only\s+)?(?P<side>stopped|paused|left\s+off|half[-\s]?way|in\s+the\s+middle)\s+"
    rf"(?:reading\s+)?(?P<where>at|with|after|in|before|through|of)?\s*{_CHAPTER}[.,;:]?",
    _I,
)
_SO_MANY = re.compile(
    rf"(?:[,(]\s*)?\b(?:having\s+(?:only\s+)?read|(?:i|we)(?:['’]ve|\s+have)?\s+(?:only\s+|just\s+)?read|(?:using|knowing|based\s+on|given|from|with)\s+(?:only|just|nothing\s+but))\s+"
    rf"(?:only\s+|just\s+)?(?:the\s+)?(?:chapters?\s*{NUMBER}\s*(?:-|–|—|to|through|and)\s*(?P<number>{NUMBER})\b|first\s+(?P<count>{NUMBER})\s+chapters)(?:\s+(?:only|alone))?\)?[.,;:]?",
    _I,
)
_LEARNT = re.compile(  # "what does the reader know about her by chapter 5": only the end of it is taken out
    rf"\b(?:readers?\s+(?:already\s+|only\s+|been\s+|has\s+)*(?:{_KNOWS}|told|know|learned|learnt){_CLAUSE}{{0,80}}?"
    rf"|(?:we|i|one|you)\s+(?:already\s+|only\s+|been\s+)*(?:know|learn|learned|learnt|told){_CLAUSE}{{0,80}}?(?=\b(?:by|up\s+to|until|till|as\s+of|at\s+the\s+(?:end|close|start|beginning))\b))"
    rf"\b(?P<tail>{_UP_TO}\s+{_CHAPTER})",
    _I,
)
_LEARNT_LATER = re.compile(  # "by chapter 5, what do we know about her"
    rf"\b(?P<tail>(?P<side>at|by|up\s+to|until|till|as\s+of)\s+{_CHAPTER})\s*,?\s*(?={_CLAUSE}{{0,40}}\b(?:readers?|we|i|one|you)\s+(?:already\s+|only\s+)*(?:{_KNOWS}|know|learned|learnt|been\s+told)\b)",
    _I,
)
_SPOILING = re.compile(r"\bspoil\w*", _I)
_SPOILED = re.compile(
    rf"(?P<side>\b(?:after|past|beyond|later\s+than|up\s+to|as\s+far\s+as|until|till|through)\s+)?{_CHAPTER}(?P<on>\s+on(?:wards?)?)?",
    _I,
)
_NOT_READ_ZH = re.compile(
    rf"(?:我|[讀读]者)?(?:目前)?(?:[還还]|從|从|尚)*(?:沒有?|没有?|未)(?:[讀读看])(?:到|完|過|过|至)*{_N}(?P<side>(?:之|以)?[後后])?(?:的)?(?:[內内]容|情[節节])?[，,]?"
)
_SO_MANY_ZH = re.compile(
    rf"(?:我|[讀读]者)?(?:目前|只|[剛刚]|才|已[經经]?)*(?:[讀读看])(?:了|過|过|完)*前?(?P<number>{CHINESE_NUMBER}+)[回章][，,]?|前(?P<count>{CHINESE_NUMBER}+)[回章]的?(?=[讀读]者)"
)
_LEARNT_ZH = re.compile(
    rf"(?:截?[在到至])?{_N}(?:的)?(?:[為为]止|[結结]束(?:[時时]|之後)?|末尾?|[時时])?[，,]?(?=(?:我[們们]|[讀读]者)[^。？！]{{0,10}}(?:知道|得知|[瞭了]解|所知))"
)
_HIDDEN_ZH = re.compile(
    rf"[，,（(]?(?:[請请])?(?:不(?:要|可)?|別|别|勿|避免)(?:透露|洩露|泄露|泄漏|[說说]出|告[訴诉]我)[^。？！，]{{0,6}}?{_N}(?P<side>(?:之|以)?[後后])?(?:的)?(?:[內内]容|情[節节])?[）)]?[，,]?"
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
    found += [*_not_read(text), *_learnt(text)]
    found = found or _spoiled(text)
    return min(found, key=lambda phrase: (phrase.chapter, phrase.span)) if found else None


def _not_read(text: str) -> Iterator[ReaderPhrase]:
    """How far one has read, as one says it of oneself: "I haven't read past chapter 5", 我只看了前五回."""
    for match in _NOT_READ.finditer(text):
        number, side = read_number(match["number"]), (match["side"] or "").lower()
        if number is not None:
            yield ReaderPhrase(
                match.span(), number if side in ("past", "beyond", "after", "further than", "farther than") else number - 1
            )
    for match in _STOPPED.finditer(text):
        number = read_number(match["number"])
        inside = (match["where"] or "").lower() in ("before", "through", "of") or (match["point"] or "end").lower() not in (
            "end",
            "close",
        )
        if number is not None:
            yield ReaderPhrase(match.span(), number - 1 if inside else number)
    yield from _so_many(text)


def _so_many(text: str) -> Iterator[ReaderPhrase]:
    """The last of the chapters that one has read, or the last before those that one has not."""
    for form in (_SO_MANY, _SO_MANY_ZH):
        for match in form.finditer(text):
            written = match["number"] or match["count"]
            number = read_number(written) or read_chinese(written)
            if number is not None:
                yield ReaderPhrase(match.span(), number)
    for form in (_NOT_READ_ZH, _HIDDEN_ZH):
        for match in form.finditer(text):
            number = read_chinese(match["number"])
            if number is not None:
                yield ReaderPhrase(match.span(), number if match["side"] else number - 1)


def _learnt(text: str) -> Iterator[ReaderPhrase]:
    """Until when what the reader knows is asked for; the words between stay in the question."""
    for form in (_LEARNT, _LEARNT_LATER):
        for match in form.finditer(text):
            phrase = _english(match)
            if phrase is not None:
                yield replace(phrase, span=match.span("tail"))
    for match in _LEARNT_ZH.finditer(text):
        number = read_chinese(match["number"])
        if number is not None:
            yield ReaderPhrase(match.span(), number)


def _spoiled(text: str) -> list[ReaderPhrase]:
    """Where a text speaks of spoilers in words that nothing else reads: the earliest chapter that it may mean."""
    found: list[ReaderPhrase] = []
    for match in _SPOILED.finditer(text) if _SPOILING.search(text) else ():
        number = read_number(match["number"])
        if number is not None:
            found.append(ReaderPhrase(match.span(), number if match["side"] else number - 1))
    return found


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
