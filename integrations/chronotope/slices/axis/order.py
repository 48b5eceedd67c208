"""What a text says of before and after, and the search for an order that keeps all of it."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

__all__ = ["After", "Order", "OrderConstraint", "OrderRelation", "Side", "bounds_of", "chapter_of"]

OrderRelation: TypeAlias = Literal["before", "after", "during", "same"]


@dataclass(frozen=True, kw_only=True)
class OrderConstraint:
    """That one point of a story lies before, after or during another.

    Args:
        one: `chapter:5` or `event:the fire`; a chapter here is the one that is placed.
        relation: where it lies.
        other: the point by which it is placed.
        offset_days: days from start to start, at least 1, for `before` and `after`; None where only the order is told.
        evidence: the words that tell it.
        source_id: id of the document.
        told_in: number of the chapter that tells it; None where it is known from the beginning.

    Raises:
        ValueError: a point of another form, an unknown relation, or an offset that says nothing.

    >>> OrderConstraint(one="chapter:5", relation="before", other="chapter:4", offset_days=3650).statement
    'chapter 5 is 3650 days before chapter 4'
    """

    one: str
    relation: OrderRelation
    other: str
    offset_days: int | None = None
    evidence: str = ""
    source_id: str | None = None
    told_in: int | None = None

    def __post_init__(self) -> None:
        for point in (self.one, self.other):
            kind, _, name = point.partition(":")
            if kind not in ("chapter", "event") or not name.strip() or (kind == "chapter" and not _is_number(name)):
                raise ValueError(f"{point!r} is no point of a story: write 'chapter:5' or 'event:the fire'")
        if self.relation not in get_args(OrderRelation):
            raise ValueError(f"relation must be one of {', '.join(get_args(OrderRelation))}, not {self.relation!r}")
        if self.offset_days is not None and (self.offset_days < 1 or self.relation not in ("before", "after")):
            raise ValueError(f"offset_days counts 1 day or more before or after, not {self.offset_days} days {self.relation!r}")

    @property
    def statement(self) -> str:
        """What is told, on one line."""
        days = "" if self.offset_days is None else f"{self.offset_days} day{'s' * (self.offset_days != 1)} "
        relation = "at the same time as" if self.relation == "same" else self.relation
        return f"{_named(self.one)} is {days}{relation} {_named(self.other)}"

    @property
    def chapter(self) -> int | None:
        """The chapter that is placed; None where an event is."""
        return chapter_of(self.one)

    def to_json(self) -> dict[str, Any]:
        """The constraint as JSON values; `OrderConstraint(**saved)` is the inverse."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def chapter_of(point: str) -> int | None:
    """The number of a point that is a chapter."""
    kind, _, name = point.partition(":")
    return int(name) if kind == "chapter" else None


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def _named(point: str) -> str:
    kind, _, name = point.partition(":")
    return f"chapter {name}" if kind == "chapter" else name


Side: TypeAlias = tuple[str, bool]  # a point and False for its first tick, True for the first tick after it


class After(NamedTuple):
    """That `late` lies at least `ticks` after `early`; `why` is the constraint that says so, None where it goes without saying."""

    early: Side
    late: Side
    ticks: int
    why: OrderConstraint | None = None


def bounds_of(told: OrderConstraint) -> list[After]:
    """A constraint as differences of ticks."""
    one, other = ((told.one, False), (told.one, True)), ((told.other, False), (told.other, True))
    if told.relation == "during":
        return [After(other[0], one[0], 0, told), After(one[1], other[1], 0, told)]
    if told.relation == "same":
        sides = list(zip(one, other, strict=True))
        return [After(a, b, 0, told) for pair in sides for a, b in (pair, pair[::-1])]
    early, late = (one, other) if told.relation == "before" else (other, one)
    apart = [After(early[1], late[0], 0, told)]
    if told.offset_days is not None:
        apart += [After(early[0], late[0], told.offset_days, told), After(late[0], early[0], -told.offset_days, told)]
    return apart


class Order:
    """Differences between ticks that can all hold at once, with ticks at which they do.

    Ticks that satisfy everything are kept at all times. A new difference that they break is mended by moving what lies late to
    later ticks, in the order of how far each has to move; when that comes round to where it began, nothing can mend it.
    """

    def __init__(self) -> None:
        self.ticks: dict[Side, int] = {}
        self._later: dict[Side, list[After]] = {}
        self._earlier: dict[Side, list[After]] = {}

    def add_point(self, point: str, tick: int) -> None:
        """A new point that is one tick long for now; points never have no length."""
        start, end = (point, False), (point, True)
        if start in self.ticks:
            return
        self.ticks |= {start: tick, end: tick + 1}
        for side in (start, end):
            self._later[side], self._earlier[side] = [], []
        self._enter(After(start, end, 1))

    def add(self, bounds: Iterable[After]) -> tuple[OrderConstraint, ...] | None:
        """Add differences, all of them or none.

        Returns:
            None when they hold now, else the constraints that contradict them, in no more than one loop of differences.
        """
        moved: list[tuple[Side, int]] = []
        entered: list[After] = []
        for bound in bounds:
            against = self._mend(bound, moved)
            if against is not None:
                for side, move in moved:
                    self.ticks[side] -= move
                for done in reversed(entered):
                    self._later[done.early].remove(done)
                    self._earlier[done.late].remove(done)
                return against
            self._enter(bound)
            entered.append(bound)
        return None

    def _enter(self, bound: After) -> None:
        self._later[bound.early].append(bound)
        self._earlier[bound.late].append(bound)

    def _mend(self, bound: After, moved: list[tuple[Side, int]]) -> tuple[OrderConstraint, ...] | None:
        """Move sides to later ticks until the bound holds, and note it; the constraints in the way where it cannot."""
        missing = self.ticks[bound.early] + bound.ticks - self.ticks[bound.late]
        if bound.early == bound.late or missing <= 0:
            return () if bound.early == bound.late and bound.ticks > 0 else None
        moves = {bound.late: missing}
        came: dict[Side, After] = {}
        queue, done = [(-missing, bound.late)], set[Side]()
        while queue:
            _, side = heapq.heappop(queue)
            if side in done:
                continue
            if side == bound.early:
                return _told(came, bound)
            done.add(side)
            for onward in self._later[side]:
                move = self.ticks[side] + moves[side] + onward.ticks - self.ticks[onward.late]
                if onward.late not in done and move > moves.get(onward.late, 0):
                    moves[onward.late], came[onward.late] = move, onward
                    heapq.heappush(queue, (-move, onward.late))
        for side, move in moves.items():
            self.ticks[side] += move
        moved += moves.items()
        return None

    def earliest(self, placed: Mapping[Side, int]) -> dict[Side, int]:
        """The least tick of each side that the placed ones bound from below, the placed ones included."""
        return self._reach(placed, forwards=True)

    def latest(self, placed: Mapping[Side, int]) -> dict[Side, int]:
        """The greatest tick of each side that the placed ones bound from above, the placed ones included."""
        return {side: -tick for side, tick in self._reach({side: -tick for side, tick in placed.items()}, forwards=False).items()}

    def _reach(self, placed: Mapping[Side, int], *, forwards: bool) -> dict[Side, int]:
        """Greatest sums along differences. Ticks that satisfy all of them make every step a step down, as Dijkstra needs."""
        sign = 1 if forwards else -1
        queue = [(sign * self.ticks[side] - tick, side) for side, tick in placed.items()]
        heapq.heapify(queue)
        found: dict[Side, int] = {}
        while queue:
            slack, side = heapq.heappop(queue)
            if side in found:
                continue
            found[side] = sign * self.ticks[side] - slack
            for bound in (self._later if forwards else self._earlier)[side]:
                onward = bound.late if forwards else bound.early
                if onward not in found:
                    heapq.heappush(queue, (sign * self.ticks[onward] - found[side] - bound.ticks, onward))
        return found


def _told(came: Mapping[Side, After], bound: After) -> tuple[OrderConstraint, ...]:
    """The constraints along the way from the late side of a bound to its early one, each once."""
    side, told = bound.early, []
    while side != bound.late:
        step = came[side]
        if step.why is not None and step.why not in told:
            told.append(step.why)
        side = step.early
    return tuple(reversed(told))
