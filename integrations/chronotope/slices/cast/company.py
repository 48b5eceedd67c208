"""With whom a name is told: what shows that two bearers are one, or that they are two."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from chronotope.slices.cast.merge import Node
from chronotope.slices.cast.told import PLACE, SUBJECT, Told

__all__ = ["Company", "company_of"]


@dataclass
class Company:
    """The other names in the facts of a bearer, each with the id of a fact.

    Args:
        beside: all of them.
        apart_from: those that a fact tells apart from it: nobody is married to himself.
        neighbours: those that strangers hardly share: no places, titles or events, and no descriptions.
    """

    beside: dict[Node, str] = field(default_factory=dict)
    apart_from: dict[Node, str] = field(default_factory=dict)
    neighbours: dict[Node, str] = field(default_factory=dict)

    @classmethod
    def joined(cls, parts: Iterable[Company]) -> Company:
        """The company of a bearer of all their names."""
        whole = cls()
        for part in parts:
            for mine, theirs in zip(whole._all, part._all, strict=True):
                for node, fact in theirs.items():
                    mine[node] = min(fact, mine.get(node, fact))
        return whole

    @property
    def _all(self) -> tuple[dict[Node, str], ...]:
        return self.beside, self.apart_from, self.neighbours


def company_of(node: Node, told: Told) -> Company:
    """With whom the facts tell one name."""
    company = Company()
    for fact, use, part in told.uses_of(node):
        if part == PLACE or not use.has_entity or use.is_alias or not fact.object.strip():
            continue
        one, other = told.node(fact, fact.subject), told.node(fact, fact.object)
        other = one if other == node else other
        if other == node:
            continue
        company.beside.setdefault(other, fact.id)
        if use.tells_two:
            company.apart_from.setdefault(other, fact.id)
        is_setting = use.object_is_setting if part == SUBJECT else use.subject_is_setting
        if not is_setting and not told.form(other).is_description:
            company.neighbours.setdefault(other, fact.id)
    return company
