"""When a stop in European print ends no sentence."""

from __future__ import annotations

from chronotope.text.sentences.labels import is_label
from chronotope.text.sentences.speech import has_tag, is_new_speaker
from chronotope.text.sentences.stops import Stop
from chronotope.text.sentences.words import Words, is_abbreviation, is_number_or_pronoun

__all__ = ["ends"]

_FAR = 1_000  # characters; how far back the start of a bracket is looked for


def ends(stop: Stop, words: Words) -> bool:
    """True when the stop ends its sentence: something new can start behind it, and nothing says that the sentence runs on."""
    if not (stop.gap or stop.dash or "”" in stop.closers or (stop.closes_quote and stop.opens_quote)):
        return False
    if is_new_speaker(stop):
        return True
    return not (_is_continued(stop) or _is_inserted(stop) or is_abbreviation(stop, words) or is_label(stop) or has_tag(stop, words))


def _is_continued(stop: Stop) -> bool:
    """A small letter or a comma follows, a dash carries an exclamation on, or three dots pause before what has no capital."""
    if stop.first.islower() or stop.text[stop.after] in ",;:)]":
        return True
    if stop.closes_quote:
        return False
    if stop.mark[-1] in "!?" and "\n" not in stop.gap and (stop.dash or stop.lead[:1] in ("—", "–", "-")):
        return True
    return stop.is_ellipsis and is_number_or_pronoun(stop)


def _is_inserted(stop: Stop) -> bool:
    """`She called (why?) Tom`: a bracket that opened inside the sentence and cannot end it."""
    if ")" not in stop.closers or stop.mark[-1] not in "!?":
        return False
    opened = stop.text.rfind("(", max(stop.begin, stop.at - _FAR), stop.at)
    return opened >= 0 and any(sign.isalnum() for sign in stop.text[stop.begin : opened])
