"""Reconstruction: from sentence numbers to exact slices with their context."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.litseg import PlannedSegment, SegmentPlan, candidates, linked, reconstruct
from chronotope.records import Document
from chronotope.text import clean
from support_litseg import FERRY, STORIES, only


def test_context_stands_before_and_behind_the_main_range_in_source_order() -> None:
    plan = SegmentPlan((PlannedSegment(1, 3), PlannedSegment(4, 6, "A stranger", (10, 1, 8)), PlannedSegment(7, 11)))
    _, segment, _ = reconstruct(only(FERRY), plan)
    assert segment.text == FERRY.text[segment.char_start : segment.char_end]
    assert segment.text.startswith("One night a stranger knocked.")
    assert segment.before == ("Mara rowed the ferry until the river froze.",)
    assert segment.after == ("He had never come back.", "It held.")
    assert [FERRY.text[a:b].strip() for a, b in segment.context] == [*segment.before, *segment.after]
    assert segment.shown().split("\n\n") == ["A stranger", *segment.before, segment.text.strip(), *segment.after]


def test_a_sentence_of_two_overlapping_ranges_is_in_both_segments() -> None:
    first, second = reconstruct(only(FERRY), SegmentPlan((PlannedSegment(1, 6), PlannedSegment(5, 11))))
    assert "“Take me across,”" in first.text
    assert "“Take me across,”" in second.text
    assert first.char_end > second.char_start


def test_context_that_is_repeated_or_inside_the_main_range_is_not_added() -> None:
    (segment,) = reconstruct(only(FERRY), SegmentPlan((PlannedSegment(1, 11, context_idx=(3, 3, 99, 0)),)))
    assert (segment.context, segment.before, segment.after) == ((), (), ())


@pytest.mark.parametrize("ranges", [[(1, 5)], [(0, 11)], [(1, 12)], [(11, 1)], []])
def test_a_plan_that_does_not_fit_is_an_error_and_never_a_wrong_slice(ranges: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="does not fit 11 sentences"):
        reconstruct(only(FERRY), SegmentPlan(tuple(PlannedSegment(a, b) for a, b in ranges)))


def test_segments_are_linked_to_their_neighbours_across_units() -> None:
    parts = reconstruct(only(FERRY), SegmentPlan.from_starts([1, 4, 7], 11))
    a, b, c = linked(parts)
    assert [(s.previous_id, s.next_id) for s in (a, b, c)] == [("", b.id), (a.id, c.id), (b.id, "")]
    assert [s.id for s in (a, b, c)] == [s.id for s in parts], "a link changes no id"
    assert linked(()) == ()


@given(STORIES, st.data())
def test_the_segments_of_a_partition_join_to_the_source(story: str, data: st.DataObject) -> None:
    for candidate in candidates(Document(story)):
        starts = sorted({1, *data.draw(st.lists(st.integers(1, len(candidate)), max_size=4))})
        parts = reconstruct(candidate, SegmentPlan.from_starts(starts, len(candidate)))
        assert "".join(part.text for part in parts) == clean(story)[candidate.unit.start : candidate.unit.end]
        assert len({part.id for part in parts}) == len(parts)
