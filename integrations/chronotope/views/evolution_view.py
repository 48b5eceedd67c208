"""How somebody's place in a story changes, on a page: a line for each measure along the axis, with landmarks, and a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chronotope.slices import StoryGraph
from chronotope.slices.evolution.evolution import Evolution, EvolutionRow
from chronotope.slices.story_time import write_story_time
from chronotope.temporal.interval import Interval, TimeInterval
from chronotope.views.page import Page, asset, counted, fill, render

__all__ = ["evolution_view"]

_WIDTH, _LEFT, _RIGHT = 900, 52, 880
_TOP, _BOTTOM, _STEPS_BELOW, _NAMES_ABOVE = 12, 104, 26, 16
_LETTER = 7.2  # width of a letter of a step's name
_MEASURES = (
    ("degree", "Degree", "how many others it is joined to"),
    ("betweenness", "Betweenness", "share of shortest paths between others that lead through it"),
    ("places", "Places", "at how many places something is told of it"),
    ("bridge", "Bridge", "share of pairs of others that only it connects"),
)
_AXES = {"story": ("story time", "Story time", "step"), "chapters": ("chapters", "Chapter", "chapter")}


@dataclass(frozen=True)
class _Mark:
    """An event of the story, and where it lies between the first step and the last, which are 0 and the number of steps less 1."""

    name: str
    at: float


def evolution_view(evolution: Evolution, *, landmarks: Iterable[str] | None = None, title: str = "") -> Page:
    """Draw how somebody's place in a story changes: degree, betweenness, places and bridge score, each as a line.

    Args:
        evolution: what `chronotope.slices.evolution.evolution` found.
        landmarks: names or ids of events that are drawn as dashed lines; None draws all that the graph knows.
        title: of the page.

    Raises:
        TypeError: this is no evolution.
        ValueError: nothing places one of the landmarks that are asked for.
    """
    if not isinstance(evolution, Evolution):
        raise TypeError(f"evolution must be what evolution(graph, entity) found, not {type(evolution).__name__}")
    rows, marks = evolution.rows, _marks(evolution, landmarks)
    along, label, noun = _AXES[evolution.axis]
    summary = [counted(len(rows), noun), *(issue.message for issue in evolution.issues)]
    name = title or evolution.name
    body = fill(
        "evolution.html.j2",
        title=name,
        summary=summary,
        axis_name=along,
        axis_label=label,
        width=_WIDTH,
        left=_LEFT,
        right=_RIGHT,
        charts=_charts(rows),
        landmarks=_placed(marks, len(rows)),
        steps=_steps(rows),
        columns=["Facts", *(name for _, name, _ in _MEASURES)],
        rows=[
            {"told": row.step, "numbers": _numbers(row), "landmarks": [mark.name for mark in marks if round(mark.at) == at]}
            for at, row in enumerate(rows)
        ],
    )
    return render(name, body=body, style=asset("evolution.css"), told=", ".join(summary[:1]))


def _charts(rows: Sequence[EvolutionRow]) -> list[dict[str, object]]:
    return [_chart(rows, measure, number) for number, measure in enumerate(_MEASURES)]


def _chart(rows: Sequence[EvolutionRow], measure: tuple[str, str, str], number: int) -> dict[str, object]:
    """One line with its grid; the first chart has room for the names of landmarks, the last for those of steps."""
    field, name, says = measure
    values = [getattr(row, field) for row in rows]
    most, told = _scale(values)
    top = _TOP + (_NAMES_ABOVE if number == 0 else 0)
    bottom = top + _BOTTOM - _TOP

    def y(value: float) -> float:
        return round(bottom - (bottom - top) * value / most, 1)

    points = [
        {"x": _x(at, len(rows)), "y": y(value), "told": f"{row.step}: {_number(value)}"}
        for at, (row, value) in enumerate(zip(rows, values, strict=True))
    ]
    return {
        "name": name,
        "says": says,
        "summary": "; ".join(str(point["told"]) for point in points),
        "bottom": bottom,
        "height": bottom + (_STEPS_BELOW if number == len(_MEASURES) - 1 else 10),
        "grid": [{"y": y(value), "told": _number(value)} for value in told],
        "path": "M" + "L".join(f"{point['x']},{point['y']}" for point in points) if points else "",
        "points": points,
    }


def _scale(values: Sequence[float]) -> tuple[float, list[float]]:
    """The value at the top of a chart, and those that get a line: nothing, half of it, and all."""
    whole = all(isinstance(value, int) for value in values)
    most = max(values, default=0)
    if whole:
        top = max(2, most + most % 2)
        return top, [0, top // 2, top]
    ceiling = next((step for step in (0.1, 0.2, 0.5, 1.0) if most <= step), most)
    return ceiling, [0.0, ceiling / 2, ceiling]


def _x(at: float, count: int) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * (at + 0.5) / max(count, 1), 1)


def _steps(rows: Sequence[EvolutionRow]) -> list[dict[str, object]]:
    """Names of steps below the lines, as many as have room."""
    told = [_short(row.interval) for row in rows]
    room = (_RIGHT - _LEFT) / max(len(rows), 1)
    every = max(1, -(-int(max((len(name) for name in told), default=0) * _LETTER + 10) // max(int(room), 1)))
    return [{"x": _x(at, len(rows)), "told": name} for at, name in enumerate(told) if at % every == 0]


def _short(step: Interval) -> str:
    """A step in as few letters as it needs: `3/5`, `1931`, `59 BC – 58 BC`."""
    if not isinstance(step, TimeInterval):
        return write_story_time(step)
    words = re.sub(r"^(?:from|in|on|at) ", "", step.phrase())
    return words.replace(" to ", " – ")


def _placed(marks: Sequence[_Mark], count: int) -> list[dict[str, object]]:
    """Where landmarks are drawn; names that would run into each other stand on two lines in turn."""
    placed: list[dict[str, object]] = []
    for number, mark in enumerate(sorted(marks, key=lambda mark: (mark.at, mark.name))):
        x = _x(mark.at, count)
        is_late = x > (_LEFT + _RIGHT) / 2
        anchor, dx = ("end", -5) if is_late else ("start", 5)
        placed.append({"x": x, "y": 12 + 12 * (number % 2), "name": mark.name, "anchor": anchor, "dx": dx})
    return placed


def _marks(evolution: Evolution, asked: Iterable[str] | None) -> list[_Mark]:
    graph = evolution.graph
    if graph is None:
        if asked is not None:
            raise ValueError("an evolution without its graph knows no landmarks; ask evolution() of the graph again")
        return []
    found = []
    for name in graph.landmarks if asked is None else asked:
        at = next((at for one in (name, *graph.entity_ids_of(name)) if (at := _where(evolution, graph, one)) is not None), None)
        if at is not None:
            found.append(_Mark(graph.name_of(name), at))
        elif asked is not None:
            known = ", ".join(map(graph.name_of, graph.landmarks)) or "none"
            raise ValueError(f"nothing places {name!r} along these steps; known are {known}")
    return found


def _where(evolution: Evolution, graph: StoryGraph, landmark: str) -> float | None:
    """Where an event lies along the steps: on an axis of chapters in the first that tells of it."""
    time = graph.landmark(landmark)
    if time is None:
        return None
    if evolution.axis == "chapters":
        told = [fact.chapter for fact in graph.slice(entities=[landmark]).facts if fact.chapter is not None]
        return next((at for at, row in enumerate(evolution.rows) if told and row.interval.contains(min(told))), None)
    moment = time.start if time.start is not None else time.end
    steps = enumerate(row.interval for row in evolution.rows)
    return next((at + _share(moment, step) - 0.5 for at, step in steps if moment is not None and step.contains(moment)), None)


def _share(moment: int, step: Interval) -> float:
    """How far inside a step a moment lies, from 0 to 1."""
    return 0.5 if step.start is None or not step.length else (moment - step.start) / step.length


def _numbers(row: EvolutionRow) -> list[str]:
    return [str(row.facts), *(_number(getattr(row, field)) for field, _, _ in _MEASURES)]


def _number(value: float) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
