"""Into a story index: what was read before travels with its passages, the rest is read; and extractions that were made apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from chronotope.records import Issue, Passage
from chronotope.slices.axis import StoryAxis
from chronotope.slices.axis.axis import hull
from chronotope.slices.chaptered import last_chapters, with_chapters
from chronotope.slices.extract import FactSettings
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.given import GivenFacts, given_facts, kept_out
from chronotope.slices.index import StoryIndex
from chronotope.slices.ingest import StoryIngested, ingest_story
from chronotope.slices.stored import FACTS_KEY, StoredFacts, has_stored
from chronotope.slices.story_facts import StoryFacts
from chronotope.steps import Step
from chronotope.temporal.interval import Interval, TimeInterval

__all__ = ["ingest_given", "ingest_told", "joined"]


def ingest_told(
    passages: Sequence[Passage], index: StoryIndex, *, settings: FactSettings | None = None, private: Sequence[str] = ()
) -> Step[StoryIngested]:
    """Add passages and their facts: those that travel with them as they are, those of other passages once they are read.

    Every passage is held with the last chapter that it tells, and without the text of its facts, which may tell more than the
    reader of an earlier chapter knows.

    Args:
        passages: in the order of telling.
        index: where they go.
        settings: how passages without facts are read.
        private: metadata keys that extraction does not get to see.

    Raises:
        FactError: the facts of a passage cannot be read.
    """
    stored = [(passage, StoredFacts.from_text(passage.metadata[FACTS_KEY])) for passage in passages if has_stored(passage.metadata)]
    fresh = [passage for passage in passages if not has_stored(passage.metadata)]
    bare = with_chapters([_bare(passage) for passage, _ in stored], [part.chapter for _, part in stored])
    told = yield from _ingest_found(joined((part for _, part in stored), _axis_of(index)), bare, index)
    read = yield from ingest_story(with_chapters(fresh, last_chapters(fresh)), index, settings=settings, private=private)
    return StoryIngested(
        told.added + read.added,
        (*told.ids, *read.ids),
        read.uncertain,
        (*told.issues, *read.issues, *kept_out(read.uncertain)),
    )


def ingest_given(
    facts: GivenFacts, passages: Sequence[Passage], index: StoryIndex, *, entities: Iterable[Entity] = ()
) -> Step[StoryIngested]:
    """Add facts that are known already, checked against the ontology of the index, and the passages that they were read in.

    Args:
        facts: see `given_facts`.
        passages: with the same `source_id` and offsets; they are not read again.
        index: where they go.
        entities: what is known of persons and places.

    Raises:
        FactError: nothing in a file is a fact, or its times lie on two axes.
    """
    found = given_facts(facts, ontology=index.ontology, entities=entities, axis=index.axis)
    if isinstance(facts, StoryFacts) and found.axis is not None:
        whole = StoredFacts(facts=found.items, entities=found.entities, axis=found.axis, run="given")
        found = replace(found, items=(laid := joined([whole], _axis_of(index))).items, axis=laid.axis, issues=laid.issues)
    else:
        found = replace(found, axis=None)
    bare = [_bare(passage) for passage in passages]
    done = yield from _ingest_found(found, with_chapters(bare, last_chapters(bare)), index)
    return done


def _ingest_found(found: StoryFacts, passages: Sequence[Passage], index: StoryIndex) -> Step[StoryIngested]:
    added = yield from index.add(found.items, passages, found.entities)
    if found.axis is not None:
        index.axis = found.axis
    return StoryIngested(added, tuple(fact.id for fact in found.items), found.uncertain, found.issues)


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


def _axis_of(index: StoryIndex) -> StoryAxis | None:
    return index.axis or (index.graph.axis if len(index) else None)


def _bare(passage: Passage) -> Passage:
    return replace(passage, metadata={key: value for key, value in passage.metadata.items() if key != FACTS_KEY})


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
