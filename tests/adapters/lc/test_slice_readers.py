"""A LangChain retriever for a reader: nothing that it is asked or shows goes beyond the last chapter that the reader knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.documents import Document

from chronotope.langchain import ChronotopeEmbeddings, SliceRetriever
from chronotope.slices import Ontology, read_facts
from chronotope.slices.fact import Fact
from chronotope.slices.scope import StoryScope
from chronotope.testing import HashEmbedder
from support_told_story import CHAPTERS, FACTS, LATER, QUESTION, WEDDING

QUINCE = Path(__file__).parents[3] / "cookbook" / "data" / "the_quince_house.facts.jsonl"
EMBEDDINGS = ChronotopeEmbeddings(HashEmbedder(64))
WRONG = Fact(subject="Ann Lee", relation="parent_of", object="Ann Lee", chapter=3, quote="Otto Lang met Mara Quist at the Mill.")


def told():
    return [Document(text, id=f"part {number}") for number, text in enumerate(CHAPTERS, 1)]


@pytest.fixture
def retriever():
    return SliceRetriever.from_facts([*FACTS, WRONG], documents=told(), embeddings=EMBEDDINGS, k=20, passages=5)


def contents(found):
    return [document.page_content for document in found]


def test_when_chapters_play_is_taken_from_a_facts_file():
    retriever = SliceRetriever.from_facts(QUINCE, embeddings=EMBEDDINGS)
    axis = read_facts(QUINCE, ontology=Ontology.load("general_fiction")).story_axis
    assert retriever.graph.axis.now(4) == axis.now(4)
    assert retriever.graph.axis.now(4)[0].start == -3648
    assert dict(retriever.graph.axis.chapters) == dict(axis.chapters)


@pytest.mark.parametrize("asked", [QUESTION, "Whom did Ann Lee marry in chapter 4?"])
@pytest.mark.parametrize("named", [None, 3, 4, 9])
async def test_no_later_chapter_of_a_call_lifts_the_readers_wall(retriever, asked, named):
    known = retriever.for_reader(2)
    assert LATER in contents(retriever.invoke(asked))
    scope = StoryScope(question=asked, core=asked, reader_at=named)
    told = [
        known.invoke(asked, reader_at=named),
        await known.ainvoke(asked, reader_at=named),
        known.invoke(asked, scope=scope, reader_at=named),
        known.for_reader(named).invoke(asked),
    ]
    for found in told:
        assert WEDDING in contents(found)
        assert LATER not in str(contents(found))
    assert known.for_reader(named).reader_at == 2


def test_an_earlier_chapter_of_a_call_counts(retriever):
    known = retriever.for_reader(2)
    assert WEDDING not in contents(known.invoke(QUESTION, reader_at=1))
    assert known.for_reader(1).reader_at == 1


def test_graph_issues_and_counts_are_those_of_the_reader(retriever):
    assert [one.fact for one in retriever.uncertain]
    assert [issue.kind for issue in retriever.issues] == ["uncertain_fact"]
    known = retriever.for_reader(2)
    assert known.graph is retriever.graph.told_until(2)
    assert max(known.graph.chapters) == 2
    assert known.uncertain == ()
    assert known.issues == ()
    assert "4 facts" in repr(known)
    assert "8 facts" not in repr(known)
    assert retriever.for_reader(None).issues == retriever.issues


def test_an_estimate_does_not_tell_a_reader_that_a_later_chapter_is_there(retriever):
    known = retriever.for_reader(2)
    first, *_, last = told()
    assert retriever.estimate([last]).embedded == known.estimate([first]).embedded == 0
    assert known.estimate([last]).embedded > 0
