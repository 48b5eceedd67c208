"""What a search has to say reaches the answer in LlamaIndex: issues, the answer by name, that nothing lies in what is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, TextNode

from chronotope.llama_index import GroundedSynthesizer, SliceRetriever, TimeCoTSynthesizer
from chronotope.slices import SliceSettings, build_story_index, facts_answer, read_facts, retrieve_slice
from chronotope.slices.answer.answer import NO_MODEL, NO_USABLE, NOTHING_FOUND
from chronotope.slices.ontology import Ontology
from chronotope.steps import Runner
from chronotope.testing import HashEmbedder, ScriptedChat

QUINCE = Path(__file__).parents[3] / "cookbook" / "data" / "the_quince_house.facts.jsonl"
EMBEDDER = HashEmbedder(64)
MAID = "Who served Isolde Varley?"
BALL = "Who served Isolde Varley before the Christmas ball?"
UNKNOWN = "Whom did Clara Varley meet in chapter 42?"
ROWS = [json.loads(line) for line in QUINCE.read_text(encoding="utf-8").splitlines()]
LATE = [row["quote"] for row in ROWS if row.get("chapter", 0) > 3 and "quote" in row]
SAID = "Bettine Low had served her there since the wedding."


@pytest.fixture(scope="module")
def retriever():
    return SliceRetriever.from_facts(QUINCE, embed_model=EMBEDDER, k=20)


@pytest.fixture(scope="module")
def core():
    """What the core answers without any framework."""
    found = read_facts(QUINCE, ontology=Ontology.load("general_fiction"))
    runner = Runner(None, EMBEDDER)
    built = build_story_index(found.items, embedder_id=EMBEDDER.model_id, entities=found.entities, axis=found.story_axis)
    index = runner.run(built)
    return lambda question: facts_answer(runner.run(retrieve_slice(index, question, settings=SliceSettings(k=20))))


def answered(retriever, question, llm=None):
    return RetrieverQueryEngine(retriever, response_synthesizer=GroundedSynthesizer(llm)).query(question)


def issues(response):
    return response.metadata["chronotope"]["issues"]


@pytest.mark.parametrize("question", [MAID, BALL, UNKNOWN, "Who served Lord Fenwick?"])
def test_an_answer_without_a_model_begins_as_that_of_the_core(retriever, core, question):
    wanted = core(question).text.split(NO_MODEL)[0]
    response = answered(retriever, question)
    assert str(response).split(NO_MODEL)[0] == wanted
    assert [issue for issue in issues(response) if issue.kind != "over_budget"] == [
        issue for issue in core(question).issues if issue.kind not in ("over_budget", "shortened")
    ]


def test_the_answer_by_name_comes_first_with_its_proof_and_its_source(retriever):
    response = answered(retriever, MAID)
    assert str(response).startswith(f"Bettine Low [1 “{SAID}”]\n{NO_MODEL}\n")
    assert response.source_nodes[0].node.text == SAID
    assert issues(response) == []


def test_without_its_fact_among_the_nodes_there_is_no_answer_by_name(retriever):
    nodes = [item for item in retriever.retrieve(MAID) if item.node.text != SAID]
    assert str(GroundedSynthesizer().synthesize(MAID, nodes)).startswith(NO_MODEL)


def test_for_another_question_than_that_of_the_search_there_is_no_answer_by_name(retriever):
    assert str(GroundedSynthesizer().synthesize("Who served Clara Varley?", retriever.retrieve(MAID))).startswith(NO_MODEL)


def test_what_the_search_could_not_resolve_is_told_also_with_a_model(retriever):
    told = answered(retriever, BALL, ScriptedChat([f"ANSWER: Bettine Low [1 “{SAID}”]."]))
    assert "unresolved_time" in [issue.kind for issue in issues(told)]
    assert "unresolved_time" in [issue.kind for issue in issues(answered(retriever, BALL))]


def test_that_nothing_lies_in_what_is_asked_is_said_first(retriever):
    response = answered(retriever, UNKNOWN)
    assert str(response).startswith(NOTHING_FOUND)
    assert "chapter 42" in str(response).split(NO_MODEL)[0]
    assert "unknown_chapter" in [issue.kind for issue in issues(response)]


def test_neither_models_nor_embedders_see_what_the_search_had_to_say(retriever):
    for item in retriever.retrieve(UNKNOWN):
        assert "unknown_chapter" in item.node.metadata["slice_report"]
        for mode in (MetadataMode.LLM, MetadataMode.EMBED):
            assert "slice_report" not in item.node.get_content(mode)


def test_where_only_passages_are_found_they_carry_what_the_search_had_to_say():
    rain = TextNode(text="It rained all day.", id_="rain", metadata={"by": "Ann"})
    retriever = SliceRetriever.from_nodes([rain], embed_model=EMBEDDER, passages=1)
    (found,) = retriever.retrieve("What happened in chapter 42?")
    assert found.node.get_content(MetadataMode.LLM) == rain.get_content(MetadataMode.LLM)
    assert found.node.get_content(MetadataMode.EMBED) == rain.get_content(MetadataMode.EMBED)
    response = answered(retriever, "What happened in chapter 42?")
    assert "unknown_chapter" in [issue.kind for issue in issues(response)]
    assert rain.metadata == {"by": "Ann"}


@pytest.mark.parametrize("question", [MAID, BALL, UNKNOWN])
def test_no_reader_learns_from_a_report_what_is_told_later(retriever, question):
    response = answered(retriever.for_reader(3), question)
    shown = str(response) + repr(response.metadata) + "".join(item.model_dump_json() for item in response.source_nodes)
    assert response.source_nodes
    assert [words for words in (*LATE, "thimble", "1 to 10", "103 facts") if words in shown] == []


@pytest.mark.parametrize(
    ("make", "words"), [(GroundedSynthesizer, "facts stand in its place"), (TimeCoTSynthesizer, "events stand in its place")]
)
def test_what_stands_in_place_of_an_empty_answer_is_called_what_it_is(retriever, make, words):
    response = RetrieverQueryEngine(retriever, response_synthesizer=make(ScriptedChat([""] * 2))).query(MAID)
    (told,) = [issue.message for issue in issues(response) if issue.kind == "reply_refused"]
    assert words in told


def test_where_a_model_gives_no_answer_the_name_comes_first_all_the_same(retriever):
    response = answered(retriever, MAID, ScriptedChat([""]))
    assert str(response).startswith("Bettine Low [")
    assert NO_USABLE in str(response)
