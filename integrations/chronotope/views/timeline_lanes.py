"""In which lane of a timeline each event stands: the lane of who or what its sentence names first, among the most frequent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.events import EventUnit
from chronotope.temporal.calendar import AXIS_MIN

__all__ = ["Lane", "lanes_of"]

_AT_LEAST = 2  # events, for a lane of one's own
_OTHERS = "Others"


@dataclass(frozen=True)
class Lane:
    """A row of the timeline.

    Args:
        name: the entity; empty for the lane of all others.
        events: places of the events that are drawn in it, among all.
    """

    name: str
    events: tuple[int, ...]

    @property
    def label(self) -> str:
        """What stands at its left."""
        return self.name or _OTHERS


def lanes_of(events: Sequence[EventUnit], *, limit: int = 9) -> tuple[Lane, ...]:
    """Give each dated event one lane; lanes are in the order in which they begin, that of all others comes last.

    Args:
        events: all events; those without a time are in no lane.
        limit: largest number of lanes besides that of all others.
    """
    dated = [place for place, event in enumerate(events) if event.times]
    often = Counter(name for place in dated for name in events[place].entities)
    ranked = sorted((name for name, count in often.items() if count >= _AT_LEAST), key=lambda name: (-often[name], name))
    chosen: dict[str, int] = {name: rank for rank, name in enumerate(ranked[:limit])}
    held: dict[str, list[int]] = {}
    for place in dated:
        held.setdefault(_home(events[place], chosen), []).append(place)
    lanes = [Lane(name, tuple(places)) for name, places in held.items()]
    return tuple(sorted(lanes, key=lambda lane: (not lane.name, min(_start(events[place]) for place in lane.events), lane.name)))


def _home(event: EventUnit, chosen: dict[str, int]) -> str:
    """Whom the sentence names first, with the more frequent of two where neither stands in it word for word."""
    text = event.text.casefold()

    def rank(name: str) -> tuple[int, int]:
        found = text.find(name.casefold())
        return (found if found >= 0 else len(text), chosen[name])

    return min((name for name in event.entities if name in chosen), key=rank, default="")


def _start(event: EventUnit) -> int:
    """Where an event begins to be drawn: an open beginning counts as its end."""
    return min((time.start if time.start is not None else time.end or AXIS_MIN) for time in event.times)
