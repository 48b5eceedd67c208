"""Facts of a story on LlamaIndex nodes: metadata, pipelines, dumps, models, and property graphs that keep every dated fact."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core import PropertyGraphIndex
from llama_index.core.graph_stores import SimplePropertyGraphStore
from llama_index.core.graph_stores.types import EntityNode, Relation
from llama_index.core.ingestion import IngestionCache, IngestionPipeline
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.llms import MockLLM
from llama_index.core.schema import Document, MetadataMode, TextNode, TransformComponent
from llama_index.core.storage.docstore import SimpleDocumentStore
from pydantic import ValidationError

from chronotope.errors import FactError, PromptError
from chronotope.llama_index import LitSegNodeParser, SliceRetriever, StoryFactExtractor
from chronotope.llama_index.convert import split_documents
from chronotope.slices.documents.laying import joined
from chronotope.slices.documents.stored import FACTS_KEY, StoredFacts
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.facts_file import read_facts
from chronotope.slices.ontology import Ontology, Rule
from chronotope.temporal.interval import Interval
from chronotope.testing import HashEmbedder, ScriptedChat
from support_told_story import CAST, CHAPTERS, FACTS, STORY, WEDDING, proposal

STATEMENTS = {
    "Ann Lee — serves — Tom Rask",
    "Tom Rask — lives in — Alder",
    "Ann Lee — meets — Otto Lang",
    "Ann Lee — married to — Tom Rask",
    "Tom Rask — died",
    "Otto Lang — meets — Mara Quist",
    "Ann Lee — married to — Otto Lang",
    "Otto Lang — meets — Ann Lee",
}


def document(**options):
    return Document(text=STORY, id_="story", metadata={"title": "The mill", "nested": {"a": [1]}}, **options)


def chapters():
    return [TextNode(text=text, id_=f"c{number}", metadata={"chapter": number}) for number, text in enumerate(CHAPTERS, 1)]


def facts_of(node):
    return StoredFacts.from_text(node.metadata[FACTS_KEY]).facts


def statements(nodes):
    return {fact.statement for node in nodes for fact in facts_of(node)}


def test_a_node_carries_the_facts_that_it_tells_with_exact_offsets():
    (node,) = StoryFactExtractor()([document()])
    facts = facts_of(node)
    assert {fact.statement for fact in facts} == STATEMENTS
    assert all(STORY[fact.char_start : fact.char_end] == fact.quote for fact in facts)
    assert [(fact.chapter, fact.source_id) for fact in facts if fact.quote == WEDDING] == [(2, "story")]


def test_the_nodes_given_are_not_changed_and_ids_texts_and_relationships_stay():
    given = split_documents([document()], max_tokens=30)
    before = [node.model_dump_json() for node in given]
    made = StoryFactExtractor()(given)
    made[0].metadata["more"] = 1
    assert [node.model_dump_json() for node in given] == before
    assert [(node.node_id, node.text, node.relationships) for node in made] == [
        (node.node_id, node.text, node.relationships) for node in given
    ]


def test_each_chunk_has_the_facts_whose_words_stand_in_it():
    chunks = split_documents([document()], max_tokens=30)
    made = StoryFactExtractor()(chunks)
    assert len(made) > 2
    assert statements(made) == STATEMENTS
    for node in made:
        assert all(fact.quote in node.text for fact in facts_of(node))


@pytest.mark.parametrize("nodes", [chapters(), LitSegNodeParser()([document()])], ids=["numbers", "segments"])
def test_chapters_are_those_of_the_metadata_or_of_the_headings(nodes):
    told = {fact.statement: fact.chapter for node in StoryFactExtractor()(nodes) for fact in facts_of(node)}
    assert told["Ann Lee — married to — Tom Rask"] == 2
    assert told["Tom Rask — died"] == 3
    assert told["Ann Lee — married to — Otto Lang"] == 4


def test_facts_are_kept_out_of_embedded_text_and_prompts():
    (node,) = StoryFactExtractor()([document()])
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        assert "story_facts" not in node.get_content(mode)
        assert "relations" not in node.get_content(mode)
    assert "title: The mill" in node.get_content(MetadataMode.LLM)


def test_blank_nodes_come_back_without_facts_and_are_told():
    nodes, issues = StoryFactExtractor().extract([TextNode(text=" ", id_="b"), *chapters()])
    assert [node.node_id for node in nodes] == ["b", "c1", "c2", "c3", "c4"]
    assert facts_of(nodes[0]) == ()
    assert [(issue.kind, issue.source_id) for issue in issues] == [("blank", "b")]


def test_nodes_that_were_read_are_not_read_again():
    read = StoryFactExtractor()(chapters())
    chat = ScriptedChat([])
    again = StoryFactExtractor(llm=chat)(read)
    assert chat.calls == []
    assert [node.metadata[FACTS_KEY] for node in again] == [node.metadata[FACTS_KEY] for node in read]


async def test_awaited_it_gives_the_same():
    nodes, _ = await StoryFactExtractor().aextract([document()])
    assert statements(nodes) == STATEMENTS
    assert statements(await StoryFactExtractor().acall([document()])) == STATEMENTS


def test_a_model_reads_each_window_and_what_it_cost_is_told():
    chat = ScriptedChat([{"facts": [proposal(WEDDING, "Ann Lee", "married_to", "Tom Rask")]}])
    extractor = StoryFactExtractor(llm=chat)
    node = TextNode(text=CHAPTERS[1], id_="c2", metadata={"chapter": 2})
    assert extractor.mode == "llm"
    assert extractor.estimate([node]).calls >= 1
    assert statements(extractor([node])) == {"Ann Lee — married to — Tom Rask"}
    assert extractor.spent.calls == len(chat.calls) == 1


def test_a_fact_that_rules_keep_out_is_told_and_logged_with_what_was_said_of_it():
    wrong = {"facts": [proposal(WEDDING, "Ann Lee", "parent_of", "Ann Lee")]}
    extractor = StoryFactExtractor(llm=ScriptedChat([wrong, {"facts": []}]), repairs=1)
    nodes, issues = extractor.extract([TextNode(text=CHAPTERS[1], id_="c2", metadata={"chapter": 2})])
    assert statements(nodes) == set()
    assert "uncertain_fact" in [issue.kind for issue in issues]
    assert extractor.story is not None
    (kept_out,) = extractor.story.uncertain
    assert kept_out.verdict.violations
    assert len(kept_out.history) == 1


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"mode": "llm"}, ValidationError, "llm="),
        ({"ontolgy": "household"}, ValidationError, "did you mean 'ontology'"),
        ({"ontology": "houshold"}, ValidationError, "did you mean .household"),
        ({"repairs": -1}, ValidationError, "repairs"),
        ({"axis": "days"}, ValidationError, "axis"),
        ({"prompts": {"facts": "x"}}, ValidationError, "story_facts"),
        ({"prompts": {"story_facts": "no version"}}, PromptError, "version"),
    ],
)
def test_what_cannot_be_is_refused_when_the_extractor_is_made(options, error, told):
    with pytest.raises(error, match=told):
        StoryFactExtractor(**options)


def test_metadata_of_another_kind_under_its_key_is_an_error_that_shows_it():
    with pytest.raises(FactError, match="no JSON at all"):
        StoryFactExtractor()([TextNode(text="Ann Lee married Tom Rask.", metadata={FACTS_KEY: "no JSON at all"})])


def test_it_survives_pickle_and_dict_with_all_it_is_made_of():
    extractor = StoryFactExtractor(ontology="household", cast=CAST, repairs=1, property_graph=False)
    for twin in (pickle.loads(pickle.dumps(extractor)), StoryFactExtractor.from_dict(extractor.to_dict())):
        assert twin.to_dict() == extractor.to_dict()
        assert (twin.ontology, twin.cast) == (extractor.ontology, CAST)
        assert statements(twin([document()])) >= STATEMENTS
    assert StoryFactExtractor.class_name() == "ChronotopeStoryFactExtractor"
    assert repr(extractor) == "StoryFactExtractor(mode='rules', repairs=1, property_graph=False)"


def test_an_ontology_of_ones_own_reaches_a_copy(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[types.person]\n[relations.serves]\ndomain = ["person"]\nrange = ["person"]\nsays = ["{subject} served {object}"]\n'
    )
    extractor = StoryFactExtractor(ontology=path)
    dump = extractor.to_dict()
    path.unlink()
    assert isinstance(StoryFactExtractor.from_dict(dump).ontology, Ontology)
    assert {fact.relation for fact in facts_of(StoryFactExtractor.from_dict(dump)([document()])[0])} == {"serves"}


def nobody_marries(fact, known):
    return "nobody marries here" if fact.relation == "married_to" else None


def test_an_ontology_with_rules_that_are_functions_reaches_a_copy_and_is_given_again_to_a_dump():
    rule = Rule(name="nobody_marries", hard=True, judge=nobody_marries)
    strict = Ontology.load("general_fiction").with_rules(rule)
    extractor = StoryFactExtractor(ontology=strict)
    dump = extractor.to_dict()
    with pytest.raises(ValidationError, match=r"\(nobody_marries\) are in no dump: give the ontology again as ontology="):
        StoryFactExtractor.from_dict(dump)
    copies = (pickle.loads(pickle.dumps(extractor)), StoryFactExtractor.from_dict(dump, ontology=strict))
    for twin in copies:
        assert not {told for told in statements(twin([document()])) if "married" in told}
        assert twin.to_dict() == dump


def test_cache_keys_change_with_what_changes_the_facts():
    variants = [
        StoryFactExtractor(),
        StoryFactExtractor(ontology="household"),
        StoryFactExtractor(cast=CAST),
        StoryFactExtractor(llm=ScriptedChat([])),
        StoryFactExtractor(llm=ScriptedChat([]), repairs=0),
        StoryFactExtractor(property_graph=False),
        StoryFactExtractor(version=2),
    ]
    hashes = [get_transformation_hash([document()], variant) for variant in variants]
    assert len(set(hashes)) == len(hashes)


def test_a_pipeline_reads_once_and_gives_the_same_from_its_cache(tmp_path):
    extractor = StoryFactExtractor(property_graph=False)
    pipeline = IngestionPipeline(transformations=[extractor], cache=IngestionCache())
    first = pipeline.run(documents=[document()])
    pipeline.persist(str(tmp_path))
    again = IngestionPipeline(transformations=[extractor], cache=IngestionCache())
    again.load(str(tmp_path))
    assert [node.metadata[FACTS_KEY] for node in again.run(documents=[document()])] == [first[0].metadata[FACTS_KEY]]


def test_nodes_with_facts_go_through_a_document_store():
    store = SimpleDocumentStore()
    store.add_documents(StoryFactExtractor(property_graph=False)(chapters()))
    assert statements(store.docs.values()) == STATEMENTS


def test_workers_read_parts_of_a_story_whose_chapters_still_follow_each_other():
    """Each process has ticks of its own; joined, no chapter plays at the time of another."""
    halves = [StoryFactExtractor(property_graph=False)(part) for part in (chapters()[:2], chapters()[2:])]
    parts = [StoredFacts.from_text(node.metadata[FACTS_KEY]) for half in halves for node in half]
    whole = joined(parts)
    assert whole.axis is not None
    starts = [whole.axis.now(number)[0].start for number in (1, 2, 3, 4)]
    assert starts == sorted(set(starts))
    assert [issue.kind for issue in whole.issues] == ["axes_joined"]
    one_run = [StoredFacts.from_text(node.metadata[FACTS_KEY]) for node in StoryFactExtractor()(chapters())]
    assert joined(one_run).issues == ()


def test_a_pipeline_with_workers_gives_the_facts_of_all_parts():
    pipeline = IngestionPipeline(transformations=[StoryFactExtractor(property_graph=False)], disable_cache=True)
    assert statements(pipeline.run(documents=chapters(), num_workers=2)) == STATEMENTS


# Property graphs


def graph_of(nodes, **options):
    return PropertyGraphIndex(
        nodes=nodes, kg_extractors=[StoryFactExtractor(**options)], embed_kg_nodes=False, llm=MockLLM(), use_async=False
    )


class Hands(TransformComponent):
    """Hands given facts to the graph, as an extractor that found them would."""

    facts: list = []  # noqa: RUF012 - a field

    def __call__(self, nodes, **_):
        from chronotope.llama_index.property_graph import with_graph

        return [with_graph(node, StoredFacts(facts=tuple(self.facts))) for node in nodes]


def test_a_property_graph_keeps_two_facts_of_one_relation_between_the_same_two():
    twice = [
        Fact(
            subject="Ann",
            relation="meets",
            object="Tom",
            chapter=chapter,
            story=(Interval(chapter, chapter + 1),),
            quote=f"q{chapter}",
        )
        for chapter in (1, 9)
    ]
    index = PropertyGraphIndex(
        nodes=[TextNode(text="They met, and met again.", id_="n")],
        kg_extractors=[Hands(facts=twice)],
        embed_kg_nodes=False,
        llm=MockLLM(),
    )
    labels = [relation.label for relation in index.property_graph_store.graph.relations.values() if relation.source_id == "Ann"]
    assert labels == ["meets", "meets"]
    found = SliceRetriever.from_property_graph(index, embed_model=HashEmbedder())
    assert sorted(fact.id for fact in found.graph.facts) == sorted(fact.id for fact in twice)
    assert found.graph.fact(twice[1].id).story == twice[1].story


@pytest.mark.parametrize("use_async", [True, False])
def test_an_index_over_chapters_and_back_loses_no_fact(use_async, tmp_path):
    index = PropertyGraphIndex(
        nodes=chapters(), kg_extractors=[StoryFactExtractor()], embed_kg_nodes=False, llm=MockLLM(), use_async=use_async
    )
    path = str(tmp_path / "graph.json")
    index.property_graph_store.persist(path)
    for graph in (index, index.property_graph_store, SimplePropertyGraphStore.from_persist_path(path)):
        retriever = SliceRetriever.from_property_graph(graph, embed_model=HashEmbedder())
        read = StoryFactExtractor()(chapters())
        assert {fact.id for fact in retriever.graph.facts} == {fact.id for node in read for fact in facts_of(node)}
        assert {passage.id for passage in retriever.index.passages} == {"c1", "c2", "c3", "c4"}
        assert retriever.issues == ()


def test_facts_in_a_graph_have_coordinates_as_properties_that_a_filter_can_use():
    index = graph_of(chapters())
    (wedding,) = [node for node in index.property_graph_store.get(properties={"chapter": 2}) if node.label == "story_fact"]
    assert wedding.properties["subject"] == "Ann Lee"
    assert wedding.properties["quote"] == WEDDING
    assert "Ann Lee — married to — Tom Rask" in wedding.name


NAMES = st.text('ab_"陳 ', min_size=1, max_size=4).map(lambda name: " ".join(name.split())).filter(bool)
TIMES = st.lists(st.integers(-9, 9).map(lambda start: Interval(start, start + 1)), max_size=2, unique=True).map(tuple)
ANY_FACT = st.builds(
    Fact,
    subject=NAMES,
    relation=st.sampled_from(["meets", "knows", "lives_in"]),
    object=NAMES,
    chapter=st.none() | st.integers(1, 9),
    story=TIMES,
    place=st.just("") | NAMES,
    quote=st.just("") | NAMES,
    source_id=st.sampled_from(["", "a"]),
    confidence=st.sampled_from(["high", "low"]),
    metadata=st.dictionaries(st.sampled_from(["mood", "chapter", "id"]), st.integers() | st.booleans() | NAMES, max_size=2),
)


@given(st.lists(ANY_FACT, max_size=6, unique_by=lambda fact: fact.id))
def test_whatever_a_fact_is_a_graph_gives_it_back_as_it_was(facts):
    from chronotope.llama_index.property_graph import read_graph, with_graph

    made = with_graph(TextNode(text="x", id_="n"), StoredFacts(facts=tuple(facts)))
    store = SimplePropertyGraphStore()
    store.upsert_nodes(made.metadata["nodes"])
    store.upsert_relations(made.metadata["relations"])
    store = SimplePropertyGraphStore.from_dict(json.loads(store.graph.model_dump_json()))
    ontology = Ontology.load("general_fiction")
    rows = read_graph(store, ontology).records
    read = read_facts(rows, ontology=ontology).items if facts else ()
    assert {fact.id: fact for fact in read} == {fact.id: fact for fact in facts}


def test_what_other_extractors_put_there_is_kept():
    node = TextNode(text=CHAPTERS[1], id_="n", metadata={"nodes": [EntityNode(name="X")], "relations": [], "chapter": 2})
    (made,) = StoryFactExtractor()([node])
    assert made.metadata["nodes"][0].name == "X"
    assert len(made.metadata["nodes"]) > 1
    assert node.metadata["nodes"] == [EntityNode(name="X")]


def test_nodes_of_a_pipeline_go_into_a_graph_without_being_read_again():
    read = IngestionPipeline(transformations=[StoryFactExtractor()], cache=IngestionCache())
    read.run(documents=chapters())
    cached = read.run(documents=chapters())
    chat = ScriptedChat([])
    assert SliceRetriever.from_property_graph(graph_of(cached, llm=chat), embed_model=HashEmbedder()).graph.facts
    assert chat.calls == []


def test_relations_of_other_extractors_are_facts_as_far_as_they_can_be_read():
    store = SimplePropertyGraphStore()
    people = [EntityNode(name=name, label="PERSON") for name in ("Ann", "Tom", "Mara")]
    store.upsert_nodes(people)
    good = {"chapter": "2", "place": "Church", "mood": "glad"}
    store.upsert_relations(
        [
            Relation(label="MARRIED_TO", source_id="Ann", target_id="Tom", properties=good),
            Relation(label="serves", source_id="Ann", target_id="Mara", properties={"chapter": "the last"}),
            Relation(label="flies over", source_id="Ann", target_id="Mara"),
        ]
    )
    retriever = SliceRetriever.from_property_graph(store, embed_model=HashEmbedder())
    (told,) = retriever.graph.facts
    assert (told.relation, told.chapter, told.place, told.metadata["mood"]) == ("married_to", 2, "Church", "glad")
    problems = [issue for issue in retriever.issues if issue.kind == "bad_record"]
    assert len(problems) == 2
    assert {retriever.graph.cast.entity(retriever.graph.cast.id(name)).type for name in ("Ann", "Tom")} == {"person"}


def test_two_bearers_of_one_name_stay_two_in_a_graph():
    from chronotope.llama_index.property_graph import with_graph

    two = (Entity(name="Li", id="Li of the mill", type="person"), Entity(name="Li", id="Li the smith", type="person"))
    facts = tuple(Fact(subject=one.id, relation="lives_in", object="Alder", chapter=1) for one in two)
    made = with_graph(TextNode(text="x"), StoredFacts(facts=facts, entities=two))
    named = {node.name: node.properties for node in made.metadata["nodes"] if node.label == "person"}
    assert {name: told["called"] for name, told in named.items()} == {"Li of the mill": "Li", "Li the smith": "Li"}


def test_something_that_is_no_graph_is_refused_by_name():
    with pytest.raises(TypeError, match="PropertyGraphIndex or a PropertyGraphStore, not a list"):
        SliceRetriever.from_property_graph([], embed_model=HashEmbedder())


def test_facts_and_story_agree():
    assert {fact.statement for fact in FACTS} == STATEMENTS


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"ontology": 4}, "ontology must be the name of one"),
        ({"cast": ["Ann Lee"]}, "an entity must be an Entity.*not 'Ann Lee'"),
        ({"cast": "Ann Lee"}, "entities must be a list"),
    ],
)
def test_a_cast_or_an_ontology_of_another_kind_is_an_error_that_shows_the_right_one(options, told):
    with pytest.raises(ValueError, match=told):
        StoryFactExtractor(**options)
