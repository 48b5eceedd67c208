"""From the names of facts to bearers: what is given, what texts say, shorter forms, then equal names of different works."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from chronotope.records import Issue
from chronotope.slices.cast.clusters import Clusters, Join
from chronotope.slices.cast.forms import join_forms
from chronotope.slices.cast.merge import DECLARED, Node
from chronotope.slices.cast.told import Told, telling_order
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.same_name import same_name

__all__ = ["resolve"]


def resolve(clusters: Clusters) -> None:
    """Join the names of one bearer, strongest evidence first; decisions come after all of this, so that each can be taken back.

    Args:
        clusters: every name by itself.
    """
    unclear = _join_declared(clusters)
    spoken, called = _statements(clusters)
    for statement in spoken:
        clusters.join(statement)
    join_forms(clusters)
    _join_descriptions(clusters, called)
    _join_unclear(clusters, unclear)
    _join_across_works(clusters)


def _join_declared(clusters: Clusters) -> dict[Node, list[Node]]:
    """Names that a given entity has are that entity's; those that several have are returned with them."""
    bearers: dict[str, list[Entity]] = defaultdict(list)
    ids = {same_name(key): entity for key, entity in clusters.declared.items()}
    for entity in clusters.declared.values():
        for key in {same_name(name) for name in entity.names}:
            bearers[key].append(entity)
    unclear: dict[Node, list[Node]] = {}
    for node in sorted(clusters.told.at):
        fitting = _fitting(node, bearers.get(node[1], []), clusters.told)
        if not fitting and node[1] in ids:
            fitting = [ids[node[1]]]
        if len(fitting) > 1:
            unclear[node] = [(DECLARED, entity.id) for entity in fitting]
        elif fitting:
            entity = fitting[0]
            clusters.join(
                Join(node, (DECLARED, entity.id), "declared", f"{entity.id!r} is given with this name", "", _known(entity))
            )
    return unclear


def _fitting(node: Node, entities: Sequence[Entity], told: Told) -> list[Entity]:
    """The entities that a name of a work can mean; those given for the work or its sources come before all others."""
    homes = {entity.id: _home(entity, told) for entity in entities}
    at_home = [entity for entity in entities if homes[entity.id] == node[0]]
    return at_home or [entity for entity in entities if homes[entity.id] is None]


def _home(entity: Entity, told: Told) -> str | None:
    source = entity.metadata.get("source_id")
    work = entity.metadata.get("work")
    return str(work) if work else told.works.get(str(source), str(source)) if source else None


def _known(entity: Entity) -> int | None:
    chapter = entity.metadata.get("chapter")
    return chapter if isinstance(chapter, int) else None


def _statements(clusters: Clusters) -> tuple[list[Join], list[Join]]:
    """What facts say about names: those between names, and those that say whom a description means."""
    spoken: list[Join] = []
    called: list[Join] = []
    for one, other, fact in clusters.told.aliases():
        description = clusters.is_description(one) or clusters.is_description(other)
        evidence = f"{fact.text!r} says so"
        (called if description else spoken).append(Join(one, other, "alias", evidence, fact.id, fact.chapter))
    return spoken, called


def _join_descriptions(clusters: Clusters, called: Sequence[Join]) -> None:
    """A description means somebody only where all statements about it name one bearer: captains follow each other."""
    meant: dict[Node, list[tuple[Node, Join]]] = defaultdict(list)
    for join in called:
        one, other = (join.one, join.other) if clusters.is_description(join.one) else (join.other, join.one)
        meant[one].append((other, join))
    for description, statements in sorted(meant.items()):
        roots = {clusters.root(other) for other, _ in statements}
        if len(roots) == 1:
            clusters.join(statements[0][1])
        else:
            names = " and ".join(sorted({repr(clusters.spelled(other)) for other, _ in statements}))
            told = f"{clusters.spelled(description)!r} is said to be {names}, who are not known to be one; it is kept apart"
            clusters.issues.append(Issue("ambiguous_name", told, clusters.source(description)))


def _join_unclear(clusters: Clusters, unclear: dict[Node, list[Node]]) -> None:
    """A name of several given entities is the one's whose neighbours it shares, if there is exactly one."""
    for node, entities in unclear.items():
        mine = clusters.labels(node)
        found = [(entity, shared) for entity in entities if (shared := sorted(mine.keys() & clusters.labels(entity).keys()))]
        if len(found) == 1:
            entity, shared = found[0]
            evidence = f"both have to do with {_named(shared[0])}"
            clusters.join(_by_fact(clusters.told, Join(node, entity, "neighbour", evidence, mine[shared[0]])))
        else:
            names = " or ".join(repr(entity[1]) for entity in entities)
            told = f"{clusters.spelled(node)!r} may be {names}; give the entity a source_id, or name it by its id"
            clusters.issues.append(Issue("ambiguous_name", told, clusters.source(node)))


def _join_across_works(clusters: Clusters) -> None:
    """Equal names of different works are one bearer's only with evidence; a name told without a source is its only bearer's."""
    equal: dict[str, list[Node]] = defaultdict(list)
    for node in sorted(clusters.told.at):
        equal[node[1]].append(node)
    shared = [nodes for _, nodes in sorted(equal.items()) if len(nodes) > 1 and not all(map(clusters.is_description, nodes))]
    changed = bool(shared)
    tried: set[tuple[Node, Node]] = set()
    while changed:
        before = len(clusters.joins)
        for nodes in shared:
            _join_by_neighbours(clusters, [node for node in nodes if node[0]], tried)
        changed = len(clusters.joins) > before and bool(clusters.declared)  # only given entities let neighbours become others
    for nodes in shared:
        if not nodes[0][0]:
            _join_unsourced(clusters, nodes[0], nodes[1:])


def _join_by_neighbours(clusters: Clusters, nodes: Sequence[Node], tried: set[tuple[Node, Node]]) -> None:
    if len({clusters.root(node) for node in nodes}) < 2:
        return
    having: dict[str, list[Node]] = defaultdict(list)
    labels = {clusters.root(node): clusters.labels(node) for node in nodes}
    for node in sorted(labels):
        for label, fact in sorted(labels[node].items()):
            for other in having[label]:
                if clusters.root(node) != clusters.root(other) and (other, node) not in tried:
                    tried.add((other, node))
                    evidence = f"both have to do with {_named(label)}"
                    clusters.join(_by_fact(clusters.told, Join(node, other, "neighbour", evidence, fact)))
            having[label].append(node)


def _join_unsourced(clusters: Clusters, node: Node, others: Sequence[Node]) -> None:
    roots = sorted({clusters.root(other) for other in others} - {clusters.root(node)})
    if clusters.root(node) in {clusters.root(other) for other in others}:
        return
    if len(roots) > 1:
        mine = clusters.labels(node).keys()
        sharing = [root for root in roots if mine & clusters.labels(root).keys()]
        if len(sharing) != 1:
            told = f"{clusters.spelled(node)!r} is told without a source and may be any of {len(roots)}; give the facts a source_id"
            clusters.issues.append(Issue("ambiguous_name", told))
            return
        roots = sharing
    clusters.join(Join(node, roots[0], "unsourced", "one of the two is told without a source, and there is no other"))


def _by_fact(told: Told, join: Join) -> Join:
    """The join, known from the later of the chapters that tell its two names and its fact."""
    facts: list[Fact] = [told.fact(join.fact)]
    facts += [told.first(node) for node in (join.one, join.other) if node in told.at]
    chapter = max((fact.chapter for fact in facts), key=telling_order)
    return Join(join.one, join.other, join.why, join.evidence, join.fact, chapter)


def _named(label: str) -> str:
    return repr(label.removeprefix(DECLARED))
