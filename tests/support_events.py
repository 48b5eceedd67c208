"""Short forms for tests of events: documents, extraction by hand, and what a careful model would answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from chronotope.events.event import EventUnit
from chronotope.events.extract.extract import ExtractSettings, extract_events
from chronotope.models import Message
from chronotope.records import Document, Extraction, Passage
from chronotope.temporal.interval import TimeInterval
from chronotope.testing import play

T = TimeInterval.parse
LLM = ExtractSettings(mode="llm")
LEDGER = "\n\n".join(
    f"In {1900 + n} the Ferry Board of Port Alder opened landing stage {n}. It cost {n + 3} thousand crowns. "
    + "The harbour master kept a full ledger of every boat that came in with the tide. " * 4
    for n in range(90)
)
"""About thirty pages."""


def document(text: str, *, title: str = "", published: str | None = None, name: str = "d") -> Document:
    metadata = {"title": title} if title else {}
    return Document(text, id=name, metadata=metadata, published=T(published) if published else None)


def by_rules(text: str, *, title: str = "", published: str | None = None, **changes: Any) -> Extraction[EventUnit]:
    """What rules find in one document."""
    return play(extract_events([document(text, title=title, published=published)], settings=ExtractSettings(**changes))).result


def by_model(item: Document | Passage, *replies: Any, settings: ExtractSettings = LLM) -> Extraction[EventUnit]:
    """What comes of the given replies to one document."""
    return play(extract_events([item], settings=settings), replies).result


def times(event: EventUnit) -> list[str]:
    return [str(time) for time in event.times]


def only(extraction: Extraction[EventUnit], words: str) -> EventUnit:
    """The one event that holds some words."""
    (found,) = (event for event in extraction.items if words in event.text)
    return found


def kinds(extraction: Extraction[EventUnit]) -> list[str]:
    return [issue.kind for issue in extraction.issues]


def quote(words: str, **fields: Any) -> dict[str, Any]:
    return {"quote": words, **fields}


def honest(text: str) -> dict[str, Any]:
    """What a careful model says of a window of the ledger."""
    return {
        "events": [
            {"quote": found[0], "entities": ["Ferry Board"], "time": f"In {found[1]}", "start": found[1], "end": found[1]}
            for found in re.finditer(r"In (\d{4}) the Ferry Board of Port Alder opened landing stage \d+", text)
        ]
    }


def careful(messages: Sequence[Message]) -> dict[str, Any]:
    return honest(messages[-1].content)


def told_json(text: str) -> str:
    return json.dumps(honest(text))


Reply = Callable[[Sequence[Message]], dict[str, Any]]
