"""How nodes that were made together are named and know each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from llama_index.core.schema import BaseNode, NodeRelationship, RelatedNodeInfo, TextNode

__all__ = ["IdFunction", "info", "link"]

IdFunction: TypeAlias = Callable[[int, BaseNode], str]


def link(nodes: Sequence[TextNode]) -> None:
    """Tell each of some new nodes the one before it and the one after it."""
    infos = [info(node) for node in nodes]
    for place, node in enumerate(nodes):
        if place:
            node.relationships[NodeRelationship.PREVIOUS] = infos[place - 1]
        if place + 1 < len(nodes):
            node.relationships[NodeRelationship.NEXT] = infos[place + 1]


def info(node: TextNode) -> RelatedNodeInfo:
    """Who a node is; its metadata stays with it, or every node would hold those of all its relations."""
    return RelatedNodeInfo(node_id=node.node_id, node_type=node.get_type(), hash=node.hash)
