"""The rule that what is told of somebody agrees on their gender."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from chronotope.slices.ontology.rules.rule import RELATION, Broken, DataRule

if TYPE_CHECKING:
    from chronotope.slices.fact import Fact
    from chronotope.slices.ontology.known import KnownFacts

__all__ = ["OneGender"]


@dataclass(frozen=True, kw_only=True)
class OneGender(DataRule):
    """A title, and whatever else tells a gender, agrees with what is known of who holds it.

    Args:
        gender: the relation that tells it outright.
        titles: the relation of those who hold titles; the ontology lists the gender of each.
        implies: other relations, each with the gender of its subject.
        free: genders that go with every title.
    """

    kind: ClassVar[str] = "one_gender"
    gender: str = field(default="gender", metadata=RELATION)
    titles: str = field(default="holds_title", metadata=RELATION)
    implies: tuple[tuple[str, str], ...] = field(default=(), metadata=RELATION)
    free: tuple[str, ...] = ()

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """Another gender than the one that the fact tells."""
        mine = self._told(fact, known)
        if not mine or mine in self.free:
            return None
        for gender, why, against in self._others(fact, known):
            if gender and gender != mine and gender not in self.free:
                return Broken(f"{fact.statement} makes {fact.subject} {mine}, but {why} {gender}", against)
        return None

    def _others(self, fact: Fact, known: KnownFacts) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        yield known.described_gender(fact.subject), f"{fact.subject} is described as", ()
        for relation in (self.gender, self.titles):
            for other in known.of(relation, subject=fact.subject):
                if other.id != fact.id:
                    yield self._told(other, known), f"{other.statement} means", (other.id,)
        for relation, gender in self.implies:
            others = (told for told in known.of(relation, subject=fact.subject) if told.id != fact.id)
            first = next(others, None)
            if first is not None:  # all of one relation mean the same gender
                yield gender, f"{first.statement} means", (first.id,)

    def _told(self, fact: Fact, known: KnownFacts) -> str:
        if fact.relation == self.gender:
            return known.ontology.gender(fact.object)
        if fact.relation == self.titles:
            return known.ontology.title_gender(fact.object)
        return dict(self.implies).get(fact.relation, "")
