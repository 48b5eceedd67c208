"""Numbers as headings print them: roman, arabic, spelled, Chinese."""

from __future__ import annotations

import re

__all__ = ["CHINESE_NUMBER", "NUMBER", "ORDINAL", "SPELLED", "read_chinese", "read_number"]

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
    " fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {
    **{word: value for value, word in enumerate(_ONES.split())},
    **{word: value for value, word in enumerate(_ORDINALS.split())},
    **{word: 20 + 10 * place for place, word in enumerate(_TENS.split())},
    **{word[:-1] + "ieth": 20 + 10 * place for place, word in enumerate(_TENS.split())},
    "hundred": 100,
    "hundredth": 100,
}

_ones = "|".join(sorted((*_ONES.split()[1:], *_ORDINALS.split()[1:]), key=len, reverse=True))
_tens = "|".join(f"{word[:-1]}(?:y|ieth)" for word in _TENS.split())
_below_hundred = rf"(?:(?:{_tens})(?:[-\s](?:{_ones}))?|{_ones})"
SPELLED = rf"(?:(?:(?:one|two|three|a)\s)?hundred(?:th)?(?:\s(?:and\s)?{_below_hundred})?|{_below_hundred})"
NUMBER = rf"(?:[0-9]{{1,4}}|[IVXLC]+|[ivxlc]+|{SPELLED})"
_ordinals = "|".join(sorted(_ORDINALS.split()[1:], key=len, reverse=True))
_tenths = "|".join(f"{word[:-1]}ieth" for word in _TENS.split())
ORDINAL = rf"(?:(?:{_TENS.replace(' ', '|')})[-\s](?:{_ordinals})|{_ordinals}|{_tenths}|[0-9]{{1,3}}(?:st|nd|rd|th)|last)"

_ROMAN = re.compile(r"(?=.)(C{0,4})(XC|XL|L?X{0,4})(IX|IV|V?I{0,4})", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

CHINESE_NUMBER = r"[0-9０-９〇○零一二三四五六七八九十百千兩两廿卅]"
_CHINESE_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "○": 0, "兩": 2, "两": 2}
_CHINESE_UNITS = {"十": 10, "百": 100, "千": 1000}
_CHINESE_TENS = {"廿": 20, "卅": 30}


def read_number(printed: str) -> int | None:
    """The value of a roman, arabic or spelled number; None when it is none.

    >>> [read_number(printed) for printed in ("XVII", "3", "Twenty-One", "the Second", "IC")]
    [17, 3, 21, 2, None]
    """
    word = printed.strip().lower().removeprefix("the ").strip()
    digits = re.fullmatch(r"([0-9]+)(?:st|nd|rd|th)?", word)
    if digits:
        return int(digits[1])
    return _roman(word) or _spelled_value(word)


def _roman(word: str) -> int | None:
    if len(word) > 12 or not _ROMAN.fullmatch(word):
        return None
    values = [_ROMAN_VALUES[letter] for letter in word]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def _spelled_value(word: str) -> int | None:
    total = 0
    for part in re.split(r"[-\s]+", word):
        if part in ("a", "and"):
            continue
        if part not in _VALUES:
            return None
        total = max(total, 1) * 100 if part.startswith("hundred") else total + _VALUES[part]
    return total or None


def read_chinese(printed: str) -> int | None:
    """The value of a number in Chinese or full-width digits; None when it is none.

    >>> [read_chinese(printed) for printed in ("十七", "一百零八", "２０", "廿三", "一二〇")]
    [17, 108, 20, 23, 120]
    """
    compact = re.sub(r"\s", "", printed)
    if compact.isdecimal():
        return int(compact)
    if not any(character in _CHINESE_UNITS or character in _CHINESE_TENS for character in compact):
        digits = [_CHINESE_DIGITS.get(character, -1) for character in compact]
        return int("".join(map(str, digits))) if digits and min(digits) >= 0 else None
    total = digit = 0
    for character in compact:
        if character in _CHINESE_UNITS:
            total, digit = total + max(digit, 1) * _CHINESE_UNITS[character], 0
        elif character in _CHINESE_TENS:
            total += _CHINESE_TENS[character]
        elif character in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[character]
        else:
            return None
    return total + digit
