"""Rules of number: at most so many at once, and what can happen only once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from chronotope.slices.ontology.rules.rule import RELATION, Broken, DataRule
from chronotope.slices.ontology.spans import given, holds, is_rough, meet
from chronotope.slices.story_time import axis_of
from chronotope.temporal.interval import Interval

if TYPE_CHECKING:
    from chronotope.slices.fact import Fact
    from chronotope.slices.ontology.known import KnownFacts

__all__ = ["AtMost", "Once"]


@dataclass(frozen=True, kw_only=True)
class AtMost(DataRule):
    """Nobody has more than so many at one time.

    Args:
        relations: relations counted together.
        count: how many different ones are allowed at one time.
        per: whose they are: an `object` may have so many subjects, or a `subject` so many objects. Of a symmetric relation,
            both sides are asked.
    """

    kind: ClassVar[str] = "at_most"
    relations: tuple[str, ...] = field(metadata=RELATION)
    count: int = 1
    per: Literal["object", "subject"] = "object"

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """More than so many others at a moment at which the fact holds."""
        owners = [fact.object if self.per == "object" else fact.subject]
        if known.ontology.relations[fact.relation].symmetric:
            owners = [fact.subject, fact.object]
        for owner in owners:
            others = self._others(owner, fact, known)
            if len(others) >= self.count and (crowd := self._crowd(fact, others, known)):
                names = ", ".join(_other(owner, other, known) for other in crowd)
                most = f"more than {self.count}" if self.count > 1 else "a second"
                reason = f"{fact.statement} would be {most} for {owner}, beside {names}"
                return Broken(reason, tuple(other.id for other in crowd))
        return None

    def _others(self, owner: str, fact: Fact, known: KnownFacts) -> dict[str, list[Fact]]:
        mine = known.key(_other(owner, fact, known))
        found: dict[str, list[Fact]] = {}
        for relation in self.relations:
            told = known.of(relation, object=owner) if self.per == "object" else known.of(relation, subject=owner)
            for other in told:
                key = known.key(_other(owner, other, known))
                if key != mine and other.id != fact.id:
                    found.setdefault(key, []).append(other)
        return found

    def _crowd(self, fact: Fact, others: dict[str, list[Fact]], known: KnownFacts) -> list[Fact]:
        """One fact for each of those who are there together at a moment of the fact; empty where they are not too many."""
        mine = holds(fact, known)
        times = {other.id: holds(other, known) for told in others.values() for other in told}
        with_me = [other for told in others.values() for other in told if meet(mine, times[other.id])]
        starts = [time for other in with_me for time in times[other.id]] + list(mine)
        for start in starts:
            moment = [_first(start)]
            there: dict[str, Fact] = {}
            for key, told in others.items():
                at = [other for other in told if meet(moment, times[other.id]) and meet(mine, times[other.id])]
                there.update({key: at[0]} if at else {})
            if meet(moment, mine) and len(there) >= self.count:
                return list(there.values())
        return []


def _first(time: Interval) -> Interval:
    return time if time.start is None else type(time)(time.start, time.start + 1)


def _other(owner: str, fact: Fact, known: KnownFacts) -> str:
    return fact.object if known.key(fact.subject) == known.key(owner) else fact.subject


@dataclass(frozen=True, kw_only=True)
class Once(DataRule):
    """What happens to somebody only once.

    Only exact times that a text gives count: a chapter may tell again of an old event, and may say roughly when it was.

    Args:
        relations: events.
    """

    kind: ClassVar[str] = "once"
    relations: tuple[str, ...] = field(metadata=RELATION)

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """The same event at another time."""
        mine = () if is_rough(fact) else given(fact)
        for other in known.of(fact.relation, subject=fact.subject) if mine else ():
            times = () if is_rough(other) else given(other)
            if other.id != fact.id and times and axis_of(times[0]) == axis_of(mine[0]) and not meet(mine, times):
                return Broken(f"{fact.statement}: this happens only once, and is known for another time", (other.id,))
        return None
