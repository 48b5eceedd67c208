"""Event units as nodes: exact places, the metadata contract, neighbours, models, pipelines and dumps."""

from __future__ import annotations

import pickle
import re

import pytest
from llama_index.core.ingestion import IngestionCache, IngestionPipeline
from llama_index.core.schema import Document, MetadataMode, NodeRelationship

from chronotope.errors import PromptError
from chronotope.llama_index import EventUnitNodeParser, to_passage
from chronotope.llama_index.convert import split_documents
from chronotope.testing import ScriptedChat

TEXT = (
    "Mara Quist was born in Lund in 1901. Mara Quist became director of the Harbour Museum in May 1931. "
    "Lund is a town in Sweden.\n\n"
    "Otto Lang succeeded Mara Quist on 1 July 1940. He stayed until 1952."
)


def document(**options):
    return Document(
        text=TEXT, id_="quist", metadata={"title": "Mara Quist", "filed": "1960-01-02", "nested": {"a": [1]}}, **options
    )


@pytest.fixture
def nodes():
    return EventUnitNodeParser(date="filed")([document()])


def test_offsets_of_a_node_are_those_of_its_sentence_in_the_document(nodes):
    assert len(nodes) >= 4
    for node in nodes:
        told = TEXT[node.start_char_idx : node.end_char_idx]
        assert told.endswith(".")
        assert set(re.findall(r"\d{4}", node.text)) == set(re.findall(r"\d{4}", told))


def test_metadata_holds_times_entities_score_and_what_the_document_has(nodes):
    (began,) = [node for node in nodes if "director" in node.text]
    assert began.metadata["time_intervals"] == "1931-05"
    assert began.metadata["time_start"] < began.metadata["time_end"]
    assert set(began.metadata["entities"].split("; ")) == {"Harbour Museum", "Mara Quist"}
    assert 0 <= began.metadata["score"] <= 4
    assert began.metadata["published"] == "1960-01-02"
    assert began.metadata["nested"] == {"a": [1]}
    (town,) = [node for node in nodes if "Sweden" in node.text]
    assert town.metadata["time_intervals"] == "static"


def test_only_sentence_and_what_the_user_shows_is_embedded(nodes):
    (began,) = [node for node in nodes if "director" in node.text]
    embedded = began.get_content(MetadataMode.EMBED)
    assert "Mara Quist" in embedded
    assert not any(key in embedded for key in ("time_intervals", "entities", "score", "event_unit", "published"))
    assert "time_intervals: 1931-05" in began.get_content(MetadataMode.LLM)


def test_nodes_know_their_document_and_their_neighbours(nodes):
    ids = [node.node_id for node in nodes]
    assert all(node.ref_doc_id == "quist" for node in nodes)
    assert [node.prev_node and node.prev_node.node_id for node in nodes] == [None, *ids[:-1]]
    assert [node.next_node and node.next_node.node_id for node in nodes] == [*ids[1:], None]
    unlinked = EventUnitNodeParser(include_prev_next_rel=False)([document()])
    assert all(NodeRelationship.NEXT not in node.relationships for node in unlinked)


def test_times_of_the_document_are_not_those_of_an_event():
    whole = document()
    whole.metadata |= {"time_intervals": "1800", "time_start": 1, "time_end": 2}
    told = EventUnitNodeParser()([whole])
    assert all("1800" not in str(node.metadata.get("time_intervals")) for node in told)


def test_the_documents_given_are_not_changed():
    given = document()
    before = given.model_dump_json()
    made = EventUnitNodeParser()([given])
    made[0].metadata["nested"]["a"].append(2)
    assert given.model_dump_json() == before


def test_chunks_of_another_parser_give_the_same_events_with_the_same_ids(nodes):
    chunks = split_documents([document()], max_tokens=30)
    assert len(chunks) > 1
    again = EventUnitNodeParser(date="filed")(chunks)
    assert [node.node_id for node in again] == [node.node_id for node in nodes]
    assert all(TEXT[node.start_char_idx : node.end_char_idx].strip() for node in again)


def test_a_chunk_given_twice_gives_its_events_once():
    chunks = split_documents([document()])
    once, twice = EventUnitNodeParser()(chunks), EventUnitNodeParser()([*chunks, *[chunk.model_copy() for chunk in chunks]])
    assert [node.node_id for node in twice] == [node.node_id for node in once]


def test_blank_documents_give_nothing_and_an_issue():
    nodes, issues = EventUnitNodeParser().extract([Document(text=" \n")])
    assert nodes == []
    assert [issue.kind for issue in issues] == ["blank"]


def test_a_user_may_name_the_nodes():
    nodes = EventUnitNodeParser(id_func=lambda number, given: f"{given.node_id}-{number}")([document()])
    assert [node.node_id for node in nodes] == [f"quist-{number}" for number in range(len(nodes))]
    assert nodes[0].next_node.node_id == "quist-1"


async def test_awaited_it_gives_the_same(nodes):
    again, _ = await EventUnitNodeParser(date="filed").aextract([document()])
    assert [node.node_id for node in again] == [node.node_id for node in nodes]
    assert len(await EventUnitNodeParser().acall([document()])) == len(nodes)


def test_a_model_says_which_events_there_are_and_what_it_cost_is_told():
    quote = {"quote": "became director of the Harbour Museum in May 1931", "entities": ["Mara Quist"], "time": "in May 1931"}
    parser = EventUnitNodeParser(llm=ScriptedChat([{"events": [{**quote, "start": "1931-05", "end": "1931-05"}]}]))
    assert parser.mode == "llm"
    assert parser.estimate([document()]).calls == 1
    (node,) = parser([document()])
    assert node.metadata["time_intervals"] == "1931-05"
    assert parser.spent.calls == 1


def test_a_mode_with_a_model_needs_one():
    with pytest.raises(ValueError, match="llm="):
        EventUnitNodeParser(mode="llm")


@pytest.mark.parametrize("options", [{"min_score": 9}, {"window_tokens": 0}, {"overlap_tokens": 2_000}, {"windw": 3}])
def test_a_setting_that_cannot_be_is_an_error(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        EventUnitNodeParser(**options)


def test_an_unknown_or_broken_prompt_is_an_error():
    with pytest.raises(ValueError, match="window_events"):
        EventUnitNodeParser(prompts={"window_event": "x"})
    with pytest.raises(PromptError):
        EventUnitNodeParser(prompts={"window_events": "no version"})


def test_it_survives_pickle_and_dict(nodes):
    parser = EventUnitNodeParser(date="filed", min_score=2)
    for twin in (pickle.loads(pickle.dumps(parser)), EventUnitNodeParser.from_dict(parser.to_dict())):
        assert twin.to_dict() == parser.to_dict()
        assert [node.node_id for node in twin([document()])] == [node.node_id for node in parser([document()])]


def test_a_pipeline_reads_a_document_once_and_from_its_cache_after_that():
    cache = IngestionCache()
    first = IngestionPipeline(transformations=[EventUnitNodeParser()], cache=cache, disable_cache=False).run(documents=[document()])
    again = IngestionPipeline(transformations=[EventUnitNodeParser()], cache=cache, disable_cache=False).run(documents=[document()])
    assert [node.node_id for node in first] == [node.node_id for node in again]


def test_a_node_is_an_event_again_after_it_was_stored(nodes):
    from chronotope.events.retrieve.from_passages import event_of, is_event

    passage, issues = to_passage(nodes[1])
    assert issues == ()
    assert is_event(passage.metadata)
    told = event_of(passage)
    assert (told.text, told.id, [str(time) for time in told.times]) == (nodes[1].text, nodes[1].node_id, ["1931-05"])
    assert told.entities == ("Harbour Museum", "Mara Quist")
