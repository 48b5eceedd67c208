"""What a model says of a window of a story, and of facts that broke a rule; and the prompts that ask for it."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, Field

from chronotope.prompts import Prompt

__all__ = ["REPAIR_FACTS", "STORY_FACTS", "Mend", "Mends", "ProposedEntity", "ProposedFact", "ProposedOrder", "StoryProposals"]


class ProposedFact(BaseModel):
    """One fact: who stands in which relation to whom, the words that tell it, and when and where it was."""

    subject: str
    relation: str
    object: str = ""
    quote: str
    when: str | None = None
    place: str | None = None
    recalled: bool = False


class ProposedEntity(BaseModel):
    """The type of a name."""

    name: str
    type: str


class ProposedOrder(BaseModel):
    """That a chapter or an event lies before, after or during another, and how far."""

    one: str
    relation: str
    other: str
    offset: str | None = None
    quote: str


class StoryProposals(BaseModel):
    """What a window tells."""

    facts: list[ProposedFact] = Field(default_factory=list)
    entities: list[ProposedEntity] = Field(default_factory=list)
    order: list[ProposedOrder] = Field(default_factory=list)


class Mend(BaseModel):
    """What becomes of one fact that broke a rule: withdrawn, or told anew; what is left out stays as it was."""

    number: int
    withdraw: bool = False
    subject: str | None = None
    relation: str | None = None
    object: str | None = None
    quote: str | None = None
    when: str | None = None
    place: str | None = None
    recalled: bool | None = None


class Mends(BaseModel):
    """What becomes of the facts that broke a rule."""

    facts: list[Mend] = Field(default_factory=list)


STORY_FACTS: Final = Prompt.load("chronotope.slices", "story_facts", StoryProposals)
REPAIR_FACTS: Final = Prompt.load("chronotope.slices", "repair_facts", Mends)
