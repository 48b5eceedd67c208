"""Sub-periods of the asked time, and the choice that shares places among them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.diachronic.coverage import Coverage, choose, sub_periods
from chronotope.temporal.interval import TimeInterval

T = TimeInterval.parse


@st.composite
def candidates(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    count, periods = draw(st.integers(1, 10)), draw(st.integers(1, 4))
    scores = draw(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), min_size=count, max_size=count))
    member = draw(st.lists(st.lists(st.booleans(), min_size=periods, max_size=periods), min_size=count, max_size=count))
    return np.array(scores, np.float32), np.array(member, np.bool_)


DECAYS = st.sampled_from([0.0, 0.3, 0.7, 1.0])


@given(candidates(), st.integers(0, 14), DECAYS)
def test_a_choice_is_k_different_candidates(drawn, k, decay) -> None:
    scores, member = drawn
    chosen = choose(scores, member, k, decay=decay)
    assert len(chosen) == len(set(chosen)) == min(k, len(scores))
    assert set(chosen) <= set(range(len(scores)))


@given(candidates(), st.integers(0, 9), DECAYS)
def test_a_smaller_choice_is_the_beginning_of_a_larger_one(drawn, k, decay) -> None:
    scores, member = drawn
    assert choose(scores, member, k + 1, decay=decay)[:k] == choose(scores, member, k, decay=decay)


@given(candidates(), st.integers(0, 14))
def test_without_decay_the_choice_is_plain_ranking(drawn, k) -> None:
    scores, member = drawn
    chosen = choose(scores, member, k, decay=1.0)
    assert [scores[i] for i in chosen] == sorted(scores, reverse=True)[:k]


@given(st.data())
def test_full_decay_serves_every_available_period_before_any_twice(data) -> None:
    periods = data.draw(st.integers(1, 4))
    homes = data.draw(st.lists(st.integers(0, periods - 1), min_size=1, max_size=10))
    scores = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=len(homes), max_size=len(homes))), np.float32)
    member = np.eye(periods, dtype=np.bool_)[homes]
    order = [homes[i] for i in choose(scores, member, len(homes), decay=0.0)]
    left = {period: homes.count(period) for period in homes}
    while order:
        available = {period for period, count in left.items() if count}
        round_, order = order[: len(available)], order[len(available) :]
        assert set(round_) == available
        for period in round_:
            left[period] -= 1


def test_a_sub_period_that_was_served_lowers_the_claim_of_its_next_candidate() -> None:
    scores = np.array([1.0, 0.9, 0.8, 0.5], np.float32)
    member = np.array([[True, False], [True, False], [True, False], [False, True]])
    # with decay one half: 1.0, then 0.9 → 0.45 and 0.8 → 0.4 against 0.5 of the other sub-period, then 0.45
    assert choose(scores, member, 4, decay=0.5) == [0, 3, 1, 2]
    assert choose(scores, member, 4, decay=1.0) == [0, 1, 2, 3]


def test_a_candidate_of_two_sub_periods_serves_both() -> None:
    scores = np.array([1.0, 0.9, 0.8], np.float32)
    member = np.array([[True, True, False], [False, True, False], [False, False, True]])
    assert choose(scores, member, 2, decay=0.0) == [0, 2]


def test_a_candidate_outside_all_sub_periods_competes_by_score() -> None:
    member = np.array([[True], [True], [False]])
    assert choose(np.array([1.0, 0.9, 0.6], np.float32), member, 3, decay=0.5) == [0, 2, 1]


def test_without_sub_periods_or_candidates_there_is_nothing_to_share() -> None:
    assert choose(np.array([0.2, 0.9], np.float32), np.zeros((2, 0), np.bool_), 5, decay=0.5) == [1, 0]
    assert choose(np.zeros(0, np.float32), np.zeros((0, 3), np.bool_), 5, decay=0.5) == []


@pytest.mark.parametrize(
    ("times", "limit", "periods"),
    [
        (["1990/1995"], 3, ["1990/1991", "1992/1993", "1994/1995"]),
        (["1990/1995"], 1, ["1990/1995"]),
        (["2011-03"], 2, ["2011-03-01/2011-03-15", "2011-03-16/2011-03-31"]),
        (["1969-07-20"], 20, ["1969-07-20"]),
        (["1995", "1999"], 2, ["1995", "1999"]),
        (["1995", "1999"], 1, ["1995", "1999"]),
        ([], 20, []),
    ],
)
def test_sub_periods_cut_on_calendar_borders(times, limit, periods) -> None:
    assert [str(period) for period in sub_periods([T(time) for time in times], limit)] == periods


@given(st.integers(-2_000, 2_000), st.integers(1, 40_000), st.integers(1, 25))
def test_sub_periods_partition_the_asked_time(first, days, limit) -> None:
    time = TimeInterval(first * 86_400, (first + days) * 86_400)
    periods = sub_periods([time], limit)
    assert 1 <= len(periods) <= limit
    assert (periods[0].start, periods[-1].end) == (time.start, time.end)
    assert all(one.end == two.start for one, two in pairwise(periods))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=6))
def test_a_share_lies_between_nothing_and_all(flags) -> None:
    available = tuple(one for one, _ in flags)
    filled = tuple(one and two for one, two in flags)
    periods = tuple(T(str(1990 + year)) for year in range(len(flags)))
    coverage = Coverage(periods, available, filled)
    assert 0.0 <= coverage.share <= 1.0
    assert (coverage.share_of_available == 1.0) == (coverage.missing == () and any(available))
    assert coverage.share <= coverage.share_of_available


def test_coverage_says_what_is_missing() -> None:
    coverage = Coverage.of([T("1990"), T("1991"), T("1992")], np.array([True, True, False]), np.array([True, False, False]))
    assert (coverage.share, coverage.share_of_available, coverage.missing) == (1 / 3, 0.5, (T("1991"),))
    assert Coverage().share == Coverage().share_of_available == 0.0


@pytest.mark.parametrize(
    ("available", "filled", "told"),
    [
        (2, 2, "2 of 11 sub-periods (the corpus speaks of 2)"),
        (2, 0, "none of 11 sub-periods (the corpus speaks of 2)"),
        (0, 0, "none of 11 sub-periods: the corpus has nothing there"),
        (11, 11, "11 of 11 sub-periods (100%)"),
    ],
)
def test_coverage_tells_filled_available_and_all(available, filled, told) -> None:
    flags = [[place < count for place in range(11)] for count in (available, filled)]
    coverage = Coverage.of([T(str(1990 + year)) for year in range(11)], *flags)
    assert (str(coverage), coverage.share) == (told, filled / 11)
