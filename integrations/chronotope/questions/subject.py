"""What a question is about, in the words that a passage on it would use.

A question wraps its subject in words that no passage needs to have: "How did the president's statements about Cuba change?" is
about Cuba. Word matching (BM25) takes every word at face value, so the wrapping is taken off; vectors keep the whole question.
"""

from __future__ import annotations

import re

__all__ = ["subject"]

_SAY = (
    r"say|says|said|saying|think|thinks|thought|write|wrote|written|report(?:ed)?|state|stated|claim(?:ed)?|promis(?:e|ed)|propos(?:e|ed)|"
    r"announc(?:e|ed)|argu(?:e|ed)|tell|told|talk(?:ed)?|speak|spoke|spoken|comment(?:ed)?|feel|felt|mention(?:ed)?|declar(?:e|ed)|warn(?:ed)?"
)
_SAYING = (
    r"statements?|views?|positions?|stances?|attitudes?|remarks?|opinions?|rhetoric|comments?|thinking|thoughts?|tone|language|"
    r"messages?|messaging|claims?|promises?|pronouncements?|speeches|rationale|discourse|coverage|descriptions?|assessments?"
)
_ABOUT = r"about|on|regarding|concerning|towards?|over|of"
_CHANGE = (
    r"chang(?:e|es|ed|ing)|evolv(?:e|es|ed|ing)|develop(?:s|ed|ing)?|shift(?:s|ed|ing)?|differ(?:s|ed)?|var(?:y|ies|ied)|"
    r"progress(?:es|ed)?|unfold(?:s|ed)?"
)
_REPORTED = re.compile(
    rf"^(?P<who>.*?)\b(?:{_SAY}|{_SAYING})\s+(?:(?!{_ABOUT})\w+\s+){{0,2}}(?:{_ABOUT})\s+(?P<topic>.+?)(?:\s+(?:{_CHANGE}))?\s*[?.!]*$",
    re.IGNORECASE,
)
_CHANGED = re.compile(rf"^(?:how|in what(?:\s+ways?)?|to what extent)\b(?P<rest>.*?)\s+(?:{_CHANGE})(?P<tail>\b.*)$", re.IGNORECASE)
_OVER_TIME = re.compile(
    r"\b(?:over|through(?:out)?|across|with)\s+(?:the\s+)?(?:time|years|decades|course of time)\b|"
    r"\b(?:the\s+)?(?:evolution|development|history|trends?|changes?|course|story)\s+(?:of|in|to)\b|"
    r"\b(?:the\s+)?(?:ways?|manner)\s+(?:in\s+which\s+|that\s+)?|"
    r"\b(?:summari[sz]e|trace|outline|describe|compare|explain|list|name|give an overview of)\b",
    re.IGNORECASE,
)
_FUNCTION = """
's a an and any are as at be been being but by can could did do does doing for from had has have he her hers him his how i
if in into is it its me my of on or our over s she should so some than that the their them then there these they this those
to was we were what when where which while who whom whose why will with would you your
"""
_FUNCTION_WORDS = frozenset(_FUNCTION.split())
_WORDS = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")


def subject(core: str) -> str:
    """The words of a question that its evidence would share; the question itself when nothing else is left.

    Args:
        core: a question without its time, in English; other languages come back unchanged.

    >>> subject("How did the president's statements about Social Security change?")
    'Social Security'
    >>> subject("What did Eisenhower say about Korea?"), subject("Which engines flew on the Saturn V?")
    ('Korea Eisenhower', 'engines flew Saturn V')
    """
    stripped = _OVER_TIME.sub(" ", core)
    reported = _REPORTED.match(stripped)
    if reported:
        parts = [_content(reported["topic"]), _names(reported["who"])]
    else:
        changed = _CHANGED.match(stripped)
        parts = [_content(changed["rest"] + changed["tail"] if changed else stripped)]
    return " ".join(word for part in parts for word in part) or core


def _content(text: str) -> list[str]:
    words = (word.removesuffix("'s").removesuffix("’s") for word in _WORDS.findall(text))
    return [word for word in words if word.casefold() not in _FUNCTION_WORDS]


def _names(text: str) -> list[str]:
    """Proper names of who spoke; "the president" or "officials" would match everything that they said."""
    return [word for word in _content(text) if word[:1].isupper()]
