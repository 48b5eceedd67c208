"""Which passage an event or a fact stands in: the one of its source whose characters hold those of the event."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Protocol, TypeVar

import numpy as np

from chronotope.records import Passage
from chronotope.shelves.shelf import Rows, Shelf, Told

__all__ = ["Placed", "homes_of", "leaving", "left_alone"]


class Placed(Told, Protocol):
    """What stands at a place of a text: events and facts fit."""

    @property
    def char_start(self) -> int | None:
        """First character in the source, None when unknown."""
        ...

    @property
    def char_end(self) -> int | None:
        """First character after it."""
        ...


Item = TypeVar("Item", bound=Placed)
_OVERLAPPING = 8  # passages of one source that may begin before an event and still hold it


def homes_of(events: Shelf[Item], passages: Shelf[Passage], *, without: Collection[int] = ()) -> Rows:
    """The row of the passage of each event, -1 where there is none; of several that hold it, the one that begins last.

    Args:
        events: of an index.
        passages: of the same.
        without: rows of passages that count as absent.
    """
    homes = np.full(events.size, -1, np.int64)
    places = _places(passages, frozenset(without))
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


def left_alone(events: Shelf[Item], passages: Shelf[Passage], homes: Rows, gone: Sequence[str]) -> list[str]:
    """The events that no passage holds any more when these are gone, by id.

    Where an event or a passage that goes does not know its place, the event is held as long as a passage of its source is left.

    Args:
        events: of an index.
        passages: of the same.
        homes: what `homes_of` says of them.
        gone: ids of passages.
    """
    rows = passages.rows(gone)
    going = [passages.item(row) for row in rows.tolist()]
    sources = {_source(passage) for passage in going}
    loose = {_source(passage) for passage in going if passage.char_start is None}
    names = frozenset(gone)
    left = {_source(passage) for passage in passages.items if passage.id not in names}
    later = homes_of(events, passages, without=rows.tolist())
    inside = np.isin(homes, rows) & (homes >= 0)
    found = []
    for row in events.living.tolist():
        event = events.item(row)
        unplaced = event.source_id in loose or (event.source_id in sources and event.char_start is None)
        if later[row] < 0 and (inside[row] or (unplaced and event.source_id not in left)):
            found.append(event.id)
    return found


def leaving(ids: Iterable[str], events: Shelf[Item], passages: Shelf[Passage], homes: Callable[[], Rows]) -> list[str]:
    """Ids to take out, each once, and those of the events that no passage holds any more then.

    Args:
        ids: of events and passages.
        events: of an index.
        passages: of the same.
        homes: gives what `homes_of` says of them; asked only where a passage goes.

    Raises:
        TypeError: `ids` is one text instead of several.
    """
    if isinstance(ids, str):
        raise TypeError(f"ids must be several ids, not one text; give [{ids!r}]")
    names = list(dict.fromkeys(ids))
    gone = [name for name in names if name in passages]
    along = left_alone(events, passages, homes(), gone) if gone else []
    return list(dict.fromkeys([*names, *along]))


def _source(passage: Passage) -> str:
    """What its events name as their source."""
    return passage.source_id or passage.id


def _places(passages: Shelf[Passage], without: Collection[int]) -> dict[str, list[tuple[int, float, int]]]:
    places: dict[str, list[tuple[int, float, int]]] = defaultdict(list)
    for row in passages.living.tolist():
        passage = passages.item(row)
        if row not in without and passage.char_start is not None and passage.char_end is not None:
            places[passage.source_id].append((passage.char_start, passage.char_end, row))
    return {name: sorted(found) for name, found in places.items()}
