"""What stands in front of a sentence and is none itself: list numbers, headings and the names of speakers in a play."""

from __future__ import annotations

import re

from chronotope.text.sentences.stops import Stop

__all__ = ["is_label"]

_LONGEST = 80  # characters of a label with its stage direction
_NUMBER = re.compile(r"\W*(?:\d{1,3}|[ivxlcIVXLC]+|[A-Za-z])[.)][\s_*]*")
_PLACE = r"(?:chapter|chap|book|volume|vol|part|act|scene|canto|letter|stave|section|no)\.? (?:\d{1,3}|[ivxlc]+)\b"
_HEADING = re.compile(rf"\W*(?:{_PLACE}\W*)+", re.IGNORECASE)
_DIRECTION = re.compile(r"[(\[][^()\[\]]*[)\]]")
_CAPITALS = re.compile(r"[^\W\d_a-z]{2}")


def is_label(stop: Stop) -> bool:
    """True when all that the sentence holds yet is a label, which stays with what it labels."""
    if stop.after - stop.begin > _LONGEST or "!" in stop.mark or "?" in stop.mark:
        return False
    told = stop.text[stop.begin : stop.after]
    if "\n" not in stop.gap and (_NUMBER.fullmatch(told) or _HEADING.fullmatch(told)):
        return True
    return _is_speaker(_DIRECTION.sub("", told)) and _starts_line(stop) and not _CAPITALS.match(stop.text, stop.next_at)


def _is_speaker(told: str) -> bool:
    name = told.strip(" \n_")
    letters = [sign for sign in name if sign.isalpha()]
    return len(letters) > 1 and all(map(str.isupper, letters)) and name[0].isalpha() and name.find(".") == len(name) - 1


def _starts_line(stop: Stop) -> bool:
    before = stop.text[max(0, stop.begin - _LONGEST) : stop.begin]
    return not before.rpartition("\n")[2].strip()
