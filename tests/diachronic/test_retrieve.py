"""Retrieval that respects the asked time: filters, undated policies, anchors, quotas, and what it tells about itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from chronotope.diachronic import (
    PRESETS,
    DiachronicIndex,
    Retrieval,
    RetrievalSettings,
    build_index,
    query_variants,
    retrieve,
    retrieve_scoped,
)
from chronotope.models import Vectors
from chronotope.records import Passage
from chronotope.steps import Runner
from chronotope.testing import HashEmbedder, OverlapReranker, play
from support_diachronic import T, asked, corpora, is_undated, overlaps, passage, scopes


def built(*passages: Passage) -> DiachronicIndex:
    return play(build_index(passages, embedder_id="hash-64")).result


def names(found: Retrieval) -> list[str]:
    return [hit.passage.id for hit in found.hits]


def kinds(found: Retrieval) -> list[str]:
    return [issue.kind for issue in found.issues]


FILTERS = st.sampled_from(["cut", "boost", "off"])
POLICIES = st.sampled_from(["exclude", "include", "backfill"])


@examples(max_examples=40)
@given(corpora(), scopes(), FILTERS, POLICIES, st.booleans(), st.integers(1, 14))
def test_every_hit_is_a_different_passage_best_first_and_the_filter_holds(
    passages, scope, time_filter, undated, coverage, k
) -> None:
    settings = RetrievalSettings(k=k, time_filter=time_filter, undated=undated, coverage=coverage)
    found = play(retrieve_scoped(built(*passages), scope, settings=settings)).result
    assert len(set(names(found))) == len(found.hits) <= k
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    inside = [p for p in passages if overlaps(p, scope.times)]
    bare = [p for p in passages if is_undated(p)] if scope.times else []
    if time_filter == "cut":
        allowed = {p.id for p in inside} | ({p.id for p in bare} if undated != "exclude" else set())
        assert set(names(found)) <= allowed
        assert len(found.hits) == min(k, len(allowed)), "no place stays empty while something may take it"
        if undated == "backfill":
            assert sum(hit.in_scope for hit in found.hits) == min(k, len(inside)), "dated passages go first"
    else:
        assert len(found.hits) == min(k, len(passages))
    if time_filter != "off":
        assert {hit.passage.id for hit in found.hits if hit.in_scope} <= {p.id for p in inside}


@examples(max_examples=40)
@given(corpora(least=1), scopes(), POLICIES)
def test_undated_hits_are_counted_under_every_policy(passages, scope, undated) -> None:
    found = play(retrieve_scoped(built(*passages), scope, settings=RetrievalSettings(k=5, undated=undated))).result
    count, shown = sum(map(is_undated, passages)), sum(is_undated(hit.passage) for hit in found.hits)
    told = [issue.message for issue in found.issues if issue.kind == "undated"]
    if scope.times and count:
        left_out = "left out (undated='include' would let them compete)"
        assert told == [f"without a time: {count}, {left_out if undated == 'exclude' else f'{shown} shown (undated={undated!r})'}"]
    else:
        assert told == []


@examples(max_examples=40)
@given(corpora(least=1), scopes())
def test_coverage_is_the_share_of_sub_periods_that_could_be_filled(passages, scope) -> None:
    found = play(retrieve_scoped(built(*passages), scope, settings=RetrievalSettings(k=3))).result
    if found.coverage is None:
        return
    assert 0.0 <= found.coverage.share <= 1.0
    for period, available, filled in zip(found.coverage.periods, found.coverage.available, found.coverage.filled, strict=True):
        inside = [p for p in passages if overlaps(p, scope.times)]
        assert available == any(told.overlaps(period) for p in inside for told in p.told_times)
        assert filled == any(told.overlaps(period) for hit in found.hits for told in hit.passage.told_times)


YEARS = [passage("the harbour grew", str(year), name=str(year)) for year in range(2009, 2017)]


def test_two_windows_in_one_question_keep_both_years_and_nothing_between() -> None:
    found = play(retrieve(built(*YEARS), "How did the harbour grow in 2010 and 2015?")).result
    assert sorted(names(found)) == ["2010", "2015"]
    assert found.scope.core == "How did the harbour grow?"


@pytest.mark.parametrize(
    ("when", "years"),
    [
        ("before 2011", {"2009", "2010"}),
        ("after 2014", {"2015", "2016"}),
        ("since 2015", {"2015", "2016"}),
        ("between 2010 and 2012", {"2010", "2011", "2012"}),
        ("in 2010 or 2012", {"2010", "2012"}),
        ("from 2010 to 2014 but not in 2012", {"2010", "2011", "2013", "2014"}),
        ("in May 2012", {"2012"}),
    ],
)
def test_a_question_gets_exactly_the_years_that_it_asks_for(when: str, years: set[str]) -> None:
    assert set(names(play(retrieve(built(*YEARS), f"How did the harbour grow {when}?")).result)) == years


def test_an_undated_chunk_is_left_out_let_in_or_given_the_empty_places() -> None:
    index = built(
        passage("the mill in 2019", "2019", name="a"), passage("the mill in 2021", "2021", name="b"), passage("the mill", name="u")
    )
    for undated, expected in (("exclude", ["b"]), ("include", ["u", "b"]), ("backfill", ["b", "u"])):
        found = play(retrieve(index, "What of the mill in 2021?", settings=RetrievalSettings(undated=undated, lexical=0.0))).result
        assert names(found) == expected, undated
        assert kinds(found) == ["undated"]


def test_backfill_never_shows_a_passage_twice_when_nothing_was_asked_of_time() -> None:
    index = built(passage("the mill", name="u"), passage("the mill burnt", "1990", name="a"))
    for time_filter in ("cut", "boost", "off"):
        settings = RetrievalSettings(undated="backfill", time_filter=time_filter)  # type: ignore[arg-type]
        assert sorted(names(play(retrieve(index, "What of the mill?", settings=settings)).result)) == ["a", "u"]
        if time_filter != "cut":
            assert sorted(names(play(retrieve(index, "What of the mill in 1990?", settings=settings)).result)) == ["a", "u"]


def test_an_empty_window_says_so_and_is_never_replaced_by_an_unfiltered_search() -> None:
    found = play(retrieve(built(*YEARS), "How did the harbour grow in 1850?")).result
    assert (found.hits, kinds(found)) == ((), ["empty_window"])
    assert "1850" in found.issues[0].message
    assert "2009/2016" in found.issues[0].message


def test_a_corpus_without_dates_says_so_for_a_dated_question_and_serves_an_undated_one() -> None:
    index = built(passage("the mill", name="a"), passage("the river", name="b"))
    dated = play(retrieve(index, "What of the mill in 1990?")).result
    assert (dated.hits, sorted(kinds(dated))) == ((), ["empty_window", "undated"])
    assert "no time at all" in dated.issues[0].message
    assert names(play(retrieve(index, "What of the mill?")).result) == ["a", "b"]


def test_a_relative_question_without_a_day_to_count_from_is_reported_and_limits_nothing() -> None:
    found = play(retrieve(built(*YEARS), "How did the harbour grow last year?")).result
    assert (len(found.hits), kinds(found)) == (8, ["unresolved_time"])
    assert names(play(retrieve(built(*YEARS), "How did the harbour grow last year?", today="2016-02-01")).result) == ["2015"]


def test_more_places_than_passages_are_no_fault() -> None:
    assert len(play(retrieve(built(*YEARS), "the harbour?", settings=RetrievalSettings(k=1_000))).result.hits) == 8


def test_quotas_give_quiet_years_a_place() -> None:
    loud = [passage("harbour harbour harbour", "2011", name=f"loud{number}") for number in range(6)]
    quiet = [passage("a harbour and a mill", "2013", name="quiet"), passage("one harbour by the river", "2015", name="last")]
    index = built(*loud, *quiet)
    shared = play(retrieve(index, "harbour from 2011 to 2016", settings=RetrievalSettings(k=3, lexical=0.0, decay=0.0))).result
    assert {"quiet", "last"} < set(names(shared))
    assert shared.coverage is not None
    assert shared.coverage.share_of_available == 1.0
    plain = play(retrieve(index, "harbour from 2011 to 2016", settings=RetrievalSettings(k=3, lexical=0.0, coverage=False))).result
    assert all(name.startswith("loud") for name in names(plain))
    assert plain.coverage is not None
    assert plain.coverage.missing != ()


def test_boost_raises_what_overlaps_and_drops_nothing() -> None:
    index = built(passage("the mill", "1990", name="old"), passage("the mill", "2010", name="new"))
    settings = RetrievalSettings(time_filter="boost", boost=0.25, coverage=False)
    hits = {hit.passage.id: hit for hit in play(retrieve(index, "What of the mill in 2010?", settings=settings)).result.hits}
    assert hits["new"].score - hits["old"].score == pytest.approx(0.25)
    assert (hits["new"].in_scope, hits["old"].in_scope) == (True, False)


class Recording(HashEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, ...]] = []

    def embed(self, texts, *, kind="passage") -> Vectors:
        if kind == "query":
            self.asked.append(tuple(texts))
        return super().embed(texts, kind=kind)


def test_the_preset_of_the_paper_averages_dated_variants_of_the_core() -> None:
    index = built(passage("harbour in january 2011", "2011-01", name="jan"), passage("harbour in may 2011", "2011-05", name="may"))
    embedder = Recording()
    found = Runner(embedder=embedder).run(retrieve(index, "Who ran the harbour in 2011?", settings=PRESETS["ta_rag"]))
    variants = embedder.asked[0]
    # the corpus spans January to May 2011, so these five months are the anchors
    assert variants == tuple(f"In {month} 2011, Who ran the harbour?" for month in ("January", "February", "March", "April", "May"))
    mean = embedder.embed(variants).mean(axis=0)
    mean /= np.linalg.norm(mean)
    dense = embedder.embed(["harbour in january 2011", "harbour in may 2011"]) @ mean
    assert names(found) == [["jan", "may"][row] for row in np.argsort(-dense)]


@pytest.mark.parametrize(
    ("times", "limit", "variants"),
    [
        (["1990/1999"], 3, ["In 1990, Who?", "In 1994, Who?", "In 1999, Who?"]),
        (["2011-03"], 2, ["On 1 March 2011, Who?", "On 31 March 2011, Who?"]),
        (["2011"], 0, ["Who?"]),
        ([], 12, ["Who?"]),
    ],
)
def test_anchors_are_one_grain_finer_than_the_asked_span(times, limit, variants) -> None:
    assert query_variants("Who?", [T(time) for time in times], limit) == variants


@pytest.mark.parametrize("undated", ["exclude", "include"])
def test_a_reranker_orders_the_best_candidates_and_keeps_them_above_the_rest(undated) -> None:
    index = built(
        passage("mill mill mill", "1990", name="words"),
        passage("who ran the old mill", "1990", name="answer"),
        passage("a ship", "1990", name="rest"),
    )
    for time_filter in ("cut", "boost"):
        settings = RetrievalSettings(rerank=2, undated=undated, time_filter=time_filter, boost=3.0, coverage=False)  # type: ignore[arg-type]
        found = play(retrieve(index, "Who ran the old mill in 1990?", settings=settings), reranker=OverlapReranker()).result
        assert names(found) == ["answer", "words", "rest"]


def test_a_reranker_is_not_asked_about_nothing() -> None:
    found = play(retrieve(built(*YEARS), "the harbour in 1850?", settings=RetrievalSettings(rerank=5)))
    assert (found.result.hits, found.spent.ranked) == ((), 0)


@pytest.mark.parametrize(
    "wrong",
    [{"k": 0}, {"k": -1}, {"lexical": 1.5}, {"lexical": -0.1}, {"lexical": float("nan")}, {"decay": 2}, {"anchors": -1},
     {"periods": 0}, {"rerank": -1}, {"boost": -1}, {"time_filter": "maybe"}, {"undated": "perhaps"}],
)  # fmt: skip
def test_settings_out_of_range_are_refused_by_name(wrong) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        RetrievalSettings(**wrong)


async def test_both_drivers_agree_and_searching_changes_nothing() -> None:
    index = built(*YEARS)
    runner = Runner(embedder=HashEmbedder())
    step = lambda: retrieve(index, "How did the harbour grow between 2010 and 2012?")
    first = runner.run(step())
    assert first == runner.run(step()) == await runner.arun(step())
    assert index.passages == tuple(YEARS)


@pytest.mark.parametrize("blank", ["", " \n"])
def test_a_blank_question_finds_nothing_and_embeds_nothing(blank: str) -> None:
    index = built(*YEARS)
    for played in (play(retrieve(index, blank)), play(retrieve_scoped(index, asked(blank, "2010")))):
        assert (played.result.hits, kinds(played.result), played.spent.embedded) == ((), ["blank_question"], 0)


def test_an_understood_question_prints_what_was_understood() -> None:
    found = play(retrieve_scoped(built(*YEARS), asked("harbour", "2010/2012"))).result
    # three years are 36 months, cut into the 20 sub-periods that the settings allow
    assert repr(found) == "<Retrieval 'harbour' in 2010/2012: 3 hits, coverage 20 of 20 sub-periods (100%), 0 issues>"


def test_a_passage_is_found_by_its_date_of_writing_although_its_words_name_another_year() -> None:
    index = built(passage("The mayor opened the bridge. It was begun in 1890.", "1890", published="1999-03-04", name="bridge"))
    for question in ("Who opened the bridge in 1999?", "Who began the bridge in 1890?"):
        assert names(play(retrieve(index, question)).result) == ["bridge"]
    assert names(play(retrieve(index, "Who opened the bridge in 1950?")).result) == []


def test_coverage_counts_the_whole_asked_time_beyond_what_the_corpus_spans() -> None:
    index = built(passage("harbour", "1995", name="a"), passage("harbour", "1996", name="b"))
    whole = RetrievalSettings(periods=11)
    found = play(retrieve(index, "harbour from 1990 to 2000", settings=whole)).result
    assert str(found.coverage) == "2 of 11 sub-periods (the corpus speaks of 2)"
    nothing = play(retrieve(index, "harbour from 1960 to 1970", settings=whole)).result
    assert str(nothing.coverage) == "none of 11 sub-periods: the corpus has nothing there"
