"""Bearers as entities: what each is called, and an id that no other has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from chronotope.records import Issue
from chronotope.slices.cast.clusters import Clusters
from chronotope.slices.cast.declared import type_of
from chronotope.slices.cast.merge import DECLARED, Node
from chronotope.slices.cast.told import telling_order
from chronotope.slices.fact import Entity
from chronotope.slices.same_name import same_name

__all__ = ["Key", "Named", "first_ids", "named"]

Key: TypeAlias = tuple[str, str]  # an id and a name


@dataclass(frozen=True)
class Named:
    """Bearers with their ids.

    Args:
        entities: one for each bearer, by id.
        ids: the id behind each name.
        members: the names behind each id.
        issues: names that several have.
    """

    entities: tuple[Entity, ...]
    ids: Mapping[Node, str]
    members: Mapping[str, tuple[Node, ...]]
    issues: tuple[Issue, ...]


def first_ids(clusters: Clusters) -> dict[Node, Key]:
    """An id and a name for every bearer, by the name that stands for it: its given id, else its main name, numbered where taken."""
    keys: dict[Node, Key] = {}
    wanted: dict[str, list[tuple[object, Node]]] = defaultdict(list)
    aliases = {join.one for join in clusters.joins if join.why == "alias"}
    for root, members in clusters.bearers:
        nodes = tuple(sorted(members))
        own = next((node[1] for node in nodes if node[0] == DECLARED), "")
        if own:
            keys[root] = (own, clusters.declared[own].name)
        else:
            wanted[_main_name(nodes, aliases, clusters)].append((_first_told(nodes, clusters), root))
    taken = {key for key, _ in keys.values()} | set(wanted)
    for name, bearers in sorted(wanted.items()):
        free = [name] if name not in clusters.declared else []
        for _, root in sorted(bearers):
            key = free.pop() if free else _free(name, taken)
            taken.add(key)
            keys[root] = (key, name)
    return keys


def named(clusters: Clusters, keys: Mapping[Node, Key]) -> Named:
    """Bearers as entities.

    Args:
        clusters: names joined to bearers.
        keys: id and name of each bearer, by the name that stands for it.
    """
    members = {keys[root][0]: tuple(sorted(nodes)) for root, nodes in clusters.bearers}
    entities = [_entity(key, name, members[key], clusters) for key, name in sorted(keys.values())]
    ids = {node: key for key, nodes in members.items() for node in nodes}
    return Named(tuple(entities), ids, members, tuple(_shared(members, clusters)))


def _main_name(nodes: Sequence[Node], aliases: set[Node], clusters: Clusters) -> str:
    """The name that says most: no alias, no description, the most words, no title; then the one that is told most."""

    def rank(node: Node) -> tuple[object, ...]:
        form = clusters.told.form(node)
        return node in aliases, form.is_description, -len(form.words), bool(form.title), -clusters.told.count(node), node

    return clusters.spelled(min((node for node in nodes if node[0] != DECLARED), key=rank, default=nodes[0]))


def _first_told(nodes: Sequence[Node], clusters: Clusters) -> tuple[object, ...]:
    """Sorts bearers of one name: whoever is told first comes first."""
    told = clusters.told
    firsts = [told.first(node) for node in nodes if node in told.at]
    return min((telling_order(fact.chapter), fact.source_id, fact.id) for fact in firsts)


def _free(name: str, taken: Collection[str]) -> str:
    number = 2
    key = name
    while key in taken:
        key = f"{name} ({number})"
        number += 1
    return key


def _entity(key: str, name: str, nodes: Sequence[Node], clusters: Clusters) -> Entity:
    given = clusters.entities(nodes[0])
    spelled = [
        clusters.spelled(node) for node in sorted(nodes, key=lambda node: _by_telling(node, clusters)) if node[0] != DECLARED
    ]
    names = list(dict.fromkeys([name for entity in given for name in entity.names if entity.id in clusters.declared] + spelled))
    kinds = [entity.type for entity in given if entity.type] or [_told_type(nodes, clusters)]
    metadata = {field: value for entity in reversed(given) for field, value in entity.metadata.items()}
    seen = {same_name(name), same_name(key)} if key in clusters.declared else {same_name(name)}
    aliases = tuple(other for other in names if same_name(other) not in seen)
    return Entity(name=name, id=key, type=kinds[0], aliases=aliases, metadata=metadata)


def _by_telling(node: Node, clusters: Clusters) -> tuple[object, ...]:
    if node[0] == DECLARED:
        return ()
    fact = clusters.told.first(node)
    return telling_order(fact.chapter), node


def _told_type(nodes: Sequence[Node], clusters: Clusters) -> str:
    """What the relations of its facts say that it is, where they agree."""
    told = clusters.told
    kinds = {kind for node in nodes for kind in told.kinds(node)}
    if any(told.is_place(node) for node in nodes):
        kinds.add("place")
    return type_of(kinds, told.ontology)


def _shared(members_of: Mapping[str, tuple[Node, ...]], clusters: Clusters) -> list[Issue]:
    """An issue for every name that several entities have."""
    bearers: dict[str, set[str]] = defaultdict(set)
    for key, nodes in members_of.items():
        for node in nodes:
            if node[0] != DECLARED:
                bearers[node[1]].add(key)
    issues = []
    for name, keys in sorted(bearers.items()):
        if len(keys) > 1:
            ids = " and ".join(map(repr, sorted(keys)))
            node = next(node for key in sorted(keys) for node in members_of[key] if node[1] == name and node[0] != DECLARED)
            told = f"{clusters.spelled(node)!r} is the name of {len(keys)} entities, {ids}; nothing shows that they are one"
            issues.append(Issue("same_name", told, clusters.source(node)))
    return issues
