"""Facts in a LlamaIndex property graph and back: every fact is a node of its own, which holds its coordinates.

A property graph keeps one relation of a name between two nodes: a second one, of another chapter, would be lost, or its dates
would. So a fact is a node between its subject and its object, and what is read back is read from these nodes; relations that other
extractors wrote are read as they are.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from llama_index.core.graph_stores.simple_labelled import SimplePropertyGraphStore
from llama_index.core.graph_stores.types import (
    KG_NODES_KEY,
    KG_RELATIONS_KEY,
    TRIPLET_SOURCE_KEY,
    ChunkNode,
    EntityNode,
    LabelledNode,
    PropertyGraphStore,
    Relation,
    Triplet,
)
from llama_index.core.indices.property_graph import PropertyGraphIndex
from llama_index.core.schema import BaseNode

from chronotope.records import Scalar
from chronotope.slices.documents.stored import StoredFacts
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.ontology import Ontology
from chronotope.slices.story_time import axis_of, write_story_time

__all__ = ["FACT_LABEL", "GRAPH_KEYS", "GraphRows", "read_graph", "store_of", "with_graph"]

FACT_LABEL: Final = "story_fact"
"""Label of the nodes that are facts."""
GRAPH_KEYS: Final = (KG_NODES_KEY, KG_RELATIONS_KEY)
"""Metadata keys under which extractors hand nodes and relations to a `PropertyGraphIndex`."""
_OBJECT, _PLACE = "of", "at"
_THEIRS = (TRIPLET_SOURCE_KEY, "_node_content", "_node_type", "doc_id", "document_id", "ref_doc_id")
_SEVERAL = "; "
_CALLED = "called"  # what an entity is called whose id is another
_BATCH = 500  # nodes of which a store is asked at once


def with_graph(node: BaseNode, stored: StoredFacts) -> BaseNode:
    """A copy of the node that hands its facts to a `PropertyGraphIndex`, beside what other extractors have put there.

    Args:
        node: a chunk.
        stored: what it tells.
    """
    nodes, relations = _as_graph(stored)
    # What a pipeline's cache gives back are dicts, which no graph store takes.
    held = [one for one in node.metadata.get(KG_NODES_KEY) or () if isinstance(one, LabelledNode)]
    known = [one for one in node.metadata.get(KG_RELATIONS_KEY) or () if isinstance(one, Relation)]
    metadata = {**node.metadata, KG_NODES_KEY: [*held, *nodes], KG_RELATIONS_KEY: [*known, *relations]}
    return node.model_copy(update={"metadata": metadata, "relationships": dict(node.relationships)})


def _as_graph(stored: StoredFacts) -> tuple[list[EntityNode], list[Relation]]:
    known = _Known(stored.entities)
    named = [name for fact in stored.facts for name in (fact.subject, fact.object, fact.place) if name]
    names = dict.fromkeys([*map(known.id, named), *(entity.id for entity in stored.entities)])
    entities = {name: _entity_node(known.entities.get(name) or Entity(name=name)) for name in names}
    nodes, relations = list(entities.values()), []
    for fact in stored.facts:
        told = _fact_node(fact)
        nodes.append(told)
        ends = [(fact.relation, entities[known.id(fact.subject)], told)]
        ends += [(label, told, entities[known.id(name)]) for label, name in ((_OBJECT, fact.object), (_PLACE, fact.place)) if name]
        relations += [
            Relation(label=label, source_id=start.id, target_id=end.id, properties=dict(told.properties))
            for label, start, end in ends
        ]
    return nodes, relations


class _Known:
    """Entities by id, and the one that a name means; a name that two of them have stays a name."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.entities = {entity.id: entity for entity in entities}
        bearers: dict[str, set[str]] = defaultdict(set)
        for entity in self.entities.values():
            for name in entity.names:
                bearers[name].add(entity.id)
        self._ids = {name: next(iter(ids)) for name, ids in bearers.items() if len(ids) == 1}

    def id(self, name: str) -> str:
        return name if name in self.entities else self._ids.get(name, name)


def _entity_node(entity: Entity) -> EntityNode:
    told: dict[str, Any] = {key: value for key, value in entity.metadata.items() if value is not None}
    told |= {"aliases": _SEVERAL.join(entity.aliases)} if entity.aliases else {}
    told |= {_CALLED: entity.name} if entity.name != entity.id else {}
    return EntityNode(name=entity.id, label=entity.type or "entity", properties=told)


def _fact_node(fact: Fact) -> EntityNode:
    """The fact under a name that a reader understands, and that no other fact has."""
    told = _coordinates(fact)
    shown = [f"chapter {fact.chapter}"] if fact.chapter is not None else []
    shown += [str(told[key]) for key in ("story_time", "place") if key in told]
    where = f" ({', '.join(shown)})" if shown else ""
    return EntityNode(name=f"{fact.statement}{where} [{fact.id[:8]}]", label=FACT_LABEL, properties=told)


def _coordinates(fact: Fact) -> dict[str, Scalar]:
    names = ("subject", "relation", "object", "chapter", "place", "quote", "source_id", "char_start", "char_end", "confidence")
    told: dict[str, Scalar] = {name: value for name in names if (value := getattr(fact, name)) not in (None, "")}
    if fact.story:
        told |= {"story_time": _SEVERAL.join(map(write_story_time, fact.story)), "axis": axis_of(fact.story[0])}
    told |= {"metadata": json.dumps(dict(fact.metadata), ensure_ascii=False)} if fact.metadata else {}
    return {**told, "fact_id": fact.id}


@dataclass(frozen=True)
class GraphRows:
    """What a property graph holds, as records of a facts file.

    Args:
        records: one for each node that is neither a fact nor a chunk, then one for each fact and for each relation of another
            extractor, in an order that is the same on every run.
        chunks: the nodes that the index was made of, as far as the store has them.
    """

    records: tuple[Mapping[str, Any], ...]
    chunks: tuple[BaseNode, ...]


def store_of(graph: PropertyGraphIndex | PropertyGraphStore) -> PropertyGraphStore:
    """The store of an index, or the store itself.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(graph, PropertyGraphIndex):
        return graph.property_graph_store
    if isinstance(graph, PropertyGraphStore):
        return graph
    raise TypeError(f"a property graph must be a PropertyGraphIndex or a PropertyGraphStore, not a {type(graph).__name__}")


def read_graph(graph: PropertyGraphIndex | PropertyGraphStore, ontology: Ontology) -> GraphRows:
    """Everything that a property graph tells.

    Args:
        graph: an index or a store.
        ontology: what types there are; labels of nodes that are none of them say nothing.
    """
    store = store_of(graph)
    held = store.get()
    nodes = [node for node in held if not isinstance(node, ChunkNode)]
    told = [node for node in nodes if node.label == FACT_LABEL]
    others = sorted((node for node in nodes if node.label != FACT_LABEL), key=_name)
    triplets = [one for one in _triplets(store, others) if not any(_is_ours(node) for node in (one[0], one[2]))]
    sources = dict.fromkeys([*map(_source, told), *(_source(relation) for _, relation, _ in triplets)])
    names = [*dict.fromkeys([*filter(None, sources), *(node.id for node in held if isinstance(node, ChunkNode))])]
    chunks = {node.node_id: node for node in store.get_llama_nodes(names)} if names else {}
    facts = [*map(_row, told), *(_row_of_triplet(one, chunks) for one in triplets)]
    entities = [_row_of_entity(node, ontology) for node in others]
    return GraphRows((*entities, *sorted(facts, key=_order)), tuple(sorted(chunks.values(), key=_place)))


def _source(told: LabelledNode | Relation) -> str:
    """The chunk that something was read in."""
    return str(told.properties.get(TRIPLET_SOURCE_KEY) or "")


def _place(node: BaseNode) -> tuple[str, int, str]:
    return node.ref_doc_id or "", getattr(node, "start_char_idx", None) or 0, node.node_id


def _is_ours(node: LabelledNode) -> bool:
    return isinstance(node, ChunkNode) or node.label == FACT_LABEL


def _triplets(store: PropertyGraphStore, nodes: Sequence[LabelledNode]) -> Iterator[Triplet]:
    """Every triplet once. The store in memory compares each triplet with each name, so it is read directly."""
    if isinstance(store, SimplePropertyGraphStore):
        yield from store.graph.get_triplets()
        return
    seen = set()
    for start in range(0, len(nodes), _BATCH):
        for one in store.get_triplets(ids=[node.id for node in nodes[start : start + _BATCH]]):
            key = (one[0].id, one[1].id, one[2].id, str(sorted(one[1].properties.items(), key=str)))
            if key not in seen:
                seen.add(key)
                yield one


def _row(node: LabelledNode) -> dict[str, Any]:
    return {key: value for key, value in node.properties.items() if key not in _THEIRS}


def _row_of_triplet(triplet: Triplet, chunks: Mapping[str, BaseNode]) -> dict[str, Any]:
    """A relation of another extractor, which stands somewhere in its chunk."""
    start, relation, end = triplet
    told = {key: value for key, value in relation.properties.items() if key not in _THEIRS}
    chunk = chunks.get(_source(relation))
    where: dict[str, Any] = {"source_id": _source(relation)}
    if chunk is not None:
        spans = {"char_start": getattr(chunk, "start_char_idx", None), "char_end": getattr(chunk, "end_char_idx", None)}
        where = {"source_id": chunk.ref_doc_id or chunk.node_id, **(spans if None not in spans.values() else {})}
    return {**where, **told, "subject": _name(start), "relation": relation.label, "object": _name(end)}


def _row_of_entity(node: LabelledNode, ontology: Ontology) -> dict[str, Any]:
    told = {"aliases": node.properties["aliases"]} if node.properties.get("aliases") else {}
    rest = {key: value for key, value in node.properties.items() if key not in (*_THEIRS, _CALLED, "aliases")}
    told |= {"metadata": json.dumps(rest, default=str)} if rest else {}
    called = str(node.properties.get(_CALLED) or _name(node))
    return {**told, "entity": called, "id": _name(node), "type": ontology.type_name(node.label)}


def _name(node: LabelledNode) -> str:
    return str(getattr(node, "name", node.id))


def _order(row: Mapping[str, Any]) -> tuple[Any, ...]:
    chapter = row.get("chapter")
    known = isinstance(chapter, (int, float))
    start = row.get("char_start")
    named: Iterable[str] = (str(row.get(key) or "") for key in ("source_id", "subject", "relation", "object", "id"))
    return (not known, chapter if known else 0, start if isinstance(start, int) else 0, *named)
