"""Facts as users give them: read from a file, as records, as values, or checked already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from chronotope.records import Issue
from chronotope.slices.axis import StoryAxis
from chronotope.slices.extract import FactMode, FactSettings, checked_facts
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.facts_file import read_facts
from chronotope.slices.ontology import Ontology
from chronotope.slices.story_facts import StoryFacts, Uncertain

__all__ = ["GivenFacts", "check_model", "checked_entities", "checked_ontology", "extraction_settings", "given_facts", "kept_out"]

Record: TypeAlias = Mapping[str, Any] | tuple[str, ...]
GivenFacts: TypeAlias = StoryFacts | str | PathLike[str] | Iterable[Fact | Record]


def given_facts(
    given: GivenFacts,
    *,
    ontology: Ontology,
    entities: Iterable[Entity] = (),
    axis: StoryAxis | None = None,
    held: StoryAxis | None = None,
) -> StoryFacts:
    """Facts from anywhere, checked against an ontology; what was checked already is taken as it is.

    Args:
        given: what `extract_facts` found, the path of a facts file, facts, or records as in such a file.
        ontology: relations and rules.
        entities: what is known of persons and places beside what a file says.
        axis: when chapters play; None takes what a file says of them, and lets the others play one after the other.
        held: when chapters play where neither `axis` nor a file says so.

    Returns:
        The facts; their axis is the one that they bring along, or `axis`, and None where nothing of them says when chapters play.

    Raises:
        FactError: nothing in a file is a fact, or its times lie on two axes.
        TypeError: these are no facts, facts and records are mixed, or something else is among the entities.

    >>> found = given_facts([("Ann", "married_to", "Tom")], ontology=Ontology.load("general_fiction"))
    >>> found.items[0].statement
    'Ann — married to — Tom'
    """
    if isinstance(given, StoryFacts):
        return given
    entities = checked_entities(entities)
    facts, records = _sorted(given)
    if records is None:
        found = checked_facts(facts, ontology=ontology, entities=entities, axis=axis or held)
        return replace(found, axis=axis, issues=(*found.issues, *kept_out(found.uncertain)))
    known = axis or held
    read = read_facts(records, ontology=ontology, axis=None if known is None else known.kind)
    told = axis or read.story_axis
    found = checked_facts(read.items, ontology=ontology, entities=(*entities, *read.entities), axis=told or held)
    return replace(found, axis=told, issues=(*read.issues, *found.issues, *kept_out(found.uncertain)))


def _sorted(given: str | PathLike[str] | Iterable[Fact | Record]) -> tuple[list[Fact], str | PathLike[str] | list[Record] | None]:
    """Facts, or else what they are to be read from."""
    if isinstance(given, (str, PathLike)):
        return [], given
    if isinstance(given, (Fact, Mapping)) or not isinstance(given, Iterable):
        told = "facts must be the path of a facts file, StoryFacts, or a list of facts or records, such as [Fact(…)]"
        raise TypeError(f"{told}, not one {type(given).__name__}")
    facts: list[Fact] = []
    records: list[Record] = []
    for one in given:
        if isinstance(one, Fact):
            facts.append(one)
        else:
            records.append(one)
    if facts and records:
        raise TypeError("give facts, or records of facts, but not both in one list")
    return facts, records or None


def check_model(settings: FactSettings, *, has_chat: bool) -> None:
    """Whether extraction has the model that it needs.

    Args:
        settings: how texts are read.
        has_chat: whether there is a model.

    Raises:
        ValueError: there is none, and one is needed.
    """
    if settings.mode != "rules" and not has_chat:
        raise ValueError(f"extract={settings.mode!r} asks a model: give llm=, or use extract='rules'")


def checked_entities(given: Iterable[Entity]) -> tuple[Entity, ...]:
    """Entities as they were given.

    Raises:
        TypeError: there is one thing instead of several, or something else is among them, such as a name.
    """
    if isinstance(given, (str, Entity)) or not isinstance(given, Iterable):
        raise TypeError(f"entities must be a list, such as [Entity(name='Ann Lee', type='person')], not {given!r}")
    entities = tuple(given)
    for one in entities:
        if not isinstance(one, Entity):
            raise TypeError(f"an entity must be an Entity, such as Entity(name='Ann Lee', type='person'), not {one!r}")
    return entities


def checked_ontology(given: str | PathLike[str] | Ontology) -> str | Path | Ontology:
    """An ontology, or how one is found.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(given, (str, Ontology)):
        return given
    if isinstance(given, PathLike):
        return Path(given)
    raise TypeError(f"ontology must be the name of one, the path of a .toml file, or an Ontology, not {given!r}")


def kept_out(uncertain: Iterable[Uncertain]) -> tuple[Issue, ...]:
    """An issue for each fact that rules kept out of the graph, with the reasons."""
    told = []
    for one in uncertain:
        why = "; ".join(violation.reason for violation in one.verdict.violations) or "the model withdrew it"
        told.append(Issue("uncertain_fact", f"{one.fact.statement!r} is kept out: {why}", one.fact.source_id or None))
    return tuple(told)


def extraction_settings(extract: FactMode | FactSettings, ontology: str | PathLike[str] | Ontology | None = None) -> FactSettings:
    """How texts are read, from a mode or from settings.

    Args:
        extract: `rules`, `llm`, or settings.
        ontology: in place of that of the settings.

    Raises:
        ValueError: there is no such mode.
        TypeError: `extract` or `ontology` is something else.
        OntologyError: there is no such ontology.

    >>> extraction_settings("rules", "household").known.name
    'household'
    """
    if not isinstance(extract, (str, FactSettings)):
        raise TypeError(f"extract must be 'rules', 'llm' or FactSettings, not {extract!r}")
    settings = FactSettings(mode=extract) if isinstance(extract, str) else extract
    if ontology is None:
        return settings
    return replace(settings, ontology=checked_ontology(ontology))
