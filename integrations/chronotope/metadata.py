"""The flat metadata contract: how times travel with nodes and documents through any store.

Every value is a JSON scalar. `time_intervals` holds EDTF intervals with `; ` between them, `static` for facts outside time, and
is absent where no event has a time. `time_start` and `time_end` are the first and last second of the envelope of those intervals
and the date of writing, both inside, both always present on a record that has either, so that every store can ask
`time_start <= hi AND time_end >= lo`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from numbers import Real
from typing import Any, TypeAlias

from chronotope.errors import TimeExpressionError
from chronotope.records import Issue, Scalar
from chronotope.temporal.calendar import AXIS_MAX, AXIS_MIN, Grain, to_seconds
from chronotope.temporal.expressions import find_expressions
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings

__all__ = [
    "Dated",
    "MetadataKeys",
    "Times",
    "plain",
    "read_date",
    "read_dated",
    "read_intervals",
    "read_sides",
    "read_times",
    "write_times",
]

Times: TypeAlias = str | TimeInterval | Sequence[str | TimeInterval]

STATIC = "static"
_EPOCH_SECONDS = 100_000_000  # a bare number above this cannot be a year or YYYYMMDD
_EPOCH_MILLISECONDS = 100_000_000_000
_LOOSE_ISO = re.compile(r"(\d{4})-(\d\d?)(?:-(\d\d?))?")
_MAIL_DATE = re.compile(r"(?:[A-Z][a-z]{2}, )?\d\d? [A-Z][a-z]{2} \d{4} \d\d:")
_GUESSES = ("impossible_date", "ambiguous_order")


@dataclass(frozen=True, kw_only=True)
class MetadataKeys:
    """Names under which times are stored; rename them, or point at dates that an app already has.

    Args:
        times: EDTF intervals of the told events.
        start: first second of the envelope of the events and the date of writing.
        end: last second of it.
        published: when the source was written.
        date: an existing key (ISO string, year, date, datetime or epoch number) read as `published` where that is absent.
        event_date: an existing key read as the time of the event itself where `times` is absent.

    >>> MetadataKeys(date="published_at").machine
    ('time_start', 'time_end')
    """

    times: str = "time_intervals"
    start: str = "time_start"
    end: str = "time_end"
    published: str = "published"
    date: str | None = None
    event_date: str | None = None

    @property
    def machine(self) -> tuple[str, str]:
        """Keys that no reader wants to see; keep them out of embedded text and prompts."""
        return (self.start, self.end)

    @property
    def all(self) -> tuple[str, ...]:
        """Every key that this package writes."""
        return (self.times, self.start, self.end, self.published)

    def with_date(self, date: str | None) -> MetadataKeys:
        """The same keys with the app's own date of writing; None changes nothing.

        >>> MetadataKeys().with_date("published_at").date
        'published_at'
        """
        return replace(self, date=date) if date else self

    def has_numbers(self, metadata: Mapping[str, object]) -> bool:
        """True when a record holds the numbers that a store's filter compares; some stores give them back as fractions."""
        return all(isinstance(metadata.get(key), (int, float)) for key in self.machine)


@dataclass(frozen=True)
class Dated:
    """The times read from one record, and what could not be read."""

    times: tuple[TimeInterval, ...] = ()
    static: bool = False
    published: TimeInterval | None = None
    issues: tuple[Issue, ...] = ()


DEFAULT_KEYS = MetadataKeys()


def write_times(
    times: Sequence[TimeInterval], *, static: bool = False, published: TimeInterval | None = None, keys: MetadataKeys = DEFAULT_KEYS
) -> dict[str, Scalar]:
    """Flat metadata for the given times; the numbers cover the date of writing too, so that a store finds a record by either.

    >>> write_times([TimeInterval.parse("1969-07"), TimeInterval.parse("1972-12")])["time_intervals"]
    '1969-07; 1972-12'
    """
    flat: dict[str, Scalar] = {}
    kept = [time for time in times if not time.is_empty]
    if kept:
        flat[keys.times] = "; ".join(map(str, kept))
    elif static:
        flat[keys.times] = STATIC
        flat[keys.start], flat[keys.end] = AXIS_MIN, AXIS_MAX - 1
    if published is not None:
        flat[keys.published] = str(published)
    told = [*kept, published] if published is not None and not published.is_empty else kept
    if told and keys.start not in flat:
        flat[keys.start] = min(time.envelope[0] for time in told)
        flat[keys.end] = max(time.envelope[1] for time in told)
    return flat


def read_times(metadata: Mapping[str, object], *, keys: MetadataKeys = DEFAULT_KEYS, source_id: str | None = None) -> Dated:
    """Times of one record; a value that cannot be read leaves the record undated there and is reported, never raised.

    Args:
        metadata: the record's metadata, this package's keys or the app's own (`keys.date`, `keys.event_date`).
        keys: names to look under.
        source_id: what to call the record in an issue.
    """
    found = _stored_times(metadata, keys, source_id)
    if not found.times and not found.static and keys.event_date:
        found = _with_date(found, "times", metadata.get(keys.event_date), keys.event_date, source_id)
    found = _with_date(found, "published", metadata.get(keys.published), keys.published, source_id)
    if found.published is None and keys.date:
        found = _with_date(found, "published", metadata.get(keys.date), keys.date, source_id)
    return found


def _stored_times(metadata: Mapping[str, object], keys: MetadataKeys, source_id: str | None) -> Dated:
    text = str(metadata.get(keys.times) or "").strip()
    if text == STATIC:
        return Dated(static=True)
    times, issues = [], []
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        try:
            times.append(TimeInterval.parse(part))
        except TimeExpressionError as error:
            issues.append(_bad_date(keys.times, error, source_id))
    return Dated(tuple(times), issues=tuple(issues))


def _with_date(found: Dated, field: str, value: object, key: str, source_id: str | None) -> Dated:
    if value is None or (isinstance(value, str) and not value.strip()):
        return found
    try:
        time, flags = read_dated(value)
    except TimeExpressionError as error:
        return replace(found, issues=(*found.issues, _bad_date(key, error, source_id)))
    told = f"metadata key {key!r}: {value!r} was read as {time}"
    found = replace(found, issues=(*found.issues, *(Issue(flag, told, source_id) for flag in flags if flag in _GUESSES)))
    return replace(found, times=(time,)) if field == "times" else replace(found, published=time)


def _bad_date(key: str, error: TimeExpressionError, source_id: str | None) -> Issue:
    return Issue("bad_date", f"metadata key {key!r}: {error}; the record is treated as undated there", source_id)


def read_date(value: object, *, settings: CalendarSettings | None = None) -> TimeInterval:
    """Read a date that some app stored: EDTF, ISO text, `date`, `datetime` (naive is UTC), a year, YYYYMMDD, or epoch seconds.

    Args:
        value: the stored value.
        settings: date order and the like for texts such as `22/01/2026`.

    Raises:
        TimeExpressionError: the value is no single date.

    >>> read_date("2026-1-22"), read_date(1969), read_date(datetime(2024, 1, 1, 12))
    (TimeInterval('2026-01-22'), TimeInterval('1969'), TimeInterval('2024-01-01T12:00:00'))
    """
    return read_dated(value, settings=settings)[0]


_Flagged: TypeAlias = tuple[TimeInterval, tuple[str, ...]]


def read_dated(value: object, *, settings: CalendarSettings | None = None) -> _Flagged:
    """What `read_date` reads, and what had to be guessed about it: `impossible_date`, `ambiguous_order` and the like.

    Args:
        value: the stored value.
        settings: date order and the like for texts such as `22/01/2026`.

    Raises:
        TimeExpressionError: the value is no single date.

    >>> read_dated("2019-13-45"), read_dated("2019-12-04")
    ((TimeInterval('2019'), ('impossible_date',)), (TimeInterval('2019-12-04'), ()))
    """
    if isinstance(value, TimeInterval):
        return value, ()
    if isinstance(value, datetime | Real) and value != value:  # NaN, and what data frames hold for a missing date
        raise TimeExpressionError(repr(value))
    if isinstance(value, datetime):
        return _read_moment(value), ()
    if isinstance(value, date):
        return TimeInterval.unit(to_seconds(value.year, value.month, value.day), Grain.DAY), ()
    if isinstance(value, bool):
        raise TimeExpressionError(repr(value))
    if isinstance(value, int | float):
        return _read_number(value), ()
    if isinstance(value, Real):
        return _read_number(float(value)), ()
    if isinstance(value, str):
        return _read_text(value, settings or CalendarSettings())
    raise TimeExpressionError(repr(value))


def _read_moment(value: datetime) -> TimeInterval:
    """Without `astimezone`, which fails at the ends of the calendar that `datetime` knows."""
    local = to_seconds(value.year, value.month, value.day, value.hour, value.minute, value.second)
    offset = value.utcoffset()
    return TimeInterval.unit(local - (int(offset.total_seconds()) if offset else 0), Grain.SECOND)


def read_sides(start: str | None, end: str | None) -> TimeInterval | None:
    """The interval between two dates, both inclusive; None when neither side is given.

    Raises:
        TimeExpressionError: a side is no date, or the end lies before the start.

    >>> read_sides("2011-03", "2013"), read_sides(None, "2015")
    (TimeInterval('2011-03/2013-12'), TimeInterval('../2015'))
    """
    first, last = (read_date(side) if side and side.strip() not in ("", "..") else None for side in (start, end))
    grains = [side.grain for side in (first, last) if side is not None]
    if not grains:
        return None
    if first and last and first.start is not None and last.end is not None and last.end <= first.start:
        raise TimeExpressionError(f"{start}/{end}", "ends before it starts")
    return TimeInterval(first.start if first else None, last.end if last else None, min(grains))


def read_intervals(times: Times | None) -> tuple[TimeInterval, ...]:
    """The intervals of EDTF texts or of intervals, one or several; none of None.

    Raises:
        TimeExpressionError: a text is no EDTF interval.

    >>> read_intervals("1957/1961"), read_intervals(None)
    ((TimeInterval('1957/1961'),), ())
    """
    several = [times] if isinstance(times, (str, TimeInterval)) else times or ()
    return tuple(TimeInterval.parse(time) if isinstance(time, str) else time for time in several)


def plain(value: Any) -> Any:  # noqa: ANN401 - an app's own metadata
    """A copy that JSON can hold: dates as ISO text, containers entry by entry, anything else as its text.

    >>> plain({"at": date(1969, 7, 20), "tags": ("a", 1)})
    {'at': '1969-07-20', 'tags': ['a', 1]}
    """
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else str(value)


def _read_number(value: float) -> TimeInterval:
    if value in (0, float("inf"), float("-inf")):  # 0 is what apps store for a missing date
        raise TimeExpressionError(repr(value))
    number = int(value)
    if abs(number) > _EPOCH_MILLISECONDS:
        return TimeInterval.unit(number // 1_000, Grain.SECOND)
    if abs(number) >= _EPOCH_SECONDS:
        return TimeInterval.unit(number, Grain.SECOND)
    if number == value and -9999 <= number <= 9999:
        return TimeInterval.unit(to_seconds(number), Grain.YEAR)
    if 10_000_101 <= number <= 99_991_231:
        return TimeInterval.parse(f"{number // 10_000:04d}-{number // 100 % 100:02d}-{number % 100:02d}")
    raise TimeExpressionError(repr(value))


def _read_text(value: str, settings: CalendarSettings) -> _Flagged:
    text = value.strip()
    try:
        return TimeInterval.parse(text), ()
    except TimeExpressionError:
        iso = _read_iso(text)
    if iso is not None:
        return iso, ()
    if text.isascii() and text.lstrip("-").isdigit() and 4 <= len(text) <= 14:
        return _read_number(int(text)), ()
    whole = [e for e in find_expressions(text, settings=settings) if e.text.strip() == text.rstrip(".")]
    if len(whole) == 1:
        return whole[0].interval, whole[0].flags
    raise TimeExpressionError(value)


def _read_iso(text: str) -> TimeInterval | None:
    """ISO forms beside EDTF's (no zeros, no hyphens, week dates, clock times), and the dates of mail and HTTP headers."""
    loose = _LOOSE_ISO.fullmatch(text)
    try:
        if loose:
            return TimeInterval.parse("-".join(part.zfill(2) for part in loose.groups() if part))
        moment = parsedate_to_datetime(text) if _MAIL_DATE.match(text) else datetime.fromisoformat(text)
    except ValueError:
        return None
    return _read_moment(moment) if ":" in text or "T" in text else read_date(moment.date())
