"""The axis of a story's own time: when each chapter plays, when landmarks were, and how readers speak of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from chronotope.records import Issue
from chronotope.slices.axis.phrases import phrase
from chronotope.slices.axis.reading import read
from chronotope.slices.story_time import AxisKind, axis_of, read_story_time, write_story_time
from chronotope.temporal.interval import Interval, TimeInterval

__all__ = ["StoryAxis", "hull"]


@dataclass(frozen=True, kw_only=True)
class StoryAxis:
    """When chapters play in the time of the story.

    Args:
        kind: `ticks` where only the order is known (one tick is one day where a text tells distances), or `dates`.
        chapters: the times at which each chapter plays, by its number; several when it plays at several times, none where unknown.
        landmarks: when events with a name of their own were, by name.
        issues: what was dropped or guessed while the axis was made.
        before: what a reader knows of chapters whose place is only told later: by the number of the chapter that tells it, when the
            chapters before it seem to play until then.

    Raises:
        ValueError: a time that lies on another axis.

    >>> axis = StoryAxis(chapters={1: (Interval(0, 1),), 2: (Interval(1, 2),)}, landmarks={"the fire": Interval(-9, -8)})
    >>> axis.now(2), axis.now(7), axis.read("before the fire"), axis.phrase(Interval(1, 2))
    ((Interval(start=1, end=2),), (), Interval(start=None, end=-9), 'while chapter 2 plays')
    """

    kind: AxisKind = "ticks"
    chapters: Mapping[int, tuple[Interval, ...]] = field(default_factory=dict)
    landmarks: Mapping[str, Interval] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()
    before: Mapping[int, Mapping[int, tuple[Interval, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        chapters = {number: tuple(self.chapters[number]) for number in sorted(self.chapters)}
        before = {telling: MappingProxyType(dict(self.before[telling])) for telling in sorted(self.before)}
        landmarks = dict(self.landmarks)
        plays = [time for known in (chapters, *before.values()) for times in known.values() for time in times]
        for time in (*landmarks.values(), *plays):
            if axis_of(time) != self.kind:
                raise ValueError(f"{write_story_time(time)} is no time of an axis of {self.kind}")
        object.__setattr__(self, "chapters", MappingProxyType(chapters))
        object.__setattr__(self, "landmarks", MappingProxyType(landmarks))
        object.__setattr__(self, "before", MappingProxyType(before))

    def now(self, chapter: int | None) -> tuple[Interval, ...]:
        """The times at which a chapter plays; none where nothing tells."""
        return () if chapter is None else self.chapters.get(chapter, ())

    @property
    def whole(self) -> Interval:
        """The axis from end to end."""
        return TimeInterval(None, None) if self.kind == "dates" else Interval(None, None)

    def read(self, text: str, *, chapter: int | None = None) -> Interval:
        """The stretch that a text names.

        Args:
            text: `12` or `3/6` (EDTF on an axis of dates), `chapter 5`, `before the fire`, `ten years earlier`, `three days before
                the fire`, and the same in Chinese: `第五回`, `十年前`, `三日後`, `火灾之前`.
            chapter: chapter that says so; what is told without a point of its own counts from when it plays.

        Raises:
            TimeExpressionError: the text names no time of this axis, or one that counts from a chapter that plays at no known time.
        """
        return read(text, self, chapter)

    def phrase(self, interval: Interval) -> str:
        """A stretch of the axis for readers: `while chapter 5 plays`, `about ten years before chapter 5`, `in 1931`."""
        return phrase(interval, self)

    def until(self, chapter: int) -> StoryAxis:
        """The axis as a reader knows it who has read up to a chapter: no later chapters, no landmarks, no issues.

        Chapters keep their ticks, so that times of the story mean the same, but where their place is only told later. Landmarks are
        named by the graph of what was told.
        """
        seeming = next((known for telling, known in self.before.items() if telling > chapter), {})
        plays = {number: seeming.get(number, times) for number, times in self.chapters.items() if number <= chapter}
        before: dict[int, dict[int, tuple[Interval, ...]]] = {}
        for telling, known in self.before.items():
            if telling <= chapter:
                before[telling] = {number: times for number, times in known.items() if number <= chapter}
        return replace(self, chapters=plays, landmarks={}, issues=(), before=before)

    def with_landmarks(self, landmarks: Mapping[str, Interval]) -> StoryAxis:
        """The axis with more landmarks; those that it has keep their times."""
        return replace(self, landmarks={**landmarks, **self.landmarks})

    def to_json(self) -> dict[str, Any]:
        """The axis as JSON values; `from_json` is the inverse."""
        return {
            "kind": self.kind,
            "chapters": _written(self.chapters),
            "landmarks": {name: write_story_time(time) for name, time in self.landmarks.items()},
            "issues": [[issue.kind, issue.message, issue.source_id] for issue in self.issues],
            "before": {str(telling): _written(known) for telling, known in self.before.items()},
        }

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> StoryAxis:
        """Read what `to_json` wrote."""
        kind: AxisKind = saved["kind"]
        return cls(
            kind=kind,
            chapters=_read(saved["chapters"], kind),
            landmarks={name: read_story_time(text, kind) for name, text in saved["landmarks"].items()},
            issues=tuple(Issue(*issue) for issue in saved["issues"]),
            before={int(telling): _read(known, kind) for telling, known in saved.get("before", {}).items()},
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return StoryAxis.from_json, (self.to_json(),)


def _written(chapters: Mapping[int, tuple[Interval, ...]]) -> dict[str, list[str]]:
    return {str(number): [write_story_time(time) for time in times] for number, times in chapters.items()}


def _read(saved: Mapping[str, Iterable[str]], kind: AxisKind) -> dict[int, tuple[Interval, ...]]:
    return {int(number): tuple(read_story_time(text, kind) for text in times) for number, times in saved.items()}


def hull(intervals: Iterable[Interval]) -> Interval | None:
    """The least stretch that covers all of the intervals; None when there are none. Empty ones do not count.

    >>> hull([Interval(5, 9), Interval(1, 3)])
    Interval(start=1, end=9)
    """
    covered: Interval | None = None
    for item in intervals:
        if item.is_empty:
            continue
        if covered is None:
            covered = item
            continue
        start = None if covered.start is None or item.start is None else min(covered.start, item.start)
        end = None if covered.end is None or item.end is None else max(covered.end, item.end)
        covered = stretch(start, end, covered, item)
    return covered


def stretch(start: int | None, end: int | None, *like: Interval) -> Interval:
    """A stretch on the axis of some others, as fine as the finest of them."""
    grains = [item.grain for item in like if isinstance(item, TimeInterval)]
    return TimeInterval(start, end, min(grains)) if grains else Interval(start, end)
