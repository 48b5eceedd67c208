"""When a stop in Chinese or Japanese print ends no sentence: there are no capitals and no spaces to tell it."""

from __future__ import annotations

import re

from chronotope.text.sentences.stops import Stop

__all__ = ["closed", "ends"]

_MORE = frozenset("，、；：,;:)）—…～")
_TITLES = frozenset("》〉")
_FAR = 4_000  # characters; how far back an opening mark is looked for
_QUOTATION = re.compile(r'"[^\s"“”][^"“”\n]{,4000}(?<![：:])["”]')  # a colon stands before a mark that opens
_HESITATION = 4  # an ellipsis behind no more letters than these is a pause, not an end
# The speaker named behind a quotation, up to the next sign (a colon there would announce the next speech); と quotes in Japanese.
_SAID = re.compile(
    r"と|(?!一[面邊边])[^\s，。！？；：、“”‘’\"'「」『』…．,.!?:;不没沒未听聽見见]{0,6}?"
    r"(?:[说說问問答喊叫嚷骂罵]|(?<![知味街])道)[道了]?(?=[，。．！,.!]|\s|\Z)"
)


def ends(stop: Stop) -> bool:
    """True when the stop ends its sentence."""
    if (stop.dash and stop.mark[-1] not in "。．.") or stop.text[stop.after] in _MORE or not _TITLES.isdisjoint(stop.closers):
        return False
    return not (_is_point(stop) or _is_pause(stop) or _has_tag(stop))


def closed(stop: Stop) -> Stop:
    """The stop with those of its closers that close: a straight mark may open the next speech, or close behind a space."""
    if not (stop.mark and stop.is_cjk):
        return stop
    start = stop.at + len(stop.mark)
    for place in range(start, start + len(stop.closers)):
        if stop.text[place] == '"' and _QUOTATION.match(stop.text, place) and not _is_open(stop.text, place):
            return stop.closing_at(place)
    if stop.gap and stop.lead[:1] == '"' and _is_open(stop.text, stop.after):
        return stop.closing_at(stop.after + 1)
    return stop


def _is_open(text: str, place: int) -> bool:
    """True when a quotation of the paragraph is still open there, whichever marks it is printed with."""
    begin = max(place - _FAR, 0)
    begin = max(begin, text.rfind("\n", begin, place) + 1)
    curly = max(text.rfind("“", begin, place), text.rfind("”", begin, place))
    opened = curly >= 0 and text[curly] == "“"
    return opened ^ (text.count('"', max(begin, curly + 1), place) % 2 == 1)


def _is_point(stop: Stop) -> bool:
    """A point inside a number or a name in foreign letters: `３．５`."""
    around = stop.text[stop.at - 1 : stop.at] + stop.text[stop.after : stop.after + 1]
    return (
        stop.mark in ("．", ".")
        and not stop.gap
        and len(around) == 2
        and re.fullmatch(r"[0-9A-Za-z０-９Ａ-Ｚａ-ｚ]{2}", around) is not None
    )


def _is_pause(stop: Stop) -> bool:
    if stop.closers or "\n" in stop.gap or stop.mark.strip("…."):
        return False
    before = stop.text[max(stop.begin, stop.at - _HESITATION - 1) : stop.at]
    return stop.mark != "." and not (len(before) > _HESITATION and before.isalnum())


def _has_tag(stop: Stop) -> bool:
    return stop.closes_quote and _SAID.match(stop.text, stop.after) is not None
