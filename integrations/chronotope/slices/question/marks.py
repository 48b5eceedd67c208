"""The names of a graph, as a table to read questions by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronotope.slices.question.names import NameTable

if TYPE_CHECKING:
    from chronotope.slices.fact import Entity
    from chronotope.slices.graph import StoryGraph
    from chronotope.slices.ontology import Ontology

__all__ = ["known_entities", "names_of"]


def known_entities(graph: StoryGraph) -> list[Entity]:
    """The entities of a graph that its facts name, in the order of telling."""
    return [graph.cast.entity(name) for name in graph.entity_ids]


def names_of(graph: StoryGraph) -> NameTable:
    """Every name of every entity; persons are found by a part of their name too."""
    entities = known_entities(graph)
    parted = [entity.id for entity in entities if entity.id not in graph.places and not _is_event(graph.ontology, entity.type)]
    return NameTable(((name, entity.id) for entity in entities for name in entity.names), parted=parted)


def _is_event(ontology: Ontology, type_: str) -> bool:
    return bool(type_) and ontology.is_a(type_, "event")
