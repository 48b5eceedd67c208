"""A slice of a story on a page: who is where, what holds between them, and a slider over the chapters or the story's own time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import get_args

from chronotope.slices import Edge, Fact, StoryGraph, coordinates
from chronotope.temporal.interval import Interval
from chronotope.views.page import Page, asset, counted, fill, render
from chronotope.views.slice_view_layout import SliceLayout, lay_out_slice
from chronotope.views.slice_view_part import CONTAINS, Shown, SlicePart, parents_of, part_of
from chronotope.views.slice_view_steps import SliceAxis, Steps, chapter_steps, story_steps

__all__ = ["slice_view"]

_AXES = {"chapters": ("chapters", "Chapter"), "story": ("the story's own time", "Time of the story")}


def slice_view(
    shown: Shown,
    *,
    axis: SliceAxis = "chapters",
    places: bool = True,
    title: str = "",
    reader_at: int | None = None,
    limit: int = 300,
) -> Page:
    """Draw a slice: places as boxes inside boxes, those whose facts mostly happen there in them, relations as lines.

    A slider goes along the axis and shows what holds at each step; beside it everything is listed in words, each with its
    coordinates and the quotations that tell it.

    Args:
        shown: a slice, a graph, an index with a graph, or what a search brought.
        axis: what the slider goes along: `chapters`, or `story` for the story's own time. A chapter shows what it tells and what
            holds when it plays.
        places: whether places are boxes; else they are points like everybody else.
        title: of the page.
        reader_at: last chapter that the reader knows; nothing told later is in the file at all. A slice that was made with
            `reader_at` needs it no more.
        limit: largest number of persons and things; the page says how many more there are.

    Raises:
        TypeError: there is no slice in what is given.
        ValueError: another axis, or a limit below 1.
    """
    if axis not in get_args(SliceAxis):
        raise ValueError(f"axis must be chapters or story, not {axis!r}")
    if limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit}")
    part = part_of(shown, places=places, limit=limit, reader_at=reader_at)
    number = {entity: at for at, entity in enumerate(part.entities)}
    drawn = [(number[e.subject], number[e.object]) for e in part.edges if e.subject in number and e.object in number]
    boxes = {place: at for at, place in enumerate(part.places)}
    homes = [boxes.get(part.homes.get(entity, ""), -1) for entity in part.entities]
    layout = lay_out_slice(parents_of(part.places, part.graph), homes, drawn)
    steps = _steps(part, axis)
    summary = _summary(part, reader_at)
    name = title or "Slice of a story"
    body = fill(
        "slice.html.j2",
        title=name,
        summary=summary,
        count=len(part.edges),
        steps=len(steps.told),
        axis_name=_AXES[axis][0],
        axis_label=_AXES[axis][1],
        notes=_notes(part, steps, axis, limit),
        doubted=any(edge.low_confidence for edge in part.edges),
        boxes=len(boxes),
    )
    return render(
        name,
        body=body,
        style=asset("reader.css", "events.css", "slice.css"),
        script=asset("reader.js", "events.js", "slice.js"),
        data=_data(part, steps, layout, homes),
        told=", ".join(summary[:3]),
    )


def _steps(part: SlicePart, axis: SliceAxis) -> Steps:
    if axis == "chapters":
        return chapter_steps(part.graph, part.edges)
    return story_steps(part.graph, part.edges, _landmarks(part))


def _landmarks(part: SlicePart) -> dict[str, Interval]:
    return {part.name(entity): time for entity, time in part.graph.landmarks.items() if entity in part.entities}


def _summary(part: SlicePart, reader_at: int | None) -> list[str]:
    if not part.edges:
        return ["nothing"]
    told = [
        f"{len(part.entities):,} persons and things",
        *([counted(len(part.places), "place")] if part.places else []),
        counted(len(part.edges), "relation"),
        counted(len(part.facts), "fact"),
    ]
    return told + ([f"as read up to chapter {reader_at}"] if reader_at is not None else [])


def _notes(part: SlicePart, steps: Steps, axis: SliceAxis, limit: int) -> list[str]:
    """What is not on the page, or not at any step of the slider."""
    out, notes = part.left_out, list(part.issues)
    if out.entities:
        kept = f"{limit:,} of {limit + out.entities:,} persons and things are drawn, the most joined"
        notes.append(f"{kept}; {out.entities:,} are left out, and {counted(out.with_them, 'relation')} with them.")
    if out.edges:
        kept = f"{len(part.edges):,} of {len(part.edges) + out.edges:,} relations are shown"
        notes.append(f"{kept}, those that most facts tell; {out.edges:,} are left out.")
    if steps.left_out:
        notes.append(f"{counted(steps.left_out, 'change')} fall inside a step, since there are too many for a step each.")
    never = sum(not runs for runs in steps.holds)
    if never and steps.told:
        where = "chapter" if axis == "chapters" else "time"
        notes.append(f"{counted(never, 'relation')} of no known {where}: shown under All alone.")
    return notes


def _data(part: SlicePart, steps: Steps, layout: SliceLayout, homes: list[int]) -> dict[str, object]:
    number = {entity: at for at, entity in enumerate(part.entities)}
    boxes = {place: at for at, place in enumerate(part.places)}
    facts = {fact: at for at, fact in enumerate(part.facts)}
    cast = part.graph.cast
    return {
        "axis": "steps" if steps.told else "all",
        "width": layout.width,
        "height": layout.height,
        "steps": [{"told": told} for told in steps.told],
        "nodes": [
            {
                "name": part.name(one.id),
                "others": list(one.names[1:]),
                "type": one.type.replace("_", " "),
                "what": _shape(part, one.type),
                "x": x,
                "y": y,
                "home": home,
            }
            for one, (x, y), home in zip(map(cast.entity, part.entities), layout.points, homes, strict=True)
        ],
        "boxes": [
            {"name": part.name(place), "x": box.x, "y": box.y, "width": box.width, "height": box.height, "depth": box.depth}
            for place, box in zip(part.places, layout.boxes, strict=True)
        ],
        "edges": [
            _edge(part, edge, number, boxes) | {"facts": [facts[name] for name in edge.facts], "steps": runs}
            for edge, runs in zip(part.edges, steps.holds, strict=True)
        ],
        "facts": [_fact(part.graph, fact) for fact in part.facts.values()],
    }


def _edge(part: SlicePart, edge: Edge, number: Mapping[str, int], boxes: Mapping[str, int]) -> dict[str, object]:
    said = edge.relation.replace("_", " ")
    names = [part.name(end) for end in (edge.subject, edge.object) if end]
    ends = [_end(end, number, boxes) for end in (edge.subject, edge.object)]
    there = {part.graph.ends_of(part.facts[name])[2] for name in edge.facts}
    known = part.graph.ontology.relations.get(edge.relation)  # none for a relation that the ontology does not know
    symmetric = known is not None and known.symmetric
    contains = edge.relation == CONTAINS and bool(boxes)
    told = " — ".join([names[0], said, *names[1:]])
    return {
        "told": told,
        "relation": said,
        "a": None if contains else ends[0],
        "b": None if contains else ends[1],
        "kind": edge.kind,
        "group": "places" if edge.relation == CONTAINS else edge.kind,
        "low": edge.low_confidence,
        "directed": not symmetric,
        "endings": list(_endings(part, edge)),
        "places": sorted(boxes[place] for place in there if place in boxes),
    }


def _shape(part: SlicePart, type_: str) -> str:
    """As what somebody or something is drawn; who is of no known type may be a person."""
    types, ontology = part.graph.ontology.types, part.graph.ontology
    if not type_ or type_ not in types or ontology.is_a(type_, "person") or ontology.is_a(type_, "group"):
        return "person"
    return "event" if ontology.is_a(type_, "event") else "thing"


def _end(end: str, number: Mapping[str, int], boxes: Mapping[str, int]) -> int | dict[str, int] | None:
    """A point by its number, a box by its own; None for what is neither."""
    return number[end] if end in number else {"box": boxes[end]} if end in boxes else None


def _endings(part: SlicePart, edge: Edge) -> Iterable[str]:
    """By what a state ended, in the words of the fact that ended it."""
    for ending in dict.fromkeys(ending.fact for ending in edge.endings):
        yield f"ended by: {part.graph.fact(ending).statement}"


def _fact(graph: StoryGraph, fact: Fact) -> dict[str, object]:
    span = "" if fact.char_start is None else f"characters {fact.char_start:,}–{fact.char_end:,}"
    return {
        "quote": " ".join(fact.quote.split()),
        "where": coordinates(fact, graph),
        "source": ", ".join(filter(None, (fact.source_id, span))),
    }
