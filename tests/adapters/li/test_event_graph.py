"""The event graph behind LlamaIndex's retriever, and Time-CoT behind it: engines, chat, streams, stores, deletes."""

from __future__ import annotations

import pickle

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.prompts import PromptTemplate
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import Document, MetadataMode, QueryBundle, TextNode

from chronotope.errors import StoreMismatchError
from chronotope.events.answer.answer import NO_MODEL, NOTHING_FOUND
from chronotope.llama_index import (
    ChronotopeEmbedding,
    EventGraphRetriever,
    EventUnitNodeParser,
    TimeCoTSynthesizer,
    TimedQuery,
    retriever_tool,
)
from chronotope.models import Reply
from chronotope.temporal import TimeInterval
from chronotope.testing import HashEmbedder, OverlapReranker, ScriptedChat
from chronotope.tokens import count_tokens

TEXT = (
    "Mara Quist was born in Lund in 1901. Mara Quist became director of the Harbour Museum in May 1931. "
    "The Harbour Museum opened a north wing in 1933. Mara Quist left the Harbour Museum in June 1940. Lund is a town in Sweden. "
    "Otto Lang became director of the Harbour Museum on 1 July 1940. Otto Lang left the Harbour Museum in 1952."
)
OTHER = "The Ferry Board of Alder opened a landing stage in 1911. The Ferry Board of Alder closed it in 1936."
QUESTION = "Who was director of the Harbour Museum in 1931?"
ANSWER = "1. Scope: 1931.\n2. Evidence: one event.\nANSWER: Mara Quist [1]."


def documents():
    return [Document(text=TEXT, id_="museum", metadata={"title": "Museum"}), Document(text=OTHER, id_="ferry")]


def made(**options):
    return EventGraphRetriever.from_documents(documents(), embed_model=HashEmbedder(256), **{"k": 4, **options})


@pytest.fixture
def retriever():
    return made()


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


def test_events_come_back_as_nodes_best_first_with_time_and_number(retriever):
    found = retriever.retrieve(QUESTION)
    assert len(found) == 4
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True)
    assert sorted(item.node.metadata["event_number"] for item in found) == [1, 2, 3, 4]
    best = found[0].node
    assert "director" in best.text
    assert best.metadata["time_intervals"] == "1931-05"
    assert best.ref_doc_id == "museum"
    assert TEXT[best.start_char_idx : best.end_char_idx] == best.text


def test_numbers_follow_time(retriever):
    found = sorted(retriever.retrieve("What happened at the Harbour Museum?"), key=lambda item: item.node.metadata["event_number"])
    starts = [item.node.metadata["time_start"] for item in found if item.node.metadata.get("time_intervals") != "static"]
    assert starts == sorted(starts)


def test_passages_follow_the_events_when_they_are_asked_for():
    found = made(passages=2, k=3).retrieve(QUESTION)
    kinds = ["event_unit" in item.node.metadata for item in found]
    assert kinds[:3] == [True] * 3
    assert kinds[3:]
    assert not any(kinds[3:])
    assert found[0].node.metadata["passage_id"] in {item.node.node_id for item in found[3:]}


async def test_awaited_it_finds_the_same(retriever):
    ids = [item.node.node_id for item in retriever.retrieve(QUESTION)]
    assert [item.node.node_id for item in await retriever.aretrieve(QUESTION)] == ids
    report = await retriever.aretrieve_with_report(QUESTION)
    assert [one.event.id for one in report.trace] == ids


def test_a_time_beside_the_words_wins(retriever):
    report = retriever.retrieve_with_report(TimedQuery("Who left the Harbour Museum?", times=["1952"]))
    assert [str(time) for time in report.scope.times] == ["1952"]
    assert [str(time) for time in made(times="1940").retrieve_with_report("Who left?").scope.times] == ["1940"]


def test_a_clause_is_placed_by_its_event(retriever):
    report = retriever.retrieve_with_report("Who was director after Mara Quist left the Harbour Museum?")
    (clause,) = report.clauses
    assert clause.event is not None
    assert "left" in clause.event.text


def test_saved_and_loaded_it_finds_the_same_and_refuses_another_embedder(retriever, tmp_path):
    retriever.save(tmp_path / "events")
    again = EventGraphRetriever.load(tmp_path / "events", embed_model=HashEmbedder(256), k=4)
    assert [i.node.node_id for i in again.retrieve(QUESTION)] == [i.node.node_id for i in retriever.retrieve(QUESTION)]
    with pytest.raises(StoreMismatchError):
        EventGraphRetriever.load(tmp_path / "events", embed_model=HashEmbedder(64))


def test_what_is_known_is_passed_over_and_a_deleted_document_leaves_nothing(retriever):
    from chronotope.llama_index.convert import split_documents

    size = len(retriever.index)
    assert retriever.insert_nodes(split_documents(documents())) == 0
    assert retriever.delete_ref_doc("museum") > 0
    assert all(event.source_id == "ferry" for event in retriever.index.events)
    assert "Quist" not in str([event.to_json() for event in retriever.index.events])
    assert retriever.insert_nodes(split_documents(documents())) == size - len(
        [e for e in retriever.index.events if e.source_id == "ferry"]
    )


def test_event_nodes_are_taken_as_they_are():
    nodes = EventUnitNodeParser()(documents())
    retriever = EventGraphRetriever.from_nodes(nodes, embed_model=HashEmbedder(256), k=3)
    assert {event.id for event in retriever.index.events} == {node.node_id for node in nodes}
    best = retriever.retrieve(QUESTION)[0].node
    (given,) = [node for node in nodes if node.node_id == best.node_id]
    assert best.prev_node is not None
    assert given.prev_node is not None
    assert best.prev_node.node_id == given.prev_node.node_id


def test_an_estimate_calls_nothing_and_adds_nothing(retriever):
    size = len(retriever.index)
    told = made(k=2).estimate([TextNode(text="Ann Lee moved to Turin in May 1931. In 1935 Ann Lee left it.", id_="n")])
    assert (told.calls, told.embedded) == (0, 3)  # two events and their passage
    assert len(retriever.index) == size
    modelled = made(extract="llm", llm=ScriptedChat(lambda _: {"events": []}))
    assert modelled.estimate([TextNode(text="Ann Lee moved to Turin in May 1931.", id_="n")]).calls == 1


def test_a_reranker_of_either_kind_is_asked():
    ranked = made(reranker=OverlapReranker(), rerank=5)
    assert ranked.retrieve(QUESTION)
    assert ranked.spent.ranked > 0


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"time_fliter": "cut"}, TypeError, "time_filter"),
        ({"preset": "paper"}, ValueError, "dyg_rag"),
        ({"k": 0}, ValueError, "k must"),
        ({"extract": "llm"}, ValueError, "llm="),
        ({"date": 3}, TypeError, "date="),
    ],
)
def test_a_wrong_option_is_an_error_that_says_what_is_right(options, error, told):
    with pytest.raises(error, match=told):
        made(**options)


def test_awaited_inserts_are_found():
    import asyncio

    retriever = EventGraphRetriever.from_nodes([], embed_model=HashEmbedder(256), k=2)
    added = asyncio.run(retriever.ainsert_nodes([TextNode(text="Ann Lee moved to Turin in May 1931.", id_="n")]))
    assert added == 1
    assert retriever.retrieve("Where did Ann Lee move?")[0].node.ref_doc_id == "n"


def test_the_retriever_survives_pickle(retriever):
    twin = pickle.loads(pickle.dumps(retriever))
    assert [i.node.node_id for i in twin.retrieve(QUESTION)] == [i.node.node_id for i in retriever.retrieve(QUESTION)]


def test_a_tool_shows_dates(retriever):
    told = retriever_tool(retriever).call(QUESTION)
    assert "1931-05" in str(told)


def a_memory():
    """The framework's own default leaves a database connection open."""
    return ChatMemoryBuffer.from_defaults(llm=MockLLM())


# Time-CoT


def engine(retriever, llm=None, **options):
    return RetrieverQueryEngine(retriever, response_synthesizer=TimeCoTSynthesizer(llm, **options))


def test_the_time_that_the_retriever_found_for_a_clause_reaches_the_answer(retriever):
    chat = ScriptedChat([ANSWER])
    question = "Who was director after Mara Quist left the Harbour Museum?"
    (when,) = map(str, retriever.retrieve_with_report(question).scope.times)
    assert {item.node.metadata["asked_time"] for item in retriever.retrieve(question)} == {when}
    engine(retriever, chat).query(question)
    assert TimeInterval.parse(when).phrase() in chat.calls[0].messages[-1].content


def test_without_a_model_the_events_themselves_answer(retriever):
    response = engine(retriever).query(QUESTION)
    assert str(response).startswith(NO_MODEL)
    assert response.metadata["chronotope"]["by_model"] is False


def test_a_model_gets_the_timeline_and_only_its_answer_is_shown(retriever):
    chat = ScriptedChat([ANSWER])
    response = engine(made(passages=2), chat).query(QUESTION)
    assert str(response) == "Mara Quist [1]."
    text = chat.calls[0].messages[-1].content
    assert "Event # [1]" in text
    assert "[P1]" in text
    report = response.metadata["chronotope"]
    assert report["by_model"] is True
    assert report["issues"] == []
    marks = dict(zip(report["marks"], report["evidence"], strict=True))
    assert response.source_nodes[0].node.node_id == marks["1"]
    assert [item.node.node_id for item in response.source_nodes[: len(marks)]] == list(marks.values())


def test_a_passage_takes_the_place_of_its_events_where_tokens_are_scarce():
    """The retriever tells which passage each event stands in; what fits the passage alone is spent on it."""
    scarce = made(passages=1, k=2)
    *events, passage = scarce.retrieve(QUESTION)
    assert {item.node.metadata["passage_id"] for item in events} == {passage.node.node_id}
    budget = count_tokens(f"[P9] {passage.node.get_content(MetadataMode.LLM)}\n\n") + 15
    chat = ScriptedChat(["ANSWER: Mara Quist [P1]."])
    report = engine(scarce, chat, budget_tokens=budget, passage_share=None).query(QUESTION).metadata["chronotope"]
    assert (report["marks"], report["evidence"], report["issues"]) == (["P1"], [passage.node.node_id], [])
    assert "Event # [1]" not in chat.calls[0].messages[-1].content
    texts = [item.node.text for item in sorted(events, key=lambda item: item.node.metadata["event_number"])]
    alone = engine(scarce, budget_tokens=budget, passage_share=None).query(QUESTION)
    assert alone.metadata["chronotope"]["marks"] == ["1", "2"]
    assert str(alone).splitlines()[1:] == [f"[1] in May 1931: {texts[0]}", f"[2] on 1 July 1940: {texts[1]}"]


def test_a_number_that_was_not_shown_is_reported(retriever):
    response = engine(retriever, ScriptedChat(["Steps.\nANSWER: So it was [44]."])).query(QUESTION)
    assert [issue.kind for issue in response.metadata["chronotope"]["issues"]] == ["unknown_citation"]


def test_a_stream_shows_the_answer_alone_and_checks_it_at_the_end(retriever):
    response = engine(retriever, Streaming(), streaming=True).query(QUESTION)
    pieces = list(response.response_gen)
    assert "".join(pieces) == "Mara Quist [1]."
    assert len(pieces) > 3
    assert response.metadata["chronotope"]["issues"] == []


async def test_an_awaited_stream_shows_the_same(retriever):
    response = await engine(retriever, Streaming(), streaming=True).aquery(QUESTION)
    assert "".join([piece async for piece in response.async_response_gen()]) == "Mara Quist [1]."


async def test_awaited_without_a_stream_it_answers_the_same(retriever):
    response = await engine(retriever, ScriptedChat([ANSWER])).aquery(QUESTION)
    assert str(response) == "Mara Quist [1]."


def test_a_reply_without_a_marker_is_shown_whole_and_reported(retriever):
    response = engine(retriever, Streaming("Mara Quist [1]."), streaming=True).query(QUESTION)
    assert "".join(response.response_gen) == "Mara Quist [1]."
    assert [issue.kind for issue in response.metadata["chronotope"]["issues"]] == ["unmarked_answer"]


def test_an_empty_reply_gives_way_to_the_timeline(retriever):
    response = engine(retriever, ScriptedChat([" "])).query(QUESTION)
    assert str(response).startswith("The model gave no usable answer.")
    assert NO_MODEL not in str(response)
    assert "reply_refused" in [issue.kind for issue in response.metadata["chronotope"]["issues"]]


def test_an_asked_time_in_which_nothing_lies_and_a_clause_that_was_not_placed_are_told(retriever):
    response = engine(retriever, None).query("Who was director of the Harbour Museum in 1789?")
    assert str(response).startswith("No event lies in 1789")
    assert [issue.kind for issue in response.metadata["chronotope"]["issues"]] == ["empty_window"]
    response = engine(retriever, None).query("Who was director after the volcano erupted?")
    assert [issue.kind for issue in response.metadata["chronotope"]["issues"]] == ["unresolved_clause"]
    placed = engine(retriever, None).query("Who was director after Mara Quist left the Harbour Museum?")
    assert placed.metadata["chronotope"]["issues"] == []


def test_numbers_of_the_answer_are_those_that_the_retriever_gave(retriever):
    response = engine(retriever, None, budget_tokens=45).query(QUESTION)
    numbers = {item.node.node_id: item.node.metadata["event_number"] for item in response.source_nodes}
    report = response.metadata["chronotope"]
    assert 0 < len(report["marks"]) < len(numbers)
    assert [str(numbers[name]) for name in report["evidence"]] == report["marks"]


def test_a_synthesizer_tells_what_it_is(retriever):
    assert repr(TimeCoTSynthesizer()) == "<TimeCoTSynthesizer, no model, budget_tokens=3000, classes='rules'>"
    assert "cot=False" in repr(TimeCoTSynthesizer(ScriptedChat([]), cot=False))


def test_without_time_cot_the_prompt_is_plain_and_the_stream_comes_at_once(retriever):
    chat = ScriptedChat(["Mara Quist [1]."])
    response = engine(retriever, chat, cot=False).query(QUESTION)
    assert str(response) == "Mara Quist [1]."
    assert "Event #" not in chat.calls[0].messages[-1].content
    assert response.metadata["chronotope"]["issues"] == []


def test_a_template_of_ones_own_is_used_and_can_be_read_and_changed(retriever):
    chat = ScriptedChat(["Quist [1]."])
    mine = PromptTemplate("Facts: {timeline}\nQ: {query_str}")
    synthesizer = TimeCoTSynthesizer(chat, prompt=mine)
    assert str(RetrieverQueryEngine(retriever, response_synthesizer=synthesizer).query(QUESTION)) == "Quist [1]."
    assert chat.calls[0].messages[0].content.startswith("Facts: <timeline>")
    assert "answer_prompt" in synthesizer.get_prompts()


def test_it_answers_behind_any_retriever_by_reading_events_by_rules():
    index = VectorStoreIndex(
        [TextNode(text=TEXT, id_="t"), TextNode(text=OTHER, id_="o")], embed_model=ChronotopeEmbedding(embedder=HashEmbedder(256))
    )
    chat = ScriptedChat(["Steps.\nANSWER: Quist [1]."])
    response = engine(index.as_retriever(similarity_top_k=1), chat).query(QUESTION)
    assert "Event # [" in chat.calls[0].messages[-1].content
    assert "events_by_rules" in [issue.kind for issue in response.metadata["chronotope"]["issues"]]


async def test_awaited_it_answers_behind_any_retriever_too():
    index = VectorStoreIndex([TextNode(text=TEXT, id_="t")], embed_model=ChronotopeEmbedding(embedder=HashEmbedder(256)))
    response = await engine(index.as_retriever(similarity_top_k=1), Streaming(), streaming=True).aquery(QUESTION)
    assert "".join([piece async for piece in response.async_response_gen()]) == "Mara Quist [1]."


def test_event_nodes_of_the_users_own_index_make_the_timeline():
    nodes = EventUnitNodeParser()(documents())
    index = VectorStoreIndex(nodes, embed_model=ChronotopeEmbedding(embedder=HashEmbedder(256)))
    chat = ScriptedChat([ANSWER])
    response = engine(index.as_retriever(similarity_top_k=3), chat).query(QUESTION)
    assert chat.calls[0].messages[-1].content.count("\nEvent # [") == 3
    assert response.metadata["chronotope"]["issues"] == []


def test_nothing_found_is_said_without_a_model(retriever):
    chat = ScriptedChat([])
    assert str(TimeCoTSynthesizer().synthesize(QueryBundle(QUESTION), [])) in {NOTHING_FOUND, "Empty Response"}
    assert chat.calls == []


@pytest.mark.parametrize("options", [{"classes": "guess"}, {"passage_share": 2.0}])
def test_a_wrong_option_of_the_synthesizer_is_told_at_once(options):
    with pytest.raises(ValueError, match=str(next(iter(options.values())))):
        TimeCoTSynthesizer(**options)


def test_chat_engines_take_the_retriever(retriever):
    memory = a_memory()
    context = ContextChatEngine(retriever=retriever, llm=MockLLM(), memory=memory, prefix_messages=[])
    assert context.chat(QUESTION).source_nodes
    assert "".join(context.stream_chat(QUESTION).response_gen)
    condensed = CondensePlusContextChatEngine(retriever=retriever, llm=MockLLM(), memory=memory)
    assert condensed.chat(QUESTION).source_nodes


def test_a_chat_engine_over_the_query_engine_streams_time_cot(retriever):
    from llama_index.core.chat_engine import CondenseQuestionChatEngine

    chat = CondenseQuestionChatEngine.from_defaults(
        query_engine=engine(retriever, Streaming(), streaming=True), llm=MockLLM(), memory=a_memory()
    )
    assert "".join(chat.stream_chat(QUESTION).response_gen).strip() == "Mara Quist [1]."
