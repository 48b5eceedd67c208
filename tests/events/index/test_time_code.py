"""The code of time: nearer is more alike over the whole span, intervals are means, and facts outside time stand in the middle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.events import TimeCode, join
from chronotope.temporal.calendar import to_seconds
from chronotope.temporal.interval import Interval, TimeInterval

YEAR = 366 * 86_400
ROUNDING = 5e-6  # 64 products of float32 components of vectors of length 1

spans = st.tuples(st.integers(-(10**12), 10**12), st.sampled_from([7, 1_000, 50 * YEAR, 12_000 * YEAR]))
dims = st.sampled_from([4, 6, 16, 64, 130])
shares = st.floats(0, 1)


def point(moment: int) -> list[Interval]:
    """A moment, as nearly as an interval of whole ticks can be one."""
    return [Interval(moment, moment + 1)]


def codes(code: TimeCode, *moments: int) -> np.ndarray:
    return code.encode([point(moment) for moment in moments])


@given(spans, dims, shares, shares)
def test_similarity_falls_from_the_first_tick_to_the_last(span, dims, one, other):
    start, length = span
    code = TimeCode(Interval(start, start + length), dims=dims, grain=1)
    near, far = sorted((one, other))
    close, distant = code.similarity(np.array([near, far]) * length)
    assert close >= distant - 1e-12
    if far - near > 1e-3:
        assert close > distant


@pytest.mark.parametrize("dims", [4, 5, 16, 64, 255])
def test_no_distance_of_a_fine_grid_breaks_the_order(dims):
    code = TimeCode(Interval(0, 1_000_000), dims=dims, grain=1)
    assert (np.diff(code.similarity(np.arange(0, 1_000_001, 50))) < 0).all()


@given(spans, dims, shares, shares, shares)
def test_of_two_moments_the_nearer_one_has_the_larger_inner_product(span, dims, here, one, other):
    start, length = span
    code = TimeCode(Interval(start, start + length), dims=dims, grain=1)
    asked, first, second = (start + int(share * (length - 1)) for share in (here, one, other))
    question, events = code.question(point(asked)), codes(code, first, second)
    to_first, to_second = events @ question
    if abs(asked - first) <= abs(asked - second):
        assert to_first >= to_second - ROUNDING
    else:
        assert to_second >= to_first - ROUNDING


@given(spans, dims, st.lists(st.tuples(shares, shares), max_size=4))
def test_all_codes_have_length_1(span, dims, stretches):
    start, length = span
    code = TimeCode(Interval(start, start + length), dims=dims)
    times = [Interval(start + int(min(pair) * length), start + int(max(pair) * length)) for pair in stretches]
    assert np.linalg.norm(code.encode([times])[0]) == pytest.approx(1, abs=1e-5)
    assert np.linalg.norm(code.question(times)) == pytest.approx(1, abs=1e-5)
    assert code.encode([times]).dtype == np.float32
    assert code.encode([times]).shape == (1, dims)


@given(st.integers(0, 990), st.integers(1, 300), st.integers(0, 999))
def test_a_stretch_is_coded_as_the_mean_of_its_moments(start, length, moment):
    code = TimeCode(Interval(0, 1_000), grain=1)
    end = min(1_000, start + length)
    sums = [float(code.similarity(abs(moment + 0.5 - (inside + 0.5)))) for inside in range(start, end)]
    found = float(code.encode([[Interval(start, end)]])[0] @ code.question(point(moment)))
    assert found == pytest.approx(np.mean(sums), abs=2e-3)  # a tick is a stretch of its own, a thousandth of the span


def test_a_fact_outside_time_is_as_near_as_a_dated_event_on_average():
    code = TimeCode(Interval(0, 10_000), grain=1)
    (fact,) = code.encode([[]])
    everywhen = codes(code, *range(0, 10_000, 10))
    for moment in (0, 1_234, 5_000, 9_999):
        question = code.question(point(moment))
        to_dated = everywhen @ question
        assert fact @ question == pytest.approx(to_dated.mean(), abs=1e-3)
        assert to_dated.min() < fact @ question < to_dated.max()


def test_a_question_without_a_time_is_equally_near_to_every_event():
    code = TimeCode(TimeInterval.parse("1900/1999"))
    events = code.encode([[TimeInterval.parse(t)] for t in ("1900", "1950-06-01", "../1930", "199X")] + [[]])
    np.testing.assert_allclose(events @ code.question([]), 0, atol=1e-7)


def test_a_question_with_an_interval_uses_the_interval_and_not_its_start():
    code = TimeCode(TimeInterval.parse("1900/1999"))
    question = code.question([TimeInterval.parse("1950/1970")])
    inside, before = code.encode([[TimeInterval.parse("1965")], [TimeInterval.parse("1945")]])
    assert inside @ question > before @ question
    start_only = code.question([TimeInterval.parse("1950-01-01")])
    assert before @ start_only > inside @ start_only


def test_a_question_with_two_times_is_near_to_both():
    code = TimeCode(TimeInterval.parse("1900/1999"))
    question = code.question([TimeInterval.parse("1910"), TimeInterval.parse("1990")])
    first, between, second = code.encode([[TimeInterval.parse(y)] for y in ("1910", "1950", "1990")]) @ question
    assert min(first, second) > between


def test_open_ends_and_what_lies_outside_are_cut_at_the_span():
    code = TimeCode(TimeInterval.parse("1900/1999"))

    def event(text):
        return code.encode([[TimeInterval.parse(text)]])[0]

    np.testing.assert_array_equal(event("../1949"), event("1900/1949"))
    np.testing.assert_array_equal(event("1950/.."), event("1950/1999"))
    np.testing.assert_array_equal(event("1850"), event("-0043"))
    early, late = code.encode([[TimeInterval.parse("1901")], [TimeInterval.parse("1998")]])
    assert early @ code.question([TimeInterval.parse("1850")]) > late @ code.question([TimeInterval.parse("1850")])


def test_1500_is_not_1900_though_a_ladder_of_plain_waves_says_so():
    """Waves of 1/10,000^(2i/d) per unit, as common in encoders, against ours; the time unit of the ladder is a year."""
    years = np.arange(1_400, 2_001)
    angles = np.multiply.outer(years, 1 / 10_000 ** (np.arange(32) / 32))
    ladder = np.concatenate([np.cos(angles), np.sin(angles)], axis=1) / np.sqrt(32)
    code = TimeCode(TimeInterval.parse("1400/2000"))
    ours = codes(code, *(to_seconds(int(year)) for year in years)).astype(np.float64)
    asked = 1_500 - 1_400
    for table, alike in ((ladder, False), (ours, True)):
        after = (table @ table[asked])[asked:]
        falling = after[1:] - after[:-1] <= ROUNDING
        assert falling.all() == alike
    alias = ladder[asked:] @ ladder[asked]
    assert max(alias[j] - alias[i] for i in range(300) for j in range(i + 1, 400)) > 0.02  # farther, yet clearly more alike


def test_waves_are_no_finer_than_the_finest_grain():
    code = TimeCode(Interval(0, 10), dims=64, grain=1)
    assert np.count_nonzero(code.encode([point(3)])[0]) <= 2 * 10 + 1
    assert code.encode([point(3)]).shape == (1, 64)


def test_many_events_are_coded_as_each_alone():
    random = np.random.default_rng(0)
    code = TimeCode(Interval(0, 5_000), grain=1)
    events = []
    for _ in range(20_000):
        start = int(random.integers(0, 4_900))
        events.append([Interval(start, start + 10)] * int(random.integers(0, 3)))
    together = code.encode(events)
    for i in random.integers(0, len(events), 20):
        np.testing.assert_allclose(together[i], code.encode([events[i]])[0], atol=1e-7)
    assert code.encode([]).shape == (0, 64)


def test_joined_vectors_add_the_two_similarities_and_are_equally_long():
    code = TimeCode(TimeInterval.parse("1900/1999"))
    random = np.random.default_rng(1)
    text, asked = random.normal(size=(4, 8)) * 7, random.normal(size=8)
    times = code.encode([[TimeInterval.parse("1910")], [TimeInterval.parse("1900/1999")], [], [TimeInterval.parse("../1950")]])
    when = code.question([TimeInterval.parse("1912")])
    events, question = join(text, times), join(asked, when, weight=0.4)
    cosines = (text @ asked) / (np.linalg.norm(text, axis=1) * np.linalg.norm(asked))
    np.testing.assert_allclose(events @ question, cosines + 0.4 * (times @ when), atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(events, axis=1), np.sqrt(2), rtol=1e-5)


@pytest.mark.parametrize(
    ("span", "options", "message"),
    [
        (Interval(0, None), {}, "two ends"),
        (Interval(3, 3), {}, "something between"),
        (Interval(0, 9), {"dims": 3}, "dims must be at least 4, not 3"),
        (Interval(0, 9), {"grain": 0}, "grain counts ticks, at least 1, not 0"),
    ],
)
def test_what_makes_no_code_is_refused_with_the_value_named(span, options, message):
    with pytest.raises(ValueError, match=message):
        TimeCode(span, **options)


def test_vectors_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match="not of the same events"):
        join(np.ones((2, 3)), np.ones((3, 4)))
    with pytest.raises(ValueError, match=r"0 or more, not -0\.1"):
        join(np.ones(3), np.ones(4), weight=-0.1)
