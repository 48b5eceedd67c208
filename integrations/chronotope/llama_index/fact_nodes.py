"""Facts as LlamaIndex nodes, and the chunks of a story as passages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from llama_index.core.schema import BaseNode, NodeWithScore, TextNode

from chronotope.llama_index.convert import to_passages, to_scored_nodes
from chronotope.llama_index.property_graph import GRAPH_KEYS
from chronotope.metadata import MetadataKeys
from chronotope.records import Extraction, Hit, Passage
from chronotope.slices.documents.from_passages import COORDINATES, FOUND_KEYS, is_fact
from chronotope.slices.documents.stored import FACTS_KEY, has_stored

__all__ = ["fact_nodes", "story_passages", "told_line"]

_STATEMENT = "statement"
_SHOWN = (_STATEMENT, COORDINATES)


def fact_nodes(hits: Iterable[Hit], *, keys: MetadataKeys) -> list[NodeWithScore]:
    """Facts and passages as retrieved nodes, best first.

    A fact is a node of its own words with flat coordinates as metadata. Nothing of them is embedded; a language model sees its
    statement and its coordinates in words.

    Args:
        hits: facts, passages, or both.
        keys: where to write their times.
    """
    hits = list(hits)
    scored = to_scored_nodes(hits, keys=keys)
    for item, hit in zip(scored, hits, strict=True):
        if is_fact(hit.passage):
            told = list(item.node.metadata)
            item.node.excluded_embed_metadata_keys = told
            item.node.excluded_llm_metadata_keys = [key for key in told if key not in _SHOWN]
        elif found := {key: hit.passage.metadata[key] for key in FOUND_KEYS if key in hit.passage.metadata}:
            item.node.metadata = {**item.node.metadata, **found}
            item.node.excluded_embed_metadata_keys = [*dict.fromkeys((*item.node.excluded_embed_metadata_keys, *found))]
            item.node.excluded_llm_metadata_keys = [*dict.fromkeys((*item.node.excluded_llm_metadata_keys, *found))]
    return scored


def told_line(node: BaseNode) -> BaseNode:
    """A fact on one line, statement, coordinates and words, so that two facts of one sentence do not read the same.

    Args:
        node: of a fact or of a passage; passages come back as they are.
    """
    statement = node.metadata.get(_STATEMENT)
    if not statement or not isinstance(node, TextNode):
        return node
    where = f" ({node.metadata[COORDINATES]})" if node.metadata.get(COORDINATES) else ""
    words = f": “{node.text}”" if node.text != statement else ""
    return node.model_copy(update={"text": f"{statement}{where}{words}"})


def story_passages(nodes: Iterable[BaseNode], *, keys: MetadataKeys) -> Extraction[Passage]:
    """Chunks of a story as passages; the facts that an extractor has left on one are beside it and not in the node that it keeps.

    Args:
        nodes: never changed; blank ones are left out.
        keys: where their dates are.
    """
    given = list(nodes)
    told = {node.node_id: node.metadata[FACTS_KEY] for node in given if isinstance(node, BaseNode) and has_stored(node.metadata)}
    read = to_passages([_bare_copy(node) if isinstance(node, BaseNode) else node for node in given], keys=keys)
    return Extraction(tuple(_placed(passage, told.get(passage.id)) for passage in read.items), read.issues)


def _placed(passage: Passage, stored: str | None) -> Passage:
    """A whole document begins at its own beginning."""
    if stored is not None:
        passage = replace(passage, metadata={**passage.metadata, FACTS_KEY: stored})
    if passage.char_start is None and passage.source_id == passage.id:
        return replace(passage, char_start=0, char_end=len(passage.text))
    return passage


def _bare_copy(node: BaseNode) -> BaseNode:
    """A copy without facts: those of a chunk may tell what the reader of another chapter must not know."""
    hidden = (FACTS_KEY, *GRAPH_KEYS)
    return node.model_copy(
        update={
            "metadata": {key: value for key, value in node.metadata.items() if key not in hidden},
            "relationships": dict(node.relationships),
            "excluded_embed_metadata_keys": [key for key in node.excluded_embed_metadata_keys if key not in hidden],
            "excluded_llm_metadata_keys": [key for key in node.excluded_llm_metadata_keys if key not in hidden],
        }
    )
