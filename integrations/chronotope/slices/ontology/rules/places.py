"""The rule that one body is in one place at one time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from chronotope.slices.ontology.bodies import LONGEST_SECONDS, moments, people, told_place
from chronotope.slices.ontology.rules.rule import RELATION, Broken, DataRule
from chronotope.temporal.interval import Interval, TimeInterval

if TYPE_CHECKING:
    from chronotope.slices.fact import Fact
    from chronotope.slices.ontology.known import KnownFacts
    from chronotope.slices.ontology.vocabulary import Ontology

__all__ = ["OnePlace"]

_HOUR = 3_600  # seconds


@dataclass(frozen=True, kw_only=True)
class OnePlace(DataRule):
    """Nobody is in two places at once.

    Two facts that put a body somewhere are compared when the text gives both a time that is one moment: a single tick, or a stretch
    of dates of at most some hours. A day is long enough to walk, a chapter too. Places of which one contains the other agree.

    Args:
        inside: the relation of a place to the one that contains it.
        longest_hours: length up to which a stretch of dates is one moment; at most 24.
        shortest_hours: pairs whose longer stretch is no longer than this are left to another rule, as a soft rule on whole days
            leaves hours to the hard one.
    """

    kind: ClassVar[str] = "one_place"
    inside: str = field(default="inside", metadata=RELATION)
    longest_hours: float = 1.0
    shortest_hours: float = 0.0

    def watches(self, ontology: Ontology) -> frozenset[str]:
        """All relations that put a body somewhere."""
        return frozenset(name for name, relation in ontology.relations.items() if relation.places)

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """Another place at the same moment."""
        ontology = known.ontology
        relation = ontology.relations[fact.relation]
        place = told_place(fact, relation, ontology)
        if not place:
            return None
        for moment in moments(fact):
            for name in dict.fromkeys(people(fact, relation, ontology)):
                for other in known.present(name, moment):
                    there = told_place(other, ontology.relations[other.relation], ontology)
                    if other.id != fact.id and self._clash(moment, other) and self._apart(place, there, known):
                        return Broken(f"{name} would be in {place} and in {there} at the same time", (other.id,))
        return None

    def _clash(self, moment: Interval, other: Fact) -> bool:
        return any(moment.overlaps(time) and self._counts(moment, time) for time in moments(other) if type(time) is type(moment))

    def _counts(self, one: Interval, other: Interval) -> bool:
        longest = max(one.length or 0, other.length or 0)
        if not isinstance(one, TimeInterval):
            return self.shortest_hours == 0
        return self.shortest_hours * _HOUR < longest <= min(self.longest_hours * _HOUR, LONGEST_SECONDS)

    def _apart(self, one: str, other: str, known: KnownFacts) -> bool:
        return known.key(other) not in self._around(one, known) and known.key(one) not in self._around(other, known)

    def _around(self, place: str, known: KnownFacts) -> set[str]:
        found, waiting = {known.key(place)}, [place]
        while waiting:
            for step in known.of(self.inside, subject=waiting.pop()):
                if known.key(step.object) not in found:
                    found.add(known.key(step.object))
                    waiting.append(step.object)
        return found
