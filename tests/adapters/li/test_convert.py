"""Nodes become passages and nodes again."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from llama_index.core.schema import Document, ImageNode, MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode

from chronotope.llama_index import to_hits, to_node, to_passage, to_passages, to_scored_nodes
from chronotope.llama_index.convert import split_documents
from chronotope.metadata import MetadataKeys
from chronotope.records import Hit, Passage
from chronotope.temporal.interval import TimeInterval

MONTH = TimeInterval.parse("1969-07")


def a_node() -> TextNode:
    return TextNode(
        id_="n1",
        text="  One small step. ",
        start_char_idx=4,
        end_char_idx=22,
        metadata={"published": "1969-07-21", "deep": {"tags": ["moon"]}, "title": "Step", "page": 3, "none": None},
        excluded_embed_metadata_keys=["page"],
        excluded_llm_metadata_keys=["page"],
        metadata_template="{key}={value}",
        text_template="<{metadata_str}> {content}",
        relationships={
            NodeRelationship.SOURCE: RelatedNodeInfo(node_id="doc", metadata={"title": "Step"}),
            NodeRelationship.NEXT: RelatedNodeInfo(node_id="n2"),
        },
    )


def test_a_text_node_returns_exactly_with_only_its_time_and_the_exclusions_of_time_keys_added() -> None:
    node = a_node()
    back = to_node(to_passage(node)[0])
    added = {"excluded_embed_metadata_keys", "excluded_llm_metadata_keys", "metadata"}
    assert back.model_dump(exclude=added) == node.model_dump(exclude=added)
    assert {key: value for key, value in back.metadata.items() if key not in MetadataKeys().machine} == node.metadata
    assert set(node.excluded_llm_metadata_keys) <= set(back.excluded_llm_metadata_keys)


def test_a_document_returns_as_a_document() -> None:
    document = Document(text="A letter.", id_="letter", metadata={"box": 4})
    passage, _ = to_passage(document)
    assert passage.source_id == "letter"
    back = to_node(passage)
    assert isinstance(back, Document)
    assert (back.text, back.node_id, back.metadata["box"]) == ("A letter.", "letter", 4)


def test_an_image_node_returns_as_an_image_node() -> None:
    back = to_node(to_passage(ImageNode(text="A photograph.", image_path="moon.png"))[0])
    assert isinstance(back, ImageNode)
    assert back.image_path == "moon.png"


def test_the_callers_node_is_not_touched() -> None:
    node = a_node()
    before = node.model_dump()
    made = to_node(to_passage(node)[0])
    made.metadata["title"] = "changed"
    made.relationships.clear()
    made.excluded_llm_metadata_keys.append("title")
    assert node.model_dump() == before


def test_a_document_keeps_its_text_after_it_was_converted() -> None:
    document = Document(text="A letter.")
    to_passage(document)
    assert document.text == "A letter."


def test_offsets_and_source_reach_the_passage() -> None:
    passage, issues = to_passage(a_node())
    assert (passage.id, passage.source_id, passage.char_start, passage.char_end) == ("n1", "doc", 4, 22)
    assert passage.published == TimeInterval.parse("1969-07-21")
    assert not issues


def test_times_are_written_as_flat_metadata_that_a_reader_sees_and_an_embedder_does_not() -> None:
    node = to_node(Passage("Landing.", times=(MONTH,)))
    assert node.metadata["time_intervals"] == "1969-07"
    assert node.metadata["time_start"] < node.metadata["time_end"]
    assert "1969-07" in node.get_content(MetadataMode.LLM)
    assert "time_start" not in node.get_content(MetadataMode.LLM)
    assert node.get_content(MetadataMode.EMBED) == "Landing."


def test_a_passage_that_was_never_a_node_becomes_a_text_node_with_its_source() -> None:
    node = to_node(Passage("Text.", source_id="book", char_start=3, char_end=8, metadata={"chapter": 2}))
    assert isinstance(node, TextNode)
    assert (node.ref_doc_id, node.start_char_idx, node.end_char_idx, node.metadata) == ("book", 3, 8, {"chapter": 2})


def test_renamed_keys_are_used_both_ways() -> None:
    keys = MetadataKeys(times="when", start="t0", end="t1")
    node = to_node(Passage("Landing.", id="x", times=(MONTH,)), keys=keys)
    assert set(node.metadata) == {"when", "t0", "t1"}
    assert to_passage(node, keys=keys)[0].times == (MONTH,)


def test_blank_nodes_are_left_out_and_counted() -> None:
    nodes = [TextNode(text=text, id_=str(row)) for row, text in enumerate(["", "  \n\t", "\ufeff", "Real."])]
    found = to_passages(nodes)
    assert [passage.id for passage in found.items] == ["3"]
    assert [issue.source_id for issue in found.issues if issue.kind == "blank"] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("2024-01-01T00:00:00", "2024-01-01T00:00:00"),
        ("2026-1-22", "2026-01-22"),
        (datetime(2024, 1, 1, 12), "2024-01-01T12:00:00"),  # noqa: DTZ001 - naive on purpose
        (datetime(2024, 1, 1, 12, tzinfo=UTC), "2024-01-01T12:00:00"),
        (date(2024, 1, 1), "2024-01-01"),
        (2024, "2024"),
    ],
)
def test_dates_that_apps_store_are_read_and_come_back_as_json_scalars(value: object, read: str) -> None:
    keys = MetadataKeys(date="published_at")
    node = to_node(to_passage(TextNode(text="Text.", metadata={"published_at": value}), keys=keys)[0], keys=keys)
    assert node.metadata["published"] == read
    assert isinstance(node.metadata["published_at"], (str, int))


def test_an_unreadable_date_is_reported_and_stays_where_it_was() -> None:
    node = TextNode(text="Text.", id_="n", metadata={"published": "not-a-date"})
    passage, issues = to_passage(node)
    assert [(issue.kind, issue.source_id) for issue in issues] == [("bad_date", "n")]
    assert to_node(passage).metadata["published"] == "not-a-date"


def test_scores_come_out_as_floats_that_never_rise() -> None:
    hits = [Hit(Passage(str(row)), score) for row, score in enumerate([0.9, 0.5, 0.7])]
    scores = [item.score for item in to_scored_nodes(hits)]
    assert scores == [0.9, 0.5, 0.5]
    assert all(type(score) is float for score in scores)


def test_scored_nodes_become_hits_in_the_same_order() -> None:
    found = to_scored_nodes([Hit(Passage("a", id="a"), 0.9), Hit(Passage("b", id="b"), 0.2)])
    assert [(hit.passage.id, hit.score) for hit in to_hits(found)] == [("a", 0.9), ("b", 0.2)]


def test_documents_are_cut_with_exact_offsets_and_the_same_ids_on_every_run() -> None:
    text = "  First part.\n\n" + "A sentence that is repeated. " * 40 + "\n\nLast."
    document = Document(text=text, id_="doc", metadata={"published": "1901"}, excluded_llm_metadata_keys=["published"])
    nodes = split_documents([document, Document(text=" \n")], max_tokens=40)
    assert len(nodes) > 3
    assert all(text[node.start_char_idx : node.end_char_idx] == node.text for node in nodes)
    assert [node.node_id for node in nodes] == [node.node_id for node in split_documents([document], max_tokens=40)]
    assert {node.ref_doc_id for node in nodes} == {"doc"}
    assert nodes[0].metadata == {"published": "1901"}
