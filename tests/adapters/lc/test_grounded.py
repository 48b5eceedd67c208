"""Grounded answers in LangChain: chains, streams, stores without facts, prompts, checks."""

from __future__ import annotations

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from chronotope.langchain import (
    ChronotopeEmbeddings,
    LitSegTextSplitter,
    SliceRetriever,
    citation_check,
    grounded_chain,
    grounded_check,
    grounded_prompt,
    time_cot_check,
)
from chronotope.slices.answer.answer import NO_MODEL, NO_USABLE, NOTHING_FOUND
from chronotope.testing import HashEmbedder, ScriptedChat
from support_told_story import ANSWER, CHAPTERS, FACTS, STORY, WEDDING

ASKED = "Whom did Ann Lee marry in chapter 2?"
SHOWN = f"Tom Rask [1 “{WEDDING}”]."
EMBEDDINGS = ChronotopeEmbeddings(HashEmbedder(256))


@pytest.fixture
def retriever():
    return SliceRetriever.from_facts(FACTS, documents=[Document(STORY, id="story")], embeddings=EMBEDDINGS, k=4, passages=1)


@pytest.fixture
def inputs(retriever):
    return {"input": ASKED, "context": retriever.invoke(ASKED)}


def saying(text=ANSWER):
    return GenericFakeChatModel(messages=iter([AIMessage(text)] * 3))


def asked(retriever, chain):
    return {"context": retriever, "input": RunnablePassthrough()} | RunnablePassthrough.assign(answer=chain)


def sent_by(chain, inputs):
    """What the model was sent."""
    sent = []

    def remember(value):
        sent.append(value.to_string())
        return AIMessage(ANSWER)

    chain(RunnableLambda(remember)).invoke(inputs)
    return sent[0].rsplit("Human: ", 1)[1]  # without the instructions, which name marks too


def test_the_model_sees_facts_with_coordinates_and_passages_and_only_the_answer_leaves(retriever, inputs):
    text = sent_by(grounded_chain, inputs)
    assert "[1] Ann Lee — married to — Tom Rask (chapter 2" in text
    assert "[P1]" in text
    assert "Asked for: chapters 2" in text
    assert asked(retriever, grounded_chain(saying())).invoke(ASKED)["answer"] == SHOWN


def test_for_a_reader_the_prompt_holds_nothing_of_later_chapters():
    segments = LitSegTextSplitter().split_documents([Document(STORY, id="story")])
    retriever = SliceRetriever.from_documents(segments, embeddings=EMBEDDINGS, k=20, passages=5)
    question = "Whom did Ann Lee marry, and who left the Mill?"
    text = sent_by(grounded_chain, {"input": question, "context": retriever.invoke(question, reader_at=2)})
    assert WEDDING in text
    assert not [word for word in ("died", "Quist", "Garden", "chapter 3", "chapter 4") if word in text]


async def test_it_streams_the_answer_alone(inputs):
    chain = grounded_chain(saying())
    pieces = [piece for piece in chain.stream(inputs) if piece]
    assert "".join(pieces) == SHOWN
    assert len(pieces) > 1
    assert "".join([piece async for piece in chain.astream(inputs)]) == SHOWN
    assert await chain.ainvoke(inputs) == SHOWN


def test_it_stands_in_create_retrieval_chain(retriever):
    chains = pytest.importorskip("langchain_classic.chains", exc_type=ImportError)
    chain = chains.create_retrieval_chain(retriever, grounded_chain(saying()))
    assert chain.invoke({"input": ASKED})["answer"] == SHOWN


def test_without_a_model_the_facts_themselves_answer(inputs):
    answer = grounded_chain().invoke(inputs)
    assert NO_MODEL in answer
    assert WEDDING in answer


@pytest.mark.parametrize("reply", ["", " ", "ANSWER:", "<think>hm</think>"])
async def test_a_reply_without_an_answer_gives_way_to_the_facts(inputs, reply):
    chain = grounded_chain(ScriptedChat([reply] * 4))
    told = chain.invoke(inputs)
    assert NO_USABLE in told
    assert NO_MODEL not in told
    assert await chain.ainvoke(inputs) == "".join(chain.stream(inputs)) == told
    assert "".join([piece async for piece in chain.astream(inputs)]) == told
    assert [issue.kind for issue in grounded_check().invoke({**inputs, "answer": told})] == ["reply_refused"]


def test_without_documents_no_model_is_asked():
    chat = ScriptedChat([])
    assert grounded_chain(chat).invoke({"input": ASKED, "context": []}) == NOTHING_FOUND
    assert chat.calls == []


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (SHOWN, []),
        ("So it was [44 “Tom”].", ["unknown_citation"]),
        ("So it was [1 “they sailed away”].", ["non_verbatim_citation"]),
        ("So it was.", ["no_citation"]),
        (" ", ["reply_refused"]),
    ],
)
def test_a_check_behind_the_chain_compares_every_citation(retriever, answer, found):
    whole = asked(retriever, RunnableLambda(lambda _: answer)) | RunnablePassthrough.assign(issues=grounded_check())
    assert [issue.kind for issue in whole.invoke(ASKED)["issues"]] == found


def test_a_plain_vector_store_gives_passages():
    store = InMemoryVectorStore(EMBEDDINGS)
    store.add_documents([Document(text) for text in CHAPTERS])
    inputs = {"input": ASKED, "context": store.as_retriever(search_kwargs={"k": 2}).invoke("Ann Lee married Tom Rask")}
    text = sent_by(grounded_chain, inputs)
    assert "[P1]" in text
    assert "[P2]" in text
    assert grounded_check().invoke({**inputs, "answer": f"Tom Rask [P1 “{WEDDING}”]."}) == []


def test_facts_of_a_store_keep_their_coordinates(retriever):
    store = InMemoryVectorStore(EMBEDDINGS)
    store.add_documents(retriever.invoke(ASKED))
    inputs = {"input": ASKED, "context": store.as_retriever(search_kwargs={"k": 4}).invoke(ASKED)}
    assert "Ann Lee — married to — Tom Rask (chapter 2" in sent_by(grounded_chain, inputs)


def test_a_prompt_of_ones_own_may_use_facts_and_passages_together(inputs):
    mine = ChatPromptTemplate.from_template("{context}\nQ: {input}")
    text = sent_by(lambda llm: grounded_chain(llm, prompt=mine), inputs)
    assert "<facts>" in text
    assert "<passages>" in text
    assert set(grounded_prompt().input_variables) == {"input", "facts", "passages", "scope", "reply_form"}


def test_without_the_form_of_the_reply_it_leaves_as_it_comes(inputs):
    mine = ChatPromptTemplate.from_template("{facts}\nQ: {input}")
    assert grounded_chain(saying("No marker."), prompt=mine).invoke(inputs) == "No marker."


def test_the_budget_and_the_share_decide_what_is_shown(inputs):
    assert "[2]" not in sent_by(lambda llm: grounded_chain(llm, budget_tokens=1), inputs)
    assert "[P1]" not in sent_by(lambda llm: grounded_chain(llm, passage_share=0), inputs)


@pytest.mark.parametrize("options", [{"passage_share": 2.0}, {"budget_tokens": 0}])
def test_a_wrong_option_of_the_chain_is_told_at_once(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        grounded_chain(**options)


@pytest.mark.parametrize("llm", [None, ScriptedChat([])])
def test_an_input_of_the_wrong_form_is_an_error_that_shows_the_right_one(llm):
    form = r'\{"input": question, "context": documents\}'
    with pytest.raises(TypeError, match=f"{form}, not str"):
        grounded_chain(llm).invoke("Who?")
    with pytest.raises(ValueError, match="no key 'input'"):
        grounded_chain(llm).invoke({"question": "Who?", "context": []})


def test_a_retriever_in_place_of_the_model_is_an_error_that_tells_where_it_stands(retriever):
    with pytest.raises(TypeError, match=r"create_retrieval_chain\(retriever, grounded_chain\(llm\)\)"):
        grounded_chain(retriever)


@pytest.mark.parametrize("check", [grounded_check, time_cot_check, citation_check])
def test_a_check_without_an_answer_says_where_it_stands(check):
    with pytest.raises(ValueError, match=r"no key 'answer'; the check stands behind RunnablePassthrough.assign\(answer=…\)"):
        check().invoke({"input": "Who?", "context": []})
    with pytest.raises(TypeError, match="not str"):
        check().invoke("Who?")
