"""The flat metadata contract: what is written can be read again, and what an app already has can be read at all."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.errors import TimeExpressionError
from chronotope.metadata import MetadataKeys, read_date, read_dated, read_sides, read_times, write_times
from chronotope.temporal.calendar import AXIS_MAX, AXIS_MIN, Grain, to_seconds
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings

T = TimeInterval.parse
DAY = 86_400
WEST = timezone(timedelta(hours=-14))

DAYS = st.integers(to_seconds(-500) // DAY, to_seconds(2100) // DAY)


@st.composite
def intervals(draw: st.DrawFn) -> TimeInterval:
    start, length = draw(DAYS), draw(st.integers(1, 100_000))
    grain = draw(st.sampled_from([Grain.DAY, Grain.WEEK, Grain.MONTH, Grain.SEASON, Grain.YEAR, Grain.DECADE, Grain.CENTURY]))
    sides = draw(st.sampled_from(["both", "from", "until", "unit", "always"]))
    if sides == "unit":
        return TimeInterval.unit(start * DAY, grain)
    if sides == "always":
        return TimeInterval(None, None)
    return TimeInterval(None if sides == "until" else start * DAY, None if sides == "from" else (start + length) * DAY, Grain.DAY)


@given(st.lists(intervals(), max_size=4), st.booleans(), st.none() | intervals())
@settings(max_examples=120, deadline=None)
def test_written_times_are_read_again_exactly(times, static, published) -> None:
    flat = write_times(times, static=static, published=published)
    read = read_times(flat)
    assert read.times == tuple(times)
    assert read.static is (static and not times)
    assert read.published == published
    assert read.issues == ()
    assert all(value is None or isinstance(value, (str, int, float, bool)) for value in flat.values())


@given(st.lists(intervals(), min_size=1, max_size=3), intervals())
@settings(max_examples=120, deadline=None)
def test_the_envelope_never_loses_a_record_that_overlaps_the_asked_time(times, asked) -> None:
    flat = write_times(times)
    low, high = asked.envelope
    coarse = flat["time_start"] <= high and flat["time_end"] >= low
    assert coarse or not any(time.overlaps(asked) for time in times)
    if len(times) == 1:
        assert coarse == times[0].overlaps(asked)


def test_the_envelope_is_two_integers_and_an_open_side_gets_the_limit_of_the_axis() -> None:
    moon = write_times([T("1969-07-20")])
    assert (moon["time_start"], moon["time_end"]) == (-165 * DAY, -164 * DAY - 1)  # 20 July is 165 days before 1970
    assert write_times([T("2010/..")])["time_end"] == AXIS_MAX - 1
    assert write_times([T("../2015")])["time_start"] == AXIS_MIN
    caesar = write_times([T("-0043-03-15")])
    assert caesar["time_intervals"] == "-0043-03-15"
    assert caesar["time_start"] < write_times([T("-0042")])["time_start"] < 0
    both = write_times([T("1972-12"), T("1969-07")])
    assert both["time_intervals"] == "1972-12; 1969-07"
    assert both["time_start"] == write_times([T("1969-07")])["time_start"]
    assert both["time_end"] == write_times([T("1972-12")])["time_end"]


def test_the_envelope_covers_the_date_of_writing_too() -> None:
    flat = write_times([T("1890")], published=T("1999-03-04"))
    assert (flat["time_intervals"], flat["published"]) == ("1890", "1999-03-04")
    assert (flat["time_start"], flat["time_end"]) == (T("1890").envelope[0], T("1999-03-04").envelope[1])
    low, high = T("2014").envelope
    assert write_times([], published=T("2014")) == {"published": "2014", "time_start": low, "time_end": high}
    always = {"time_intervals": "static", "time_start": AXIS_MIN, "time_end": AXIS_MAX - 1}
    assert write_times([], static=True, published=T("2014")) == {**always, "published": "2014"}


def test_undated_records_carry_no_machine_keys_and_facts_outside_time_match_everything() -> None:
    assert write_times([]) == {}
    assert write_times([], static=True) == {"time_intervals": "static", "time_start": AXIS_MIN, "time_end": AXIS_MAX - 1}
    nothing = TimeInterval(0, 0)
    assert write_times([nothing]) == {}


def test_keys_can_be_renamed() -> None:
    keys = MetadataKeys(times="when", start="t0", end="t1", published="written")
    flat = write_times([T("1969")], published=T("1970"), keys=keys)
    assert set(flat) == {"when", "t0", "t1", "written"} == set(keys.all)
    assert keys.machine == ("t0", "t1")
    read = read_times(flat, keys=keys)
    assert (read.times, read.published) == ((T("1969"),), T("1970"))


def test_dates_that_an_app_already_has_are_read_and_our_own_go_first() -> None:
    keys = MetadataKeys(date="created", event_date="happened")
    read = read_times({"created": "2014-05-10", "happened": date(2014, 5, 3)}, keys=keys)
    assert (read.times, read.published) == ((T("2014-05-03"),), T("2014-05-10"))
    own = {"time_intervals": "1999", "published": "2000", "created": "2014", "happened": 2014}
    read = read_times(own, keys=keys)
    assert (read.times, read.published) == ((T("1999"),), T("2000"))


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("2026-1-22", "2026-01-22"),
        ("2026-01-13", "2026-01-13"),
        ("22/01/2026", "2026-01-22"),
        ("2024-1", "2024-01"),
        ("20240131", "2024-01-31"),
        (20240131, "2024-01-31"),
        ("2024-W03-1", "2024-01-15"),
        (1969, "1969"),
        (-43, "-0043"),
        ("44 BC", "-0043"),
        ("January 2024", "2024-01"),
        ("199X", "199X"),
        ("2024-01-01T00:00:00", "2024-01-01T00:00:00"),
        ("2024-01-01T02:00:00+02:00", "2024-01-01T00:00:00"),
        ("Wed, 21 Oct 2015 07:28:00 GMT", "2015-10-21T07:28:00"),
        (datetime(2024, 1, 1, 12), "2024-01-01T12:00:00"),  # noqa: DTZ001 - naive is what apps store
        (datetime(2024, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), "2024-01-01T00:00:00"),
        (date(2024, 1, 1), "2024-01-01"),
        (1_700_000_000, "2023-11-14T22:13:20"),
        (1_700_000_000_000, "2023-11-14T22:13:20"),
        (1_700_000_000.9, "2023-11-14T22:13:20"),
        (np.int64(1969), "1969"),
        (np.float32(1969), "1969"),
        (T("1969/1972"), "1969/1972"),
    ],
)
def test_stored_dates_are_read_at_the_precision_that_they_have(value, read) -> None:
    assert read_date(value) == T(read)


def test_naive_datetimes_are_utc_and_aware_ones_are_converted_even_at_the_ends_of_the_calendar() -> None:
    east = timezone(timedelta(hours=14))
    assert read_date(datetime.min.replace(tzinfo=east)) == T("0000-12-31T10:00:00")
    assert read_date("0001-01-01T00:00:00+05:00") == T("0000-12-31T19:00:00")
    assert read_date(datetime(2024, 1, 1)) == read_date(  # noqa: DTZ001 - naive is what apps store
        datetime(2024, 1, 1, tzinfo=UTC)
    )


class MissingDate(datetime):
    """What data frames hold where a date is missing: a datetime that differs from itself."""

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return True

    __hash__ = datetime.__hash__


@pytest.mark.parametrize(
    "value",
    ["not-a-date", "", "   ", "last year", "the cat", "20241301", 0, 0.0, True, float("nan"), float("inf"), 1969.5, 99_999_999,
     10**400, [2011], {"y": 1}, b"2011", np.float64("nan"), MissingDate(2024, 1, 1), datetime(9999, 12, 31, 23, tzinfo=WEST)],
)  # fmt: skip
def test_what_is_no_date_is_refused_by_its_own_error(value) -> None:
    with pytest.raises(TimeExpressionError):
        read_date(value)


def test_one_bad_stored_date_leaves_the_others_and_is_reported() -> None:
    keys = MetadataKeys(date="date")
    records = {"a": "2026-01-22", "b": "not-a-date", "c": "2026-01-10"}
    read = {name: read_times({"date": value}, keys=keys, source_id=name) for name, value in records.items()}
    assert [read[name].published for name in "abc"] == [T("2026-01-22"), None, T("2026-01-10")]
    assert [(issue.kind, issue.source_id) for name in "abc" for issue in read[name].issues] == [("bad_date", "b")]
    assert "'not-a-date'" in read["b"].issues[0].message


def test_one_bad_interval_leaves_the_others_of_its_record() -> None:
    read = read_times({"time_intervals": "2011; junk; 2014/2012; 2019"}, source_id="r")
    assert read.times == (T("2011"), T("2019"))
    assert [issue.kind for issue in read.issues] == ["bad_date", "bad_date"]
    assert "2014" in read.issues[1].message
    assert "before it starts" in read.issues[1].message


def test_blank_and_missing_dates_are_no_fault() -> None:
    for value in (None, "", "  \t"):
        read = read_times({"published": value, "time_intervals": value})
        assert (read.published, read.times, read.issues) == (None, (), ())


def test_an_impossible_stored_date_falls_back_to_its_month_and_is_flagged() -> None:
    read = read_times({"published": "2023-02-30"}, source_id="r")
    assert read.published == T("2023-02")
    assert [(issue.kind, issue.source_id) for issue in read.issues] == [("impossible_date", "r")]


@pytest.mark.parametrize(
    ("value", "read", "flag"), [("2019-13-45", "2019", "impossible_date"), ("03/04/2020", "2020-03-04", "ambiguous_order")]
)
def test_a_guessed_date_tells_what_was_guessed(value, read, flag) -> None:
    assert read_dated(value) == (T(read), (flag,))
    assert [issue.kind for issue in read_times({"made": value}, keys=MetadataKeys(date="made")).issues] == [flag]


def test_a_date_that_needs_no_guess_has_no_flags() -> None:
    assert read_dated("2020-04-03") == (T("2020-04-03"), ())


def test_a_date_of_unknown_order_is_flagged_and_the_order_is_a_setting() -> None:
    assert [issue.kind for issue in read_times({"published": "2/7/2020"}).issues] == ["ambiguous_order"]
    assert read_date("2/7/2020", settings=CalendarSettings(date_order="DMY")) == T("2020-07-02")


@pytest.mark.parametrize(
    ("start", "end", "read"),
    [
        ("2011-03", "2013", "2011-03/2013-12"),
        (None, "2015", "../2015"),
        ("2010", None, "2010/.."),
        ("-0043", "0014", "-0043/0014"),
        ("2014-05-10", "2014-05-10", "2014-05-10"),
        (" ", "..", None),
        (None, None, None),
    ],
)
def test_sides_are_inclusive_and_may_be_open(start, end, read) -> None:
    assert read_sides(start, end) == (T(read) if read else None)


@pytest.mark.parametrize(("start", "end"), [("2020", "2012"), ("2012", "2011"), ("2012-02-02", "2012-02-01"), ("soon", None)])
def test_inverted_and_unreadable_sides_are_refused(start, end) -> None:
    with pytest.raises(TimeExpressionError):
        read_sides(start, end)
