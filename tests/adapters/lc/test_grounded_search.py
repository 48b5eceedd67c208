"""What a search has to say reaches the answer in LangChain: issues, the answer by name, that nothing lies in what is asked."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnablePassthrough

from chronotope.langchain import SliceRetriever, grounded_chain, grounded_check
from chronotope.langchain.chain_parts import ReplyText, reply_issues
from chronotope.slices import SliceSettings, build_story_index, facts_answer, read_facts, retrieve_slice
from chronotope.slices.answer.answer import NO_MODEL, NO_USABLE, NOTHING_FOUND
from chronotope.slices.ontology import Ontology
from chronotope.steps import Runner
from chronotope.testing import HashEmbedder, ScriptedChat
from support_told_story import ANSWER, FACTS, STORY, WEDDING

QUINCE = Path(__file__).parents[3] / "cookbook" / "data" / "the_quince_house.facts.jsonl"
EMBEDDER = HashEmbedder(64)
MAID = "Who served Isolde Varley?"
BALL = "Who served Isolde Varley before the Christmas ball?"
UNKNOWN = "Whom did Clara Varley meet in chapter 42?"
ROWS = [json.loads(line) for line in QUINCE.read_text(encoding="utf-8").splitlines()]
LATE = [row["quote"] for row in ROWS if row.get("chapter", 0) > 3 and "quote" in row]
SAID = "Bettine Low had served her there since the wedding."


@pytest.fixture(scope="module")
def retriever():
    return SliceRetriever.from_facts(QUINCE, embeddings=EMBEDDER, k=20)


@pytest.fixture(scope="module")
def core():
    """What the core answers without any framework."""
    found = read_facts(QUINCE, ontology=Ontology.load("general_fiction"))
    runner = Runner(None, EMBEDDER)
    built = build_story_index(found.items, embedder_id=EMBEDDER.model_id, entities=found.entities, axis=found.story_axis)
    index = runner.run(built)
    return lambda question: facts_answer(runner.run(retrieve_slice(index, question, settings=SliceSettings(k=20))))


def answered(retriever, question, llm=None):
    chain = {"context": retriever, "input": RunnablePassthrough()} | RunnablePassthrough.assign(answer=grounded_chain(llm))
    return (chain | RunnablePassthrough.assign(issues=grounded_check())).invoke(question)


def kinds(told):
    return [issue.kind for issue in told["issues"]]


@pytest.mark.parametrize("question", [MAID, BALL, UNKNOWN, "Who served Lord Fenwick?"])
def test_an_answer_without_a_model_begins_as_that_of_the_core(retriever, core, question):
    wanted = core(question).text.split(NO_MODEL)[0]
    assert answered(retriever, question)["answer"].split(NO_MODEL)[0] == wanted


def test_the_answer_by_name_comes_first_with_its_proof(retriever):
    told = answered(retriever, MAID)
    assert told["answer"].startswith(f"Bettine Low [1 “{SAID}”]\n{NO_MODEL}\n")
    assert told["issues"] == []


def test_without_its_fact_among_the_documents_there_is_no_answer_by_name(retriever):
    documents = [one for one in retriever.invoke(MAID) if one.page_content != SAID]
    assert grounded_chain().invoke({"input": MAID, "context": documents}).startswith(NO_MODEL)


def test_for_another_question_than_that_of_the_search_there_is_no_answer_by_name(retriever):
    answer = grounded_chain().invoke({"input": "Who served Clara Varley?", "context": retriever.invoke(MAID)})
    assert answer.startswith(NO_MODEL)


def test_what_the_search_could_not_resolve_is_told(retriever, core):
    told = answered(retriever, BALL)
    assert "unresolved_time" in kinds(told)
    assert {issue.kind for issue in core(BALL).issues} >= {*kinds(told)}


def test_that_nothing_lies_in_what_is_asked_is_said_first(retriever):
    told = answered(retriever, UNKNOWN)
    assert told["answer"].startswith(NOTHING_FOUND)
    assert "chapter 42" in told["answer"].split(NO_MODEL)[0]
    assert "unknown_chapter" in kinds(told)


@pytest.mark.parametrize("question", [MAID, UNKNOWN])
def test_where_a_model_gives_no_answer_the_facts_begin_in_the_same_way(retriever, core, question):
    told = answered(retriever, question, ScriptedChat([""] * 2))
    first = told["answer"].split(NO_USABLE)[0].split(" [")[0]
    assert core(question).text.startswith(first)
    assert first
    assert "reply_refused" in kinds(told)


@pytest.mark.parametrize("question", [MAID, BALL, UNKNOWN])
def test_no_reader_learns_from_a_report_what_is_told_later(retriever, question):
    told = answered(retriever.for_reader(3), question)
    shown = repr(told["context"]) + told["answer"] + repr(told["issues"])
    assert told["context"]
    assert [words for words in (*LATE, "thimble", "1 to 10", "103 facts") if words in shown] == []


def test_where_only_passages_are_found_they_carry_what_the_search_had_to_say():
    retriever = SliceRetriever.from_documents([Document("It rained all day.", id="rain")], embeddings=EMBEDDER, passages=1)
    told = answered(retriever, "What happened in chapter 42?")
    assert [one.page_content for one in told["context"]] == ["It rained all day."]
    assert "unknown_chapter" in kinds(told)


def test_what_somebody_else_wrote_under_the_same_key_is_no_report():
    for text in ("no json", "[]", '{"question": "x"}'):
        documents = [Document("It rained.", metadata={"slice_report": text})]
        assert NO_MODEL in grounded_chain().invoke({"input": "x", "context": documents})


def saying(text):
    return GenericFakeChatModel(messages=iter([AIMessage(text)] * 4))


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (ANSWER, []),
        ("Tom Rask, of course.", ["no_citation", "unmarked_answer"]),
        (f"Tom Rask [1 “{WEDDING}”].", ["unmarked_answer"]),
        ("NO ANSWER: the facts do not tell it.", ["not_told"]),
    ],
)
async def test_the_check_knows_what_the_reply_said_beside_its_answer(reply, wanted):
    question = "Whom did Ann Lee marry in chapter 2?"
    retriever = SliceRetriever.from_facts(FACTS, documents=[Document(STORY, id="story")], embeddings=EMBEDDER, k=4)
    assert kinds(answered(retriever, question, saying(reply))) == wanted
    inputs = {"input": question, "context": retriever.invoke(question)}
    chain = RunnablePassthrough.assign(answer=grounded_chain(saying(reply))) | RunnablePassthrough.assign(issues=grounded_check())
    assert kinds(await chain.ainvoke(inputs)) == wanted
    (last,) = [piece["issues"] for piece in chain.stream(inputs) if "issues" in piece]
    assert [issue.kind for issue in last] == wanted


def test_what_a_reply_said_beside_its_answer_survives_joining_and_pickling():
    joined = "Tom " + ReplyText("Rask", marked=False) + "."
    for answer in (joined, pickle.loads(pickle.dumps(joined)), copy.deepcopy(joined)):
        assert answer == "Tom Rask."
        assert (answer.marked, answer.is_answer) == (False, True)
    assert reply_issues("Tom Rask.") == reply_issues(ReplyText("Tom Rask.")) == ()
