"""Facts of a story from its text: read by a model or by rules, placed in time, checked, repaired."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chronotope.records import Document, Issue, Passage
from chronotope.slices.axis import OrderConstraint
from chronotope.slices.extract.chapters import Chapter, chapters_of
from chronotope.slices.extract.checked import duplicates
from chronotope.slices.extract.grounding import Ground, Told, WindowReading
from chronotope.slices.extract.modelled import read_windows
from chronotope.slices.extract.order import constraint_of, opening_constraints
from chronotope.slices.extract.patterns import Patterns
from chronotope.slices.extract.placing import Placing, story_axis, with_landmarks
from chronotope.slices.extract.repair import repaired
from chronotope.slices.extract.settings import DEFAULTS, FactSettings
from chronotope.slices.extract.windows import windows_of
from chronotope.slices.fact import Entity
from chronotope.slices.same_name import same_name
from chronotope.slices.story_facts import StoryFacts
from chronotope.steps import Step
from chronotope.text import orders

__all__ = ["extract_facts"]


def extract_facts(documents: Sequence[Document | Passage], *, settings: FactSettings = DEFAULTS) -> Step[StoryFacts]:
    """Find the facts that a story tells, and check them against the rules of an ontology.

    Args:
        documents: the story in the order of telling: documents, whose chapters are found by their headings, or passages cut from
            documents, whose chapter may stand in their metadata under `chapter`. Offsets of facts count characters of a document.
        settings: with or without a model, the ontology, how often it may repair.

    Returns:
        Facts that stand, in the order of telling; those that do not, with all that was said of them; the axis of the story's time;
        and an issue for whatever was dropped, refused, guessed or left without a time.

    Source: NS-ST-GraphRAG, figures 1 to 3.
    """
    chapters, issues = chapters_of(documents)
    windows = windows_of(chapters, max_tokens=settings.window_tokens, overlap=settings.overlap_tokens)
    ontology, texts = settings.known, [chapter.text for chapter in chapters]
    known = Ground(ontology, frozenset(name for entity in settings.cast for name in entity.names))
    patterns = Patterns.of(ontology, texts, cast=settings.cast, finder=settings.entities)
    if settings.mode == "llm":
        readings = yield from read_windows(windows, known=known, patterns=patterns, settings=settings)
    else:
        readings = [patterns.read(window) for window in windows]
    constraints, odd = _constraints(readings, chapters, settings)
    axis = story_axis(chapters, constraints, settings.axis, settings.calendar)
    entities = _entities(readings, settings.cast)
    told_all = _in_order(readings)
    candidates = list(dict.fromkeys(told_all))
    placing = with_landmarks(Placing(axis, settings, tuple(constraints)), candidates)
    found = yield from repaired(candidates, placing=placing, known=known, entities=entities, settings=settings)
    told = (*(issue for reading in readings for issue in reading.issues), *_nothing(chapters, told_all, settings))
    return StoryFacts(
        items=tuple(one.fact for one in found.judged if one.fate == "accepted"),
        issues=(
            *issues,
            *_orders(chapters),
            *told,
            *odd,
            *axis.issues,
            *found.issues,
            *duplicates(found.judged, repeated=len(told_all) - len(candidates)),
        ),
        uncertain=found.uncertain,
        entities=entities,
        axis=axis if chapters else None,
    )


def _in_order(readings: Iterable[WindowReading]) -> list[Told]:
    """All candidates in the order of telling: window by window, and in each by the words that tell them."""
    return [told for reading in readings for told in sorted(reading.facts, key=lambda one: one.span[0])]


def _constraints(
    readings: Iterable[WindowReading], chapters: Sequence[Chapter], settings: FactSettings
) -> tuple[list[OrderConstraint], list[Issue]]:
    """What the text says of before and after, as a model or as rules read it."""
    if settings.mode == "rules":
        return opening_constraints(chapters), []
    numbers = {chapter.number for chapter in chapters}
    found = [constraint_of(told, window, numbers) for reading in readings for told, window in reading.order]
    kept = [constraint for constraint, _ in found if constraint is not None]
    return list(dict.fromkeys(kept)), [issue for _, odd in found for issue in odd]


def _entities(readings: Iterable[WindowReading], cast: Sequence[Entity]) -> tuple[Entity, ...]:
    """The cast, then names with the type that the first window gave them."""
    known = {same_name(name) for entity in cast for name in entity.names}
    found: dict[str, Entity] = {}
    for reading in readings:
        for entity in reading.entities:
            if same_name(entity.name) not in known:
                found.setdefault(same_name(entity.name), entity)
    return (*cast, *found.values())


def _nothing(chapters: Sequence[Chapter], told: Sequence[Told], settings: FactSettings) -> list[Issue]:
    """That rules found nothing in a text, for that need not mean that it tells nothing."""
    if told or not chapters or settings.mode != "rules":
        return []
    count = sum(len(chapter.text) for chapter in chapters)
    read = (
        f"{count:,} characters were read and no fact was found: rules find only the set forms of {settings.known.name!r} "
        "between names that they know; give cast= or entities=, or a model with mode='llm'"
    )
    return [Issue("nothing_found", read)]


def _orders(chapters: Iterable[Chapter]) -> list[Issue]:
    return [
        Issue(
            "gives_orders",
            f"{chapter.text[start:end].strip()[:200]!r} gives orders to the reader; nothing is read from it",
            chapter.source_id,
        )
        for chapter in chapters
        for start, end in orders(chapter.text)
    ]
