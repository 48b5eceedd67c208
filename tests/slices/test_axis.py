"""When chapters play: orders that texts tell, their contradictions, and the words in which times are asked for."""

from __future__ import annotations

import pickle
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.errors import TimeExpressionError
from chronotope.slices.axis import OrderConstraint, StoryAxis, build_axis
from chronotope.temporal.interval import Interval, TimeInterval

T = TimeInterval.parse


def told(one: str, relation: Any, other: str, days: int | None = None, **fields: Any) -> OrderConstraint:
    return OrderConstraint(one=one, relation=relation, other=other, offset_days=days, **fields)


def starts(axis: StoryAxis) -> dict[int, int | None]:
    return {number: times[0].start for number, times in axis.chapters.items()}


POINTS = ("chapter:1", "chapter:2", "chapter:3", "chapter:5", "event:fire", "event:war")


@st.composite
def constraints(draw: st.DrawFn) -> list[OrderConstraint]:
    made = []
    for i in range(draw(st.integers(0, 9))):
        relation = draw(st.sampled_from(("before", "after", "during", "same")))
        days = draw(st.none() | st.integers(1, 9)) if relation in ("before", "after") else None
        made.append(told(draw(st.sampled_from(POINTS)), relation, draw(st.sampled_from(POINTS)), days, source_id=f"c{i}"))
    return made


def span(axis: StoryAxis, point: str) -> Interval | None:
    kind, _, name = point.partition(":")
    return axis.landmarks.get(name) if kind == "event" else next(iter(axis.now(int(name))), None)


def holds(constraint: OrderConstraint, one: Interval, other: Interval) -> bool:
    if constraint.relation == "during":
        return other.contains(one)
    if constraint.relation == "same":
        return one == other
    early, late = (one, other) if constraint.relation == "before" else (other, one)
    assert None not in (early.start, early.end, late.start)
    return bool(early.end <= late.start and constraint.offset_days in (None, late.start - early.start))  # type: ignore[operator]


def can_hold(several: list[OrderConstraint]) -> bool:
    """Whether there are ticks for all of them, by the search of networkx for a loop that comes out below zero."""
    steps: Any = nx.DiGraph()

    def after(early: Any, late: Any, ticks: int) -> None:  # late - early >= ticks
        old = steps.get_edge_data(late, early, {"weight": 0 if late == early else 10**6})["weight"]
        steps.add_edge(late, early, weight=min(old, -ticks))

    for point in POINTS:
        after((point, 0), (point, 1), 1)
    for one in several:
        a, b = one.one, one.other
        if one.relation in ("during", "same"):
            after((b, 0), (a, 0), 0)
            after((a, 1), (b, 1), 0)
        if one.relation == "same":
            after((a, 0), (b, 0), 0)
            after((b, 1), (a, 1), 0)
        if one.relation in ("before", "after"):
            early, late = (a, b) if one.relation == "before" else (b, a)
            after((early, 1), (late, 0), 0)
            if one.offset_days is not None:
                after((early, 0), (late, 0), one.offset_days)
                after((late, 0), (early, 0), -one.offset_days)
    return not nx.negative_edge_cycle(steps)


@settings(max_examples=200, deadline=None)
@given(constraints())
def test_every_constraint_that_is_kept_holds(several: list[OrderConstraint]) -> None:
    axis = build_axis([1, 2, 3, 5], several)
    dropped = {issue.source_id for issue in axis.issues}
    assert axis.now(1)[0].start == 0
    assert all(axis.now(number) for number in (1, 2, 3, 5))
    for constraint in several:
        one, other = span(axis, constraint.one), span(axis, constraint.other)
        assert (one is None) == (other is None) or constraint.source_id in dropped
        if one is not None and other is not None and constraint.source_id not in dropped:
            assert holds(constraint, one, other), (constraint, axis)


@settings(max_examples=200, deadline=None)
@given(constraints())
def test_a_constraint_is_left_out_only_when_earlier_ones_leave_no_room_for_it(several: list[OrderConstraint]) -> None:
    dropped = {issue.source_id for issue in build_axis([1, 2, 3, 5], several).issues}
    kept: list[OrderConstraint] = []
    for constraint in several:
        assert can_hold([*kept, constraint]) == (constraint.source_id not in dropped)
        kept += [] if constraint.source_id in dropped else [constraint]


@given(constraints())
def test_an_axis_is_the_same_every_time_and_survives_being_saved(several: list[OrderConstraint]) -> None:
    axis = build_axis([1, 2, 3, 5], several)
    assert build_axis([5, 3, 2, 1], several) == axis
    assert StoryAxis.from_json(axis.to_json()) == axis
    assert pickle.loads(pickle.dumps(axis)) == axis


def test_chapters_play_one_after_the_other_as_they_are_told() -> None:
    assert starts(build_axis([7, 1, 3])) == {1: 0, 3: 1, 7: 2}


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        (told("chapter:3", "before", "chapter:1", 3650), {1: 0, 2: 1, 3: -3650, 4: 2, 5: 3}),
        (told("chapter:3", "before", "chapter:1"), {1: 0, 2: 1, 3: -1, 4: 2, 5: 3}),
        (told("chapter:4", "before", "chapter:3"), {1: 0, 2: 1, 4: 2, 3: 3, 5: 4}),
        (told("chapter:2", "after", "chapter:4"), {1: 0, 3: 1, 4: 2, 2: 3, 5: 4}),
        (told("chapter:4", "after", "chapter:3", 365), {1: 0, 2: 1, 3: 2, 4: 367, 5: 368}),
        (told("chapter:4", "same", "chapter:2"), {1: 0, 2: 1, 3: 2, 4: 1, 5: 3}),
        (told("chapter:4", "during", "chapter:2"), {1: 0, 2: 1, 3: 2, 4: 1, 5: 3}),
        (told("chapter:1", "after", "chapter:5"), {1: 0, 2: -4, 3: -3, 4: -2, 5: -1}),
    ],
    ids=lambda value: value.statement if isinstance(value, OrderConstraint) else "",
)
def test_a_chapter_that_is_placed_elsewhere_leaves_the_order_of_telling(
    constraint: OrderConstraint, expected: dict[int, int]
) -> None:
    axis = build_axis(range(1, 6), [constraint])
    assert (starts(axis), axis.issues) == (expected, ())


def test_two_chapters_set_back_before_the_same_one_keep_the_order_in_which_they_are_told() -> None:
    back = [told("chapter:3", "before", "chapter:1"), told("chapter:4", "before", "chapter:1")]
    assert starts(build_axis(range(1, 6), back)) == {3: -2, 4: -1, 1: 0, 2: 1, 5: 2}


def test_an_event_that_is_placed_is_a_landmark_and_one_that_nothing_places_is_none() -> None:
    order = [told("event:the fire", "before", "chapter:2", 30), told("event:the war", "before", "event:the peace")]
    assert build_axis([1, 2], order).landmarks == {"the fire": Interval(-29, -28)}


def test_an_event_during_which_several_chapters_play_is_as_long_as_they_are() -> None:
    order = [told(f"chapter:{number}", "during", "event:the siege") for number in (2, 4)]
    assert build_axis(range(1, 6), order).landmarks["the siege"].contains(Interval(1, 4))


def test_a_contradiction_names_both_constraints_with_their_words_and_leaves_the_later_one_out() -> None:
    first = told("chapter:2", "before", "chapter:1", evidence="the year before", source_id="a")
    second = told("chapter:2", "after", "chapter:1", evidence="the day after", source_id="b")
    axis = build_axis([1, 2], [first, second])
    (issue,) = axis.issues
    assert (starts(axis), issue.kind, issue.source_id) == ({2: -1, 1: 0}, "order_contradiction", "b")
    assert all(words in issue.message for words in (first.statement, second.statement, "the year before", "the day after"))


def test_a_contradiction_in_a_round_names_every_constraint_of_it() -> None:
    order = [
        told("event:a", "before", "event:b"),
        told("event:b", "before", "event:c"),
        told("event:d", "before", "event:a"),
        told("event:c", "before", "event:a"),
    ]
    (issue,) = build_axis([1], order).issues
    assert all(one.statement in issue.message for one in (order[0], order[1], order[3]))
    assert order[2].statement not in issue.message


def test_what_contradicts_itself_is_left_out() -> None:
    (issue,) = build_axis([1, 2], [told("chapter:2", "before", "chapter:2")]).issues
    assert "itself" in issue.message


@pytest.mark.parametrize("fields", [{"one": "5"}, {"one": "chapter:five"}, {"relation": "near"}, {"offset_days": 0}])
def test_a_constraint_that_says_nothing_sound_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"point of a story|relation must be|1 day or more"):
        OrderConstraint(**{"one": "chapter:5", "relation": "before", "other": "chapter:4", **fields})


def test_two_thousand_chapters_with_flashbacks_are_placed_in_a_moment() -> None:
    order = [told(f"chapter:{number}", "before", f"chapter:{number - 1}", 3650) for number in range(10, 2_000, 50)]
    axis = build_axis(range(1, 2_001), order)
    assert axis.now(10)[0].start == axis.now(9)[0].start - 3650  # type: ignore[operator]
    assert axis.now(2_000)[0].start == 2_000 - 1 - len(order)


# dates


def test_a_dated_chapter_plays_when_it_is_said_to_and_others_at_their_distance_from_it() -> None:
    order = [told("chapter:2", "before", "chapter:1", 10), told("event:the flood", "same", "chapter:2")]
    axis = build_axis([1, 2, 3], order, kind="dates", dates={1: T("1931-05-11")})
    assert (axis.now(2), axis.now(3), axis.landmarks) == ((T("1931-05-01"),), (), {"the flood": T("1931-05-01")})


def test_an_order_that_contradicts_the_dates_or_gives_none_is_an_issue() -> None:
    order = [told("chapter:2", "before", "chapter:1"), told("chapter:3", "before", "chapter:1")]
    axis = build_axis([1, 2, 3], order, kind="dates", dates={1: T("1931"), 2: T("1945")})
    assert [issue.kind for issue in axis.issues] == ["order_contradiction", "order_unused"]


def test_times_of_the_other_axis_are_refused() -> None:
    with pytest.raises(ValueError, match="no time of an axis of dates"):
        build_axis([1], kind="dates", dates={1: Interval(0, 1)})


# reading

TICKS = StoryAxis(
    chapters={4: (Interval(100, 101),), 5: (Interval(4_000, 4_001),), 15: (Interval(7, 8), Interval(9, 10))},
    landmarks={"the fire": Interval(-30, -28), "大火": Interval(50, 52), "Jia's banquet": Interval(60, None)},
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", Interval(12, 13)),
        ("3/6", Interval(3, 7)),
        ("-5/..", Interval(-5, None)),
        ("chapter 5", Interval(4_000, 4_001)),
        ("in Chapter Five", Interval(4_000, 4_001)),
        ("while chapter 15 plays", Interval(7, 10)),
        ("before chapter 4", Interval(None, 100)),
        ("after chapter IV", Interval(101, None)),
        ("before the fire", Interval(None, -30)),
        ("during the Fire", Interval(-30, -28)),
        ("After a fire.", Interval(-28, None)),
        ("ten years earlier", Interval(350 - 182, 351 + 182)),
        ("ten years ago", Interval(350 - 182, 351 + 182)),
        ("a week later", Interval(4_007 - 3, 4_008 + 3)),
        ("three days before the fire", Interval(-33, -31)),
        ("two months after chapter 4", Interval(160 - 14, 161 + 14)),
        ("第五回", Interval(4_000, 4_001)),
        ("第十五回中", Interval(7, 10)),
        ("十年前", Interval(350 - 182, 351 + 182)),
        ("三個月前", Interval(3_910 - 14, 3_911 + 14)),
        ("a century ago", Interval(-32_500 - 182, -32_499 + 182)),
        ("三日後", Interval(4_003, 4_004)),
        ("三天之后", Interval(4_003, 4_004)),
        ("大火之前", Interval(None, 50)),
        ("大火以前", Interval(None, 50)),
        ("大火之後", Interval(52, None)),
        ("大火前三日", Interval(47, 49)),
        ("大火三日后", Interval(53, 55)),
        ("第四回之前", Interval(None, 100)),
    ],
)
def test_a_time_is_read_on_ticks(text: str, expected: Interval) -> None:
    assert TICKS.read(text, chapter=5) == expected


DATES = StoryAxis(kind="dates", chapters={1: (T("1931-05-11"),)}, landmarks={"the flood": T("1953-02")})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1931-05", "1931-05"),
        ("1920/1925", "1920/1925"),
        ("-0043-03-15", "-0043-03-15"),
        ("15 March 44 BC", "-0043-03-15"),
        ("44 BC", "-0043"),
        ("before 1931", "../1930"),
        ("ten years earlier", "1921"),
        ("three days later", "1931-05-14"),
        ("before the flood", "../1953-01"),
        ("a year after the flood", "1954"),
        ("十年后", "1941"),
    ],
)
def test_a_time_is_read_on_dates(text: str, expected: str) -> None:
    assert DATES.read(text, chapter=1) == T(expected)


@pytest.mark.parametrize(
    ("axis", "text", "problem"),
    [
        (TICKS, "before the flood", "no time of this story"),
        (TICKS, "chapter 9", "plays at no known time"),
        (TICKS, "9/3", "ends before it starts"),
        (TICKS, "after Jia's banquet", "no known end"),
        (TICKS, "1931-05", "no time of the story"),
        (DATES, "2026/2020", "ends before it starts"),
        (DATES, "the other day", "no time of this story"),
        (TICKS, "", "no time of this story"),
        (TICKS, "last -1 days", "no time of this story"),
    ],
)
def test_what_is_no_time_of_the_story_is_refused(axis: StoryAxis, text: str, problem: str) -> None:
    with pytest.raises(TimeExpressionError, match=problem):
        axis.read(text, chapter=4)


def test_a_distance_needs_a_chapter_that_plays_at_a_known_time() -> None:
    for chapter, problem in ((None, "needs a chapter"), (9, "not known")):
        with pytest.raises(TimeExpressionError, match=problem):
            TICKS.read("ten years earlier", chapter=chapter)


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (Interval(100, 101), "while chapter 4 plays"),
        (Interval(-30, -28), "during the fire"),
        (Interval(350, 351), "about eight months after chapter 4"),
        (Interval(102, 103), "two days after chapter 4"),
        (Interval(None, None), "at all times"),
        (Interval(None, 101), "until chapter 4"),
        (Interval(98, 105), "from two days before chapter 4 to four days after chapter 4"),
        (Interval(8, 9), "one day after chapter 15"),
        (Interval(100, None), "from chapter 4 on"),
        (Interval(-3_643, -3_642), "about ten years before chapter 15"),
    ],
)
def test_a_time_is_said_in_words(interval: Interval, expected: str) -> None:
    assert TICKS.phrase(interval) == expected


def test_dates_are_said_as_dates() -> None:
    assert DATES.phrase(T("1931")) == "in 1931"


def test_an_axis_knows_nothing_of_what_is_told_after_a_reader_stopped() -> None:
    early = TICKS.until(5)
    assert (set(early.chapters), dict(early.landmarks), early.issues) == ({4, 5}, {}, ())


def test_two_distances_told_in_neighbouring_chapters_may_name_one_time() -> None:
    axis = build_axis([1, 2, 3, 4], [told("chapter:4", "before", "chapter:3", 3650)])
    recalled = [axis.read("ten years earlier", chapter=number) for number in (1, 2, 3)]
    assert all(one.overlaps(other) for one in recalled for other in (*recalled, *axis.now(4)))
    assert axis.phrase(recalled[2]) == "within about six months of chapter 4"
    assert axis.until(3).phrase(recalled[0]) == "about ten years before chapter 1"
    assert not axis.read("ten years earlier", chapter=1).overlaps(axis.read("eight years earlier", chapter=1))


LATE = OrderConstraint(one="chapter:2", relation="before", other="chapter:1", offset_days=3650, told_in=5)


@pytest.mark.parametrize("saved", [False, True])
def test_where_a_chapter_plays_is_not_known_before_the_chapter_that_tells_it(saved: bool) -> None:
    axis = build_axis([1, 2, 3, 4, 5, 6], [LATE])
    axis = StoryAxis.from_json(axis.to_json()) if saved else axis
    plays = [{number: times[0].start for number, times in axis.until(chapter).chapters.items()} for chapter in (2, 4, 5, 6)]
    assert plays[:2] == [{1: 0, 2: 1}, {1: 0, 2: 1, 3: 2, 4: 3}]
    assert plays[2:] == [{1: 0, 2: -3650, 3: 1, 4: 2, 5: 3}, {1: 0, 2: -3650, 3: 1, 4: 2, 5: 3, 6: 4}]
    assert axis.until(4).until(2) == axis.until(2)
    assert "-3650" not in str(axis.until(4).to_json())


def test_a_date_that_is_only_told_later_is_not_known_before() -> None:
    axis = build_axis([1, 2, 3], [LATE], kind="dates", dates={1: T("1931-05-11")})
    assert axis.now(2) == (T("1921-05-13"),)  # 3,650 days are not quite ten years
    assert axis.until(4).now(2) == ()
    assert axis.until(5).now(2) == axis.now(2)


def test_what_a_chapter_says_of_itself_moves_nothing_for_its_readers() -> None:
    own = OrderConstraint(one="chapter:2", relation="before", other="chapter:1", offset_days=3650, told_in=2)
    axis = build_axis([1, 2, 3], [own])
    assert not axis.before
    assert axis.until(2).now(2) == axis.now(2) == (Interval(-3650, -3649),)
