"""IntervalIndex against brute force, and the field reports that apply to it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.temporal.index import AXIS_LIMIT, IntervalIndex
from chronotope.temporal.interval import Interval, TimeInterval

# Few distinct ticks make touching, nested and equal intervals common; a few far ones cover the whole axis.
ticks = st.one_of(st.integers(-6, 6), st.sampled_from([-(2**61) + 1, -(10**12), 10**12, 2**61 - 1]))


@st.composite
def intervals(draw) -> Interval:
    start, end = draw(st.one_of(st.none(), ticks)), draw(st.one_of(st.none(), ticks))
    if start is not None and end is not None and end < start:
        start, end = end, start
    return Interval(start, end)


tables = st.lists(st.lists(intervals(), max_size=4), max_size=25)


def brute_force(table: dict[int, list[Interval]], asked: list[Interval]) -> list[int]:
    return sorted(row for row, own in table.items() if any(mine.overlaps(a) for mine in own for a in asked))


@given(tables, st.lists(intervals(), max_size=3))
def test_the_index_equals_brute_force(table, asked):
    index = IntervalIndex(table)
    expected = brute_force(dict(enumerate(table)), asked)
    assert index.overlapping(asked).tolist() == expected
    assert np.flatnonzero(index.mask(asked, len(table))).tolist() == expected
    assert len(index) == sum(not interval.is_empty for own in table for interval in own)


changes = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 12), st.lists(intervals(), max_size=3)),
        st.tuples(st.just("remove"), st.integers(0, 14), st.none()),
        st.tuples(st.just("rebuild"), st.none(), st.none()),
        st.tuples(st.just("pickle"), st.none(), st.none()),
    ),
    max_size=15,
)


@given(tables, changes, st.lists(intervals(), min_size=1, max_size=2))
def test_after_any_adds_and_removes_the_index_still_equals_brute_force(table, changes, asked):
    index, model = IntervalIndex(table), dict(enumerate(table))
    for change, row, new in changes:
        if change == "add":
            index.add(row, new)
            model[row] = model.get(row, []) + new
        elif change == "remove":
            index.remove(row)
            model[row] = []
        elif change == "rebuild":
            index._rebuild(index._triples())
        else:
            index = pickle.loads(pickle.dumps(index))
        assert index.overlapping(asked).tolist() == brute_force(model, asked)


@given(tables, st.lists(intervals(), min_size=1, max_size=2), st.data())
def test_kept_rows_answer_under_their_new_numbers(table, asked, data):
    rows = data.draw(st.lists(st.integers(0, max(0, len(table) - 1)), unique=True, max_size=len(table)))
    index = IntervalIndex(table)
    index.keep(rows)
    assert index.overlapping(asked).tolist() == brute_force({i: table[row] for i, row in enumerate(rows)}, asked)


@given(tables)
def test_flat_arrays_and_nested_lists_build_the_same_index(table):
    flat = [
        (row, -AXIS_LIMIT if i.start is None else i.start, AXIS_LIMIT if i.end is None else i.end)
        for row, own in enumerate(table)
        for i in own
    ]
    columns = [[entry[part] for entry in flat] for part in range(3)]
    one, other = IntervalIndex(table), IntervalIndex.from_arrays(*columns)
    everything = [Interval(None, None)]
    assert one.overlapping(everything).tolist() == other.overlapping(everything).tolist()
    assert (len(one), one.span) == (len(other), other.span)


def test_negative_coordinates_are_found_where_the_bare_engine_returns_nothing():
    caesar = TimeInterval.parse("-0043-03-15")
    index = IntervalIndex([[caesar], [TimeInterval.parse("1969-07-20")]])
    assert index.overlapping([TimeInterval.parse("-0043")]).tolist() == [0]
    assert index.overlapping([TimeInterval.parse("-0099/1969")]).tolist() == [0, 1]


def test_the_engine_is_the_one_that_pyranges_uses():
    ncls = pytest.importorskip("ncls")
    intersection = pytest.importorskip("pyranges.methods.intersection", reason="pyranges is a development dependency")
    assert intersection.NCLS is ncls.NCLS


def test_open_sides_reach_the_end_of_the_axis():
    index = IntervalIndex([[Interval(None, 5)], [Interval(5, None)], [Interval(None, None)]])
    assert index.overlapping([Interval(-(10**15), -(10**15) + 1)]).tolist() == [0, 2]
    assert index.overlapping([Interval(10**15, None)]).tolist() == [1, 2]
    assert index.overlapping([Interval(None, None)]).tolist() == [0, 1, 2]


def test_chapter_numbers_are_an_axis_too():
    index = IntervalIndex([[Interval(1, 4)], [Interval(3, 4), Interval(7, 8)], [Interval(9, 10)]])
    assert index.overlapping([Interval(3, 4)]).tolist() == [0, 1]
    assert index.overlapping([Interval(8, 9)]).tolist() == []


def test_an_empty_interval_matches_nothing_and_an_inverted_one_is_refused_by_row():
    index = IntervalIndex([[Interval(3, 3)], [Interval(0, 9)]])
    assert index.overlapping([Interval(3, 3)]).tolist() == []
    assert index.overlapping([Interval(0, 9)]).tolist() == [1]
    with pytest.raises(ValueError, match="row 7 ends before it starts"):
        IntervalIndex.from_arrays([2, 7], [0, 2026], [5, 2020])


def test_nothing_of_a_deleted_row_comes_back_on_the_next_insert():
    index = IntervalIndex([[Interval(0, 5)], [Interval(0, 5)]])
    index.remove(0)
    index.add(2, [Interval(1, 2)])
    index.add(0, [Interval(100, 101)])
    assert index.overlapping([Interval(0, 5)]).tolist() == [1, 2]
    assert index.overlapping([Interval(100, 101)]).tolist() == [0]
    assert len(index) == 3


def test_a_refused_add_leaves_the_index_as_it_was():
    index = IntervalIndex([[Interval(0, 5)]])
    with pytest.raises(ValueError, match="count from 0"):
        index.add(-1, [Interval(0, 5)])
    with pytest.raises(ValueError, match="beyond"):
        index.add(1, [Interval(0, 5), Interval(0, 2**61)])
    assert index.overlapping([Interval(0, 5)]).tolist() == [0]


def test_the_span_reaches_from_the_first_to_the_last_closed_side():
    assert IntervalIndex([[Interval(None, 3)], [Interval(-8, -2), Interval(5, None)]]).span == Interval(-8, 5)
    assert IntervalIndex([[Interval(None, None)]]).span is None
    assert IntervalIndex([[Interval(5, None)]]).span is None
    assert IntervalIndex().span is None


def test_a_mask_too_small_for_the_rows_is_refused():
    index = IntervalIndex([[], [Interval(0, 1)]])
    assert index.mask([Interval(0, 1)], 4).tolist() == [False, True, False, False]
    with pytest.raises(ValueError, match="cannot hold row 1"):
        index.mask([Interval(0, 1)], 1)


def test_two_windows_give_rows_of_both_and_of_nothing_between():
    years = [[TimeInterval.parse(str(year))] for year in range(2009, 2017)]
    asked = [TimeInterval.parse("2010"), TimeInterval.parse("2015")]
    assert IntervalIndex(years).overlapping(asked).tolist() == [1, 6]


def test_adding_one_by_one_sorts_anew_only_now_and_then(monkeypatch):
    from chronotope.temporal import index as module

    monkeypatch.setattr(module, "_SMALL_TAIL", 8)
    index, builds = IntervalIndex(), []
    rebuild = index._rebuild
    monkeypatch.setattr(index, "_rebuild", lambda triples: (builds.append(triples.shape[1]), rebuild(triples)))
    for row in range(2_000):
        index.add(row, [Interval(row, row + 2)])
    assert sum(builds) < 6 * 2_000, "work must stay proportional to the number of intervals"
    assert index.overlapping([Interval(500, 502)]).tolist() == [499, 500, 501]
