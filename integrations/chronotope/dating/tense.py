"""Whether words tell of what is over, or of what still holds when they are written."""

from __future__ import annotations

import re
from typing import Final, Literal

__all__ = ["Tense", "sentence_around", "tense", "tense_at"]

Tense = Literal["past", "present"]
_PRESENT: Final = re.compile(
    r"(?<!\bto )(?<!\bwould )(?<!\bmust )(?<!\bmight )(?<!\bmay )\b(?:has|have|is|are|am|will|shall|must|may|can|should|do|does)\b"
    r"(?!\s+(?:said|believed|thought|known|reported|supposed|recorded)\s+to\s+have\b)|['’](?:ve|ll|re|m)\b",
    re.IGNORECASE,
)
_PAST_WORDS = """
had was were did became began bought brought built came chose drew fell felt fought found gave got grew held kept knew lay led left
lost made meant met paid ran rose said sat saw sent sold spent spoke stood taught took thought told went won wore wrote
"""
_PAST: Final = re.compile(rf"\b(?i:{'|'.join(_PAST_WORDS.split())})\b|\b(?!hundred|kindred|sacred)[a-z]{{3,}}(?<!e)ed\b")
_CLAUSE_BEGINS: Final = re.compile(r"[,;:()—–]")
_ENDS: Final = re.compile(r"[.!?;]\s|\n|\Z")
_LONGEST = 400  # characters of a sentence on either side that are looked at


def tense(words: str) -> Tense | None:
    """The tense of a clause, None where no verb shows it.

    >>> tense("whom she had trusted"), tense("he has been chairman"), tense("chairman")
    ('past', 'present', None)
    """
    if _PRESENT.search(words):
        return "present"
    return "past" if _PAST.search(words) else None


def tense_at(text: str, start: int, end: int) -> Tense | None:
    """The tense of the clause that an expression stands in; of its sentence where the clause has no verb."""
    low, high = sentence_around(text, start, end)
    before, after = text[low:start], text[end:high]
    clauses = (_CLAUSE_BEGINS.split(before)[-1], _CLAUSE_BEGINS.split(after)[0], before, after)
    return next((found for clause in clauses if (found := tense(clause))), None)


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence of an expression begins and ends, as far as stops tell."""
    low = max(0, start - _LONGEST)
    for stop in _ENDS.finditer(text, low, start):
        low = stop.end() if stop.end() <= start and stop[0] else low
    after = _ENDS.search(text, end, min(len(text), end + _LONGEST))
    return low, after.start() if after else min(len(text), end + _LONGEST)
