"""What facts tell of each name: where it is told, with whom, and what can speak against its being somebody else's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from chronotope.records import Issue
from chronotope.slices.cast.merge import Node, Side
from chronotope.slices.cast.names import Form, squeezed, title_gender
from chronotope.slices.cast.uses import Use, use_of
from chronotope.slices.cast.works import SameWork, works_of
from chronotope.slices.fact import Fact
from chronotope.slices.ontology.vocabulary import Ontology
from chronotope.slices.same_name import same_name
from chronotope.temporal.interval import Interval

if TYPE_CHECKING:
    from chronotope.slices.cast.company import Company
    from chronotope.slices.cast.profile import Profile

__all__ = ["OBJECT", "PLACE", "SUBJECT", "Clock", "Told", "telling_order"]

Clock: TypeAlias = Callable[[int], tuple[Interval, ...]]
SUBJECT, OBJECT, PLACE = 0, 1, 2


@dataclass(frozen=True)
class Part:
    """The facts of one work that have a spelling in one place.

    Args:
        work: the work.
        spelling: the name as it is spelled.
        use: their relation.
        part: what the spelling is in them: subject, object or place.
        rows: which facts, in order of telling.
    """

    work: str
    spelling: str
    use: Use
    part: int
    rows: list[int] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Told:
    """Facts by the names that they have.

    Args:
        facts: each once, in order of telling.
        ontology: what their relations mean.
        clock: when a chapter plays.
        works: work of each source.
        nodes: the name, as names are compared, behind each spelling of a work.
        at: where the facts have each name.
        uses: the relations by the names that facts give them.
        issues: what is unclear about works.
        profiles: what is known of names, as far as it was asked for.
        companies: with whom names are told, likewise.
    """

    facts: tuple[Fact, ...]
    ontology: Ontology
    clock: Clock | None = None
    works: Mapping[str, str] = field(default_factory=dict)
    nodes: Mapping[Side, Node] = field(default_factory=dict)
    at: Mapping[Node, list[Part]] = field(default_factory=dict)
    uses: Mapping[str, Use] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()
    profiles: dict[Node, Profile] = field(default_factory=dict)
    companies: dict[Node, Company] = field(default_factory=dict)
    _spelled: dict[Node, str] = field(default_factory=dict)
    _forms: dict[Node, Form] = field(default_factory=dict)
    _titles: dict[Node, str] = field(default_factory=dict)

    @classmethod
    def of(cls, facts: Iterable[Fact], *, ontology: Ontology, clock: Clock | None, same_work: SameWork) -> Told:
        """Read facts, in any order.

        Args:
            facts: checked or not.
            ontology: what their relations mean.
            clock: when a chapter plays.
            same_work: which sources are one work.
        """
        unique = {fact.id: fact for fact in facts}
        ordered = tuple(sorted((unique[key] for key in sorted(unique)), key=lambda fact: telling_order(fact.chapter)))
        works, issues = works_of(ordered, same_work)
        uses = {name: use_of(name, ontology) for name in sorted({fact.relation for fact in ordered})}
        nodes: dict[Side, Node] = {}
        at: dict[Node, list[Part]] = {}
        for part in _parts(ordered, uses, works):
            node = nodes[part.work, part.spelling] = (part.work, same_name(part.spelling))
            at.setdefault(node, []).append(part)
        return cls(ordered, ontology, clock, works, nodes, at, uses, issues)

    def spelled(self, node: Node) -> str:
        """The spelling that facts use most for a name where it is first told."""
        spelled = self._spelled.get(node)
        if spelled is None:
            counted: Counter[str] = Counter()
            chapter = self.first(node).chapter if node in self.at else None
            for part in self.at.get(node, ()):
                if first := sum(self.facts[row].chapter == chapter for row in part.rows):
                    counted[squeezed(part.spelling)] += first
            spelled = min(counted, key=lambda spelling: (-counted[spelling], spelling)) if counted else node[1]
            self._spelled[node] = spelled
        return spelled

    def first(self, node: Node) -> Fact:
        """The first fact that has a name."""
        return self.facts[min(part.rows[0] for part in self.at[node])]

    def side(self, node: Node) -> Side:
        """A source and spelling of a name: those of the first fact that has it."""
        first = min(self.at[node], key=lambda part: (part.rows[0], part.spelling))
        return self.facts[first.rows[0]].source_id, first.spelling

    def count(self, node: Node) -> int:
        """How often facts have a name."""
        return sum(len(part.rows) for part in self.at[node])

    def is_place(self, node: Node) -> bool:
        """True when facts happen in it."""
        return any(part.part == PLACE for part in self.at.get(node, ()))

    def form(self, node: Node) -> Form:
        """A name taken apart."""
        form = self._forms.get(node)
        if form is None:
            form = self._forms[node] = Form.of(self.spelled(node))
        return form

    def title_gender(self, node: Node) -> str:
        """The gender that a title in a name tells; empty when none does."""
        gender = self._titles.get(node)
        if gender is None:
            gender = self._titles[node] = title_gender(self.spelled(node), self.ontology.titles)
        return gender

    def fact(self, fact_id: str) -> Fact:
        """A fact by its id."""
        return self._by_id[fact_id]

    @cached_property
    def _by_id(self) -> dict[str, Fact]:
        return {fact.id: fact for fact in self.facts}

    @cached_property
    def genders(self) -> Mapping[Node, frozenset[str]]:
        """The genders that facts tell of names."""
        found: dict[Node, set[str]] = defaultdict(set)
        names = {name for name, use in self.uses.items() if use.name == "gender" and not use.turned}
        for fact in self.facts if names else ():
            if fact.relation in names and fact.object.strip():
                found[self.node(fact, fact.subject)].add(self.ontology.gender(fact.object) or same_name(fact.object))
        return {node: frozenset(said) for node, said in found.items()}

    def uses_of(self, node: Node) -> Iterator[tuple[Fact, Use, int]]:
        """The facts of a name, in order of telling, with what their relation means and the part that the name has."""
        for row, at in sorted((row, number) for number, part in enumerate(self.at.get(node, ())) for row in part.rows):
            part = self.at[node][at]
            yield self.facts[row], part.use, _turned(part)

    def node(self, fact: Fact, name: str) -> Node:
        """The name that a fact of these gives to its subject, object or place."""
        return self.nodes[self.works[fact.source_id], name]

    def kinds(self, node: Node) -> set[str]:
        """The types that the relations of its facts leave no choice about."""
        found: set[str] = set()
        for part in self.at.get(node, ()):
            relation = part.use.relation
            if part.part != PLACE and relation is not None and not part.use.is_alias:
                signature = relation.domain if _turned(part) == SUBJECT else relation.range
                found |= set(signature) if len(signature) == 1 else set()
        return found

    def scenes(self, node: Node) -> dict[tuple[str, int | None], Fact]:
        """The chapters of documents that name it, each with the first fact that does; facts without both tell no scene."""
        found: dict[tuple[str, int | None], int] = {}
        for part in self.at.get(node, ()):
            for row in part.rows:
                scene = (self.facts[row].source_id, self.facts[row].chapter)
                found[scene] = min(row, found.get(scene, row))
        return {scene: self.facts[row] for scene, row in found.items() if scene != ("", None)}

    def times(self, fact: Fact) -> tuple[Interval, ...]:
        """When it happened or held: as given, else when its chapter plays, else (where no fact gives a time) its chapter."""
        if fact.story or fact.chapter is None:
            return fact.story
        if self.clock is not None:
            return self.clock(fact.chapter)
        return () if self._has_times else (Interval(fact.chapter, fact.chapter + 1),)

    @cached_property
    def _has_times(self) -> bool:
        return any(fact.story for fact in self.facts)

    def aliases(self) -> Iterator[tuple[Node, Node, Fact]]:
        """Statements that two names are one's: the other name, the main name, the fact."""
        names = {name for name, use in self.uses.items() if use.is_alias}
        for fact in self.facts if names else ():
            if fact.relation in names and fact.object.strip():
                yield self.node(fact, fact.subject), self.node(fact, fact.object), fact

    @cached_property
    def wider_places(self) -> Mapping[str, frozenset[str]]:
        """For each place (as names are compared) the places that it is said to be inside, at any remove."""
        direct: dict[str, set[str]] = defaultdict(set)
        names = {name: use.turned for name, use in self.uses.items() if use.name == "inside"}
        for fact in self.facts if names else ():
            if fact.relation in names:
                inner, outer = (fact.object, fact.subject) if names[fact.relation] else (fact.subject, fact.object)
                direct[same_name(inner)].add(same_name(outer))
        return {place: frozenset(_reached(place, direct)) for place in direct}


def _parts(facts: Sequence[Fact], uses: Mapping[str, Use], works: Mapping[str, str]) -> Iterator[Part]:
    """Every spelling by work, relation and part."""
    tables: dict[tuple[str, str], tuple[dict[str, Part], dict[str, Part], dict[str, Part]]] = {}
    for row, fact in enumerate(facts):
        relation = fact.relation
        use, key = uses[relation], (works[fact.source_id], relation)
        table = tables.get(key)
        if table is None:
            table = tables[key] = ({}, {}, {})
        for number, name in ((SUBJECT, fact.subject), (OBJECT, fact.object if use.has_entity else ""), (PLACE, fact.place)):
            part = table[number].get(name)
            if part is not None:
                part.rows.append(row)
            elif name and not name.isspace():
                table[number][name] = Part(key[0], name, use, number, [row])
    return (part for table in tables.values() for kinds in table for part in kinds.values())


def _turned(part: Part) -> int:
    """What a name is in a fact that is read by the relation's own name."""
    return SUBJECT + OBJECT - part.part if part.use.turned and part.part != PLACE else part.part


def telling_order(chapter: int | None) -> tuple[bool, int]:
    """Sorts by chapter; what has none was told before the first."""
    return chapter is not None, chapter or 0


def _reached(place: str, direct: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [place]
    while waiting:
        new = direct.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found - {place}
