"""Times told from the reference day: `yesterday`, `last year`, `the past two quarters`, `three weeks ago`, `in two months`."""

from __future__ import annotations

from dataclasses import replace

from chronotope.temporal.calendar import DAY, Grain, from_seconds, shift
from chronotope.temporal.english.lengths import Length, moved, read_length
from chronotope.temporal.english.lexicon import DIRECTIONS, MONTHS, SEASONS, UNITS, WEEKDAYS
from chronotope.temporal.english.numerals import read_count
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.english.tokens import Token
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.fields import Fields, place, portion
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.reading import RELATIVE, Reading, chain, from_today, settled, skip

__all__ = ["DAYS", "read_day_word", "read_directed"]

DAYS = {"today": 0, "tonight": 0, "tomorrow": 1, "tomorrows": 1, "tmrw": 1, "tmr": 1, "tomorow": 1, "yesterday": -1, "otd": 0}
FLAGS = frozenset({RELATIVE})
WORKDAYS = ("business", "working")
OWNERS = ("his", "her", "their", "my", "your", "whose")
SPANS = ("years", "months", "weeks", "days")
TRUSTING = ("confidence", "faith", "trust", "belief", "believe", "believes", "believed", "hope", "hopes")


def read_day_word(scan: Scan, i: int) -> Reading | None:
    """`today`, `yesterday`, `the day after tomorrow`, `the day before yesterday`, `recently`, `EOY`, `end of year`."""
    tokens, frame = scan.tokens, scan.frame
    if tokens[i].low in DAYS:
        if i > 1 and tokens[i - 1].low == "in" and tokens[i - 2].low in TRUSTING:
            return None  # "confidence in tomorrow"
        return from_today(i + 1, frame.unit(Grain.DAY, DAYS[tokens[i].low]))
    if tokens[i].low in ("recently", "lately"):
        return replace(from_today(i + 1, _recent(frame)), flags=FLAGS | {"vague"}, confidence=0.4)
    year_to = i + 1 if tokens[i].low == "ytd" else chain(tokens, i, "year", "to", "date")
    if year_to > 0:
        return from_today(year_to, TimeInterval(frame.unit(Grain.YEAR).start, frame.today + DAY, Grain.DAY))
    if chain(tokens, i, "to", "date") > 0:
        return replace(from_today(i + 2, TimeInterval(None, frame.today, Grain.DAY)), relation="until")
    j = skip(tokens, i, "the")
    for words, offset in ((("day", "after", "tomorrow"), 2), (("day", "before", "yesterday"), -2)):
        stop = chain(tokens, j, *words)
        if stop > 0:
            return from_today(stop, frame.unit(Grain.DAY, offset))
    if scan.text[tokens[i].start : tokens[i].end] in ("EOY", "EOM", "EOW", "BOY", "BOM"):  # "boy" is another word
        grain = {"y": Grain.YEAR, "m": Grain.MONTH, "w": Grain.WEEK}[tokens[i].low[2]]
        return from_today(i + 1, portion(frame.unit(grain), grain, "end" if tokens[i].low[0] == "e" else "start"))
    return None


def _recent(frame: Frame) -> TimeInterval:
    return TimeInterval(shift(frame.today, -3, Grain.MONTH), frame.today + DAY, Grain.DAY)


def read_directed(scan: Scan, i: int) -> Reading | None:
    """`this week`, `next March`, `last Monday`, `the past two quarters`, `5 upcoming years`, `the year before last`."""
    tokens = scan.tokens
    j = skip(tokens, i, "the", "these", "over")
    if _owned(tokens, i):
        return None
    ahead = _count(tokens, j)
    k = ahead[1] if ahead else j
    if ahead and ahead[0] > 1 and tokens[k].low in ("next", "last", "past", "previous") and not tokens[k + 1].low.endswith("s"):
        return None  # "we will be only 3 next week"
    offset = DIRECTIONS.get(tokens[k].low)
    if offset is None:
        return (
            _before_last(scan, j)
            or _rest(scan, j)
            or (_one(scan, j, 0, "the") if j > i and tokens[j].low in ("weekend", "fortnight") else None)
        )
    if tokens[k].low == "this" and tokens[k + 1].low in ("past", "coming", "upcoming", "next", "last"):
        k, offset = k + 1, DIRECTIONS[tokens[k + 1].low]
    word = tokens[k].low
    if word == "last" and (j > i or (i and tokens[i - 1].low == "the")) and _of_something(tokens, k + 1):
        return None
    after = _count(tokens, k + 1) if ahead is None else None
    count = ahead or after
    stop = after[1] if after else k + 1
    if count:
        several = _several(scan, stop, offset, count[0], vague=count[2], rolling=ahead is not None)
        if several or ahead:
            return several
    return _one(scan, k + 1, offset, word)


def _owned(tokens: list[Token], i: int) -> bool:
    """True for "her last year" and "Ann's last days", which end with their owner and not with today."""
    if not i or tokens[i].low not in ("last", "next"):
        return False
    possessive = tokens[i - 1].low in ("its", "our") or (tokens[i - 1].low == "s" and i > 1 and tokens[i - 2].low in ("'", "’"))
    return tokens[i - 1].low in OWNERS or (possessive and tokens[i + 1].low in SPANS)


def _of_something(tokens: list[Token], i: int) -> bool:
    """True for "the last years of his life", "the last two weeks of the war"."""
    found = _count(tokens, i)
    unit = found[1] if found else i
    return tokens[unit].low in UNITS and tokens[unit + 1].low == "of" and tokens[unit + 2].kind == "w"


def _count(tokens: list[Token], i: int) -> tuple[int, int, bool] | None:
    if tokens[i].low in ("a", "an", "the"):
        return None
    found = read_count(tokens, i)
    return found if found and 0 < found[0] < 1000 else None


def _one(scan: Scan, i: int, offset: int, word: str) -> Reading | None:
    tokens, frame = scan.tokens, scan.frame
    low = tokens[i].low
    if low in ("morning", "afternoon", "evening", "night"):
        return from_today(i + 1, frame.unit(Grain.DAY, offset))
    if low in ("fiscal", "financial"):
        return _fiscal(scan, i + 1, offset)
    if low in UNITS and UNITS[low][0] >= Grain.DAY:
        grain, size = UNITS[low]
        if low.endswith("s") and offset and grain is not Grain.SEASON:
            return _several(scan, i, offset, 3, vague=True, rolling=True)
        if grain is Grain.DAY and offset == 0:
            return None
        return _unit_with_weekday(scan, i + 1, frame.unit(grain, offset * size, size), grain)
    if low in WEEKDAYS:
        return _directed_weekday(scan, i, offset, word)
    if low in ("weekend", "weekends"):
        monday = frame.unit(Grain.WEEK, offset).start or 0
        return from_today(i + 1, TimeInterval(monday + 5 * DAY, monday + 7 * DAY, Grain.DAY))
    if low in MONTHS or low in SEASONS:
        verb = low in ("may", "march") and word == "this" and not tokens[i].capital  # "this may be"
        return None if verb else _directed_month(scan, i, offset)
    inner = scan.atom(i)
    return _directed_date(inner, offset, frame) if inner else None


def _fiscal(scan: Scan, i: int, offset: int) -> Reading | None:
    """`last fiscal year`, `this fiscal quarter`."""
    frame, unit = scan.frame, UNITS.get(scan.tokens[i].low)
    if unit is None or unit[0] not in (Grain.YEAR, Grain.QUARTER):
        return None
    year = frame.fiscal_year_of(frame.now)
    start = frame.fiscal_start(year + offset if unit[0] is Grain.YEAR else year)
    if unit[0] is Grain.QUARTER:
        passed = next(n for n in (3, 2, 1, 0) if shift(start, n, Grain.QUARTER) <= frame.now)
        start = shift(start, passed + offset, Grain.QUARTER)
    return from_today(i + 1, TimeInterval(start, shift(start, 1, unit[0]), unit[0]))


def _unit_with_weekday(scan: Scan, i: int, unit: TimeInterval, grain: Grain) -> Reading | None:
    """`next week`, or with its day: `next week on Tuesday`, `this week Monday`, `previous week - Monday`; `last year's summer`."""
    tokens = scan.tokens
    if grain is Grain.WEEK:
        j = skip(tokens, i, "on", "-", ",")
        if tokens[j].low in WEEKDAYS and (j > i or tokens[j].capital):
            return from_today(j + 1, _weekday_in(unit, WEEKDAYS[tokens[j].low]))
    if grain is Grain.YEAR and tokens[i].low in ("'", "’") and tokens[i + 1].low == "s":
        inner = scan.atom(i + 2)
        if inner and inner.fields and inner.fields.year is None and inner.fields.grain is not Grain.DAY:
            year = from_seconds(unit.start or 0).year
            return replace(inner, fields=replace(inner.fields, year=year), flags=inner.flags | FLAGS, weak=False)
    return from_today(i, unit)


def _weekday_in(week: TimeInterval, weekday: int) -> TimeInterval:
    start = week.start or 0
    return TimeInterval.unit(start + ((weekday - (start // DAY + 3)) % 7) * DAY, Grain.DAY)


def _directed_weekday(scan: Scan, i: int, offset: int, word: str) -> Reading | None:
    """This, next and previous name a day of this, next and last week; past, last and coming the nearest day on that side."""
    tokens, frame = scan.tokens, scan.frame
    dated = scan.atom(i)
    if dated and dated.fields and dated.fields.day is not None:
        return _directed_date(dated, offset, frame)
    weekday = WEEKDAYS[tokens[i].low]
    if word in ("past", "last"):
        behind = ((frame.today // DAY + 3) - weekday) % 7 or 7
        return from_today(i + 1, TimeInterval.unit(frame.today - behind * DAY, Grain.DAY))
    if word in ("coming", "upcoming"):
        ahead = (weekday - (frame.today // DAY + 3)) % 7 or 7
        return from_today(i + 1, TimeInterval.unit(frame.today + ahead * DAY, Grain.DAY))
    return from_today(i + 1, _weekday_in(frame.unit(Grain.WEEK, offset), weekday))


def _directed_month(scan: Scan, i: int, offset: int) -> Reading | None:
    """This March is this year's; next and last March are the nearest that lie wholly ahead or behind."""
    frame, dated = scan.frame, scan.atom(i)
    if dated is None or dated.fields is None:
        return None
    if dated.fields.year is not None:
        return None
    if dated.fields.day is not None:
        return _directed_date(dated, offset, frame)
    if offset == 0 and dated.fields.grain is Grain.SEASON:
        return from_today(dated.stop, _season_now(dated.fields, frame))
    for year in range(frame.year - 2, frame.year + 3)[:: -1 if offset < 0 else 1]:
        found = place(replace(dated.fields, year=year), frame)
        if found and _on_side(found[0], offset, year, frame):
            return from_today(dated.stop, found[0])
    return None


def _season_now(fields: Fields, frame: Frame) -> TimeInterval:
    seasons = [frame.season(frame.year + step, fields.index) for step in (-1, 0)]
    return next((s for s in seasons if s.contains(frame.now)), seasons[1])


def _on_side(interval: TimeInterval, offset: int, year: int, frame: Frame) -> bool:
    if offset == 0:
        return year == frame.year
    return (interval.start or 0) > frame.now if offset > 0 else (interval.end or 0) <= frame.today


def _directed_date(dated: Reading, offset: int, frame: Frame) -> Reading | None:
    """`this 5/12` is this year's, `next 5/19` next year's; beside its weekday a date goes to the nearest fitting year."""
    if dated.fields is None or dated.fields.year is not None or dated.fields.grain is not Grain.DAY:
        return None
    if dated.fields.weekday is not None or dated.fields.month is None:
        return settled(replace(dated, flags=dated.flags | FLAGS, weak=False), frame)
    fields = replace(dated.fields, year=frame.year + offset)
    return replace(dated, fields=fields, flags=dated.flags | FLAGS, weak=False)


def _several(scan: Scan, i: int, offset: int, count: int, *, vague: bool, rolling: bool) -> Reading | None:
    """`past two months` are whole months; `the 5 past years` and `the next few weeks` run up to, or on from, today."""
    tokens, frame = scan.tokens, scan.frame
    i = skip(tokens, i, *WORKDAYS, "whole", "full", "calendar")
    unit = UNITS.get(tokens[i].low)
    if unit is None or offset == 0 or unit[0] < Grain.DAY:
        return None
    grain, size = unit
    rest = read_length(tokens, i + 1, more=True)
    if rest or vague or rolling:
        length = [(count * size, grain), *(rest[0] if rest else [])]
        reading = from_today(rest[1] if rest else i + 1, _rolling(frame, offset, length))
        return reading.with_flags("vague") if vague else reading
    if tokens[i - 1].low in WORKDAYS:
        return from_today(i + 1, _workdays(frame, offset * count))
    return from_today(i + 1, frame.unit(grain, 1 if offset > 0 else -count * size, count * size))


def _rolling(frame: Frame, offset: int, length: Length) -> TimeInterval:
    far = moved(frame.today, length, offset)
    return TimeInterval(far, frame.today, Grain.DAY) if offset < 0 else TimeInterval(frame.today + DAY, far + DAY, Grain.DAY)


def _workdays(frame: Frame, count: int) -> TimeInterval:
    step, day, left = (1 if count > 0 else -1), frame.today, abs(count)
    while left:
        day += step * DAY
        left -= (day // DAY + 3) % 7 < 5
    return TimeInterval(day, frame.today, Grain.DAY) if step < 0 else TimeInterval(frame.today + DAY, day + DAY, Grain.DAY)


def _before_last(scan: Scan, i: int) -> Reading | None:
    """`the week after next`, `the year before last`, `Friday after next`."""
    tokens, frame = scan.tokens, scan.frame
    offset = 2 if chain(tokens, i + 1, "after", "next") > 0 else -2 if chain(tokens, i + 1, "before", "last") > 0 else 0
    if not offset:
        return None
    if tokens[i].low in WEEKDAYS:
        ahead = ((WEEKDAYS[tokens[i].low] - (frame.today // DAY + 3)) % 7 or 7) + (7 if offset > 0 else -21)
        return from_today(i + 3, TimeInterval.unit(frame.today + ahead * DAY, Grain.DAY))
    if tokens[i].low == "weekend":
        monday = frame.unit(Grain.WEEK, offset).start or 0
        return from_today(i + 3, TimeInterval(monday + 5 * DAY, monday + 7 * DAY, Grain.DAY))
    unit = UNITS.get(tokens[i].low)
    return from_today(i + 3, frame.unit(unit[0], offset * unit[1], unit[1])) if unit and unit[0] >= Grain.DAY else None


def _rest(scan: Scan, i: int) -> Reading | None:
    """`the rest of the week`, `later this month`, `earlier this year`: a unit from today on, its second or first half."""
    tokens, frame = scan.tokens, scan.frame
    word = tokens[i].low
    j = skip(tokens, i + 1, "in", "of", "on")
    if word in ("rest", "remainder", "remaining"):
        j = skip(tokens, j, "the", "this")
    elif word in ("later", "earlier") and tokens[j].low in ("this", "the"):
        j += 1
    else:
        return None
    unit = UNITS.get(tokens[j].low)
    if unit is None or unit[0] < Grain.WEEK:
        return None
    whole = frame.unit(unit[0], 0, unit[1])
    return from_today(j + 1, _cut(whole, unit[0], word, frame)) if whole.start is not None else None


def _cut(whole: TimeInterval, grain: Grain, word: str, frame: Frame) -> TimeInterval:
    start, end = whole.start or 0, whole.end or 0
    middle = shift(start, 6, Grain.MONTH) if grain is Grain.YEAR else start + (end - start) // (2 * DAY) * DAY
    if word == "earlier":
        return TimeInterval(start, max(start + DAY, min(frame.today, end)), Grain.DAY)
    low = frame.today if word != "later" else max(frame.today, middle)
    return TimeInterval(low, end, Grain.DAY)
