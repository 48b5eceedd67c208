"""What an answer is given to rest on: which facts and passages are shown within a budget, and how."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.records import Hit, Passage
from chronotope.slices.answer.context import SliceContext, slice_context
from chronotope.slices.answer.coordinates import coordinates
from chronotope.slices.answer.verify import verify
from chronotope.slices.fact import Fact
from chronotope.slices.graph import build_graph
from chronotope.slices.retrieve.retrieve import FoundFact
from chronotope.tokens import count_tokens
from support_grounded import FACTS, GRAPH, ONTOLOGY, PASSAGES, fact, found, retrieval

CHAIN = {"entities": ("Bess", "Crane")}
TRACE = (found(7, 0.9), found(3, 0.8, "neighbour", 1), found(5, 0.3, "path"), found(4, 0.2, "path"), found(6, 0.1, "path"))


UNTIL_8 = {"reader_at": 8}  # Bess serves Ann, who is married to Tom, who served Crane: nothing shorter joins Bess and Crane


def shown(context):
    return [item.passage.id for item in context.facts]


def chain(**options):
    return slice_context(retrieval(TRACE, scope=CHAIN, passages=options.pop("passages", ()), **UNTIL_8), **options)


def test_paths_come_first_then_neighbours_then_the_rest_by_score():
    context = chain()
    assert shown(context)[:3] in (["f5", "f4", "f6"], ["f6", "f4", "f5"])
    assert shown(context)[3:] == ["f3", "f7"]
    assert context.issues == ()


def cost(*numbers):
    lines = retrieval([found(number, 1.0) for number in numbers], **UNTIL_8)
    return count_tokens(slice_context(lines).text)


def test_a_path_is_shown_whole_where_the_budget_leaves_room_for_nothing_else():
    context = chain(budget_tokens=cost(5, 4, 6) + 8)
    assert sorted(shown(context)) == ["f4", "f5", "f6"]
    assert [issue.message.partition(" did not")[0] for issue in context.issues] == ["2 of 5 facts"]


def test_a_path_that_does_not_fit_shows_none_of_its_facts_and_the_issue_says_that_it_was_cut():
    context = chain(budget_tokens=cost(5, 4, 6) - 8)
    assert set(shown(context)) <= {"f3", "f7"}
    assert shown(context)
    assert [issue.kind for issue in context.issues] == ["over_budget"] * len(context.issues)
    assert context.issues[0].message.startswith("1 of 1 paths between the entities of the question did not fit into")


def test_a_fact_on_a_path_that_was_not_found_by_itself_is_shown_all_the_same():
    context = slice_context(retrieval([found(7, 0.9), found(4, 0.1, "path")], scope=CHAIN, **UNTIL_8))
    assert sorted(shown(context)[:3]) == ["f4", "f5", "f6"]
    assert shown(context)[3:] == ["f7"]


def test_a_line_has_number_statement_coordinates_and_words_that_may_be_copied():
    context = slice_context(retrieval([found(4, 0.9)]))
    line = "[1] Ann Lee — married to — Tom Rask (chapter 3; in the church): “Ann and Tom were wed on a cold morning.”"
    assert context.text == line
    assert context.evidence[0].when == "chapter 3; in the church"


def test_a_doubted_fact_is_marked_and_a_fact_without_words_is_shown_once():
    assert "(chapter 6; low confidence): “Crane shook" in slice_context(retrieval([found(7, 0.9)])).text
    bare = Fact(subject="Ann Lee", relation="serves", object="Wade", chapter=2)
    graph = build_graph([bare], ontology=ONTOLOGY)
    assert slice_context(retrieval([FoundFact(bare, 1.0)], graph=graph)).text == "[1] Ann Lee — serves — Wade (chapter 2)"


def test_a_fact_outside_of_what_is_asked_comes_after_all_others_and_says_so():
    asked = retrieval([FoundFact(fact(4), 0.9, in_scope=False), found(7, 0.1)], scope={"places": ("the kitchen",)})
    lines = slice_context(asked).text.splitlines()
    assert lines[0].startswith("[1] Crane — meets — Wade (chapter 6; low confidence)")
    assert lines[1].startswith("[2] Ann Lee — married to — Tom Rask (chapter 3; in the church; outside what is asked)")


def test_an_ended_state_says_so_on_its_line():
    context = slice_context(retrieval([found(5, 0.9)]))
    assert "ended by “Ann Lee — dismisses — Bess” (chapter 9)" in context.text
    assert "ended by" not in slice_context(retrieval([found(5, 0.9)], **UNTIL_8)).text


def test_passages_stand_behind_the_facts_in_the_order_of_the_text_under_marks_of_their_own():
    context = slice_context(retrieval([found(5, 0.9)], passages=PASSAGES))
    assert [(item.mark, item.passage.id) for item in context.evidence] == [("1", "f5"), ("P1", "p3"), ("P2", "p4")]
    blocks = context.text.split("\n\n")
    assert [block[:20] for block in blocks[-2:]] == ["[P1] (chapter 3) It ", "[P2] (chapter 4) Bes"]
    assert context.facts + context.passages == context.evidence


def test_the_share_of_the_passages_decides_what_a_small_budget_shows():
    asked = retrieval(TRACE, passages=PASSAGES, **UNTIL_8)
    assert slice_context(asked, passage_share=0).passages == ()
    assert slice_context(asked, passage_share=1).facts == ()
    assert [item.passage.id for item in slice_context(asked, budget_tokens=60, passage_share=0.5).passages] == ["p4"]


def test_facts_leave_to_passages_what_they_do_not_need_and_without_passages_facts_get_everything():
    few = retrieval([found(7, 0.9)], passages=PASSAGES)
    assert len(slice_context(few, budget_tokens=120, passage_share=0.1).passages) == 2
    assert len(slice_context(retrieval(TRACE), budget_tokens=300, passage_share=0.9).facts) == 5


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("telling", ["f3", "f4", "f5", "f6", "f7"]),
        ("story", ["f6", "f3", "f4", "f5", "f7"]),
        ("rank", ["f7", "f3", "f5", "f4", "f6"]),
    ],
)
def test_the_lines_can_be_listed_by_rank_in_the_order_of_telling_or_of_the_story(order, expected):
    trace = [FoundFact(one.fact, one.score) for one in TRACE]
    context = slice_context(retrieval(trace), order=order)
    assert shown(context) == expected
    assert [item.number for item in context.facts] == [1, 2, 3, 4, 5]


def test_facts_that_come_first_by_wish_come_before_paths():
    assert shown(chain(first=["f7"]))[0] == "f7"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"passage_share": 1.5}, "passage_share"),
        ({"budget_tokens": 0}, "budget_tokens"),
        ({"order": "time"}, "order must be one of"),
    ],
)
def test_options_out_of_their_range_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        slice_context(retrieval(TRACE), **options)


def test_with_nothing_found_the_context_is_empty():
    assert slice_context(retrieval()) == SliceContext()


def test_every_quotation_of_a_line_is_verbatim_when_it_is_cited():
    context = slice_context(retrieval([found(number, 1.0) for number in range(1, 11)]))
    cited = " ".join(f"[{item.mark} “{item.passage.text}”]" for item in context.evidence)
    assert {citation.kind for citation in verify(cited, context.evidence)} == {"verbatim"}


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 400),
    st.lists(st.tuples(st.integers(1, 10), st.floats(0, 1), st.sampled_from(["words", "neighbour", "path"])), max_size=10),
    st.sampled_from([(), PASSAGES[:1], PASSAGES]),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([(), ("Bess", "Crane"), ("Ann Lee", "Tom Rask", "Crane")]),
)
def test_the_text_never_takes_more_tokens_than_the_budget_unless_a_single_line_does(budget, lines, passages, share, entities):
    asked = retrieval([found(n, score, role) for n, score, role in lines], passages=passages, scope={"entities": entities})
    context = slice_context(asked, budget_tokens=budget, passage_share=share)
    assert count_tokens(context.text) <= budget or len(context.evidence) == 1
    offered = bool(lines) and (share < 1 or not passages)
    assert bool(context.evidence) == (offered or (bool(passages) and share > 0))
    if lines and len(context.evidence) < len({n for n, _, _ in lines}) and not passages:
        assert any(issue.kind == "over_budget" for issue in context.issues)


SECRETS = ("own blood", "child of", "dismisses", "sent Bess away", "moved to the town", "chapter 9", "chapter 12")


@pytest.mark.parametrize("chapter", [4, 6, 8])
def test_nothing_that_a_later_chapter_tells_reaches_the_text_of_a_reader(chapter):
    known = [one for one in FACTS if one.chapter <= chapter]
    asked = retrieval([found(int(one.id[1:]), 0.5) for one in known], scope=CHAIN, reader_at=chapter)
    context = slice_context(asked)
    told = context.text + " ".join(str(value) for item in context.evidence for value in item.passage.metadata.values())
    assert [secret for secret in SECRETS if secret in told] == []
    assert len(context.facts) == len(known)


def test_the_coordinates_on_a_line_are_those_of_the_fact():
    context = slice_context(retrieval([found(number, 1.0) for number in (1, 2, 4, 6, 9)]))
    assert [item.when for item in context.facts] == [coordinates(fact(n), GRAPH, compact=True) for n in (1, 2, 4, 6, 9)]


def test_the_same_passage_found_twice_is_shown_once():
    twice = (*PASSAGES, Hit(Passage(PASSAGES[0].passage.text, id="p4", source_id="c4"), 0.1))
    assert [item.passage.id for item in slice_context(retrieval([], passages=twice)).passages].count("p4") == 1


def test_a_text_of_a_whole_chapter_is_cut_where_it_alone_is_shown():
    long = Hit(Passage("Bess waited on Ann. " * 1_000, id="p", source_id="c4", metadata={"chapter": 4}), 0.9)
    context = slice_context(retrieval([], passages=[long]), budget_tokens=100)
    (item,) = context.evidence
    assert item.passage.text.startswith("Bess waited on Ann. Bess")
    assert len(context.text) < 400
    assert [issue.kind for issue in context.issues] == ["over_budget"]
    assert [one.kind for one in verify("[P1 “Bess waited on Ann”]", context.evidence)] == ["verbatim"]
