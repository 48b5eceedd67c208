"""What a slice is asked for, and which facts each constraint matches by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from chronotope.records import Issue
from chronotope.slices.graph.arrays import Bools
from chronotope.slices.story_time import axis_of, write_story_time
from chronotope.temporal.interval import Interval, merge

if TYPE_CHECKING:
    from chronotope.slices.graph.graph import StoryGraph

__all__ = ["Asked", "Chapters", "Include", "Match", "Names", "Times", "matches"]

Chapters: TypeAlias = "int | Interval | Iterable[int | Interval]"
Times: TypeAlias = "Interval | str | int | Iterable[Interval | str | int]"
Names: TypeAlias = "str | Iterable[str]"
Include: TypeAlias = Literal["include", "exclude"]


class Asked(NamedTuple):
    """The constraints of a slice, as given to `StoryGraph.slice`."""

    chapter: Chapters | None = None
    told: Chapters | None = None
    story_time: Times | None = None
    place: Names | None = None
    entities: Names | None = None
    hops: int = 1
    reader_at: int | None = None
    unplaced: Include = "exclude"
    untimed: Include = "exclude"


class Match(NamedTuple):
    """The facts that one constraint matches.

    Args:
        name: of the constraint.
        asked: what was asked, in words.
        mask: the facts, as a bitmap of rows.
        issues: what of it matches nothing.
    """

    name: str
    asked: str
    mask: Bools
    issues: tuple[Issue, ...] = ()


def matches(graph: StoryGraph, asked: Asked) -> Iterator[Match]:
    """What each given constraint matches in a graph; `reader_at` is the graph's own.

    Raises:
        TimeExpressionError: a text names no time of the story.
        ValueError: an option of another kind.
    """
    for name, value in (("unplaced", asked.unplaced), ("untimed", asked.untimed)):
        if value not in ("include", "exclude"):
            raise ValueError(f"{name} must be 'include' or 'exclude', not {value!r}")
    if asked.hops < 1:
        raise ValueError(f"hops must be at least 1, not {asked.hops}")
    if asked.chapter is not None:
        yield _playing(graph, asked)
    if asked.told is not None:
        yield _told(graph, asked.told)
    if asked.story_time is not None:
        yield _so_at(graph, asked)
    if asked.place is not None:
        yield _placed(graph, asked)
    if asked.entities is not None:
        yield _touching(graph, asked)


def _playing(graph: StoryGraph, asked: Asked) -> Match:
    """Told in the chapters, or so when they play."""
    chapters, issues = _chapters(graph, asked.chapter)
    times = [time for number in chapters for time in graph.axis.now(number)]
    for number in chapters:
        if not graph.axis.now(number):
            issues.append(Issue("unplaced_chapter", f"nothing tells when chapter {number} plays; only what it tells is found"))
    mask = graph.arrays.told_in(chapters) | _timed(graph, merge(times), asked.untimed)
    return Match("chapter", _in_words(asked.chapter), mask, tuple(issues))


def _told(graph: StoryGraph, told: Chapters) -> Match:
    chapters, issues = _chapters(graph, told)
    mask = graph.arrays.told_in(chapters)
    if chapters and not mask.any():
        issues.append(Issue("matches_nothing", f"no fact is told in {_in_words(told)}"))
    return Match("told", _in_words(told), mask, tuple(issues))


def _chapters(graph: StoryGraph, asked: Chapters | None) -> tuple[list[int], list[Issue]]:
    """Numbers of the chapters that are asked for and exist, ascending."""
    found: set[int] = set()
    several = _several(asked)
    issues = _unnamed("chapter", several)
    for one in several:
        if not isinstance(one, int | Interval) or isinstance(one, bool):
            raise TypeError(f"a chapter is a number or an Interval of numbers, not {one!r}")
        inside = [number for number in graph.chapters if (one == number if isinstance(one, int) else one.contains(number))]
        if not inside:
            last = f"chapters are {graph.chapters[0]} to {graph.chapters[-1]}" if graph.chapters else "no chapter is known"
            missing = "chapter" if one == Interval(None, None) else _in_words(one)
            issues.append(Issue("unknown_chapter", f"there is no {missing}; {last}"))
        found.update(inside)
    return sorted(found), issues


def _so_at(graph: StoryGraph, asked: Asked) -> Match:
    chapter = asked.chapter if isinstance(asked.chapter, int) else None
    several = _several(asked.story_time)
    times = [_read(graph, one, chapter) for one in several]
    words = "; ".join(one if isinstance(one, str) else write_story_time(time) for one, time in zip(several, times, strict=True))
    issues = _unnamed("time", several) + [
        Issue("empty_time", f"{write_story_time(time)} holds nothing, so it matches nothing") for time in times if time.is_empty
    ]
    mask = _timed(graph, times, asked.untimed)
    if not issues and not (mask & ~graph.arrays.timeless).any():
        issues.append(Issue("matches_nothing", f"nothing is told to be so at the time asked for: {words}"))
    return Match("story_time", words, mask, tuple(issues))


def _read(graph: StoryGraph, asked: Interval | str | int, chapter: int | None) -> Interval:
    if isinstance(asked, str):
        return graph.axis.read(asked, chapter=chapter)
    if isinstance(asked, int):
        return graph.axis.read(str(asked))
    if axis_of(asked) != graph.axis.kind and not (asked.start is None and asked.end is None):
        example = "TimeInterval.parse('1931')" if graph.axis.kind == "dates" else "Interval(3, 7)"
        raise ValueError(f"{asked!r} lies on another axis than the story, which has {graph.axis.kind}; give one such as {example}")
    return asked


def _timed(graph: StoryGraph, times: Sequence[Interval], untimed: Include) -> Bools:
    mask = graph.arrays.so_at(times)
    return mask | graph.arrays.untimed if untimed == "include" else mask


def _placed(graph: StoryGraph, asked: Asked) -> Match:
    """At the places or inside them; what is timeless and has no place is everywhere."""
    names = _names("place", asked.place)
    issues = _unnamed("place", names)
    inside = np.zeros(len(graph.places.ids) + 1, np.bool_)  # the last stands for "no place", which is -1
    for name in names:
        found = graph.place_ids(name)
        if not found:
            issues.append(Issue("unknown_place", f"{name!r} is no place of this story"))
        for place in found:
            inside[graph.place_numbers_inside(place)] = True
    mask = inside[graph.arrays.place]
    if not issues and not mask.any():
        issues.append(Issue("matches_nothing", f"nothing is told to be so at {', '.join(names)}"))
    nowhere = graph.arrays.place < 0
    mask |= nowhere if asked.unplaced == "include" else nowhere & graph.arrays.timeless
    return Match("place", ", ".join(names), mask, tuple(issues))


def _touching(graph: StoryGraph, asked: Asked) -> Match:
    names, numbers = _names("entity", asked.entities), []
    issues = _unnamed("entity", names)
    for name in names:
        found = graph.entity_ids_of(name)
        if not found:
            issues.append(Issue("unknown_entity", f"{name!r} is nobody and nothing that this story names"))
        numbers += [graph.numbers[one] for one in found]
    mask = graph.arrays.within(numbers, asked.hops, len(graph.entity_ids))
    words = ", ".join(names) + (f" within {asked.hops} steps" if asked.hops > 1 else "")
    return Match("entities", words, mask, tuple(issues))


def _names(what: str, asked: object) -> list[str]:
    """Names or ids; anything else is refused."""
    names = _several(asked)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{what} is asked for by name or id, not by {name!r}")
    return names


def _unnamed(what: str, asked: Sequence[object]) -> list[Issue]:
    """That a constraint of no values matches nothing."""
    return [] if asked else [Issue("matches_nothing", f"the list of what is asked for names no {what}, so nothing matches")]


def _several(asked: Any) -> list[Any]:  # noqa: ANN401 - one value or several, of any of the three kinds
    """One value, or several, as a list."""
    return [asked] if isinstance(asked, int | str | Interval) or not isinstance(asked, Iterable) else list(asked)


def _in_words(chapters: object) -> str:
    several = _several(chapters)
    if len(several) == 1 and isinstance(several[0], Interval):
        return _stretch(several[0])
    words = [write_story_time(one).replace("/", " to ") if isinstance(one, Interval) else str(one) for one in several]
    return f"chapter{'s' * (len(words) != 1)} {', '.join(words)}"


def _stretch(chapters: Interval) -> str:
    if chapters.start is None and chapters.end is None:
        return "all chapters"
    if chapters.end is None:
        return f"chapter {chapters.start} and later"
    if chapters.start is None:
        return f"chapters up to {chapters.end - 1}"
    return f"chapter{'s' * (chapters.length != 1)} {write_story_time(chapters).replace('/', ' to ')}"
