"""A handful of holidays whose dates follow from a rule; those of lunar calendars need tables and are not here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from chronotope.temporal.calendar import DAY, Grain, days_in_month, to_seconds
from chronotope.temporal.english.lexicon import DIRECTIONS
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.english.years import year_tail
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.fields import AMBIGUOUS_YEAR
from chronotope.temporal.partial.reading import RELATIVE, Reading, skip

__all__ = ["STARTERS", "easter", "read_holiday"]

Rule = Callable[[int], int]  # the first second of the holiday in a year


def easter(year: int) -> int:
    """The first second of Easter Sunday of a Gregorian year, by the anonymous Gregorian computus.

    >>> from chronotope.temporal.calendar import from_seconds
    >>> from_seconds(easter(2018))[:3]
    (2018, 4, 1)
    """
    golden, (century, rest) = year % 19, divmod(year, 100)
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    later = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * later + 114, 31)
    return to_seconds(year, month, day + 1)


def _fixed(month: int, day: int) -> Rule:
    return lambda year: to_seconds(year, month, day)


def _from_easter(days: int) -> Rule:
    return lambda year: easter(year) + days * DAY


def _nth(month: int, weekday: int, place: int, plus: int = 0) -> Rule:
    def rule(year: int) -> int:
        if place < 0:
            last = to_seconds(year, month, days_in_month(year, month))
            return last - ((last // DAY + 3) - weekday) % 7 * DAY
        first = to_seconds(year, month)
        return first + ((weekday - (first // DAY + 3)) % 7 + 7 * (place - 1) + plus) * DAY

    return rule


_NAMES: dict[str, Rule] = {
    "new year | new years day | new year day | new years": _fixed(1, 1),
    "new years eve | new year eve": _fixed(12, 31),
    "epiphany": _fixed(1, 6),
    "valentines day | valentine day | saint valentines day | st valentines day": _fixed(2, 14),
    "saint patrick | saint patricks day | st patricks day | st patricks | saint paddys day | st paddys day": _fixed(3, 17),
    "april fools day | april fools": _fixed(4, 1),
    "groundhog day": _fixed(2, 2),
    "international womens day": _fixed(3, 8),
    "anzac day": _fixed(4, 25),
    "australia day": _fixed(1, 26),
    "may day": _fixed(5, 1),
    "juneteenth": _fixed(6, 19),
    "canada day": _fixed(7, 1),
    "guy fawkes day | guy fawkes night | bonfire night": _fixed(11, 5),
    "earth day": _fixed(4, 22),
    "independence day": _fixed(7, 4),
    "bastille day": _fixed(7, 14),
    "halloween": _fixed(10, 31),
    "all saints day": _fixed(11, 1),
    "veterans day | armistice day": _fixed(11, 11),
    "christmas | christmas day | xmas | xmas day": _fixed(12, 25),
    "christmas eve | xmas eve": _fixed(12, 24),
    "boxing day": _fixed(12, 26),
    "mlk day | martin luther king day | martin luther kings day | civil rights day": _nth(1, 0, 3),
    "presidents day | washingtons birthday": _nth(2, 0, 3),
    "mothers day": _nth(5, 6, 2),
    "memorial day": _nth(5, 0, -1),
    "fathers day": _nth(6, 6, 3),
    "labor day | labour day": _nth(9, 0, 1),
    "columbus day": _nth(10, 0, 2),
    "boss day | bosss day": _fixed(10, 16),
    "thanksgiving | thanksgiving day": _nth(11, 3, 4),
    "black friday": _nth(11, 3, 4, plus=1),
    "cyber monday": _nth(11, 3, 4, plus=4),
    "mardi gras | shrove tuesday | pancake day | pancake tuesday": _from_easter(-47),
    "ash wednesday": _from_easter(-46),
    "palm sunday": _from_easter(-7),
    "maundy thursday": _from_easter(-3),
    "good friday": _from_easter(-2),
    "easter | easter sunday | easter day": _from_easter(0),
    "easter monday | easter mon": _from_easter(1),
    "ascension day": _from_easter(39),
    "whit sunday | white sunday | pentecost": _from_easter(49),
    "whit monday | pentecost monday": _from_easter(50),
}
_BY_WORDS: dict[tuple[str, ...], Rule] = {tuple(name.split()): rule for names, rule in _NAMES.items() for name in names.split("|")}
_LONGEST = max(len(words) for words in _BY_WORDS)
STARTERS = {words[0] for words in _BY_WORDS} | {
    words[0].removesuffix("s") for words in _BY_WORDS
}  # "mother's day" begins with "mother"


def read_holiday(scan: Scan, i: int) -> Reading | None:
    """A holiday, with or without its year and its weekend: `Easter 2018`, `last Christmas`, `labor day 2021 weekend`."""
    tokens, frame = scan.tokens, scan.frame
    j = skip(tokens, i, "the")
    offset = DIRECTIONS.get(tokens[j].low)
    weekend_of = tokens[j].low == "weekend" and tokens[j + 1].low == "of"
    start = j + 1 if offset is not None else j + 2 if weekend_of else j
    name = _name(scan, start) if tokens[start].low in STARTERS else None
    if name is None:
        return None
    rule, stop = name
    year = year_tail(tokens, stop, frame)
    if year:
        reading = Reading(year.stop, interval=_day(rule, year.number), flags=year.flags)
    else:
        chosen = _near(rule, scan, offset)
        flags = frozenset({RELATIVE if offset is not None else AMBIGUOUS_YEAR})
        reading = Reading(stop, interval=_day(rule, chosen), flags=flags, weak=offset is None, confidence=0.6)
    if weekend_of or tokens[reading.stop].low == "weekend":
        return _weekend(reading, reading.stop if weekend_of else reading.stop + 1)
    return reading


def _name(scan: Scan, i: int) -> tuple[Rule, int] | None:
    tokens, j, best = scan.tokens, i, None
    words: list[str] = []
    while len(words) < _LONGEST and tokens[j].kind == "w":
        word = tokens[j].low
        j += 1
        if tokens[j].low in ("'", "’") and tokens[j].glued:
            owned = tokens[j + 1].low == "s" and tokens[j + 1].glued
            word, j = (word + "s", j + 2) if owned else (word, j + 1)
        elif tokens[j].low == "." and word == "st":
            j += 1
        words.append(word)
        rule = _BY_WORDS.get(tuple(words))
        best = (rule, j) if rule else best
    return best


def _near(rule: Rule, scan: Scan, offset: int | None) -> int:
    frame = scan.frame
    past = (offset is not None and offset < 0) or (offset is None and frame.settings.prefer == "past")
    if offset == 0:
        return frame.year
    if past:
        return frame.year if rule(frame.year) < frame.today else frame.year - 1
    return frame.year if rule(frame.year) + (DAY if not offset else 0) > frame.today else frame.year + 1


def _day(rule: Rule, year: int) -> TimeInterval:
    return TimeInterval.unit(rule(year), Grain.DAY)


def _weekend(reading: Reading, stop: int) -> Reading:
    """The weekend that the holiday makes: to Sunday from a Thursday or Friday, from Saturday to a Monday or Tuesday."""
    day = (reading.interval.start if reading.interval else None) or 0
    weekday = (day // DAY + 3) % 7
    low = day if weekday in (3, 4) else day - (weekday + 2) % 7 * DAY
    high = day + DAY if weekday in (0, 1) else low + (7 - (low // DAY + 3) % 7) * DAY
    return replace(reading, stop=stop, interval=TimeInterval(low, high, Grain.DAY), weak=False)
