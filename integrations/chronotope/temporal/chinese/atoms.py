"""Single Chinese times: dates at every grain, decades and centuries, and times told from today."""

from __future__ import annotations

import re
from dataclasses import replace

from chronotope.temporal.calendar import DAY, Grain, shift
from chronotope.temporal.chinese.words import DAYS, DIGIT, MONTH_NAMES, NUMBER, REIGNS, UNITS, WEEKDAYS, YEARS, number
from chronotope.temporal.english.nth import run_of_units
from chronotope.temporal.english.years import ASSUMED_CENTURY
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.fields import Fields
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.reading import RELATIVE, Reading, settled

__all__ = ["ATOM", "read_atom"]

FLAGS = frozenset({RELATIVE})
_UNIT = "年|个月|個月|月|个?星期|個?星期|个?礼拜|個?禮拜|周|週|天|日|个?季度"
_PART = r"(?P<{0}>初期?|早期|前期|中期|中叶|末期?|晚期|后期|後期|底)?"
_YEAR = (  # two figures are a year only in `08年`, `98年`, `15年3月`: `15年` alone is a length of time
    rf"(?:(?P<bce>公元前|西元前)\s*(?=\d|[{DIGIT}])|(?:公元|西元)\s*(?=\d|[{DIGIT}])|(?=\d{{3}}|[{DIGIT}]{{4}}|0\d|[零〇五六七八九][{DIGIT}]年|[5-9]\d\s*年(?!(?:之|以)?[前后後来])|"
    rf"\d\d\s*年\s*\d+\s*月))(?P<year>\d{{1,4}}|[{DIGIT}]{{1,4}})\s*年(?![代级龄])"
)
_REIGN = rf"(?P<reign>{'|'.join(REIGNS)})(?P<reign_year>元|{NUMBER})年"
_MONTH = r"(?P<month>正|冬|腊|臘|十[一二]?|[一二三四五六七八九]|1[0-2]|0?[1-9])\s*月(?:份)?"
_DAY = r"(?P<day>\d{1,2}|初[一二三四五六七八九十]|[一二三]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|[一二三四五六七八九])\s*"
_IN_YEAR = (
    rf"(?:第?(?P<quarter>[一二三四1-4])季度?|(?P<half>上|下|前|后|後)半年|(?P<season>春|夏|秋|冬)[天季]|"
    rf"第(?P<nth>{NUMBER})个?(?P<nth_unit>周|週|星期|月|天|季度)|前(?P<first>{NUMBER})个?(?P<first_unit>周|週|星期|月|天))"
)
ATOM = re.compile(
    r"(?<![\d./-])(?P<iso>(?:\d\d)?\d\d[-/.]\d{1,2}[-/.]\d{1,2})(?![\d])|"
    rf"(?P<cbce>公元前)?(?P<century>{NUMBER})世[纪紀](?:(?P<cdecade>{NUMBER})年代)?{_PART.format('cpart')}|"
    rf"(?P<last_century>上(?:一?[个個])?世[纪紀]的?)?(?P<decade>\d{{2,4}}|[一二三四五六七八九]十)年代{_PART.format('dpart')}|"
    rf"农?历?(?:{_YEAR}|{_REIGN}|(?P<rel_year>{'|'.join(YEARS)}))\s*的?(?:{_IN_YEAR}|{_MONTH}(?:{_DAY}[日号號]?)?|{_PART.format('ypart')})|"
    rf"(?P<rel_month>本月|这个?月|這個?月|当月|上{{1,4}}个?個?月|下{{1,4}}个?個?月)(?:{_DAY.replace('day', 'mday')}[日号號])?|"
    rf"{_MONTH.replace('month', 'month2')}(?:的?最后一个(?:星期|周)(?P<last_day>[一二三四五六日天])|"
    rf"{_DAY.replace('day', 'day2')}[日号號]?|"
    rf"{_PART.format('mpart')})|"
    r"(?P<half2>上|下)半(?P<half_unit>年|月)|"
    r"(?P<week>这个?|這個?|本|上{1,4}个?個?|下{1,4}个?個?)?(?:周|週|星期|礼拜|禮拜)(?P<weekday>[一二三四五六日天末])|"
    r"(?P<rel_week>这个?|這個?|本|上{1,4}个?個?|下{1,4}个?個?)(?:周|週|星期|礼拜|禮拜)(?!年)|"
    rf"(?P<word>{'|'.join(sorted(DAYS, key=len, reverse=True))})|"
    rf"(?P<ago>{NUMBER})\s*(?P<ago_unit>{_UNIT})(?:之|以)?(?P<ago_side>前|后|後)(?!半)|"
    rf"(?P<span>过去|過去|近|最近|未来|未來|今后|接下来|前|后|後)的?(?P<span_count>{NUMBER})\s*(?P<span_unit>{_UNIT})|"
    rf"(?<![\d一二三四五六七八九十]){_DAY.replace('day', 'day3')}[日号號](?!\w?子)|"
    r"(?P<recent>最近|近来|近期)"
)
_PARTS = {
    "初": "early",
    "早": "early",
    "前": "early",
    "中": "mid",
    "末": "late",
    "晚": "late",
    "后": "late",
    "後": "late",
    "底": "late",
}


def read_atom(match: re.Match[str], frame: Frame) -> Reading | None:
    """The time that one match of `ATOM` names."""
    for name, read in _READERS:
        if match[name] is not None:
            return read(match, frame)
    return None


def _iso(match: re.Match[str], frame: Frame) -> Reading | None:
    year, month, day = (int(part) for part in re.split(r"[-/.]", match["iso"]))
    if year >= 100:
        return Reading(match.end(), Fields(Grain.DAY, year, month, day))
    year += 2000 if year < frame.settings.pivot else 1900
    return (
        Reading(match.end(), Fields(Grain.DAY, year, month, day), flags=frozenset({ASSUMED_CENTURY})) if 1 <= month <= 12 else None
    )


def _century(match: re.Match[str], frame: Frame) -> Reading | None:  # noqa: ARG001 - readers share one signature
    rank, part = number(match["century"]), _part(match["cpart"])
    if not 1 <= rank <= 30:
        return None
    year = 1 - rank * 100 if match["cbce"] else (rank - 1) * 100
    if match["cdecade"]:
        return Reading(match.end(), Fields(Grain.DECADE, year + number(match["cdecade"]) % 100, part=part))
    return Reading(match.end(), Fields(Grain.CENTURY, year, part=part))


def _decade(match: re.Match[str], frame: Frame) -> Reading | None:
    year, part = number(match["decade"]), _part(match["dpart"])
    if year % 10:
        return None
    if year >= 100:
        return Reading(match.end(), Fields(Grain.DECADE, year, part=part))
    century = (frame.year // 100 - 1) * 100 if match["last_century"] and frame.placed else 1900
    return Reading(match.end(), Fields(Grain.DECADE, century + year, part=part), flags=frozenset({ASSUMED_CENTURY}))


def _part(text: str | None) -> str | None:
    return _PARTS[text[0]] if text else None


def _year(match: re.Match[str], frame: Frame) -> Reading | None:
    """A year with whatever follows it: month and day, quarter, half, season, the n-th week."""
    flags = frozenset[str]()
    if match["reign"]:
        count = 1 if match["reign_year"] == "元" else number(match["reign_year"])
        year = REIGNS[match["reign"]] + count
    elif match["rel_year"]:
        year, flags = frame.year + YEARS[match["rel_year"]], FLAGS
    else:
        year = number(match["year"])
        if len(match["year"]) == 2 and not match["bce"]:
            year, flags = year + (2000 if year < frame.settings.pivot else 1900), frozenset({ASSUMED_CENTURY})
        year = 1 - year if match["bce"] else year
    return _within_year(match, year, flags, frame)


def _within_year(match: re.Match[str], year: int, flags: frozenset[str], frame: Frame) -> Reading | None:
    stop = match.end()
    if match["quarter"]:
        return Reading(stop, Fields(Grain.QUARTER, year, index=number(match["quarter"]) - 1), flags=flags)
    if match["half"]:
        return Reading(stop, Fields(Grain.HALF, year, index=int(match["half"] not in "上前")), flags=flags)
    if match["season"]:
        return Reading(stop, Fields(Grain.SEASON, year, index="春夏秋冬".index(match["season"])), flags=flags)
    if match["nth"] or match["first"]:
        return _run(match, Reading(stop, Fields(Grain.YEAR, year), flags=flags), frame)
    if match["month"]:
        return Reading(stop, _month_fields(match["month"], match["day"], year), flags=flags)
    return Reading(stop, Fields(Grain.YEAR, year, part=_part(match["ypart"])), flags=flags)


def _month_fields(month: str, day: str | None, year: int | None) -> Fields:
    named = MONTH_NAMES.get(month) or number(month)
    if day is None:
        return Fields(Grain.MONTH, year, named)
    return Fields(Grain.DAY, year, named, _day_number(day))


def _day_number(text: str) -> int:
    return number(text.removeprefix("初").replace("廿", "二十"))


def _run(match: re.Match[str], year: Reading, frame: Frame) -> Reading | None:
    whole = settled(year, frame)
    unit = UNITS[match["nth_unit"] or match["first_unit"]]
    place, count = (number(match["nth"]), 1) if match["nth"] else (1, number(match["first"]))
    interval = run_of_units(whole.interval, unit, place, count) if whole and whole.interval else None
    return Reading(match.end(), interval=interval, flags=year.flags) if interval else None


def _relative_month(match: re.Match[str], frame: Frame) -> Reading | None:
    month = frame.unit(Grain.MONTH, _steps(match["rel_month"]))
    if not match["mday"]:
        return Reading(match.end(), interval=month, flags=FLAGS)
    start = (month.start or 0) + (_day_number(match["mday"]) - 1) * DAY
    return Reading(match.end(), interval=TimeInterval.unit(start, Grain.DAY), flags=FLAGS)


def _steps(word: str) -> int:
    """How far back 上 and 上上, or ahead 下 and 下下, point."""
    return word.count("下") - word.count("上")


def _month(match: re.Match[str], frame: Frame) -> Reading | None:
    fields = _month_fields(match["month2"], match["day2"], None)
    if match["last_day"]:
        whole = settled(Reading(0, fields), frame)
        end = whole.interval.end if whole and whole.interval else None
        if end is None:
            return None
        behind = ((end // DAY + 2) - WEEKDAYS[match["last_day"]]) % 7
        return Reading(
            match.end(), interval=TimeInterval.unit(end - (1 + behind) * DAY, Grain.DAY), flags=frozenset({"ambiguous_year"})
        )
    return Reading(match.end(), replace(fields, part=_part(match["mpart"])))


def _half(match: re.Match[str], frame: Frame) -> Reading | None:
    first = match["half2"] == "上"
    if match["half_unit"] == "年":
        return Reading(match.end(), Fields(Grain.HALF, frame.year, index=int(not first)), flags=FLAGS)
    month = frame.unit(Grain.MONTH)
    middle = (month.start or 0) + 15 * DAY
    low, high = (month.start, middle) if first else (middle, month.end)
    return Reading(match.end(), interval=TimeInterval(low, high, Grain.DAY), flags=FLAGS)


def _weekday(match: re.Match[str], frame: Frame) -> Reading | None:
    if match["week"] is None and match["weekday"] != "末":
        return Reading(match.end(), Fields(Grain.DAY, weekday=WEEKDAYS[match["weekday"]]))
    monday = frame.unit(Grain.WEEK, _steps(match["week"] or "")).start or 0
    if match["weekday"] == "末":
        return Reading(match.end(), interval=TimeInterval(monday + 5 * DAY, monday + 7 * DAY, Grain.DAY), flags=FLAGS)
    return Reading(match.end(), interval=TimeInterval.unit(monday + WEEKDAYS[match["weekday"]] * DAY, Grain.DAY), flags=FLAGS)


def _relative_week(match: re.Match[str], frame: Frame) -> Reading | None:
    return Reading(match.end(), interval=frame.unit(Grain.WEEK, _steps(match["rel_week"])), flags=FLAGS)


def _word(match: re.Match[str], frame: Frame) -> Reading | None:
    return Reading(match.end(), interval=frame.unit(Grain.DAY, DAYS[match["word"]]), flags=FLAGS)


def _grain(unit: str) -> Grain:
    return UNITS[unit.lstrip("个個")]


def _ago(match: re.Match[str], frame: Frame) -> Reading | None:
    count, grain = number(match["ago"]), _grain(match["ago_unit"])
    sign = -1 if match["ago_side"] == "前" else 1
    if (
        count >= 1000
        or match["ago"].startswith("0")
        or (grain is Grain.MONTH and "个" not in match["ago_unit"] and "個" not in match["ago_unit"])
    ):
        return None
    moment = shift(frame.today, sign * count, grain)
    return Reading(match.end(), interval=TimeInterval.unit(moment, Grain.DAY if grain <= Grain.WEEK else grain), flags=FLAGS)


def _span(match: re.Match[str], frame: Frame) -> Reading | None:
    count, grain = number(match["span_count"]), _grain(match["span_unit"])
    ahead = match["span"] in ("未来", "未來", "今后", "接下来", "后", "後")
    if not 0 < count < 1000:
        return None
    if ahead:
        start = frame.today + DAY
        return Reading(match.end(), interval=TimeInterval(start, shift(start, count, grain), Grain.DAY), flags=FLAGS)
    return Reading(match.end(), interval=TimeInterval(shift(frame.today, -count, grain), frame.today, Grain.DAY), flags=FLAGS)


def _day(match: re.Match[str], frame: Frame) -> Reading | None:  # noqa: ARG001
    day = _day_number(match["day3"])
    return Reading(match.end(), Fields(Grain.DAY, day=day)) if 1 <= day <= 31 else None


def _recent(match: re.Match[str], frame: Frame) -> Reading | None:
    interval = TimeInterval(shift(frame.today, -3, Grain.MONTH), frame.today + DAY, Grain.DAY)
    return Reading(match.end(), interval=interval, flags=FLAGS | {"vague"}, confidence=0.4)


_READERS = (
    ("iso", _iso), ("century", _century), ("decade", _decade), ("year", _year), ("reign", _year), ("rel_year", _year),
    ("rel_month", _relative_month), ("month2", _month), ("half2", _half), ("weekday", _weekday), ("rel_week", _relative_week),
    ("word", _word), ("ago", _ago), ("span", _span), ("day3", _day), ("recent", _recent),
)  # fmt: skip
