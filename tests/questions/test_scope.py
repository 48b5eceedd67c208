"""From question to scope: rules first, the model only where rules fail, and the question's own words over the model's."""

from __future__ import annotations

import pytest

from chronotope.questions import ScopedQuestion, scope
from chronotope.steps import Runner
from chronotope.temporal.interval import TimeInterval
from chronotope.testing import ScriptedChat, play

OPEN = "What did Obama say about Syria after he became president?"


def times(result: ScopedQuestion) -> list[str]:
    return [str(time) for time in result.scope.times]


def kinds(result: ScopedQuestion) -> list[str]:
    return [issue.kind for issue in result.issues]


def test_an_explicit_date_asks_no_model() -> None:
    result = play(scope("What did Obama say about Syria in 2013?")).result
    assert (result.scope.core, times(result), result.issues) == ("What did Obama say about Syria?", ["2013"], ())


def test_rules_say_which_clause_they_cannot_place() -> None:
    result = play(scope(OPEN, mode="rules")).result
    assert (times(result), kinds(result)) == ([], ["unresolved_time"])
    assert "'after he became president'" in result.issues[0].message


def test_a_clause_that_rules_cannot_place_goes_to_the_model_fenced_as_data() -> None:
    reply = {"core": "What did Obama say about Syria?", "intervals": [{"start": "2009-01-20", "end": None}]}
    played = play(scope(OPEN, today="2015-06-01"), [reply])
    assert played.result.scope.core == "What did Obama say about Syria?"
    assert times(played.result) == ["2009-01-20/.."]
    assert (played.result.scope.unresolved, played.result.issues) == ((), ())
    sent = played.exchange[0].messages[-1].content
    assert f"<question>\n{OPEN}\n</question>" in sent
    assert "2015-06-01" in sent


def test_the_model_may_not_turn_before_into_a_lower_bound() -> None:
    reply = {"core": "Which videos came out?", "intervals": [{"start": "2024-01-01", "end": None}]}
    result = play(scope("Which videos came out before 2024 while she was abroad?"), [reply]).result
    assert times(result) == ["../2023"]
    assert kinds(result) == ["scope_conflict"]


def test_in_llm_mode_the_words_of_the_question_still_win() -> None:
    reply = {"core": "Which videos came out?", "intervals": [{"start": "2024", "end": None}]}
    result = play(scope("Which videos came out before 2024?", mode="llm"), [reply]).result
    assert times(result) == ["../2023"]


def test_an_unusable_date_is_answered_with_the_reason() -> None:
    bad = {"core": "What did Obama say about Syria?", "intervals": [{"start": "inauguration", "end": None}]}
    inverted = {"core": "What did Obama say about Syria?", "intervals": [{"start": "2017", "end": "2009"}]}
    good = {"core": "What did Obama say about Syria?", "intervals": [{"start": "2009", "end": None}]}
    played = play(scope(OPEN), [bad, inverted, good])
    assert times(played.result) == ["2009/.."]
    assert "'inauguration' is not a time" in played.exchange[1].messages[-1].content
    assert "ends before it starts" in played.exchange[2].messages[-1].content


def test_a_model_that_never_answers_well_leaves_the_rules_reading_and_two_issues() -> None:
    result = play(scope(OPEN), ["I cannot."] * 3).result
    assert (result.scope.core, times(result)) == (OPEN, [])
    assert kinds(result) == ["unresolved_time", "reply_refused"]


def test_a_model_that_places_nothing_leaves_the_clause_reported() -> None:
    result = play(scope(OPEN), [{"core": OPEN, "intervals": []}]).result
    assert kinds(result) == ["unresolved_time"]
    assert [clause.text for clause in result.scope.unresolved] == ["after he became president"]


def test_relative_times_stay_unresolved_without_a_day_to_count_from() -> None:
    question = "Who led the bank last year?"
    assert kinds(play(scope(question, mode="rules")).result) == ["unresolved_time"]
    assert times(play(scope(question, mode="rules", today="2015-06-01")).result) == ["2014"]


def test_when_written_and_when_it_happened_are_told_apart() -> None:
    result = play(scope("Which reports written in 2018 are about 2015?")).result
    assert times(result) == ["2015"]
    assert [str(time) for time in result.scope.published_times] == ["2018"]


def test_the_models_copy_of_the_date_of_writing_does_not_become_the_time_of_the_events() -> None:
    reply = {"core": "What do letters say of cotton?", "intervals": [{"start": "1861", "end": "1861"}]}
    result = play(scope("letters from 1861 about cotton", mode="llm"), [reply]).result
    assert times(result) == []
    assert [str(time) for time in result.scope.published_times] == ["1861"]


@pytest.mark.parametrize("mode", ["rules", "auto", "llm"])
@pytest.mark.parametrize("blank", ["", " \n"])
def test_a_blank_question_asks_nobody(blank: str, mode: str) -> None:
    result = play(scope(blank, mode=mode)).result  # type: ignore[arg-type]
    assert (times(result), result.issues) == ([], ())


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="rules, auto or llm"):
        play(scope("Who?", mode="magic"))  # type: ignore[arg-type]


async def test_both_drivers_agree() -> None:
    reply = {"core": "What did Obama say?", "intervals": [{"start": "2009", "end": "2016"}]}
    driven = Runner(ScriptedChat([reply])).run(scope(OPEN))
    awaited = await Runner(ScriptedChat([reply])).arun(scope(OPEN))
    assert driven == awaited
    assert driven.scope.times == (TimeInterval.parse("2009/2016"),)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Wer leitete die Bank zwischen 1990 und 1995?", True),
        ("Qui dirigeait la banque entre 1990 et 1995 ?", True),
        ("Who led the bank between 1990 and 1995?", False),
        ("1990年谁领导银行？", False),
        ("Apollo 1969", False),
    ],
)
def test_a_question_in_a_language_that_rules_do_not_read_goes_to_the_model(question, asked) -> None:
    reply = {"core": "Who led the bank?", "intervals": [{"start": "1990", "end": "1995"}]}
    played = play(scope(question, mode="auto"), [reply] if asked else [])
    assert len(played.exchange) == int(asked)
    if asked:
        assert [str(time) for time in played.result.scope.times] == ["1990/1995"]
