"""When the events of a story were that have a name of their own: landmarks, by which texts and questions place themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chronotope.slices.axis.axis import hull
from chronotope.slices.graph.roles import is_only, roles
from chronotope.slices.same_name import same_name
from chronotope.temporal.interval import Interval

if TYPE_CHECKING:
    from chronotope.slices.graph.graph import StoryGraph

__all__ = ["event_rows", "landmark_times"]


def event_rows(graph: StoryGraph) -> dict[str, list[int]]:
    """Rows of the event facts of each entity that is an event: by its type, or because its relation joins nothing else."""
    ontology = graph.ontology
    events = {entity.id for entity in graph.entities.values() if is_only(filter(None, (entity.type,)), ontology, "event")}
    in_roles = {name: roles(ontology.relations.get(name), ontology, "event") for name in {key[1] for key in graph.keys}}
    found: dict[str, list[int]] = {}
    for row, number in enumerate(graph.arrays.edge.tolist()):
        subject, relation, other = graph.keys[number]
        if graph.kinds[row] != "event":
            continue
        for name, is_event in zip((subject, other), in_roles[relation], strict=True):
            if name and (is_event or name in events):
                found.setdefault(name, []).append(row)
    return found


def landmark_times(graph: StoryGraph, rows: Mapping[str, Sequence[int]], told: Mapping[str, Interval]) -> dict[str, Interval]:
    """When each event was.

    Args:
        graph: the graph.
        rows: rows of the event facts of each event.
        told: what the axis knows, by name.

    Returns:
        By id of the entity: the hull of the times that its facts are told to have; else what the axis knows; else the hull of when
        the chapters play that tell of it. Events of no known time are left out.
    """
    by_name = {same_name(name): time for name, time in told.items()}
    found: dict[str, Interval] = {}
    for entity, facts in rows.items():
        given = hull(time for row in facts if graph.facts[row].story for time in graph.validity[row])
        named = next((by_name[name] for name in map(same_name, graph.names_of(entity)) if name in by_name), None)
        time = given or named or hull(time for row in facts for time in graph.validity[row])
        if time is not None:
            found[entity] = time
    return found
