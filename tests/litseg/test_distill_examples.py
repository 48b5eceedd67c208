from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope import ReplyCache
from chronotope.endpoint import ChatEndpoint
from chronotope.litseg import Candidate, SegmentSettings, candidates, segment
from chronotope.litseg.distill import TrainingExample, as_example, format_reward, split_by_work, training_examples, write_jsonl
from chronotope.litseg.replies import LiteReply
from chronotope.litseg.stages import LITE
from chronotope.models import Message, Reply
from chronotope.records import Document
from chronotope.steps import Runner
from chronotope.testing import ScriptedChat, play
from support_http import ModelServer, environment

STORY = """CHAPTER I. The Letter

The postman came late. He gave Ada a letter. She knew the hand at once.

She hid it under the clock. Her brother had seen it.

CHAPTER II. The Clock

At night the clock fell. The letter was gone. “Who took it?” asked Ada. Nobody answered.
"""
SETTINGS = SegmentSettings(length=12)


def units(document: Document) -> tuple[Candidate, ...]:
    return candidates(document)


def events() -> dict[str, Any]:
    return {"events": ["2-3 the postman brings Ada a letter", "5 she hides “it”"]}


def threads() -> dict[str, Any]:
    return {"threads": [{"name": "the letter", "level": "Intradiegetic", "sentences": "1-5", "shifts": ["4 indoors"]}]}


def blocks(n: int, *starts: int, context: tuple[int, ...] = ()) -> dict[str, Any]:
    ends = [start - 1 for start in starts[1:]] + [n]
    parts = [
        {"subtitle": f"Part from {a}", "from_idx": a, "to_idx": z, "context_idx": list(context) if a > 1 else []}
        for a, z in zip(starts, ends, strict=True)
    ]
    points = [{"type": "Change of Plans", "sentence": starts[-1], "what": "she acts"}]
    return {"turning_points": points, "segments": parts}


def teach(document: Document, *replies: Any, settings: SegmentSettings = SETTINGS, work: str = "") -> Any:
    return play(training_examples(document, settings=settings, work=work), replies)


def test_an_example_is_what_lite_asks_and_its_answer_gives_the_plan_of_full() -> None:
    document = Document(STORY, id="story")
    one, two = units(document)
    replies = [events(), threads(), blocks(len(one), 1, 5, context=(2,)), events(), threads(), blocks(len(two), 1, 4)]
    played = teach(document, *replies)
    assert played.result.issues == ()
    assert played.spent.calls == 6
    examples = played.result.items
    assert [example.unit for example in examples] == [one.unit.name, two.unit.name]
    full = play(segment(document, settings=replace(SETTINGS, mode="full")), replies).result
    student = ScriptedChat([example.messages[-1].content for example in examples])
    lite = Runner(student, concurrency=1).run(segment(document, settings=replace(SETTINGS, mode="lite")))
    assert (lite.items, lite.issues) == (full.items, ())
    assert len(lite.items) == 4
    for example, call in zip(examples, student.calls, strict=True):
        assert example.messages[:2] == call.messages
        assert [message.role for message in example.messages] == ["system", "user", "assistant"]


def test_an_answer_holds_what_all_three_stages_found() -> None:
    document = Document(STORY.split("CHAPTER II")[0])
    (unit,) = units(document)
    (example,) = teach(document, events(), threads(), blocks(len(unit), 1, 5)).result.items
    answer = LiteReply.model_validate_json(example.messages[-1].content)
    assert answer.events == events()["events"]
    assert (answer.threads[0].name, answer.threads[0].level) == ("the letter", "intradiegetic")
    assert (answer.turning_points[0].type, answer.turning_points[0].sentence) == ("Change of Plans", 5)
    assert [(part.from_idx, part.to_idx) for part in answer.segments] == [(1, 4), (5, len(unit))]
    assert "“it”" in example.messages[-1].content, "letters stay letters"
    assert example.plan.segments[1].turning_points == ("change_of_plans",)
    assert "".join(example.sentences) == document.text


def test_what_a_teacher_says_earns_the_full_format_reward() -> None:
    document = Document(STORY)
    one, two = units(document)
    made = teach(document, events(), threads(), blocks(len(one), 1, 5), events(), threads(), blocks(len(two), 1)).result.items
    completions = [[{"role": "assistant", "content": example.messages[-1].content}] for example in made]
    assert format_reward(completions, sentences=[example.sentences for example in made]) == [1.0, 1.0]


def test_a_reply_that_was_right_only_when_asked_again_is_kept_as_it_was_at_last() -> None:
    document = Document(STORY.split("CHAPTER II")[0])
    (unit,) = units(document)
    n = len(unit)
    played = teach(document, events(), threads(), blocks(n, 2), "what?", blocks(n, 1, 4))
    (example,) = played.result.items
    assert [part.from_idx for part in example.plan.segments] == [1, 4]
    assert len(example.messages) == 3, "the refused replies are no part of what a student reads"


SPOILT: dict[str, tuple[str, Callable[[int], tuple[Any, ...]]]] = {
    "a gap": ("gap_closed", lambda n: (events(), threads(), blocks(n, 2))),
    "context from inside": ("context_dropped", lambda n: (events(), threads(), blocks(n, 1, 3, context=(4,)))),
    "no plan": ("reply_refused", lambda _: (events(), threads(), "no plan at all")),
    "no events": ("reply_refused", lambda n: ("I see none.", threads(), blocks(n, 1, 4))),
    "no threads": ("reply_refused", lambda n: (events(), "I see none.", blocks(n, 1, 4))),
    "cut events": ("reply_cut", lambda n: (Reply(json.dumps(events())[:-2], truncated=True), threads(), blocks(n, 1, 4))),
    "a point nowhere": (
        "turning_point_dropped",
        lambda n: (events(), threads(), {**blocks(n, 1, 4), "turning_points": [{"type": "reversal", "sentence": 99}]}),
    ),
}


@pytest.mark.parametrize("case", SPOILT)
def test_a_unit_that_had_to_be_repaired_is_left_out_and_told(case: str) -> None:
    document = Document(STORY.split("CHAPTER II")[0], id="story")
    reason, replies = SPOILT[case]
    found = teach(document, *replies(len(units(document)[0])), settings=replace(SETTINGS, attempts=1)).result
    assert found.items == ()
    (issue,) = found.issues
    assert (issue.kind, issue.source_id) == ("left_out", "story")
    assert reason in issue.message


def test_the_other_units_stay_when_one_is_left_out() -> None:
    document = Document(STORY)
    one, two = units(document)
    settings = replace(SETTINGS, attempts=1)
    found = teach(document, events(), threads(), blocks(len(one), 2), events(), threads(), blocks(len(two), 1), settings=settings)
    assert [example.unit for example in found.result.items] == [two.unit.name]
    assert len(found.result.issues) == 1


def test_a_unit_of_one_sentence_teaches_nothing() -> None:
    found = teach(Document("Nothing happened.")).result
    assert found.items == ()
    assert [issue.kind for issue in found.issues] == ["left_out"]


def test_a_person_may_be_the_teacher() -> None:
    (one, _) = units(Document(STORY, id="story"))
    reply = LiteReply.model_validate(blocks(len(one), 1, 4))
    example = as_example(one, reply)
    assert (example.work, example.plan.problems(len(one))) == ("story", ())
    wrong: dict[str, Any]
    for wrong in (blocks(len(one), 2), blocks(len(one) + 1, 1), blocks(len(one), 1, 4, context=(4,)), {"segments": []}):
        with pytest.raises(ValueError, match="problems"):
            as_example(one, LiteReply.model_validate(wrong))


def test_the_same_text_is_one_work_under_any_id_and_layout() -> None:
    text = STORY.split("CHAPTER II")[0]
    n = len(units(Document(text))[0])
    replies = (events(), threads(), blocks(n, 1, 4))
    first, second = (teach(Document(text + blank, id=name), *replies).result.items[0] for name, blank in (("a", ""), ("b", "\n\n")))
    assert first.source_id != second.source_id
    assert first.work == second.work != ""
    (named,) = teach(Document(text), *replies, work="Ada").result.items
    assert named.work == "Ada"


def test_the_cost_is_known_before_the_first_call() -> None:
    assert Runner().estimate(training_examples(Document(STORY), settings=SETTINGS)).calls == 6


def test_a_second_run_with_a_cache_asks_nothing_and_gives_the_same_examples(tmp_path: Path) -> None:
    document = Document(STORY)
    one, two = units(document)
    replies = [events(), threads(), blocks(len(one), 1, 5), events(), threads(), blocks(len(two), 1, 4)]
    with ReplyCache(tmp_path / "replies.db") as cache:
        runner = Runner(ScriptedChat(replies), cache=cache, concurrency=1)
        first = runner.run(training_examples(document, settings=SETTINGS))
        again = runner.run(training_examples(document, settings=SETTINGS))
    assert again == first
    assert len(first.items) == 2
    assert (runner.spent.calls, runner.spent.cached) == (6, 6)


def test_a_teacher_that_is_not_reachable_is_an_error_and_no_example_less() -> None:
    with pytest.raises(ConnectionError):
        teach(Document(STORY), events(), ConnectionError("gone"))


def test_an_example_is_made_for_the_settings_that_the_student_will_get() -> None:
    (one, _) = units(Document(STORY))
    reply = LiteReply.model_validate(blocks(len(one), 1))
    prompt = LITE.with_text(user="Short and quick, $chapter")
    short, long = (as_example(one, reply, settings=replace(SETTINGS, length=length)) for length in (7, 70))
    assert short.messages[0] != long.messages[0]
    assert short.messages[1:] == long.messages[1:]
    assert as_example(one, reply, settings=replace(SETTINGS, lite_prompt=prompt)).messages[1].content.startswith("Short and quick")


def test_a_teacher_works_over_http() -> None:
    document = Document(STORY.split("CHAPTER II")[0])
    n = len(units(document)[0])
    stages = [events(), threads(), blocks(n, 1, 4)]
    with ModelServer(lambda _body, number: "```json\n" + json.dumps(stages[number]) + "\n```") as server:
        made = Runner(ChatEndpoint(server.url, "teacher")).run(training_examples(document, settings=SETTINGS))
        assert len(server.bodies) == 3
    (example,) = made.items
    with ModelServer(lambda _body, _number: example.messages[-1].content) as server:
        settings = replace(SETTINGS, mode="lite")
        lite = Runner(ChatEndpoint(server.url, "student")).run(segment(document, settings=settings))
        (body,) = server.bodies
    assert body["messages"] == example.to_json()["messages"][:2]
    assert ([part.sentences for part in lite.items], lite.issues) == ([(1, 3), (4, n)], ())


def example(work: str, unit: int = 1) -> TrainingExample:
    messages = (Message("system", "s"), Message("user", f"u{unit}"), Message("assistant", "{}"))
    return TrainingExample(messages=messages, sentences=("Ein Satz über “nichts”. ",), source_id=work, unit=str(unit), work=work)


works = st.lists(st.tuples(st.text(max_size=3), st.integers(0, 5)), max_size=40).map(
    lambda rows: [example(work, unit) for work, unit in rows]
)


@given(works, st.floats(0, 0.99), st.integers(0, 5), st.randoms())
def test_no_work_leaks_and_nothing_is_lost(made: list[TrainingExample], share: float, seed: int, random: Any) -> None:
    split = split_by_work(made, share=share, seed=seed)
    train, held = ({e.work for e in side} for side in (split.train, split.validation))
    assert not train & held
    assert sorted(map(repr, (*split.train, *split.validation))) == sorted(map(repr, made))
    assert list(split.train) == [e for e in made if e.work in train], "in the given order"
    count = len({e.work for e in made})
    assert len(train) >= min(1, count)
    if share and count > 1:
        assert len(held) == min(max(1, round(share * count)), count - 1)
    mixed = list(made)
    random.shuffle(mixed)
    assert {e.work for e in split_by_work(mixed, share=share, seed=seed).validation} == held


def test_another_seed_sets_other_works_aside() -> None:
    made = [example(f"book {number}") for number in range(20)]
    held = {frozenset(e.work for e in split_by_work(made, share=0.25, seed=seed).validation) for seed in range(5)}
    assert len(held) > 1
    assert all(len(works) == 5 for works in held)


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="share"):
        split_by_work([], share=share)


def test_rows_are_chat_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "new" / "train.jsonl"
    assert write_jsonl(path, iter([example("a", 1), example("a", 2)])) == 2
    text = path.read_bytes().decode("utf-8")
    rows = [json.loads(line) for line in text.split("\n")[:-1]]
    assert [row["messages"][1] for row in rows] == [{"role": "user", "content": "u1"}, {"role": "user", "content": "u2"}]
    assert rows[0].keys() == {"messages", "sentences", "source_id", "unit", "work"}
    assert "über “nichts”" in text
    write_jsonl(path, [example("b")])
    assert [json.loads(line)["work"] for line in path.read_text(encoding="utf-8").splitlines()] == ["b"]
    assert [file.name for file in path.parent.iterdir()] == ["train.jsonl"]


def test_what_no_file_can_hold_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    write_jsonl(path, [replace(example("a"), sentences=("a\ud800b\x00",))])
    (line,) = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["sentences"] == ["a\ufffdb\x00"]


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    write_jsonl(path, [example("old")])
    before = path.read_bytes()

    def broken() -> Any:
        yield example("new")
        raise OSError("the source went away")

    with pytest.raises(OSError, match="went away"):
        write_jsonl(path, broken())
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["train.jsonl"]


CHILD = """
import sys, time
from chronotope.litseg.distill import TrainingExample, write_jsonl
from chronotope.models import Message

def slow():
    for number in range(5_000):
        yield TrainingExample(messages=(Message("user", "u" * 100),), sentences=("x",), work="new")
    print("half", flush=True)
    time.sleep(60)

write_jsonl(sys.argv[1], slow())
"""


def test_a_killed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    write_jsonl(path, [example("old")])
    before = path.read_bytes()
    command = [sys.executable, "-c", CHILD, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "half\n"
        child.kill()
        assert child.wait() == -signal.SIGKILL
    assert path.read_bytes() == before
    write_jsonl(path, [example("next")])
    assert [file.name for file in tmp_path.iterdir()] == ["train.jsonl"], "the next write takes the leftover away"
