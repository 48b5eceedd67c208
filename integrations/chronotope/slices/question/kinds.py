"""What kind of answer a question asks for, and texts that have one: a time, a number, a name."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

__all__ = ["AnswerKind", "asked_kind", "asking_words", "shows"]

AnswerKind: TypeAlias = Literal["time", "number", "name"]

_I = re.IGNORECASE
_ASKED: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = (
    (
        "number",
        re.compile(
            r"\bhow\s+(?:many|much|old|long|far|often)\b|\bat\s+what\s+age\b|\bwhat\s+did\b.*\b(?:pay|cost)\b|多少|[幾几](?!時|时|乎)|多大|多久|多[長长]",
            _I,
        ),
    ),
    (
        "time",
        re.compile(
            r"\bwhen\b(?=\s+(?:did|does|do|was|were|is|are|will|has|had)\b)|\b(?:what|which)\s+(?:day|date|time|hour|year|month|moon|season|festival|night|age)\b|"
            r"何[時时日年月]|什[麼么]時候|什么时候|哪[一]?[天日年月]|哪個?[節节]|什[麼么](?:[節节]日|日子|時[間辰])|[幾几][時时]",
            _I,
        ),
    ),
    (
        "name",
        re.compile(
            r"\bname[ds]?\b|\bcalled\b|\bnickname\b|\btitle\b|名字|本名|原名|叫什[麼么]|[戲戏]?[稱称].{0,8}[為为]|名[叫為为]", _I
        ),
    ),
)
_MONTHS = "january|february|march|april|june|july|august|september|october|november|december"
_SHOWN: dict[AnswerKind, re.Pattern[str]] = {
    "time": re.compile(
        rf"\b(?:\w+(?:teenth|ieth|th|first|second|third|nd|rd|st)\s+(?:day|of\s+the|moon|month|watch)|days?|moons?|months?|years?|o['’]?clock|noon|midnight|"
        rf"festival|feast|birthday|{_MONTHS}|spring|summer|autumn|winter|new\s+year|half[- ]past|quarter)\b|\b\d{{3,4}}\b|"
        r"[正一二三四五六七八九十臘腊冬]月|初[一二三四五六七八九十]|[一二三四五六七八九十廿]+[日年歲岁]|[子丑寅卯辰巳午未申酉戌亥](?:[時时正初牌])|[一二三四五]更|元宵|中秋|端[陽阳午]|除夕|重[陽阳]|清明|佳[節节]|上元",
        _I,
    ),
    "number": re.compile(
        r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|"
        r"seventy|eighty|ninety|hundreds?|thousands?|\d+|half\s+a|dozen)\b|[一二兩两三四五六七八九十百千万萬]+(?:[十百千万萬]|[兩两][銀银]?|[日天年月歲岁個个位人名間间次回下遍])",
        _I,
    ),
    "name": re.compile(
        r"\b(?:name[ds]?|nam(?:ing|ely)|called|known\s+as|style[ds]?|surname|nickname|title[ds]?|designat\w+)\b|名[喚唤叫曰為为字]|姓.名|表字|乳名|本名|小名|[喚唤叫]作|[號号稱称][為为作曰]|原名|封[為为]|只叫",
        _I,
    ),
}

_WRAPPING = re.compile(
    r"(?:是|在)*(?:(?:叫|[為为])?什[麼么](?:[時时]候|地方|[節节]日|日子)?|哪(?:[裡里兒儿]|[個个]|一|些|[幾几])?|何(?:[處处]|[時时]|人|事)|多少|[幾几](?:[時时]|[歲岁]|[個个])?|[誰谁]|怎[麼么樣样]*|[為为]何)|"
    r"[的了嗎吗呢又就被給给]|原(?:來|来|是)?"
)


def asking_words(question: str) -> str:
    """A Chinese question without the words that only ask, so that no pair of characters is made of them; English stays as it is.

    >>> asking_words("林如海死於何時？"), asking_words("When did he die?")
    ('林如海死於 ？', 'When did he die?')
    """
    return _WRAPPING.sub(" ", question)


def asked_kind(question: str) -> AnswerKind | None:
    """What a question asks for, None when it is something else.

    >>> asked_kind("When did the old king die?"), asked_kind("故事開頭時英蓮幾歲？"), asked_kind("Who came?")
    ('time', 'number', None)
    """
    return next((kind for kind, form in _ASKED if form.search(question)), None)


def shows(kind: AnswerKind, text: str) -> bool:
    """True when a text has an answer of a kind in it."""
    return _SHOWN[kind].search(text) is not None
