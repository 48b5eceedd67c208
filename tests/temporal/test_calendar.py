"""The proleptic Gregorian calendar in whole seconds."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.temporal.calendar import AXIS_MAX, AXIS_MIN, Civil, Grain, days_in_month, floor, from_seconds, shift, to_seconds

MOMENTS = st.integers(AXIS_MIN, AXIS_MAX - 1)


@given(MOMENTS)
def test_a_moment_taken_apart_and_put_together_is_the_same_moment(moment: int) -> None:
    assert to_seconds(*from_seconds(moment)) == moment


@given(st.datetimes(timezones=st.just(dt.UTC)))
def test_it_agrees_with_datetime_wherever_datetime_can_count(moment: dt.datetime) -> None:
    whole = moment.replace(microsecond=0)
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    assert to_seconds(*whole.timetuple()[:6]) == (whole - epoch) // dt.timedelta(seconds=1)


def test_the_ides_of_march_lie_before_the_year_zero() -> None:
    assert from_seconds(to_seconds(-43, 3, 15)) == Civil(-43, 3, 15)


@pytest.mark.parametrize(("year", "days"), [(2024, 29), (2023, 28), (1900, 28), (2000, 29), (0, 29), (-4, 29), (-100, 28)])
def test_february_has_a_leap_day_by_the_gregorian_rule(year: int, days: int) -> None:
    assert days_in_month(year, 2) == days


@given(MOMENTS, st.sampled_from(list(Grain)))
def test_the_floor_of_a_moment_is_its_own_floor_and_not_later(moment: int, grain: Grain) -> None:
    if grain is Grain.MILLENNIUM and moment < to_seconds(-9000):
        return  # the unit begins beyond the axis
    start = floor(moment, grain)
    assert start <= moment
    assert floor(start, grain) == start
    assert moment < shift(start, 1, grain)


def test_a_day_that_the_target_month_lacks_becomes_its_last() -> None:
    assert from_seconds(shift(to_seconds(2024, 1, 31), 1, Grain.MONTH))[:3] == (2024, 2, 29)
    assert from_seconds(shift(to_seconds(2024, 2, 29), 1, Grain.YEAR))[:3] == (2025, 2, 28)


def test_weeks_start_on_monday() -> None:
    assert from_seconds(floor(to_seconds(2024, 5, 15), Grain.WEEK))[:3] == (2024, 5, 13)


def test_grains_are_ordered_from_fine_to_coarse() -> None:
    assert Grain.SECOND < Grain.DAY < Grain.WEEK < Grain.MONTH < Grain.SEASON < Grain.YEAR < Grain.CENTURY
    assert Grain.MONTH.finer[0] is Grain.WEEK
