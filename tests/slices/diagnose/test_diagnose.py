"""Every failure is laid on one stage, the first that lost the answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.records import Answer, Hit, Passage
from chronotope.slices.answer.context import slice_context
from chronotope.slices.diagnose.diagnose import AnswerTrace, Gold, Span, diagnose, diagnose_all
from chronotope.slices.diagnose.evidence_parts import Telling
from chronotope.slices.diagnose.matching import plain, says
from chronotope.slices.graph import build_graph
from chronotope.slices.retrieve.retrieve import FoundFact, SliceRetrieval
from chronotope.slices.scope import StoryScope
from chronotope.temporal.interval import Interval
from support_cast import ONTOLOGY, told

WARNED, FLED = "Mara warned Otto at the gate that night.", "Otto fled to the Mill before dawn."
FACTS = (
    told("Mara | tells | Otto", 3, "n", place="the Gate", quote=WARNED, char_start=10, char_end=50),
    told("Otto | is_in | the Mill", 4, "n", quote=FLED, char_start=60, char_end=95),
)
GRAPH = build_graph(FACTS, ontology=ONTOLOGY)
GOLD = Gold(answers=("Mara Quist", "Mara"), evidence=(WARNED,), category="time", chapters=(Interval(3, 4),))


def trace(*, asked=((3, 4),), cut=None, found=(0,), shown=(0,), answer="Nobody knows.", places=(), passages=()):
    scope = StoryScope(question="Who warned Otto?", chapters=tuple(Interval(*side) for side in asked), places=places)
    chapter = scope.chapters if cut is None else cut
    ranked = tuple(FoundFact(FACTS[at], 1.0) for at in found)
    retrieval = SliceRetrieval(scope, GRAPH.slice(told=chapter) if chapter else GRAPH.slice(), ranked, passages)
    seen = SliceRetrieval(scope, retrieval.slice, tuple(FoundFact(FACTS[at], 1.0) for at in shown), passages)
    return AnswerTrace.of(retrieval, slice_context(seen), Answer(answer))


@pytest.mark.parametrize(
    ("stage", "why", "happened"),
    [
        ("none", "right answer", {"answer": "It was MARA."}),
        ("none", "right answer", {"answer": "It was Mara.", "asked": ((9, 10),), "found": (), "shown": ()}),
        ("parser", r"chapters 3, but was read as 9", {"asked": ((9, 10),), "found": (), "shown": ()}),
        ("parser", r"chapters 3, but was read as none", {"asked": ()}),
        ("over_rejection", "leaves out evidence", {"cut": (Interval(4, 5),), "found": (), "shown": ()}),
        ("retrieval", "not among what was found", {"found": (), "shown": ()}),
        ("retrieval", "token budget", {"shown": ()}),
        ("generation", "all evidence was shown", {}),
    ],
)
def test_the_first_stage_that_lost_the_answer_is_named(stage, why, happened):
    found = diagnose(trace(**happened), GOLD)
    assert (found.stage, found.category) == (stage, "time")
    assert why in found.why
    assert found.is_right is (stage == "none")


def test_what_no_fact_tells_is_a_fault_of_retrieval_unless_a_passage_shows_it():
    gold = Gold(answers=("Ida",), evidence=("Ida hid the letter.",))
    assert "in no fact of the graph" in diagnose(trace(), gold).why
    letter = Hit(Passage("At noon Ida hid the letter. It rained."), 1.0)
    assert diagnose(trace(passages=(letter,)), gold).stage == "generation"


@pytest.mark.parametrize("part", [FACTS[0].id, WARNED, "warned Otto at the gate", Span("n", 12, 20)])
def test_evidence_is_named_by_fact_by_words_or_by_span(part):
    gold = Gold(answers=("Ida",), evidence=(part,))
    assert diagnose(trace(), gold).stage == "generation"
    lost = diagnose(trace(shown=()), gold)
    assert (lost.stage, lost.missing) == ("retrieval", (part,))


def test_all_parts_of_the_evidence_are_needed():
    gold = Gold(answers=("Ida",), evidence=(WARNED, FLED))
    assert diagnose(trace(asked=(), shown=(0, 1), found=(0, 1)), gold).stage == "generation"
    assert diagnose(trace(asked=(), shown=(0,), found=(0, 1)), gold).missing == (FLED,)
    assert diagnose(trace(shown=(0,)), gold).stage == "over_rejection"


def test_a_place_is_the_same_by_any_of_its_spellings():
    gold = Gold(answers=("Ida",), places=("THE  GATE",), category="space")
    assert diagnose(trace(places=("the Gate",)), gold).stage == "generation"
    assert diagnose(trace(places=("the Mill",)), gold).stage == "parser"
    assert diagnose(trace(places=()), gold).stage == "parser"


def test_touching_chapters_are_one_stretch():
    gold = Gold(answers=("Ida",), chapters=(Interval(3, 4), Interval(4, 5)))
    assert diagnose(trace(asked=((3, 5),)), gold).stage == "generation"


def test_counts_by_category_and_stage():
    space = Gold(answers=("Ida",), category="space")
    all_ = diagnose_all([(trace(), GOLD), (trace(answer="Mara"), GOLD), (trace(), space)])
    assert all_.counts["time"] == {"parser": 0, "over_rejection": 0, "retrieval": 0, "generation": 1, "none": 1}
    assert all_.counts["space"]["generation"] == 1
    lines = [line.split() for line in all_.table().splitlines()]
    assert lines[0] == ["category", "parser", "over_rejection", "retrieval", "generation", "none", "questions"]
    assert lines[-1] == ["all", "0", "0", "0", "2", "1", "3"]


@pytest.mark.parametrize(
    ("answer", "wanted", "is_right"),
    [
        ("It was Ann Lee.", "ann lee", True),
        ("It was the  Ann\nLee", "Ann Lee", True),
        ("Annabel", "Ann", False),
        ("in 17 days", "7", False),
        ("紫鵑去了瀟湘館。", "瀟湘館", True),
        ("紫鵑", "黛玉", False),
        ("ＡＮＮ", "Ann", True),
        ("anything", "...", False),
    ],
)
def test_an_answer_is_right_when_it_says_a_right_one(answer, wanted, is_right):
    assert says(answer, [wanted]) is is_right


@given(st.text(), st.text(), st.text())
def test_an_answer_that_holds_the_right_words_is_right(before, wanted, after):
    if plain(wanted):
        assert says(f"{before} {wanted} {after}", [wanted])


@pytest.mark.parametrize(
    "fields", [{"answers": ()}, {"answers": (" ",)}, {"answers": "Ann"}, {"answers": ("Ann",), "category": "who"}]
)
def test_gold_without_sense_is_refused(fields):
    with pytest.raises(ValueError, match=r"answers|category"):
        Gold(**fields)


def test_parts_are_found_by_id_by_quotation_in_any_writing_and_by_span():
    telling = Telling(FACTS)
    warned, fled = (frozenset((fact.id,)) for fact in FACTS)
    assert telling.of(FACTS[1].id) == fled
    assert telling.of("mara  WARNED Otto") == warned
    assert telling.of("Then Mara warned Otto at the gate that night. He ran.") == warned
    assert telling.of(Span("n", 45, 61)) == warned | fled
    assert telling.of(Span("elsewhere", 45, 61)) == telling.of("Ida") == telling.of("…") == frozenset()


def test_many_questions_share_what_facts_are_found_by():
    pairs = [(trace(found=(), shown=()), GOLD), (trace(shown=()), GOLD), (trace(), GOLD)]
    assert list(diagnose_all(pairs).all) == [diagnose(*pair) for pair in pairs]
