"""The names and landmarks of a graph, as tables to read questions by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from chronotope.lexical import words
from chronotope.slices.question.landmarks import Marked, phrase_tokens
from chronotope.slices.question.names import NameTable

if TYPE_CHECKING:
    from chronotope.slices.fact import Entity
    from chronotope.slices.graph import StoryGraph
    from chronotope.slices.ontology import Ontology

__all__ = ["known_entities", "landmark_marks", "names_of"]

_NOBODY = NameTable(())
_READ = 20_000  # facts up to which the names in their quotations are looked for too


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
    labels: dict[str, frozenset[str]] = {}
    read = len(graph) <= _READ
    for fact, kind, times in zip(graph.facts, graph.kinds, graph.validity, strict=True):
        if kind == "timeless" or not times:
            continue
        if fact.relation not in labels:
            labels[fact.relation] = _labels(graph.ontology, fact.relation)
        subject, other, place = graph.ends_of(fact)
        said = phrase_tokens(fact.quote, names) if read else words(fact.quote)
        tokens = {*labels[fact.relation], *said}
        tokens |= {f"@{name}" for name in (subject, other, place) if name in graph.numbers}
        if other and other not in graph.numbers:
            tokens |= {*phrase_tokens(other, names)}
        yield Marked(fact.id, fact.statement, times, kind, frozenset(tokens))


def _labels(ontology: Ontology, name: str) -> frozenset[str]:
    """The words for a relation."""
    relation = ontology.relations.get(name)
    own = name.replace("_", " ")
    told = (own,) if relation is None else (own, *relation.names, *relation.inverse_names)
    return frozenset(token for text in told for token in (*phrase_tokens(text, _NOBODY), *(text if len(text) == 1 else "")))


def _is_event(ontology: Ontology, type_: str) -> bool:
    return bool(type_) and ontology.is_a(type_, "event")
