"""The story index: incremental, deletable without ghosts, all or nothing, saved without loss."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.errors import OntologyError, StoreError, StoreMismatchError
from chronotope.models import EmbedKind
from chronotope.records import Extraction, Passage
from chronotope.slices.axis import build_axis
from chronotope.slices.fact import Entity
from chronotope.slices.index.index import StoryChanged, StoryIndex
from chronotope.slices.index.ingest import ingest_story
from chronotope.slices.ontology import Ontology, Rule
from chronotope.slices.retrieve.retrieve import retrieve_slice
from chronotope.steps import Runner
from chronotope.testing import HashEmbedder, play
from support_story_index import ENTITIES, at_once, built, facts, passages
from support_story_questions import ONTOLOGY

QUESTIONS = ("Whom did Wang Xifeng meet after the investigation?", "Who serves in the Garden?", "Who died?")


def found(index: StoryIndex, question: str):
    retrieval = play(retrieve_slice(index, question)).result
    facts = [(one.fact.id, round(one.score, 4), one.role) for one in retrieval.trace]
    return facts, [(hit.passage.id, round(hit.score, 4)) for hit in retrieval.passages], retrieval.issues


def same(one: StoryIndex, other: StoryIndex) -> bool:
    """Equal in what they hold and in what they find."""
    return held(one) == held(other) and all(found(one, question) == found(other, question) for question in QUESTIONS)


def held(index: StoryIndex):
    names = {entity.id: (entity.type, {*entity.names}) for entity in index.entities}
    return {fact.id: fact for fact in index.facts}, {passage.id: passage for passage in index.passages}, names


def told(index: StoryIndex, folder) -> str:
    """Everything that the index would write, as one text."""
    index.save(folder)
    return (folder / "items.jsonl").read_text(encoding="utf-8") + (folder / "manifest.json").read_text(encoding="utf-8")


def test_an_index_that_grew_finds_what_one_that_was_built_at_once_finds() -> None:
    assert same(built(), at_once())


@pytest.mark.parametrize("searched", [True, False])
def test_an_index_that_shrank_is_the_index_of_what_is_left(searched) -> None:
    index = built()
    if searched:
        found(index, QUESTIONS[0])
    assert index.remove_source("town") == len(facts("town")) + len(passages("town"))
    assert same(index, built("house"))


def test_a_deleted_source_leaves_no_trace_and_does_not_come_back(tmp_path) -> None:
    """Field report G10: a character of two sources, one of which is deleted."""
    index = built()
    found(index, QUESTIONS[0])
    index.remove_source("town")
    written = told(index, tmp_path / "index")
    for word in ("the Widow", "Crane", "the mill", "town"):
        assert word not in written
    play(index.add([], [Passage("Wang Xifeng again.", id="new", source_id="c")]))
    assert index.graph.entity_ids_of("Wang Xifeng") == ("Wang Xifeng",)
    assert index.graph.entity_ids_of("the Widow") == ()
    assert "Phoenix" in index.graph.cast.entity("Wang Xifeng").names
    for question in QUESTIONS:
        retrieval = play(retrieve_slice(index, question)).result
        assert all(one.fact.source_id != "town" for one in retrieval.trace)
        assert all(hit.passage.source_id != "town" for hit in retrieval.passages)


def test_a_deleted_source_takes_its_names_along_when_all_came_in_one_call(tmp_path) -> None:
    """Field report G10."""
    index = at_once()
    index.remove_source("town")
    assert "the Widow" not in told(index, tmp_path / "index")
    assert "Crane" not in {entity.name for entity in index.entities}
    assert "Phoenix" in index.graph.cast.entity("Wang Xifeng").names


def test_a_fact_that_two_sources_tell_keeps_the_evidence_of_the_other() -> None:
    """Field report G10."""
    index = built("house")
    again = replace(facts("house")[1], source_id="letters", char_start=None, char_end=None, id="", quote="She serves her still.")
    play(index.add([again]))
    key = ("Ping'er", "serves", "Wang Xifeng")
    assert len(index.graph.edge(key).facts) == 2
    index.remove_source("house")
    assert index.graph.edge(key).facts == (again.id,)
    assert {fact.source_id for fact in index.facts} == {"letters"}


def test_entities_that_came_alone_stay() -> None:
    index = StoryIndex("hash-64", ontology=ONTOLOGY)
    play(index.add([], entities=[Entity(name="Ann Lee", type="person", aliases=("Mrs. Rask",))]))
    play(index.add(facts("house"), passages("house"), ENTITIES["house"]))
    index.remove_source("house")
    assert [entity.names for entity in index.entities] == [("Ann Lee", "Mrs. Rask")]


def test_adding_twice_embeds_and_writes_nothing() -> None:
    """Field report G30."""
    runner = Runner(embedder=HashEmbedder())
    index = StoryIndex("hash-64", ontology=ONTOLOGY)
    given = (facts("house"), passages("house"), ENTITIES["house"])
    assert runner.run(index.add(*given)) == len(facts("house"))
    runner.reset()
    assert runner.run(index.add(*given)) == 0
    assert runner.run(index.update(*given)) == StoryChanged(0, 0)
    assert runner.spent.embedded == 0
    assert index.issues == index.graph.issues


def test_an_update_replaces_what_changed_and_leaves_other_sources() -> None:
    index = built()
    changed = [replace(fact, quote="Ping'er serves no one") if fact.subject == "Ping'er" else fact for fact in facts("house")[:-1]]
    done = play(index.update(changed, passages("house"))).result
    assert done == StoryChanged(added=1, removed=1)
    assert {fact.source_id for fact in index.facts} == {"house", "town"}
    assert "married_to" not in {fact.relation for fact in index.facts}
    assert [fact.quote for fact in index.facts if fact.subject == "Ping'er"] == ["Ping'er serves no one"]


class Breaking(HashEmbedder):
    """Breaks on one text."""

    def embed(self, texts, *, kind: EmbedKind = "passage"):
        if any("burnt" in text for text in texts):
            raise ConnectionError("the store is down")
        return super().embed(texts, kind=kind)


def test_when_embedding_fails_nothing_has_changed() -> None:
    """Field report G42."""
    index = built("house")
    before = (index.facts, index.passages, index.entities, found(index, QUESTIONS[0]))
    broken = replace(facts("town")[0], quote="all burnt", id="")
    runner = Runner(embedder=Breaking(), batch_size=2)
    with pytest.raises(ConnectionError):
        runner.run(index.add([*facts("town"), broken], passages("town"), ENTITIES["town"]))
    with pytest.raises(ConnectionError):
        runner.run(index.update([*facts("house"), replace(broken, source_id="house")], passages("house")))
    assert (index.facts, index.passages, index.entities, found(index, QUESTIONS[0])) == before


def test_vectors_of_another_width_are_refused_and_nothing_is_added() -> None:
    """Field report G29."""
    index = built("house")
    before = held(index)
    with pytest.raises(StoreMismatchError, match=r"(?s)64.*32|32.*64"):
        Runner(embedder=HashEmbedder(32)).run(index.add(facts("town"), passages("town"), ENTITIES["town"]))
    with pytest.raises(StoreMismatchError):
        Runner(embedder=HashEmbedder(32)).run(
            index.update(facts("house")[1:], [*passages("house"), Passage("x", source_id="house")])
        )
    assert held(index) == before


def test_another_text_under_a_known_id_is_told_and_changes_nothing() -> None:
    index = built("house")
    play(index.add([replace(facts("house")[0], quote="Something else.")]))
    assert [issue.kind for issue in index.issues if issue not in index.graph.issues] == ["changed_source"]
    assert {fact.id: fact for fact in index.facts} == {fact.id: fact for fact in facts("house")}
    index.remove_source("house")
    assert [issue.kind for issue in index.issues] == []


def test_a_passage_takes_the_facts_along_that_stand_in_it_alone() -> None:
    index = built("house")
    first = passages("house")[0]
    assert index.remove([first.id]) == 3
    assert all(fact.chapter != 1 for fact in index.facts)


def test_every_fact_knows_its_passage() -> None:
    index = built()
    for fact, home in zip(index.facts, index.homes.tolist(), strict=True):
        assert fact.quote in index.passages[home].text


@pytest.mark.parametrize("ontology", [ONTOLOGY, "household"])
def test_a_saved_index_finds_the_same_and_saves_the_same(tmp_path, ontology) -> None:
    index = StoryIndex("hash-64", ontology=ontology, axis=build_axis(range(1, 5)))
    for source in ("house", "town"):
        play(index.add(facts(source), passages(source), ENTITIES[source]))
    index.save(tmp_path / "one")
    loaded = StoryIndex.load(tmp_path / "one", embedder_id="hash-64")
    assert same(index, loaded)
    assert (loaded.axis, loaded.ontology) == (index.axis, index.ontology)
    loaded.save(tmp_path / "two")
    assert (tmp_path / "one" / "items.jsonl").read_bytes() == (tmp_path / "two" / "items.jsonl").read_bytes()
    loaded.remove_source("town")
    assert same(loaded, StoryIndex.load(tmp_path / "one")) is False


def test_a_shipped_ontology_is_saved_by_its_name_and_another_as_its_text(tmp_path) -> None:
    def header(ontology) -> dict:
        StoryIndex("hash-64", ontology=ontology).save(tmp_path / "index")
        return json.loads((tmp_path / "index" / "manifest.json").read_text(encoding="utf-8"))["header"]["ontology"]

    assert header("household") == {"name": "household", "text": "", "functions": []}
    assert header(ONTOLOGY)["text"] == ONTOLOGY.to_toml()


def test_rules_that_are_functions_must_be_given_again(tmp_path) -> None:
    rule = Rule(name="no_ghosts", judge=lambda fact, known: "a ghost" if "ghost" in fact.subject else None)
    StoryIndex("hash-64", ontology=Ontology.load("household").with_rules(rule)).save(tmp_path / "index")
    with pytest.raises(OntologyError, match="no_ghosts"):
        StoryIndex.load(tmp_path / "index")
    loaded = StoryIndex.load(tmp_path / "index", rules=[rule])
    assert rule in loaded.ontology.rules


def test_a_folder_of_another_embedder_is_refused(tmp_path) -> None:
    built("house").save(tmp_path / "index")
    with pytest.raises(StoreMismatchError, match=r"hash-64.*hash-32"):
        StoryIndex.load(tmp_path / "index", embedder_id="hash-32")
    with pytest.raises(StoreError):
        StoryIndex.load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda index: play(index.add(Extraction(tuple(facts("house"))))), "items"),
        (lambda index: play(index.add(passages("house"))), "Facts"),
        (lambda index: index.remove("house-0"), "several ids"),
        (lambda _: StoryIndex("hash-64", ontology=3), "Ontology"),
        (lambda _: StoryIndex("hash-64", axis=3), "StoryAxis"),
        (lambda _: play(ingest_story([], [])), "StoryIndex"),
    ],
)
def test_what_is_of_another_kind_is_refused_by_name(wrong, words) -> None:
    with pytest.raises(TypeError, match=words):
        wrong(StoryIndex("hash-64", ontology=ONTOLOGY))


def test_passages_are_read_once_and_only_what_is_new() -> None:
    chapters = [
        Passage("Bess married Tom Rask.", id="a", source_id="s1", char_start=0, char_end=22, metadata={"chapter": 1}),
        Passage("Bess died.", id="b", source_id="s2", char_start=0, char_end=10, metadata={"chapter": 2}),
    ]
    index = StoryIndex("hash-64", ontology="general_fiction")
    runner = Runner(embedder=HashEmbedder())
    first = runner.run(ingest_story(chapters, index))
    assert first.added == len(index)
    runner.reset()
    again = runner.run(ingest_story(chapters, index))
    assert (again.added, again.ids, runner.spent.embedded) == (0, (), 0)
    changed = [replace(chapters[0], text="Something else entirely")]
    assert [issue.kind for issue in runner.run(ingest_story(changed, index)).issues] == ["changed_source"]
    assert {passage.text for passage in index.passages} == {passage.text for passage in chapters}


@settings(max_examples=10, deadline=None)
@given(st.lists(st.sampled_from(["house", "town"]), max_size=5))
def test_sources_come_and_go_in_any_order(steps) -> None:
    index = StoryIndex("hash-64", ontology=ONTOLOGY)
    there: set[str] = set()
    for source in steps:
        if source in there:
            index.remove_source(source)
        else:
            play(index.add(facts(source), passages(source), ENTITIES[source]))
        there ^= {source}
    assert {fact.id for fact in index.facts} == {fact.id for source in there for fact in facts(source)}
    assert {entity.name for entity in index.entities} == {entity.name for source in there for entity in ENTITIES[source]}
