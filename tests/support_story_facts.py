"""A small ontology and short forms for tests of facts: what a model proposes, what it mends, what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chronotope.records import Document, Extraction, Passage
from chronotope.slices.extract import FactSettings, extract_facts
from chronotope.slices.fact import Fact
from chronotope.slices.ontology import Ontology
from chronotope.slices.story_facts import StoryFacts
from chronotope.testing import Script, play

SMALL = Ontology.parse(
    """
threshold = 0.5
[types.person]
names = ["man", "woman", "人"]
[types.place]
[types.event]
[types.gender]
values = ["male", "female"]
[relations.married_to]
domain = ["person"]
range = ["person"]
symmetric = true
names = ["wife of", "husband of", "妻子"]
says = ["{subject} married {object}", "{subject} and {object} were wed", "{subject}娶了{object}"]
[relations.parent_of]
domain = ["person"]
range = ["person"]
kind = "timeless"
inverse = "child_of"
says = ["{subject} was the mother of {object}"]
[relations.serves]
domain = ["person"]
range = ["person"]
says = ["{subject} served {object}"]
[relations.lives_in]
domain = ["person"]
range = ["place"]
replaces = true
says = ["{subject} lived in {object}"]
[relations.died]
domain = ["person"]
kind = "event"
says = ["{subject} died", "{subject}死了"]
[relations.meets]
domain = ["person"]
range = ["person"]
kind = "event"
acts = true
symmetric = true
says = ["{subject} met {object}"]
[relations.happens]
domain = ["event"]
kind = "event"
[relations.gender]
domain = ["person"]
range = ["gender"]
kind = "timeless"
[[rules]]
name = "no_cycle"
kind = "acyclic"
relations = ["parent_of"]
[[rules]]
name = "no_loop_of_service"
kind = "asymmetric"
relations = ["serves"]
""",
    "small",
)
LLM = FactSettings(mode="llm", ontology=SMALL, attempts=1)
RULES = FactSettings(ontology=SMALL)


def told(subject: str, relation: str, object: str = "", *, quote: str, **fields: Any) -> dict[str, Any]:  # noqa: A002 - as facts say
    """A fact as a model proposes it."""
    return {"subject": subject, "relation": relation, "object": object, "quote": quote, **fields}


def reply(*facts: dict[str, Any], entities: Sequence[dict[str, str]] = (), order: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """A model's reply to a window."""
    return {"facts": list(facts), "entities": list(entities), "order": list(order)}


def withdraw(number: int) -> dict[str, Any]:
    return {"number": number, "withdraw": True}


def by_model(text: str | Sequence[Document | Passage], replies: Script, *, settings: FactSettings = LLM) -> StoryFacts:
    """What comes of the given replies."""
    documents = [Document(text, id="book")] if isinstance(text, str) else text
    return play(extract_facts(documents, settings=settings), replies).result


def by_rules(text: str, *, settings: FactSettings = RULES) -> StoryFacts:
    return play(extract_facts([Document(text, id="book")], settings=settings)).result


def statements(facts: Sequence[Fact]) -> list[str]:
    return [fact.statement for fact in facts]


def kinds(extraction: Extraction[Any]) -> list[str]:
    return [issue.kind for issue in extraction.issues]
