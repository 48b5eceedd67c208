"""Segments as LlamaIndex nodes: exact offsets, stable ids, neighbours, and small children in the shape that retrievers expect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from llama_index.core.schema import BaseNode, IndexNode, Node, NodeRelationship, RelatedNodeInfo, TextNode

from chronotope.litseg import Segment
from chronotope.litseg.children import children
from chronotope.llama_index.origins import Origin
from chronotope.llama_index.reading_texts import dress, told
from chronotope.llama_index.relations import IdFunction, info, link
from chronotope.records import Extraction, Issue, Passage

__all__ = ["NodeMaker"]

AnyNode = TypeVar("AnyNode", bound=TextNode)


@dataclass(frozen=True, kw_only=True)
class NodeMaker:
    """How segments become nodes.

    Args:
        index: the embedded text has subtitle and context.
        reader: the text for a language model has them.
        child_tokens: largest size of a child in tokens; None makes no children.
        include_metadata: nodes inherit the metadata of their document.
        include_prev_next_rel: nodes know their neighbours.
        id_func: names the nodes; None names them by document, place and text.
    """

    index: bool = False
    reader: bool = True
    child_tokens: int | None = None
    include_metadata: bool = True
    include_prev_next_rel: bool = True
    id_func: IdFunction | None = None

    def nodes(self, found: Iterable[tuple[Origin, Extraction[Segment]]]) -> tuple[list[BaseNode], tuple[Issue, ...]]:
        """The nodes of all documents, those of one after those of another, segments before their children.

        Args:
            found: what was given, and the segments it was cut into.

        Returns:
            The nodes, and an issue for each stretch that was given twice, as by a parser whose chunks overlap.
        """
        made: dict[str, list[tuple[Origin, Segment, TextNode]]] = {}
        issues: list[Issue] = []
        seen: set[str] = set()
        for origin, extraction in found:
            for number, local in enumerate(extraction.items):
                segment = _placed(local, origin)
                node = self._node(origin, segment, number)
                if node.node_id in seen:
                    issues.append(Issue("segment_dropped", f"the same stretch was given twice: {segment!r}", origin.source.node_id))
                    continue
                seen.add(node.node_id)
                made.setdefault(origin.source.node_id, []).append((origin, segment, node))
        return [node for family in made.values() for node in self._family(family)], tuple(issues)

    def _family(self, family: Sequence[tuple[Origin, Segment, TextNode]]) -> list[BaseNode]:
        """The nodes of one document; children last, so that the two levels can be told apart by order as well."""
        smaller: list[TextNode] = []
        for origin, segment, node in family:
            pieces = self._children(origin, segment, node)
            if pieces:
                node.relationships[NodeRelationship.CHILD] = [info(piece) for piece in pieces]
            smaller.extend(pieces)
        segments = [node for *_, node in family]
        if self.include_prev_next_rel:
            link(segments)
            link(smaller)
        return [*segments, *smaller]

    def _node(self, origin: Origin, segment: Segment, number: int) -> TextNode:
        node = self._new(
            TextNode, origin, (segment.char_start, segment.char_end), text=segment.text, id_=self._name(origin, segment, number)
        )
        known = told(segment)
        if origin.base is None:
            known.pop("context", None)
        node.metadata = {**node.metadata, **known}
        dress(node, segment, index=self.index, reader=self.reader)
        return node

    def _children(self, origin: Origin, segment: Segment, parent: TextNode) -> list[IndexNode]:
        if self.child_tokens is None:
            return []
        parent_info = info(parent)
        pieces = children(replace(segment, id=parent.node_id), max_tokens=self.child_tokens)
        return [self._child(origin, piece, parent_info) for piece in pieces]

    def _child(self, origin: Origin, piece: Passage, parent: RelatedNodeInfo) -> IndexNode:
        """A node that both an auto-merging retriever (parent) and a recursive one (index id) follow to its segment."""
        span = (piece.char_start or 0, piece.char_end or 0)
        node = self._new(IndexNode, origin, span, text=piece.text, id_=piece.id, index_id=parent.node_id)
        node.metadata = {**node.metadata, **piece.metadata}
        node.excluded_embed_metadata_keys = [*dict.fromkeys((*node.excluded_embed_metadata_keys, *node.metadata))]
        hidden = [key for key in piece.metadata if key != "subtitle" or not self.reader]
        node.excluded_llm_metadata_keys = [*dict.fromkeys((*node.excluded_llm_metadata_keys, *hidden))]
        node.relationships[NodeRelationship.PARENT] = parent
        return node

    def _new(self, kind: type[AnyNode], origin: Origin, span: tuple[int, int], **own: Any) -> AnyNode:  # noqa: ANN401 - fields
        given = origin.node
        start, end = span if origin.base is not None else (None, None)
        return kind(
            start_char_idx=start,
            end_char_idx=end,
            metadata=deepcopy(given.metadata) if self.include_metadata else {},
            excluded_embed_metadata_keys=list(given.excluded_embed_metadata_keys),
            excluded_llm_metadata_keys=list(given.excluded_llm_metadata_keys),
            metadata_template=given.metadata_template,
            metadata_seperator=given.metadata_separator,
            relationships=origin.relationships,
            **({"text_template": given.text_template} if isinstance(given, (Node, TextNode)) else {}),
            **own,
        )

    def _name(self, origin: Origin, segment: Segment, number: int) -> str:
        return segment.id if self.id_func is None else self.id_func(number, origin.node)


def _placed(segment: Segment, origin: Origin) -> Segment:
    """The segment with offsets in the source document instead of the chunk that was cut."""
    if not origin.base:
        return segment
    by = origin.base
    context = tuple((start + by, end + by) for start, end in segment.context)
    return replace(segment, char_start=segment.char_start + by, char_end=segment.char_end + by, context=context, id="")
