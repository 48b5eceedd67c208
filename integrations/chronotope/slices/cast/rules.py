"""What forbids that two bearers are one, judged on everything that is known of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chronotope.slices.cast.company import Company
from chronotope.slices.cast.merge import Node
from chronotope.slices.cast.profile import During, Profile, overlapping
from chronotope.slices.cast.told import Told

__all__ = ["Bearer", "Forbidden", "forbids"]


@dataclass(frozen=True)
class Forbidden:
    """A rule by which two bearers cannot be one.

    Args:
        rule: its name.
        reason: one clause that tells what speaks against it.
    """

    rule: str
    reason: str


@dataclass(frozen=True)
class Bearer:
    """One of two that may be the same.

    Args:
        names: all of its names.
        genders: as facts, titles and descriptions tell.
        company: with whom it is told.
        known: what else facts tell of it.
    """

    names: frozenset[Node]
    genders: frozenset[str]
    company: Company
    known: Profile


def forbids(one: Bearer, other: Bearer, told: Told, root: Callable[[Node], Node], *, weak: bool) -> Forbidden | None:
    """The rule by which two bearers cannot be one, or None.

    Args:
        one: a bearer with all of its names, so that no chain of merges gets round a rule.
        other: another.
        told: the facts.
        root: one name for all names of a bearer.
        weak: True where no text says that they are one; then any fact that has both speaks against it.
    """
    return (
        _genders(one.genders, other.genders)
        or _death(one, other, told)
        or _death(other, one, told)
        or _two_of_a_fact(one, other, told, weak=weak)
        or _two_places(one.known, other.known, told, root)
        or _two_values(one.known, other.known, told, root)
    )


def _genders(one: frozenset[str], other: frozenset[str]) -> Forbidden | None:
    if one and other and one.isdisjoint(other):
        return Forbidden("gender", f"one is {_listed(one)} and the other {_listed(other)}")
    return None


def _death(one: Bearer, other: Bearer, told: Told) -> Forbidden | None:
    death, act = one.known.death, other.known.last_act
    if death is None or act is None or act[0] < death[0]:
        return None
    return Forbidden("dead", f"one is dead ({_quoted(told, death[1])}) before the other acts ({_quoted(told, act[1])})")


def _two_of_a_fact(one: Bearer, other: Bearer, told: Told, *, weak: bool) -> Forbidden | None:
    linked = one.company.beside if weak else one.company.apart_from
    facts = [fact for node, fact in linked.items() if node in other.names]
    return Forbidden("two_of_a_fact", f"a fact is about both ({_quoted(told, min(facts))})") if facts else None


def _two_places(one: Profile, other: Profile, told: Told, root: Callable[[Node], Node]) -> Forbidden | None:
    def apart(mine: During, theirs: During) -> bool:
        here, there = mine.what[1], theirs.what[1]
        inside = there in told.wider_places.get(here, ()) or here in told.wider_places.get(there, ())
        return root(mine.what) != root(theirs.what) and here != there and not inside

    clash = next((pair for pair in overlapping(one.presences, other.presences) if apart(*pair)), None)
    return clash and Forbidden("two_places", f"they are in two places at one time ({_both(told, clash)})")


def _two_values(one: Profile, other: Profile, told: Told, root: Callable[[Node], Node]) -> Forbidden | None:
    for relation in sorted(one.values.keys() & other.values.keys()):
        for pair in overlapping(one.values[relation], other.values[relation]):
            if root(pair[0].what) != root(pair[1].what):
                return Forbidden(
                    "functional", f"{relation.replace('_', ' ')} would have two values at one time ({_both(told, pair)})"
                )
    return None


def _both(told: Told, pair: tuple[During, During]) -> str:
    return " and ".join(_quoted(told, item.fact) for item in pair)


def _quoted(told: Told, fact: str) -> str:
    found = told.fact(fact)
    where = "" if found.chapter is None else f", chapter {found.chapter}"
    return f"{found.statement!r}{where}"


def _listed(words: frozenset[str]) -> str:
    return " and ".join(sorted(words))
