"""What the views of events tell of each: its sentence, its time in words and in numbers, who takes part, and where it was read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from chronotope.events import EventUnit
from chronotope.events.index.event_times import hint_of
from chronotope.records import Passage
from chronotope.temporal.interval import TimeInterval

__all__ = ["Sources", "shown_event", "shown_time", "told_hint", "told_when"]

_AROUND = 600  # characters of a passage on either side of the sentence


@dataclass(frozen=True)
class Sources:
    """The passages that events were cut from, to be found by place.

    Args:
        by_source: passages with a place, in order, for each document.
    """

    by_source: Mapping[str, Sequence[Passage]]

    @classmethod
    def of(cls, passages: Iterable[Passage]) -> Sources:
        """Sort passages by document and place; those without a place are left out."""
        by_source: dict[str, list[Passage]] = {}
        for passage in passages:
            if passage.char_start is not None:
                by_source.setdefault(passage.source_id, []).append(passage)
        for placed in by_source.values():
            placed.sort(key=lambda passage: passage.char_start or 0)
        return cls(by_source)

    def around(self, event: EventUnit) -> Passage | None:
        """The passage that holds the whole sentence of an event, the one that begins last where several do."""
        if event.char_start is None or event.char_end is None:
            return None
        placed = self.by_source.get(event.source_id, ())
        before = placed[: bisect_right(placed, event.char_start, key=lambda passage: passage.char_start or 0)]
        return next((passage for passage in reversed(before) if event.char_end <= (passage.char_end or 0)), None)


def told_when(event: EventUnit) -> str:
    """When it was, in words.

    >>> told_when(EventUnit(text="…", times=(TimeInterval.parse("1911-03"),))), told_when(EventUnit(text="…", static=True))
    ('in March 1911', 'outside time')
    """
    if event.times or event.static:
        return "; ".join(time.phrase() for time in event.times) or "outside time"
    return f"no time is told; {told_hint(event)}" if told_hint(event) else "no time is told"


def told_hint(event: EventUnit) -> str:
    """What an undated event is likely near, in words; empty when nothing tells.

    >>> told_hint(EventUnit(text="He sold it.", metadata={"context_time": "1926"}))
    'near 1926'
    """
    hint = hint_of(event)
    return "" if hint is None else f"near {hint}"


def shown_event(
    event: EventUnit, *, cited: Collection[str | int] = (), number: int = 0, sources: Sources | None = None
) -> dict[str, object]:
    """An event as JSON values for a script.

    Args:
        event: what to show.
        cited: ids or numbers of cited events.
        number: its number, from 1.
        sources: where its passage may be found.
    """
    passage = sources.around(event) if sources else None
    title = event.metadata.get("title")
    return {
        "n": number,
        "text": " ".join(event.text.split()),
        "when": told_when(event),
        "times": [shown_time(time) for time in event.times if not time.is_empty],
        "static": event.static,
        "entities": list(event.entities),
        "source": event.source_id,
        "title": "" if title is None else str(title),
        "span": None if event.char_start is None else [event.char_start, event.char_end],
        "passage": _marked(passage, event) if passage else None,
        "cited": event.id in cited or number in cited,
    }


def shown_time(time: TimeInterval) -> list[int | bool | None]:
    """First second, first second after it (None for an open side), and whether it was at some time within one unit."""
    return [time.start, time.end, time.is_unit]


def _marked(passage: Passage, event: EventUnit) -> list[str]:
    """What stands before the sentence of the event in its passage, the sentence, and what stands after it."""
    first = (event.char_start or 0) - (passage.char_start or 0)
    last = (event.char_end or 0) - (passage.char_start or 0)
    before, after = passage.text[:first], passage.text[last:]
    if len(before) > _AROUND:
        before = f"… {before[-_AROUND:].partition(' ')[2] or before[-_AROUND:]}"
    if len(after) > _AROUND:
        after = f"{after[:_AROUND].rpartition(' ')[0] or after[:_AROUND]} …"
    return [before, passage.text[first:last], after]
