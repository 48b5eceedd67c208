"""What a model says of a window of a story, and of facts that broke a rule; and the prompts that ask for it."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel, Field, model_validator

from chronotope.prompts import Prompt

__all__ = ["REPAIR_FACTS", "STORY_FACTS", "Mend", "Mends", "ProposedEntity", "ProposedFact", "ProposedOrder", "StoryProposals"]


class _Said(BaseModel):
    """What a model says; a null counts as nothing said, and costs only what cannot be without it."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, told: Any) -> Any:  # noqa: ANN401 - whatever a reply holds
        if not isinstance(told, dict):
            return told
        said = {
            name: [one for one in value if one is not None] if isinstance(value, list) else value for name, value in told.items()
        }
        needed = {name: field.annotation for name, field in cls.model_fields.items() if field.is_required()}
        blank = {name: 0 if kind is int else "" for name, kind in needed.items() if name in said and said[name] is None}
        return {name: value for name, value in said.items() if value is not None} | blank


class ProposedFact(_Said):
    """One fact: who stands in which relation to whom, the words that tell it, and when and where it was."""

    subject: str
    relation: str
    object: str = ""
    quote: str
    when: str | None = None
    place: str | None = None
    recalled: bool = False


class ProposedEntity(_Said):
    """The type of a name."""

    name: str
    type: str


class ProposedOrder(_Said):
    """That a chapter or an event lies before, after or during another, and how far."""

    one: str
    relation: str
    other: str
    offset: str | None = None
    quote: str


class StoryProposals(_Said):
    """What a window tells."""

    facts: list[ProposedFact] = Field(default_factory=list)
    entities: list[ProposedEntity] = Field(default_factory=list)
    order: list[ProposedOrder] = Field(default_factory=list)


class Mend(_Said):
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


class Mends(_Said):
    """What becomes of the facts that broke a rule."""

    facts: list[Mend] = Field(default_factory=list)


STORY_FACTS: Final = Prompt.load("chronotope.slices", "story_facts", StoryProposals)
REPAIR_FACTS: Final = Prompt.load("chronotope.slices", "repair_facts", Mends)
