"""Chronological order as a document compressor."""

from __future__ import annotations

import copy

import pytest
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_core.documents import Document
from pydantic import ValidationError

from chronotope.langchain import ChronologicalCompressor
from chronotope.metadata import MetadataKeys


def chunk(text, start, score, **dates):
    return Document(text, metadata={"source_id": "a", "char_start": start, "relevance_score": score, **dates})


CHUNKS = [
    chunk("third", 20, 0.9, time_intervals="1950", published="1990"),
    chunk("undated", 30, 0.5),
    chunk("first", 0, 0.1, time_intervals="1930", published="1995"),
    chunk("second", 10, 0.7, time_intervals="1940", published="1985"),
]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("events", ["first", "second", "third", "undated"]),
        ("published", ["second", "third", "first", "undated"]),
        ("source", ["first", "second", "third", "undated"]),
        ("score", ["third", "second", "undated", "first"]),
    ],
)
def test_documents_come_in_the_asked_order(order, expected):
    ordered = ChronologicalCompressor(order=order).compress_documents(CHUNKS, "q")
    assert [document.page_content for document in ordered] == expected


def test_every_document_gets_a_date_and_those_given_stay_as_they_were():
    before = copy.deepcopy(CHUNKS)
    ordered = ChronologicalCompressor().compress_documents(CHUNKS, "q")
    assert [document.metadata["date"] for document in ordered] == ["1930", "1940", "1950", ""]
    assert before == CHUNKS


def test_the_best_few_are_chosen_by_score_before_they_are_put_in_order():
    assert [d.page_content for d in ChronologicalCompressor(top_n=2).compress_documents(CHUNKS, "q")] == ["second", "third"]


def test_dates_of_the_apps_own_count():
    chunks = [Document("b", metadata={"filed": "2002"}), Document("a", metadata={"filed": "2001"})]
    ordered = ChronologicalCompressor(keys=MetadataKeys(date="filed")).compress_documents(chunks, "q")
    assert [(d.page_content, d.metadata["date"]) for d in ordered] == [("a", "2001"), ("b", "2002")]
    assert "relevance_score" not in ordered[0].metadata


async def test_it_orders_what_any_retriever_finds(filled_store):
    retriever = ContextualCompressionRetriever(
        base_compressor=ChronologicalCompressor(), base_retriever=filled_store.as_retriever(search_kwargs={"k": 4})
    )
    found = retriever.invoke("What happened to the harbour bridge?")
    assert len(found) == 4
    assert [d.metadata["date"] for d in found] == sorted(d.metadata["date"] for d in found)
    assert await retriever.ainvoke("What happened to the harbour bridge?") == found


def test_no_documents_stay_none_and_a_misspelt_argument_is_refused():
    assert ChronologicalCompressor().compress_documents([], "q") == []
    with pytest.raises(ValidationError, match="sort"):
        ChronologicalCompressor(sort="events")


def test_a_document_of_several_times_stands_where_it_first_tells_of_the_asked_one():
    documents = [chunk("often", 0, 0.9, time_intervals="1930; 1955"), chunk("once", 10, 0.5, time_intervals="1950")]
    compress = ChronologicalCompressor().compress_documents
    assert [d.page_content for d in compress(documents, "What happened in the 1950s?")] == ["once", "often"]
    assert [d.page_content for d in compress(documents, "What happened?")] == ["often", "once"]
