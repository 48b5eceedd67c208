"""Inner model calls are traced as children of the retriever, and the retriever as a child of its chain."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import RunnableLambda

from chronotope.langchain import DiachronicRetriever, TimeAnnotator

QUESTION = "What happened to the bridge after the mayor fled?"
REPLY = '{"core": "What happened to the bridge?", "intervals": [{"start": "1944", "end": "1947"}]}'


@pytest.fixture
def asking(documents, embeddings):
    options = {"llm": FakeListChatModel(responses=[REPLY]), "tags": ["time"], "metadata": {"team": "a"}}
    return DiachronicRetriever.from_documents(documents, embeddings=embeddings, date="filed", **options)


def the_chat_is_a_child_of_the_retriever(recorder):
    ((_, run, parent, told),) = recorder.of("retriever")
    ((_, _, asked_by, _),) = recorder.of("chat")
    return asked_by == run, parent, told


def test_a_model_call_is_a_child_of_the_retriever(asking, recorder):
    asking.invoke(QUESTION, config={"callbacks": [recorder]})
    assert the_chat_is_a_child_of_the_retriever(recorder)[:2] == (True, None)


async def test_an_awaited_model_call_is_a_child_too(asking, recorder):
    await asking.ainvoke(QUESTION, config={"callbacks": [recorder]})
    assert the_chat_is_a_child_of_the_retriever(recorder)[:2] == (True, None)


@pytest.mark.parametrize("awaited", [False, True])
def test_inside_a_chain_the_retriever_is_a_child_of_the_chain(asking, recorder, awaited):
    chain = RunnableLambda(lambda question: question) | asking
    config = {"callbacks": [recorder]}
    asyncio.run(chain.ainvoke(QUESTION, config)) if awaited else chain.invoke(QUESTION, config)
    right, parent, _ = the_chat_is_a_child_of_the_retriever(recorder)
    assert right
    assert parent == recorder.of("chain")[0][1]


def test_tags_metadata_and_what_is_searched_reach_the_trace(asking, recorder):
    asking.invoke(QUESTION, config={"callbacks": [recorder], "tags": ["call"]})
    _, _, told = the_chat_is_a_child_of_the_retriever(recorder)
    assert set(told["tags"]) == {"time", "call"}
    assert told["metadata"]["team"] == "a"
    assert told["metadata"]["ls_retriever_name"] == "diachronic"
    assert told["metadata"]["ls_vector_store_provider"] == "DiachronicIndex"
    assert told["metadata"]["ls_embedding_model"] == "hash-64"


def test_a_report_and_an_annotation_pass_their_config_on(asking, recorder, documents):
    asking.retrieve_with_report(QUESTION, config={"callbacks": [recorder]})
    annotator = TimeAnnotator(mode="llm", llm=FakeListChatModel(responses=['{"published": null, "abstract": "", "events": []}']))
    annotator.annotate(documents[:1], config={"callbacks": [recorder]})
    assert len(recorder.of("chat")) >= 2
