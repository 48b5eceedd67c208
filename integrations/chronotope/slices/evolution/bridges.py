"""Whom a network hangs together by: for each node the share of connected pairs that only it connects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["bridge_scores"]


def bridge_scores(network: Any) -> dict[str, float]:  # noqa: ANN401 - a networkx.Graph, imported only where it is used
    """For each node: of the pairs of other nodes in its component, the share that is parted when it is taken away.

    1 means that nobody reaches anybody but through it, 0 that it can be spared. A node of a component of one or two has 0.

    Args:
        network: an undirected `networkx.Graph` without loops.

    >>> import networkx as nx
    >>> bridge_scores(nx.path_graph(["Ann", "Bo", "Cy"]))
    {'Ann': 0.0, 'Bo': 1.0, 'Cy': 0.0}
    """
    import networkx as nx

    scores = dict.fromkeys(network, 0.0)
    blocks: list[frozenset[Any]] = [frozenset(block) for block in nx.biconnected_components(network)]
    homes: dict[Any, list[int]] = defaultdict(list)
    for number, block in enumerate(blocks):
        for node in block:
            homes[node].append(number)
    cuts = {node: numbers for node, numbers in homes.items() if len(numbers) > 1}
    sizes = {number: len(block) - sum(node in cuts for node in block) for number, block in enumerate(blocks)}
    for node, parts in _parts(blocks, cuts, sizes).items():
        others = sum(parts)
        parted = others**2 - sum(part**2 for part in parts)  # each pair in both orders
        scores[node] = parted / (others * (others - 1))
    return scores


def _parts(blocks: Sequence[frozenset[Any]], cuts: Mapping[Any, Sequence[int]], sizes: Mapping[int, int]) -> dict[Any, list[int]]:
    """For each node that cuts a component, how many nodes are in each of the parts that it leaves.

    Blocks and the nodes between them form a tree: one walk from its root counts what hangs below each of them.
    """
    parts: dict[Any, list[int]] = {node: [] for node in cuts}
    weights = dict(sizes)
    seen: set[int] = set()
    for root in range(len(blocks)):
        if root in seen:
            continue
        order: list[tuple[int, Any, int]] = [(root, None, -1)]  # a block, the node above it, the block above that
        seen.add(root)
        for number, above, _ in order:  # grows while it is read
            for node in blocks[number]:
                below = [other for other in cuts.get(node, ()) if other not in seen] if node != above else []
                seen.update(below)
                order += [(other, node, number) for other in below]
        whole = _hang(order, blocks, cuts, weights, parts)
        for above in {above for _, above, _ in order[1:]}:
            beyond = whole - 1 - sum(parts[above])
            parts[above] += [beyond] if beyond else []
    return parts


def _hang(
    order: Sequence[tuple[int, Any, int]],
    blocks: Sequence[frozenset[Any]],
    cuts: Mapping[Any, Sequence[int]],
    weights: dict[int, int],
    parts: dict[Any, list[int]],
) -> int:
    """Count from the leaves up; returns how many nodes the component has."""
    for number, above, parent in reversed(order):
        weights[number] += sum(node in cuts and node != above for node in blocks[number])
        if above is not None:
            parts[above].append(weights[number])
            weights[parent] += weights[number]
    return weights[order[0][0]]
