"""Rules on what two facts say of the same pair, and on which kinds of things usually stand in a relation."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from chronotope.slices.ontology.hints import vocabulary_key
from chronotope.slices.ontology.rules.rule import RELATION, TYPE, Broken, DataRule
from chronotope.slices.ontology.spans import holds, meet

if TYPE_CHECKING:
    from chronotope.slices.fact import Fact
    from chronotope.slices.ontology.known import KnownFacts

__all__ = ["Asymmetric", "Incompatible", "NotItself", "UsualTypes"]


@dataclass(frozen=True, kw_only=True)
class Asymmetric(DataRule):
    """Of two, at most one stands so to the other at one time.

    Args:
        relations: relations taken together: none of them may hold one way while one of them holds the other way.
    """

    kind: ClassVar[str] = "asymmetric"
    relations: tuple[str, ...] = field(metadata=RELATION)

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """The same the other way round at an overlapping time."""
        if known.key(fact.subject) == known.key(fact.object):
            return Broken(f"{fact.statement}: nobody and nothing stands in that relation to itself")
        for relation in self.relations:
            for other in known.of(relation, subject=fact.object, object=fact.subject):
                if other.id != fact.id and meet(holds(fact, known), holds(other, known)):
                    return Broken(f"{fact.statement} contradicts {other.statement} at the same time", (other.id,))
        return None


@dataclass(frozen=True, kw_only=True)
class NotItself(DataRule):
    """Nobody stands so to themselves.

    Args:
        relations: relations between two.
    """

    kind: ClassVar[str] = "not_itself"
    relations: tuple[str, ...] = field(metadata=RELATION)

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """Two ends that are one."""
        if known.key(fact.subject) != known.key(fact.object):
            return None
        return Broken(f"{fact.statement}: both are the same")


@dataclass(frozen=True, kw_only=True)
class Incompatible(DataRule):
    """Whoever stands in one relation is seldom in another at the same time.

    Args:
        one: relation of a subject.
        other: another relation of the same subject.
        objects: only with these objects in the other relation; empty for any.
    """

    kind: ClassVar[str] = "incompatible"
    one: str = field(metadata=RELATION)
    other: str = field(metadata=RELATION)
    objects: tuple[str, ...] = ()

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """A fact of the other relation at an overlapping time."""
        if fact.relation == self.other and not self._counts(fact):
            return None
        for met in known.of(self.other if fact.relation == self.one else self.one, subject=fact.subject):
            if met.relation == self.other and not self._counts(met):
                continue
            if met.id != fact.id and meet(holds(fact, known), holds(met, known)):
                return Broken(f"{fact.statement} does not go with {met.statement}", (met.id,))
        return None

    def _counts(self, fact: Fact) -> bool:
        return not self.objects or vocabulary_key(fact.object) in self._keys

    @cached_property
    def _keys(self) -> frozenset[str]:
        return frozenset(map(vocabulary_key, self.objects))


@dataclass(frozen=True, kw_only=True)
class UsualTypes(DataRule):
    """Which types usually stand in a relation, where its signature allows more.

    Args:
        relations: relations.
        subject: usual types of the subject; empty for any.
        object: usual types of the object; empty for any.
    """

    kind: ClassVar[str] = "usual_types"
    relations: tuple[str, ...] = field(metadata=RELATION)
    subject: tuple[str, ...] = field(default=(), metadata=TYPE)
    object: tuple[str, ...] = field(default=(), metadata=TYPE)

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """A side whose type is known and unusual."""
        for name, usual in ((fact.subject, self.subject), (fact.object, self.object)):
            told = known.type_of(name) if name and usual else ""
            if told and not any(known.ontology.is_a(told, wanted) for wanted in usual):
                return Broken(f"{fact.statement}: {name} is of type {told}, which is unusual there")
        return None
