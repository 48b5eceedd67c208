"""What a newcomer runs into: empty answers, misspelt and mistaken arguments, caps, logs, and what is printed."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, TextNode

from chronotope.errors import BudgetError
from chronotope.llama_index import ChronologicalSynthesizer, ChronotopeEmbedding, DiachronicRetriever, TimeAnnotator
from chronotope.testing import HashEmbedder, ScriptedChat

ASKED = "What happened between 1961 and 1972?"


@pytest.fixture
def found(nodes: list[TextNode]) -> list[NodeWithScore]:
    by_id = {node.node_id: node for node in TimeAnnotator()(nodes)}
    return [NodeWithScore(node=by_id[name], score=1.0 - row / 10) for row, name in enumerate("dba")]


def refused(response: Any) -> bool:
    report = response.metadata["chronotope"]
    return report["by_model"] is False and [issue.kind for issue in report["issues"]] == ["reply_refused"]


async def test_an_empty_answer_gives_way_to_a_timeline_with_an_issue(found: list[NodeWithScore]) -> None:
    said = ChronologicalSynthesizer(ScriptedChat([""])).synthesize(ASKED, found)
    assert "[1] " in str(said)
    assert "Gagarin" in str(said)
    assert refused(said)
    awaited = await ChronologicalSynthesizer(ScriptedChat([" \n"])).asynthesize(ASKED, found)
    assert str(awaited) == str(said)
    assert refused(awaited)


async def test_an_empty_stream_ends_with_a_timeline_too(found: list[NodeWithScore]) -> None:
    streamed: Any = ChronologicalSynthesizer(ScriptedChat([""]), streaming=True).synthesize(ASKED, found)
    assert "Gagarin" in "".join(streamed.response_gen)
    assert refused(streamed)
    awaited: Any = await ChronologicalSynthesizer(ScriptedChat([""]), streaming=True).asynthesize(ASKED, found)
    assert "Gagarin" in "".join([piece async for piece in awaited.response_gen])
    assert refused(awaited)


def test_the_timeline_keeps_the_numbers_of_the_source_nodes(found: list[NodeWithScore]) -> None:
    said = ChronologicalSynthesizer(ScriptedChat([""]), order="score").synthesize(ASKED, found)
    for line in str(said).splitlines()[1:]:
        number, text = line.removeprefix("[").split("] ", 1)
        assert text.split(": ", 1)[1] in said.source_nodes[int(number) - 1].text


@pytest.mark.parametrize("streaming", [False, True])
def test_nothing_found_has_a_report_as_well(retriever: DiachronicRetriever, streaming: bool) -> None:
    synthesizer = ChronologicalSynthesizer(ScriptedChat([]), streaming=streaming)
    response: Any = RetrieverQueryEngine(retriever, response_synthesizer=synthesizer).query("What happened in 1903?")
    assert response.metadata["chronotope"] == {"issues": [], "by_model": False, "evidence": []}
    assert str(response) == "Empty Response"


def test_a_misspelt_option_is_told_the_near_one(nodes: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    for wrong, right in (("undatd", "undated"), ("anotate", "annotate"), ("top_kk", "there are ")):
        with pytest.raises(TypeError, match=right) as told:
            DiachronicRetriever.from_nodes(nodes, embed_model=embedding, **{wrong: 1})
        assert "RetrievalSettings" not in str(told.value)


@pytest.mark.parametrize(
    ("options", "need"),
    [
        ({"embed_model": "local"}, "leave it out for the small local one"),
        ({"llm": "gpt"}, "LlamaIndex LLM or a ChatEndpoint, not 'gpt'"),
        ({"reranker": 3}, "not a int"),
        ({"k": "3"}, "k must be a whole number, not '3'"),
        ({"date": 3}, "date must be the name of a metadata key"),
    ],
)
def test_a_mistaken_argument_is_told_what_is_needed(nodes: list[TextNode], options: dict[str, Any], need: str) -> None:
    with pytest.raises(TypeError, match=need):
        DiachronicRetriever.from_nodes(nodes, **{"embed_model": HashEmbedder(), **options})


def test_texts_and_strange_things_are_no_nodes_index_or_question(retriever: DiachronicRetriever) -> None:
    texts: Any = ["one", "two"]
    with pytest.raises(TypeError, match="TextNode"):
        DiachronicRetriever.from_nodes(texts, embed_model=HashEmbedder())
    with pytest.raises(TypeError, match="Document"):
        DiachronicRetriever.from_documents(texts, embed_model=HashEmbedder())
    with pytest.raises(TypeError, match="searches a VectorStoreIndex, not a list"):
        DiachronicRetriever.from_index(texts)
    for question in (None, {"input": ASKED}):
        strange: Any = question
        with pytest.raises(TypeError, match="a question must be"):
            retriever.retrieve_with_report(strange)


def test_a_cap_stops_ingestion_before_the_call_that_exceeds_it(nodes: list[TextNode]) -> None:
    chat = ScriptedChat(lambda _: {"events": [], "published": None, "abstract": "A flight."})
    with pytest.raises(BudgetError, match="the cap of 1 calls"):
        DiachronicRetriever.from_nodes(nodes, embed_model=HashEmbedder(), llm=chat, annotate="llm", max_calls=1)
    assert len(chat.calls) == 1


def test_an_estimate_calls_nothing_and_adds_nothing(nodes: list[TextNode]) -> None:
    chat = ScriptedChat([])
    retriever = DiachronicRetriever.from_nodes([], embed_model=HashEmbedder(), llm=chat, annotate="llm")
    bill = retriever.estimate(nodes)
    assert bill.calls >= bill.embedded == len(nodes)
    assert bill.prompt_tokens > 0
    assert len(retriever.index) == len(chat.calls) == 0


def test_what_a_search_tells_is_information_and_long_questions_are_cut(
    nodes: list[TextNode], embedding: ChronotopeEmbedding, caplog: pytest.LogCaptureFixture
) -> None:
    blank = TextNode(text=" ", id_="blank")
    with caplog.at_level(logging.INFO, logger="chronotope"):
        retriever = DiachronicRetriever.from_nodes([nodes[0], blank], embed_model=embedding)
        retriever.retrieve("What happened in 1903? " + "x" * 900)
    lost, told = [record.getMessage() for record in caplog.records]
    assert lost.startswith("1 node was added: 1 blank")
    assert told.startswith("0 passages were found for 'What happened in 1903? xx")
    assert "empty_window" in told
    assert len(told) < 500


def test_the_embedding_takes_its_embedder_by_place(embedding: ChronotopeEmbedding) -> None:
    assert isinstance(embedding, BaseEmbedding)
    by_place = ChronotopeEmbedding(HashEmbedder(256))
    assert by_place.get_text_embedding("A flight.") == embedding.get_text_embedding("A flight.")


def test_what_is_printed_of_a_hit_is_not_the_packed_node(retriever: DiachronicRetriever, tmp_path: Any) -> None:
    retriever.save(tmp_path / "saved")
    loaded = DiachronicRetriever.load(tmp_path / "saved", embed_model=HashEmbedder(256))
    for made in (retriever, loaded):
        hit = made.retrieve_with_report(ASKED).hits[0]
        assert "relationships" not in repr(hit)
        assert "Report" in repr(hit.passage.metadata)
        assert made.retrieve(ASKED)[0].node.ref_doc_id == hit.passage.source_id
