"""Sentences that tell nothing that is so: denials, questions, conditions, wishes, hearsay; and what is spoken."""

from __future__ import annotations

import re
from typing import Final

from chronotope.text import Span

__all__ = ["clause_around", "is_doubtful", "speech_spans"]

_STEMS: Final = """
suppos wish hop hoping dream imagin pretend wonder fear doubt believ claim alleg rumour rumor report gossip suspect assum seem
promis plan intend want refus forbid ask begg order false mistak
"""
_WORDS: Final = """
not never no nor neither none nobody cannot without hardly scarcely barely almost nearly if unless whether lest provided would could
should might may must shall will ought afraid thought think thinks said says say told perhaps maybe possibly beg begs forbade untrue
"""
_PHRASES: Final = r"""rather\ than|instead\ of|far\ from|as\ though|going\ to|about\ to|appear\w*\ to|tr(?:y|ies|ied|ying)\ to|
fail\w*\ to|offer\w*\ to|threat\w+|swore\ to|agree\w*\ to|lie[sd]?\ that"""
_OPENING: Final = (
    "If Unless Whether Perhaps Maybe Possibly Nobody None No Not Never Neither Nor Hardly Almost Had Were Should Suppose Would"
)
_ENGLISH = re.compile(
    rf"""\b(?:{"|".join(_WORDS.split())}|(?:{"|".join(_STEMS.split())})(?:e|ed|es|s|d|ing|ion|ations?|en|ly)?|{_PHRASES})\b|n['’]t\b|
    (?:\A|[.;:!?“"]\s*)(?:{"|".join(_OPENING.split())})\b""",
    re.VERBOSE,
)
_CHINESE = re.compile(
    r"[不没沒未勿莫休非無无]|如果|要是|倘若|假如|假使|若[是非]?|難道|难道|是否|也许|也許|或许|或許|恐怕|可能|大概|似乎|好像|彷彿|仿佛|"
    r"据说|據說|听说|聽說|傳說|传说|以为|以為|打算|希望|但愿|但願|[将將欲想要肯愿願]|几乎|幾乎|险些|險些|差点|差點|[吗嗎呢么麼]"
)
_BORDER = re.compile(r"[;:—–.!?]|,\s+(?:and|but|when|while|whereupon)\b|[。．；：！？]")
_HAN_BORDER = re.compile(r"[，。．；：！？]")
_QUESTION = re.compile(r"[?？]")
_HAN = re.compile("[\u4e00-\u9fff]")
_PARAGRAPH = r"(?:(?!\n\s*\n)[^{}])*[{}]?"  # an open quotation goes no further than its paragraph
_QUOTES: Final = (("“", '”"'), ("「", "」"), ("『", "』"), ('"', '"”'))  # old texts mix straight and curly ones
_SPEECH = re.compile("|".join(opens + _PARAGRAPH.format(ends, ends) for opens, ends in _QUOTES))


def is_doubtful(sentence: str) -> bool:
    """True where a sentence may tell nothing that is so.

    >>> [is_doubtful(words) for words in ("Will married Hope in May.", "Ann had not married Tom.", "宝玉没有娶黛玉。")]
    [False, True, True]
    """
    if _QUESTION.search(sentence) or _ENGLISH.search(sentence):
        return True
    return not sentence.isascii() and _CHINESE.search(sentence) is not None


def speech_spans(text: str) -> list[Span]:
    """What stands in quotation marks, which need not be so; an open quotation reaches to the end of its paragraph."""
    return [found.span() for found in _SPEECH.finditer(text)]


def clause_around(sentence: str, start: int, end: int) -> str:
    """The part of a sentence whose denials and conditions concern the words from `start` to `end`.

    In Chinese it begins with the clause before, for "if" and "it is said" stand there.

    >>> text = "She was not pleased; Ann married Tom, and nobody came."
    >>> clause_around(text, 21, 36)
    ' Ann married Tom'
    """
    han = _HAN.search(sentence, start, end) is not None
    border = _HAN_BORDER if han else _BORDER
    before = [found.end() for found in border.finditer(sentence, 0, start)]
    first = ([0, 0, *before][-2]) if han else ([0, *before][-1])
    after = border.search(sentence, end)
    return sentence[first : after.end() if after and after[0] in "?？" else after.start() if after else len(sentence)]
