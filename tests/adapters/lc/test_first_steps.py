"""What a newcomer runs into: settings as keywords, misspelt and mistaken arguments, caps, and logs."""

from __future__ import annotations

import logging
from dataclasses import fields

import pytest
from langchain_core.documents import Document
from pydantic import ValidationError

from chronotope.diachronic import RetrievalSettings
from chronotope.errors import BudgetError
from chronotope.langchain import ChronotopeEmbeddings, DiachronicRetriever, chronological_chain, citation_check
from chronotope.langchain.options import RetrieverOptions
from chronotope.testing import HashEmbedder, ScriptedChat

FORTIES = "What happened to the harbour bridge in the 1940s?"


def test_every_setting_is_a_keyword_of_every_constructor(documents, embeddings, filled_store, tmp_path):
    options = {"time_filter": "off", "undated": "include", "lexical": 0.0, "periods": 3, "subject_words": False}
    made = DiachronicRetriever.from_documents(documents, embeddings=embeddings, date="filed", **options)
    made.save(tmp_path / "saved")
    loaded = DiachronicRetriever.load(tmp_path / "saved", embeddings=embeddings, date="filed", **options)
    over = DiachronicRetriever.from_vector_store(filled_store, date="filed", **options)
    for retriever in (made, loaded, over):
        assert len(retriever.invoke(FORTIES)) == len(documents)
    assert {item.name for item in fields(RetrievalSettings)} <= set(RetrieverOptions.__annotations__)
    assert set(RetrieverOptions.__annotations__) <= set(DiachronicRetriever.model_fields)


def test_a_keyword_wins_over_the_settings_and_is_checked(documents, embeddings):
    settings = RetrievalSettings(k=2, time_filter="off")
    retriever = DiachronicRetriever.from_documents(
        documents, embeddings=embeddings, settings=settings, time_filter="cut", date="filed"
    )
    assert {document.metadata["filed"][:3] for document in retriever.invoke(FORTIES)} == {"194"}
    with pytest.raises(ValidationError, match="lexical must lie between 0 and 1"):
        DiachronicRetriever.from_documents(documents, embeddings=embeddings, lexical=2.0)


def test_a_misspelt_option_is_told_the_near_one(documents, embeddings, filled_store):
    with pytest.raises(ValidationError, match="there is no option 'undatd'; did you mean 'undated'"):
        DiachronicRetriever.from_documents(documents, embeddings=embeddings, undatd="include")
    with pytest.raises(ValidationError, match="did you mean 'pushdown'"):
        DiachronicRetriever.from_vector_store(filled_store, push_down=False)


@pytest.mark.parametrize("question", [None, {"input": FORTIES}, 3])
def test_what_is_no_text_is_no_question(retriever, question):
    with pytest.raises(TypeError, match="a question must be a text"):
        retriever.invoke(question)


def test_mistaken_arguments_are_told_what_is_needed(retriever, documents, embeddings):
    with pytest.raises(TypeError, match="None takes the small local model"):
        DiachronicRetriever.from_documents(documents, embeddings="local")
    with pytest.raises(TypeError, match="such as Document"):
        retriever.add_documents(["one", "two"])
    with pytest.raises(TypeError, match="k must be a whole number, not '3'"):
        retriever.invoke(FORTIES, k="3")
    with pytest.raises(ValidationError, match="date"):
        DiachronicRetriever.from_documents(documents, embeddings=embeddings, date=3)


def test_a_cap_holds_over_all_calls_and_what_was_spent_is_told(documents, embeddings):
    chat = ScriptedChat(lambda _: {"events": [], "published": None, "abstract": "A bridge."})
    retriever = DiachronicRetriever.from_documents([], embeddings=embeddings, llm=chat, annotate="llm", max_calls=3, date="filed")
    retriever.add_documents(documents[:1])
    made = retriever.spent.calls
    assert made == len(chat.calls) > 0
    with pytest.raises(BudgetError, match="the cap of 3 calls"):
        retriever.add_documents(documents[1:])
    assert len(chat.calls) == retriever.spent.calls == 3


def test_an_estimate_calls_nothing_and_adds_nothing(documents, embeddings, filled_store):
    chat = ScriptedChat([])
    retriever = DiachronicRetriever.from_documents([], embeddings=embeddings, llm=chat, annotate="llm", date="filed")
    bill = retriever.estimate(documents)
    assert bill.calls >= bill.embedded == len(documents)
    assert bill.prompt_tokens > 0
    assert len(retriever.index) == len(chat.calls) == 0
    over = DiachronicRetriever.from_vector_store(filled_store, llm=chat, annotate="llm", date="filed")
    assert over.estimate([Document("The bridge fell last spring.")]).calls > 0
    assert not chat.calls


def test_what_a_search_tells_is_information_and_long_questions_are_cut(documents, embeddings, caplog):
    with caplog.at_level(logging.INFO, logger="chronotope"):
        retriever = DiachronicRetriever.from_documents([documents[0], Document(" ")], embeddings=embeddings, date="filed")
        retriever.invoke("What happened in 1703? " + "x" * 900)
    lost, told = caplog.records
    assert (lost.levelno, told.levelno) == (logging.WARNING, logging.INFO)
    assert lost.getMessage().startswith("1 document was added: 1 blank")
    assert "empty_window" in told.getMessage()
    assert len(told.getMessage()) < 500


def test_the_embeddings_take_the_local_model_when_none_is_given(monkeypatch):
    monkeypatch.setattr("chronotope.defaults.default_embedder", lambda: HashEmbedder(16))
    assert ChronotopeEmbeddings().embedder.model_id == HashEmbedder(16).model_id


def test_an_empty_answer_is_given_as_it_is_and_the_check_behind_the_chain_tells(documents):
    inputs = {"input": FORTIES, "context": documents}
    answer = chronological_chain(ScriptedChat([""])).invoke(inputs)
    assert answer == ""
    assert [issue.kind for issue in citation_check().invoke({**inputs, "answer": answer})] == ["reply_refused"]
