"""From passages to an event index: what is new is read for events, embedded and joined to the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chronotope.events.extract import ExtractSettings, extract_events
from chronotope.events.from_passages import event_of, is_event
from chronotope.events.index import EventIndex
from chronotope.events.settings import DEFAULTS
from chronotope.records import Issue, Passage
from chronotope.steps import Step

__all__ = ["EventsIngested", "ingest_events"]


@dataclass(frozen=True)
class EventsIngested:
    """What came of passages on their way into an index.

    Args:
        added: number of new events.
        ids: the ids of the events that the passages tell of, known ones included where they were read again.
        issues: what was dropped, guessed, refused or left without a time.
    """

    added: int
    ids: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()


def ingest_events(
    passages: Sequence[Passage], index: EventIndex, *, settings: ExtractSettings = DEFAULTS, private: Sequence[str] = ()
) -> Step[EventsIngested]:
    """Add the events that passages tell of, and the passages; documents that are there whole are passed over unread.

    Args:
        passages: in reading order; stored event units among them are added as they are.
        index: where they go.
        settings: how events are extracted.
        private: metadata keys that events do not inherit from their passage.
    """
    units = [event_of(passage) for passage in passages if is_event(passage.metadata)]
    others = [passage for passage in passages if not is_event(passage.metadata)]
    known = {passage.id for passage in index.passages}
    fresh = {passage.source_id or passage.id for passage in others if passage.id not in known}
    unread = [passage for passage in others if (passage.source_id or passage.id) in fresh]
    found = yield from extract_events([_without(passage, private) for passage in unread], settings=settings)
    events = (*units, *found.items)
    added = yield from index.add(events, unread)
    return EventsIngested(added, tuple(dict.fromkeys(event.id for event in events)), found.issues)


def _without(passage: Passage, keys: Sequence[str]) -> Passage:
    if not keys:
        return passage
    return replace(passage, metadata={key: value for key, value in passage.metadata.items() if key not in keys})
