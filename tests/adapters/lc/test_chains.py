"""The answer chain."""

from __future__ import annotations

import pytest
from langchain_classic.chains import create_retrieval_chain
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from chronotope.langchain import LangChainChat, chronological_chain, chronological_prompt, citation_check
from chronotope.testing import ScriptedChat

QUESTION = "What happened to the bridge in the 1940s?"
DOCUMENTS = [
    Document("The bridge was repaired {twice}.", metadata={"time_intervals": "1947-08", "relevance_score": 0.9}),
    Document("Bombs damaged the bridge.", metadata={"time_intervals": "1944-03", "relevance_score": 0.5}),
    Document("A poster shows the bridge.", metadata={"relevance_score": 0.1}),
]
LATER = Document(
    "The bridge was painted in 1930 and again in 1948.", metadata={"time_intervals": "1930; 1948", "relevance_score": 0.2}
)


def shown_to(chain_of, **inputs):
    """The prompt that a chain sends to its model, as one text."""
    seen = []
    model = RunnableLambda(lambda prompt: seen.append(prompt.to_string()) or "Done.")
    assert chain_of(model).invoke({"input": QUESTION, "context": DOCUMENTS, **inputs}) == "Done."
    return seen[0]


def test_the_model_sees_numbered_dated_passages_in_order_of_time():
    prompt = shown_to(chronological_chain)
    order = ("[1] (in March 1944)", "Bombs damaged", "[2] (in August 1947)", "repaired {twice}", "[3] (undated)")
    places = [prompt.index(text) for text in order]
    assert places == sorted(places)
    assert QUESTION in prompt
    assert "1940s" in prompt.split(QUESTION)[1]


def test_score_decides_who_stays_within_the_budget():
    prompt = shown_to(lambda model: chronological_chain(model, budget_tokens=40))
    assert "repaired" in prompt
    assert "poster" not in prompt


def test_another_order_may_be_asked_for():
    prompt = shown_to(lambda model: chronological_chain(model, order="score"))
    assert prompt.index("repaired") < prompt.index("Bombs")


def test_a_prompt_of_ones_own_and_another_document_variable_are_used():
    own = PromptTemplate.from_template("{style}: {input} // {asked_time} // {papers}")
    chain = lambda model: chronological_chain(model, prompt=own, document_variable_name="papers")
    prompt = shown_to(chain, papers=DOCUMENTS, style="Briefly")
    assert prompt.startswith(f"Briefly: {QUESTION} // in the 1940s // ")
    assert "Bombs" in prompt


def test_the_default_prompt_has_the_variables_it_is_filled_with():
    assert set(chronological_prompt("papers").input_variables) == {"input", "asked_time", "papers"}
    assert isinstance(chronological_prompt(), ChatPromptTemplate)


@pytest.mark.parametrize(
    "llm",
    [
        FakeListChatModel(responses=["Bombs [1]."] * 2),
        LangChainChat(FakeListChatModel(responses=["Bombs [1]."] * 2)),
        ScriptedChat(["Bombs [1]."] * 2),
    ],
    ids=["langchain", "wrapped", "chronotope"],
)
async def test_any_model_answers_blocking_or_awaited(llm):
    chain = chronological_chain(llm)
    inputs = {"input": QUESTION, "context": DOCUMENTS}
    assert chain.invoke(inputs) == await chain.ainvoke(inputs) == "Bombs [1]."


async def test_the_answer_streams_token_by_token():
    words = "Bombs fell, then it was repaired."
    inputs = {"input": QUESTION, "context": DOCUMENTS}
    pieces = list(chronological_chain(GenericFakeChatModel(messages=iter([AIMessage(words)]))).stream(inputs))
    assert len(pieces) > 3
    assert "".join(pieces) == words
    chain = chronological_chain(GenericFakeChatModel(messages=iter([AIMessage(words)])))
    assert len([piece async for piece in chain.astream(inputs)]) > 3


async def test_every_part_is_seen_in_the_events():
    chain = chronological_chain(GenericFakeChatModel(messages=iter([AIMessage("Bombs fell.")])))
    events = [event async for event in chain.astream_events({"input": QUESTION, "context": DOCUMENTS}, version="v2")]
    names = {event["name"] for event in events}
    assert {"chronological_chain", "dated_passages", "ChatPromptTemplate", "GenericFakeChatModel", "StrOutputParser"} <= names
    assert sum(event["event"] == "on_chat_model_stream" for event in events) > 1


def test_without_a_model_the_answer_is_a_timeline_that_says_so():
    answer = chronological_chain().invoke({"input": QUESTION, "context": DOCUMENTS[:2]})
    assert "No model was used" in answer
    assert answer.index("Bombs") < answer.index("repaired")


def test_without_documents_the_answer_says_that_nothing_was_found():
    assert "Nothing was found" in chronological_chain().invoke({"input": QUESTION, "context": []})


async def test_it_takes_its_place_in_a_retrieval_chain(retriever):
    chain = create_retrieval_chain(retriever, chronological_chain(FakeListChatModel(responses=["Bombs [1]."])))
    told = chain.invoke({"input": "What happened to the harbour bridge in the 1940s?"})
    assert told["answer"] == "Bombs [1]."
    assert len(told["context"]) == 2
    assert isinstance(told["context"][0], Document)
    assert (await chain.ainvoke({"input": "What happened to the harbour bridge in the 1940s?"}))["answer"] == "Bombs [1]."
    streamed = list(chain.stream({"input": "What happened to the harbour bridge in the 1940s?"}))
    assert "".join(part["answer"] for part in streamed if "answer" in part) == "Bombs [1]."


def test_relative_times_in_the_question_count_from_today():
    prompt = shown_to(lambda model: chronological_chain(model, today="1948-06-01"), input="What happened last year?")
    assert "in 1947" in prompt


def test_a_passage_of_several_times_stands_where_it_first_tells_of_the_asked_one():
    prompt = shown_to(chronological_chain, context=[*DOCUMENTS, LATER])
    assert prompt.index("Bombs damaged") < prompt.index("repaired {twice}") < prompt.index("was painted")


def checked(says, **options):
    answered = RunnablePassthrough.assign(answer=chronological_chain(FakeListChatModel(responses=[says]), **options))
    return answered | RunnablePassthrough.assign(issues=citation_check(**options))


@pytest.mark.parametrize(
    ("says", "kinds"), [("Bombs [1], repairs [2].", []), ("Bombs [7].", ["unknown_citation"]), ("Bombs.", ["no_citation"])]
)
async def test_citations_are_checked_behind_the_chain(says, kinds):
    inputs = {"input": QUESTION, "context": DOCUMENTS}
    assert [issue.kind for issue in checked(says).invoke(inputs)["issues"]] == kinds
    assert [issue.kind for issue in (await checked(says).ainvoke(inputs))["issues"]] == kinds


def test_a_number_of_a_passage_that_did_not_fit_is_no_citation():
    told = checked("A poster [3].", budget_tokens=40).invoke({"input": QUESTION, "context": DOCUMENTS})
    assert [issue.kind for issue in told["issues"]] == ["unknown_citation"]


def test_the_answer_still_streams_before_its_citations_are_checked():
    parts = list(checked("Bombs fell [1].").stream({"input": QUESTION, "context": DOCUMENTS}))
    assert sum("answer" in part for part in parts) > 3
    assert "issues" in parts[-1]
