"""What a node parser is given: whole documents, or chunks that another parser made of them, and where those stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, RelatedNodeInfo, RelatedNodeType

from chronotope.records import Document, Issue, content_id
from chronotope.text import clean, is_blank

__all__ = ["Origin", "read_origins"]


@dataclass(frozen=True, eq=False)
class Origin:
    """A node that is to be cut.

    Args:
        node: as it was given; never changed.
        document: its text under the id that its parts are named after.
        source: the document that it comes from, or itself.
        base: where its text begins in that document; None when it does not say, or its text is not that of the document.
    """

    node: BaseNode
    document: Document
    source: RelatedNodeInfo
    base: int | None

    @property
    def relationships(self) -> dict[NodeRelationship, RelatedNodeType]:
        """What its parts inherit: the source, and a parent where another parser gave it one."""
        kept = {NodeRelationship.PARENT: parent} if (parent := self.node.parent_node) else {}
        return {NodeRelationship.SOURCE: self.source, **kept}


def read_origins(nodes: Sequence[BaseNode]) -> tuple[list[Origin], tuple[Issue, ...]]:
    """The nodes that hold text, in order, and an issue for each blank one.

    Raises:
        TypeError: something else is among them, such as a text.
    """
    origins, issues = [], []
    for place, node in enumerate(nodes):
        if not isinstance(node, BaseNode):
            raise TypeError(f"nodes must be LlamaIndex nodes, such as Document(text=…), not {type(node).__name__}")
        if is_blank(clean(node.get_content(metadata_mode=MetadataMode.NONE))):
            issues.append(Issue("blank", "the node has no text and was left out", node.node_id))
        else:
            origins.append(_origin(node, place))
    return origins, tuple(issues)


def _origin(node: BaseNode, place: int) -> Origin:
    text = node.get_content(metadata_mode=MetadataMode.NONE)
    source = node.source_node
    if source is None:
        return Origin(node, Document(text, id=node.node_id), _hashable(node, text).as_related_node_info(), 0)
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    known = start is not None and end is not None and end - start == len(text)
    # Other parsers name chunks at random on each run: the document and the place in it are what stays the same.
    name = source.node_id if known else content_id(source.node_id, place)
    return Origin(node, Document(text, id=name), source, start if known else None)


def _hashable(node: BaseNode, text: str) -> BaseNode:
    """The node, or a copy of it where the framework cannot hash the text."""
    if (readable := clean(text)) == text:
        return node
    copy = node.model_copy()
    copy.set_content(readable)
    return copy
