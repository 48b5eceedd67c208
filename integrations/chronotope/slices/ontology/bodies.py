"""Where somebody surely is at a moment: told presences by person and moment, found without a look at the others."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import TYPE_CHECKING

from chronotope.slices.ontology.spans import given, is_rough
from chronotope.slices.story_time import axis_of
from chronotope.temporal.interval import Interval, TimeInterval

if TYPE_CHECKING:
    from chronotope.slices.fact import Fact
    from chronotope.slices.ontology.ontology import Relation
    from chronotope.slices.ontology.vocabulary import Ontology

__all__ = ["LONGEST_SECONDS", "Bodies", "moments", "told_place"]

LONGEST_SECONDS = 86_400


def moments(fact: Fact) -> tuple[Interval, ...]:
    """Times of a fact that are short enough to be one moment: a single tick, or at most a day.

    Times that only the chapter gives are none: somebody may walk far within a chapter. Nor are ticks that words put there roughly.
    """
    return (
        ()
        if is_rough(fact)
        else tuple(time for time in given(fact) if (length := time.length) is not None and length <= _longest(time))
    )


def _longest(time: Interval) -> int:
    return LONGEST_SECONDS if isinstance(time, TimeInterval) else 1


def told_place(fact: Fact, relation: Relation, ontology: Ontology) -> str:
    """Where a fact puts its people: its object where the relation says so of a place, else the place where it happens."""
    return fact.object if fact.object and relation.name in ontology.told_in_place else fact.place


def people(fact: Fact, relation: Relation, ontology: Ontology) -> tuple[str, ...]:
    """Whose bodies a fact puts somewhere."""
    object_too = fact.object and (relation.symmetric or relation.name in ontology.told_of_people)
    return (fact.subject, fact.object) if object_too else (fact.subject,)


class Bodies:
    """Presences by person and moment.

    Args:
        ontology: says which relations put a body somewhere.
    """

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._starts: dict[tuple[str, str], list[tuple[int, str]]] = {}

    def add(self, fact: Fact, keys: dict[str, str]) -> None:
        """Take a fact in; `keys` are those of its people."""
        for where, entry in self._entries(fact, keys):
            insort(self._starts.setdefault(where, []), entry)

    def remove(self, fact: Fact, keys: dict[str, str]) -> None:
        """Take a fact out again."""
        for where, entry in self._entries(fact, keys):
            held = self._starts[where]
            del held[bisect_left(held, entry)]
            if not held:
                del self._starts[where]

    def near(self, key: str, moment: Interval) -> Iterator[str]:
        """Ids of facts that put a person somewhere at about that moment."""
        held = self._starts.get((axis_of(moment), key), [])
        if moment.start is None or moment.end is None:
            return
        for at in range(bisect_left(held, (moment.start - _longest(moment), "")), len(held)):
            if held[at][0] >= moment.end:
                return
            yield held[at][1]

    def _entries(self, fact: Fact, keys: dict[str, str]) -> Iterator[tuple[tuple[str, str], tuple[int, str]]]:
        relation = self._ontology.relations[fact.relation]
        if relation.places and told_place(fact, relation, self._ontology):
            for key in dict.fromkeys(keys[name] for name in people(fact, relation, self._ontology)):
                for moment in moments(fact):
                    yield (axis_of(moment), key), (moment.start or 0, fact.id)
