"""The words of English time expressions and what they stand for."""

from __future__ import annotations

from chronotope.temporal.calendar import Grain

__all__ = [
    "CARDINALS", "DECADES", "DIRECTIONS", "ENDINGS", "MONTHS", "ORDINALS", "PARTS", "SEASONS", "TENS", "UNITS", "UNSURE",
    "WEEKDAYS", "words",
]  # fmt: skip


def words(text: str) -> frozenset[str]:
    """The words of a line, as a set."""
    return frozenset(text.split())


_MONTHS = (
    "january jan", "february feb febr", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
    "september sep sept", "october oct", "november nov", "december dec",
)  # fmt: skip
MONTHS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}

_WEEKDAYS = (
    "monday mon",
    "tuesday tue tues",
    "wednesday wed weds",
    "thursday thu thur thurs",
    "friday fri",
    "saturday sat",
    "sunday sun",
)
WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}
WEEKDAYS |= {name.split()[0] + "s": number for number, name in enumerate(_WEEKDAYS)}

# Words that are as often something else; they need more than themselves to be a date.
UNSURE = {"may", "march", "mar", "sat", "sun", "mon", "wed", "second", "fall", "spring", "august", "dec", "jan", "fri"}

SEASONS = {"spring": 0, "springtime": 0, "summer": 1, "summertime": 1, "autumn": 2, "fall": 2, "winter": 3, "wintertime": 3}

UNITS: dict[str, tuple[Grain, int]] = {
    word: (grain, count)
    for words, grain, count in (
        ("second seconds sec secs", Grain.SECOND, 1),
        ("minute minutes min mins", Grain.MINUTE, 1),
        ("hour hours hr hrs", Grain.HOUR, 1),
        ("day days", Grain.DAY, 1),
        ("week weeks wk wks", Grain.WEEK, 1),
        ("fortnight fortnights", Grain.WEEK, 2),
        ("month months", Grain.MONTH, 1),
        ("quarter quarters qtr qtrs", Grain.QUARTER, 1),
        ("season seasons", Grain.SEASON, 1),
        ("semester semesters", Grain.HALF, 1),
        ("year years yr yrs", Grain.YEAR, 1),
        ("decade decades", Grain.DECADE, 1),
        ("century centuries", Grain.CENTURY, 1),
        ("millennium millennia millenniums", Grain.MILLENNIUM, 1),
    )
    for word in words.split()
}

DIRECTIONS = {
    "this": 0, "current": 0, "present": 0,
    "next": 1, "coming": 1, "following": 1, "upcoming": 1, "forthcoming": 1,
    "last": -1, "past": -1, "recent": -1, "previous": -1, "preceding": -1, "prior": -1,
}  # fmt: skip

PARTS = {
    "early": "early", "mid": "mid", "middle": "middle", "midst": "middle", "late": "late", "beginning": "start", "start": "start",
    "end": "end", "close": "end", "turn": "turn",
}  # fmt: skip

_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
CARDINALS = {word: number for number, word in enumerate(f"zero one two three four five six seven eight nine {_TEENS}".split())}
TENS = {
    word: 10 * ten for ten, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
TENS["fourty"] = 40

_FIRSTS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth"
)
ORDINALS = {word: number for number, word in enumerate(_FIRSTS.split(), 1)}
ORDINALS |= {word[:-1] + "ieth": ten for word, ten in TENS.items()}
ENDINGS = {"st", "nd", "rd", "th"}

DECADES = {word[:-1] + "ies": ten for word, ten in TENS.items()} | {"tens": 10, "teens": 10, "noughties": 0}
