"""A LlamaIndex retriever for a reader: nothing that it is asked or shows goes beyond the last chapter that the reader knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from llama_index.core.schema import Document

from chronotope.llama_index import SliceRetriever, StoryQuery
from chronotope.slices import Ontology, read_facts
from chronotope.slices.axis import build_axis
from chronotope.slices.fact import Fact
from chronotope.slices.scope import StoryScope
from chronotope.temporal.interval import Interval
from chronotope.testing import HashEmbedder
from support_told_story import CHAPTERS, FACTS, LATER, QUESTION, WEDDING

QUINCE = Path(__file__).parents[3] / "cookbook" / "data" / "the_quince_house.facts.jsonl"
EMBEDDER = HashEmbedder(64)
WRONG = Fact(subject="Ann Lee", relation="parent_of", object="Ann Lee", chapter=3, quote="Otto Lang met Mara Quist at the Mill.")


def told():
    return [Document(text=text, id_=f"part {number}") for number, text in enumerate(CHAPTERS, 1)]


@pytest.fixture
def retriever():
    return SliceRetriever.from_facts([*FACTS, WRONG], nodes=told(), embed_model=EMBEDDER, k=20, passages=5)


def texts(found):
    return [item.node.text for item in found]


def test_when_chapters_play_is_taken_from_a_facts_file():
    retriever = SliceRetriever.from_facts(QUINCE, embed_model=EMBEDDER)
    axis = read_facts(QUINCE, ontology=Ontology.load("general_fiction")).story_axis
    assert retriever.graph.axis.now(4) == axis.now(4)
    assert retriever.graph.axis.now(4)[0].start == -3648
    assert dict(retriever.graph.axis.chapters) == dict(axis.chapters)


def test_an_axis_that_is_given_comes_before_that_of_the_file():
    given = build_axis([4], dates={4: (Interval(7, 8),)})
    assert SliceRetriever.from_facts(QUINCE, embed_model=EMBEDDER, axis=given).graph.axis.now(4) == given.now(4)


@pytest.mark.parametrize("asked", [QUESTION, "Whom did Ann Lee marry in chapter 4?"])
@pytest.mark.parametrize("named", [None, 3, 4, 9])
def test_no_later_chapter_of_a_query_lifts_the_readers_wall(retriever, asked, named):
    known = retriever.for_reader(2)
    assert LATER in texts(retriever.retrieve(asked))
    query = StoryQuery(asked, reader_at=named, scope=StoryScope(question=asked, core=asked, reader_at=named))
    for found in (
        known.retrieve(StoryQuery(asked, reader_at=named)),
        known.retrieve(query),
        known.for_reader(named).retrieve(asked),
    ):
        assert WEDDING in texts(found)
        assert LATER not in str(texts(found))
    assert known.for_reader(named).asking.reader_at == 2


def test_an_earlier_chapter_of_a_query_counts(retriever):
    known = retriever.for_reader(2)
    assert WEDDING not in texts(known.retrieve(StoryQuery(QUESTION, reader_at=1)))
    assert known.for_reader(1).asking.reader_at == 1


def test_graph_issues_and_counts_are_those_of_the_reader(retriever):
    assert [one.fact for one in retriever.uncertain]
    assert [issue.kind for issue in retriever.issues] == ["uncertain_fact"]
    known = retriever.for_reader(2)
    assert known.graph is retriever.graph.told_until(2)
    assert max(known.graph.chapters) == 2
    assert known.uncertain == ()
    assert known.issues == known.graph.issues
    shown = repr(known) + repr(known.issues)
    assert "4 facts" in shown
    assert "8 facts" not in shown
    assert retriever.for_reader(None).issues == retriever.issues


def test_an_estimate_does_not_tell_a_reader_that_a_later_chapter_is_there(retriever):
    known = retriever.for_reader(2)
    first, *_, last = told()
    assert retriever.estimate([last]).embedded == known.estimate([first]).embedded == 0
    assert known.estimate([last]).embedded > 0


@pytest.mark.parametrize("by", ["document", "node"])
def test_with_a_text_that_goes_its_chapters_go(by):
    retriever = SliceRetriever.from_nodes(told(), embed_model=EMBEDDER)
    axis = retriever.graph.axis
    retriever.insert_nodes([Document(text="CHAPTER XI\n\nNan Orr met Ann Lee. Nan Orr died.", id_="late")])
    assert 11 in retriever.graph.chapters
    retriever.delete_ref_doc("late") if by == "document" else retriever.delete_nodes(["late"])
    assert retriever.graph.axis == axis
    retriever.insert_nodes([Document(text="Ann Lee met Bo Finn.", id_="unnumbered")])
    assert retriever.graph.chapters == (1, 2, 3, 4, 5)
