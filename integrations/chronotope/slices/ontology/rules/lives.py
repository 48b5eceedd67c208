"""Rules of life and death: who does not live does not act, and old news is doubted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from chronotope.slices.ontology.rules.rule import RELATION, Broken, DataRule
from chronotope.slices.ontology.spans import given, surely_after, surely_before, years_between

if TYPE_CHECKING:
    from chronotope.slices.fact import Fact
    from chronotope.slices.ontology.known import KnownFacts
    from chronotope.slices.ontology.vocabulary import Ontology

__all__ = ["NotAfterDeath", "NotBeforeBirth", "ToldLate"]


def _watched(relations: tuple[str, ...], ontology: Ontology) -> frozenset[str]:
    return frozenset(relations) or frozenset(name for name, relation in ontology.relations.items() if relation.acts)


def _living(fact: Fact, known: KnownFacts) -> tuple[str, ...]:
    """Who must live for a fact to be so."""
    both = known.ontology.relations[fact.relation].symmetric and fact.object
    return (fact.subject, fact.object) if both else (fact.subject,)


@dataclass(frozen=True, kw_only=True)
class NotAfterDeath(DataRule):
    """The dead do not act.

    A fact breaks it when it surely starts after the end of a death in the story's own time. Nobody comes back to life, and what is
    told late of the time before is no contradiction.

    Args:
        died: the event of a death.
        relations: what the dead do not do; empty for all relations that act.
    """

    kind: ClassVar[str] = "not_after_death"
    died: str = field(default="died", metadata=RELATION)
    relations: tuple[str, ...] = field(default=(), metadata=RELATION)

    def watches(self, ontology: Ontology) -> frozenset[str]:
        """Deaths and deeds."""
        return _watched(self.relations, ontology) | {self.died}

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """A deed after the death of who does it."""
        if fact.relation == self.died:
            deeds = _watched(self.relations, known.ontology) - {self.died}
            key = known.key(fact.subject)
            for deed in known.about(fact.subject):
                if deed.relation in deeds and key in map(known.key, _living(deed, known)) and self._late(deed, fact, known):
                    return Broken(f"{fact.subject} died before {deed.statement}", (deed.id,))
            return None
        for name in _living(fact, known):
            for death in known.of(self.died, subject=name):
                if self._late(fact, death, known):
                    return Broken(f"{name} was dead when this is told to be: {fact.statement}", (death.id,))
        return None

    def _late(self, deed: Fact, death: Fact, known: KnownFacts) -> bool:
        return deed.id != death.id and surely_after(deed, known.times(deed), death, known.times(death))


@dataclass(frozen=True, kw_only=True)
class NotBeforeBirth(DataRule):
    """Nobody acts before they are born.

    Only a birth whose time the text gives counts: one without is mostly told long after it.

    Args:
        born: the event of a birth.
        relations: what those not born do not do; empty for all relations that act.
    """

    kind: ClassVar[str] = "not_before_birth"
    born: str = field(default="born", metadata=RELATION)
    relations: tuple[str, ...] = field(default=(), metadata=RELATION)

    def watches(self, ontology: Ontology) -> frozenset[str]:
        """Births and deeds."""
        return _watched(self.relations, ontology) | {self.born}

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """A deed before the birth of who does it."""
        if fact.relation == self.born:
            deeds = _watched(self.relations, known.ontology) - {self.born}
            key = known.key(fact.subject)
            for deed in known.about(fact.subject) if given(fact) else ():
                if deed.relation in deeds and key in map(known.key, _living(deed, known)) and self._early(deed, fact, known):
                    return Broken(f"{fact.subject} was not born yet when this is told to be: {deed.statement}", (deed.id,))
            return None
        for name in _living(fact, known):
            for birth in known.of(self.born, subject=name):
                if self._early(fact, birth, known):
                    return Broken(f"{name} was not born yet when this is told to be: {fact.statement}", (birth.id,))
        return None

    def _early(self, deed: Fact, birth: Fact, known: KnownFacts) -> bool:
        return deed.id != birth.id and surely_before(deed, known.times(deed), birth, given(birth))


@dataclass(frozen=True, kw_only=True)
class ToldLate(DataRule):
    """What is told long after it was is doubted.

    Args:
        relations: events.
        years: time between the event and the chapter that tells it from which on it is doubted.
        ticks_per_year: length of a year on an axis of ticks; 0 leaves such an axis alone.
    """

    kind: ClassVar[str] = "told_late"
    relations: tuple[str, ...] = field(metadata=RELATION)
    years: float
    ticks_per_year: int = 0

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """A chapter that surely plays so many years later."""
        if fact.chapter is None:
            return None
        for told in known.plays(fact.chapter):
            for time in given(fact):
                least, _ = years_between(time, told, self.ticks_per_year)
                if least is not None and least > self.years:
                    return Broken(f"{fact.statement} is told {least:.0f} years after it")
        return None
