"""What kind of thing a sentence says: an event, a state of things outside time, or nothing, as headings do. English and Chinese."""

from __future__ import annotations

import re

from chronotope.naming.lexicon import LEADING_WORDS, NO_NAMES

__all__ = ["is_chinese", "is_heading", "is_item", "is_timeless", "tells_event"]

_PAST_WORDS = """
was were had did became began begun bought brought built came chose cost dealt drew drove fell fought felt fled flew
forbade found froze gave got grew went heard held hid hit kept knew laid lay led left lent lost made meant met
overcame overthrew paid put ran read rebuilt retook rode rose said sang sank sat saw sent sold sought spent split
spoke sprang stole stood struck swam swore taught took thought threw told understood underwent undertook withdrew woke
won wore wrote arose awoke beat bent bore bound broke burnt caught clung crept dug dreamt drank ate forgot forgave
hung knelt leapt lit rang shook shot shrank shut slept slid stuck swept swung tore wept wound
"""
_PAST = re.compile(rf"\b(?:{'|'.join(_PAST_WORDS.split())})\b", re.IGNORECASE)
_ENDED = re.compile(
    r"(?<![\w-])(?!(?:need|indeed|seed|speed|feed|weed|bleed|breed|exceed|proceed|succeed|hundred|sacred|naked|wicked|kindred|shed|sled|"
    r"so-called|aged|moved by)\b)[a-z]{2,}ed\b"
)
_ADJECTIVAL = re.compile(
    r"\b(?:is|are|be|being|a|an|the|its|their|of|and|or|most|well|widely|largely|mainly|also|commonly|often|now|currently|closely|"
    r"named|,)\s+\Z",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:is|are|has|have|does|do|can|may|will|would|shall|should|could|might|must|lies|stands|contains|consists|comprises|belongs|"
    r"includes|covers|borders|flows|means|serves|refers|denotes|connects|runs|houses|forms|says|makes|takes|gives|becomes|remains|"
    r"begins|ends|goes|comes|holds|leads|shows|tells|follows|plays)\b|\b(?:am|['’](?:s|re|ve|ll|d|m))\b",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"\A(?P<lead>[^.;:!?]{0,160}?)\b(?:(?:is|are)(?:\s+\w+ly|\s+also|\s+often)?\s+(?:an?|the|one\s+of|part\s+of|located|situated|"
    r"named|known|called|composed|made\s+up|bounded|bordered|home|native|derived|considered|divided|found|any|in|on|at|between)\b|"
    r"(?:lies|lie|consists|consist|comprises|comprise|contains|contain|borders|border|flows|flow|belongs|belong|means|denotes|"
    r"refers|refer|covers|connects|houses)\b)"
)
_NOT_TIMELESS = re.compile(
    r"\b(?:I|we|you|me|us|our|your|my|this|these|today|tonight|now|currently|present|presently|current|recent|recently|"
    r"nowadays|new|newly|still|already|yet|so\s+far|yesterday|tomorrow|last|next|ago|will|shall|would|could|should|may|might|must|"
    r"until|since|former|formerly|once|retired|late|has\s+been|have\s+been|had)\b|[?!“”\"]",
    re.IGNORECASE,
)
_KIND = re.compile(r"\A(?:An?|Every|All)\s+[a-z]", re.ASCII)
_MATTER = re.compile(r"\A([A-Z][a-z]{2,})\s+[a-z]{3,}\s")
_HAN_EVENT = re.compile(
    r"[了過过曾]|[任生卒逝死嫁娶創创建立辭辞奉敗败勝胜登遷迁毀毁](?:於|于|為|为|了)|出生|去世|逝世|成立|[当當][选選]|[舉举]行|[發发]生|"
    r"[開开]始|[結结]束|[來来]到|[說说]|道[：:「“]"
)
_HAN = re.compile("[\u4e00-\u9fff]")
_LIST_MARK = re.compile(r"\s*[-*•–—·]\s")
_NUMBER = re.compile(r"(?<![\w-])\d|(?<![^\W\d])\d{4}")
_WORD = re.compile(r"[^\W\d_]{2}|[\u4e00-\u9fff]")
_FEW_WORDS = 3
_HEADING_WORDS = 9


def tells_event(sentence: str) -> bool:
    """True when the sentence has a predicate of something that happened: "became", "was built", "resigned".

    >>> tells_event("She resigned."), tells_event("The house is a historic house.")
    (True, False)
    """
    if _PAST.search(sentence) or (not sentence.isascii() and _HAN_EVENT.search(sentence)):
        return True
    return any(not _ADJECTIVAL.search(sentence, max(0, m.start() - 24), m.start()) for m in _ENDED.finditer(sentence))


def is_chinese(sentence: str) -> bool:
    """True where no ending could tell a verb: a Chinese sentence that names a time tells what happened then, whatever its words."""
    return not sentence.isascii() and _HAN.search(sentence) is not None


def is_timeless(sentence: str, *, about_name: bool) -> bool:
    """True for a definition or a lasting fact in the present tense, in which nothing happens.

    Args:
        sentence: one sentence that names no time.
        about_name: its subject is known by name.

    >>> is_timeless("Turin is a city in Italy.", about_name=True), is_timeless("Turin was a city.", about_name=True)
    (True, False)
    """
    defines = _DEFINES.match(sentence)
    if defines is None or _NOT_TIMELESS.search(sentence) or tells_event(sentence):
        return False
    matter = _MATTER.match(sentence)  # "Flint glass contains"
    return about_name or _KIND.match(sentence) is not None or (matter is not None and matter[1] not in LEADING_WORDS | NO_NAMES)


def is_heading(line: str) -> bool:
    """True for a heading, or the item of a list, of a few words that say nothing: no verb, no number.

    >>> is_heading("Early life and education ."), is_heading("He left."), is_heading("- 1811 : George Peter")
    (True, False, False)
    """
    line = line.strip()
    if not _WORD.search(line):
        return True
    if not line.isascii() and re.search(r"[\u4e00-\u9fff]", line):
        return len(line) <= 20 and line[-1:] not in "。！？」』”…" and not _HAN_EVENT.search(line)
    if len(line.split()) > _HEADING_WORDS or "\n" in line or _NUMBER.search(line):
        return False
    return not (_PRESENT.search(line) or tells_event(line) or line[-1:] in "!?\"”'’")


def is_item(line: str) -> bool:
    """True for what stands in a list, or is too short to be a sentence.

    >>> is_item("- Order of the Bath"), is_item("Col ."), is_item("Ann Lee left the house.")
    (True, True, False)
    """
    return _LIST_MARK.match(line) is not None or len(line.split()) <= _FEW_WORDS
