"""Children of segments in the retrievers that LangChain made for small pieces with large parents."""

from __future__ import annotations

import pickle

import pytest
from langchain_classic.retrievers import MultiVectorRetriever, ParentDocumentRetriever
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from chronotope.langchain import ChronotopeEmbeddings, LitSegTextSplitter, SegmentChildSplitter
from chronotope.litseg import SegmentSettings
from chronotope.testing import HashEmbedder, ScriptedChat
from support_stories import POEM, SHORT, STORY, cutter

QUESTION = "Whose hand wrote the last line: fourth step, bell rung, gone to the mill?"
STORY_BY = Document(STORY, id="story", metadata={"title": "The Lock"})


@pytest.fixture
def splitter():
    return LitSegTextSplitter(settings=SegmentSettings(rules=SHORT), child_tokens=25)


@pytest.fixture
def store():
    return InMemoryVectorStore(ChronotopeEmbeddings(HashEmbedder(512)))


def exact(documents):
    return all(STORY[d.metadata["char_start"] : d.metadata["char_end"]] == d.page_content for d in documents)


def test_children_name_their_segment_and_are_exact_small_slices_of_it(splitter):
    pairs, children = splitter.with_children([STORY_BY])
    segments = dict(pairs)
    assert [segment for _, segment in pairs] == splitter.split_documents([STORY_BY])
    assert len(children) > len(pairs) > 3
    assert exact(children)
    for child in children:
        parent = segments[child.metadata["doc_id"]]
        assert child.metadata["segment_id"] == parent.id
        assert child.page_content in parent.page_content
        assert parent.metadata["char_start"] <= child.metadata["char_start"] < child.metadata["char_end"]
        assert (child.metadata["title"], child.metadata["chapter"]) == ("The Lock", parent.metadata["chapter"])
        assert not {"context_before", "next_id", "sentences"} & child.metadata.keys()


def test_the_setting_gives_both_in_one_list_segments_first(splitter):
    both = LitSegTextSplitter(settings=SegmentSettings(rules=SHORT), children=True, child_tokens=25, id_key="parent")
    pairs, children = splitter.with_children([STORY_BY])
    found = both.split_documents([STORY_BY])
    assert found[: len(pairs)] == [segment for _, segment in pairs]
    assert [(d.id, d.metadata["parent"]) for d in found[len(pairs) :]] == [(d.id, d.metadata["doc_id"]) for d in children]


async def test_a_multi_vector_retriever_finds_segments_by_their_children(splitter, store):
    retriever = MultiVectorRetriever(vectorstore=store, docstore=InMemoryStore(), search_kwargs={"k": 3})
    pairs, children = splitter.with_children([STORY_BY])
    retriever.vectorstore.add_documents(children)
    retriever.docstore.mset(pairs)
    found = retriever.invoke(QUESTION)
    assert "Fourth step" in found[0].page_content
    assert exact(found)
    assert await retriever.ainvoke(QUESTION) == found


def test_the_docstore_can_hold_what_a_reader_gets_while_the_index_sees_the_slices(store):
    splitter = LitSegTextSplitter(llm=ScriptedChat(cutter), mode="lite", text="shown")
    retriever = MultiVectorRetriever(vectorstore=store, docstore=InMemoryStore(), search_kwargs={"k": 1})
    pairs, children = splitter.with_children([STORY_BY])
    retriever.vectorstore.add_documents(children)
    retriever.docstore.mset(pairs)
    (found,) = retriever.invoke("Ada Quill kept the lock at Wendle")
    assert exact(children)
    assert found.page_content.startswith(found.metadata["subtitle"])
    assert found.page_content.endswith(found.metadata["context_after"])


async def test_a_parent_document_retriever_splits_with_both(splitter, store):
    retriever = ParentDocumentRetriever(
        vectorstore=store,
        docstore=InMemoryStore(),
        parent_splitter=splitter,
        child_splitter=SegmentChildSplitter(max_tokens=25),
        search_kwargs={"k": 2},
    )
    retriever.add_documents([STORY_BY])
    found = retriever.invoke(QUESTION)
    assert "Fourth step" in found[0].page_content
    assert found[0].metadata["chapter"] == "CHAPTER III. The Book"
    assert exact(found)
    children = store.similarity_search(QUESTION, k=3)
    assert exact(children)
    assert {child.id for child in children} <= {child.id for child in splitter.with_children([STORY_BY])[1]}
    assert await retriever.ainvoke(QUESTION) == found


def test_pieces_of_a_text_with_its_frame_give_no_offsets_rather_than_wrong_ones():
    shown = LitSegTextSplitter(llm=ScriptedChat(cutter), mode="lite", text="shown").split_documents([STORY_BY])
    framed = [document for document in shown if document.metadata.get("subtitle")]
    pieces = SegmentChildSplitter(add_start_index=True).split_documents(framed)
    assert pieces
    assert not any({"char_start", "char_end", "start_index"} & piece.metadata.keys() for piece in pieces)


def test_any_text_can_be_cut_into_pieces():
    splitter = SegmentChildSplitter(max_tokens=20, add_start_index=True)
    for piece in splitter.create_documents([STORY, POEM], [{"n": 0}, {"n": 1}]):
        text = (STORY, POEM)[piece.metadata["n"]]
        assert text[piece.metadata["start_index"] :].startswith(piece.page_content)
    assert splitter.split_text("She knocked.\x00\n\nNobody came.") == ["She knocked.\x00\n\nNobody came."]
    assert splitter.split_documents([Document(" \n")]) == splitter.split_text("") == []
    assert repr(pickle.loads(pickle.dumps(splitter))) == "SegmentChildSplitter(max_tokens=20)"
    with pytest.raises(ValueError, match="max_tokens must be at least 1"):
        SegmentChildSplitter(max_tokens=0)
