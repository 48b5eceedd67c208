"""Headings in Chinese: 第十七回, 卷一, 楔子."""

from __future__ import annotations

import re

from chronotope.text.structure.numerals import CHINESE_NUMBER, read_chinese
from chronotope.text.structure.printed import Printed
from chronotope.text.units import UnitKind

__all__ = ["is_chinese_title", "read_chinese_heading"]

_MEASURES: dict[str, tuple[str, UnitKind]] = {
    **dict.fromkeys("回章", ("回", "chapter")),
    **dict.fromkeys("節节", ("節", "chapter")),
    **dict.fromkeys("話话", ("話", "episode")),
    **dict.fromkeys("折齣出", ("折", "scene")),
    **dict.fromkeys("場场", ("場", "scene")),
    "幕": ("幕", "act"),
    **{measure: (measure, "part") for measure in "卷部篇集冊册編编"},
}
_HOLDERS = frozenset("幕卷部篇集冊册編编")
_NAMES: dict[str, UnitKind] = {
    **dict.fromkeys(("楔子", "引子", "引首", "緣起", "缘起", "開場", "开场", "序幕", "序章"), "prologue"),
    **dict.fromkeys(("序", "序言", "自序", "前言", "原序", "序文", "弁言", "凡例", "引言", "導言", "导言", "小引"), "preface"),
    **dict.fromkeys(("尾聲", "尾声", "後記", "后记", "跋", "終章", "终章", "結語", "结语", "餘話", "余话"), "epilogue"),
    **dict.fromkeys(("間章", "间章", "插曲", "過場", "过场"), "interlude"),
    **dict.fromkeys(("附錄", "附录", "番外", "外傳", "外传"), "appendix"),
}

_measure = "".join(_MEASURES)
_NUMBERED = re.compile(rf"(?:正文\s*)?第\s*({CHINESE_NUMBER}(?:\s?{CHINESE_NUMBER})*)\s*([{_measure}])(.*)", re.DOTALL)
_VOLUME = re.compile(
    rf"([卷部篇集冊册])\s*(?:之|第)?\s*({CHINESE_NUMBER}+|[上中下])(?=$|[\s:：.．、·])(.*)|([上中下])\s*([卷部篇集冊册編编])(?=$|[\s:：.．、·])(.*)",
    re.DOTALL,
)
_NAMED = re.compile(rf"({'|'.join(sorted(_NAMES, key=len, reverse=True))})(?:[\s:：]+(\S.{{0,40}}))?[:：]?")
_BARE = re.compile(r"[（(〔]?([〇零一二三四五六七八九十百廿卅]{1,5})[）)〕]?(?:\s*[、.．:：\s]\s*(\S.{0,40}))?")
_SENTENCE = re.compile(r"[。；．…]|[！？](?!$)|[，,].*[，,].*[，,]|[:：].*[，,]|^[“「『].*[”」』]$")
_COUPLET = re.compile(r"[^\W\d_]{4,12}[；。．;][^\W\d_]{4,12}")
_LONGEST = 42  # characters
_PLACES = {"上": 1, "中": 2, "下": 3}


def read_chinese_heading(text: str) -> Printed | None:
    """The line as a heading; None when it is none."""
    if text[:1] == "第" or text.startswith("正文"):
        return _numbered(text)
    return _volume(text) or _named(text) or _bare(text)


def _bare(text: str) -> Printed | None:
    """A number without a measure, alone or with a title behind a mark: 一, （二）, 三、渡口."""
    match = _BARE.fullmatch(text)
    number = read_chinese(match[1]) if match else None
    if not match or number is None:
        return None
    rest = match[2].strip(" \u3000") if match[2] else ""
    if rest and (not is_chinese_title(rest) or rest.endswith(("！", "？"))):
        return None
    return Printed("數+" if rest else "數", "chapter", number, rest, bare=True)


def _numbered(text: str) -> Printed | None:
    match = _NUMBERED.match(text)
    number = read_chinese(match[1]) if match else None
    if not match or number is None:
        return None
    family, kind = _MEASURES[match[2]]
    rest = match[3].strip(" \t\u3000:：、.．·-—")
    joined = bool(rest) and match[3][0] not in " \t\u3000:：、.．·-—" and not _COUPLET.fullmatch(rest)
    if rest and not is_chinese_title(rest):
        return None
    return Printed(family, kind, number, rest, holds=match[2] in _HOLDERS, doubtful=joined)


def _volume(text: str) -> Printed | None:
    match = _VOLUME.match(text)
    if not match:
        return None
    measure, place, rest = (match[1], match[2], match[3]) if match[1] else (match[5], match[4], match[6])
    number = _PLACES.get(place) or read_chinese(place)
    rest = rest.strip(" \t\u3000:：、.．·")
    if number is None or (rest and not is_chinese_title(rest)):
        return None
    return Printed(_MEASURES[measure][0], "part", number, rest, holds=True)


def _named(text: str) -> Printed | None:
    match = _NAMED.fullmatch(re.sub(r"^([序跋])[\s\u3000]+([言文])$", r"\1\2", text))
    if not match or (match[2] and not is_chinese_title(match[2])):
        return None
    return Printed("named", _NAMES[match[1]], rest=match[2] or "")


def is_chinese_title(text: str) -> bool:
    """Whether the words could be a title: short, and no sentence.

    >>> is_chinese_title("甄士隱夢幻識通靈 賈雨村風塵懷閨秀"), is_chinese_title("也．作者自云：因曾歷過一番夢幻")
    (True, False)
    """
    return bool(_COUPLET.fullmatch(text)) or (len(text) <= _LONGEST and not _SENTENCE.search(text))
