"""Chinese numbers and the names of units, days and reigns."""

from __future__ import annotations

from chronotope.temporal.calendar import Grain

__all__ = ["DAYS", "DIGIT", "MONTH_NAMES", "NUMBER", "REIGNS", "UNITS", "WEEKDAYS", "YEARS", "number"]

_DIGITS = {c: i % 10 for i, c in enumerate("零一二三四五六七八九〇")} | {"两": 2, "兩": 2}
_POWERS = {"十": 10, "百": 100, "千": 1000}
DIGIT = "零〇一二三四五六七八九"
NUMBER = r"(?:\d{1,8}|[一二三四五六七八九十百两兩]{1,12})"

MONTH_NAMES = {"正": 1, "冬": 11, "腊": 12, "臘": 12}
UNITS = {
    "年": Grain.YEAR, "月": Grain.MONTH, "周": Grain.WEEK, "週": Grain.WEEK, "星期": Grain.WEEK, "礼拜": Grain.WEEK,
    "禮拜": Grain.WEEK,
    "天": Grain.DAY, "日": Grain.DAY, "季度": Grain.QUARTER, "世纪": Grain.CENTURY, "世紀": Grain.CENTURY,
}  # fmt: skip
WEEKDAYS = {c: i for i, c in enumerate("一二三四五六日")} | {"天": 6}
DAYS = {
    "今天": 0, "今日": 0, "今晚": 0, "昨天": -1, "昨日": -1, "明天": 1, "明日": 1, "前天": -2, "前日": -2, "后天": 2,
    "後天": 2, "大前天": -3, "大后天": 3, "大後天": 3,
}  # fmt: skip
YEARS = {"今年": 0, "本年": 0, "去年": -1, "上年": -1, "前年": -2, "明年": 1, "来年": 1, "來年": 1, "后年": 2, "後年": 2}
REIGNS = {  # the year before the first of each reign; months are taken as they are counted, without the lunar calendar
    "贞观": 626, "神龙": 704, "开元": 712, "天宝": 741, "洪武": 1367, "永乐": 1402, "宣德": 1425, "成化": 1464,
    "嘉靖": 1521, "万历": 1572, "崇祯": 1627, "顺治": 1643, "康熙": 1661, "雍正": 1722, "乾隆": 1735, "嘉庆": 1795, "道光": 1820,
    "咸丰": 1850, "同治": 1861, "光绪": 1874, "宣统": 1908, "民国": 1911,
}  # fmt: skip


def number(text: str) -> int:
    """A number in figures or characters, read by place value (`二十一`) or digit by digit (`二零一八`).

    >>> number("二十一"), number("二零一八"), number("12"), number("一百")
    (21, 2018, 12, 100)
    """
    if text.isdecimal():
        return int(text[:8])
    if not any(power in text for power in _POWERS):
        return int("".join(str(_DIGITS[c]) for c in text[:8]))
    total, digit = 0, 0
    for char in text:
        if char in _POWERS:
            total, digit = total + (digit or 1) * _POWERS[char], 0
        else:
            digit = _DIGITS[char]
    return total + digit
