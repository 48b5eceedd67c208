"""Sentences that run on behind a closed quotation, `“Where?” Harry asked.`, since its speaker is named there."""

from __future__ import annotations

import re

from chronotope.text.sentences.stops import QUOTES, Stop
from chronotope.text.sentences.words import Words

__all__ = ["has_tag", "is_new_speaker"]

_DASHES = frozenset("—–- ")
_VERBS = """said says asked asks cried cries replied replies answered answers exclaimed inquired enquired rejoined whispered
murmured muttered shouted called demanded repeated added remarked observed interrupted interposed ejaculated responded retorted
sighed gasped screamed shrieked roared growled suggested urged thought laughed sobbed groaned moaned pleaded begged snapped hissed
yelled bawled stammered wondered faltered questioned explained protested objected insisted announced declared remonstrated"""
_TAG = re.compile(
    r"(?P<name>[^\W\d_][\w’'-]*)\.?(?: [^\W\d_][\w’'-]*\.?){0,3}?(?: \w+ly| again| then| now| at last)? "
    rf"(?:(?:{'|'.join(_VERBS.split())})\b(?! (?:nothing|no|for|on|of|from)\b)"
    r"|(?:began|continued|returned|smiled)\b(?! (?:to|at|with|home|from)\b)"
    r"|(?:went on|broke in|put in)\b)"
)


def is_new_speaker(stop: Stop) -> bool:
    """True when one quotation closes and the next opens: `"Dead." "Who?"`."""
    return stop.closes_quote and stop.lead[:1] in QUOTES


def has_tag(stop: Stop, words: Words) -> bool:
    """True when a speaker and a verb of saying follow the closed quotation; a full stop in it would be a comma before those."""
    if stop.mark == "." or not stop.closes_quote or not _DASHES.issuperset(stop.lead):
        return False
    tag = _TAG.match(stop.text, stop.next_at)
    return tag is not None and (tag["name"] == "I" or tag["name"] not in words.starters)
