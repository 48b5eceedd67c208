"""Event unit extraction (DyG-RAG section 3.3): sentences that tell an event or a state, when that was, and who takes part.

`rules` reads everything from the words alone. `llm` lets a model say which events a window of the text tells of; what it says must
stand in the text, and times are computed by the same rules either way.
"""

from __future__ import annotations

from collections.abc import Sequence

from chronotope.events.event import EventUnit
from chronotope.events.extract.merging import Candidate, joined, unit
from chronotope.events.extract.modelled import propose
from chronotope.events.extract.rules import SourceReading, read_source
from chronotope.events.extract.settings import DEFAULTS, ExtractSettings
from chronotope.events.extract.sources import Source, gathered
from chronotope.records import Document, Extraction, Issue, Passage
from chronotope.steps import Step, gather

__all__ = ["ExtractSettings", "extract_events"]


def extract_events(documents: Sequence[Document | Passage], *, settings: ExtractSettings = DEFAULTS) -> Step[Extraction[EventUnit]]:
    """Find the events that documents tell of.

    Args:
        documents: documents, or passages cut from documents: those with one `source_id` are read as one text, and offsets count the
            characters of that text.
        settings: with or without a model, and how.

    Returns:
        Event units in source order, and an issue for whatever was dropped, guessed, refused or left without a time.

    Source: DyG-RAG, section 3.3.
    """
    steps = [_of_source(source, settings) for source in gathered(documents, settings.title_key)]
    parts = yield from gather(steps)
    return Extraction(
        tuple(event for part in parts for event in part.items), tuple(issue for part in parts for issue in part.issues)
    )


def _of_source(source: Source, settings: ExtractSettings) -> Step[Extraction[EventUnit]]:
    reading = read_source(source, settings)
    candidates, issues = _by_rules(reading), reading.issues
    if settings.mode == "llm":
        candidates, told = yield from propose(source, reading, settings)
        issues += told
    kept = [candidate for candidate in candidates if candidate.score >= settings.min_score]
    events = tuple(unit(group, source.id) for group in joined(kept))
    return Extraction(events, issues + _uninformative(candidates, settings.min_score, source.id) + _undated(events, source.id))


def _uninformative(candidates: Sequence[Candidate], least: int, source: str) -> tuple[Issue, ...]:
    """What the information score left out, if any of it names a time; general remarks without one are what it is there for."""
    dated = [candidate for candidate in candidates if candidate.score < least and candidate.times]
    told = f"{len(dated)} sentences that name a time say too little else (score below {least})"
    return (Issue("uninformative", told, source),) if dated else ()


def _by_rules(reading: SourceReading) -> list[Candidate]:
    return [Candidate.of(one, number) for number, one in enumerate(reading.readings) if one.is_event]


def _undated(events: Sequence[EventUnit], source: str) -> tuple[Issue, ...]:
    without = sum(event.is_undated for event in events)
    return (Issue("undated", f"{without} of {len(events)} events have no time", source),) if without else ()
