"""A timeline from retrieved passages: event units that were stored as such, or else the events that rules find in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from chronotope.events.answer.timeline import Timeline
from chronotope.events.event import EventUnit
from chronotope.events.extract.extract import extract_events
from chronotope.events.retrieve.retrieve import EventRetrieval
from chronotope.lexical import words
from chronotope.metadata import read_intervals
from chronotope.questions.subject import subject
from chronotope.records import Hit, Issue, Passage, Scalar
from chronotope.steps import Runner
from chronotope.temporal.scope import QueryScope

__all__ = [
    "EVENT_KEY",
    "FOUND_KEYS",
    "Materials",
    "as_retrieved",
    "event_of",
    "found_metadata",
    "is_event",
    "materials",
    "stored_event",
]

EVENT_KEY: Final = "event_unit"
"""Metadata key that tells a stored event unit from any other passage."""
_NUMBER, _PASSAGE, _ASKED = "event_number", "passage_id", "asked_time"
FOUND_KEYS: Final = (_NUMBER, _PASSAGE, _ASKED)
"""Metadata keys that a retriever writes on an event for those behind it."""
_ENTITIES, _SCORE = "entities", "score"
_NEAR = 0.5  # what sharing all words of the subject adds to the score of an event's passage, of which the best counts 1
_BEST_SCORE = 4


@dataclass(frozen=True)
class Materials:
    """What an answer may be given to rest on, before it is cut to a budget.

    Args:
        timeline: the events.
        passages: the passages.
        homes: id of the passage that each event stands in, by id of the event, where it is known.
        issues: what was guessed where events had to be read from passages.
    """

    timeline: Timeline
    passages: tuple[Hit, ...] = ()
    homes: Mapping[str, str] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()


def stored_event(event: EventUnit) -> Passage:
    """The event as a passage that `event_of` turns back into it, also after its metadata went through a store."""
    passage = event.passage()
    return replace(passage, metadata={**passage.metadata, EVENT_KEY: True})


def is_event(metadata: Mapping[str, object]) -> bool:
    """True for what `stored_event` wrote; some stores give back numbers or texts for booleans."""
    return metadata.get(EVENT_KEY) in (True, 1, "true", "True")


def event_of(passage: Passage) -> EventUnit:
    """The event that a passage was made of."""
    told: dict[str, Scalar] = {
        key: value for key, value in passage.metadata.items() if key not in (_ENTITIES, _SCORE, EVENT_KEY, *FOUND_KEYS)
    }
    if passage.published is not None:
        told.setdefault("published", str(passage.published))
    score = passage.metadata.get(_SCORE)
    whole = isinstance(score, (int, float)) and 0 <= score <= _BEST_SCORE
    return EventUnit(
        text=passage.text,
        id=passage.id,
        source_id=passage.source_id,
        char_start=passage.char_start if passage.char_end is not None else None,
        char_end=passage.char_end if passage.char_start is not None else None,
        times=passage.times,
        static=passage.static,
        entities=tuple(str(passage.metadata.get(_ENTITIES) or "").split("; ")),
        score=int(score) if whole and score is not None else 0,
        metadata=told,
    )


def found_metadata(found: EventRetrieval) -> dict[str, dict[str, Scalar]]:
    """What a retriever tells about each found event, by its id: number in the timeline, passage beside it, and the asked time.

    The asked time travels with the events because whoever answers sees them and the question's words alone, and cannot find out
    again when "after the merger" was.
    """
    numbers = {entry.event.id: entry.number for entry in found.timeline.entries}
    asked = "; ".join(map(str, found.scope.times))
    told = {one.event.id: (numbers[one.event.id], one.passage, asked) for one in found.trace}
    return {name: {key: value for key, value in zip(FOUND_KEYS, values, strict=True) if value} for name, values in told.items()}


def as_retrieved(asked: QueryScope, hits: Sequence[Hit]) -> QueryScope:
    """The scope of a question, with the time that its retriever found for a clause that the words alone do not place.

    Args:
        asked: the question taken apart by rules.
        hits: what was retrieved for it.
    """
    told = next((str(hit.passage.metadata[_ASKED]) for hit in hits if hit.passage.metadata.get(_ASKED)), "")
    if not told or not asked.unresolved:
        return asked
    times = read_intervals(told.split("; "))
    return asked if set(times) == set(asked.times) else replace(asked, times=times, unresolved=())


def materials(hits: Sequence[Hit], asked: QueryScope) -> Materials:
    """Retrieved passages as a timeline and the passages beside it.

    Args:
        hits: event units, passages, or both. Where no event unit is among them, rules find the events that the passages tell of.
        asked: the question taken apart; its words tell which events of a passage count.
    """
    events = [hit for hit in hits if is_event(hit.passage.metadata)]
    others = tuple(hit for hit in hits if not is_event(hit.passage.metadata))
    if events or not others:
        homes = {hit.passage.id: str(hit.passage.metadata[_PASSAGE]) for hit in events if hit.passage.metadata.get(_PASSAGE)}
        return Materials(Timeline.of(((event_of(hit.passage), hit.score) for hit in events), within=asked.times), others, homes)
    return _read(others, asked)


def _read(hits: Sequence[Hit], asked: QueryScope) -> Materials:
    known = [replace(one, metadata={**one.metadata, _PASSAGE: one.id}) for one in (hit.passage for hit in hits)]
    found = Runner().run(extract_events(known))  # events inherit the metadata of the passage that they are read from
    homes = {event.id: str(event.metadata[_PASSAGE]) for event in found.items}
    about = set(words(subject(asked.core), asked=True))
    best = max(abs(hit.score) for hit in hits) or 1.0
    scores: dict[str, float] = {}
    for hit in hits:
        scores.setdefault(hit.passage.source_id or hit.passage.id, hit.score / best)
    scored = [
        (event, scores.get(event.source_id, 0.0) + _NEAR * len(about & set(words(event.text))) / max(1, len(about)))
        for event in found.items
    ]
    told = Issue("events_by_rules", f"the passages are no event units: rules found {len(scored)} events in them")
    return Materials(Timeline.of(scored, within=asked.times), tuple(hits), homes, (told,))
