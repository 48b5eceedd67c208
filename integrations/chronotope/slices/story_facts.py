"""What comes of checking the facts of a story: those that stand, and a log of those that do not, with all that was said of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from chronotope.records import Extraction
from chronotope.slices.axis import StoryAxis
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.ontology.verdict import Verdict

__all__ = ["Exchange", "StoryFacts", "Uncertain", "UncertainOutcome"]

UncertainOutcome: TypeAlias = Literal["rejected", "withdrawn"]


@dataclass(frozen=True)
class Exchange:
    """One round of repair of one fact.

    Args:
        round: from 1.
        asked: what the model was told of the fact: its words, and each rule with the reason.
        replied: what the model answered of it, as JSON; empty when it said nothing of it, or nothing acceptable.
        verdict: what the rules said of the fact after the reply; None when the model withdrew it.
    """

    round: int
    asked: str
    replied: str
    verdict: Verdict | None


@dataclass(frozen=True)
class Uncertain:
    """A fact that was kept out of the graph.

    Args:
        fact: the fact as it was last told.
        verdict: why it was kept out, or what the rules said of it when the model withdrew it.
        history: the rounds of repair; empty where nobody was asked.
        outcome: `rejected` by a rule, or `withdrawn` by the model.

    Source: NS-ST-GraphRAG, figure 2.
    """

    fact: Fact
    verdict: Verdict
    history: tuple[Exchange, ...] = ()
    outcome: UncertainOutcome = "rejected"


@dataclass(frozen=True)
class StoryFacts(Extraction[Fact]):
    """Checked facts of a story.

    Args:
        items: facts that stand, in the order of telling; those that soft rules doubt have low confidence.
        issues: one for each thing that is not as it should be.
        uncertain: facts that were kept out, in the order of telling.
        entities: what is known of persons and places beside the facts.
        axis: when chapters play; None where nothing tells.
    """

    uncertain: tuple[Uncertain, ...] = ()
    entities: tuple[Entity, ...] = ()
    axis: StoryAxis | None = None

    def __repr__(self) -> str:
        """Counts: a thousand facts have to fit on a screen."""
        low = sum(fact.confidence == "low" for fact in self.items)
        told = f"{len(self.items)} facts ({low} low-confidence), {len(self.uncertain)} uncertain, {len(self.entities)} entities"
        return f"StoryFacts({told}, {len(self.issues)} issues)"
