"""From passages to an event index: what is new is read for events, embedded and joined to the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chronotope.events.extract.extract import ExtractSettings, extract_events
from chronotope.events.extract.settings import DEFAULTS
from chronotope.events.index.index import EventIndex
from chronotope.events.retrieve.from_passages import event_of, is_event
from chronotope.records import Issue, Passage
from chronotope.shelves.batches import all_of, changed_source
from chronotope.shelves.held import Held
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

    A passage is there when the index holds its id, or passages of its source that cover all of its characters. One whose text
    differs from what the index holds of its source is told as `changed_source`: under a known id it is passed over, under a new one
    added beside the old.

    Args:
        passages: in reading order; stored event units among them are added as they are.
        index: where they go.
        settings: how events are extracted.
        private: metadata keys that events do not inherit from their passage.

    Raises:
        TypeError: these are no passages, or `index` is no index.
    """
    if not isinstance(index, EventIndex):
        raise TypeError(f"index must be an EventIndex, not {type(index).__name__}; the passages come first, then the index")
    given = all_of(Passage, passages)
    units = [event_of(passage) for passage in given if is_event(passage.metadata)]
    held = Held.of(index.passages)
    others = [passage for passage in given if not is_event(passage.metadata)]
    states = [held.state(passage) for passage in others]
    changed = tuple(changed_source(one) for one, state in zip(others, states, strict=True) if state == "changed")
    fresh = [one for one, state in zip(others, states, strict=True) if state != "known" and one.id not in held.by_id]
    sources = {one.source_id or one.id for one in fresh}
    read = [held.by_id.get(one.id, one) for one in others if (one.source_id or one.id) in sources]
    found = yield from extract_events([_without(passage, private) for passage in read], settings=settings)
    events = (*units, *found.items)
    added = yield from index.add(events, fresh)
    return EventsIngested(added, tuple(dict.fromkeys(event.id for event in events)), (*dict.fromkeys(changed), *found.issues))


def _without(passage: Passage, keys: Sequence[str]) -> Passage:
    if not keys:
        return passage
    return replace(passage, metadata={key: value for key, value in passage.metadata.items() if key not in keys})
