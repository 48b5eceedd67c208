"""Edges made from the facts behind them, and the networkx form of edges."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from chronotope.slices.edge import Edge
from chronotope.slices.graph.arrays import Ints
from chronotope.slices.story_time import write_story_time
from chronotope.temporal.interval import merge

if TYPE_CHECKING:
    from chronotope.slices.graph.graph import StoryGraph

__all__ = ["edge_of_rows", "multigraph"]


def edge_of_rows(graph: StoryGraph, number: int, rows: Ints) -> Edge:
    """An edge as far as some of its facts tell it.

    Args:
        graph: the graph.
        number: number of the edge.
        rows: its facts, in the order of telling; at least one.
    """
    subject, relation, other = graph.keys[number]
    told = rows.tolist()
    facts = [graph.facts[row] for row in told]
    first = told[0]
    numbers = [graph.arrays.place.item(row) for row in told]
    places = [graph.places.ids[place] for place in numbers if place >= 0]
    chapters = [fact.chapter for fact in facts if fact.chapter is not None]  # facts are told in the order of chapters
    endings = [graph.endings[row] for row in told if row in graph.endings]
    is_one = len(told) == 1
    return Edge(
        subject=subject,
        relation=relation,
        object=other,
        kind=graph.kinds[first],
        validity=graph.validity[first] if is_one else tuple(merge(time for row in told for time in graph.validity[row])),
        chapters=tuple(chapters) if is_one else tuple(dict.fromkeys(chapters)),
        places=tuple(places) if is_one else tuple(dict.fromkeys(places)),
        facts=tuple([fact.id for fact in facts]),
        low_confidence=all([fact.confidence == "low" for fact in facts]),  # noqa: C419 - a page of edges has many of one fact
        endings=tuple(endings) if is_one else tuple(dict.fromkeys(endings)),
    )


def multigraph(graph: StoryGraph, edges: Iterable[Edge]) -> Any:  # noqa: ANN401 - a networkx.MultiDiGraph, imported only here
    """Edges as a `networkx.MultiDiGraph`: nodes have name and type, edges their coordinates; all values are plain."""
    import networkx as nx

    made: Any = nx.MultiDiGraph()
    for edge in edges:
        for name in filter(None, (edge.subject, edge.object)):
            made.add_node(name, **_described(graph, name))
        made.add_edge(
            edge.subject,
            edge.object or edge.subject,
            key=edge.relation,
            relation=edge.relation,
            kind=edge.kind,
            story_time="; ".join(map(write_story_time, edge.validity)),
            chapters=list(edge.chapters),
            places=list(edge.places),
            facts=list(edge.facts),
            low_confidence=edge.low_confidence,
            ended_by=[ending.fact for ending in edge.endings],
        )
    return made


def _described(graph: StoryGraph, name: str) -> dict[str, str]:
    entity = graph.entities.get(name)
    return {"name": name, "type": ""} if entity is None else {"name": entity.name, "type": entity.type}
