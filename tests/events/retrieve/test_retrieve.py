"""Retrieval of events on a story of twelve, with worked answers, and the laws that hold on any world."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.events import PRESETS, EventRetrievalSettings, EventWeights, join, retrieve_events, retrieve_events_scoped
from chronotope.testing import HashEmbedder, play
from support_event_index import T, asked, built, event, scopes, story, worlds

WORDS = EventWeights(words=1.0, passage_vectors=0.2)  # hashed vectors know no meaning, so that words must tell here
WORDY = EventRetrievalSettings(weights=WORDS)
CUT = EventRetrievalSettings(time_filter="cut", undated="exclude", weights=WORDS)
OFF = EventRetrievalSettings(time_filter="off", weights=EventWeights(time=0))


def ask(question: str, options: EventRetrievalSettings = PRESETS["default"], **more):
    events, passages = story()
    return play(retrieve_events(built(events, passages), question, settings=options, **more)).result


def texts(result) -> list[str]:
    return [one.event.text for one in result.trace]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Who managed the Alder mill in 1875?", "From 1872 to 1880 Tom Reed"),
        ("Who managed the Alder mill in 1885?", "After that, Ida Cole"),
        ("Who founded the Alder mill before 1870?", "In 1868 Ann Lee"),
        ("Where did Ann Lee study in 1860?", "Ann Lee studied in Leeds"),
        ("Where did Ann Lee die after 1890?", "In 1895 Ann Lee died"),
    ],
)
@pytest.mark.parametrize("options", [WORDY, CUT])
def test_the_event_of_the_asked_time_comes_first(question, first, options) -> None:
    assert texts(ask(question, options))[0].startswith(first)


def test_two_windows_in_one_question_find_both_and_nothing_between() -> None:
    """Field report G7."""
    found = texts(ask("What happened to the Alder mill in 1871 or 1890?", CUT))
    assert any(text.startswith("In May 1871") for text in found)
    assert any(text.startswith("In 1890") for text in found)
    assert not any("Tom Reed" in text or "1881" in text for text in found if "1890" not in text)


UNDATED = [
    event("The mill burnt in 2019.", "2019", name="old"),
    event("The mill burnt in 2021.", "2021", name="new"),
    event("The mill burnt again.", "~2021", name="hinted"),
    event("The mill burnt twice.", name="blank"),
    event("The mill stands by the river.", "static", name="fact"),
]


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        ("exclude", {"new", "fact"}),
        ("hint", {"new", "fact", "hinted"}),
        ("include", {"new", "fact", "hinted", "blank"}),
        ("backfill", {"new", "fact", "hinted", "blank"}),
    ],
)
def test_what_becomes_of_undated_events_is_a_policy_and_is_told(policy, kept) -> None:
    """Field report S7."""
    options = replace(CUT, undated=policy)
    found = play(retrieve_events(built(UNDATED), "When did the mill burn in 2021?", settings=options)).result
    assert {one.event.id for one in found.trace} == kept
    (issue,) = (one for one in found.issues if one.kind == "undated")
    assert "without a time: 2" in issue.message
    assert f"{len(kept & {'hinted', 'blank'})} shown" in issue.message
    if policy == "backfill":
        assert {one.event.id for one in found.trace[-2:]} == {"hinted", "blank"}


def test_a_boost_keeps_what_lies_outside_but_ranks_it_lower() -> None:
    found = play(retrieve_events(built(UNDATED), "When did the mill burn in 2021?")).result
    assert {one.event.id for one in found.trace} == {one.id for one in UNDATED}
    order = [one.event.id for one in found.trace]
    assert order.index("new") < order.index("old")
    assert {one.event.id: one.in_scope for one in found.trace} == {
        "old": False,
        "new": True,
        "hinted": False,
        "blank": False,
        "fact": True,
    }
    assert [one.event.id for one in found.trace if one.hinted] == ["hinted"]


RULE = [
    event("The notice period is 180 days.", "2015-01/2023-03", name="old", source="law"),
    event("The notice period was amended to 270 days.", "2023-04/..", name="new", source="law"),
]


@pytest.mark.parametrize(("question", "first"), [("in 2020", "old"), ("in 2024", "new")])
def test_a_rule_and_its_amendment_are_told_by_their_times(question, first) -> None:
    """Field report G37."""
    found = play(retrieve_events(built(RULE), f"How long was the notice period {question}?", settings=CUT)).result
    assert [one.event.id for one in found.trace] == [first]
    both = play(retrieve_events(built(RULE), "How long is the notice period?")).result
    assert [entry.event.id for entry in both.timeline.dated] == ["old", "new"]
    assert "[2023-04/..]" in both.timeline.render()


def test_what_was_decided_can_be_read() -> None:
    found = ask("Who managed the Alder mill in 1875?", replace(PRESETS["default"], seeds=2, weights=EventWeights(visits=0.5)))
    assert sum(one.is_seed for one in found.trace) == 2
    assert all(one.visits >= 5 for one in found.trace if one.is_seed)
    visited = [one for one in found.trace if one.visits]
    assert len(visited) > 2
    for one in found.trace:
        assert one.score == pytest.approx(sum(one.reasons.values()), abs=1e-4)
    best = max(one.visits for one in found.trace)
    assert next(one for one in found.trace if one.visits == best).reasons["visits"] == pytest.approx(0.5)


def test_walks_raise_what_is_joined_to_the_seeds() -> None:
    """Ann's second deed shares no word with the question, only her with the first."""
    events = [
        event("Ann founded the Alder mill.", "1868", name="seed", names=["Ann"]),
        event("She sold all shares.", "1869", name="joined", names=["Ann"]),
        event("Bob sang.", "1869", name="stranger", names=["Bob"]),
    ]
    walked = EventRetrievalSettings(seeds=1, weights=EventWeights(visits=0.5))
    question = "Who founded the Alder mill?"
    order = [one.event.id for one in play(retrieve_events(built(events), question, settings=walked)).result.trace]
    assert order.index("joined") < order.index("stranger")
    still = play(retrieve_events(built(events), question, settings=replace(walked, seeds=0))).result
    assert not any(one.visits or one.is_seed for one in still.trace)


def test_passages_come_along_best_first_and_know_their_events() -> None:
    found = ask("Who managed the Alder mill in 1875?", WORDY)
    assert "Tom Reed" in found.passages[0].passage.text
    assert found.homes[found.trace[0].event.id] == found.passages[0].passage.id
    scores = [hit.score for hit in found.passages]
    assert scores == sorted(scores, reverse=True)
    assert len(ask("Who managed the Alder mill in 1875?", EventRetrievalSettings(passages=1)).passages) == 1


def test_a_reranker_is_asked_only_with_a_depth_and_its_order_leads() -> None:
    events = [event("Stage one was opened.", "1901", name="a"), event("Was who opened stage two in 1901?", "1902", name="b")]
    question = "Who opened stage two?"
    plain = play(retrieve_events(built(events), question))
    assert plain.spent.ranked == 0
    ranked = play(retrieve_events(built(events), question, settings=EventRetrievalSettings(rerank=2)))
    assert ranked.spent.ranked == 2
    assert ranked.result.trace[0].event.id == "b"
    assert ranked.result.trace[0].reasons["rerank"] != 0


@pytest.mark.parametrize("lam", [0.0, 0.5, 2.0])
def test_the_paper_s_preset_scores_by_the_joined_vectors_of_equation_8(lam) -> None:
    events, _ = story()
    index = built(events)
    weights = replace(PRESETS["dyg_rag"].weights, time=lam, visits=0)
    options = replace(PRESETS["dyg_rag"], weights=weights)
    scope = asked("Who managed the Alder mill?", "1875")
    found = play(retrieve_events_scoped(index, scope, settings=options)).result
    vectors = HashEmbedder().embed([index.event_shelf.titled(one) for one in events])
    question = HashEmbedder().embed([scope.question], kind="query")
    times = index.time_similarities(scope.times)
    joined = join(vectors, times[:, None]) @ join(question, [[1.0]], weight=lam)[0]
    assert {one.event.id: one.score for one in found.trace} == pytest.approx(
        {one.id: float(score) for one, score in zip(events, joined, strict=True)}, abs=1e-5
    )


@settings(max_examples=12, deadline=None)
@given(worlds(), scopes(), st.sampled_from(["cut", "boost", "off"]), st.integers(0, 3))
def test_one_seed_gives_one_result_and_a_cut_keeps_what_overlaps(events, scope, filtered, seed) -> None:
    index = built(events)
    options = EventRetrievalSettings(time_filter=filtered, undated="exclude", seed=seed, weights=EventWeights(visits=0.3))
    first, second = (play(retrieve_events_scoped(index, scope, settings=options)).result for _ in range(2))
    assert first == second
    kept = {one.event.id for one in first.trace}
    overlapping = {
        one.id for one in events if one.static or any(time.overlaps(wanted) for time in one.times for wanted in scope.times)
    }
    whole = {one.id for one in events}
    assert kept == (overlapping if filtered == "cut" and scope.times else whole)
    assert {entry.event.id for entry in first.timeline.entries} == kept
    assert [hit.score for hit in first.hits] == sorted((hit.score for hit in first.hits), reverse=True)


def test_a_blank_question_and_an_empty_index_find_nothing_and_say_so() -> None:
    assert [issue.kind for issue in ask("  ").issues] == ["blank_question"]
    nothing = play(retrieve_events(built([]), "Who?")).result
    assert ([issue.kind for issue in nothing.issues], nothing.hits) == (["empty_index"], ())


@pytest.mark.parametrize("options", [CUT, WORDY, OFF, PRESETS["dyg_rag"]])
def test_an_asked_time_without_events_is_told(options) -> None:
    found = ask("Who managed the Alder mill in 1750?", options)
    assert [issue.kind for issue in found.unmet] == ["empty_window"]
    assert "1750" in found.unmet[0].message
    assert found.unmet[0] in found.issues
    assert ask("Who managed the Alder mill in 1875?", options).unmet == ()


def test_arguments_of_another_kind_are_refused_with_the_fix() -> None:
    index = built(*story())
    with pytest.raises(TypeError, match=r"index must be an EventIndex, not str; the index comes first"):
        play(retrieve_events("Who?", index))
    with pytest.raises(TypeError, match=r'not \'dyg_rag\'; use PRESETS\["dyg_rag"\]'):
        play(retrieve_events(index, "Who?", settings="dyg_rag"))
    with pytest.raises(TypeError, match="question must be a str, not int"):
        play(retrieve_events(index, 3))


def test_weights_may_be_a_dict_and_a_strange_one_is_refused() -> None:
    assert EventRetrievalSettings(weights={"words": 1.0, "time": 0}).weights == EventWeights(words=1.0, time=0)
    with pytest.raises(TypeError, match="no weight 'wrods'; there are vectors, words"):
        EventRetrievalSettings(weights={"wrods": 1.0})
    with pytest.raises(TypeError, match=r"weights must be EventWeights.*float"):
        EventRetrievalSettings(weights=0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time_filter": "hard"}, "time_filter.*'hard'"),
        ({"undated": "guess"}, "undated.*'guess'"),
        ({"k": 0}, "k must.*0"),
        ({"walks": 0}, "walks must.*0"),
        ({"restart": 1.0}, "restart.*1.0"),
    ],
)
def test_settings_out_of_range_are_refused(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        EventRetrievalSettings(**options)


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(ValueError, match=r"weight words.*-1"):
        EventWeights(words=-1)


def test_a_question_about_the_date_of_writing_is_limited_by_it() -> None:
    events = [event("The mill burnt.", name="a", published="1871-06"), event("The mill burnt.", name="b", published="1880")]
    found = play(retrieve_events_scoped(built(events), asked("mill", published=["1880"]), settings=CUT)).result
    assert [one.event.id for one in found.trace] == ["b"]
    assert str(T("1880")) in found.timeline.render()
