"""What a model says of a window of text, and the prompts that ask for it."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, Field

from chronotope.prompts import Prompt

__all__ = ["MISSED_EVENTS", "WINDOW_EVENTS", "ProposedEvent", "ProposedEvents"]


class ProposedEvent(BaseModel):
    """One event: words of the text that tell it, who takes part, the words that say when, and what those mean."""

    quote: str
    entities: list[str] = Field(default_factory=list)
    time: str | None = None
    start: str | None = None
    end: str | None = None


class ProposedEvents(BaseModel):
    """The events of a window."""

    events: list[ProposedEvent] = Field(default_factory=list)


WINDOW_EVENTS: Final = Prompt.load("chronotope.events", "window_events", ProposedEvents)
MISSED_EVENTS: Final = Prompt.load("chronotope.events", "missed_events", ProposedEvents)
