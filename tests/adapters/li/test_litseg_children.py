"""Children of segments in the retrievers that LlamaIndex made for small nodes with large parents."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.node_parser import get_leaf_nodes, get_root_nodes
from llama_index.core.retrievers import AutoMergingRetriever, RecursiveRetriever
from llama_index.core.schema import BaseNode, IndexNode, MetadataMode

from chronotope.llama_index import ChronotopeEmbedding, LitSegNodeParser
from chronotope.testing import HashEmbedder, ScriptedChat
from support_stories import SHORT, STORY, cutter

QUESTION = "Whose hand wrote the last line: fourth step, bell rung, gone to the mill?"


@pytest.fixture
def nodes() -> list[BaseNode]:
    return LitSegNodeParser(rules=SHORT, children=True, child_tokens=25)([Document(text=STORY, id_="story", metadata={"by": "A"})])


@pytest.fixture
def small() -> ChronotopeEmbedding:
    return ChronotopeEmbedding(HashEmbedder(512))


def test_children_are_exact_small_slices_of_their_segment(nodes: list[BaseNode]) -> None:
    segments, leaves = get_root_nodes(nodes), get_leaf_nodes(nodes)
    assert nodes == [*segments, *leaves]
    assert len(leaves) > len(segments) > 3
    by_id = {node.node_id: node for node in segments}
    for leaf in leaves:
        parent = by_id[leaf.parent_node.node_id]
        assert STORY[leaf.start_char_idx : leaf.end_char_idx] == leaf.text == leaf.text.strip()
        assert parent.start_char_idx <= leaf.start_char_idx < leaf.end_char_idx <= parent.end_char_idx
        assert isinstance(leaf, IndexNode)
        assert leaf.index_id == leaf.metadata["segment_id"] == parent.node_id
        assert leaf.ref_doc_id == "story"
        assert (leaf.metadata["by"], leaf.metadata["chapter"]) == ("A", parent.metadata["chapter"])
    for parent in segments:
        family = [leaf for leaf in leaves if leaf.parent_node.node_id == parent.node_id]
        assert [child.node_id for child in parent.child_nodes] == [leaf.node_id for leaf in family]
        assert " ".join(leaf.text for leaf in family).split() == [word for word in parent.text.split() if word != "*"]


def test_children_are_neighbours_of_children_and_segments_of_segments(nodes: list[BaseNode]) -> None:
    for level in (get_root_nodes(nodes), get_leaf_nodes(nodes)):
        assert [node.next_node.node_id for node in level[:-1]] == [node.node_id for node in level[1:]]
        assert [node.prev_node.node_id for node in level[1:]] == [node.node_id for node in level[:-1]]


def test_a_child_is_embedded_as_it_stands_and_read_with_the_subtitle() -> None:
    nodes = LitSegNodeParser(llm=ScriptedChat(cutter), mode="lite", children=True)([Document(text=STORY)])
    leaf = next(leaf for leaf in get_leaf_nodes(nodes) if leaf.metadata.get("subtitle") == "The flood comes")
    assert leaf.get_content(MetadataMode.EMBED) == leaf.text
    assert leaf.get_content(MetadataMode.LLM) == f"subtitle: The flood comes\n\n{leaf.text}"


def test_an_auto_merging_retriever_puts_the_segment_in_place_of_its_children(nodes: list[BaseNode], small: Any) -> None:
    context = StorageContext.from_defaults()
    context.docstore.add_documents(nodes)
    index = VectorStoreIndex(get_leaf_nodes(nodes), storage_context=context, embed_model=small)
    target = next(node for node in get_root_nodes(nodes) if "Fourth step" in node.text)
    wide = AutoMergingRetriever(index.as_retriever(similarity_top_k=4), context, simple_ratio_thresh=0.4)
    found = wide.retrieve(QUESTION)
    assert target.node_id in [item.node.node_id for item in found]
    assert target.text == next(item.node.text for item in found if item.node.node_id == target.node_id)
    strict = AutoMergingRetriever(index.as_retriever(similarity_top_k=1), context, simple_ratio_thresh=1.0)
    (single,) = strict.retrieve(QUESTION)
    assert single.node.parent_node.node_id == target.node_id


async def test_a_recursive_retriever_follows_children_to_their_segment(nodes: list[BaseNode], small: Any) -> None:
    index = VectorStoreIndex(get_leaf_nodes(nodes), embed_model=small)
    retriever = RecursiveRetriever(
        "leaves",
        retriever_dict={"leaves": index.as_retriever(similarity_top_k=3)},
        node_dict={node.node_id: node for node in get_root_nodes(nodes)},
    )
    for found in (retriever.retrieve(QUESTION), await retriever.aretrieve(QUESTION)):
        assert "Fourth step" in found[0].node.text
        assert found[0].node.node_id in {node.node_id for node in get_root_nodes(nodes)}
        assert len({item.node.node_id for item in found}) == len(found)


def test_children_and_segments_come_back_from_disk_and_still_merge(nodes: list[BaseNode], small: Any, tmp_path: Any) -> None:
    context = StorageContext.from_defaults()
    context.docstore.add_documents(nodes)
    VectorStoreIndex(get_leaf_nodes(nodes), storage_context=context, embed_model=small)
    context.persist(str(tmp_path))
    from llama_index.core import load_index_from_storage

    loaded = StorageContext.from_defaults(persist_dir=str(tmp_path))
    index = load_index_from_storage(loaded, embed_model=small)
    found = AutoMergingRetriever(index.as_retriever(similarity_top_k=6), loaded, simple_ratio_thresh=0.3).retrieve(QUESTION)
    merged = [item.node for item in found if item.node.child_nodes]
    assert any("Fourth step" in node.text for node in merged)
