"""Replies: what models really send, read or refused with a reason."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from chronotope.replies import Reading, Rejected, read_reply


class Event(BaseModel):
    sentence: str
    year: int = 0


class Events(BaseModel):
    events: list[Event]


class Scope(BaseModel):
    core: str
    years: list[int] = Field(default_factory=list)
    note: str = ""


ONE = Events(events=[Event(sentence="He left.", year=1660)])
TEXT = json.dumps(ONE.model_dump())


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"Sure! Here it is:\n\n```\n{TEXT}\n```\nAnything else?",
        f"<think>He left, so {{maybe}} 1660… or {TEXT.replace('1660', '1666')}?</think>\n{TEXT}",
        f"thinking without an opening tag {TEXT.replace('1660', '1')}</think>{TEXT}",
        f'<think>a broken draft {{"events": [ "He </think>{TEXT}',
        f"Draft: {TEXT.replace('1660', '1666')}\nBetter: {TEXT}",
        f"The set {{a, b}} and [see above] are no JSON. {TEXT} As in [1].",
        f'I use {{"single"}} braces.\n```json\n{TEXT}\n```',
        TEXT.replace('"', "'"),
        TEXT[:-1] + ",}",
        TEXT[:-2],
    ],
)
def test_the_answer_is_found_in_whatever_surrounds_it(text) -> None:
    assert read_reply(text, Events) == Reading(ONE)


def test_the_last_draft_that_fits_wins() -> None:
    assert read_reply('{"core": "a"} no: {"core": "b"} hm: {"other": 1}', Scope).value.core == "b"


def test_a_closing_tag_inside_the_json_is_data() -> None:
    text = '{"events": [{"sentence": "He wrote </think> there."}, {"sentence": "She left."}]}'
    assert [event.sentence for event in read_reply(text, Events).value.events] == ["He wrote </think> there.", "She left."]


def test_g25_backslashes_and_inner_quotes_are_repaired() -> None:
    text = r'{"events": [{"sentence": "Let \mathbf{x} be in C:\Users\me."}, {"sentence": "He said "go", and left", "year": 7}]}'
    first, second = read_reply(text, Events).value.events
    assert first.sentence == r"Let \mathbf{x} be in C:\Users\me."
    assert (second.sentence, second.year) == ('He said "go", and left', 7)


def test_raw_line_breaks_inside_a_string_are_kept() -> None:
    assert read_reply('{"core": "one\ntwo"}', Scope).value.core == "one\ntwo"


def test_g26_an_echoed_schema_is_refused() -> None:
    with pytest.raises(Rejected, match="repeats the JSON schema instead of filling it in"):
        read_reply(json.dumps(Events.model_json_schema()), Events)


def test_g26_a_bare_array_fills_the_only_list() -> None:
    assert read_reply(f"[{json.dumps(ONE.events[0].model_dump())}]", Events).value == ONE
    assert read_reply("[]", Events).value == Events(events=[])


class Outline(BaseModel):
    turns: list[int] = Field(default_factory=list)
    events: list[Event]


def test_g26_of_several_lists_a_bare_array_fills_the_one_that_must_be_there() -> None:
    assert read_reply('[{"sentence": "He left."}]', Outline).value == Outline(events=[Event(sentence="He left.")])


@pytest.mark.parametrize("key", ["items", "Events", "results"])
def test_g26_a_renamed_list_is_recognised(key) -> None:
    assert read_reply(TEXT.replace("events", key), Events).value == ONE


def test_g26_a_wrapper_is_removed() -> None:
    assert read_reply(f'{{"response": {TEXT}}}', Events).value == ONE


@pytest.mark.parametrize(
    "text",
    ['{"a": [], "b": []}', '{"answer": {"result": {"events": []}}}', '{"sentence": "He left."}', '["He left."]', "{}", "[1]"],
)
def test_g26_drift_has_limits(text) -> None:
    with pytest.raises(Rejected):
        read_reply(text, Events)


@pytest.mark.parametrize("text", ["", " \r\n\t ", "\n" * 5000])
def test_g26_a_blank_reply_is_refused(text) -> None:
    with pytest.raises(Rejected, match="the reply was empty"):
        read_reply(text, Events)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I cannot help with that.", "holds no JSON object"),
        ("<think>Let me see", "ended before its reasoning did"),
        ('{"events": [{"year": "soon"}]}', r"events\.0\.sentence: Field required; events\.0\.year: Input should be"),
        ('{"sentence": "He left."}', "must be one JSON object with the keys events"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_refusal_says_why_in_one_sentence(text, reason) -> None:
    with pytest.raises(Rejected, match=reason) as caught:
        read_reply(text, Events)
    assert "\n" not in str(caught.value)


def test_many_problems_are_told_in_part() -> None:
    with pytest.raises(Rejected, match=r"\(and 7 more\)"):
        read_reply(json.dumps({"events": [{}] * 10}), Events)


def test_g24_a_cut_reply_keeps_its_complete_items() -> None:
    text = '{"events": [{"sentence": "One.", "year": 1}, {"sentence": "Two, [x] {y}.", "year": 2}, {"sentence": "He le'
    assert read_reply(text, Events, truncated=True) == Reading(
        Events(events=[Event(sentence="One.", year=1), Event(sentence="Two, [x] {y}.", year=2)]), cut=True
    )


def test_g24_an_inner_list_that_is_cut_makes_its_item_incomplete() -> None:
    class Named(BaseModel):
        who: list[str]

    class All(BaseModel):
        all: list[Named]

    reading = read_reply('{"all": [{"who": ["A", "B"]}, {"who": ["C", "D', All)
    assert (reading.value.all, reading.cut) == ([Named(who=["A", "B"])], True)


def test_g24_whatever_the_endpoint_calls_cut_is_cut() -> None:
    assert read_reply(f"{TEXT} and then I", Events, truncated=True) == Reading(ONE, cut=True)


def test_g24_a_list_that_is_cut_before_its_first_item_is_cut() -> None:
    assert read_reply('{"events": [', Events) == Reading(Events(events=[]), cut=True)


def test_a_cut_reply_without_a_list_is_refused() -> None:
    with pytest.raises(Rejected):
        read_reply('{"core": "When did the', Scope)


EVENTS = st.lists(st.builds(Event, sentence=st.text(), year=st.integers(-9999, 9999)), max_size=4)


@given(EVENTS, st.integers(0, 400), st.booleans())
def test_any_prefix_of_a_reply_gives_a_prefix_of_its_items(events, length, ascii_only) -> None:
    whole = Events(events=events)
    text = json.dumps(whole.model_dump(), ensure_ascii=ascii_only)
    try:
        reading = read_reply(text[:length], Events)
    except Rejected:
        return
    assert reading.value.events == events[: len(reading.value.events)]
    assert reading.cut or reading.value == whole


@given(st.text(alphabet='{}[]",:\\ ab1\n', max_size=80))
def test_no_text_breaks_the_reader(text) -> None:
    with suppress(Rejected):
        read_reply(text, Events)


@pytest.mark.parametrize("text", ["{" * 50_000, '{"a": "' + "x" * 50_000, '{"a":' * 5_000, '["' * 20_000, "[[1, " * 20_000])
def test_g22_huge_nonsense_is_done_with_in_good_time(text) -> None:
    began = time.monotonic()
    with suppress(Rejected):
        assert read_reply(text, Events).cut
    assert time.monotonic() - began < 10
