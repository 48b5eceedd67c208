"""LlamaIndex's models serve chronotope, and chronotope's embedders serve LlamaIndex."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.prompts import PromptTemplate
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from chronotope.llama_index import ChronotopeEmbedding, LlamaIndexChat, LlamaIndexEmbedder, LlamaIndexReranker
from chronotope.llama_index.models import _reply, as_chat, as_embedder
from chronotope.models import ChatModel, Embedder, Message, Reranker
from chronotope.testing import HashEmbedder, ScriptedChat

ASKED = [Message("system", "Be brief."), Message("user", "When?")]


def test_the_wrappers_are_what_chronotope_asks_for() -> None:
    assert isinstance(LlamaIndexChat(MockLLM()), ChatModel)
    assert isinstance(LlamaIndexEmbedder(MockEmbedding(4)), Embedder)
    assert isinstance(LlamaIndexReranker(ByLength()), Reranker)


def test_a_chat_model_gets_messages(chat_llm: Any) -> None:
    LlamaIndexChat(chat_llm).chat(ASKED)
    assert [(turn.role.value, turn.content) for turn in chat_llm.last_chat_messages] == [("system", "Be brief."), ("user", "When?")]
    assert chat_llm.called == ["chat"]


async def test_async_work_uses_the_async_method(chat_llm: Any) -> None:
    await LlamaIndexChat(chat_llm).achat(ASKED)
    assert "achat" in chat_llm.called


async def test_a_completion_model_gets_a_prompt_made_its_own_way() -> None:
    llm = MockLLM(messages_to_prompt=lambda turns: "|".join(str(turn.content) for turn in turns))
    assert LlamaIndexChat(llm).chat(ASKED).text == "Be brief.|When?"
    assert (await LlamaIndexChat(llm).achat(ASKED)).text == "Be brief.|When?"


def test_the_system_prompt_and_the_query_wrapper_of_a_model_are_kept() -> None:
    llm = MockLLM(system_prompt="You are a clerk.", messages_to_prompt=lambda turns: "|".join(str(turn.content) for turn in turns))
    llm.query_wrapper_prompt = PromptTemplate("<<{query_str}>>")
    assert LlamaIndexChat(llm).chat(ASKED).text == "<<You are a clerk.|Be brief.|When?>>"


def test_a_schema_is_told_in_words_and_the_messages_stay_as_they_were(chat_llm: Any) -> None:
    LlamaIndexChat(chat_llm).chat(ASKED, schema={"type": "object", "properties": {"year": {"type": "integer"}}})
    assert '{"year":{"type":"integer"}}' in str(chat_llm.last_chat_messages[-1].content)
    assert ASKED[-1].content == "When?"


async def test_answers_stream_piece_by_piece(chat_llm: Any) -> None:
    for llm in (chat_llm, MockLLM()):
        chat = LlamaIndexChat(llm)
        pieces = list(chat.stream(ASKED))
        assert len(pieces) > 1
        assert "".join(pieces) == "".join([piece async for piece in chat.astream(ASKED)])


def test_the_model_id_changes_with_settings_and_holds_no_secret() -> None:
    class Keyed(MockLLM):
        api_key: str = "sk-secret"
        temperature: float = 0.0

    cold, warm = Keyed(), Keyed()
    warm.temperature = 1.0
    assert LlamaIndexChat(cold).model_id != LlamaIndexChat(warm).model_id
    assert "secret" not in LlamaIndexChat(cold).model_id


@pytest.mark.parametrize(
    ("raw", "truncated", "tokens"),
    [
        ({"choices": [{"finish_reason": "length"}], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}, True, (5, 2)),
        ({"choices": [{"finish_reason": "stop"}]}, False, (None, None)),
        ({"stop_reason": "max_tokens"}, True, (None, None)),
        ({"done_reason": "length"}, True, (None, None)),
        (None, False, (None, None)),
    ],
)
def test_cut_answers_and_token_counts_are_read_from_what_providers_send(
    raw: Any, truncated: bool, tokens: tuple[int | None, int | None]
) -> None:
    for response in (CompletionResponse(text="x", raw=raw), ChatResponse(message=ChatMessage(content="x"), raw=raw)):
        reply = _reply(response)
        assert (reply.truncated, (reply.prompt_tokens, reply.completion_tokens)) == (truncated, tokens)


def test_a_message_without_content_is_an_empty_reply() -> None:
    assert _reply(ChatResponse(message=ChatMessage(content=None))).text == ""


class TwoSided(MockEmbedding):
    """Questions and passages get different, unnormalised vectors."""

    def _get_query_embedding(self, query: str) -> list[float]:
        return [3.0, 4.0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return [3.0, 4.0]

    def _get_text_embedding(self, text: str) -> list[float]:
        return [0.0, 0.0] if text == "zero" else [0.0, 2.0]

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embedding(text)


async def test_questions_and_passages_are_embedded_by_their_own_methods_at_unit_length() -> None:
    model = LlamaIndexEmbedder(TwoSided(2))
    for query, passages in (
        (model.embed(["q"], kind="query"), model.embed(["p", "zero"])),
        (await model.aembed(["q"], kind="query"), await model.aembed(["p", "zero"])),
    ):
        assert np.allclose(query, [[0.6, 0.8]])
        assert np.allclose(passages, [[0, 1], [0, 0]])
        assert passages.dtype == np.float32


def test_an_embedder_of_ours_serves_a_vector_store_index(nodes: list[TextNode], embedding: ChronotopeEmbedding) -> None:
    index = VectorStoreIndex(nodes, embed_model=embedding)
    assert index.as_retriever(similarity_top_k=1).retrieve("Apollo 11 lands on the Moon")[0].node.node_id == "d"


async def test_sync_and_async_embeddings_are_equal(embedding: ChronotopeEmbedding) -> None:
    assert embedding.get_text_embedding("the moon") == await embedding.aget_text_embedding("the moon")
    assert embedding.get_query_embedding("the moon") == await embedding.aget_query_embedding("the moon")


def test_the_embedding_is_named_after_its_embedder_and_refuses_another_name(embedding: ChronotopeEmbedding) -> None:
    assert embedding.model_name == "hash-256"
    assert embedding.class_name() == "ChronotopeEmbedding"
    saved = embedding.to_dict()
    assert "embedder" not in saved
    assert ChronotopeEmbedding.from_dict(saved, embedder=HashEmbedder(256)).model_name == "hash-256"
    with pytest.raises(ValueError, match="hash-256"):
        ChronotopeEmbedding.from_dict(saved, embedder=HashEmbedder(8))


def test_the_embedding_pickles_and_copies(embedding: ChronotopeEmbedding) -> None:
    for twin in (pickle.loads(pickle.dumps(embedding)), copy.deepcopy(embedding)):
        assert twin.get_query_embedding("moon") == embedding.get_query_embedding("moon")


def test_wrapping_is_undone_instead_of_nested(embedding: ChronotopeEmbedding) -> None:
    assert as_embedder(embedding) is embedding.embedder
    ours = ScriptedChat([])
    assert as_chat(ours) is ours
    assert as_chat(None) is None


class ByLength(BaseNodePostprocessor):
    """Scores by length and keeps two."""

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> list[NodeWithScore]:
        scored = [NodeWithScore(node=item.node, score=float(len(item.text))) for item in nodes]
        return sorted(scored, key=lambda item: -item.get_score())[:2]


async def test_a_reranking_postprocessor_scores_texts_and_what_it_leaves_out_is_last() -> None:
    reranker = LlamaIndexReranker(ByLength())
    assert reranker.rank("q", ["aaa", "a", "aaaa"]) == [3.0, 2.0, 4.0]
    assert await reranker.arank("q", ["aaa", "a", "aaaa"]) == [3.0, 2.0, 4.0]
