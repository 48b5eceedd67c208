"""What a story graph holds between two entities: a relation, when and where it is so, and the facts behind it."""

from __future__ import annotations

from dataclasses import dataclass

from chronotope.slices.ontology.ontology import Kind
from chronotope.temporal.interval import Interval

__all__ = ["Edge", "Ending"]


@dataclass(frozen=True, kw_only=True)
class Ending:
    """Why a state ends before the end of the story: the fact that ends it, and the rule that says so.

    Args:
        fact: id of the fact.
        rule: name of the rule.
        at: first tick (or second, on the axis of dates) at which the state no longer is.
    """

    fact: str
    rule: str
    at: int


@dataclass(frozen=True, kw_only=True)
class Edge:
    """A relation between two entities.

    Args:
        subject: id of an entity.
        relation: name of a relation.
        object: id of an entity, or a value; empty where the relation has none.
        kind: a state, an event, or a fact outside time.
        validity: when it holds or happens in the story (τ): sorted, disjoint, touching ones joined. Empty where nothing tells when;
            for facts outside time it is the whole axis.
        chapters: numbers of the chapters that tell it, ascending.
        places: where it is told to be so.
        facts: ids of the facts behind it, in the order of telling.
        low_confidence: True when soft rules doubt every one of them.
        endings: what ended it.

    Source: NS-ST-GraphRAG, figure 3.
    """

    subject: str
    relation: str
    object: str = ""
    kind: Kind = "state"
    validity: tuple[Interval, ...] = ()
    chapters: tuple[int, ...] = ()
    places: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    low_confidence: bool = False
    endings: tuple[Ending, ...] = ()

    @property
    def key(self) -> tuple[str, str, str]:
        """Subject, relation, object: what names an edge."""
        return self.subject, self.relation, self.object
