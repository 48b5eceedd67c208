"""Which passage an event stands in: the one of its source whose characters hold those of the event."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict

import numpy as np

from chronotope.events.event import EventUnit
from chronotope.events.shelf import Rows, Shelf
from chronotope.records import Passage

__all__ = ["homes_of"]

_OVERLAPPING = 8  # passages of one source that may begin before an event and still hold it


def homes_of(events: Shelf[EventUnit], passages: Shelf[Passage]) -> Rows:
    """The row of the passage of each event, -1 where there is none; of several that hold it, the one that begins last."""
    homes = np.full(events.size, -1, np.int64)
    places = _places(passages)
    for row in events.living.tolist():
        event = events.item(row)
        if event.char_start is None or event.char_end is None or event.source_id not in places:
            continue
        found = places[event.source_id]
        last = bisect_right(found, (event.char_start, np.inf, 0))
        for start, end, home in reversed(found[max(0, last - _OVERLAPPING) : last]):
            if start <= event.char_start and event.char_end <= end:
                homes[row] = home
                break
    return homes


def _places(passages: Shelf[Passage]) -> dict[str, list[tuple[int, float, int]]]:
    places: dict[str, list[tuple[int, float, int]]] = defaultdict(list)
    for row in passages.living.tolist():
        passage = passages.item(row)
        if passage.char_start is not None and passage.char_end is not None:
            places[passage.source_id].append((passage.char_start, passage.char_end, row))
    return {name: sorted(found) for name, found in places.items()}
