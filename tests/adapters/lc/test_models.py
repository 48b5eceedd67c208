"""LangChain models in chronotope's steps, and chronotope's in LangChain."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.language_models import FakeListChatModel, FakeListLLM, GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import BaseModel

from chronotope.langchain import ChronotopeEmbeddings, LangChainChat, LangChainEmbedder, LangChainReranker
from chronotope.langchain.models import as_chat, as_embedder, as_reranker, as_runnable
from chronotope.models import ChatModel, Embedder, Message, Reranker
from chronotope.prompts import Prompt
from chronotope.steps import Runner, ask
from chronotope.testing import HashEmbedder, ScriptedChat

TURNS = [Message("system", "Be brief."), Message("user", "When?")]


@pytest.mark.parametrize(
    "runnable",
    [
        FakeListChatModel(responses=["1689"]),
        FakeListLLM(responses=["1689"]),
        FakeListChatModel(responses=["1689"]) | StrOutputParser(),
        FakeListChatModel(responses=["1689"]).bind(stop=["."]),
        RunnableLambda(lambda turns: "1689"),
        GenericFakeChatModel(messages=iter([AIMessage(content=[{"type": "text", "text": "1689"}])])),
    ],
    ids=["chat", "text", "chain", "bound", "function", "blocks"],
)
def test_whatever_answers_messages_is_a_chat_model(runnable):
    chat = LangChainChat(runnable)
    assert isinstance(chat, ChatModel)
    assert chat.chat(TURNS).text == "1689"


async def test_a_chat_model_answers_awaited_too():
    assert (await LangChainChat(FakeListChatModel(responses=["1689"])).achat(TURNS)).text == "1689"


def test_the_schema_reaches_the_model_as_text_at_the_end_of_the_last_turn():
    seen = []
    LangChainChat(RunnableLambda(lambda turns: seen.extend(turns) or "{}")).chat(TURNS, schema={"type": "object", "properties": {}})
    assert [turn.type for turn in seen] == ["system", "human"]
    assert seen[0].content == "Be brief."
    assert seen[1].content.startswith("When?")
    assert '"type":"object"' in seen[1].content


def test_a_fenced_reply_is_repaired_and_a_refused_one_is_answered_with_the_reason():
    class Year(BaseModel):
        year: int

    prompt = Prompt("year", "1", "", "When was $event?", Year)
    model = FakeListChatModel(responses=["I think so.", 'Sure: ```json\n{"year": 1689}\n```'])
    assert Runner(LangChainChat(model)).run(ask(prompt, event="the revolution")).year == 1689


@pytest.mark.parametrize("told", [{"finish_reason": "length"}, {"stop_reason": "max_tokens"}])
def test_a_reply_that_stopped_at_the_length_limit_says_so_and_counts_its_tokens(told):
    usage = {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}
    message = AIMessage("16", response_metadata=told, usage_metadata=usage)
    reply = LangChainChat(RunnableLambda(lambda turns: message)).chat(TURNS)
    assert (reply.truncated, reply.prompt_tokens, reply.completion_tokens) == (True, 5, 2)


def test_an_answer_that_is_neither_message_nor_text_is_refused_by_name():
    with pytest.raises(TypeError, match="not dict"):
        LangChainChat(RunnableLambda(lambda turns: {"year": 1689})).chat(TURNS)


def test_a_model_is_named_by_class_and_model_even_when_it_is_bound():
    class Named(FakeListChatModel):
        model: str = "tiny-1"

    assert (
        LangChainChat(Named(responses=["x"])).model_id
        == LangChainChat(Named(responses=["x"]).bind(stop=["."])).model_id
        == "Named:tiny-1"
    )
    assert LangChainChat(Named(responses=["x"]), "mine").model_id == "mine"


def test_embeddings_become_unit_vectors_and_keep_queries_apart():
    class Twofold(Embeddings):
        def embed_documents(self, texts):
            return [[3.0, 4.0] for _ in texts]

        def embed_query(self, text):
            return [0.0, 0.0]

    embedder = LangChainEmbedder(Twofold())
    assert isinstance(embedder, Embedder)
    np.testing.assert_allclose(embedder.embed(["a", "b"]), [[0.6, 0.8]] * 2, rtol=1e-6)
    assert not embedder.embed(["a"], kind="query").any()
    assert embedder.embed(["a"]).dtype == np.float32
    assert len(embedder.embed([])) == 0


async def test_embeddings_answer_awaited_as_they_do_otherwise():
    embedder = LangChainEmbedder(DeterministicFakeEmbedding(size=8))
    for kind in ("passage", "query"):
        np.testing.assert_array_equal(await embedder.aembed(["a", "b"], kind=kind), embedder.embed(["a", "b"], kind=kind))


async def test_an_embedder_serves_any_vector_store():
    store = InMemoryVectorStore(ChronotopeEmbeddings(HashEmbedder()))
    await store.aadd_documents([Document("the old king"), Document("a train")])
    assert store.similarity_search("king", k=1)[0].page_content == "the old king"
    assert (await store.asimilarity_search("king", k=1))[0].page_content == "the old king"


def test_embeddings_made_from_an_embedder_give_that_embedder_back():
    embedder = HashEmbedder()
    assert as_embedder(ChronotopeEmbeddings(embedder)) is embedder
    assert as_embedder(embedder) is embedder


class ShortestFirst(BaseDocumentCompressor):
    def compress_documents(self, documents, query, callbacks=None):
        return sorted(documents, key=lambda document: len(document.page_content))[:2]


async def test_a_document_compressor_is_a_reranker_and_what_it_drops_comes_last():
    reranker = as_reranker(ShortestFirst())
    assert isinstance(reranker, LangChainReranker)
    assert isinstance(reranker, Reranker)
    scores = reranker.rank("q", ["ccc", "a", "bb"])
    assert sorted(range(3), key=lambda place: -scores[place]) == [1, 2, 0]
    assert await reranker.arank("q", ["ccc", "a", "bb"]) == scores
    assert reranker.rank("q", []) == []


@pytest.mark.parametrize("convert", [as_chat, as_embedder, as_reranker, as_runnable])
def test_what_is_no_model_is_refused_at_once(convert):
    with pytest.raises(TypeError, match="not str"):
        convert("gpt")


async def test_a_chat_model_of_chronotope_ends_a_chain():
    chain = ChatPromptTemplate.from_messages([("system", "Be brief."), ("human", "{question}")]) | as_runnable(
        ScriptedChat(["1689", "1690"])
    )
    assert chain.invoke({"question": "When?"}) == "1689"
    assert await chain.ainvoke({"question": "And then?"}) == "1690"


def test_wrapped_models_can_be_pickled():
    for model in (LangChainChat(FakeListChatModel(responses=["x"])), LangChainEmbedder(DeterministicFakeEmbedding(size=4))):
        assert pickle.loads(pickle.dumps(model)).model_id == model.model_id
