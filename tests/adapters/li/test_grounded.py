"""Grounded answers in LlamaIndex: coordinates in the prompt, copied proofs, streams, stores without facts, prompts, metadata."""

from __future__ import annotations

import json

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.prompts import PromptTemplate
from llama_index.core.query_engine import CitationQueryEngine, RetrieverQueryEngine
from llama_index.core.schema import Document, QueryBundle, TextNode
from pydantic import BaseModel

from chronotope.errors import PromptError
from chronotope.llama_index import (
    ChronologicalSynthesizer,
    ChronotopeEmbedding,
    GroundedSynthesizer,
    LitSegNodeParser,
    SliceRetriever,
    TimeCoTSynthesizer,
)
from chronotope.llama_index.convert import split_documents
from chronotope.models import Reply
from chronotope.slices.answer.answer import NO_MODEL, NO_USABLE
from chronotope.testing import HashEmbedder, ScriptedChat
from support_told_story import ANSWER, CHAPTERS, FACTS, STORY, WEDDING

ASKED = "Whom did Ann Lee marry in chapter 2?"
SHOWN = f"Tom Rask [1 “{WEDDING}”]."


class Streaming:
    """Answers in pieces of three letters."""

    model_id = "streaming"

    def __init__(self, text=ANSWER):
        self.text = text

    def chat(self, messages, *, schema=None):
        return Reply(self.text)

    async def achat(self, messages, *, schema=None):
        return Reply(self.text)

    def stream(self, messages):
        yield from (self.text[at : at + 3] for at in range(0, len(self.text), 3))

    async def astream(self, messages):
        for piece in self.stream(messages):
            yield piece


@pytest.fixture
def retriever():
    nodes = split_documents([Document(text=STORY, id_="story")], max_tokens=30)
    return SliceRetriever.from_facts(FACTS, nodes=nodes, embed_model=HashEmbedder(256), k=4, passages=1)


def engine(retriever, llm=None, **options):
    return RetrieverQueryEngine(retriever, response_synthesizer=GroundedSynthesizer(llm, **options))


def kinds(response):
    return [issue.kind for issue in response.metadata["chronotope"]["issues"]]


def test_a_model_gets_facts_with_coordinates_and_passages_and_only_its_answer_is_shown(retriever):
    chat = ScriptedChat([ANSWER])
    response = engine(retriever, chat).query(ASKED)
    assert str(response) == SHOWN
    sent = chat.calls[0].messages[-1].content
    assert "[1] Ann Lee — married to — Tom Rask (chapter 2" in sent
    assert "[P1]" in sent
    assert "chapters 2" in sent
    report = response.metadata["chronotope"]
    assert report["by_model"] is True
    assert report["issues"] == []
    assert [(one["mark"], one["quote"], one["kind"]) for one in report["citations"]] == [("1", WEDDING, "verbatim")]
    assert [item.node.node_id for item in response.source_nodes] == report["evidence"]
    assert report["marks"] == ["1", "2", "3", "4", "P1"]


def test_for_a_reader_the_prompt_and_the_report_hold_nothing_of_later_chapters():
    nodes = LitSegNodeParser()([Document(text=STORY, id_="story")])
    retriever = SliceRetriever.from_nodes(nodes, embed_model=HashEmbedder(256), k=20, passages=5, reader_at=2)
    chat = ScriptedChat([ANSWER])
    response = engine(retriever, chat).query("Whom did Ann Lee marry, and who died at the Mill?")
    shown = "\n".join(message.content for message in chat.calls[0].messages[:-1]) + str(response.metadata)
    shown += chat.calls[0].messages[-1].content.replace("Whom did Ann Lee marry, and who died at the Mill?", "")
    assert WEDDING in shown
    assert not [word for word in ("died", "Quist", "Garden", "chapter 3", "chapter 4") if word in shown]


def test_the_report_is_json_but_for_its_issues(retriever):
    report = engine(retriever, ScriptedChat([ANSWER])).query(ASKED).metadata["chronotope"]
    assert json.loads(json.dumps({key: value for key, value in report.items() if key != "issues"}))["marks"][0] == "1"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("ANSWER: So it was [44 “Tom”].", "unknown_citation"),
        ("ANSWER: So it was [1 “they sailed away”].", "non_verbatim_citation"),
        (f"ANSWER: So it was [1 “{WEDDING} They sailed away.”].", "mixed_citation"),
        ("ANSWER: So it was.", "no_citation"),
        ("NO ANSWER: the facts do not tell it.", "not_told"),
        ("Tom Rask, of course.", "no_citation"),
    ],
)
def test_what_does_not_hold_is_an_issue(retriever, reply, kind):
    assert kind in kinds(engine(retriever, ScriptedChat([reply])).query(ASKED))


def test_a_stream_shows_the_answer_alone_and_compares_it_at_the_end(retriever):
    response = engine(retriever, Streaming(), streaming=True).query(ASKED)
    pieces = list(response.response_gen)
    assert "".join(pieces) == SHOWN
    assert len(pieces) > 3
    assert response.metadata["chronotope"]["issues"] == []
    assert response.metadata["chronotope"]["citations"][0]["kind"] == "verbatim"


async def test_awaited_with_and_without_a_stream_it_answers_the_same(retriever):
    response = await engine(retriever, Streaming(), streaming=True).aquery(ASKED)
    assert "".join([piece async for piece in response.async_response_gen()]) == SHOWN
    assert str(await engine(retriever, ScriptedChat([ANSWER])).aquery(ASKED)) == SHOWN


def test_without_a_model_the_facts_themselves_answer(retriever):
    response = engine(retriever).query(ASKED)
    assert NO_MODEL in str(response)
    assert WEDDING in str(response)
    assert response.metadata["chronotope"]["by_model"] is False


def test_an_empty_reply_gives_way_to_the_facts(retriever):
    response = engine(retriever, ScriptedChat([" "])).query(ASKED)
    assert NO_USABLE in str(response)
    assert "reply_refused" in kinds(response)


def test_a_plain_vector_store_gives_passages_that_are_cited_as_such():
    nodes = [TextNode(text=text, id_=f"c{number}") for number, text in enumerate(CHAPTERS, 1)]
    index = VectorStoreIndex(nodes, embed_model=ChronotopeEmbedding(embedder=HashEmbedder(256)))
    chat = ScriptedChat([f"ANSWER: Tom Rask [P1 “{WEDDING}”]."])
    response = engine(index.as_retriever(similarity_top_k=2), chat).query("Ann Lee married Tom Rask")
    assert response.metadata["chronotope"]["marks"] == ["P1", "P2"]
    assert kinds(response) == []
    assert str(engine(index.as_retriever(similarity_top_k=2)).query(ASKED)).startswith(NO_MODEL)


def test_facts_of_the_users_own_index_keep_their_coordinates(retriever):
    facts = [item.node for item in retriever.retrieve(ASKED) if "statement" in item.node.metadata]
    index = VectorStoreIndex(facts, embed_model=ChronotopeEmbedding(embedder=HashEmbedder(256)))
    chat = ScriptedChat([ANSWER])
    engine(index.as_retriever(similarity_top_k=4), chat).query(ASKED)
    assert "Ann Lee — married to — Tom Rask (chapter 2" in chat.calls[0].messages[-1].content


def test_what_does_not_fit_the_budget_is_counted_and_the_best_line_stays(retriever):
    chat = ScriptedChat([ANSWER])
    response = engine(retriever, chat, budget_tokens=1).query(ASKED)
    assert response.metadata["chronotope"]["marks"] == ["1"]
    assert "over_budget" in kinds(response)
    assert len(response.source_nodes) == 5


def test_without_passages_or_without_facts(retriever):
    shares = {share: engine(retriever, ScriptedChat([ANSWER]), passage_share=share).query(ASKED) for share in (0, 1)}
    assert [mark[0] == "P" for mark in shares[0].metadata["chronotope"]["marks"]] == [False] * 4
    assert shares[1].metadata["chronotope"]["marks"] == ["P1"]


def test_prompts_are_shown_and_replaced(retriever):
    chat = ScriptedChat(["Tom Rask [1 “married Tom Rask”]."])
    synthesizer = GroundedSynthesizer(chat)
    assert {"facts", "passages", "query_str", "scope", "reply_form"} == set(
        synthesizer.get_prompts()["answer_prompt"].template_vars
    )
    synthesizer.update_prompts({"answer_prompt": PromptTemplate("Facts: {facts}\nQ: {query_str}")})
    response = RetrieverQueryEngine(retriever, response_synthesizer=synthesizer).query(ASKED)
    assert str(response) == "Tom Rask [1 “married Tom Rask”]."
    assert chat.calls[0].messages[0].content.startswith("Facts: <facts>")
    assert kinds(response) == []
    with pytest.raises(PromptError, match="facts"):
        GroundedSynthesizer(chat, prompt=PromptTemplate("{query_str}"))


def test_a_model_of_the_framework_is_asked_once(retriever, chat_llm):
    response = engine(retriever, chat_llm).query(ASKED)
    assert chat_llm.called == ["chat"]
    assert WEDDING in str(chat_llm.last_chat_messages)
    assert response.metadata["chronotope"]["by_model"] is True


@pytest.mark.parametrize("options", [{"passage_share": 2.0}, {"budget_tokens": 0}])
def test_a_wrong_option_is_told_at_once(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        GroundedSynthesizer(**options)


def test_nothing_found_asks_no_model():
    chat = ScriptedChat([])
    assert str(GroundedSynthesizer(chat).synthesize(QueryBundle(ASKED), [])) == "Empty Response"
    assert chat.calls == []


def test_it_answers_bare_texts():
    chat = ScriptedChat([f"ANSWER: Tom Rask [P1 “{WEDDING}”]."])
    assert GroundedSynthesizer(chat).get_response(ASKED, list(CHAPTERS)).startswith("Tom Rask")


def test_it_tells_what_it_is():
    assert repr(GroundedSynthesizer()) == "<GroundedSynthesizer, no model, budget_tokens=3000, passage_share=0.5>"


def test_behind_a_citation_engine_source_nodes_are_in_the_order_of_the_marks(retriever):
    citing = CitationQueryEngine(retriever=retriever, llm=MockLLM(), response_synthesizer=GroundedSynthesizer())
    response = citing.query(ASKED)
    assert [item.node.node_id for item in response.source_nodes] == response.metadata["chronotope"]["evidence"]
    assert response.metadata["chronotope"]["marks"] == ["1", "2", "3", "4", "P1"]


@pytest.mark.parametrize(
    ("options", "told"),
    [({"prompt": "Answer."}, "LlamaIndex template"), ({"keys": "filed"}, "MetadataKeys"), ({"date": 3}, "date=")],
)
def test_an_option_of_another_kind_is_an_error_that_shows_the_right_one(options, told):
    with pytest.raises(TypeError, match=told):
        GroundedSynthesizer(**options)


@pytest.mark.parametrize("make", [GroundedSynthesizer, ChronologicalSynthesizer, TimeCoTSynthesizer])
def test_a_synthesizer_says_which_options_it_has_and_how_an_object_is_asked_for(make):
    class Answer(BaseModel):
        who: str

    with pytest.raises(TypeError, match=rf"output_cls.*{make.__name__}\(llm.as_structured_llm"):
        make(output_cls=Answer)
    with pytest.raises(TypeError, match="did you mean 'budget_tokens'"):
        make(budget_token=5)
    assert make(output_cls=None, callback_manager=None)
