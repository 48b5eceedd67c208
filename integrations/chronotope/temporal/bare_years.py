"""Years that a question names without a word that makes them times: `revenue 2019 vs. 2021`, `the years 1901, 1903 and 1905`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from chronotope.temporal.calendar import Grain, to_seconds
from chronotope.temporal.english.judge import COUNTED
from chronotope.temporal.english.lexicon import words
from chronotope.temporal.expressions import TimeExpression, Unresolved
from chronotope.temporal.interval import TimeInterval

__all__ = ["COMPARES", "bare_years"]

COMPARES = re.compile(
    r"\b(?:compar(?:e|es|ed|ing|ison|isons)|contrast(?:s|ed|ing)?|differ(?:s|ed|ence|ences|ent|ently)?|"
    r"versus|vs|relative to|as opposed to)\b|"
    r"比较|比較|相比|对比|對比|区别|區別|"
    r"\bchang(?:e|es|ed)\b[^?]*\bbetween\b|(?<!\bmore )(?<!\bless )(?<!\bfewer )\bthan\s+(?=[12]\d{3}\b)",
    re.IGNORECASE,
)
CONFIDENCE = 0.5
WINDOW = 40  # characters before a year that may tell what it is
_YEAR = re.compile(r"(?<![A-Za-z0-9_.,:/$€£#@+-])(?:1\d{3}|20\d\d|2100)(?![A-Za-z0-9_%°/@]|[.,:-]\d|-\w)")
_NUMBERED = re.compile(
    r"(?:[$€£#]|房间|房間|航班|编号|編號|版本|第|"
    r"\b(?:rooms?|flights?|rfc|versions?|v|chapters?|suites?|pages?|pp?|lines?|verses?|no|nos|numbers?|sections?|lots?|"
    r"models?|units?|items?|gates?|buses|bus|trains?|routes?|highways?|apartments?|apt|box|ports?|errors?|codes?|iso|iec|en|din|pin|"
    r"tickets?|issues?|psalms?|figures?|tables?|articles?|ids?)\b\.?)\s*$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\s+([A-Za-z]+)")
_CHINESE_COUNT = re.compile(r"\s*[多余餘]?[个個名人元位件辆輛次条條台张張本只隻吨噸页頁号號室房米万萬亿億]")
_DATED_PLURALS = words(
    "sales earnings elections olympics games news series results figures revenues profits budgets accounts reports"
)
_CAPITAL_BEFORE = re.compile(r"(?<!^)\b[A-Z]\w*\s+$")
_YEARS_BEFORE = re.compile(r"\b(?:years?|seasons?)\s+(?:of\s+)?$", re.IGNORECASE)
_LEAD = re.compile(r"\b(?:(?:in|of|for|from|during)\s+)?(?:the\s+)?(?:years?|seasons?)\s+(?:of\s+)?$", re.IGNORECASE)
_LIST = re.compile(r"\s*(?:,|/|&|;|、|和|与|與|跟|\band\b|\bor\b|,\s*(?:and|or)\b)\s*", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:^|\b(?:the|a|an|our|their|its|this|that|of|for|and)\s+)$", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:who|what|which|where|when|why|how|whose|is|was|are|were|did|does|do|has|have|had|can|could|will|would|should|wrote|read|tell)\b",
    re.IGNORECASE,
)


def bare_years(question: str, known: Iterable[TimeExpression | Unresolved]) -> tuple[list[TimeExpression], list[Unresolved]]:
    """The years that no rule has read: those which the rest of the question makes times, and those which may be names.

    Numbers that number or count something ("room 2019", "1984 copies") are neither.
    """
    taken = sorted(item.span for item in known)
    years = [match for match in _YEAR.finditer(question) if _is_free(match.span(), taken) and _may_be_year(question, match)]
    if not years:
        return [], []
    compares = len(years) + len(taken) > 1 and COMPARES.search(question) is not None
    sure = [_has_support(question, match, compares=compares) for match in years]
    _spread(question, years, sure, taken)
    times = [_time(question, match) for match, is_time in zip(years, sure, strict=True) if is_time]
    doubts = [Unresolved(m.span(), m[0], "bare_year") for m, is_time in zip(years, sure, strict=True) if not is_time]
    return times, doubts


def _is_free(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return not any(start < span[1] and span[0] < stop for start, stop in taken)


def _may_be_year(question: str, match: re.Match[str]) -> bool:
    return _NUMBERED.search(_before(question, match)) is None and not _counts(question, match.end())


def _before(question: str, match: re.Match[str]) -> str:
    return question[max(0, match.start() - WINDOW) : match.start()]


def _counts(question: str, stop: int) -> bool:
    after = _AFTER.match(question, stop)
    return (after is not None and after[1] in COUNTED) or _CHINESE_COUNT.match(question, stop) is not None


def _describes(question: str, match: re.Match[str]) -> bool:
    """True for the year of "the 2021 budget"; before another plural it may as well be a number."""
    after = _AFTER.match(question, match.end())
    if after is None or not after[1].islower() or len(after[1]) < 3 or not _ARTICLE.search(_before(question, match)):
        return False
    return not after[1].endswith("s") or after[1] in _DATED_PLURALS


def _has_support(question: str, match: re.Match[str], *, compares: bool) -> bool:
    """True in comparisons and headlines, after "the years", before a noun that the year describes ("2021 budget")."""
    before = _before(question, match)
    if _YEARS_BEFORE.search(before):
        return True
    if _CAPITAL_BEFORE.search(before):
        return False
    headline = "?" not in question and _ASKS.search(question) is None
    return compares or headline or _describes(question, match)


def _spread(question: str, years: list[re.Match[str]], sure: list[bool], taken: list[tuple[int, int]]) -> None:
    """Lets a year in a list with a time be one too."""
    for place, match in enumerate(years):
        ends = [stop for _, stop in taken] + [m.end() for m, is_time in zip(years, sure, strict=True) if is_time]
        stop = max((end for end in ends if end <= match.start()), default=-1)
        sure[place] = sure[place] or (stop >= 0 and _LIST.fullmatch(question, stop, match.start()) is not None)


def _time(question: str, match: re.Match[str]) -> TimeExpression:
    lead = _LEAD.search(question, max(0, match.start() - WINDOW), match.start())
    span = lead.start() if lead else match.start(), match.end()
    interval = TimeInterval.unit(to_seconds(int(match[0])), Grain.YEAR)
    return TimeExpression(span, question[span[0] : span[1]], interval, "during", CONFIDENCE, ("bare",))
