"""Slices behind LlamaIndex's retriever: chapters, readers, places, property graphs, engines, stores, deletes."""

from __future__ import annotations

import copy
import pickle

import pytest
from llama_index.core import PropertyGraphIndex
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.indices.property_graph import BasePGRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import Document, MetadataMode, TextNode

from chronotope.errors import FactError, StoreMismatchError
from chronotope.llama_index import (
    GroundedSynthesizer,
    LitSegNodeParser,
    SliceRetriever,
    StoryFactExtractor,
    StoryQuery,
    TimedQuery,
    retriever_tool,
)
from chronotope.llama_index.convert import split_documents
from chronotope.slices.axis import StoryAxis
from chronotope.slices.documents.from_passages import found_hits
from chronotope.slices.documents.told import ingest_given
from chronotope.slices.extract import FactSettings, extract_facts
from chronotope.slices.fact import Fact
from chronotope.slices.facts_file import write_facts
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.retrieve.asking import SliceAsking
from chronotope.slices.scope import StoryScope
from chronotope.steps import Runner
from chronotope.temporal.interval import Interval, TimeInterval
from chronotope.testing import HashEmbedder, OverlapReranker, ScriptedChat
from support_told_story import CAST, CHAPTERS, FACTS, LATER, QUESTION, STORY, WEDDING, proposal

FLAT = {"chapter": 2, "story_time": "1/..", "statement": "Ann Lee — married to — Tom Rask", "confidence": "high"}


def documents():
    return [Document(text=STORY, id_="story", metadata={"title": "The mill"})]


def made(**options):
    return SliceRetriever.from_documents(
        documents(), node_parser=LitSegNodeParser(), embed_model=HashEmbedder(256), **{"k": 4, **options}
    )


def of_facts(**options):
    return SliceRetriever.from_facts(
        FACTS, nodes=split_documents(documents()), embed_model=HashEmbedder(256), **{"k": 4, **options}
    )


def texts(found):
    return [item.node.text for item in found]


@pytest.fixture
def retriever():
    return of_facts()


def test_facts_come_back_best_first_with_flat_coordinates_and_exact_places(retriever):
    found = retriever.retrieve("Whom did Ann Lee marry in chapter 2?")
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True)
    assert all(isinstance(score, float) for score in scores)
    best = found[0].node
    assert best.text == WEDDING == STORY[best.start_char_idx : best.end_char_idx]
    assert best.ref_doc_id == "story"
    assert {key: best.metadata[key] for key in FLAT} == FLAT
    assert best.metadata["entities"] == "Ann Lee; Tom Rask"
    assert "chapter 2" in best.metadata["coordinates"]
    assert all(value is None or isinstance(value, (str, int, float, bool)) for value in best.metadata.values())


def test_a_model_sees_statement_and_coordinates_and_nothing_is_embedded_but_the_words(retriever):
    best = retriever.retrieve("Whom did Ann Lee marry in chapter 2?")[0].node
    assert best.get_content(MetadataMode.EMBED) == WEDDING
    shown = best.get_content(MetadataMode.LLM)
    assert "statement: Ann Lee — married to — Tom Rask" in shown
    assert "coordinates: chapter 2" in shown
    assert "asked_scope" not in shown


def test_a_place_is_a_coordinate_and_a_constraint():
    found = of_facts(scope="cut").retrieve("Whom did Otto Lang meet at the Mill?")
    assert set(texts(found)) == {"Ann Lee met Otto Lang at the Mill.", "Otto Lang met Mara Quist at the Mill."}
    assert {item.node.metadata["place"] for item in found} == {"Mill"}


@pytest.mark.parametrize("given", ["option", "query"])
def test_a_reader_sees_nothing_of_later_chapters(given):
    retriever = made(k=20, passages=5, **({"reader_at": 2} if given == "option" else {}))
    question = QUESTION if given == "option" else StoryQuery(QUESTION, reader_at=2)
    found = retriever.retrieve(question)
    assert WEDDING in texts(found)
    shown = "\n".join(item.node.get_content(MetadataMode.ALL) + str(item.node.to_dict()) for item in found)
    assert "Mara Quist" not in shown
    assert LATER not in shown
    assert "died" not in shown
    report = retriever.retrieve_with_report(question)
    assert report.reader_at == 2
    assert "died" not in str(report.issues)


def test_a_reader_sees_no_passage_that_goes_on_into_a_later_chapter():
    """One chunk of the whole story has no chapter of its own, and would tell a reader of the first chapter everything."""
    whole = SliceRetriever.from_documents(documents(), embed_model=HashEmbedder(256), passages=3)
    assert len(whole.index.passages) == 1
    assert not [item for item in whole.retrieve(StoryQuery(QUESTION, reader_at=2)) if "died" in item.node.text]
    assert [item for item in whole.retrieve(StoryQuery(QUESTION, reader_at=4)) if "died" in item.node.text]


def test_facts_that_travel_with_a_passage_are_not_shown_with_it():
    read = StoryFactExtractor()(split_documents(documents()))
    retriever = SliceRetriever.from_nodes(read, embed_model=HashEmbedder(256), k=1, passages=2)
    for item in retriever.retrieve(QUESTION):
        assert "story_facts" not in item.node.metadata
        assert "relations" not in item.node.metadata


def test_the_question_of_a_query_may_be_taken_apart_already(retriever):
    scope = StoryScope(question=QUESTION, core=QUESTION, chapters=(Interval(4, 5),), read_by="given")
    report = retriever.retrieve_with_report(StoryQuery(QUESTION, scope=scope))
    assert report.scope.chapters == scope.chapters
    assert {found.fact.chapter for found in report.trace if found.in_scope} >= {4}


def test_passages_follow_the_facts_when_they_are_asked_for():
    found = made(passages=2, k=3).retrieve(QUESTION)
    kinds = ["statement" in item.node.metadata for item in found]
    assert kinds == [True, True, True, False, False]
    passage = found[3].node
    assert passage.metadata["title"] == "The mill"
    assert passage.metadata["chapter"].startswith("CHAPTER")
    assert STORY[passage.start_char_idx : passage.end_char_idx] == passage.text


async def test_awaited_it_finds_the_same(retriever):
    ids = [item.node.node_id for item in retriever.retrieve(QUESTION)]
    assert [item.node.node_id for item in await retriever.aretrieve(QUESTION)] == ids
    report = await retriever.aretrieve_with_report(QUESTION)
    assert [one.fact.id for one in report.trace] == ids


def test_it_finds_what_the_core_finds_in_the_same_order_with_the_same_scores(retriever):
    index, runner = StoryIndex(HashEmbedder(256).model_id), Runner(None, HashEmbedder(256))
    runner.run(ingest_given(FACTS, [], index))
    found = found_hits(runner.run(SliceAsking.of(4, passages=0).retrieve(index, QUESTION)))
    shown = retriever.retrieve(QUESTION)
    assert [(item.node.node_id, item.score) for item in shown] == [(hit.passage.id, hit.score) for hit in found]


def test_nodes_with_facts_are_taken_as_they_are():
    nodes = split_documents(documents())
    read = StoryFactExtractor()(nodes)
    taken = SliceRetriever.from_nodes(read, embed_model=HashEmbedder(256))
    fresh = SliceRetriever.from_nodes(nodes, embed_model=HashEmbedder(256))
    assert taken.graph.facts == fresh.graph.facts
    assert taken.graph.axis.chapters == fresh.graph.axis.chapters
    assert [passage.id for passage in taken.index.passages] == [passage.id for passage in fresh.index.passages]


def test_every_fact_stands_in_a_passage_that_holds_its_words(retriever):
    taken = SliceRetriever.from_nodes(
        StoryFactExtractor()(split_documents(documents(), max_tokens=30)), embed_model=HashEmbedder(256)
    )
    for index in (retriever.index, taken.index):
        for fact, home in zip(index.facts, index.homes.tolist(), strict=True):
            assert fact.quote in index.passage_shelf.item(home).text


def test_a_model_reads_nodes_where_it_is_asked_to():
    reply = {"facts": [proposal(WEDDING, "Ann Lee", "married_to", "Tom Rask")]}
    node = TextNode(text=CHAPTERS[1], id_="c2", metadata={"chapter": 2})
    for extract in ("llm", FactSettings(mode="llm")):
        retriever = SliceRetriever.from_nodes([node], embed_model=HashEmbedder(), llm=ScriptedChat([reply]), extract=extract)
        assert [fact.statement for fact in retriever.graph.facts] == ["Ann Lee — married to — Tom Rask"]
        assert retriever.spent.calls == 1
        assert retriever.uncertain == ()


def test_facts_from_a_file_records_and_an_extraction_are_the_same(tmp_path):
    path = tmp_path / "facts.csv"
    write_facts(path, FACTS, CAST)
    found = Runner().run(extract_facts([]))
    wanted = of_facts().graph.facts
    for given in (path, str(path), list(FACTS), iter(FACTS)):
        assert SliceRetriever.from_facts(given, embed_model=HashEmbedder()).graph.facts == wanted
    assert not SliceRetriever.from_facts(found, embed_model=HashEmbedder()).graph.facts
    records = [("Ann Lee", "married_to", "Tom Rask")]
    assert SliceRetriever.from_facts(records, embed_model=HashEmbedder()).graph.facts[0].statement == FLAT["statement"]


def test_facts_that_rules_keep_out_and_records_that_cannot_be_read_are_told(tmp_path):
    path = tmp_path / "facts.csv"
    path.write_text("subject,relation,object\nAnn,married_to,Tom\nAnn,parent_of,Ann\nAnn,flies_over,Tom\n")
    retriever = SliceRetriever.from_facts(path, embed_model=HashEmbedder())
    assert {issue.kind for issue in retriever.issues} >= {"uncertain_fact", "bad_record"}
    assert [one.fact.statement for one in retriever.uncertain] == ["Ann — parent of — Ann"]
    path.write_text("subject,relation,object\nAnn,flies_over,Tom\n")
    with pytest.raises(FactError, match="flies_over"):
        SliceRetriever.from_facts(path, embed_model=HashEmbedder())


def test_an_axis_of_ones_own_says_when_chapters_play():
    axis = StoryAxis(chapters={number: (Interval(-number, 1 - number),) for number in (1, 2, 3, 4)})
    for backwards in (of_facts(axis=axis), made(axis=axis)):
        assert backwards.graph.axis.chapters == axis.chapters
        backwards.insert_nodes([TextNode(text="Ann Lee met Tom Rask.", metadata={"chapter": 4})])
        assert backwards.graph.axis.chapters == axis.chapters


def test_times_beside_the_words_are_for_stories_with_dates(retriever):
    dated = [Fact(subject="Ann", relation="meets", object="Tom", story=(TimeInterval.parse(year),)) for year in ("1931", "1940")]
    found = SliceRetriever.from_facts(dated, embed_model=HashEmbedder(), scope="cut").retrieve(
        TimedQuery("Whom did Ann meet?", times=["1940"])
    )
    assert [item.node.metadata["story_time"] for item in found] == ["1940"]
    with pytest.raises(ValueError, match="only the order of its chapters"):
        retriever.retrieve(TimedQuery(QUESTION, times=["1940"]))


def test_saved_and_loaded_it_finds_the_same_and_refuses_another_embedder(tmp_path):
    retriever = made(ontology="household")
    retriever.save(tmp_path / "story")
    again = SliceRetriever.load(tmp_path / "story", embed_model=HashEmbedder(256), k=4)
    assert [(i.node.node_id, i.score) for i in again.retrieve(QUESTION)] == [
        (i.node.node_id, i.score) for i in retriever.retrieve(QUESTION)
    ]
    assert again.graph.ontology.name == "household"
    assert again.graph.axis.chapters == retriever.graph.axis.chapters
    with pytest.raises(StoreMismatchError):
        SliceRetriever.load(tmp_path / "story", embed_model=HashEmbedder(64))


def test_what_is_known_is_passed_over_and_a_deleted_document_leaves_nothing():
    retriever = SliceRetriever.from_nodes([], embed_model=HashEmbedder(256))
    nodes = split_documents(documents())
    assert retriever.insert_nodes(nodes) == len(FACTS)
    assert retriever.insert_nodes(nodes) == 0
    other = TextNode(text="Ann Lee met Tom Rask.", id_="other", metadata={"chapter": 9})
    retriever.insert_nodes([other])
    assert retriever.delete_ref_doc("story") > 0
    assert {fact.source_id for fact in retriever.graph.facts} == {"other"}
    assert "Quist" not in str(retriever.graph.cast.entities)
    assert retriever.delete_nodes(["other"]) == 2
    assert retriever.insert_nodes(nodes) == len(FACTS)


def test_an_estimate_calls_nothing_and_adds_nothing():
    retriever = SliceRetriever.from_nodes([], embed_model=HashEmbedder(256))
    assert retriever.estimate(split_documents(documents())).embedded == len(FACTS) + 1
    assert len(retriever.index) == 0
    modelled = SliceRetriever.from_nodes([], embed_model=HashEmbedder(), extract="llm", llm=ScriptedChat([]))
    assert modelled.estimate([TextNode(text=CHAPTERS[1])]).calls >= 1


async def test_awaited_inserts_are_found():
    retriever = SliceRetriever.from_nodes([], embed_model=HashEmbedder(256), k=3)
    assert await retriever.ainsert_nodes(split_documents(documents())) == len(FACTS)
    assert await retriever.ainsert_facts([("Mara Quist", "lives_in", "Alder")]) == 1
    assert WEDDING in texts(await retriever.aretrieve(QUESTION))


def test_a_reranker_is_asked():
    ranked = made(reranker=OverlapReranker(), rerank=3, passages=3)
    assert ranked.retrieve(QUESTION)
    assert ranked.spent.ranked > 0


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"scop": "cut"}, TypeError, "did you mean 'scope'"),
        ({"scope": "trim"}, ValueError, "boost"),
        ({"k": 0}, ValueError, "k must"),
        ({"extract": "llm"}, ValueError, "llm="),
        ({"extract": 3}, TypeError, "extract must"),
        ({"reader_at": "two"}, TypeError, "reader_at=17"),
        ({"date": 3}, TypeError, "date="),
        ({"ontology": "houshold"}, ValueError, "household"),
        ({"axis": 3}, TypeError, "StoryAxis"),
        ({"ontology": 3}, TypeError, "ontology must be .*not 3"),
        ({"embeddings": 3}, TypeError, "did you mean 'embed_model'"),
        ({"keys": "filed"}, TypeError, "MetadataKeys"),
    ],
)
def test_a_wrong_option_is_an_error_that_says_what_is_right(options, error, told):
    with pytest.raises(error, match=told):
        made(**options)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
def test_copies_find_and_answer_the_same(retriever, clone):
    assert texts(clone(retriever).retrieve(QUESTION)) == texts(retriever.retrieve(QUESTION))
    engine = RetrieverQueryEngine(clone(retriever), response_synthesizer=clone(GroundedSynthesizer()))
    assert "Tom Rask" in str(engine.query(QUESTION))


def test_a_model_helps_with_what_rules_cannot_place_and_is_told_nothing_of_later_chapters():
    pick = {"phrase": "after the quarrel", "kind": "chapter", "first": 3, "last": 3, "side": "after"}
    chat = ScriptedChat(lambda _: {"picks": [pick]})
    found = texts(of_facts(llm=chat, scope="cut").retrieve("Whom did Ann Lee marry after the quarrel?"))
    assert LATER in found
    assert WEDDING not in found
    chat.calls.clear()
    of_facts(llm=chat, reader_at=1).retrieve("Whom did Ann Lee marry after the quarrel?")
    sent = "\n".join(message.content for call in chat.calls for message in call.messages)
    assert "Alder" in sent
    assert "Garden" not in sent


def test_it_tells_what_it_is(retriever):
    assert "k=4" in repr(retriever)
    assert "reader_at=2" in repr(of_facts(reader_at=2))


def test_the_graph_is_a_networkx_graph_on_demand(retriever):
    assert retriever.graph.networkx.number_of_edges() == len(retriever.graph.edges)


def test_a_tool_shows_statement_and_coordinates(retriever):
    told = str(retriever_tool(retriever).call("Whom did Ann Lee marry in chapter 2?"))
    assert "Ann Lee — married to — Tom Rask" in told
    assert "coordinates: chapter 2" in told


# Property graphs and engines


@pytest.fixture
def index():
    nodes = [TextNode(text=text, id_=f"c{number}", metadata={"chapter": number}) for number, text in enumerate(CHAPTERS, 1)]
    return PropertyGraphIndex(nodes=nodes, kg_extractors=[StoryFactExtractor()], embed_kg_nodes=False, llm=MockLLM())


@pytest.mark.parametrize("use_async", [True, False])
def test_it_is_a_sub_retriever_of_a_property_graph(index, use_async):
    retriever = SliceRetriever.from_property_graph(index, embed_model=HashEmbedder(256), k=4)
    sub = retriever.as_sub_retriever(index.property_graph_store)
    assert isinstance(sub, BasePGRetriever)
    found = index.as_retriever(sub_retrievers=[sub], use_async=use_async).retrieve(QUESTION)
    assert [item.node.node_id for item in found] == [item.node.node_id for item in retriever.retrieve(QUESTION)]
    assert "Ann Lee — married to — Tom Rask (chapter 2" in "\n".join(texts(found))
    assert f"“{WEDDING}”" in "\n".join(texts(found))


def test_two_facts_of_one_sentence_are_both_shown_by_a_property_graph(index):
    both = [
        Fact(subject=name, relation="lives_in", object="Alder", chapter=1, quote="They lived in Alder.") for name in ("Ann", "Tom")
    ]
    retriever = SliceRetriever.from_facts(both, embed_model=HashEmbedder(256))
    assert len(index.as_retriever(sub_retrievers=[retriever.as_sub_retriever()]).retrieve("Who lived in Alder?")) == 2


def test_without_more_it_is_a_sub_retriever_too(index):
    retriever = SliceRetriever.from_property_graph(index, embed_model=HashEmbedder(256), k=4)
    assert texts(index.as_retriever(sub_retrievers=[retriever]).retrieve(QUESTION)) == texts(retriever.retrieve(QUESTION))


async def test_a_property_graph_query_engine_answers_from_the_slice(index):
    retriever = SliceRetriever.from_property_graph(index, embed_model=HashEmbedder(256), k=4)
    engine = index.as_query_engine(
        sub_retrievers=[retriever.as_sub_retriever()], llm=MockLLM(), response_synthesizer=GroundedSynthesizer()
    )
    response = engine.query(QUESTION)
    assert "Tom Rask" in str(response)
    assert response.source_nodes
    assert str(await engine.aquery(QUESTION)) == str(response)


def test_it_takes_part_in_fusion_and_chat(retriever):
    fused = QueryFusionRetriever([retriever], num_queries=1, similarity_top_k=3, llm=MockLLM(), use_async=False)
    assert len(fused.retrieve(QUESTION)) == 3
    memory = ChatMemoryBuffer.from_defaults(llm=MockLLM())
    chat = ContextChatEngine(retriever=retriever, llm=MockLLM(), memory=memory, prefix_messages=[])
    assert chat.chat(QUESTION).source_nodes


def test_called_inside_a_running_loop_it_answers(retriever):
    import asyncio

    async def within():
        return texts(retriever.retrieve(QUESTION))

    assert asyncio.run(within()) == texts(retriever.retrieve(QUESTION))


def test_questions_decorated_by_tools_are_understood(retriever):
    plain = [item.node.node_id for item in retriever.retrieve("Whom did Ann Lee marry in chapter 2?")]
    decorated = retriever.retrieve("\ninput is Whom did Ann Lee marry in chapter 2?\n")
    assert decorated[0].node.node_id == plain[0]


def test_a_blank_question_finds_nothing_and_is_told(retriever):
    report = retriever.retrieve_with_report(" ")
    assert report.trace == ()
    assert "blank_question" in [issue.kind for issue in report.issues]


def test_an_engine_with_the_synthesizer_answers(retriever):
    assert "Tom Rask" in str(RetrieverQueryEngine(retriever, response_synthesizer=GroundedSynthesizer()).query(QUESTION))


@pytest.mark.parametrize("given", [STORY, Document(text=STORY), None])
def test_one_text_in_place_of_several_is_an_error_that_says_so(given):
    for make in (SliceRetriever.from_nodes, SliceRetriever.from_documents):
        with pytest.raises(TypeError, match=r"must be a list of LlamaIndex .*not one"):
            make(given, embed_model=HashEmbedder())


def test_what_the_text_is_called_elsewhere_is_told():
    with pytest.raises(TypeError, match="did you mean 'nodes'"):
        SliceRetriever.from_facts(FACTS, documents=documents(), embed_model=HashEmbedder())


def test_engines_that_write_questions_of_their_own_keep_to_the_reader_of_the_retriever():
    retriever = made(k=20, passages=5)
    known = retriever.for_reader(2)
    fused = QueryFusionRetriever([known], llm=MockLLM(), num_queries=3, use_async=False, similarity_top_k=20).retrieve(QUESTION)
    tool = retriever_tool(known).call(QUESTION).content
    assert WEDDING in texts(fused)
    assert LATER not in str(fused) + tool
    assert LATER in texts(retriever.retrieve(QUESTION))
    assert known.index is retriever.index
    with pytest.raises(TypeError, match="reader_at=17"):
        retriever.for_reader("two")


CUTS = {
    "segments": LitSegNodeParser(),
    "children": LitSegNodeParser(children=True),
    "sentences": SentenceSplitter(chunk_size=24, chunk_overlap=6, include_metadata=False),
    "whole": None,
}
WAYS = ["together", "one by one", "from a property graph", "beside facts"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("reader_at", [1, 2, 3])
def test_no_word_of_a_later_chapter_is_in_nodes_tools_or_answers_however_the_text_came_in(cut, way, reader_at):
    nodes = CUTS[cut](documents()) if CUTS[cut] else documents()
    retriever = told_by(way, nodes).for_reader(reader_at)
    late = [sentence for chapter in CHAPTERS[reader_at:] for sentence in chapter.split("\n\n")[1].rstrip(".").split(". ")]
    for question in (QUESTION, "Who died?", "Whom did Otto Lang meet in the Garden in chapter 4?"):
        found = retriever.retrieve(question)
        answer = RetrieverQueryEngine(retriever, response_synthesizer=GroundedSynthesizer()).query(question)
        shown = [item.model_dump_json() for item in found]
        shown += [retriever_tool(retriever).call(question).content, str(answer), repr(answer.metadata)]
        shown += [repr(retriever.retrieve_with_report(question))]
        assert [sentence for sentence in late if sentence in " ".join(shown)] == []


def told_by(way, nodes):
    options = {"embed_model": HashEmbedder(), "k": 20, "passages": 9}
    if way == "from a property graph":
        index = PropertyGraphIndex(nodes, kg_extractors=[StoryFactExtractor()], llm=MockLLM(), embed_kg_nodes=False)
        return SliceRetriever.from_property_graph(index, **options)
    if way == "beside facts":
        return SliceRetriever.from_facts(FACTS, nodes=nodes[1::2] or nodes, **options)
    retriever = SliceRetriever.from_nodes(nodes if way == "together" else nodes[:1], **options)
    for node in nodes if way == "one by one" else ():
        retriever.insert_nodes([node])
    return retriever


def test_a_property_graph_gives_all_its_chunks_with_their_chapters():
    chunks = SentenceSplitter(chunk_size=24, chunk_overlap=0, include_metadata=False)(documents())
    retriever = told_by("from a property graph", chunks)
    assert {passage.id for passage in retriever.index.passages} == {chunk.node_id for chunk in chunks}
    numbers = [passage.metadata["chapter_number"] for passage in retriever.index.passages]
    assert numbers == sorted(numbers)
    assert set(numbers) == {1, 2, 3, 4}


@pytest.mark.parametrize("node_parser", [LitSegNodeParser, "lines", 3])
def test_what_is_no_node_parser_is_an_error_that_shows_one(node_parser):
    with pytest.raises(TypeError, match=r"node_parser must be a node parser, such as SentenceSplitter\(\), not"):
        SliceRetriever.from_documents(documents(), node_parser=node_parser, embed_model=HashEmbedder())
