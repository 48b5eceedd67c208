"""The retriever inside the framework's own retrievers, chains and graphs."""

from __future__ import annotations

from typing import TypedDict

from langchain_classic.chains import create_history_aware_retriever
from langchain_classic.chains.combine_documents import create_stuff_documents_chain
from langchain_classic.retrievers import ContextualCompressionRetriever, EnsembleRetriever, MultiQueryRetriever
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from chronotope.langchain import ChronologicalCompressor, DiachronicRetriever, chronological_chain

FORTIES = "What happened to the harbour bridge in the 1940s?"
EXPECTED = ["1944-03-09", "1947-08-01"]


async def test_a_retriever_is_a_link_of_a_chain(retriever):
    chain = {"context": retriever, "input": RunnablePassthrough()} | RunnablePassthrough.assign(
        answer=chronological_chain(FakeListChatModel(responses=["Bombs [1]."]))
    )
    assert chain.invoke(FORTIES)["answer"] == "Bombs [1]."
    assert (await chain.ainvoke(FORTIES))["answer"] == "Bombs [1]."


def test_streaming_gives_the_whole_list_once(retriever):
    assert list(retriever.stream(FORTIES)) == [retriever.invoke(FORTIES)]


def test_a_question_is_rewritten_from_the_history_first(retriever, dates):
    prompt = ChatPromptTemplate.from_messages([("placeholder", "{chat_history}"), ("human", "{input}")])
    aware = create_history_aware_retriever(FakeListChatModel(responses=[FORTIES]), retriever, prompt)
    found = aware.invoke({"input": "And in the decade after?", "chat_history": [("human", "the bridge in the 1930s?")]})
    assert sorted(dates(found)) == EXPECTED


async def test_an_ensemble_weighs_it_with_another_retriever(retriever, filled_store):
    ensemble = EnsembleRetriever(retrievers=[retriever, DiachronicRetriever.from_vector_store(filled_store)], weights=[0.5, 0.5])
    assert sorted({d.metadata["date"] for d in ensemble.invoke(FORTIES)}) == EXPECTED
    assert sorted({d.metadata["date"] for d in await ensemble.ainvoke(FORTIES)}) == EXPECTED


async def test_several_wordings_of_a_question_keep_to_its_time(retriever, dates):
    model = FakeListChatModel(responses=["the harbour bridge in 1944\nthe harbour bridge in the 1940s"])
    several = MultiQueryRetriever.from_llm(retriever=retriever, llm=model)
    found = several.invoke(FORTIES)
    assert sorted(set(dates(found))) == sorted(set(dates(await several.ainvoke(FORTIES)))) == EXPECTED


async def test_a_compressor_puts_its_documents_in_order(retriever, dates):
    ordered = ContextualCompressionRetriever(base_compressor=ChronologicalCompressor(), base_retriever=retriever)
    assert dates(ordered.invoke(FORTIES)) == dates(await ordered.ainvoke(FORTIES)) == EXPECTED


def test_the_frameworks_own_stuff_chain_can_show_the_date(retriever):
    model = FakeListChatModel(responses=["Done."])
    dated = PromptTemplate.from_template("{date}: {page_content}")
    chain = create_stuff_documents_chain(model, ChatPromptTemplate.from_template("{context}"), document_prompt=dated)
    undated = DiachronicRetriever.from_documents([Document("It rains.")], embeddings=retriever.embedder).invoke("rain")
    assert chain.invoke({"context": retriever.invoke(FORTIES) + undated}) == "Done."


class State(TypedDict, total=False):
    question: str
    context: list[Document]
    answer: str


async def test_a_graph_with_a_checkpointer_keeps_the_documents(retriever, recorder):
    answer = chronological_chain()

    def look_up(state, config):
        return {"context": retriever.invoke(state["question"], config=config)}

    def tell(state, config):
        return {"answer": answer.invoke({"input": state["question"], "context": state["context"]}, config=config)}

    graph = StateGraph(State).add_node("look_up", look_up).add_node("tell", tell)
    graph = graph.add_edge(START, "look_up").add_edge("look_up", "tell").add_edge("tell", END)
    app = graph.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}, "callbacks": [recorder]}
    told = app.invoke({"question": FORTIES}, config)
    assert "Bombs damaged" in told["answer"]
    kept = app.get_state(config).values["context"]
    assert kept == retriever.invoke(FORTIES)
    assert recorder.of("retriever")[0][2] is not None
    assert (await app.ainvoke({"question": FORTIES}, {"configurable": {"thread_id": "2"}}))["answer"] == told["answer"]
