"""The retriever as an agent's tool."""

from __future__ import annotations

import pytest
from langchain.agents import create_agent
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.prompts import PromptTemplate

from chronotope.langchain import ChronologicalCompressor, retriever_tool


class ScriptedAgentModel(FakeMessagesListChatModel):
    """A scripted chat model that takes tools as real ones do."""

    def bind_tools(self, tools, **kwargs):
        return self


@pytest.fixture
def tool(retriever):
    return retriever_tool(retriever, "bridge_chronicle", "Looks up what happened to the bridge; name a time to limit it.")


async def test_each_passage_is_printed_with_its_date(tool):
    told = tool.invoke("the harbour bridge in the 1940s")
    assert "[1944-03-09] Bombs damaged" in told
    assert "[1947-08-01]" in told
    assert "1961" not in told
    assert await tool.ainvoke("the harbour bridge in the 1940s") == told


async def test_nothing_found_is_said_and_not_left_empty(tool):
    assert "No passage was found" in tool.invoke("the bridge in 1850")
    assert "No passage was found" in await tool.ainvoke({"query": "the bridge in 1850"})


def test_the_documents_may_be_kept_as_an_artifact(retriever):
    tool = retriever_tool(retriever, "chronicle", "Looks things up.", response_format="content_and_artifact", nothing_found="None.")
    message = tool.invoke({"type": "tool_call", "id": "1", "name": "chronicle", "args": {"query": "the bridge in 1944"}})
    assert isinstance(message, ToolMessage)
    assert [d.metadata["date"] for d in message.artifact] == ["1944-03-09"]
    empty = tool.invoke({"type": "tool_call", "id": "2", "name": "chronicle", "args": {"query": "the bridge in 1850"}})
    assert (empty.content, empty.artifact) == ("None.", [])


def test_the_prompt_of_a_document_may_be_ones_own(retriever):
    own = PromptTemplate.from_template("{page}: {date}")
    tool = retriever_tool(retriever, "c", "d", document_prompt=own, document_separator=" | ")
    assert set(tool.invoke("the harbour bridge in the 1940s").split(" | ")) == {"2: 1944-03-09", "3: 1947-08-01"}


def test_any_retriever_may_stand_behind_the_tool_when_a_compressor_dates_it(filled_store):
    ordered = ContextualCompressionRetriever(base_compressor=ChronologicalCompressor(), base_retriever=filled_store.as_retriever())
    assert retriever_tool(ordered, "c", "d").invoke("bridge").startswith("[19")


def test_model_calls_of_the_tool_are_traced_under_it(tool, recorder):
    tool.invoke("the bridge in 1944", config={"callbacks": [recorder]})
    ((_, _, parent, _),) = recorder.of("retriever")
    assert parent is not None


async def test_an_agent_calls_the_tool_and_reads_dated_text(tool):
    def model():
        call = {"name": "bridge_chronicle", "args": {"query": "the harbour bridge in 1944"}, "id": "call-1"}
        return ScriptedAgentModel(responses=[AIMessage("", tool_calls=[call]), AIMessage("It was bombed in March 1944.")])

    asked = {"messages": [("user", "What happened to the bridge in the war?")]}
    for told in (create_agent(model(), [tool]).invoke(asked), await create_agent(model(), [tool]).ainvoke(asked)):
        read = [message for message in told["messages"] if isinstance(message, ToolMessage)]
        assert "[1944-03-09]" in read[0].content
        assert told["messages"][-1].content == "It was bombed in March 1944."
