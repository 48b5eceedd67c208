from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.litseg import PlannedSegment, SegmentPlan
from chronotope.litseg.distill import Completion, completion_text, format_grade, format_reward

N = 10


def part(first: int, last: int, *context: int) -> dict[str, Any]:
    return {"subtitle": "What happens", "from_idx": first, "to_idx": last, "context_idx": list(context)}


def said(*parts: dict[str, Any]) -> str:
    return json.dumps({"events": ["1 It begins"], "threads": [], "turning_points": [], "segments": list(parts)})


SOUND = said(part(1, 4), part(5, 10, 2))


@pytest.mark.parametrize(
    ("text", "score"),
    [
        (SOUND, 1.0),
        (said(part(1, 10)), 1.0),
        (said(part(1, 6), part(5, 10)), 1.0),  # an overlap is allowed
        ("", 0.0),
        ("I would cut the chapter in two.", 0.0),
        ("[1, 2]", 0.0),
        ('{"answer": "two parts"}', 0.1),
        (f"Here it is:\n```json\n{SOUND}\n```", 0.9),  # no plain JSON
        (f'{{"answer": {SOUND}}}', 0.9),  # a wrapper
        (json.dumps({"chunks": json.loads(SOUND)["segments"]}), 0.9),  # the list under another name
        ('{"chunks": [{"start": 1, "end": 10}]}', 0.1),  # another schema
        (said(part(1, 4), {**part(5, 10), "to_idx": "[10]"}), 0.9),  # a mark copied with the number
        (said(), 0.4),  # JSON, schema, plain; and nothing else
        (said(part(1, 4), part(7, 10)), 0.96),  # 8 of 10 sentences
        (said(part(1, 4), part(5, 9)), 0.93),  # 9 of 10 sentences, one end
        (said(part(2, 10)), 0.93),
        (said(part(1, 4), part(5, 12)), 0.73),  # half the ranges, 4 of 10 sentences, one end
        (said(part(1, 4), part(10, 5)), 0.73),
        (said(part(0, 4), part(5, 10)), 0.77),  # half the ranges, 6 of 10 sentences, one end
        (said(part(5, 10), part(1, 4)), 0.77),  # the second starts before the first
        (said(part(11, 20)), 0.5),  # JSON, schema, plain, context
        (said(part(1, 4), part(5, 10, 2, 7)), 0.95),  # 7 is in its own range
        (said(part(1, 4, 11), part(5, 10, 0)), 0.9),  # neither exists
    ],
)
def test_a_completion_gets_what_its_parts_are_worth(text: str, score: float) -> None:
    assert format_grade(text, N).score == pytest.approx(score)


def test_what_is_complete_in_a_reply_that_ends_too_early_is_graded_for_what_it_covers() -> None:
    grade = format_grade(SOUND[: SOUND.index('"from_idx": 5')], N)
    assert (grade.schema, grade.plain, grade.ranges, grade.cover, grade.ends) == (1, 0, 1, 0.4, 0.5)


def test_a_trainer_may_pass_texts_or_messages_and_any_other_column() -> None:
    unit = ["A sentence. "] * N
    as_messages: list[Completion] = [[{"role": "assistant", "content": SOUND}], [{"role": "assistant", "content": None}], []]
    columns = {"prompts": ["a", "b", "c"], "completion_ids": [[1], [2], [3]], "trainer_state": None, "unit": ["I", "I", "I"]}
    assert format_reward(completions=as_messages, sentences=[unit] * 3, **columns) == [1.0, 0.0, 0.0]
    assert format_reward([SOUND, ""], sentences=[unit] * 2) == [1.0, 0.0]
    assert completion_text([{"role": "user", "content": "Go on."}, {"role": "assistant", "content": "{}"}]) == "{}"


def test_each_completion_is_held_against_its_own_unit() -> None:
    assert format_reward([SOUND, SOUND], sentences=[["x"] * 10, ["x"] * 20]) == [1.0, pytest.approx(0.85)]


def test_columns_of_other_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        format_reward([SOUND, SOUND], sentences=[["x"]])


def test_a_function_has_the_name_under_which_a_trainer_logs_it() -> None:
    assert format_reward.__name__ == "format_reward"


@st.composite
def sound_plans(draw: st.DrawFn) -> tuple[SegmentPlan, int]:
    n = draw(st.integers(1, 60))
    starts = sorted({1, *draw(st.sets(st.integers(1, n)))})
    ends = [start - 1 for start in starts[1:]] + [n]
    parts = []
    for first, last in zip(starts, ends, strict=True):
        last = draw(st.integers(last, n))
        outside = [i for i in range(1, n + 1) if not first <= i <= last]
        context = draw(st.lists(st.sampled_from(outside), max_size=4)) if outside else []
        parts.append(PlannedSegment(first, last, draw(st.text(max_size=5)).strip(), tuple(context)))
    return SegmentPlan(tuple(parts)), n


indices = st.integers(-2, 8)
loose_plans = st.lists(
    st.builds(PlannedSegment, indices, indices, context_idx=st.lists(indices, max_size=2).map(tuple)), max_size=4
).map(lambda parts: SegmentPlan(tuple(parts)))


def written(plan: SegmentPlan) -> str:
    parts = (
        {"subtitle": " ".join(p.subtitle.split()), "from_idx": p.from_idx, "to_idx": p.to_idx, "context_idx": list(p.context_idx)}
        for p in plan.segments
    )
    return json.dumps({"segments": list(parts)})


@given(sound_plans())
def test_a_sound_plan_gets_exactly_one(case: tuple[SegmentPlan, int]) -> None:
    plan, n = case
    assert plan.problems(n) == ()
    assert format_grade(written(plan), n).score == 1.0


@given(loose_plans, st.integers(1, 6))
def test_nothing_but_a_sound_plan_gets_one(plan: SegmentPlan, n: int) -> None:
    score = format_grade(written(plan), n).score
    assert (score == 1.0) == (plan.problems(n) == ())
    assert 0.4 <= score <= 1.0


@given(sound_plans(), st.integers(1, 5), st.data())
def test_every_further_wrong_context_sentence_costs(case: tuple[SegmentPlan, int], wrong: int, data: st.DataObject) -> None:
    plan, n = case
    place = data.draw(st.integers(0, len(plan.segments) - 1))
    scores = []
    for count in range(wrong + 1):
        parts = list(plan.segments)
        part = parts[place]
        bad = (n + 1, part.from_idx)[data.draw(st.integers(0, 1))]
        parts[place] = PlannedSegment(part.from_idx, part.to_idx, "", part.context_idx + (bad,) * count)
        scores.append(format_grade(written(SegmentPlan(tuple(parts))), n).score)
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 1.0 > scores[1]


@given(st.integers(2, 60), st.data())
def test_every_segment_left_out_costs(n: int, data: st.DataObject) -> None:
    starts = [1, *sorted(data.draw(st.sets(st.integers(2, n))))]
    left = data.draw(st.permutations(SegmentPlan.from_starts(starts, n).segments))
    dropped = [SegmentPlan(tuple(sorted(left[:size], key=lambda part: part.from_idx))) for size in range(len(left), -1, -1)]
    scores = [format_grade(written(plan), n).score for plan in dropped]
    assert all(fuller > poorer for fuller, poorer in pairwise(scores))


KEYS = ["segments", "from_idx", "to_idx", "context_idx", "subtitle", "threads", "x"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


cut_replies = json_values.map(lambda value: json.dumps({"segments": value})[:-2])


@given(st.one_of(st.text(), json_values.map(json.dumps), cut_replies), st.integers(0, 9))
def test_no_text_makes_it_raise_or_leaves_the_scale(text: str, n: int) -> None:
    assert 0.0 <= format_grade(text, n).score <= 1.0


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"segments":' * 20_000,
        '{"segments": [{"from_idx": ' + "9" * 5_000 + ', "to_idx": 2}]}',
        '{"segments": [{"from_idx": 1, "to_idx": ' + "9" * 4_000 + "}]}",
        '{"segments": [{"from_idx": NaN, "to_idx": Infinity}]}',
        "\ud800{}",
        "\x00",
    ],
)
def test_hostile_texts_are_graded_too(text: str) -> None:
    assert 0.0 <= format_grade(text, N).score <= 0.5
