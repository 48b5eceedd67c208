"""Whether a passage is in an index already: by its id, or by passages of its source that cover it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from chronotope.records import Passage
from chronotope.text import is_blank

__all__ = ["Held", "State"]

State: TypeAlias = Literal["new", "known", "changed"]
Placed: TypeAlias = tuple[int, int, str]


@dataclass(frozen=True)
class Held:
    """The passages of an index.

    Args:
        by_id: each by its id.
        by_source: begin, end and text of those that know their place, by source, in order.
    """

    by_id: Mapping[str, Passage]
    by_source: Mapping[str, list[Placed]]

    @classmethod
    def of(cls, passages: Iterable[Passage]) -> Held:
        """From the passages of an index."""
        by_id = {passage.id: passage for passage in passages}
        by_source: dict[str, list[Placed]] = {}
        for passage in by_id.values():
            if (placed := _placed(passage)) is not None:
                by_source.setdefault(passage.source_id, []).append(placed)
        return cls(by_id, {name: sorted(found) for name, found in by_source.items()})

    def state(self, passage: Passage) -> State:
        """Whether a passage is new here, known, or differs from what is held under its id or at its place in its source.

        >>> held = Held.of([Passage("She came.", source_id="d", char_start=0, char_end=9)])
        >>> texts = ["She came.", "She left.", "She came. She stayed."]
        >>> [held.state(Passage(text, source_id="d", char_start=0, char_end=len(text))) for text in texts]
        ['known', 'changed', 'new']
        """
        known = self.by_id.get(passage.id)
        if known is not None:
            return "known" if known.text == passage.text else "changed"
        placed = _placed(passage)
        return "new" if placed is None else _compared(placed, self.by_source.get(passage.source_id, []))


def _placed(passage: Passage) -> Placed | None:
    """None where the offsets are unknown or do not count the characters of the text."""
    start, end = passage.char_start, passage.char_end
    if start is None or end is None or end - start != len(passage.text):
        return None
    return start, end, passage.text


def _compared(placed: Placed, held: Iterable[Placed]) -> State:
    start, end, text = placed
    at = start  # up to here everything is held
    is_covered = True
    for begin, stop, other in held:
        first, last = max(begin, start), min(stop, end)
        if first >= last:
            continue
        if text[first - start : last - start] != other[first - begin : last - begin]:
            return "changed"
        is_covered = is_covered and is_blank(text[at - start : max(at, first) - start])
        at = max(at, last)
    return "known" if is_covered and is_blank(text[at - start :]) else "new"
