"""One value for how questions are understood, and one step from a question to what was found."""

from __future__ import annotations

import pytest

from chronotope.diachronic import PRESETS, Asking, DiachronicIndex, RetrievalSettings, build_index, retrieve
from chronotope.errors import TimeExpressionError
from chronotope.steps import Runner
from chronotope.temporal import TimeInterval
from chronotope.testing import HashEmbedder, ScriptedChat
from support_diachronic import passage

EMBEDDER = HashEmbedder()
QUESTION = "What did the mill do in 1990?"


@pytest.fixture
def index():
    made = [passage(f"The mill turned in {year}.", str(year), name=str(year)) for year in range(1988, 1993)]
    return Runner(embedder=EMBEDDER).run(build_index(made, embedder_id=EMBEDDER.model_id))


def ids(asking, index, question=QUESTION, chat=None, **options):
    return [hit.passage.id for hit in Runner(chat, EMBEDDER).run(asking.retrieve(index, question, **options)).hits]


def test_a_question_finds_what_the_plain_step_finds(index):
    runner = Runner(embedder=EMBEDDER)
    assert runner.run(Asking().retrieve(index, QUESTION)) == runner.run(retrieve(index, QUESTION))


@pytest.mark.parametrize("times", ["1988", TimeInterval.parse("1988"), ["1988"], ("1988", TimeInterval.parse("1988"))])
def test_a_given_time_replaces_what_the_words_say(index, times):
    assert ids(Asking(), index, times=times) == ids(Asking.of(times=times), index) == ["1988"]


def test_the_questions_own_time_goes_before_the_one_of_every_question(index):
    assert ids(Asking.of(times="1988"), index, times="1991") == ["1991"]
    assert ids(Asking(), index, "Reports written in 1990 about the mill", times="1991") == ["1991"]


def test_no_model_is_asked_about_a_given_time(index):
    chat = ScriptedChat([])
    assert ids(Asking(scope_mode="llm"), index, "After the fire?", chat, times="1989") == ["1989"]
    assert chat.calls == []


def test_a_model_helps_by_itself_where_there_is_one():
    assert (Asking.of(has_chat=True).scope_mode, Asking.of().scope_mode) == ("auto", "rules")
    assert Asking.of(has_chat=True, scope_mode="rules").scope_mode == "rules"


def test_settings_come_from_a_preset_or_are_given_and_k_and_fields_win():
    assert Asking.of("ta_rag", 3).settings == RetrievalSettings(k=3, anchors=12, lexical=0.0, coverage=False)
    own = RetrievalSettings(k=2, lexical=0.0)
    assert Asking.of(settings=own).settings == own
    assert Asking.of("ta_rag", 4, settings=own, decay=0.1).settings == RetrievalSettings(k=4, lexical=0.0, decay=0.1)
    assert Asking.of().settings == PRESETS["default"]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"preset": "best"}, ValueError),
        ({"k": 0}, ValueError),
        ({"time_filtr": "off"}, TypeError),
        ({"times": "someday"}, TimeExpressionError),
    ],
)
def test_what_cannot_be_is_refused(options, error):
    with pytest.raises(error):
        Asking.of(**options)


@pytest.mark.parametrize("question", ["", " \n", "\ufeff"])
def test_a_blank_question_finds_nothing_and_says_so(index, question):
    report = Runner(embedder=EMBEDDER).run(Asking().retrieve(index, question))
    assert (report.hits, [issue.kind for issue in report.issues]) == ((), ["blank_question"])


def test_an_empty_index_says_so():
    report = Runner(embedder=EMBEDDER).run(Asking().retrieve(DiachronicIndex(EMBEDDER.model_id), QUESTION))
    assert [issue.kind for issue in report.issues] == ["empty_index"]
