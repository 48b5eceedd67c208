"""What is retrieved as passages with coordinates, and the context that such passages make."""

from __future__ import annotations

import pytest

from chronotope.records import Hit, Passage
from chronotope.slices.documents.from_passages import asked_of, context_of, found_hits, is_fact, issues_of, opening_of
from chronotope.slices.documents.told import ingest_given
from chronotope.slices.fact import Fact
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.retrieve.retrieval_settings import SliceSettings
from chronotope.slices.retrieve.retrieve import retrieve_slice
from chronotope.steps import Runner
from chronotope.testing import HashEmbedder
from chronotope.tokens import count_tokens
from support_told_story import FACTS, STORY, WEDDING

RUNNER = Runner(None, HashEmbedder())


def retrieved(question, facts=FACTS, **options):
    index = StoryIndex(HashEmbedder().model_id)
    RUNNER.run(ingest_given(facts, [Passage(STORY, source_id="story", char_start=0, char_end=len(STORY))], index))
    return RUNNER.run(retrieve_slice(index, question, settings=SliceSettings(**options)))


@pytest.fixture(scope="module")
def found():
    return retrieved("How is Mara Quist connected with Tom Rask?")


def test_scores_never_rise_and_the_order_is_that_of_the_trace(found):
    hits = found_hits(found, passages=True)
    assert [hit.passage.id for hit in hits] == [*(one.fact.id for one in found.trace), *(hit.passage.id for hit in found.passages)]
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len(found_hits(found)) == len(found.trace)


def test_a_fact_has_statement_coordinates_and_what_was_asked(found):
    hits = found_hits(retrieved("Whom did Ann Lee marry in chapter 2?"), passages=True)
    (wedding,) = [hit.passage for hit in hits if hit.passage.text == WEDDING]
    assert wedding.metadata["statement"] == "Ann Lee — married to — Tom Rask"
    assert "chapter 2" in str(wedding.metadata["coordinates"])
    assert "2" in asked_of(hits)
    assert [is_fact(hit.passage) for hit in hits] == [True] * (len(hits) - 1) + [False]
    assert asked_of(()) == ""


def test_a_chain_between_the_asked_is_shown_whole_or_not_at_all(found):
    hits = found_hits(found)
    chain = [hit.passage.id for hit in hits if "1" in str(hit.passage.metadata.get("chains", "")).split("; ")]
    assert len(chain) >= 3
    for budget in range(1, 400, 7):
        shown = {item.passage.id for item in context_of(hits, budget_tokens=budget).evidence}
        assert shown.issuperset(chain) or shown.isdisjoint(chain) or len(shown) == 1


@pytest.mark.parametrize("budget", [1, 30, 80, 200, 1_000])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_what_is_shown_fits_and_what_is_not_is_counted(found, budget, share):
    hits = found_hits(found, passages=True)
    context = context_of(hits, budget_tokens=budget, passage_share=share)
    assert context.evidence
    assert len(context.evidence) == 1 or count_tokens(context.text) <= budget
    offered = [hit for hit in hits if is_fact(hit.passage) == (share == 0)] if share in (0, 1) else hits
    assert bool(context.issues) == (len(context.evidence) < len(offered))


def test_facts_and_passages_are_numbered_apart(found):
    marks = [item.mark for item in context_of(found_hits(found, passages=True), budget_tokens=5_000).evidence]
    assert marks == [*(str(number) for number in range(1, len(marks))), "P1"]


def test_passages_of_a_plain_store_stand_where_their_metadata_says():
    hits = [
        Hit(Passage("She came.", id="a", metadata={"chapter": 3, "place": "Alder"}), 1.0),
        Hit(Passage("She left.", id="b", metadata={"chapter": "The letter"}), 0.5),
        Hit(Passage("Nobody knew.", id="c"), 0.1),
    ]
    assert [item.when for item in context_of(hits).evidence] == ["chapter 3; in Alder", "The letter", ""]


def test_a_passage_that_comes_twice_is_shown_once():
    hit = Hit(Passage("She came.", id="a"), 1.0)
    assert len(context_of([hit, hit]).evidence) == 1


def test_a_fact_outside_the_asked_is_told_as_such():
    hits = found_hits(retrieved("Whom did Ann Lee marry in chapter 2?", scope="boost"))
    outside = [hit for hit in hits if not hit.in_scope]
    assert outside
    inside = next(hit for hit in hits if hit.in_scope)
    assert all(str(hit.passage.metadata["coordinates"]) != str(inside.passage.metadata["coordinates"]) for hit in outside)


@pytest.mark.parametrize("options", [{"budget_tokens": 0}, {"passage_share": -0.1}, {"passage_share": 1.5}])
def test_a_number_out_of_its_range_is_an_error(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        context_of((), **options)


def test_without_anything_there_is_no_context():
    assert context_of(()).evidence == ()
    assert Fact(subject="Ann", relation="died").passage().metadata["statement"] == "Ann — died"


def test_what_the_search_had_to_say_travels_with_every_fact():
    found = retrieved("Whom did Ann Lee marry in chapter 42?")
    hits = found_hits(found)
    assert found.issues
    for hit in hits:
        assert issues_of([hit]) == found.issues
    assert issues_of(hits) == found.issues
    assert issues_of(()) == ()


def test_the_answer_by_name_is_for_the_question_that_was_asked_and_rests_on_facts_among_the_hits():
    question = "Whom did Ann Lee serve?"
    hits = found_hits(retrieved(question))
    ((name, facts),) = opening_of(hits, question).parts
    assert name == "Tom Rask"
    assert [hit.passage.text for hit in hits if hit.passage.id in facts] == ["Ann Lee served Tom Rask."]
    assert opening_of(hits, "Whom did Otto Lang serve?").parts == ()
    assert opening_of([hit for hit in hits if hit.passage.id not in facts], question).parts == ()


def test_hits_of_two_searches_tell_what_both_had_to_say_once_each():
    one, other = retrieved("Whom did Ann Lee marry in chapter 42?"), retrieved("Whom did Ann Lee meet in chapter 43?")
    told = issues_of([*found_hits(one), *found_hits(other)])
    assert {*told} == {*one.issues, *other.issues}
    assert len(told) == len({*told})


def test_facts_that_come_first_do_so_under_any_budget(found):
    hits = found_hits(found)
    last = hits[-1].passage.id
    for budget in (1, 60, 3_000):
        assert context_of(hits, budget_tokens=budget, first=[last]).evidence[0].passage.id == last
    assert context_of(hits, first=["unknown"]) == context_of(hits)
