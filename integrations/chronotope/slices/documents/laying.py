"""Extractions that were made apart, on one axis: their ticks mean nothing to each other, the order of their chapters does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from chronotope.records import Issue
from chronotope.slices.axis import StoryAxis
from chronotope.slices.axis.axis import hull
from chronotope.slices.documents.stored import StoredFacts
from chronotope.slices.fact import Fact
from chronotope.slices.story_facts import StoryFacts
from chronotope.temporal.interval import Interval, TimeInterval

__all__ = ["joined", "with_stored"]


def joined(parts: Iterable[StoredFacts], base: StoryAxis | None = None) -> StoryFacts:
    """Everything that the parts tell, each fact once, on one axis.

    Extractions that were made apart, as in two worker processes, have ticks of their own. They are laid one after the other in the
    order of their chapters; one that shares a chapter with what is there is laid so that both play it at the same time.

    Args:
        parts: of one extraction or of several.
        base: an axis that is there already.

    Returns:
        Facts, entities, and the axis, which is None where `base` stays as it is.
    """
    runs: dict[str, list[StoredFacts]] = {}
    for part in parts:
        runs.setdefault(part.run, []).append(part)
    laid = _Laid(base)
    for run in sorted(runs.values(), key=_first_chapter):
        laid.add(run)
    if len(laid.ticks) > 1:
        told = f"{len(laid.ticks)} extractions were made apart; their chapters are laid one after the other, by their numbers"
        laid.issues.append(Issue("axes_joined", told))
    known = [entity for run in runs.values() for part in run for entity in part.entities]
    entities = {(entity.id, entity.type, entity.aliases): entity for entity in known}
    axis = None if laid.axis is base else laid.axis
    return StoryFacts(tuple(laid.facts.values()), tuple(laid.issues), entities=tuple(entities.values()), axis=axis)


def with_stored(found: StoryFacts, stored: Sequence[StoredFacts]) -> StoryFacts:
    """What was read now, with what was read before, on one axis.

    Args:
        found: of the texts that were read now.
        stored: of those that were not read again.
    """
    if not stored:
        return found
    own = StoredFacts(facts=found.items, entities=found.entities, axis=found.axis, run="read")
    both = joined([*stored, own] if found.items else stored)
    return replace(both, uncertain=found.uncertain, issues=(*found.issues, *both.issues))


class _Laid:
    """Extractions on one axis."""

    def __init__(self, base: StoryAxis | None) -> None:
        self.axis = base
        self.facts: dict[str, Fact] = {}
        self.issues: list[Issue] = []
        self.ticks: list[int] = []  # by how many ticks each of them was moved

    def add(self, run: Sequence[StoredFacts]) -> None:
        """Lay one more extraction onto the axis."""
        own, shift = _one_axis(run), 0
        if own is not None and self.axis is not None and own.kind != self.axis.kind:
            told = f"times on an axis of {own.kind} cannot be laid on one of {self.axis.kind}; these chapters have no time"
            self.issues.append(Issue("axis_kept", told))
        elif own is not None:
            if own.kind == "ticks":
                shift = 0 if self.axis is None else _shift(own, self.axis)
                self.ticks.append(shift)
            self.axis = _with(self.axis, own, shift)
        for fact in (fact for part in run for fact in part.facts):
            story = tuple(_moved(time, shift) for time in fact.story)
            self.facts.setdefault(fact.id, fact if story == fact.story else replace(fact, story=story))


def _first_chapter(run: Iterable[StoredFacts]) -> int:
    return min((number for part in run if part.axis is not None for number in part.axis.chapters), default=0)


def _one_axis(run: Iterable[StoredFacts]) -> StoryAxis | None:
    """The chapters of all parts of one extraction."""
    axes = [part.axis for part in run if part.axis is not None]
    if not axes:
        return None
    chapters = {number: when for axis in axes for number, when in axis.chapters.items()}
    landmarks = {name: when for axis in axes for name, when in axis.landmarks.items()}
    return replace(axes[0], chapters=chapters, landmarks=landmarks)


def _shift(own: StoryAxis, axis: StoryAxis) -> int:
    """By how many ticks an axis moves to fit behind another, or onto the chapter that both have."""
    for number, times in own.chapters.items():
        if times and axis.now(number):
            return (axis.now(number)[0].start or 0) - (times[0].start or 0)
    last, first = hull(_played(axis)), hull(_played(own))
    return 0 if last is None or first is None else (last.end or 0) - (first.start or 0)


def _played(axis: StoryAxis) -> list[Interval]:
    return [time for times in axis.chapters.values() for time in times if time.start is not None and time.end is not None]


def _with(axis: StoryAxis | None, own: StoryAxis, shift: int) -> StoryAxis:
    """An axis with the chapters and landmarks of another that it does not have."""
    chapters = {number: tuple(_moved(time, shift) for time in times) for number, times in own.chapters.items()}
    landmarks = {name: _moved(time, shift) for name, time in own.landmarks.items()}
    if axis is None:
        return replace(own, chapters=chapters, landmarks=landmarks)
    return replace(axis, chapters={**chapters, **axis.chapters}, landmarks={**landmarks, **axis.landmarks})


def _moved(time: Interval, shift: int) -> Interval:
    if not shift or isinstance(time, TimeInterval):
        return time
    return Interval(None if time.start is None else time.start + shift, None if time.end is None else time.end + shift)
