"""The names and landmarks of a graph, as tables to read questions by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from chronotope.slices.question.landmarks import Marked, phrase_tokens
from chronotope.slices.question.names import NameTable

if TYPE_CHECKING:
    from chronotope.slices.fact import Entity, Fact
    from chronotope.slices.graph import StoryGraph
    from chronotope.slices.ontology import Ontology

__all__ = ["known_entities", "landmark_marks", "names_of"]


def known_entities(graph: StoryGraph) -> list[Entity]:
    """The entities of a graph that its facts name, in the order of telling."""
    return [graph.cast.entity(name) for name in graph.entity_ids]


def names_of(graph: StoryGraph) -> NameTable:
    """Every name of every entity; persons are found by a part of their name too."""
    entities = known_entities(graph)
    parted = [entity.id for entity in entities if entity.id not in graph.places and not _is_event(graph.ontology, entity.type)]
    return NameTable(((name, entity.id) for entity in entities for name in entity.names), parted=parted)


def landmark_marks(graph: StoryGraph, names: NameTable) -> list[Marked]:
    """Every event entity, event and state of a graph, with its words."""
    return [*_of_entities(graph, names), *_of_facts(graph, names)]


def _of_entities(graph: StoryGraph, names: NameTable) -> Iterator[Marked]:
    for entity in known_entities(graph):
        time = graph.landmark(entity.id)
        if time is None:
            continue
        tokens = {f"@{entity.id}", *(token for name in entity.names for token in phrase_tokens(name, _NOBODY))}
        tokens |= {token for name in entity.names for token in phrase_tokens(name, names)}
        yield Marked(entity.id, entity.name, (time,), "event", frozenset(tokens), own=True)


def _of_facts(graph: StoryGraph, names: NameTable) -> Iterator[Marked]:
    for fact, kind in zip(graph.facts, graph.kinds, strict=True):
        times = graph.when(fact)
        if kind == "timeless" or not times:
            continue
        subject, other, _ = graph.ends_of(fact)
        told = [*_labels(graph.ontology, fact), fact.quote]
        tokens = {token for text in told for token in phrase_tokens(text, names)}
        tokens |= {character for text in told for character in text if len(text) == 1}
        tokens |= {f"@{name}" for name in (subject, other) if name in graph.numbers}
        if other and other not in graph.numbers:
            tokens |= {*phrase_tokens(other, names)}
        yield Marked(fact.id, fact.statement, times, kind, frozenset(tokens))


def _labels(ontology: Ontology, fact: Fact) -> tuple[str, ...]:
    relation = ontology.relations.get(fact.relation)
    own = fact.relation.replace("_", " ")
    return (own,) if relation is None else (own, *relation.names, *relation.inverse_names)


def _is_event(ontology: Ontology, type_: str) -> bool:
    return bool(type_) and ontology.is_a(type_, "event")


_NOBODY = NameTable(())
