"""What the rules say of one fact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Outcome", "Penalty", "Verdict", "Violation"]

Outcome: TypeAlias = Literal["accepted", "low_confidence", "rejected"]


@dataclass(frozen=True)
class Violation:
    """A hard rule that a fact breaks.

    Args:
        rule: name of the rule.
        reason: one sentence that names who and what; it is what a model is told.
        against: ids of the known facts that it contradicts.
    """

    rule: str
    reason: str
    against: tuple[str, ...] = ()


@dataclass(frozen=True)
class Penalty:
    """A soft rule that a fact offends.

    Args:
        rule: name of the rule.
        reason: one sentence.
        amount: how much it weighs, above 0.
    """

    rule: str
    reason: str
    amount: float


@dataclass(frozen=True)
class Verdict:
    """What the rules of an ontology say of one fact.

    Args:
        violations: hard rules that it breaks; one is enough to reject it.
        penalties: soft rules that it offends.
        threshold: sum of penalties above which a fact is doubted.

    Source: NS-ST-GraphRAG, figure 2.

    >>> Verdict(penalties=(Penalty("age_gap", "Ann is 60 years older than Tom", 0.6),), threshold=0.5).outcome
    'low_confidence'
    """

    violations: tuple[Violation, ...] = ()
    penalties: tuple[Penalty, ...] = ()
    threshold: float = 1.0

    @property
    def penalty(self) -> float:
        """The sum of the penalties."""
        return sum(penalty.amount for penalty in self.penalties)

    @property
    def outcome(self) -> Outcome:
        """`rejected` with any violation, `low_confidence` with penalties above the threshold, else `accepted`."""
        if self.violations:
            return "rejected"
        return "low_confidence" if self.penalty > self.threshold else "accepted"
