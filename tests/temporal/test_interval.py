"""The algebra of intervals."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.errors import TimeExpressionError
from chronotope.temporal import Grain, Interval, TimeInterval, merge, subtract

TICKS = st.integers(-40, 40)
INTERVALS = st.builds(
    lambda a, b, openness: Interval(None if openness == 1 else min(a, b), None if openness == 2 else max(a, b)),
    TICKS, TICKS, st.sampled_from([0, 0, 0, 0, 1, 2]),
)  # fmt: skip
LISTS = st.lists(INTERVALS, max_size=8)


def ticks(intervals: list[Interval]) -> set[int]:
    """All ticks from -50 to 49 that lie inside."""
    return {tick for tick in range(-50, 50) if any(i.contains(tick) for i in intervals)}


@given(INTERVALS, INTERVALS)
def test_overlap_is_symmetric_and_means_a_common_tick(one: Interval, two: Interval) -> None:
    assert one.overlaps(two) == two.overlaps(one) == bool(ticks([one]) & ticks([two]))


@given(INTERVALS, INTERVALS)
def test_the_intersection_holds_the_common_ticks(one: Interval, two: Interval) -> None:
    common = one.intersection(two)
    assert ticks([common] if common else []) == ticks([one]) & ticks([two])


@given(INTERVALS, INTERVALS)
def test_a_gap_is_nothing_exactly_when_they_touch_or_overlap(one: Interval, two: Interval) -> None:
    assert one.gap(two) == two.gap(one) >= 0
    if one.overlaps(two):
        assert one.gap(two) == 0


@given(LISTS)
def test_merging_keeps_the_ticks_and_leaves_sorted_disjoint_intervals(items: list[Interval]) -> None:
    merged = merge(items)
    assert ticks(merged) == ticks(items)
    assert merge(merged) == merged
    assert all(a.end is not None and b.start is not None and a.end < b.start for a, b in pairwise(merged))


@given(LISTS, LISTS)
def test_subtracting_takes_out_exactly_the_ticks_removed(items: list[Interval], removed: list[Interval]) -> None:
    assert ticks(subtract(items, removed)) == ticks(items) - ticks(removed)


@given(LISTS, LISTS)
def test_taking_out_what_is_put_together_leaves_nothing(items: list[Interval], others: list[Interval]) -> None:
    assert ticks(subtract(items, [*items, *others])) == set()


def test_g11_an_inverted_interval_is_an_error_and_an_empty_one_matches_nothing() -> None:
    with pytest.raises(ValueError, match="ends before it starts"):
        Interval(2026, 2020)
    with pytest.raises(TimeExpressionError):
        TimeInterval.parse("2026/2020")
    empty = TimeInterval.parse("empty:2024-01-01")
    assert not empty.overlaps(TimeInterval.parse("2024"))
    assert not TimeInterval(None, None).overlaps(empty)


def test_g11_a_date_covers_its_whole_day() -> None:
    assert TimeInterval.parse("2026-07-10").overlaps(TimeInterval.parse("2026-07-10T15"))


def test_decades_are_anchored_in_years_and_years_in_months() -> None:
    assert [str(a) for a in TimeInterval.parse("199X").anchors(3)] == ["1990", "1994", "1999"]
    assert [str(a) for a in TimeInterval.parse("2011").anchors(2)] == ["2011-01", "2011-12"]
    with pytest.raises(ValueError, match="open"):
        TimeInterval.parse("2011/..").anchors()


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("2011-01", "in January 2011"),
        ("2011-01-05", "on 5 January 2011"),
        ("../2015", "until the end of 2015"),
        ("2010/..", "since 2010"),
        ("2010/2012", "from 2010 to 2012"),
        ("199X", "in the 1990s"),
        ("18XX", "in the 19th century"),
        ("-0043", "in 44 BC"),
        ("2021-35", "in the third quarter of 2021"),
    ],
)
def test_an_interval_says_itself_in_english(text: str, phrase: str) -> None:
    assert TimeInterval.parse(text).phrase() == phrase


def test_intervals_are_values_that_pickle_and_hash() -> None:
    interval = TimeInterval.parse("2011-03/2013-06")
    assert pickle.loads(pickle.dumps(interval)) == interval
    assert len({interval, TimeInterval.parse("2011-03/2013-06")}) == 1


def test_the_grain_falls_to_one_that_both_sides_keep() -> None:
    assert TimeInterval.parse("2011/2013-06").grain is Grain.MONTH
