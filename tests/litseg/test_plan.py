"""Plans: what is wrong with one, and how it is put right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.litseg import PlannedSegment, SegmentPlan

ENDS = st.integers(-5, 15) | st.sampled_from([10**30, -(10**30)])
SEGMENTS = st.builds(
    PlannedSegment,
    from_idx=ENDS,
    to_idx=ENDS,
    subtitle=st.text(max_size=4),
    context_idx=st.lists(ENDS, max_size=4).map(tuple),
    turning_points=st.sampled_from([(), ("reversal",)]),
)
PLANS = st.lists(SEGMENTS, max_size=7).map(lambda parts: SegmentPlan(tuple(parts)))


@st.composite
def sound(draw: st.DrawFn) -> tuple[SegmentPlan, int]:
    """A partition of some sentences, some ranges grown over their neighbours, with context outside of each."""
    n = draw(st.integers(0, 12))
    starts = sorted({1, *draw(st.lists(st.integers(1, n), max_size=4))}) if n else []
    parts = []
    for part in SegmentPlan.from_starts(starts, n).segments:
        end = draw(st.integers(part.to_idx, n))
        outside = [i for i in range(1, n + 1) if not part.from_idx <= i <= end]
        context = draw(st.lists(st.sampled_from(outside), max_size=3)) if outside else []
        parts.append(PlannedSegment(part.from_idx, end, "what happens", tuple(context)))
    return SegmentPlan(tuple(parts)), n


def by_hand(plan: SegmentPlan, n: int) -> bool:
    """What usable means, one sentence at a time."""
    ranges = [(part.from_idx, part.to_idx) for part in plan.segments]
    if any(not (1 <= a <= b <= n) for a, b in ranges) or len(set(ranges)) < len(ranges):
        return False
    inside = [set(range(a, b + 1)) for a, b in ranges]
    covered = set().union(*inside) == set(range(1, n + 1))
    ordered = [a for a, _ in ranges] == sorted(a for a, _ in ranges)
    context = all(set(p.context_idx) <= set(range(1, n + 1)) - own for p, own in zip(plan.segments, inside, strict=True))
    return covered and ordered and context


@given(PLANS, st.integers(0, 14))
def test_a_plan_has_problems_exactly_when_it_is_not_usable(plan: SegmentPlan, n: int) -> None:
    assert (plan.problems(n) == ()) == by_hand(plan, n)


@given(PLANS, st.integers(0, 14))
def test_a_repaired_plan_is_usable_and_repairing_it_again_changes_nothing(plan: SegmentPlan, n: int) -> None:
    mended, issues = plan.repaired(n)
    assert by_hand(mended, n)
    assert mended.repaired(n) == (mended, ())
    assert bool(issues) == bool(plan.problems(n)), "whatever was put right is told, and nothing else"


@given(sound())
def test_a_sound_plan_is_left_as_it_is(given_plan: tuple[SegmentPlan, int]) -> None:
    plan, n = given_plan
    assert plan.problems(n) == ()
    assert plan.repaired(n) == (plan, ())


@given(PLANS, st.integers(1, 14))
def test_a_sound_range_stays_together_and_no_subtitle_is_made_up(plan: SegmentPlan, n: int) -> None:
    mended, _ = plan.repaired(n)
    for part in plan.segments:
        if 1 <= part.from_idx <= part.to_idx <= n:
            assert any(kept.from_idx <= part.from_idx and part.to_idx <= kept.to_idx for kept in mended.segments)
    assert {kept.subtitle for kept in mended.segments} <= {part.subtitle for part in plan.segments} | {""}


@given(PLANS, st.integers(0, 14))
def test_every_context_sentence_that_is_dropped_is_told(plan: SegmentPlan, n: int) -> None:
    mended, issues = plan.repaired(n)
    told = " ".join(str(issue) for issue in issues if issue.kind == "context_dropped")
    if any(issue.kind in {"segment_dropped", "segments_sorted", "unit_uncut"} for issue in issues):
        return  # then segments are not those of the plan, one by one; that was told too
    for before, after in zip(plan.segments, mended.segments, strict=True):
        dropped = set(before.context_idx) - set(after.context_idx)
        assert all(f" {index}" in told for index in dropped)
        assert set(after.context_idx) <= set(before.context_idx)


@pytest.mark.parametrize(
    ("ranges", "n", "mended", "kinds"),
    [
        ([(1, 2), (4, 5)], 5, [(1, 3), (4, 5)], ["gap_closed"]),
        ([(3, 5)], 5, [(1, 5)], ["gap_closed"]),
        ([(3, 4), (7, 8)], 9, [(1, 6), (7, 9)], ["gap_closed"] * 3),
        ([(1, 999)], 4, [(1, 4)], ["range_repaired"]),
        ([(0, 4)], 4, [(1, 4)], ["range_repaired"]),
        ([(4, 1)], 4, [(1, 4)], ["range_repaired"]),
        ([(1, 4), (9, 12)], 4, [(1, 4)], ["segment_dropped"]),
        ([(3, 4), (1, 2)], 4, [(1, 2), (3, 4)], ["segments_sorted"]),
        ([(1, 4), (1, 4)], 4, [(1, 4)], ["segment_dropped"]),
        (
            [(6, 6), (3, 3), (12, 12)],
            12,
            [(1, 5), (6, 11), (12, 12)],
            ["segments_sorted", "gap_closed", "gap_closed", "gap_closed"],
        ),
        ([(-9, -1)], 3, [(1, 3)], ["segment_dropped", "unit_uncut"]),
        ([], 3, [(1, 3)], ["unit_uncut"]),
        ([], 0, [], []),
        ([(1, 3), (2, 5)], 5, [(1, 3), (2, 5)], []),
        ([(1, 5), (2, 3)], 5, [(1, 5), (2, 3)], []),
    ],
)
def test_each_kind_of_fault_is_put_right_and_told(
    ranges: list[tuple[int, int]], n: int, mended: list[tuple[int, int]], kinds
) -> None:
    plan, issues = SegmentPlan(tuple(PlannedSegment(a, b) for a, b in ranges)).repaired(n)
    assert [(part.from_idx, part.to_idx) for part in plan.segments] == mended
    assert [issue.kind for issue in issues] == kinds


def test_a_gap_goes_to_the_left_even_where_the_right_is_nearer() -> None:
    plan, (issue,) = SegmentPlan((PlannedSegment(1, 2, "left"), PlannedSegment(5, 6, "right"))).repaired(6)
    assert [(part.subtitle, part.from_idx, part.to_idx) for part in plan.segments] == [("left", 1, 4), ("right", 5, 6)]
    assert str(issue) == "[gap_closed] sentences 3-4 were in no segment and were added to segment 1-2"


def test_a_context_sentence_that_a_closed_gap_brings_inside_is_no_context_any_more() -> None:
    plan, issues = SegmentPlan((PlannedSegment(1, 2, context_idx=(3, 9, 5)), PlannedSegment(5, 9))).repaired(9)
    assert plan.segments[0] == PlannedSegment(1, 4, context_idx=(5, 9))
    assert [issue.kind for issue in issues] == ["gap_closed", "context_dropped"]
    assert issues[1].message.endswith(": 3")


def test_problems_are_said_so_that_a_model_can_mend_them() -> None:
    plan = SegmentPlan((PlannedSegment(1, 2), PlannedSegment(5, 4), PlannedSegment(3, 99, context_idx=(4, 120))))
    assert plan.problems(9) == (
        "segment 5-4 ends before it starts",
        "segment 3-99 is outside 1-9",
        "segment 3-99 starts before segment 5-4, which is listed first",
        "context sentence 4 of segment 3-99 is in its main range",
        "context sentence 120 of segment 3-99 is outside 1-9",
    )


@given(sound(), st.data())
def test_rendering_slices_the_source(given_plan: tuple[SegmentPlan, int], data: st.DataObject) -> None:
    plan, n = given_plan
    sentences = data.draw(st.lists(st.text(max_size=5), min_size=n, max_size=n))
    shown = plan.render(sentences)
    assert len(shown) == len(plan.segments)
    for text, part in zip(shown, plan.segments, strict=True):
        assert text == "".join(sentences[part.from_idx - 1 : part.to_idx])


def test_rendering_an_unusable_plan_is_an_error_that_names_the_fault() -> None:
    with pytest.raises(ValueError, match="sentence 3 is in no segment"):
        SegmentPlan.from_starts([1], 2).render(["a", "b", "c"])


def test_a_plan_from_starts_is_the_partition_that_they_mean() -> None:
    assert SegmentPlan.from_starts([1, 3, 4], 6) == SegmentPlan((PlannedSegment(1, 2), PlannedSegment(3, 3), PlannedSegment(4, 6)))
    assert SegmentPlan.from_starts([], 0) == SegmentPlan() == SegmentPlan.whole(0)
    assert SegmentPlan.whole(4) == SegmentPlan((PlannedSegment(1, 4),))
