"""English cues: patterns for the first words of a paragraph, matched without regard to case.

Lists of common words only; a day or a road named later in a sentence says little about a turn.
"""

from __future__ import annotations

from typing import Final

__all__ = ["LEANING", "PLACE", "THREAD", "TIME"]


def _one_of(words: str) -> str:
    """A group of alternatives; `_` stands for a space inside one."""
    return f"(?:{'|'.join(words.split()).replace('_', ' ')})"


_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = "january february april june july august september october november december"  # "may" and "march" are verbs too
_SEASON = "spring summer autumn winter"
_PERIOD = _one_of(
    "dawn daybreak sunrise morning forenoon noon midday afternoon evening sunset dusk twilight nightfall night midnight hours?"
    f" days? weeks? fortnights? months? seasons? years? decades? {_SEASON} christmas easter michaelmas {_MONTH} while time"
    f" breakfast dinner supper tea-time 1[0-9]{{3}} {_WEEKDAY}"
)
_COUNT = _one_of("a an one two three four five six seven eight nine ten twelve some several many a_few few a_couple_of half_an?")
_DETERMINER = _one_of(
    "the that this on_the on_that the_very early late one next all in_the by_the towards? before at by about during every"
)
_LATER = _one_of("later after(?:wards?)? before passed had_passed went_by had_gone elapsed past since ago earlier")
_ADVERB = _one_of(
    "at_last at_length afterwards? presently by_and_by in_the_meantime meanwhile meantime once_upon_a_time years_ago ever_since"
    " when as_soon_as no_sooner by_the_time the_moment the_instant"
)
TIME: Final = (
    rf"{_DETERMINER}(?:\s[\w’'-]+){{0,3}}?\s{_PERIOD}\b",
    rf"{_one_of('after for within in it_was it_had_been not')}?\s?{_one_of('about nearly some only more_than')}?\s?"
    rf"{_COUNT}(?:\s[\w’'-]+){{0,2}}?\s{_PERIOD}\s{_LATER}\b",
    rf"{_one_of('after within in')}\s{_COUNT}(?:\s[\w’'-]+){{0,2}}?\s{_PERIOD}\b",
    rf"{_one_of('in on by since towards?')}\s(?:the\s)?{_one_of(f'{_MONTH} march may {_SEASON} {_WEEKDAY} 1[0-9]{{3}}')}\b",
    rf"{_one_of(f'{_WEEKDAY} to-?morrow yesterday christmas')}\b",
    rf"{_one_of('soon shortly long not_long immediately directly some_time')}\s(?:after(?:wards?)?|before)\b",
    rf"{_ADVERB}\b",
)

_MOVING = _one_of("arriv reach enter return leav approach cross land descend alight quitt?") + "ing"
_MOVED = _one_of("arrived reached entered left departed landed set_(?:out|off|forth)")
_WENT = _one_of("returned went came drove rode sailed walked travelled hurried")
_WHITHER = _one_of("in into to out home back away off from up down")
_SITE = _one_of(
    "house hall garden street road village town city castle church inn forest wood hills? mountains? valley harbour river library"
    " kitchen parlour drawing-room dining-room study office prison palace court"
)
PLACE: Final = (
    rf"{_one_of('on upon after before in')}\s(?:{_one_of('his her their our my')}\s)?{_MOVING}\b",
    rf"{_MOVING}\b",
    rf"(?:[\w’'.-]+\s){{1,5}}?(?:{_one_of('had soon then now')}\s){{0,2}}?(?:{_MOVED}|{_WENT}\s{_WHITHER})\b",
    rf"{_one_of('at in outside inside within beyond near')}\s(?:(?-i:[A-Z])[\w’'-]+|the\s{_SITE}\b)",
    rf"\[?{_one_of('enter exit exeunt re-enter')}\b",
)

_ELSEWHERE = r"in (?:another|a distant|a different) " + _one_of("part quarter place town room house street corner country")
THREAD: Final = (
    rf"(?:but\s)?{_one_of('let_us we_must we_will we_shall we_have it_is_time it_is_necessary')}\s(?:now\s)?"
    rf"{_one_of('return go_back leave turn follow look')}\b",
    rf"(?:{_one_of('to_return to_go_back to_come_back elsewhere far_away while_this while_these all_this_while')}|{_ELSEWHERE})\b",
)

LEANING: Final = (
    _one_of(
        "he she it they him them his her hers its their theirs this that these those such so thus both neither either the_latter"
        " the_former and but or nor for yet still however therefore then indeed because moreover besides nevertheless accordingly"
        " hence also too"
    )
    + r"\b",
)
