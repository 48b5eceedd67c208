"""EDTF notation, read and written."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chronotope.errors import TimeExpressionError
from chronotope.temporal import Grain, TimeInterval
from chronotope.temporal.calendar import floor, shift, to_seconds

MOMENTS = st.integers(to_seconds(-9998), to_seconds(9000))


def seconds(text: str) -> int:
    """`2015-03-04` in seconds, years BCE with a minus."""
    sign, text = (-1, text[1:]) if text.startswith("-") else (1, text)
    year, month, day = (int(part) for part in text.split("-"))
    return to_seconds(sign * year, month, day)


@given(MOMENTS, st.sampled_from(list(Grain)))
def test_every_unit_of_every_grain_is_read_back_as_it_was_written(moment: int, grain: Grain) -> None:
    assume(moment > to_seconds(0) or grain < Grain.DECADE)
    interval = TimeInterval.unit(moment, grain)
    assert TimeInterval.parse(str(interval)) == interval


@given(MOMENTS, MOMENTS, st.sampled_from(list(Grain)), st.sampled_from(["both", "left", "right"]))
def test_every_range_is_read_back_as_it_was_written(one: int, two: int, grain: Grain, closed: str) -> None:
    assume(min(one, two) > to_seconds(0) or grain < Grain.DECADE)
    low, high = floor(min(one, two), grain), shift(floor(max(one, two), grain), 1, grain)
    interval = TimeInterval(low if closed != "right" else None, high if closed != "left" else None, grain)
    again = TimeInterval.parse(str(interval))
    assert (again.start, again.end) == (interval.start, interval.end)
    assert str(again) == str(interval)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2011-03", "2011-03-01", "2011-04-01"),
        ("2011-03/2013-06", "2011-03-01", "2013-07-01"),
        ("199X", "1990-01-01", "2000-01-01"),
        ("18XX", "1800-01-01", "1900-01-01"),
        ("-0043-03-15", "-0043-03-15", "-0043-03-16"),
        ("2021-W12", "2021-03-22", "2021-03-29"),
        ("2021-35", "2021-07-01", "2021-10-01"),
        ("2022-41", "2022-07-01", "2023-01-01"),
        ("2019-24", "2019-12-01", "2020-03-01"),
    ],
)
def test_a_notation_means_a_half_open_stretch(text: str, start: str, end: str) -> None:
    interval = TimeInterval.parse(text)
    assert (interval.start, interval.end) == (seconds(start), seconds(end))


def test_open_sides_stay_open() -> None:
    assert TimeInterval.parse("../2015").start is None
    assert TimeInterval.parse("2010/..").end is None
    assert str(TimeInterval(None, None)) == "../.."


@pytest.mark.parametrize("text", ["", "soon", "2011-13", "2011-02-30", "2020-W60", "2011-03-04T25", "2015/2010", "11", "20X5"])
def test_what_is_no_edtf_is_refused_by_name(text: str) -> None:
    with pytest.raises(TimeExpressionError) as refused:
        TimeInterval.parse(text)
    assert refused.value.text == text
