"""Steps by hand: what they ask for and what they make of the answers."""

from __future__ import annotations

import pickle
from enum import Enum
from typing import Annotated, Literal

import numpy as np
import pytest
from pydantic import BaseModel, Field

from chronotope.errors import ChronotopeError, PromptError, ReplyError
from chronotope.models import Reply
from chronotope.prompts import Prompt
from chronotope.steps import Ask, CutReply, Embed, Gather, Rank, Rejected, Runner, ask, ask_in_halves, embed, gather, rank
from chronotope.testing import play


class Year(BaseModel):
    year: int


class Years(BaseModel):
    years: list[int]


WHEN = Prompt("when", "1", "You date events.", "When was $event?", Year)
ALL = Prompt("all", "1", "", "All years of $texts", Years)


def in_the_past(reply: Year) -> int:
    if reply.year > 2000:
        raise Rejected(f"{reply.year} is not past.")
    return reply.year


def test_a_step_yields_requests_and_does_nothing_else() -> None:
    step = ask(WHEN, check=in_the_past, event="it")
    request = next(step)
    assert isinstance(request, Ask)
    assert [turn.content for turn in request.messages] == ["You date events.", "When was it?"]
    with pytest.raises(StopIteration) as end:
        step.send(1660)
    assert end.value.value == 1660


@pytest.mark.parametrize(
    ("step", "request_", "answer"),
    [
        (embed(["a", "b"], kind="query"), Embed(("a", "b"), "query"), np.zeros((2, 3))),
        (rank("q", ["a"]), Rank("q", ("a",)), [0.5]),
    ],
)
def test_embed_and_rank_pass_the_answer_on(step, request_, answer) -> None:
    assert next(step) == request_
    with pytest.raises(StopIteration) as end:
        step.send(answer)
    assert end.value.value is answer


def test_gather_holds_its_steps() -> None:
    steps = [ask(WHEN, event="it"), ask(WHEN, event="that")]
    assert next(gather(steps)) == Gather(tuple(steps))


def test_the_reply_model_is_the_result_when_nothing_is_checked() -> None:
    assert play(ask(WHEN, event="it"), [{"year": 1660}]).result == Year(year=1660)


def test_a_refused_reply_is_answered_with_the_reason() -> None:
    played = play(ask(WHEN, check=in_the_past, event="it"), ["Hm.", {"year": 2031}, {"year": 1660}])
    assert played.result == 1660
    first, second, third = (exchange.messages for exchange in played.exchange)
    assert second[: len(first)] == first
    assert [turn.role for turn in second[-2:]] == ["assistant", "user"]
    assert second[-2].content == "Hm."
    assert "the reply holds no JSON object. Answer the task again" in second[-1].content
    assert "2031 is not past. Answer" in third[-1].content
    assert len(third) == len(second), "only the last refused reply is shown again"
    assert (played.spent.calls, played.spent.rejected, played.spent.failed) == (3, 2, 0)


def test_a_blank_reply_is_shown_as_such() -> None:
    played = play(ask(WHEN, event="it"), ["\n \n", {"year": 1}])
    assert played.exchange[1].messages[-2].content == "(empty)"


def test_the_last_refusal_is_raised() -> None:
    with pytest.raises(ReplyError, match="no acceptable reply to prompt 'when': 2031 is not past") as caught:
        play(ask(WHEN, check=in_the_past, attempts=2, event="it"), [{"year": 2030}, {"year": 2031}])
    assert (caught.value.prompt, caught.value.reply, caught.value.problem) == ("when", '{"year": 2031}', "2031 is not past")


def test_a_step_may_survive_a_hopeless_reply() -> None:
    def window(event: str):
        try:
            return (yield from ask(WHEN, attempts=1, event=event)).year
        except ReplyError as error:
            return error.problem

    played = play(gather([window("a"), window("b")]), ["Hm.", {"year": 7}])
    assert played.result == ["the reply holds no JSON object", 7]
    assert played.spent.failed == 1


def test_any_valueerror_of_the_check_is_a_refusal() -> None:
    def check(reply: Year) -> int:
        return [10, 20].index(reply.year)

    assert play(ask(WHEN, check=check, event="it"), [{"year": 5}, {"year": 20}]).result == 1


def test_other_errors_of_the_check_are_bugs_and_pass() -> None:
    with pytest.raises(ZeroDivisionError):
        play(ask(WHEN, check=lambda reply: 1 // 0, event="it"), [{"year": 5}])


def test_attempts_must_be_positive() -> None:
    with pytest.raises(ValueError, match="attempts must be at least 1"):
        play(ask(WHEN, attempts=0, event="it"))


def test_a_missing_value_is_raised_before_any_call() -> None:
    with pytest.raises(PromptError, match=r"\$event"):
        play(ask(WHEN))


def test_a_placeholder_may_be_called_prompt() -> None:
    asked = play(ask(Prompt("p", "1", "", "About $prompt", Year), prompt="it"), [{"year": 1}]).exchange[0]
    assert asked.messages[0].content == "About it"


def cut(*years: int) -> Reply:
    return Reply('{"years": [' + "".join(f"{year}, " for year in years) + "19", truncated=True)


def test_g24_a_cut_reply_is_not_asked_again_as_it_is() -> None:
    with pytest.raises(CutReply, match="ended before its JSON did") as caught:
        play(ask(ALL, texts="all"), [cut(1914, 1918)])
    assert caught.value.partial == Years(years=[1914, 1918])
    assert pickle.loads(pickle.dumps(caught.value)).partial == caught.value.partial


def test_g24_a_cut_reply_with_nothing_usable_says_so() -> None:
    with pytest.raises(CutReply, match="cut at the length limit") as caught:
        play(ask(WHEN, event="it"), [Reply('{"ye', truncated=True)])
    assert caught.value.partial is None


def test_g24_a_partial_reply_is_checked_too() -> None:
    def check(reply: Years) -> list[int]:
        if len(reply.years) < 3:
            raise Rejected("too few")
        return reply.years

    with pytest.raises(CutReply) as caught:
        play(ask(ALL, check=check, texts="all"), [cut(1914, 1918)])
    assert caught.value.partial is None


def test_g24_json_that_ends_early_without_notice_is_asked_again() -> None:
    early = Reply('{"years": [1914, 1918, 19')
    assert play(ask(ALL, texts="all"), [early, {"years": [1]}]).result == Years(years=[1])
    with pytest.raises(CutReply) as caught:
        play(ask(ALL, attempts=2, texts="all"), [early, early])
    assert caught.value.partial == Years(years=[1914, 1918])


def years_of(texts):
    result = yield from ask(ALL, texts=" ".join(texts))
    return result.years


def test_g24_the_input_of_a_cut_reply_is_halved() -> None:
    replies = [cut(1), cut(1), {"years": [1]}, {"years": [2]}, {"years": [3, 4]}]
    played = play(ask_in_halves(years_of, ["a", "b", "c", "d"]), replies)
    assert played.result == [(["a"], [1], False), (["b"], [2], False), (["c", "d"], [3, 4], False)]
    assert [exchange.messages[-1].content for exchange in played.exchange] == [
        f"All years of {texts}" for texts in ("a b c d", "a b", "a", "b", "c d")
    ]


def test_g24_one_piece_that_is_cut_keeps_its_complete_items_and_is_marked() -> None:
    assert play(ask_in_halves(years_of, ["a"]), [cut(1914, 1918)]).result == [(["a"], Years(years=[1914, 1918]), True)]
    with pytest.raises(CutReply):
        play(ask_in_halves(years_of, ["a"]), [Reply("{", truncated=True)])


def test_a_whole_reply_is_not_halved() -> None:
    assert play(ask_in_halves(years_of, ["a", "b"]), [{"years": [1]}]).result == [(["a", "b"], [1], False)]


def test_an_empty_gather_has_no_results() -> None:
    assert play(gather([])).result == []


def test_results_come_in_order_and_gathers_nest() -> None:
    def year(event: str):
        return (yield from ask(WHEN, event=event)).year

    played = play(gather([gather([year("a"), year("b")]), gather([]), gather([year("c")])]), [{"year": n} for n in (1, 2, 3)])
    assert played.result == [[1, 2], [], [3]]


def test_a_forgotten_from_is_explained() -> None:
    def wrong():
        yield ask(WHEN, event="it")

    with pytest.raises(TypeError, match=r"by 'yield from'.*not generator"):
        play(wrong())


def test_what_is_no_step_is_refused() -> None:
    with pytest.raises(TypeError, match="run takes a step, such as"):
        Runner().run(years_of)


def test_a_blank_text_is_not_embedded() -> None:
    played = play(embed(["a king", "", " \n", "a king"]))
    assert [bool(row.any()) for row in played.result] == [True, False, False, True]
    assert played.spent.embedded == 1


def test_no_texts_give_no_vectors() -> None:
    assert play(embed([])).result.shape == (0, 64)
    assert play(rank("q", [])).result == []


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (lambda: ask(WHEN, event="it"), r"prompt 'when' needs a chat model, and this Runner has none: Runner\(chat=…\)"),
        (lambda: embed(["a"]), r"this Runner has no embedder: give one as Runner\(embedder=…\)"),
        (lambda: rank("q", ["a"]), r"this Runner has no reranker: give one as Runner\(reranker=…\)"),
    ],
)
def test_a_missing_model_is_told_with_the_remedy(step, told) -> None:
    with pytest.raises(ChronotopeError, match=told):
        Runner().run(step())


class Colour(Enum):
    RED = "red"


class Deep(BaseModel):
    name: str
    year: int
    weight: float
    sure: bool
    kind: Literal["point", "span"]
    colour: Colour
    inner: Year
    note: Annotated[str, Field(max_length=3)]
    maybe: int | None
    either: str | int
    table: dict[str, int]
    pair: tuple[int, ...]
    given: str = "given"
    several: list[Year] = Field(default_factory=list)


def test_a_dry_run_gets_the_emptiest_reply() -> None:
    runner = Runner()
    seen = []

    def step():
        seen.append((yield from ask(Prompt("deep", "1", "", "?", Deep))))

    runner.estimate(step())
    assert seen[0] == Deep.model_construct(
        name="",
        year=0,
        weight=0.0,
        sure=False,
        kind="point",
        colour=Colour.RED,
        inner=Year(year=0),
        note="",
        maybe=None,
        either="",
        table={},
        pair=(),
        given="given",
        several=[],
    )
