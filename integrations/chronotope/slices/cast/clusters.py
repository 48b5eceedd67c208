"""Names joined to bearers, one merge after the other; what a rule forbids is refused and told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from chronotope.records import Issue
from chronotope.slices.cast.company import Company, company_of
from chronotope.slices.cast.merge import DECLARED, Apart, Node, Side, Why
from chronotope.slices.cast.names import title_gender
from chronotope.slices.cast.profile import Profile, profile_of
from chronotope.slices.cast.rules import Bearer, Forbidden, forbids
from chronotope.slices.cast.told import Told
from chronotope.slices.fact import Entity

__all__ = ["Clusters", "Join"]

_WEAK = ("form", "neighbour", "unsourced")


@dataclass(frozen=True)
class Join:
    """That two names are one bearer's, before bearers have ids.

    Args:
        one: the name that means the other.
        other: the name that it means.
        why: how it is known.
        evidence: the words that tell it, or one clause.
        fact: id of the fact that tells it.
        chapter: chapter that tells it.
    """

    one: Node
    other: Node
    why: Why
    evidence: str
    fact: str = ""
    chapter: int | None = None


class Clusters:
    """Which names are one bearer's.

    Args:
        told: the facts.
        declared: entities that are more than a name.
        described: entities that are nothing but a name, with a type or metadata; by that name as names are compared.
        apart: what the user says is not one.
    """

    def __init__(self, told: Told, declared: dict[str, Entity], described: dict[str, Entity], apart: Iterable[Apart]) -> None:
        self.told, self.declared, self.described = told, declared, described
        self.joins: list[Join] = []
        self.issues: list[Issue] = []
        self._over: dict[Node, Node] = {}
        self._members: dict[Node, set[Node]] = {}
        self._profiles: dict[Node, Profile] = {}
        self._companies: dict[Node, Company] = {}
        self._labels: dict[Node, dict[str, str]] = {}
        for node in (*((DECLARED, key) for key in declared), *told.at):
            self._members[node] = {node}
        self._apart = [(one, other, item) for item in apart for one, other in [self._nodes(item.sides)] if one and other]

    def __contains__(self, node: Node) -> bool:
        return node in self._members or node in self._over

    def root(self, node: Node) -> Node:
        """One name that stands for all names of its bearer."""
        while node in self._over:
            node = self._over[node]
        return node

    def members(self, node: Node) -> frozenset[Node]:
        """All names of its bearer."""
        return frozenset(self._members[self.root(node)])

    @property
    def bearers(self) -> Iterator[tuple[Node, frozenset[Node]]]:
        """Every bearer once: the name that stands for it, and all."""
        return ((root, frozenset(members)) for root, members in self._members.items())

    def known(self, node: Node) -> Profile:
        """What facts tell of the bearer of a name."""
        root, cache = self.root(node), self.told.profiles
        if root not in self._profiles:
            members = sorted(self._members[root])
            cache.update({member: profile_of(member, self.told) for member in members if member not in cache})
            self._profiles[root] = cache[root] if len(members) == 1 else Profile.joined(cache[member] for member in members)
        return self._profiles[root]

    def company(self, node: Node) -> Company:
        """With whom the bearer of a name is told."""
        root, cache = self.root(node), self.told.companies
        if root not in self._companies:
            members = sorted(self._members[root])
            cache.update({member: company_of(member, self.told) for member in members if member not in cache})
            self._companies[root] = cache[root] if len(members) == 1 else Company.joined(cache[member] for member in members)
        return self._companies[root]

    def genders(self, node: Node) -> frozenset[str]:
        """The genders of the bearer of a name, as facts, titles and descriptions tell."""
        ontology = self.told.ontology
        members = self._members[self.root(node)]
        found = {gender for member in members for gender in self.told.genders.get(member, ())}
        said = {self.title_gender(member) for member in members}
        said |= {str(gender) for entity in self.entities(node) if (gender := entity.metadata.get("gender"))}
        return frozenset(found | {ontology.gender(gender) or gender for gender in said if gender})

    def entities(self, node: Node) -> tuple[Entity, ...]:
        """What is given about the bearer of a name beside the facts: who it is, then descriptions of its names."""
        members = sorted(self.members(node))
        who = [self.declared[member[1]] for member in members if member[0] == DECLARED]
        names = sorted({member[1] for member in members if member[0] != DECLARED})
        return (*who, *(self.described[name] for name in names if name in self.described))

    def node(self, side: Side) -> Node | None:
        """The name that a side of a decision means, if anything told has it."""
        node = side if side[0] == DECLARED else self.told.nodes.get((self.told.works.get(side[0], side[0]), side[1]))
        return node if node is not None and node in self else None

    def _nodes(self, sides: tuple[Side, Side]) -> tuple[Node | None, Node | None]:
        return self.node(sides[0]), self.node(sides[1])

    def forbidden(self, one: Node, other: Node, *, weak: bool) -> Forbidden | None:
        """The rule or decision by which two bearers cannot be one."""
        roots = {self.root(one), self.root(other)}
        for left, right, apart in self._apart:
            if {self.root(left), self.root(right)} == roots:
                return Forbidden("kept_apart", apart.reason)
        if weak and all(any(member[0] == DECLARED for member in self.members(root)) for root in roots):
            return Forbidden("declared", "both are given as entities of their own")
        if weak and not self._of_one_kind(one, other):
            return Forbidden("type", f"one is a {_listed(self.kinds(one))} and the other a {_listed(self.kinds(other))}")
        bearers = [Bearer(self.members(root), self.genders(root), self.company(root), self.known(root)) for root in (one, other)]
        return forbids(bearers[0], bearers[1], self.told, self.root, weak=weak)

    def kinds(self, node: Node) -> frozenset[str]:
        """The types of the bearer of a name: as given, else as its relations leave no choice about."""
        told, members = self.told, self._members[self.root(node)]
        given = {told.ontology.type_name(entity.type) or entity.type for entity in self.entities(node) if entity.type}
        places = {"place" for member in members if told.is_place(member)}
        return frozenset(given or places | {kind for member in members for kind in told.kinds(member)})

    def _of_one_kind(self, one: Node, other: Node) -> bool:
        """False when nothing that one can be is what the other can be."""
        is_a, mine, theirs = self.told.ontology.is_a, self.kinds(one), self.kinds(other)
        return not (mine and theirs) or any(is_a(a, b) or is_a(b, a) for a in mine for b in theirs)

    def join(self, join: Join) -> Forbidden | None:
        """Take two names as one bearer's, unless a rule forbids it, which is told as an issue."""
        one, other = self.root(join.one), self.root(join.other)
        if one == other:
            return None
        forbidden = self.forbidden(one, other, weak=join.why in _WEAK)
        if forbidden is not None:
            names = f"{self.spelled(join.one)!r} and {self.spelled(join.other)!r}"
            told = f"{names} are not taken as one, though {join.evidence}: {forbidden.reason} (rule {forbidden.rule})"
            self.issues.append(Issue("merge_refused", told, self.source(join.one)))
            return forbidden
        small, big = sorted((one, other), key=lambda root: (len(self._members[root]), root))
        self._members[big] |= self._members.pop(small)
        self._over[small] = big
        for root in (small, big):
            self._profiles.pop(root, None)
            self._companies.pop(root, None)
            self._labels.pop(root, None)
        if any(member[0] == DECLARED for member in self._members[big]):
            self._labels.clear()  # it may be anybody's neighbour
        self.joins.append(join)
        return None

    def title_gender(self, node: Node) -> str:
        """The gender that a title in a name tells; empty when none does."""
        if node[0] == DECLARED:
            return title_gender(self.declared[node[1]].name, self.told.ontology.titles)
        return self.told.title_gender(node)

    def spelled(self, node: Node) -> str:
        """How a name is written."""
        return self.declared[node[1]].name if node[0] == DECLARED else self.told.spelled(node)

    def side(self, node: Node) -> Side:
        """A name as decisions keep it."""
        return node if node[0] == DECLARED else self.told.side(node)

    def source(self, node: Node) -> str | None:
        """A source that tells a name."""
        return None if node[0] == DECLARED else self.told.side(node)[0] or None

    def labels(self, node: Node) -> dict[str, str]:
        """What two bearers in different works can share: their neighbours by name or given entity, each with a fact."""
        root = self.root(node)
        found = self._labels.get(root)
        if found is None:
            found = self._labels[root] = {}
            for neighbour, fact in self.company(node).neighbours.items():
                for label in (neighbour[1], *self._given_labels(neighbour)):
                    if label not in found or fact < found[label]:
                        found[label] = fact
        return found

    def _given_labels(self, node: Node) -> list[str]:
        if not self.declared:
            return []
        return [f"{DECLARED}{member[1]}" for member in self._members[self.root(node)] if member[0] == DECLARED]

    def is_description(self, node: Node) -> bool:
        """True for "the Captain"."""
        return self.told.form(node).is_description


def _listed(words: Iterable[str]) -> str:
    return " and ".join(sorted(words))
