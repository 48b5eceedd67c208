"""Event units, the event graph and Time-CoT in LangChain: documents, retriever, chain, suites."""

from __future__ import annotations

import pickle
from calendar import timegm
from dataclasses import fields

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests
from pydantic import ValidationError

from chronotope.errors import StoreMismatchError
from chronotope.events.answer.answer import NO_MODEL, NOTHING_FOUND
from chronotope.events.extract.extract import ExtractSettings
from chronotope.events.retrieve.retrieval_settings import EventRetrievalSettings
from chronotope.langchain import (
    ChronologicalCompressor,
    ChronotopeEmbeddings,
    EventGraphRetriever,
    EventUnitTransformer,
    LangChainReranker,
    retriever_tool,
    time_cot_chain,
    time_cot_check,
    time_cot_prompt,
)
from chronotope.langchain.event_graph import EventRetrieverOptions
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
EMBEDDINGS = ChronotopeEmbeddings(HashEmbedder(256))


def texts():
    told = {"title": "Museum", "date": "1960-01-02", "nested": {"a": [1]}}
    return [Document(TEXT, id="museum", metadata=told), Document(OTHER, id="ferry")]


def made(**options):
    return EventGraphRetriever.from_documents(texts(), embeddings=EMBEDDINGS, **{"k": 4, **options})


def saying(text=ANSWER):
    return GenericFakeChatModel(messages=iter([AIMessage(text)] * 3))


@pytest.fixture
def retriever():
    return made()


# Event units


def test_offsets_are_those_of_the_sentence_and_metadata_holds_what_is_known():
    events = EventUnitTransformer(date="date").transform_documents(texts())
    for event in events:
        source = TEXT if event.metadata["source_id"] == "museum" else OTHER
        assert source[event.metadata["char_start"] : event.metadata["char_end"]].endswith(".")
    (began,) = [event for event in events if event.metadata.get("time_intervals") == "1931-05"]
    assert began.metadata["title"] == "Museum"
    assert began.metadata["published"] == "1960-01-02"
    assert began.metadata["date"] == "1931-05"
    assert set(began.metadata["entities"].split("; ")) == {"Harbour Museum", "Mara Quist"}
    assert began.metadata["nested"] == {"a": [1]}
    assert began.metadata["time_start"] == timegm((1931, 5, 1, 0, 0, 0))
    assert began.metadata["time_end"] == timegm((1960, 1, 3, 0, 0, 0)) - 1  # the date of writing lies in the envelope
    assert 0 < began.metadata["score"] <= 4


def test_neighbours_know_each_other_within_their_text():
    events = EventUnitTransformer().transform_documents(texts())
    by_id = {event.id: event for event in events}
    for event in events:
        if "next_id" in event.metadata:
            assert by_id[event.metadata["next_id"]].metadata["previous_id"] == event.id
    assert sum("previous_id" not in event.metadata for event in events) == 2


def test_the_documents_given_are_not_changed_and_blank_ones_are_told():
    given = texts()
    before = [document.model_dump_json() for document in given]
    events, issues = EventUnitTransformer().extract([*given, Document("  ")])
    events[0].metadata.setdefault("nested", {})["b"] = 1
    assert [document.model_dump_json() for document in given] == before
    assert [issue.kind for issue in issues] == ["blank"]


def test_chunks_that_know_their_place_give_the_same_events():
    cut = TEXT.index("The Harbour Museum opened")
    chunks = [
        Document(TEXT[:cut], metadata={"source_id": "museum", "start_index": 0}),
        Document(TEXT[cut:], metadata={"source_id": "museum", "start_index": cut}),
    ]
    whole = EventUnitTransformer().transform_documents([Document(TEXT, id="museum")])
    assert [event.id for event in EventUnitTransformer().transform_documents(chunks)] == [event.id for event in whole]


def test_chunks_that_do_not_know_their_place_give_no_wrong_one():
    chunks = [Document(part, metadata={"source_id": "museum"}) for part in (TEXT[:99], TEXT[99:])]
    assert all("char_start" not in event.metadata for event in EventUnitTransformer().transform_documents(chunks))


async def test_awaited_and_as_a_splitter_it_gives_the_same():
    ids = [event.id for event in EventUnitTransformer().transform_documents(texts())]
    assert [event.id for event in await EventUnitTransformer().atransform_documents(texts())] == ids
    assert [event.id for event in EventUnitTransformer().split_documents(iter(texts()))] == ids


def test_a_model_is_asked_about_each_window_and_what_it_costs_is_told():
    quote = "became director of the Harbour Museum in May 1931"
    events = {"events": [{"quote": quote, "entities": ["Mara Quist"], "time": "in May 1931", "start": "1931-05", "end": "1931-05"}]}
    transformer = EventUnitTransformer(llm=ScriptedChat([events]))
    assert transformer.mode == "llm"
    assert transformer.estimate(texts()[:1]).calls == 1
    (event,) = transformer.transform_documents(texts()[:1])
    assert event.metadata["time_intervals"] == "1931-05"
    assert transformer.spent.calls == 1
    with pytest.raises(ValueError, match="llm="):
        EventUnitTransformer(mode="llm")


def test_a_transformer_tells_what_it_is_and_names_its_prompts():
    assert repr(EventUnitTransformer()) == "<EventUnitTransformer, mode='rules'>"
    told = repr(EventUnitTransformer(llm=ScriptedChat([]), settings=ExtractSettings(min_score=2)))
    assert told.startswith("<EventUnitTransformer, mode='llm', ")
    assert "min_score=2" in told
    assert "'window_events'" in told
    assert len(told) < 200


def test_the_transformer_survives_pickle():
    twin = pickle.loads(pickle.dumps(EventUnitTransformer(date="date")))
    assert [event.id for event in twin.transform_documents(texts())]


# Retriever


def test_events_come_back_best_first_with_date_and_number(retriever, dates):
    found = retriever.invoke(QUESTION)
    assert len(found) == 4
    assert dates(found)[0] == "1931-05"
    assert sorted(document.metadata["event_number"] for document in found) == [1, 2, 3, 4]
    scores = [document.metadata["relevance_score"] for document in found]
    assert scores == sorted(scores, reverse=True)
    assert TEXT[found[0].metadata["char_start"] : found[0].metadata["char_end"]] == found[0].page_content


def test_passages_follow_when_they_are_asked_for():
    found = made(passages=1, k=2).invoke(QUESTION)
    assert [bool(document.metadata.get("event_unit")) for document in found] == [True, True, False]
    assert found[2].page_content == TEXT
    assert found[0].metadata["passage_id"] == found[2].id
    assert (found[2].metadata["source_id"], found[2].metadata["char_start"]) == ("museum", 0)


async def test_awaited_in_batches_and_with_each_calls_own_options(retriever):
    ids = [document.id for document in retriever.invoke(QUESTION)]
    assert [document.id for document in await retriever.ainvoke(QUESTION)] == ids
    assert [[document.id for document in found] for found in retriever.batch([QUESTION, QUESTION])] == [ids, ids]
    assert len(retriever.invoke(QUESTION, k=2)) == 2
    report = await retriever.aretrieve_with_report(QUESTION, times="1952")
    assert [str(time) for time in report.scope.times] == ["1952"]


def test_what_the_transformer_made_is_taken_as_it_is():
    events = EventUnitTransformer().transform_documents(texts())
    again = EventGraphRetriever.from_documents(events, embeddings=EMBEDDINGS)
    assert {event.id for event in again.index.events} == {event.id for event in events}
    read = {event.id: event for event in made().index.events}
    for event in again.index.events:
        assert (event.times, event.static, event.entities, event.char_start) == (
            read[event.id].times,
            read[event.id].static,
            read[event.id].entities,
            read[event.id].char_start,
        )


def test_saved_and_loaded_it_finds_the_same_and_refuses_another_embedder(retriever, tmp_path):
    retriever.save(tmp_path / "events")
    again = EventGraphRetriever.load(tmp_path / "events", embeddings=EMBEDDINGS, k=4)
    assert [document.id for document in again.invoke(QUESTION)] == [document.id for document in retriever.invoke(QUESTION)]
    with pytest.raises(StoreMismatchError):
        EventGraphRetriever.load(tmp_path / "events", embeddings=HashEmbedder(64))


def test_added_twice_nothing_is_written_and_a_deleted_text_leaves_nothing(retriever):
    size = len(retriever.index)
    assert retriever.add_documents(texts()) == []
    assert len(retriever.index) == size
    assert retriever.delete_source("museum") > 0
    assert "Quist" not in str([event.to_json() for event in retriever.index.events])
    assert retriever.add_documents(texts())
    assert len(retriever.index) == size
    retriever.delete([retriever.index.events[0].id])
    assert len(retriever.index) == size - 1


def test_an_estimate_adds_nothing(retriever):
    told = retriever.estimate([Document("Ann Lee moved to Turin in May 1931. In 1935 Ann Lee left it.")])
    assert (told.calls, told.embedded) == (0, 3)
    assert len(retriever.index.passages) == 2


@pytest.mark.parametrize("reranker", [OverlapReranker(), LangChainReranker(ChronologicalCompressor()), ChronologicalCompressor()])
def test_a_reranker_of_any_kind_is_asked(reranker):
    ranked = made(reranker=reranker, rerank=5)
    assert ranked.invoke(QUESTION)
    assert ranked.spent.ranked > 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"time_fliter": "cut"}, "time_filter"),
        ({"preset": "paper"}, "dyg_rag"),
        ({"k": 0}, "greater"),
        ({"extract": "llm"}, "llm="),
        ({"walks": 0}, "walks"),
    ],
)
def test_a_wrong_option_is_an_error_that_says_what_is_right(options, told):
    with pytest.raises(ValidationError, match=told):
        made(**options)


def test_every_setting_of_the_core_may_be_given():
    assert {item.name for item in fields(EventRetrievalSettings)} <= set(EventGraphRetriever.model_fields)
    assert set(EventRetrieverOptions.__annotations__) <= set(EventGraphRetriever.model_fields)


def test_extraction_settings_are_used():
    strict = made(extract=ExtractSettings(min_score=4))
    assert len(strict.index) < len(made().index)


def test_it_survives_pickle_and_tells_callbacks(retriever, recorder):
    twin = pickle.loads(pickle.dumps(retriever))
    assert [document.id for document in twin.invoke(QUESTION)] == [document.id for document in retriever.invoke(QUESTION)]
    retriever.invoke(QUESTION, config={"callbacks": [recorder]})
    assert len(recorder.of("retriever")) == 1


def test_a_tool_shows_dates(retriever):
    tool = retriever_tool(retriever, "museum", "Looks things up.")
    assert "[1931-05]" in tool.invoke({"query": QUESTION})


async def test_awaited_documents_are_found():
    retriever = await EventGraphRetriever.afrom_documents(texts(), embeddings=EMBEDDINGS, k=1)
    assert (await retriever.ainvoke(QUESTION))[0].metadata["date"] == "1931-05"


# Time-CoT


def asked(retriever, chain):
    return {"context": retriever, "input": RunnablePassthrough()} | RunnablePassthrough.assign(answer=chain)


def test_the_time_that_the_retriever_found_for_a_clause_reaches_the_answer(retriever):
    question = "Who was director after Mara Quist left the Harbour Museum?"
    (when,) = retriever.retrieve_with_report(question).scope.times
    text = prompts_of(time_cot_chain, {"input": question, "context": retriever.invoke(question)})
    assert when.phrase() in text


def test_without_a_model_the_events_themselves_answer(retriever):
    answer = asked(retriever, time_cot_chain()).invoke(QUESTION)["answer"]
    assert answer.startswith(NO_MODEL)
    assert "in May 1931" in answer


def test_only_the_answer_leaves_the_chain(retriever):
    assert asked(retriever, time_cot_chain(saying())).invoke(QUESTION)["answer"] == "Mara Quist [1]."


async def test_it_streams_the_answer_alone(retriever):
    chain = time_cot_chain(saying())
    inputs = {"input": QUESTION, "context": retriever.invoke(QUESTION)}
    pieces = [piece for piece in chain.stream(inputs) if piece]
    assert "".join(pieces) == "Mara Quist [1]."
    assert len(pieces) > 1
    assert "".join([piece async for piece in chain.astream(inputs)]) == "Mara Quist [1]."
    assert await chain.ainvoke(inputs) == "Mara Quist [1]."


def test_it_stands_in_create_retrieval_chain(retriever):
    chains = pytest.importorskip("langchain_classic.chains", exc_type=ImportError)
    chain = chains.create_retrieval_chain(retriever, time_cot_chain(saying()))
    assert chain.invoke({"input": QUESTION})["answer"] == "Mara Quist [1]."
    streamed = [part["answer"] for part in chain.stream({"input": QUESTION}) if "answer" in part]
    assert "".join(streamed) == "Mara Quist [1]."


def prompts_of(chain, inputs):
    """What the model was sent."""
    sent = []

    def remember(value):
        sent.append(value.to_string())
        return AIMessage("ANSWER: so it was [1].")

    from langchain_core.runnables import RunnableLambda

    chain(RunnableLambda(remember)).invoke(inputs)
    return sent[0]


def test_the_model_sees_timeline_passages_and_method():
    inputs = {"input": QUESTION, "context": made(passages=1).invoke(QUESTION)}
    text = prompts_of(time_cot_chain, inputs)
    assert "Event # [1]" in text
    assert "[P1]" in text
    assert "Kind of question: point" in text
    plain = prompts_of(lambda llm: time_cot_chain(llm, cot=False), inputs)
    assert "Event #" not in plain
    assert "Mara Quist" in plain


def test_a_passage_takes_the_place_of_its_events_where_tokens_are_scarce():
    """The retriever tells which passage each event stands in; what fits the passage alone is spent on it."""
    *events, passage = made(passages=1, k=2).invoke(QUESTION)
    assert {document.metadata["passage_id"] for document in events} == {passage.id}
    inputs = {"input": QUESTION, "context": [*events, passage]}
    budget = count_tokens(f"[P9] {TEXT}\n\n") + 15
    text = prompts_of(lambda llm: time_cot_chain(llm, budget_tokens=budget, passage_share=None), inputs)
    assert "(no events)" in text
    assert TEXT in text
    told = time_cot_check(budget_tokens=budget, passage_share=None).invoke({**inputs, "answer": "Mara Quist [P1], not [1]."})
    assert [issue.message for issue in told] == ["the answer cites [1], which is none of the 0 events"]
    alone = time_cot_chain(budget_tokens=budget, passage_share=None).invoke(inputs)
    assert len(alone.splitlines()) == 3
    assert time_cot_check(budget_tokens=budget, passage_share=0).invoke({**inputs, "answer": alone}) == []


def test_a_prompt_of_ones_own_may_use_timeline_and_passages_together():
    mine = ChatPromptTemplate.from_template("{context}\nQ: {input}")
    inputs = {"input": QUESTION, "context": made(passages=1).invoke(QUESTION)}
    text = prompts_of(lambda llm: time_cot_chain(llm, prompt=mine), inputs)
    assert "<timeline>" in text
    assert "<passages>" in text
    assert {"input", "timeline", "passages", "reply_form"} <= set(time_cot_prompt().input_variables)


def test_a_check_behind_the_chain_reads_the_citations(retriever):
    whole = asked(retriever, time_cot_chain(saying("ANSWER: so it was [44]."))) | RunnablePassthrough.assign(
        issues=time_cot_check()
    )
    assert [issue.kind for issue in whole.invoke(QUESTION)["issues"]] == ["unknown_citation"]
    empty = asked(retriever, time_cot_chain(saying("ANSWER:"))) | RunnablePassthrough.assign(issues=time_cot_check())
    found = empty.invoke(QUESTION)
    assert [issue.kind for issue in found["issues"]] == ["reply_refused"]
    unanswered = {"input": QUESTION, "context": retriever.invoke(QUESTION), "answer": " "}
    assert [issue.kind for issue in time_cot_check().invoke(unanswered)] == ["reply_refused"]


@pytest.mark.parametrize("reply", ["", " ", "ANSWER:", "<think>hm</think>"])
async def test_a_reply_without_an_answer_gives_way_to_the_events(retriever, reply):
    inputs = {"input": QUESTION, "context": retriever.invoke(QUESTION)}
    chain = time_cot_chain(ScriptedChat([reply] * 4))
    told = chain.invoke(inputs)
    assert told.startswith("The model gave no usable answer.")
    assert "in May 1931" in told
    assert NO_MODEL not in told
    assert await chain.ainvoke(inputs) == told
    assert "".join(chain.stream(inputs)) == told
    assert "".join([piece async for piece in chain.astream(inputs)]) == told


def test_without_documents_no_model_is_asked():
    chat = ScriptedChat([])
    assert time_cot_chain(chat).invoke({"input": QUESTION, "context": []}) == NOTHING_FOUND
    assert chat.calls == []


def test_an_asked_time_in_which_nothing_lies_and_a_clause_that_was_not_placed_are_told(retriever):
    question = "Who was director of the Harbour Museum in 1789?"
    inputs = {"input": question, "context": retriever.invoke(question)}
    answer = time_cot_chain().invoke(inputs)
    assert answer.startswith("No event lies in 1789")
    assert [issue.kind for issue in time_cot_check().invoke({**inputs, "answer": answer})] == ["empty_window"]
    question = "Who was director after the volcano erupted?"
    inputs = {"input": question, "context": retriever.invoke(question), "answer": "Mara Quist [1]."}
    assert [issue.kind for issue in time_cot_check().invoke(inputs)] == ["unresolved_clause"]


@pytest.mark.parametrize("llm", [None, ScriptedChat([])])
def test_an_input_of_the_wrong_form_is_an_error_that_shows_the_right_one(llm):
    form = r'\{"input": question, "context": documents\}'
    with pytest.raises(TypeError, match=f"{form}, not str"):
        time_cot_chain(llm).invoke("Who?")
    with pytest.raises(ValueError, match="no key 'input'"):
        time_cot_chain(llm).invoke({"question": "Who?", "context": []})


def test_a_retriever_in_place_of_the_model_is_an_error_that_tells_where_it_stands(retriever):
    with pytest.raises(TypeError, match=r"create_retrieval_chain\(retriever, time_cot_chain\(llm\)\)"):
        time_cot_chain(retriever)


@pytest.mark.parametrize("name", ["embed_model", "embedder", "embedding"])
def test_another_word_for_embeddings_is_an_error_that_names_it(name, tmp_path):
    with pytest.raises(TypeError, match="did you mean 'embeddings'"):
        EventGraphRetriever.from_documents(texts(), **{name: EMBEDDINGS})
    with pytest.raises(TypeError, match="did you mean 'embeddings'"):
        EventGraphRetriever.load(tmp_path, **{name: EMBEDDINGS})


def test_it_answers_behind_any_store():
    store = InMemoryVectorStore(EMBEDDINGS)
    store.add_documents([Document(TEXT), Document(OTHER)])
    inputs = {"input": QUESTION, "context": store.as_retriever(search_kwargs={"k": 1}).invoke(QUESTION)}
    assert "Event # [" in prompts_of(time_cot_chain, inputs)


def test_event_units_of_a_store_make_the_timeline():
    store = InMemoryVectorStore(EMBEDDINGS)
    store.add_documents(EventUnitTransformer().transform_documents(texts()))
    inputs = {"input": QUESTION, "context": store.as_retriever(search_kwargs={"k": 3}).invoke(QUESTION)}
    text = prompts_of(time_cot_chain, inputs)
    assert text.count("\nEvent # [") == 3
    assert "(none)" in text


@pytest.mark.parametrize("options", [{"classes": "guess"}, {"passage_share": 2.0}])
def test_a_wrong_option_of_the_chain_is_told_at_once(options):
    with pytest.raises(ValueError, match=str(next(iter(options.values())))):
        time_cot_chain(saying(), **options)


# The framework's own suite

MILL = [Document(f"In {year} the mill ground {year % 7} tons of rye.", metadata={"year": year}) for year in range(1901, 1909)]


def made_from_documents(**options):
    return EventGraphRetriever.from_documents(MILL, embeddings=EMBEDDINGS, **options)


def made_from_events(**options):
    return EventGraphRetriever.from_documents(EventUnitTransformer().transform_documents(MILL), embeddings=EMBEDDINGS, **options)


class TestEventsFromDocuments(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self):
        return made_from_documents

    @property
    def retriever_constructor_params(self):
        return {}

    @property
    def retriever_query_example(self):
        return "How much rye did the mill grind from 1902 to 1907?"


class TestEventsAsPublished(TestEventsFromDocuments):
    @property
    def retriever_constructor_params(self):
        return {"preset": "dyg_rag"}


class TestEventsFromEventUnits(TestEventsFromDocuments):
    @property
    def retriever_constructor(self):
        return made_from_events


class TestEventsLoaded(TestEventsFromDocuments):
    @pytest.fixture(autouse=True)
    def saved(self, tmp_path):
        self.folder = tmp_path / "events"
        made_from_documents().save(self.folder)

    @property
    def retriever_constructor(self):
        return lambda **options: EventGraphRetriever.load(self.folder, embeddings=EMBEDDINGS, **options)
