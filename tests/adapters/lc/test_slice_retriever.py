"""Slices behind LangChain's retriever: chapters, readers, places, graphs of agents, tools, stores, the framework's own suite."""

from __future__ import annotations

import asyncio
import copy
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields
from multiprocessing import get_context

import pytest
from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import ConfigurableField
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests
from pydantic import ValidationError

from chronotope.errors import BudgetError, FactError, StoreMismatchError
from chronotope.langchain import (
    ChronologicalCompressor,
    ChronotopeEmbeddings,
    LangChainReranker,
    LitSegTextSplitter,
    SliceRetriever,
    StoryFactTransformer,
    grounded_chain,
    retriever_tool,
)
from chronotope.langchain.slice_options import SliceRetrieverOptions
from chronotope.slices.axis import StoryAxis
from chronotope.slices.documents.from_passages import found_hits
from chronotope.slices.documents.told import ingest_given
from chronotope.slices.extract import FactSettings
from chronotope.slices.fact import Fact
from chronotope.slices.facts_file import write_facts
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.retrieve.asking import SliceAsking
from chronotope.slices.retrieve.retrieval_settings import SliceSettings
from chronotope.slices.scope import StoryScope
from chronotope.steps import Runner
from chronotope.temporal.interval import Interval, TimeInterval
from chronotope.testing import HashEmbedder, OverlapReranker, ScriptedChat
from support_told_story import CAST, CHAPTERS, FACTS, LATER, QUESTION, STORY, WEDDING, proposal

ASKED = "Whom did Ann Lee marry in chapter 2?"
EMBEDDINGS = ChronotopeEmbeddings(HashEmbedder(256))
FLAT = {"chapter": 2, "story_time": "1/..", "statement": "Ann Lee — married to — Tom Rask", "confidence": "high"}


def texts():
    return [Document(STORY, id="story", metadata={"title": "The mill"})]


def made(**options):
    segments = LitSegTextSplitter().split_documents(texts())
    return SliceRetriever.from_documents(segments, embeddings=EMBEDDINGS, **{"k": 4, **options})


def of_facts(**options):
    return SliceRetriever.from_facts(FACTS, documents=texts(), embeddings=EMBEDDINGS, **{"k": 4, **options})


def contents(found):
    return [document.page_content for document in found]


@pytest.fixture
def retriever():
    return of_facts()


def test_facts_come_back_best_first_with_flat_coordinates_and_exact_places(retriever):
    found = retriever.invoke(ASKED)
    scores = [document.metadata["relevance_score"] for document in found]
    assert scores == sorted(scores, reverse=True)
    best = found[0]
    assert best.page_content == WEDDING == STORY[best.metadata["char_start"] : best.metadata["char_end"]]
    assert best.metadata["source_id"] == "story"
    assert {key: best.metadata[key] for key in FLAT} == FLAT
    assert best.metadata["entities"] == "Ann Lee; Tom Rask"
    assert best.metadata["date"] == f"Ann Lee — married to — Tom Rask; {best.metadata['coordinates']}"
    assert all(value is None or isinstance(value, (str, int, float, bool)) for value in best.metadata.values())


def test_a_place_is_a_coordinate_and_a_constraint():
    found = of_facts(scope="cut").invoke("Whom did Otto Lang meet at the Mill?")
    assert set(contents(found)) == {"Ann Lee met Otto Lang at the Mill.", "Otto Lang met Mara Quist at the Mill."}


@pytest.mark.parametrize("given", ["option", "call"])
def test_a_reader_sees_nothing_of_later_chapters(given):
    retriever = made(k=20, passages=5, **({"reader_at": 2} if given == "option" else {}))
    found = retriever.invoke(QUESTION, **({} if given == "option" else {"reader_at": 2}))
    assert WEDDING in contents(found)
    shown = "\n".join(document.model_dump_json() for document in found)
    assert "Mara Quist" not in shown
    assert LATER not in shown
    assert "died" not in shown


def test_a_reader_sees_no_passage_that_goes_on_into_a_later_chapter():
    whole = SliceRetriever.from_documents(texts(), embeddings=EMBEDDINGS, passages=3)
    assert not [document for document in whole.invoke(QUESTION, reader_at=2) if "died" in document.page_content]
    assert [document for document in whole.invoke(QUESTION, reader_at=4) if "died" in document.page_content]


async def test_awaited_in_batches_and_with_each_calls_own_options(retriever):
    ids = [document.id for document in retriever.invoke(QUESTION)]
    assert [document.id for document in await retriever.ainvoke(QUESTION)] == ids
    assert [[document.id for document in found] for found in retriever.batch([QUESTION, QUESTION])] == [ids, ids]
    assert len(retriever.invoke(QUESTION, k=2)) == len(await retriever.ainvoke(QUESTION, k=2)) == 2
    assert (await retriever.aretrieve_with_report(QUESTION, reader_at=3)).reader_at == 3
    assert contents(await retriever.ainvoke(QUESTION, reader_at=1)) == contents(retriever.invoke(QUESTION, reader_at=1))
    scope = StoryScope(question=QUESTION, core=QUESTION, chapters=(Interval(4, 5),), read_by="given")
    assert retriever.retrieve_with_report(QUESTION, scope=scope).scope.chapters == scope.chapters
    assert contents(await retriever.ainvoke(QUESTION, scope=scope)) == contents(retriever.invoke(QUESTION, scope=scope))


def test_it_finds_what_the_core_finds_in_the_same_order_with_the_same_scores(retriever):
    index, runner = StoryIndex(HashEmbedder(256).model_id), Runner(None, HashEmbedder(256))
    runner.run(ingest_given(FACTS, [], index))
    found = found_hits(runner.run(SliceAsking.of(4, passages=0).retrieve(index, QUESTION)))
    shown = retriever.invoke(QUESTION)
    assert [(document.id, document.metadata["relevance_score"]) for document in shown] == [
        (hit.passage.id, hit.score) for hit in found
    ]


def test_passages_follow_when_they_are_asked_for():
    found = made(passages=2, k=3).invoke(QUESTION)
    assert ["statement" in document.metadata for document in found] == [True, True, True, False, False]
    passage = found[3].metadata
    assert STORY[passage["char_start"] : passage["char_end"]] == found[3].page_content
    assert passage["title"] == "The mill"


def test_documents_with_facts_are_taken_as_they_are_and_not_shown_with_them():
    read = StoryFactTransformer().transform_documents(texts())
    taken = SliceRetriever.from_documents(read, embeddings=EMBEDDINGS, passages=1)
    assert taken.graph.facts == SliceRetriever.from_documents(texts(), embeddings=EMBEDDINGS).graph.facts
    assert all("story_facts" not in document.metadata for document in taken.invoke(QUESTION))


def test_a_document_without_an_id_is_the_same_with_and_without_its_facts():
    nameless = [Document(text, metadata={"chapter": number}) for number, text in enumerate(CHAPTERS, 1)]
    fresh = SliceRetriever.from_documents(nameless, embeddings=EMBEDDINGS)
    taken = SliceRetriever.from_documents(StoryFactTransformer().transform_documents(nameless), embeddings=EMBEDDINGS)
    assert taken.graph.facts == fresh.graph.facts
    assert taken.index.passages == fresh.index.passages
    assert -1 not in taken.index.homes.tolist()
    assert taken.add_documents(nameless) == []


def test_a_model_reads_documents_where_it_is_asked_to():
    reply = {"facts": [proposal(WEDDING, "Ann Lee", "married_to", "Tom Rask")]}
    chapter = [Document(CHAPTERS[1], metadata={"chapter": 2})]
    for extract in ("llm", FactSettings(mode="llm")):
        retriever = SliceRetriever.from_documents(chapter, embeddings=EMBEDDINGS, llm=ScriptedChat([reply]), extract=extract)
        assert [fact.statement for fact in retriever.graph.facts] == ["Ann Lee — married to — Tom Rask"]
        assert retriever.spent.calls == 1


def test_facts_that_rules_keep_out_are_told_with_the_reasons():
    wrong = Fact(subject="Ann Lee", relation="parent_of", object="Ann Lee", chapter=1)
    retriever = SliceRetriever.from_facts([*FACTS, wrong], embeddings=EMBEDDINGS)
    assert [issue.kind for issue in retriever.issues] == ["uncertain_fact"]
    assert [one.fact.statement for one in retriever.uncertain] == [wrong.statement]
    assert retriever.uncertain[0].verdict.violations


def test_facts_from_a_file_and_from_records_are_the_same(tmp_path):
    path = tmp_path / "facts.jsonl"
    write_facts(path, FACTS, CAST)
    wanted = of_facts().graph.facts
    assert SliceRetriever.from_facts(path, embeddings=EMBEDDINGS).graph.facts == wanted
    assert SliceRetriever.from_facts(iter(FACTS), embeddings=EMBEDDINGS).graph.facts == wanted
    path.write_text('{"subject": "Ann", "relation": "flies_over", "object": "Tom"}\n')
    with pytest.raises(FactError, match="flies_over"):
        SliceRetriever.from_facts(path, embeddings=EMBEDDINGS)


def test_an_axis_of_ones_own_says_when_chapters_play(tmp_path):
    axis = StoryAxis(chapters={number: (Interval(-number, 1 - number),) for number in (1, 2, 3, 4)})
    for backwards in (of_facts(axis=axis), made(axis=axis)):
        assert backwards.graph.axis.chapters == axis.chapters
    made().save(tmp_path / "story")
    again = SliceRetriever.load(tmp_path / "story", embeddings=EMBEDDINGS, axis=axis)
    assert again.graph.axis.chapters == axis.chapters


def test_times_may_be_given_for_stories_with_dates(retriever):
    dated = [Fact(subject="Ann", relation="meets", object="Tom", story=(TimeInterval.parse(year),)) for year in ("1931", "1940")]
    found = SliceRetriever.from_facts(dated, embeddings=EMBEDDINGS, scope="cut").invoke("Whom did Ann meet?", times="1940")
    assert [document.metadata["story_time"] for document in found] == ["1940"]
    with pytest.raises(ValueError, match="only the order of its chapters"):
        retriever.invoke(QUESTION, times="1940")


def test_saved_and_loaded_it_finds_the_same_and_refuses_another_embedder(tmp_path):
    retriever = made(ontology="household")
    retriever.save(tmp_path / "story")
    again = SliceRetriever.load(tmp_path / "story", embeddings=EMBEDDINGS, k=4)
    assert again.invoke(QUESTION) == retriever.invoke(QUESTION)
    assert again.graph.ontology.name == "household"
    with pytest.raises(StoreMismatchError):
        SliceRetriever.load(tmp_path / "story", embeddings=HashEmbedder(64))


def test_added_twice_nothing_is_written_and_a_deleted_text_leaves_nothing():
    retriever = SliceRetriever.from_documents(texts(), embeddings=EMBEDDINGS)
    assert retriever.add_documents(texts()) == []
    assert len(retriever.index) == len(FACTS)
    assert retriever.delete_source("story") == len(FACTS) + 1
    assert "Quist" not in str(retriever.graph.cast.entities)
    assert len(retriever.add_documents(texts())) == len(FACTS) + 1
    retriever.delete([retriever.graph.facts[0].id])
    assert len(retriever.index) == len(FACTS) - 1


@pytest.mark.parametrize("way", ["ids", "source", "awaited"])
async def test_with_the_ids_of_a_chapter_all_of_it_goes(way):
    pieces = [Document(text, id=f"part {number}") for number, text in enumerate(CHAPTERS, 1)]
    retriever = SliceRetriever.from_documents(pieces, embeddings=EMBEDDINGS, k=20, passages=9)
    before = retriever.graph.facts, retriever.graph.axis, retriever.index.passages
    new = [Document("CHAPTER XI\n\nNan Orr met Ann Lee. Nan Orr died.", id="late")]
    ids = await retriever.aadd_documents(new) if way == "awaited" else retriever.add_documents(new)
    assert ids[0] == "late"
    assert {*ids[1:]} == {fact.id for fact in retriever.graph.facts if fact.chapter == 11}
    assert 11 in retriever.graph.chapters
    retriever.delete_source("late") if way == "source" else retriever.delete(ids)
    assert "Nan Orr" not in str(contents(retriever.invoke("Whom did Nan Orr meet?")))
    assert (retriever.graph.facts, retriever.graph.axis, retriever.index.passages) == before
    retriever.add_documents([Document("Ann Lee met Bo Finn.", id="unnumbered")])
    assert retriever.graph.chapters == (1, 2, 3, 4, 5)


def test_what_is_added_beside_a_known_part_does_not_bring_the_ids_of_that_part():
    """A text of which a part is new is read again as a whole."""
    first, second = (Document(text, metadata={"source_id": "story", "chapter": n}) for n, text in enumerate(CHAPTERS[:2], 1))
    retriever = SliceRetriever.from_documents([first], embeddings=EMBEDDINGS)
    known = retriever.graph.facts
    retriever.delete(retriever.add_documents([second]))
    assert retriever.graph.facts == known


def test_an_axis_that_was_given_keeps_its_chapters_when_texts_go():
    axis = StoryAxis(chapters={number: (Interval(number, number + 1),) for number in range(1, 13)})
    retriever = SliceRetriever.from_documents([Document(CHAPTERS[0], id="part 1")], embeddings=EMBEDDINGS, axis=axis)
    retriever.delete(["part 1"])
    assert retriever.graph.axis.chapters == axis.chapters


async def test_awaited_documents_and_facts_are_found():
    retriever = await SliceRetriever.afrom_documents(texts(), embeddings=EMBEDDINGS, k=3)
    assert WEDDING in contents(await retriever.ainvoke(QUESTION))
    assert len(await retriever.aadd_facts([("Mara Quist", "lives_in", "Alder")])) == 1
    assert await retriever.aadd_documents(texts()) == []


def test_an_estimate_adds_nothing():
    retriever = SliceRetriever.from_documents([], embeddings=EMBEDDINGS)
    assert retriever.estimate(texts()).embedded == len(FACTS) + 1
    assert len(retriever.index) == 0


@pytest.mark.parametrize("reranker", [OverlapReranker(), LangChainReranker(ChronologicalCompressor())])
def test_a_reranker_of_any_kind_is_asked(reranker):
    ranked = made(reranker=reranker, rerank=3, passages=3)
    assert ranked.invoke(QUESTION)
    assert ranked.spent.ranked > 0


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"scop": "cut"}, ValidationError, "scope"),
        ({"scope": "trim"}, ValidationError, "boost"),
        ({"preset": "paper"}, ValidationError, "preset must be default"),
        ({"k": 0}, ValidationError, "greater"),
        ({"extract": "llm"}, ValidationError, "llm="),
        ({"paths": -1}, ValidationError, "paths"),
        ({"reader_at": "two"}, ValidationError, "reader_at"),
        ({"ontology": "houshold"}, ValueError, "household"),
        ({"embedding": 1}, TypeError, "did you mean 'embeddings'"),
        ({"ontology": 3}, TypeError, "ontology must be .*not 3"),
        ({"reader_at": True}, TypeError, "reader_at=17"),
    ],
)
def test_a_wrong_option_is_an_error_that_says_what_is_right(options, error, told):
    with pytest.raises(error, match=told):
        made(**options)


def test_every_setting_of_the_core_may_be_given():
    assert {item.name for item in fields(SliceSettings)} <= set(SliceRetriever.model_fields)
    assert set(SliceRetrieverOptions.__annotations__) <= set(SliceRetriever.model_fields)


def test_it_survives_pickle_and_tells_callbacks_and_what_it_is(retriever, recorder):
    twin = pickle.loads(pickle.dumps(retriever))
    assert twin.invoke(QUESTION) == retriever.invoke(QUESTION)
    retriever.invoke(QUESTION, config={"callbacks": [recorder]})
    assert len(recorder.of("retriever")) == 1
    assert "reader_at=2" in repr(of_facts(reader_at=2))


def test_a_reader_may_be_configured(retriever):
    configurable = retriever.configurable_fields(reader_at=ConfigurableField(id="read"))
    found = configurable.invoke(QUESTION, config={"configurable": {"read": 1}})
    assert {document.metadata["chapter"] for document in found} == {1}


def test_a_tool_prints_what_a_fact_says_with_its_coordinates_and_the_chapter_of_a_passage():
    retriever = made(passages=4)
    told = retriever_tool(retriever, "story", "Looks a story up.").invoke({"query": ASKED})
    assert f"[Ann Lee — married to — Tom Rask; {retriever.invoke(ASKED)[0].metadata['coordinates']}] {WEDDING}" in told
    assert "[chapter 2] CHAPTER II" in told
    assert "[] " not in told


def test_it_works_in_a_node_of_a_graph_with_a_checkpointer(retriever):
    graphs = pytest.importorskip("langgraph.graph", exc_type=ImportError)
    memory = pytest.importorskip("langgraph.checkpoint.memory", exc_type=ImportError)
    from typing import TypedDict

    class State(TypedDict, total=False):
        question: str
        read: int
        found: list[Document]

    def look_up(state, config):
        return {"found": retriever.invoke(state["question"], config=config, reader_at=state["read"])}

    built = graphs.StateGraph(State)
    built.add_node("look_up", look_up)
    built.add_edge(graphs.START, "look_up")
    app = built.compile(checkpointer=memory.InMemorySaver())
    thread = {"configurable": {"thread_id": "one"}}
    told = app.invoke({"question": QUESTION, "read": 2}, config=thread)["found"]
    assert told == retriever.invoke(QUESTION, reader_at=2)
    assert app.get_state(thread).values["found"] == told


# The framework's own suites


def made_from_facts(**options):
    return SliceRetriever.from_facts(FACTS, embeddings=EMBEDDINGS, **options)


def made_from_read(**options):
    return SliceRetriever.from_documents(StoryFactTransformer().transform_documents(texts()), embeddings=EMBEDDINGS, **options)


class TestSlicesFromFacts(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self):
        return made_from_facts

    @property
    def retriever_constructor_params(self):
        return {}

    @property
    def retriever_query_example(self):
        return "Whom did Ann Lee meet?"


class TestSlicesFromDocuments(TestSlicesFromFacts):
    @property
    def retriever_constructor(self):
        return lambda **options: SliceRetriever.from_documents(texts(), embeddings=EMBEDDINGS, **options)


class TestSlicesFromReadDocuments(TestSlicesFromFacts):
    @property
    def retriever_constructor(self):
        return made_from_read


class TestSlicesForAReader(TestSlicesFromFacts):
    @property
    def retriever_constructor_params(self):
        return {"reader_at": 2}


class TestSlicesLoaded(TestSlicesFromFacts):
    @pytest.fixture(autouse=True)
    def saved(self, tmp_path):
        self.folder = tmp_path / "story"
        made_from_facts().save(self.folder)

    @property
    def retriever_constructor(self):
        return lambda **options: SliceRetriever.load(self.folder, embeddings=EMBEDDINGS, **options)


class _StoryTool:
    @property
    def tool_constructor(self):
        return retriever_tool(made_from_facts(k=2), "story", "Looks a story up by chapter, time and place.")

    @property
    def tool_invoke_params_example(self):
        return {"query": ASKED}


class TestSliceToolUnit(_StoryTool, ToolsUnitTests):
    pass


class TestSliceToolIntegration(_StoryTool, ToolsIntegrationTests):
    pass


# Models and traces

VAGUE = "Whom did Ann Lee marry after the quarrel?"
PICKS = '{"picks": [{"phrase": "after the quarrel", "kind": "chapter", "first": 3, "last": 3, "side": "after"}]}'


@pytest.mark.parametrize("awaited", [False, True])
def test_a_model_that_places_a_phrase_is_traced_as_a_child_of_the_retriever(recorder, awaited):
    retriever = of_facts(llm=FakeListChatModel(responses=[PICKS]), scope="cut")
    config = {"callbacks": [recorder]}
    found = asyncio.run(retriever.ainvoke(VAGUE, config)) if awaited else retriever.invoke(VAGUE, config)
    assert LATER in contents(found)
    assert WEDDING not in contents(found)
    ((_, run, _, told),) = recorder.of("retriever")
    assert [parent for _, _, parent, _ in recorder.of("chat")] == [run]
    assert told["metadata"]["ls_vector_store_provider"] == "StoryIndex"


def test_rules_alone_ask_no_model_and_a_cap_on_calls_holds():
    chat = ScriptedChat([])
    assert of_facts(llm=chat, scope_mode="rules").invoke(VAGUE)
    assert chat.calls == []
    with pytest.raises(BudgetError):
        of_facts(llm=ScriptedChat([PICKS]), max_calls=0).invoke(VAGUE)


def test_a_model_that_is_asked_for_a_reader_is_told_nothing_of_later_chapters():
    chat = ScriptedChat(lambda _: {"picks": []})
    of_facts(llm=chat, reader_at=1).invoke(VAGUE)
    sent = "\n".join(message.content for call in chat.calls for message in call.messages)
    assert "Alder" in sent
    assert "Garden" not in sent
    assert "Quist" not in sent


def test_copies_find_the_same_also_in_another_process(retriever):
    wanted = contents(retriever.invoke(QUESTION))
    assert contents(copy.deepcopy(retriever).invoke(QUESTION)) == wanted
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert contents(pool.submit(retriever.invoke, QUESTION).result()) == wanted


def test_many_questions_at_once_find_what_each_finds_alone(retriever):
    readers = [1, 2, 3, 4] * 4
    with ThreadPoolExecutor(8) as pool:
        at_once = list(pool.map(lambda chapter: contents(retriever.invoke(QUESTION, reader_at=chapter)), readers))
    assert at_once == [contents(of_facts().invoke(QUESTION, reader_at=chapter)) for chapter in readers]


@pytest.mark.parametrize("awaited", [False, True])
def test_a_keyword_that_calls_do_not_take_is_an_error_that_names_the_near_one(retriever, awaited):
    with pytest.raises(TypeError, match="with a call, there is no option 'reader'; did you mean 'reader_at'"):
        asyncio.run(retriever.ainvoke(QUESTION, reader=2)) if awaited else retriever.invoke(QUESTION, reader=2)


def test_retrievers_around_it_that_hand_on_words_alone_keep_to_the_reader(retriever):
    known = retriever.for_reader(2)
    around = EnsembleRetriever(retrievers=[known, known.for_reader(1)], weights=[0.5, 0.5])
    told = [document.page_content for document in around.invoke(QUESTION)]
    assert WEDDING in told
    assert LATER not in told
    assert LATER in [document.page_content for document in retriever.invoke(QUESTION)]
    with pytest.raises(TypeError, match="reader_at=17"):
        retriever.for_reader("two")


@pytest.mark.parametrize("way", ["together", "one by one", "read before", "beside facts"])
@pytest.mark.parametrize("cut", ["segments", "children", "whole"])
@pytest.mark.parametrize("reader_at", [1, 2, 3])
def test_no_word_of_a_later_chapter_is_in_documents_tools_or_answers_however_the_text_came_in(cut, way, reader_at):
    given = [Document(STORY, metadata={"source_id": "story"})]
    pieces = given if cut == "whole" else LitSegTextSplitter(children=cut == "children").split_documents(given)
    retriever = told_by(way, pieces).for_reader(reader_at)
    late = [sentence for chapter in CHAPTERS[reader_at:] for sentence in chapter.split("\n\n")[1].rstrip(".").split(". ")]
    for question in (QUESTION, "Who died?", "Whom did Otto Lang meet in the Garden in chapter 4?"):
        found = retriever.invoke(question)
        shown = [repr(found), grounded_chain().invoke({"input": question, "context": found})]
        shown += [retriever_tool(retriever, "story", "the story").invoke(question), repr(retriever.retrieve_with_report(question))]
        assert [sentence for sentence in late if sentence in " ".join(shown)] == []


def told_by(way, pieces):
    options = {"embeddings": HashEmbedder(), "k": 20, "passages": 9}
    if way == "read before":
        return SliceRetriever.from_documents(StoryFactTransformer().transform_documents(pieces), **options)
    if way == "beside facts":
        return SliceRetriever.from_facts(FACTS, documents=pieces[1::2] or pieces, **options)
    retriever = SliceRetriever.from_documents(pieces if way == "together" else pieces[:1], **options)
    for piece in pieces if way == "one by one" else ():
        retriever.add_documents([piece])
    return retriever
