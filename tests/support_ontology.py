"""Facts in one line, and what is known of them, for the tests of rules."""

from __future__ import annotations

from collections.abc import Iterable

from chronotope.slices.fact import Entity, Fact
from chronotope.slices.ontology import KnownFacts, Ontology, Verdict
from chronotope.slices.story_time import read_story_time

HOUSEHOLD = Ontology.load("household")
GENERAL = Ontology.load("general_fiction")
TINY = """
[types.person]
[types.place]
[types.event]
[relations.likes]
domain = ["person"]
range = ["person"]
[relations.arrives]
domain = ["person"]
kind = "event"
"""


def told(line: str, *, on: str = "", at: str = "", chapter: int | None = None, place: str = "", **more) -> Fact:
    """`Ann | parent_of | Tom`, on a date (EDTF), at ticks (`3`, `3/6`), in a chapter."""
    subject, relation, *rest = (part.strip() for part in line.split("|"))
    story = [read_story_time(on, "dates")] if on else [read_story_time(at, "ticks")] if at else []
    return Fact(
        subject=subject, relation=relation, object=rest[0] if rest else "", story=tuple(story), chapter=chapter, place=place, **more
    )


def knowing(facts: Iterable[Fact] = (), ontology: Ontology = HOUSEHOLD, entities: Iterable[Entity] = (), **more) -> KnownFacts:
    known = KnownFacts(ontology, entities=entities, **more)
    for fact in facts:
        known.add(fact)
    return known


def broken(verdict: Verdict) -> set[str]:
    """Names of the hard rules that it breaks."""
    return {violation.rule for violation in verdict.violations}


def offended(verdict: Verdict) -> set[str]:
    """Names of the soft rules that it offends."""
    return {penalty.rule for penalty in verdict.penalties}
