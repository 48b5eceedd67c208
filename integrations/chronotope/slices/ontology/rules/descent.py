"""Rules of order: nobody is above themselves, and parents are born first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from chronotope.slices.ontology.rules.rule import RELATION, Broken, DataRule
from chronotope.slices.ontology.spans import given, surely_after

if TYPE_CHECKING:
    from chronotope.slices.fact import Fact
    from chronotope.slices.ontology.known import KnownFacts

__all__ = ["Acyclic", "BirthOrder"]

_SHOWN = 6  # steps of a circle that a reason tells one by one


@dataclass(frozen=True, kw_only=True)
class Acyclic(DataRule):
    """Nobody is above themselves, over any number of steps.

    Args:
        relations: relations that lead one step up or down.
        above: which side of such a fact is the upper one, as the parent of a child or the garden of a bower.
    """

    kind: ClassVar[str] = "acyclic"
    relations: tuple[str, ...] = field(metadata=RELATION)
    above: Literal["subject", "object"] = "subject"

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """A way up from the upper end to the lower one."""
        upper, lower = (fact.subject, fact.object) if self.above == "subject" else (fact.object, fact.subject)
        if known.key(upper) == known.key(lower):
            return Broken(f"{fact.statement}: nobody and nothing stands in that relation to itself")
        way = self._way_up(upper, lower, fact.id, known) if self._meets(upper, lower, fact.id, known) else None
        if way is None:
            return None
        more = f"; and {len(way) - _SHOWN} more" if len(way) > _SHOWN else ""
        told = "; ".join(step.statement for step in way[:_SHOWN]) + more
        return Broken(f"{fact.statement} would close a circle: {told}", tuple(step.id for step in way))

    def _meets(self, upper: str, lower: str, own: str, known: KnownFacts) -> bool:
        """True when a way up from the upper end reaches the lower one.

        Both ends are followed side by side, and the shorter settles it: a long line of descent told in order costs one step a fact.
        """
        top, bottom = known.key(upper), known.key(lower)
        ways = zip(self._reached(upper, own, known, up=True), self._reached(lower, own, known, up=False), strict=False)
        return any(above == bottom or below == top for above, below in ways)

    def _reached(self, start: str, own: str, known: KnownFacts, *, up: bool) -> Iterator[str]:
        """Keys of all that lies above a name, or below it, the nearest first."""
        seen, waiting = {known.key(start)}, deque([start])
        while waiting:
            for step in self._steps(waiting.popleft(), known, up=up):
                name = step.subject if up == (self.above == "subject") else step.object
                key = known.key(name)
                if step.id != own and key not in seen:
                    seen.add(key)
                    waiting.append(name)
                    yield key

    def _way_up(self, start: str, goal: str, own: str, known: KnownFacts) -> list[Fact] | None:
        wanted, first = known.key(goal), known.key(start)
        came: dict[str, tuple[str, Fact] | None] = {first: None}
        waiting = deque([start])
        while waiting:
            name = waiting.popleft()
            for step in self._steps(name, known, up=True):
                upper = step.subject if self.above == "subject" else step.object
                above = known.key(upper)
                if step.id == own or above in came:
                    continue
                came[above] = (known.key(name), step)
                if above == wanted:
                    return _back(above, came)
                waiting.append(upper)
        return None

    def _steps(self, name: str, known: KnownFacts, *, up: bool) -> list[Fact]:
        side = "object" if up == (self.above == "subject") else "subject"
        return [step for relation in self.relations for step in known.of(relation, **{side: name})]


def _back(key: str, came: dict[str, tuple[str, Fact] | None]) -> list[Fact]:
    way: list[Fact] = []
    while (step := came[key]) is not None:
        way.append(step[1])
        key = step[0]
    return way


@dataclass(frozen=True, kw_only=True)
class BirthOrder(DataRule):
    """Parents are born before their children.

    Only times that a text gives count: a birth without one is mostly told long after it.

    Args:
        relations: relations from a parent to a child.
        born: the event of a birth.
    """

    kind: ClassVar[str] = "birth_order"
    relations: tuple[str, ...] = field(metadata=RELATION)
    born: str = field(default="born", metadata=RELATION)

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """A parent who is surely born after the child."""
        if fact.relation != self.born:
            return self._judged(fact, known.of(self.born, subject=fact.subject), known.of(self.born, subject=fact.object))
        for relation in self.relations:
            for link in known.of(relation, object=fact.subject):
                if broken := self._judged(link, known.of(self.born, subject=link.subject), [fact], link):
                    return broken
            for link in known.of(relation, subject=fact.subject):
                if broken := self._judged(link, [fact], known.of(self.born, subject=link.object), link):
                    return broken
        return None

    def _judged(self, link: Fact, parents: list[Fact], children: list[Fact], *against: Fact) -> Broken | None:
        for parent in parents:
            for child in children:
                if surely_after(parent, given(parent), child, given(child)):
                    ids = tuple(told.id for told in (*against, parent, child))
                    return Broken(f"{link.subject} is born after {link.object}, so {link.statement} cannot be", ids)
        return None
