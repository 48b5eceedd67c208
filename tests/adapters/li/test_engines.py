"""The parts inside LlamaIndex's own engines, chats and agents."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core import PromptTemplate, VectorStoreIndex
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, TextBlock
from llama_index.core.chat_engine import CondenseQuestionChatEngine, ContextChatEngine
from llama_index.core.indices.query.query_transform import HyDEQueryTransform
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import CitationQueryEngine, RetrieverQueryEngine, TransformQueryEngine
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import TextNode
from llama_index.core.tools import QueryEngineTool

from chronotope.llama_index import (
    ChronologicalPostprocessor,
    ChronologicalSynthesizer,
    ChronotopeEmbedding,
    DiachronicRetriever,
    TimeAnnotator,
    TimedQuery,
    retriever_tool,
)

ASKED = "Who orbits the Earth between 1961 and 1969?"


@pytest.fixture
def engine(retriever: DiachronicRetriever, chat_llm: Any) -> RetrieverQueryEngine:
    return RetrieverQueryEngine(retriever, response_synthesizer=ChronologicalSynthesizer(chat_llm))


def a_memory() -> ChatMemoryBuffer:
    """The framework's own default leaves a database connection open."""
    return ChatMemoryBuffer.from_defaults(llm=MockLLM())


def in_time(text: str) -> bool:
    places = [place for name in ("Gagarin", "Glenn", "Leonov", "Apollo 11") if (place := text.find(name)) >= 0]
    return len(places) > 1 and places == sorted(places)


async def test_a_query_engine_answers_in_sync_and_async_form(engine: RetrieverQueryEngine, chat_llm: Any) -> None:
    sync = engine.query(ASKED)
    assert in_time(str(chat_llm.last_chat_messages[-1].content))
    awaited = await engine.aquery(ASKED)
    assert str(awaited) == str(sync)
    assert [item.node.node_id for item in awaited.source_nodes] == [item.node.node_id for item in sync.source_nodes]


async def test_a_query_engine_streams(retriever: DiachronicRetriever, chat_llm: Any) -> None:
    synthesizer = ChronologicalSynthesizer(chat_llm, streaming=True)
    engine = RetrieverQueryEngine(retriever, response_synthesizer=synthesizer)
    pieces: Any = engine.query(ASKED)
    assert in_time("".join(pieces.response_gen))
    awaited: Any = await engine.aquery(ASKED)
    assert in_time("".join([piece async for piece in awaited.async_response_gen()]))


def test_a_query_engine_shows_and_takes_the_prompt(engine: RetrieverQueryEngine, chat_llm: Any) -> None:
    assert "response_synthesizer:answer_prompt" in engine.get_prompts()
    engine.update_prompts({"response_synthesizer:answer_prompt": PromptTemplate("MINE {query_str} {context_str}")})
    engine.query(ASKED)
    assert str(chat_llm.last_chat_messages[-1].content).startswith("MINE")


def test_a_question_about_an_empty_time_gets_the_frameworks_empty_response(engine: RetrieverQueryEngine) -> None:
    assert str(engine.query("What happened in 1903?")) == "Empty Response"


def test_an_engine_of_an_index_takes_the_synthesizer(nodes: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    index = VectorStoreIndex(TimeAnnotator()(nodes), embed_model=embedding)
    engine = index.as_query_engine(llm=MockLLM(), response_synthesizer=ChronologicalSynthesizer(), similarity_top_k=3)
    assert "No model was used" in str(engine.query(ASKED))


@pytest.mark.parametrize("mode", ["reciprocal_rerank", "relative_score", "dist_based_score", "simple"])
async def test_fusion_keeps_the_retrievers_order(retriever: DiachronicRetriever, mode: str) -> None:
    fusion = QueryFusionRetriever([retriever], llm=MockLLM(), mode=mode, num_queries=1, similarity_top_k=3, use_async=False)
    alone = [item.node.node_id for item in retriever.retrieve(ASKED)]
    assert [item.node.node_id for item in fusion.retrieve(ASKED)] == alone
    assert [item.node.node_id for item in await fusion.aretrieve(ASKED)] == alone


def test_a_similarity_cutoff_finds_scores_on_every_node(retriever: DiachronicRetriever) -> None:
    found = retriever.retrieve(ASKED)
    assert SimilarityPostprocessor(similarity_cutoff=-1e9).postprocess_nodes(found) == found


def test_citations_are_numbered_in_order_of_time_and_stay_right(retriever: DiachronicRetriever, chat_llm: Any) -> None:
    engine = CitationQueryEngine(
        retriever,
        llm=chat_llm,
        response_synthesizer=ChronologicalSynthesizer(chat_llm),
        node_postprocessors=[ChronologicalPostprocessor()],
    )
    response = engine.query(ASKED)
    text = str(chat_llm.last_chat_messages[-1].content)
    assert in_time(text)
    for number, item in enumerate(response.source_nodes, 1):
        assert item.text.startswith(f"Source {number}:")
        fact = item.text.split("\n")[1][:20]
        assert text.index(f"[{number}] (") < text.index(fact)
    assert text.index("[1] (") < text.index("Source 1:") < text.index("[2] (") < text.index("Source 2:")


def test_citations_without_the_postprocessor_keep_the_numbers_of_the_engine(retriever: DiachronicRetriever, chat_llm: Any) -> None:
    engine = CitationQueryEngine(retriever, llm=chat_llm, response_synthesizer=ChronologicalSynthesizer(chat_llm))
    response = engine.query(ASKED)
    assert [item.text.split(":")[0] for item in response.source_nodes] == [
        f"Source {n}" for n in range(1, len(response.source_nodes) + 1)
    ]


async def test_a_context_chat_reads_passages_in_order_of_time(retriever: DiachronicRetriever, chat_llm: Any) -> None:
    chat = ContextChatEngine.from_defaults(
        retriever=retriever, llm=chat_llm, memory=a_memory(), node_postprocessors=[ChronologicalPostprocessor()]
    )
    assert in_time(str(chat.chat(ASKED)))
    assert in_time(str(await chat.achat(ASKED)))
    assert "1961-04-12" in str(chat_llm.last_chat_messages[0].content)


def test_a_condensing_chat_uses_the_synthesizer(engine: RetrieverQueryEngine) -> None:
    chat = CondenseQuestionChatEngine.from_defaults(query_engine=engine, llm=MockLLM(), memory=a_memory())
    assert in_time(str(chat.chat(ASKED)))


def test_hypothetical_answers_do_not_disturb_the_time(engine: RetrieverQueryEngine, chat_llm: Any) -> None:
    TransformQueryEngine(engine, HyDEQueryTransform(llm=MockLLM(), include_original=True)).query(ASKED)
    assert in_time(str(chat_llm.last_chat_messages[-1].content))


def test_a_time_beside_the_words_passes_through_a_query_engine(engine: RetrieverQueryEngine) -> None:
    response = engine.query(TimedQuery("What happened?", times=["1998"]))
    assert [item.node.node_id for item in response.source_nodes] == ["g"]


# The workflow library looks at every attribute of the agent, deprecated ones of pydantic included.
@pytest.mark.filterwarnings(
    "ignore::pydantic.warnings.PydanticDeprecatedSince20", "ignore::pydantic.warnings.PydanticDeprecatedSince211"
)
@pytest.mark.parametrize("kind", ["retriever", "engine"])
async def test_an_agent_gets_dated_passages(retriever: DiachronicRetriever, engine: RetrieverQueryEngine, kind: str) -> None:
    mock = pytest.importorskip("llama_index.core.llms.mock")
    types = pytest.importorskip("llama_index.core.base.llms.types")
    if not hasattr(mock, "MockFunctionCallingLLM"):
        pytest.skip("this LlamaIndex has no model that scripts tool calls")
    name = "flights"
    tool = (
        retriever_tool(retriever, name=name)
        if kind == "retriever"
        else QueryEngineTool.from_defaults(engine, name=name, description="?")
    )

    def act(messages: Any, **options: Any) -> Any:
        if any(message.role == "tool" for message in messages):
            return ChatMessage(role="assistant", blocks=[TextBlock(text="done")])
        call = types.ToolCallBlock(tool_call_id="1", tool_name=name, tool_kwargs={"input": ASKED})
        return ChatMessage(role="assistant", blocks=[call])

    agent = FunctionAgent(tools=[tool], llm=mock.MockFunctionCallingLLM(response_generator=act))
    result = await agent.run(ASKED, memory=a_memory())
    told = str(result.tool_calls[0].tool_output.content)
    assert in_time(told)
    assert "1961" in told
