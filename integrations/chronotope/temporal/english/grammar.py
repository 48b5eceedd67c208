"""Which readers to try at a token, and how a time, its cue and the far end of its range become one expression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from chronotope.temporal.calendar import Grain
from chronotope.temporal.english import cues, holidays
from chronotope.temporal.english.anchored import (
    read_day_of,
    read_ended,
    read_nth,
    read_part,
    read_possessive,
    read_shifted,
    read_starting,
    read_week_of,
    read_weekday_of,
)
from chronotope.temporal.english.judge import admissible, continues_list
from chronotope.temporal.english.lexicon import (
    CARDINALS,
    DECADES,
    DIRECTIONS,
    MONTHS,
    ORDINALS,
    PARTS,
    SEASONS,
    TENS,
    UNITS,
    WEEKDAYS,
)
from chronotope.temporal.english.named import read_named, read_weekday
from chronotope.temporal.english.numerals import read_ordinal
from chronotope.temporal.english.numeric import inside_number, read_numeric
from chronotope.temporal.english.periods import read_century, read_decade, read_fiscal, read_quarter, read_season, read_week
from chronotope.temporal.english.ranges import connector, crumb, right_crumb
from chronotope.temporal.english.relative import DAYS, read_ago, read_day_word, read_directed, read_within
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.english.years import year_reading
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.fields import Fields
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.joining import explained, joined
from chronotope.temporal.partial.reading import RELATIVE, Reading, settled, skip

__all__ = ["Found", "find_english"]

Reader = Callable[[Scan, int], Reading | None]


def _plain(read: Callable[..., Reading | None]) -> Reader:
    return lambda scan, i: read(scan.tokens, i, scan.frame)


def _weekday(scan: Scan, i: int) -> Reading | None:
    return read_weekday(scan.tokens, i)


_YEAR = (*map(_plain, (read_numeric, read_named, read_quarter, read_decade, read_week, year_reading)), read_possessive)
_NUMBER = (*_YEAR, _plain(read_century), read_nth, read_ago, read_shifted, read_directed, read_day_of, read_starting, read_ended)
_QUOTE = (*map(_plain, (read_decade, year_reading)),)
_RANK = (*map(_plain, (read_named, read_quarter, read_century)), read_nth, read_day_of)
_COUNT = (*map(_plain, (read_named, read_decade, read_century, year_reading)), read_nth, read_ago, read_shifted, read_directed)
_THE = (
    *map(_plain, (read_named, read_quarter, read_decade, read_century, read_season, read_week, year_reading)),
    read_nth, read_day_of, read_part, read_day_word, read_directed, read_week_of, read_shifted, read_ended, holidays.read_holiday,
)  # fmt: skip
_ROUTES: dict[str, tuple[Reader, ...]] = {}


def _route(words: object, *readers: Reader) -> None:
    for word in words:  # type: ignore[attr-defined]
        _ROUTES[word] = _ROUTES.get(word, ()) + tuple(r for r in readers if r not in _ROUTES.get(word, ()))


_route(MONTHS, _plain(read_named))
_route(WEEKDAYS, _plain(read_named), _weekday, read_directed, read_weekday_of)
_route(("to",), read_day_word)
_route(SEASONS, _plain(read_season))
_route(ORDINALS, *_RANK)
_route((*CARDINALS, *TENS), *_COUNT)
_route(TENS, *_RANK)
_route(DECADES, *_QUOTE)
_route(PARTS, read_part)
_route(DIRECTIONS, read_directed, read_nth, holidays.read_holiday)
_route(("later", "earlier", "rest", "remainder", "remaining"), read_directed)
_route(("final", "opening", "closing", "initial"), read_nth)
_route((*DAYS, "recently", "lately", "day", "ytd", "year", "eoy", "eom", "eow", "boy", "bom"), read_day_word)
_route(UNITS, read_directed, read_ended)
_route(("week", "wk", "weeks", "w"), _plain(read_week), read_week_of)
_route(("weekend",), holidays.read_holiday, read_week_of)
_route(("q", "h"), _plain(read_quarter))
_route(("fy", "cy", "fiscal", "financial"), _plain(read_fiscal), read_ended)
_route(("year", "calendar", "ad", "ce", "a"), _plain(year_reading))
_route(("half", "a", "an", "few", "several", "couple"), read_ago, read_shifted, read_starting)
_route(("in", "within"), read_within, read_shifted)
_route(("for", "from"), read_starting)
_route((*CARDINALS, *TENS), read_starting, read_ended)
_route(holidays.STARTERS, holidays.read_holiday)
_route(("the", "these", "over"), *_THE)
_route(("'", "’", "‘", "-", "−"), *_QUOTE)
STARTERS = frozenset(_ROUTES) | cues.STARTERS


def _read_atom(scan: Scan, i: int) -> Reading | None:
    token = scan.tokens[i]
    if token.kind == "n":
        readers = _YEAR if token.width == 4 and scan.tokens[i + 1].low not in UNITS else _NUMBER
    else:
        readers = _ROUTES.get(token.low, ())
        after = scan.tokens[i + 1]
        if token.low == "the" and after.kind == "w" and after.low not in _ROUTES:
            return None
    best: Reading | None = None
    for read in readers:
        found = read(scan, i)
        if found is not None and (best is None or found.stop > best.stop or (found.stop == best.stop and best.weak and not found.weak)):
            best = found
    return best


@dataclass(frozen=True, slots=True)
class Found:
    """A time in the text: its reading, the tokens it spans and its relation."""

    first: int
    stop: int
    reading: Reading
    relation: str
    included: bool = False  # "until" in a form that names its last unit: "no later than 2019"


def find_english(text: str, frame: Frame) -> tuple[Scan, list[Found]]:
    """Every time of a text in order, with the scan that holds the tokens; neighbours complete each other (`May and June 2018`)."""
    scan = Scan(text, frame, _read_atom)
    tokens, found, i = scan.tokens, list[Found](), 0
    last = len(tokens) - 4
    while i < last:
        token = tokens[i]
        if token.kind == "n" or token.low in STARTERS:
            one = _expression(scan, i, found[-1] if found else None)
            if one is not None:
                found.append(one)
                i = one.stop
                continue
        i += 1
    return scan, _neighbours(found)


def _neighbours(found: list[Found]) -> list[Found]:
    """Years carried back along a list: `on 3 and 5 May 2018`, `in May and June 2018`."""
    for place in range(len(found) - 2, -1, -1):
        here, there = found[place].reading, found[place + 1].reading
        if here.fields and there.fields and here.fields.year is None and here.fields.weekday is None and there.fields.year is not None:
            near = 0 < found[place + 1].first - found[place].stop <= 2 or found[place + 1].first == found[place].stop
            if near and here.fields.grain is there.fields.grain and here.fields.order <= there.fields.order:
                fields = replace(here.fields, year=there.fields.year)
                found[place] = replace(found[place], reading=replace(here, fields=fields))
    return found


def _expression(scan: Scan, i: int, before: Found | None) -> Found | None:
    if inside_number(scan.tokens, i):
        return None
    cue = cues.read_cue(scan.tokens, i)
    if cue is not None:
        found = _cued(scan, i, cue)
        whole = scan.atom(i)
        if found is not None and (whole is None or whole.stop < found.stop + (cue.word != "for")):
            return found
    reading = _operand(scan, i)
    if reading is None:
        return None
    ranged = _ranged(scan, reading, between=False)
    if ranged and reading.fields and reading.fields.number is not None and ranged.weak:
        return None  # "555-2020" needs a cue, "264–146 BC" does not
    reading = ranged or _shared(scan, reading)
    after = cues.read_after_cue(scan, reading.stop, since=False)
    if reading.fields is not None and reading.fields.number is not None:
        return None
    listed = before is not None and continues_list(scan, before.stop, i)
    if not (after or listed or admissible(scan, i, reading, None)):
        return None
    if listed and not admissible(scan, i, reading, "and"):
        return None
    if after is None:
        return _finish(i, reading, reading.relation, reading.stop)
    found = _finish(i, reading, after.relation, after.stop)
    return replace(found, included=True) if found else None


def _cued(scan: Scan, i: int, cue: cues.Cue) -> Found | None:
    tokens = scan.tokens
    reading = _operand(scan, cue.stop)
    if reading is None:
        return None
    between = cue.relation == "between"
    ranged = _ranged(scan, reading, between=between) if cue.relation in ("between", "from", "during", "since", "excluded") else None
    if between and ranged is None:
        return None
    reading = ranged or _shared(scan, reading)
    if reading.fields is not None and reading.fields.number is not None:
        return None
    if cue.relation.endswith("_distance"):
        return _distance(scan, i, cue, reading)
    if not admissible(scan, cue.stop, reading, cue.word):
        return None
    after = cues.read_after_cue(scan, reading.stop, since=cue.word in ("from", "since")) if ranged is None else None
    stop = after.stop if after else reading.stop
    if cue.word in cues.APPROXIMATE:
        reading = _hedged(scan, cue.stop, reading)
    if cue.word == "since" and ranged is None and reading.fields is not None and reading.fields.year is None:
        reading = _latest(scan, reading)
    if cue.relation == "excluded":
        reading = reading.with_flags("excluded")
    relation = reading.relation if ranged else _relation(scan, i, cue, after)
    found = _finish(i, reading, relation, stop)
    return replace(found, included=cue.word in cues.INCLUDING or after is not None) if found else None


def _latest(scan: Scan, reading: Reading) -> Reading:
    """What began since Monday began on the last one, not on the next."""
    settings = scan.frame.settings
    if settings.prefer is not None:
        return reading
    frame = replace(scan.frame, settings=replace(settings, prefer="past"))
    found = settled(reading, frame)
    return replace(found, fields=None) if found else reading


def _relation(scan: Scan, i: int, cue: cues.Cue, after: cues.Cue | None) -> str:
    if after is not None:
        return after.relation
    if cue.relation != "from":
        return cue.relation
    before = scan.tokens[i - 1].low if i else ""
    things = before in _DATED_THINGS or before in UNITS or before in WEEKDAYS or (before.endswith("s") and before not in _VERBS)
    return "during" if things else "since"


_VERBS = {"was", "is", "has", "does", "plays", "runs", "starts", "begins", "lives", "works", "serves", "leads", "dates", "his", "this", "series"}


_DATED_THINGS = {
    "letter", "letters", "report", "reports", "article", "articles", "news", "result", "results", "data", "figure", "figures", "photo",
    "photos", "photograph", "photographs", "painting", "paintings", "film", "films", "movie", "movies", "song", "songs", "music", "speech",
    "speeches", "record", "records", "minutes", "email", "emails", "document", "documents", "paper", "papers", "book", "books", "page",
    "version", "edition", "copy", "map", "maps", "entry", "entries", "story", "stories", "event", "events", "dates", "dated",
}  # fmt: skip


def _distance(scan: Scan, i: int, cue: cues.Cue, reading: Reading) -> Found | None:
    """`more than 2 weeks before today` lies before that day, `less than a month ago` since."""
    length = scan.tokens[cue.stop]
    if reading.interval is None or RELATIVE not in reading.flags or (length.kind != "n" and length.low not in (*CARDINALS, *TENS, "a", "an")):
        return None
    return _finish(i, reading, "before" if cue.relation == "before_distance" else "since", reading.stop)


def _operand(scan: Scan, i: int) -> Reading | None:
    """A time where one is expected: any reading, `now`, `date`, or a number that the other end of a range will explain."""
    j, hedged = cues.skip_hedge(scan.tokens, i)
    reading = scan.atom(j) or _bare(scan, j)
    if reading is None:
        return crumb(scan.tokens, j)
    after = scan.tokens[reading.stop]
    doubtful = after.low in ("?", *cues.APPROXIMATE) and (after.low != "?" or after.glued)
    return _hedged(scan, j, reading) if hedged or (doubtful and after.low != "?") else reading


def _hedged(scan: Scan, i: int, reading: Reading) -> Reading:
    """The reading flagged as approximate; "c. 1800s" names ten years, not a hundred."""
    fields = reading.fields
    if fields is not None and fields.grain is Grain.CENTURY and scan.tokens[i].width == 4 and scan.tokens[i].kind == "n":
        reading = replace(reading, fields=replace(fields, grain=Grain.DECADE))
    return reading.with_flags("approximate")


def _bare(scan: Scan, i: int) -> Reading | None:
    tokens, frame = scan.tokens, scan.frame
    low = tokens[i].low
    if low in ("now", "date", "present", "present-day") or (low == "the" and tokens[i + 1].low == "present"):
        stop = i + 1 + (low == "the") + (tokens[i + 1].low == "day")
        return Reading(stop, interval=TimeInterval(frame.today, frame.today, Grain.DAY), flags=frozenset({RELATIVE}), weak=True)
    if PARTS.get(low) in ("early", "mid", "late"):
        rank = crumb(tokens, skip(tokens, i + 1, "-"))
        listed = rank is not None and rank.fields is not None and tokens[rank.stop].low in ("and", "or", "&", ",")
        return replace(rank, fields=replace(rank.fields, part=PARTS[low])) if rank and rank.fields and listed else None
    if low == "the" and (tokens[i + 1].low in _YEAR_NOUNS or tokens[i + 1].width == 4):
        return _year_noun(scan, i + 1)
    if low == "the":
        day = read_ordinal(tokens, i + 1)
        if day and 1 <= day[0] <= 31 and (tokens[day[1]].kind != "w" or tokens[day[1]].low in ("and", "or", "at", "to")):
            return Reading(day[1], Fields(Grain.DAY, day=day[0]), weak=True, confidence=0.4)
    if low in ("the", "this") and (tokens[i + 1].low in MONTHS or tokens[i + 1].low in WEEKDAYS):
        return scan.atom(i + 1)
    return None


_YEAR_NOUNS = {"season", "campaign", "academic", "school", "edition", "session", "tax", "financial", "calendar", "term"}


def _year_noun(scan: Scan, i: int) -> Reading | None:
    """`the 1998 season`, `the 2018–19 academic year`, `the season 2018/2019`."""
    tokens = scan.tokens
    before = tokens[i].low in _YEAR_NOUNS
    first = scan.atom(skip(tokens, i + before, "year"))
    if first is None or first.fields is None or first.fields.grain is not Grain.YEAR:
        return None
    years = _ranged(scan, first, between=False) or first
    if before or tokens[years.stop].low in _YEAR_NOUNS:
        return replace(years, stop=years.stop if before else skip(tokens, years.stop + 1, "year"))
    return None


def _shared(scan: Scan, left: Reading) -> Reading:
    """The first of a list that shares its noun: `18th and 19th centuries`, `3 and 5 May`, `late 19th and early 20th century`."""
    fields, tokens = left.fields, scan.tokens
    if fields is None or fields.month or fields.weekday is not None or tokens[left.stop].low not in ("and", "or", "&", ","):
        return left
    number = fields.day if fields.number is None else fields.number
    if number is None:
        return left
    right = _operand(scan, skip(tokens, left.stop + 1, "the"))
    if right is None or right.fields is None:
        return left
    known = explained(number, right.fields)
    if known is None or known.grain is not right.fields.grain or known.grain is Grain.YEAR:
        return left
    return replace(left, fields=replace(known, part=fields.part), weak=False, flags=right.flags, confidence=0.8)


def _ranged(scan: Scan, left: Reading, *, between: bool) -> Reading | None:
    """The range that begins with a reading, when a connector and a second end follow."""
    tokens = scan.tokens
    doubt = tokens[left.stop].low == "?" and tokens[left.stop].glued  # "between 1862? and 1863?"
    j = connector(tokens, left.stop + doubt, between=between)
    if j < 0 or (tokens[left.stop].low in ("till", "until") and left.weak and left.fields is None):
        return None
    if not between and tokens[j - 1].low == "until" and left.relation != "during":
        return None
    k = skip(tokens, j, "the")
    ends = [_operand(scan, j), _operand(scan, k) if k > j else None, right_crumb(scan, k, left)]
    for end in sorted((e for e in ends if e is not None), key=lambda e: -e.stop):
        if end is not None and not (end.fields is not None and end.fields.number is not None):
            found = joined(left, end, scan.frame)
            if found is not None:
                return found
    return None


def _finish(i: int, reading: Reading, relation: str, stop: int) -> Found | None:
    if reading.interval is not None and reading.interval.is_empty and relation in ("during", "between", "as_of", "from"):
        return None
    return Found(i, stop, reading, "during" if relation in ("from", "excluded") else relation)
