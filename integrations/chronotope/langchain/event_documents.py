"""Documents as sources of events, and events as documents: exact offsets, the metadata contract, neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from langchain_core.documents import Document

from chronotope.events.event import EventUnit
from chronotope.events.index.event_times import written
from chronotope.events.retrieve.from_passages import EVENT_KEY, is_event, stored_event
from chronotope.langchain.convert import DATE, to_document, to_passage
from chronotope.langchain.pieces import PLACES, Given, read_given
from chronotope.metadata import MetadataKeys, plain
from chronotope.records import Issue, Passage

__all__ = ["EventDocuments", "event_document", "placed_document", "read_event_documents"]

_OWN = (EVENT_KEY, "entities", "score")
_PUBLISHED = "published"  # under which an event keeps when its source was written, whatever the keys are called


@dataclass(frozen=True)
class EventDocuments:
    """What events are extracted from.

    Args:
        given: the documents, in order.
        passages: the same as passages with the offsets of the texts that they were cut from.
        issues: blank documents and unreadable dates.
    """

    given: tuple[Given, ...]
    passages: tuple[Passage, ...]
    issues: tuple[Issue, ...]

    def documents(self, events: Iterable[EventUnit], *, keys: MetadataKeys) -> list[Document]:
        """The events of all texts as documents, in source order, each once, with `previous_id` and `next_id`.

        Args:
            events: what was extracted from the passages.
            keys: names for the times.
        """
        families: dict[str, dict[str, Document]] = {}
        for event in events:
            family = families.setdefault(event.source_id, {})
            if event.id not in family:
                family[event.id] = event_document(event, self._metadata(event), keys=keys)
        for family in families.values():
            _link(list(family.values()))
        return [document for family in families.values() for document in family.values()]

    def _metadata(self, event: EventUnit) -> Mapping[str, Any]:
        """The metadata of the document that holds an event: by its place where that is known, else the first of its source."""
        pairs = zip(self.given, self.passages, strict=True)
        own = [(given, passage) for given, passage in pairs if passage.source_id == event.source_id]
        inside = [given for given, passage in own if _holds(passage, event)]
        chosen = inside or [given for given, _ in own]
        return chosen[0].document.metadata if chosen else {}


def _holds(passage: Passage, event: EventUnit) -> bool:
    start, end, place = passage.char_start, passage.char_end, event.char_start
    return start is not None and end is not None and place is not None and start <= place < end


def read_event_documents(documents: Sequence[Document], *, keys: MetadataKeys, source_key: str) -> EventDocuments:
    """Whole texts, or chunks that know their place in one, as what events are extracted from.

    Args:
        documents: never changed; blank ones are left out.
        keys: where their dates are.
        source_key: metadata key that chunks of one text share.

    Raises:
        TypeError: something else is among them, such as a text.
    """
    given, issues = read_given(documents)
    passages: list[Passage] = []
    shared = Counter(str(one.document.metadata.get(source_key) or "") for one in given)
    for one in given:
        passage, unread = to_passage(one.document, keys=keys, source_key=source_key)
        issues += unread
        stored = is_event(passage.metadata)
        kept = {key: value for key, value in passage.metadata.items() if stored or key not in (*PLACES, source_key)}
        source = str(one.document.metadata.get(source_key) or "")
        unplaced = bool(source) and shared[source] > 1 and one.document.metadata.keys().isdisjoint(PLACES)
        start = None if unplaced else one.base
        end = None if start is None else start + len(one.document.page_content)
        placed = replace(passage, source_id=source or one.source.id, char_start=start, char_end=end, metadata=_flat(kept))
        passages.append(_as_stored(placed) if stored else placed)
    return EventDocuments(tuple(given), tuple(passages), issues)


def _as_stored(passage: Passage) -> Passage:
    """A stored event keeps the place that was stored with it, whatever the length of its text."""
    start, end = passage.metadata.get("char_start"), passage.metadata.get("char_end")
    told = {key: value for key, value in passage.metadata.items() if key not in PLACES}
    if not isinstance(start, int) or not isinstance(end, int):
        start = end = None
    return replace(passage, char_start=start, char_end=end, metadata=told)


def _flat(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if value is None or isinstance(value, (str, int, float, bool))}


def event_document(
    event: EventUnit, inherited: Mapping[str, Any] | None = None, *, keys: MetadataKeys, score: float | None = None
) -> Document:
    """An event as a document with its times, its place and a `date` for people.

    Args:
        event: the event.
        inherited: metadata of the document that holds it; None takes what the event has kept of it.
        keys: names for the times.
        score: stored as `relevance_score`.
    """
    passage = replace(stored_event(event), published=written(event))
    theirs = inherited or {}
    own = {key: value for key, value in passage.metadata.items() if key in _OWN or key not in theirs}
    kept = {key: value for key, value in deepcopy(dict(plain(theirs))).items() if key not in (*keys.all, *PLACES)}
    told = {key: value for key, value in {**kept, **own}.items() if key not in (DATE, _PUBLISHED, *keys.all)}
    return placed_document(replace(passage, metadata=told), keys=keys, score=score)


def placed_document(passage: Passage, *, keys: MetadataKeys, score: float | None = None) -> Document:
    """A passage as a document that says in which text it stands, and where.

    Args:
        passage: what to write.
        keys: names for the times.
        score: stored as `relevance_score`.
    """
    source = {"source_id": passage.source_id} if passage.source_id else {}
    place = {"char_start": passage.char_start, "char_end": passage.char_end}
    known = {} if passage.char_start is None or passage.char_end is None else place
    return to_document(replace(passage, metadata={**source, **passage.metadata, **known}), keys=keys, score=score)


def _link(documents: Sequence[Document]) -> None:
    for before, after in pairwise(documents):
        before.metadata["next_id"] = after.id
        after.metadata["previous_id"] = before.id
