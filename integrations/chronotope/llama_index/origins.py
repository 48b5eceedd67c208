"""What a node parser is given: whole documents, or chunks that another parser made of them, and where those stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, RelatedNodeInfo, RelatedNodeType

from chronotope.litseg.options import file_names, type_name
from chronotope.records import Document, Issue, content_id
from chronotope.text import clean, is_blank

__all__ = ["Origin", "checked_nodes", "read_origins"]


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
    """The nodes that hold text, in order, and an issue for each blank one and each that holds the name of a file.

    Raises:
        TypeError: something else is among them, or given in their place.
    """
    origins, issues = [], []
    for place, node in enumerate(checked_nodes(nodes)):
        text = node.get_content(metadata_mode=MetadataMode.NONE)
        if is_blank(clean(text)):
            issues.append(Issue("blank", "the node has no text and was left out", node.node_id))
            continue
        issues += [replace(issue, source_id=node.node_id) for issue in file_names([text])]
        origins.append(_origin(node, place))
    return origins, tuple(issues)


def checked_nodes(nodes: Any) -> list[Any]:  # noqa: ANN401 - whatever a caller gave
    """Nodes as they were given.

    Raises:
        TypeError: there is one thing instead of several, or something else is among them, such as a text.
    """
    if isinstance(nodes, (str, BaseNode)) or not isinstance(nodes, Iterable):
        raise TypeError(f"nodes must be a list of LlamaIndex nodes, such as [Document(text=…)], not one {type_name(nodes)}")
    found = list(nodes)
    for node in found:
        if not isinstance(node, BaseNode):
            raise TypeError(f"nodes must be LlamaIndex nodes, such as Document(text=…), not {type_name(node)}")
    return found


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
