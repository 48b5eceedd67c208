"""Chapters that a question names: "in chapters 3 to 5", "before chapter nine", "the first ten chapters", 第十七回, 前八十回."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from chronotope.slices.question.names import Span, apart
from chronotope.temporal.interval import Interval
from chronotope.text.structure.numerals import CHINESE_NUMBER, NUMBER, ORDINAL, read_chinese, read_number

__all__ = ["ChapterPhrase", "ChapterUse", "chapter_number", "chapter_phrases"]

ChapterUse: TypeAlias = Literal["play", "told", "read", "version"]

_I = re.IGNORECASE
_UNIT = r"(?:chapters?|chaps?\.?|chs?\.?)"
_NUM = rf"(?:(?:number|no\.|nr\.|\#)\s*)?{NUMBER}\b"
_LINK = r"(?:\s*(?:,\s*(?:and|or)\b|,|&|-|–|—|/|\band\b|\bor\b|\bto\b|\bthrough\b|\buntil\b|\btill\b|\bup\s+to\b|\bnor\b)\s*)"
_LIST = rf"{_UNIT}\s*{_NUM}(?:{_LINK}(?:{_UNIT}\s*)?{_NUM})*"
_RANKED = rf"(?:the\s+)?(?:{ORDINAL}|final|opening|closing)(?:{_LINK}(?:the\s+)?{ORDINAL})*\s+chapters?"
_COUNTED = rf"(?:the\s+)?(?:very\s+)?(?P<end>first|opening|last|final|closing)\s+(?P<count>{NUMBER})\s+chapters"
_STORY = r"(?:(?:of|in)\s+(?:the|this)\s+(?:whole\s+)?(?:book|novel|story|text|tale|work|narrative))"
_SIDE = (
    r"(?:(?:in\s+)?(?:every|all|any|each)(?:\s+of)?(?:\s+the)?(?:\s+other)?\s+chapters?\s+(?=except|other|but|apart|outside|before|after|since|until|from|up|exclud))?"
    r"(?P<side>before|prior\s+to|earlier\s+than|ahead\s+of|up\s+until|up\s+to|until|till|by|through|no\s+later\s+than|after|later\s+than|past|beyond|"
    r"following|since|from|starting\s+(?:from|with|in)|as\s+of|except(?:\s+for)?(?:\s+in)?|excluding|other\s+than|apart\s+from|besides|"
    r"outside(?:\s+of)?|not\s+(?:in|during)|but\s+not\s+(?:in|during)|anywhere\s+but|in|during|throughout|within|over|at|of|across|between|for)"
)
_POINT = r"(?:the\s+)?(?:very\s+)?(?:(?P<point>end|close|start|beginning|opening|time|events|course|middle)\s+of\s+)?"
_ENGLISH = re.compile(
    rf"(?:\b{_SIDE}\s+(?:both\s+|all\s+(?:of\s+)?)?)?{_POINT}(?P<which>{_COUNTED}|\b{_LIST}|\b{_RANKED})"
    rf"(?:\s+{_STORY})?(?P<tail>\s+(?:onwards?|on\b(?=\s*[,?.!]|$)|and\s+(?:later|after|onwards?|before|earlier)|or\s+(?:later|earlier))\b(?=\s*[,;?.!]|$))?(?P<own>['’]s\b)?",
    _I,
)
_OPENING = re.compile(
    rf"(?:when|as|while)\s+the\s+(?:story|book|novel|tale)\s+(?:begins?|starts?|opens?|began|started|opened)\b|"
    rf"(?:at|in|from)\s+the\s+(?:very\s+)?(?:beginning|start|opening|outset)\s+{_STORY}|"
    r"(?:在)?(?:故事|全?[書书]|小[說说])的?(?:一?[開开](?:頭|头|始|篇|場|场))(?:的?[時时](?:候)?|[處处]|[裡里中])?",
    _I,
)
_CLOSING = re.compile(
    rf"when\s+the\s+(?:story|book|novel|tale)\s+(?:ends?|ended|closes|closed)\b|at\s+the\s+(?:very\s+)?(?:end|close)\s+{_STORY}|"
    r"(?:在)?(?:故事|全?[書书]|小[說说])的?(?:[結结](?:尾|局|束)|最[後后])(?:的?[時时](?:候)?|[處处]|[裡里中])?",
    _I,
)

_C = rf"{CHINESE_NUMBER}+"
_HUI = "[回章節节]"
_TO = "[至到—–~～-]"
_AND = "[、，,和與与及跟]"
_CHINESE = re.compile(
    rf"(?P<out>除了?)?(?P<lead>在|于|於|從从|從|从|自|到|至|直到)?(?:《[^》]{{1,12}}》的?)?"
    rf"(?:(?P<end>最[後后]|前|[後后]|[開开](?:頭|头)|首|末|头|頭)(?P<count>{_C})[回章]"
    rf"|(?P<rank>首|末|最[後后]一)回|(?P<list>第{_C}{_HUI}?(?:{_TO}第?{_C}{_HUI}?|{_AND}第?{_C}{_HUI}?)*(?<={_HUI}))"
    rf"|(?<![第\w])(?P<bare>{_C}回)|(?P<led>(?<=[在于於到至自從从]){_C}回))"
    rf"(?P<side>(?:之|以)?前|(?:之|以)?[後后](?![來来])|以?[來来]|[開开]始|起|[為为]止|(?:之|以)?外)?"
    rf"(?P<tail>[裡里裏中內内]|之中|之?[間间]|期[間间]|[時时](?:候)?|的)?[，,]?"
)
_BESIDES_ZH = re.compile(r"[^。？?]{0,12}[還还也又另]")
_TELL_EN = r"(?:say|tell|mention|reveal|describe|recount|narrate|relate|report)s?"
_TOLD_BEFORE = re.compile(
    r"(?:\b(?:are|were|is|was|do|does|did|can|have|has)\s+(?:we|the\s+readers?|readers|you|one|i)\s+(?:ever\s+|first\s+)?"
    r"(?:told|learn(?:ed|t)?|read|hear|heard|find\s+out|shown|informed)\b[^?.!,;]*|"
    r"\b(?:is|are|was|were|gets?|got)\s+(?:first\s+)?(?:mentioned|narrated|recounted|described|revealed|related|reported|recorded|told\s+of)\b[^?.!,;]*|"
    r"\b(?:what|which\s+\w+)\s+(?:is|are|was|were)\s+told\s*(?:us\s*)?|\baccording\s+to\s*)$",
    _I,
)
_ACCORDING = re.compile(r"\baccording\s+to\s*$", _I)
_TELLER = re.compile(r"(?P<aux>\b(?:does|do|did|will|can)\s+)$", _I)
_TELLS = re.compile(rf"\s+{_TELL_EN}\b(?:\s+(?:us|the\s+reader))?", _I)
_TOLD_ZH = re.compile(
    r"(?:我[們们]|[讀读]者)?(?:中|裡|里|裏)?(?:都|又|曾|還|还)?(?:[講讲]到?|[敘叙](?:述)?|[寫写]到?|提(?:到|及)|交代|告[訴诉]|描[寫写述]|[記记](?:載|载|述)|[說说]到|透露|揭示)"
)
_WE_ZH = re.compile(r"(?:我[們们]|[讀读]者)(?:[^，。？]{0,4})(?:得知|[讀读]到|知道|看到|[瞭了]解)")
_BEFORE = frozenset({"before", "prior to", "earlier than", "ahead of"})
_UNTIL = frozenset({"until", "till", "up to", "up until", "by", "through", "no later than"})
_AFTER = frozenset({"after", "later than", "past", "beyond", "following"})
_FROM = frozenset({"since", "from", "starting from", "starting with", "starting in"})
_LATE_POINTS = frozenset({"end", "close"})
_EARLY_POINTS = frozenset({"start", "beginning", "opening"})


@dataclass(frozen=True)
class ChapterPhrase:
    """Words that name chapters.

    Args:
        span: the words, with those that lead to them.
        intervals: the chapters.
        use: the time at which they play, or what is told in them; `version` asks for the story as it stands then.
        excluded: True when the question takes them out.
        number: the chapter alone, without "before" and "after"; None for several.
    """

    span: Span
    intervals: tuple[Interval, ...]
    use: ChapterUse = "play"
    excluded: bool = False
    number: int | None = None


def chapter_number(label: object) -> int | None:
    """The number of a chapter from its label.

    >>> [chapter_number(label) for label in (3, "Chapter XVII", "第十七回 大觀園試才題對額", "the third chapter", "Prologue")]
    [3, 17, 17, 3, None]
    """
    if isinstance(label, int) and not isinstance(label, bool):
        return label
    if isinstance(label, float):
        return int(label) if label.is_integer() else None
    text = str(label or "").strip()
    if text.isdecimal():
        return int(text)
    found = chapter_phrases(text, chapters=())
    return found[0].number if found else None


def chapter_phrases(text: str, *, chapters: Sequence[int], taken: Sequence[Span] = ()) -> list[ChapterPhrase]:
    """The chapters that a question names, in its order.

    Args:
        text: a question.
        chapters: numbers of the chapters of the story, which "the last three" count from.
        taken: spans that belong to something else.
    """
    found = [phrase for match in _ENGLISH.finditer(text) if (phrase := _english(text, match, chapters)) is not None]
    found += [phrase for match in _CHINESE.finditer(text) if (phrase := _chinese(text, match, chapters)) is not None]
    edges = [*((match, 0) for match in _OPENING.finditer(text)), *((match, -1) for match in _CLOSING.finditer(text))]
    found += [ChapterPhrase(match.span(), (_only(sorted(chapters)[place]),)) for match, place in edges if chapters]
    kept: list[ChapterPhrase] = []
    for phrase in sorted(found, key=lambda one: (one.span[0], -one.span[1])):
        if apart(phrase.span, [*taken, *(one.span for one in kept)]):
            kept.append(phrase)
    return _between(text, kept)


def _only(chapter: int) -> Interval:
    return Interval(chapter, chapter + 1)


def _english(text: str, match: re.Match[str], chapters: Sequence[int]) -> ChapterPhrase | None:
    side = " ".join((match["side"] or "").lower().split())
    intervals = (
        _counted(match["end"], read_number(match["count"]), chapters) if match["count"] else _listed(match["which"], chapters)
    )
    if not intervals:
        return None
    number = _single(intervals)
    late, early = (match["point"] or "").lower() in _LATE_POINTS, (match["point"] or "").lower() in _EARLY_POINTS
    tail = (match["tail"] or "").lower()
    intervals = _sided(side, tail, intervals, late=late, early=early)
    excluded = bool(re.match(r"except|excluding|other than|apart from|besides|outside|not |but not|anywhere but", side))
    use: ChapterUse = "version" if side == "as of" else "play"
    return _told_english(text, ChapterPhrase(match.span(), intervals, use, excluded, number))


def _sided(side: str, tail: str, intervals: tuple[Interval, ...], *, late: bool, early: bool) -> tuple[Interval, ...]:
    first, last = intervals[0].start, intervals[-1].end
    if side in _BEFORE:
        return (Interval(None, last if late else first),)
    if side in _UNTIL or "before" in tail or "earlier" in tail:
        return (Interval(None, first if early and side in _UNTIL else last),)
    if side in _AFTER:
        return (Interval(first if early else last, None),)
    ranged = len(intervals) == 1 and first is not None and last is not None and last - first > 1
    if (side in _FROM and not ranged) or tail:
        return (Interval(first, None),)
    return intervals


def _told_english(text: str, phrase: ChapterPhrase) -> ChapterPhrase:
    start, end = phrase.span
    if before := _TOLD_BEFORE.search(text, 0, start):
        lead = _ACCORDING.search(text, before.start(), start)
        return replace(phrase, use="told", span=(lead.start() if lead else start, end))
    teller, tells = _TELLER.search(text, 0, start), _TELLS.match(text, end)
    if tells is not None:
        return replace(phrase, use="told", span=(teller.start("aux") if teller else start, tells.end()))
    return phrase


def _listed(which: str, chapters: Sequence[int]) -> tuple[Interval, ...]:
    """The chapters of a list of numbers, of which some are ranges."""
    numbers = rf"(?:{ORDINAL}|{NUMBER})\b|\b(?:final|opening|closing)\b"
    places = list(re.finditer(numbers, re.sub(rf"\b{_UNIT}", lambda unit: " " * len(unit[0]), which, flags=_I), _I))
    values = [_value(match[0], chapters) for match in places]
    found: list[Interval] = []
    for index, value in enumerate(values):
        if value is None:
            continue
        between = which[places[index - 1].end() : places[index].start()] if index else ""
        before = values[index - 1] if index else None
        if before is not None and before < value and re.search(r"-|–|—|\bto\b|\bthrough\b|\buntil\b|\btill\b|\bup\b", between, _I):
            found[-1] = Interval(found[-1].start, value + 1)
        else:
            found.append(_only(value))
    return tuple(found)


def _value(word: str, chapters: Sequence[int]) -> int | None:
    low = word.lower()
    if low in ("last", "final", "closing"):
        return max(chapters) if chapters else None
    return 1 if low == "opening" else read_number(low)


def _counted(end: str, count: int | None, chapters: Sequence[int]) -> tuple[Interval, ...]:
    """The first or the last few chapters."""
    if not count:
        return ()
    if end.lower() in ("first", "opening", "前", "首", "頭", "头", "開頭", "开头", "開头", "开頭"):
        return (Interval(1, count + 1),)
    return (Interval(max(chapters) - count + 1, max(chapters) + 1),) if chapters else ()


def _single(intervals: Sequence[Interval]) -> int | None:
    return intervals[0].start if len(intervals) == 1 and intervals[0].length == 1 else None


def _chinese(text: str, match: re.Match[str], chapters: Sequence[int]) -> ChapterPhrase | None:
    intervals = _named_chinese(match, chapters)
    side = (match["side"] or "").lstrip("之以")
    besides = _BESIDES_ZH.match(text, match.end()) is not None  # 除了第七回，還有誰: that one and others
    excluded = side == "外" or (match["out"] is not None and not side and not besides)
    if not intervals or (match["out"] and not excluded):
        return None
    number = _single(intervals)
    if not side and number is not None:
        side = {"從": "起", "从": "起", "自": "起", "到": "止", "至": "止", "直到": "止"}.get(match["lead"] or "", "")
    end = match.end()
    told = _TOLD_ZH.match(text, end) or _WE_ZH.match(text, end)
    sided = intervals if excluded else _sided_chinese(side, intervals)
    return ChapterPhrase((match.start(), end), sided, "told" if told else "play", excluded, number)


def _named_chinese(match: re.Match[str], chapters: Sequence[int]) -> tuple[Interval, ...]:
    if match["count"]:
        return _counted(match["end"], read_chinese(match["count"]), chapters)
    if match["rank"]:
        place = 1 if match["rank"] == "首" else max(chapters, default=None)
        return () if place is None else (_only(place),)
    return _listed_chinese(match["list"] or match["bare"] or match["led"])


def _sided_chinese(side: str, intervals: tuple[Interval, ...]) -> tuple[Interval, ...]:
    first, last = intervals[0].start, intervals[-1].end
    if side == "前":
        return (Interval(None, first),)
    if side in ("後", "后"):
        return (Interval(last, None),)
    if side.endswith("止"):
        return (Interval(None, last),)
    return (Interval(first, None),) if side else intervals


def _listed_chinese(which: str) -> tuple[Interval, ...]:
    places = list(re.finditer(_C, which))
    found: list[Interval] = []
    for index, place in enumerate(places):
        value = read_chinese(place[0])
        if value is None:
            continue
        between = which[places[index - 1].end() : place.start()] if index else ""
        if found and re.search(_TO, between) and (found[-1].start or 0) < value:
            found[-1] = Interval(found[-1].start, value + 1)
        else:
            found.append(_only(value))
    return tuple(found)


def _between(text: str, phrases: list[ChapterPhrase]) -> list[ChapterPhrase]:
    """Make one stretch of `between chapter 3 and chapter 5` and of 從第三回到第五回."""
    found: list[ChapterPhrase] = []
    for phrase in phrases:
        found.append(phrase)
        lead = text[phrase.span[0] : phrase.span[1]].lower()
        if lead.startswith("between ") and len(phrase.intervals) == 2:
            stretch = Interval(phrase.intervals[0].start, phrase.intervals[1].end)
            found[-1] = replace(phrase, intervals=(stretch,))
    for one, two in pairwise(tuple(found)):
        start = one.intervals[0].start
        opens, closes = text[one.span[0]] in "從从自", text[two.span[0]] in "到至"
        if opens and closes and start is not None and two.number is not None and one.span[1] == two.span[0]:
            whole = replace(
                one, span=(one.span[0], two.span[1]), intervals=(Interval(start, two.number + 1),), number=None, use=two.use
            )
            found = [*(phrase for phrase in found if phrase not in (one, two)), whole]
    return sorted(found, key=lambda phrase: phrase.span)
