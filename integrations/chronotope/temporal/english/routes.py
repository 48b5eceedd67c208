"""Which readers to try at a token: those that its word or number can begin."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from chronotope.temporal.english import cues, holidays
from chronotope.temporal.english.containers import read_part, read_possessive, read_year_part
from chronotope.temporal.english.distances import read_ago, read_within
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
from chronotope.temporal.english.nth import read_day_of, read_nth, read_weekday_of
from chronotope.temporal.english.numeric import read_numeric
from chronotope.temporal.english.periods import read_century, read_decade, read_fiscal, read_quarter, read_season, read_week
from chronotope.temporal.english.relative import DAYS, read_day_word, read_directed
from chronotope.temporal.english.scan import Scan
from chronotope.temporal.english.shifted import read_ended, read_shifted, read_starting, read_week_of
from chronotope.temporal.english.years import year_reading
from chronotope.temporal.partial.reading import Reading

__all__ = ["STARTERS", "read_atom"]

Reader = Callable[[Scan, int], Reading | None]


def _plain(read: Callable[..., Reading | None]) -> Reader:
    return lambda scan, i: read(scan.tokens, i, scan.frame)


def _weekday(scan: Scan, i: int) -> Reading | None:
    return read_weekday(scan.tokens, i)


_YEAR = (
    *map(_plain, (read_numeric, read_named, read_quarter, read_decade, read_week, year_reading)),
    read_possessive,
    read_year_part,
)
_NUMBER = (*_YEAR, _plain(read_century), read_nth, read_ago, read_shifted, read_directed, read_day_of, read_starting, read_ended)
_QUOTE = (*map(_plain, (read_decade, year_reading)),)
_RANK = (*map(_plain, (read_named, read_quarter, read_century)), read_nth, read_day_of)
_COUNT = (*map(_plain, (read_named, read_decade, read_century, year_reading)), read_nth, read_ago, read_shifted, read_directed)
_THE = (
    *map(_plain, (read_named, read_quarter, read_decade, read_century, read_season, read_week, year_reading)),
    read_nth, read_day_of, read_part, read_day_word, read_directed, read_week_of, read_shifted, read_ended, holidays.read_holiday,
)  # fmt: skip
_ROUTES: dict[str, tuple[Reader, ...]] = {}


def _route(words: Iterable[str], *readers: Reader) -> None:
    for word in words:
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


def read_atom(scan: Scan, i: int) -> Reading | None:
    """The longest time that begins at a token; of equal ones a firm one before a weak one."""
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
        if found is not None and (
            best is None or found.stop > best.stop or (found.stop == best.stop and best.weak and not found.weak)
        ):
            best = found
    return best
