"""Bonds: what ties a paragraph to the one before it. Speech, questions, announcements, verse, letters."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["asked", "introduced", "letters", "spoken", "unclosed", "versed"]

_SPOKEN = re.compile(
    "[\"“‘«„「『]|'(?=[A-Z])"
    r"|[—–-]\s?(?=[\w¿¡])"  # a dash opens speech in many languages
    r"|_?[A-Z][A-Z .’'-]{2,30}[.:—]"  # the name of a speaker in a play
    "|[^\\W\\d_]{1,4}[^。．！？]{0,8}[道説說说曰问問][:：「“]"
)
_MARK = re.compile('[“”"«»「」『』]')
_OPENING, _CLOSING = frozenset("“«「『"), frozenset("”»」』")
_BEHIND_STOP = " \t\r\n\"'”’»」』)]_*"
_SALUTATION = re.compile(
    r"[\s\"“‘_]*(?:(?:my\s)?(?:(?:very|own)\s)?(?:dear(?:est)?|honou?red|beloved)\s[\w .’'-]{1,40}[,:!;.—-]"
    r"|(?:dear\s)?(?:sir|madam)\s?[,:—-])",
    re.IGNORECASE,
)
_FAREWELL = re.compile(
    r"(?:yours?\s(?:[\w,]+\s){0,4}?(?:faithfully|truly|sincerely|affectionately|obediently|ever|etc|&c|servant|friend|sister|brother"
    r"|son|daughter)|(?:believe|i am|i remain)[^.]{0,60}\b(?:yours?|&c)|adieu|farewell)\b",
    re.IGNORECASE,
)
_FAREWELL_CHARACTERS = 200  # at the end of a paragraph
_LETTER_PARAGRAPHS = 40  # a salutation without a farewell within so many is no letter
_SALUTATION_CHARACTERS = 120  # a longer paragraph that begins so is speech
_VERSE_LINE = 60  # characters; prose that is broken into lines fills them further


def spoken(text: str) -> bool:
    """True when a paragraph opens with somebody's words: a quotation, a dash, the name of a speaker in a play.

    >>> spoken("“Come in.”"), spoken("HAMLET. Words, words."), spoken("He came in.")
    (True, True, False)
    """
    return _SPOKEN.match(text) is not None


def asked(text: str) -> bool:
    """True when a paragraph ends with a question, which the next one answers.

    >>> asked("“Who is there?”"), asked("“Who is there?” he asked.")
    (True, False)
    """
    return text.rstrip(_BEHIND_STOP).endswith(("?", "？"))


def introduced(text: str) -> bool:
    """True when a paragraph ends by announcing the next one: with a colon, a comma or a dash.

    >>> introduced("Her next beginning was,"), introduced("She sat down.")
    (True, False)
    """
    return text.endswith((",", ":", ";", "，", "：", "；", "—"))


def unclosed(text: str, before: int = 0) -> int:
    """How many quotations are open after a text.

    Args:
        text: the text.
        before: how many are open before it.

    >>> unclosed('"Come in," he said. "I have'), unclosed("“Come in.”")
    (1, 0)
    """
    depth = before
    for mark in _MARK.findall(text):
        opens = mark in _OPENING or (mark not in _CLOSING and not depth)
        depth = depth + 1 if opens else max(0, depth - 1)
    return depth


def versed(text: str) -> bool:
    r"""True for lines of verse: several, none of them filled.

    >>> versed("How doth the little crocodile\nImprove his shining tail,")
    True
    """
    lines = text.split("\n") if "\n" in text else []
    return len(lines) > 1 and max(len(line.strip()) for line in lines) < _VERSE_LINE


def letters(texts: Sequence[str]) -> list[bool]:
    """For each paragraph, whether it continues a letter: it stands between a salutation and the farewell that belongs to it.

    >>> letters(["My dear Emma,", "We are well.", "Yours ever, Isabella", "She put it down."])
    [False, True, True, False]
    """
    inside = [False] * len(texts)
    opened = -1
    for place, text in enumerate(texts):
        if opened >= 0 and place - opened > _LETTER_PARAGRAPHS:
            opened = -1
        if len(text) < _SALUTATION_CHARACTERS and "”" not in text and _SALUTATION.match(text):
            opened = place
        elif opened >= 0 and _FAREWELL.search(text[-_FAREWELL_CHARACTERS:]):
            inside[opened + 1 : place + 1] = [True] * (place - opened)
            opened = -1
    return inside
