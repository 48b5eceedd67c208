"""Where the entities of a slice stand: places as boxes inside boxes, each with those whose facts mostly happen there.

No chance is involved: the same places, entities and edges give the same picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import TypeAlias

import numpy as np

__all__ = ["Box", "SliceLayout", "lay_out_slice"]

Point: TypeAlias = tuple[float, float]

_CELL_WIDTH, _CELL_HEIGHT = 128.0, 62.0  # room for one entity and its name below it
_TITLE, _INSIDE, _BETWEEN = 30.0, 12.0, 16.0  # for the name of a box, around what is in it, between two boxes
_LEAST_WIDTH = 156.0
_ASPECT = 1.4
_WIDTHS_TRIED = 24
_SEATS_UP_TO = 9  # more entities in one place are first drawn together by their edges
_ROUNDS = 80
_GOLDEN = 2.399963229728653
_SWAPS = 4
_SWAPPED_UP_TO = 60


@dataclass(frozen=True)
class Box:
    """The rectangle of a place.

    Args:
        x: its left side.
        y: its top.
        width: from left to right.
        height: from top to bottom.
        depth: how many boxes it lies in.
    """

    x: float
    y: float
    width: float
    height: float
    depth: int


@dataclass(frozen=True)
class SliceLayout:
    """The picture.

    Args:
        boxes: one for each place, in the order given.
        points: x and y of each entity, in the order given.
        width: of the picture.
        height: of the picture.
    """

    boxes: tuple[Box, ...]
    points: tuple[Point, ...]
    width: float
    height: float


@dataclass(frozen=True)
class _Block:
    """Something with a size, and what lies where in it: entities as points, places as rectangles."""

    width: float
    height: float
    points: Mapping[int, Point]
    boxes: Mapping[int, Box]

    def moved(self, x: float, y: float, deeper: int = 0) -> _Block:
        points = {name: (px + x, py + y) for name, (px, py) in self.points.items()}
        boxes = {place: Box(b.x + x, b.y + y, b.width, b.height, b.depth + deeper) for place, b in self.boxes.items()}
        return _Block(self.width, self.height, points, boxes)


def lay_out_slice(parents: Sequence[int], homes: Sequence[int], links: Iterable[tuple[int, int]]) -> SliceLayout:
    """Place boxes and entities.

    Args:
        parents: for each place the number of the place around it, -1 for none.
        homes: for each entity the number of its place, -1 for none.
        links: pairs of entities that are joined.

    >>> picture = lay_out_slice([-1, 0], [1, 0], [(0, 1)])
    >>> house, room = picture.boxes
    >>> house.x < room.x and room.x + room.width < house.x + house.width
    True
    """
    beside = _beside(len(homes), links)
    children: dict[int, list[int]] = {}
    for place, parent in enumerate(parents):
        children.setdefault(parent, []).append(place)
    held: dict[int, list[int]] = {}
    for entity, home in enumerate(homes):
        held.setdefault(home, []).append(entity)

    def filled(place: int) -> _Block:
        blocks = [_block_of(held[place], beside)] if held.get(place) else []
        blocks += [_boxed(child, filled(child)) for child in children.get(place, ())]
        return _packed(blocks)

    whole = filled(-1)
    points = _shortened(dict(whole.points), held, beside)
    boxes = [whole.boxes[place] for place in range(len(parents))]
    rounded = tuple((round(points[entity][0], 1), round(points[entity][1], 1)) for entity in range(len(homes)))
    return SliceLayout(tuple(boxes), rounded, round(whole.width, 1), round(whole.height, 1))


def _beside(count: int, links: Iterable[tuple[int, int]]) -> list[list[int]]:
    """For each entity those that it is joined with, once for each edge."""
    beside: list[list[int]] = [[] for _ in range(count)]
    for one, other in links:
        if one != other:
            beside[one].append(other)
            beside[other].append(one)
    return beside


def _boxed(place: int, block: _Block) -> _Block:
    width = max(block.width + 2 * _INSIDE, _LEAST_WIDTH)
    height = block.height + _TITLE + (_INSIDE if block.height else 4)
    inner = block.moved((width - block.width) / 2, _TITLE, deeper=1)
    return _Block(width, height, inner.points, {**inner.boxes, place: Box(0, 0, width, height, 0)})


def _packed(blocks: Sequence[_Block]) -> _Block:
    """Blocks in rows, the tall ones first, of the width that leaves the least room empty on a screen."""
    if not blocks:
        return _Block(0, 0, {}, {})
    least, most = max(block.width for block in blocks), sum(block.width + _BETWEEN for block in blocks)
    widths = [least + (most - least) * share / _WIDTHS_TRIED for share in range(_WIDTHS_TRIED + 1)]
    return min((_in_rows(blocks, width) for width in widths), key=lambda block: max(block.width / _ASPECT, block.height))


def _in_rows(blocks: Sequence[_Block], wide: float) -> _Block:
    x = y = row = right = 0.0
    points: dict[int, Point] = {}
    boxes: dict[int, Box] = {}
    for number in sorted(range(len(blocks)), key=lambda place: (-blocks[place].height, place)):
        block = blocks[number]
        if x and x + block.width > wide:
            x, y, row = 0.0, y + row + _BETWEEN, 0.0
        moved = block.moved(x, y)
        points |= moved.points
        boxes |= moved.boxes
        right, x, row = max(right, x + block.width), x + block.width + _BETWEEN, max(row, block.height)
    return _Block(right, y + row, points, boxes)


def _block_of(entities: Sequence[int], beside: Sequence[Sequence[int]]) -> _Block:
    """The entities of one place in rows, joined ones near each other."""
    many = len(entities) > _SEATS_UP_TO
    columns = max(1, ceil(sqrt(len(entities) * (_ASPECT * _CELL_HEIGHT / _CELL_WIDTH if many else 0.9))))
    rows = ceil(len(entities) / columns)
    shift = _CELL_WIDTH * 0.3 if rows > 1 else 0.0  # so that an edge does not run through the name between its ends
    points = {
        entity: (
            _CELL_WIDTH * (number % columns + 0.5) + shift * (number // columns % 2),
            _CELL_HEIGHT * (number // columns + 0.4),
        )
        for number, entity in enumerate(_seated(entities, beside, columns) if many else entities)
    }
    return _Block(_CELL_WIDTH * columns + shift, _CELL_HEIGHT * rows, points, {})


def _seated(entities: Sequence[int], beside: Sequence[Sequence[int]], columns: int) -> list[int]:
    """The order in which many entities fill their rows: as they lie once edges have drawn them together."""
    x, y = _drawn(entities, beside)
    downwards = sorted(range(len(entities)), key=lambda place: (y[place], place))
    rows = [downwards[first : first + columns] for first in range(0, len(downwards), columns)]
    return [entities[place] for row in rows for place in sorted(row, key=lambda place: (x[place], place))]


def _drawn(entities: Sequence[int], beside: Sequence[Sequence[int]]) -> tuple[list[float], list[float]]:
    """Joined entities draw near, and all push each other away."""
    count = len(entities)
    number = {entity: place for place, entity in enumerate(entities)}
    pulls = np.zeros((count, count))
    for entity, place in number.items():
        for other in beside[entity]:
            if other in number:
                pulls[place, number[other]] = 1.0
    turn = np.arange(count) * _GOLDEN
    x, y = np.sqrt(np.arange(count) + 0.5) * np.cos(turn), np.sqrt(np.arange(count) + 0.5) * np.sin(turn)
    for step in range(_ROUNDS):
        across, down = x[:, None] - x[None, :], y[:, None] - y[None, :]
        far = across**2 + down**2 + 1e-9
        force = 1.2 / far - pulls * np.sqrt(far) / 6
        right, low = (across * force).sum(axis=1) - x * 0.02, (down * force).sum(axis=1) - y * 0.02
        most = 0.5 * (1 - step / _ROUNDS) + 0.01
        slower = np.minimum(1, most / (np.sqrt(right**2 + low**2) + 1e-9))
        x, y = x + right * slower, y + low * slower
    return np.round(x, 6).tolist(), np.round(y, 6).tolist()


def _shortened(points: dict[int, Point], held: Mapping[int, Sequence[int]], beside: Sequence[Sequence[int]]) -> dict[int, Point]:
    """Entities of one small place change seats where that makes their edges shorter."""

    def length(entity: int, seat: Point, without: int) -> float:
        x, y = seat
        return sum(sqrt((points[o][0] - x) ** 2 + (points[o][1] - y) ** 2) for o in beside[entity] if o != without)

    for _ in range(_SWAPS):
        better = False
        for entities in held.values():
            if len(entities) > _SWAPPED_UP_TO:
                continue
            for place, one in enumerate(entities):
                for other in entities[place + 1 :]:
                    here, there = points[one], points[other]
                    now = length(one, here, other) + length(other, there, one)
                    if length(one, there, other) + length(other, here, one) < now - 1e-6:
                        points[one], points[other] = there, here
                        better = True
        if not better:
            break
    return points
