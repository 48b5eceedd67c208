"""Rules of age, where births and other events have times that a text gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from chronotope.slices.ontology.rules.rule import RELATION, Broken, DataRule
from chronotope.slices.ontology.spans import given, years_between

if TYPE_CHECKING:
    from chronotope.slices.fact import Fact
    from chronotope.slices.ontology.known import KnownFacts
    from chronotope.temporal.interval import Interval

__all__ = ["AgeAtBirth", "AgeAtStart"]


def _strange(born: Interval, then: Interval, least: float, most: float, ticks_per_year: int) -> str:
    """What is strange about an age, in words; empty where nothing surely is."""
    youngest, oldest = years_between(born, then, ticks_per_year)
    if oldest is not None and oldest < least:
        return f"younger than {least:g}"
    return f"older than {most:g}" if youngest is not None and youngest > most else ""


@dataclass(frozen=True, kw_only=True)
class AgeAtBirth(DataRule):
    """How old a parent is when a child is born.

    Args:
        relations: relations from a parent to a child.
        least: years below which it is doubted.
        most: years above which it is doubted.
        born: the event of a birth.
        ticks_per_year: length of a year on an axis of ticks; 0 leaves such an axis alone, since its ticks may only give the order.
    """

    kind: ClassVar[str] = "age_at_birth"
    relations: tuple[str, ...] = field(metadata=RELATION)
    least: float = 0.0
    most: float = 1_000.0
    born: str = field(default="born", metadata=RELATION)
    ticks_per_year: int = 0

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """An age that is surely beyond the bounds."""
        if fact.relation != self.born:
            return self._judged(fact, known.of(self.born, subject=fact.subject), known.of(self.born, subject=fact.object))
        for relation in self.relations:
            for link in known.of(relation, object=fact.subject):
                if broken := self._judged(link, known.of(self.born, subject=link.subject), [fact]):
                    return broken
            for link in known.of(relation, subject=fact.subject):
                if broken := self._judged(link, [fact], known.of(self.born, subject=link.object)):
                    return broken
        return None

    def _judged(self, link: Fact, parents: list[Fact], children: list[Fact]) -> Broken | None:
        for parent in parents:
            for child in children:
                pairs = ((one, other) for one in given(parent) for other in given(child))
                strange = {_strange(one, other, self.least, self.most, self.ticks_per_year) for one, other in pairs}
                if strange and "" not in strange:
                    how = min(strange)
                    return Broken(f"{link.subject} would be {how} at the birth of {link.object}", (parent.id, child.id))
        return None


@dataclass(frozen=True, kw_only=True)
class AgeAtStart(DataRule):
    """How old somebody is when a relation of theirs begins.

    Args:
        relations: relations; of symmetric ones, both sides are asked.
        least: years below which it is doubted.
        most: years above which it is doubted.
        born: the event of a birth.
        ticks_per_year: length of a year on an axis of ticks; 0 leaves such an axis alone.
    """

    kind: ClassVar[str] = "age_at_start"
    relations: tuple[str, ...] = field(metadata=RELATION)
    least: float = 0.0
    most: float = 1_000.0
    born: str = field(default="born", metadata=RELATION)
    ticks_per_year: int = 0

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """An age that is surely beyond the bounds."""
        if fact.relation != self.born:
            both = known.ontology.relations[fact.relation].symmetric
            for name in (fact.subject, fact.object) if both else (fact.subject,):
                for birth in known.of(self.born, subject=name):
                    if broken := self._judged(name, birth, fact, birth.id):
                        return broken
            return None
        for relation in self.relations:
            for link in known.of(relation, subject=fact.subject):
                if broken := self._judged(fact.subject, fact, link, link.id):
                    return broken
        return None

    def _judged(self, name: str, birth: Fact, link: Fact, against: str) -> Broken | None:
        beginnings = [_beginning(time) for time in given(link)]
        pairs = ((one, other) for one in given(birth) for other in beginnings)
        strange = {_strange(one, other, self.least, self.most, self.ticks_per_year) for one, other in pairs}
        if not strange or "" in strange:
            return None
        return Broken(f"{name} would be {min(strange)} when this begins: {link.statement}", (against,))


def _beginning(time: Interval) -> Interval:
    return time if time.start is None else type(time)(time.start, time.start)
