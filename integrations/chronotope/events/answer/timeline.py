"""Events as a timeline: static facts apart, dated ones from first to last, undated ones where their text places them or apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

from chronotope.events.event import EventUnit
from chronotope.events.index.event_times import hint_of
from chronotope.temporal.interval import TimeInterval
from chronotope.tokens import TokenCounter, count_tokens

__all__ = ["Entry", "PlaceUndated", "Timeline"]

PlaceUndated: TypeAlias = Literal["hint", "apart"]
_TIMES = 3  # of one event that a line names


@dataclass(frozen=True)
class Entry:
    """An event on a timeline.

    Args:
        event: the event.
        score: how well it fits the question; the best stay when tokens are scarce.
        number: what it is cited by, from 1; 0 while it stands on no timeline.
        placed: the time at which it stands: one of its own, or the hint of an undated one; None when it stands apart.
    """

    event: EventUnit
    score: float = 0.0
    number: int = 0
    placed: TimeInterval | None = None

    @property
    def when(self) -> str:
        """Its time for a reader: its own times, `~` before the hint of an undated one, or `static` or `undated`."""
        times = self.event.times
        if times:
            more = "; …" if len(times) > _TIMES else ""
            return "; ".join(map(str, times[:_TIMES])) + more
        if self.event.static:
            return "static"
        return f"~{self.placed}" if self.placed is not None else "undated"

    def render(self) -> str:
        """The line of the timeline: `Event # [3] [1811/1827]: sentence`."""
        return f"Event # [{self.number}] [{self.when}]: {' '.join(self.event.text.split())}"


@dataclass(frozen=True)
class Timeline:
    """Events in order of time, numbered from 1: static facts, then dated events, then what nothing places.

    Args:
        static: facts outside time, in source order.
        dated: events in order of time; those of one time in source order. Undated ones stand here when a hint places them.
        undated: events that nothing places, in source order.

    Source: DyG-RAG, section 3.5, "Graph Traversal and Timeline Construction".

    >>> year = TimeInterval.parse("1931")
    >>> told = [EventUnit(text="She left Turin.", times=(TimeInterval.parse("1935"),)), EventUnit(text="She came.", times=(year,))]
    >>> print(Timeline.of((event, 1.0) for event in told).render())
    Event # [1] [1931]: She came.
    Event # [2] [1935]: She left Turin.
    """

    static: tuple[Entry, ...] = ()
    dated: tuple[Entry, ...] = ()
    undated: tuple[Entry, ...] = ()

    @classmethod
    def of(
        cls, scored: Iterable[tuple[EventUnit, float]], *, within: Sequence[TimeInterval] = (), undated: PlaceUndated = "hint"
    ) -> Timeline:
        """Put events in order.

        Args:
            scored: events with their scores, in any order; of several with one id the best score counts.
            within: the asked times; an event then stands at the first of its times inside them.
            undated: place what nothing dates by the date before it in its text (`hint`), or always `apart`.

        Raises:
            ValueError: `undated` is neither.
        """
        if undated not in ("hint", "apart"):
            raise ValueError(f"undated must be hint or apart, not {undated!r}")
        best: dict[str, Entry] = {}
        for event, score in scored:
            if event.id not in best or best[event.id].score < score:
                best[event.id] = Entry(event, float(score), placed=_placed(event, within, undated))
        return cls._numbered(best.values())

    @classmethod
    def _numbered(cls, entries: Iterable[Entry]) -> Timeline:
        groups: tuple[list[Entry], list[Entry], list[Entry]] = ([], [], [])
        for entry in entries:
            groups[0 if entry.event.static else 2 if entry.placed is None else 1].append(entry)
        ordered = [sorted(groups[0], key=_source_order), sorted(groups[1], key=_time_order), sorted(groups[2], key=_source_order)]
        number, numbered = 0, []
        for group in ordered:
            numbered.append(tuple(replace(entry, number=number + place) for place, entry in enumerate(group, 1)))
            number += len(group)
        return cls(*numbered)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All events in the order of their numbers."""
        return self.static + self.dated + self.undated

    def __len__(self) -> int:
        return len(self.static) + len(self.dated) + len(self.undated)

    def entry(self, number: int) -> Entry | None:
        """What is cited by a number; None when there is no such number."""
        return self.entries[number - 1] if 1 <= number <= len(self) else None

    def only(self, ids: Iterable[str]) -> Timeline:
        """The timeline of these events of it alone, numbered anew."""
        kept = set(ids)
        return self._numbered(entry for entry in self.entries if entry.event.id in kept)

    def within(self, budget_tokens: int, *, count: TokenCounter = count_tokens) -> Timeline:
        """The events that fit a budget, best scores first; the order of time stays.

        Args:
            budget_tokens: tokens that the rendered timeline may take.
            count: how tokens are counted.
        """
        kept: list[str] = []
        left = budget_tokens
        widest = len(str(len(self)))
        for entry in sorted(self.entries, key=lambda entry: (-entry.score, entry.number)):
            cost = count(replace(entry, number=10**widest - 1).render() + "\n")
            if cost <= left:
                kept.append(entry.event.id)
                left -= cost
        return self.only(kept)

    def render(self) -> str:
        """One line an event, in order."""
        return "\n".join(entry.render() for entry in self.entries)


def _placed(event: EventUnit, within: Sequence[TimeInterval], undated: PlaceUndated) -> TimeInterval | None:
    if not event.times:
        return hint_of(event) if undated == "hint" else None
    asked = [time for time in event.times if any(time.overlaps(wanted) for wanted in within)]
    return min(asked or event.times, key=lambda time: time.envelope)


def _source_order(entry: Entry) -> tuple[object, ...]:
    event = entry.event
    return (event.source_id, event.char_start if event.char_start is not None else -1, event.id)


def _time_order(entry: Entry) -> tuple[object, ...]:
    place = entry.placed.envelope if entry.placed is not None else (0, 0)
    return (place, *_source_order(entry))
