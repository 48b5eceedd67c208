"""LlamaIndex nodes as passages and back, without loss and without touching the caller's objects.

A passage carries the node it came from as JSON under one metadata key, so that ids, relationships, templates, excluded keys and
nested metadata return exactly, also after saving. Two things do not return: the embedding, and dates that were Python objects,
which become ISO strings because stores accept nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from llama_index.core.schema import (
    BaseNode,
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    RelatedNodeInfo,
    TextNode,
    TransformComponent,
)
from llama_index.core.storage.docstore.utils import doc_to_json, json_to_doc

from chronotope.metadata import MetadataKeys, plain, read_times, write_times
from chronotope.records import Document, Extraction, Hit, Issue, Passage, Scalar
from chronotope.text import is_blank, split_passages

__all__ = [
    "NODE_KEY",
    "Packed",
    "cut_documents",
    "dated_copy",
    "neat",
    "several",
    "split_documents",
    "to_hits",
    "to_node",
    "to_passage",
    "to_passages",
    "to_scored_nodes",
]

NODE_KEY = "_llama_index_node"


class Packed(str):
    """A node as JSON, which nobody wants to read in the middle of a passage."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<the node, as JSON>"


def neat(hit: Hit) -> Hit:
    """The hit without the node's JSON in what is printed of it, also where it was read from a file."""
    metadata = hit.passage.metadata
    if NODE_KEY not in metadata:
        return hit
    return replace(hit, passage=replace(hit.passage, metadata={**metadata, NODE_KEY: Packed(metadata[NODE_KEY])}))


def to_passages(nodes: Iterable[BaseNode], *, keys: MetadataKeys | None = None) -> Extraction[Passage]:
    """Nodes as passages in the same order; blank ones are left out, and they and unreadable dates are reported.

    Args:
        nodes: text nodes or documents.
        keys: where their times are.

    Raises:
        TypeError: something else is among them, such as a text.

    >>> [passage.id for passage in to_passages([TextNode(text="One.", id_="a"), TextNode(text=" ", id_="b")]).items]
    ['a']
    """
    passages: list[Passage] = []
    issues: list[Issue] = []
    for node in several(nodes, "nodes"):
        if not isinstance(node, BaseNode):
            raise TypeError(f"nodes must be LlamaIndex nodes, such as TextNode(text=…), not {type(node).__name__}")
        if is_blank(_text(node)):
            issues.append(Issue("blank", "the node has no text and was left out", node.node_id))
            continue
        passage, problems = to_passage(node, keys=keys)
        passages.append(passage)
        issues.extend(problems)
    return Extraction(tuple(passages), tuple(issues))


def to_passage(
    node: BaseNode, *, keys: MetadataKeys | None = None, mode: MetadataMode = MetadataMode.NONE
) -> tuple[Passage, tuple[Issue, ...]]:
    """One node as a passage, and what could not be read of its dates.

    Args:
        node: a text node or document; without a source document it counts as its own source.
        keys: where its times are.
        mode: which of its metadata goes into the passage's text; times never do.
    """
    keys = keys or MetadataKeys()
    found = read_times(node.metadata, keys=keys, source_id=node.node_id)
    passage = Passage(
        _text(node) if mode is MetadataMode.NONE else _without_times(node, keys).get_content(metadata_mode=mode),
        id=node.node_id,
        source_id=node.ref_doc_id or node.node_id,
        char_start=getattr(node, "start_char_idx", None),
        char_end=getattr(node, "end_char_idx", None),
        times=found.times,
        static=found.static,
        published=found.published,
        metadata={**_flat(node.metadata, keys), NODE_KEY: Packed(_packed(node))},
    )
    return passage, found.issues


def to_node(passage: Passage, *, keys: MetadataKeys | None = None) -> BaseNode:
    """The passage as a node with its times in the metadata: the one it was made from, or a new text node.

    Args:
        passage: from `to_passage`, or from anywhere else.
        keys: where to write its times.
    """
    packed = passage.metadata.get(NODE_KEY)
    node = json_to_doc(json.loads(str(packed))) if packed else _new_node(passage)
    node.set_content(passage.text)
    return dated_copy(node, passage, keys=keys)


def dated_copy(node: BaseNode, passage: Passage, *, keys: MetadataKeys | None = None) -> BaseNode:
    """A copy of the node with the passage's times in its metadata.

    Numbers are kept out of embedded text and prompts. What a person can read stays visible to a language model and is kept
    out of embedded text only.
    """
    keys = keys or MetadataKeys()
    times = write_times(passage.times, static=passage.static, published=passage.published, keys=keys)
    return _with(
        node,
        metadata={**{key: value for key, value in node.metadata.items() if key != NODE_KEY}, **times},
        excluded_embed_metadata_keys=_joined(node.excluded_embed_metadata_keys, keys.all),
        excluded_llm_metadata_keys=_joined(node.excluded_llm_metadata_keys, keys.machine),
    )


def to_hits(
    found: Sequence[NodeWithScore], *, keys: MetadataKeys | None = None, mode: MetadataMode = MetadataMode.NONE
) -> list[Hit]:
    """Retrieved nodes as hits in the same order; a node without a score gets 0."""
    return [Hit(to_passage(item.node, keys=keys, mode=mode)[0], float(item.score or 0.0)) for item in found]


def to_scored_nodes(hits: Iterable[Hit], *, keys: MetadataKeys | None = None) -> list[NodeWithScore]:
    """Hits as retrieved nodes, best first, with scores that never rise, so that whoever sorts again keeps the order."""
    scored: list[NodeWithScore] = []
    for hit in hits:
        score = min(float(hit.score), scored[-1].get_score()) if scored else float(hit.score)
        scored.append(NodeWithScore(node=to_node(hit.passage, keys=keys), score=score))
    return scored


def several(given: Any, name: str) -> list[BaseNode]:  # noqa: ANN401 - whatever a caller gave
    """Nodes as they were given.

    Args:
        given: what a caller gave.
        name: what it is called there.

    Raises:
        TypeError: there is one thing instead of several.
    """
    if isinstance(given, (str, BaseNode)) or not isinstance(given, Iterable):
        raise TypeError(f"{name} must be a list of LlamaIndex {name}, such as [Document(text=…)], not one {type(given).__name__}")
    return list(given)


def cut_documents(documents: Iterable[BaseNode], node_parser: TransformComponent | None) -> Sequence[BaseNode]:
    """Documents cut by a node parser of the caller, or as `split_documents` does.

    Args:
        documents: LlamaIndex documents.
        node_parser: how to cut.

    Raises:
        TypeError: it is no node parser, or these are no documents.
    """
    if node_parser is None:
        return split_documents(documents)
    if not callable(node_parser) or isinstance(node_parser, type):
        raise TypeError(f"node_parser must be a node parser, such as SentenceSplitter(), not {node_parser!r}")
    return node_parser(several(documents, "documents"))


def split_documents(documents: Iterable[BaseNode], *, max_tokens: int = 256) -> list[TextNode]:
    """Documents cut into text nodes with exact offsets and ids that are the same on every run.

    Args:
        documents: LlamaIndex documents; blank ones give no nodes.
        max_tokens: size of a node in tokens.
    """
    nodes = []
    for document in several(documents, "documents"):
        if not isinstance(document, BaseNode):
            raise TypeError(f"documents must be LlamaIndex documents, such as Document(text=…), not {type(document).__name__}")
        for piece in split_passages(Document(_text(document), id=document.node_id), max_tokens=max_tokens):
            node = _new_node(piece)
            node.metadata = dict(document.metadata)
            node.excluded_embed_metadata_keys = list(document.excluded_embed_metadata_keys)
            node.excluded_llm_metadata_keys = list(document.excluded_llm_metadata_keys)
            node.relationships = {NodeRelationship.SOURCE: document.as_related_node_info()}
            nodes.append(node)
    return nodes


def _new_node(passage: Passage) -> TextNode:
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=passage.source_id)} if passage.source_id else {}
    return TextNode(
        id_=passage.id,
        text=passage.text,
        start_char_idx=passage.char_start,
        end_char_idx=passage.char_end,
        metadata=dict(passage.metadata),
        relationships=source,
    )


def _text(node: BaseNode) -> str:
    return node.get_content(metadata_mode=MetadataMode.NONE)


def _without_times(node: BaseNode, keys: MetadataKeys) -> BaseNode:
    return _with(
        node,
        excluded_embed_metadata_keys=_joined(node.excluded_embed_metadata_keys, keys.all),
        excluded_llm_metadata_keys=_joined(node.excluded_llm_metadata_keys, keys.all),
    )


def _packed(node: BaseNode) -> str:
    """Everything but text and vector; nested nodes that an IndexNode points at are the retriever's to keep."""
    bare = _with(node, embedding=None, **({"obj": None} if hasattr(node, "obj") else {}))
    bare.set_content("")
    return json.dumps(doc_to_json(bare), default=plain)


def _with(node: BaseNode, **changes: Any) -> BaseNode:  # noqa: ANN401 - field values
    return node.model_copy(update={"relationships": dict(node.relationships), **changes})


def _flat(metadata: dict[str, Any], keys: MetadataKeys) -> dict[str, Scalar]:
    own = {key: plain(value) for key, value in metadata.items() if key not in keys.all}
    return {key: value for key, value in own.items() if value is None or isinstance(value, (str, int, float, bool))}


def _joined(listed: Sequence[str], more: Sequence[str]) -> list[str]:
    return [*listed, *(key for key in more if key not in listed)]
