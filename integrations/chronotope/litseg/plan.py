"""A segmentation as sentence numbers: what a model proposes, what is wrong with it, and how it is put right.

Numbers count from 1, both ends inside, as in the numbered text that a model reads. A plan is usable when every sentence is in at
least one main range; main ranges may overlap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from chronotope.records import Issue

__all__ = ["UNIT_UNCUT", "PlannedSegment", "SegmentPlan"]

UNIT_UNCUT = "unit_uncut"  # kind of the issue that no segment was usable


@dataclass(frozen=True)
class PlannedSegment:
    """One block: its main range, and sentences from elsewhere that help to understand it.

    Args:
        from_idx: first sentence of the main range.
        to_idx: last sentence of it, inside.
        subtitle: what happens, in a few words.
        context_idx: sentences outside the main range, anywhere in the unit.
        turning_points: types of the turning points that open the block.
    """

    from_idx: int
    to_idx: int
    subtitle: str = ""
    context_idx: tuple[int, ...] = ()
    turning_points: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"segment {self.from_idx}-{self.to_idx}"


@dataclass(frozen=True)
class SegmentPlan:
    """The blocks of one unit.

    Args:
        segments: in the order of the story.

    >>> plan = SegmentPlan((PlannedSegment(1, 2), PlannedSegment(4, 5)))
    >>> plan.problems(5)
    ('sentence 3 is in no segment',)
    >>> mended, issues = plan.repaired(5)
    >>> mended
    SegmentPlan(1-3, 4-5)
    >>> print(issues[0])
    [gap_closed] sentence 3 was in no segment and was added to segment 1-2

    Source: LitSeg, section 3.1.2, "Validation, Retry, and Fallback".
    """

    segments: tuple[PlannedSegment, ...] = ()

    @classmethod
    def whole(cls, n: int) -> SegmentPlan:
        """The plan that leaves a unit of `n` sentences uncut."""
        return cls((PlannedSegment(1, n),) if n else ())

    @classmethod
    def from_starts(cls, starts: Sequence[int], n: int) -> SegmentPlan:
        """The plan that cuts before the given sentences.

        >>> SegmentPlan.from_starts([1, 4], 6)
        SegmentPlan(1-3, 4-6)
        """
        borders = [*starts, n + 1]
        return cls(tuple(PlannedSegment(start, end - 1) for start, end in pairwise(borders)))

    def problems(self, n: int) -> tuple[str, ...]:
        """What is wrong with the plan for a unit of `n` sentences, said so that a model can mend it; empty when it is usable."""
        return (*self.range_problems(n), *self.context_problems(n))

    def range_problems(self, n: int) -> tuple[str, ...]:
        """What is wrong with the main ranges: beyond the unit, backwards, out of order, twice, or a sentence that none has."""
        if not self.segments:
            return ("there is no segment",) if n else ()
        wrong = [
            f"{part} is outside 1-{n}" if part.from_idx <= part.to_idx else f"{part} ends before it starts"
            for part in self.segments
            if not 1 <= part.from_idx <= part.to_idx <= n
        ]
        late = [
            f"{part} starts before {before}, which is listed first"
            for before, part in pairwise(self.segments)
            if part.from_idx < before.from_idx
        ]
        counts = Counter((part.from_idx, part.to_idx) for part in self.segments)
        twice = [f"segment {first}-{last} is listed {count} times" for (first, last), count in counts.items() if count > 1]
        gaps = [] if wrong else [f"{_sentences(first, last)} in no segment" for first, last in _gaps(self.segments, n)]
        return (*wrong, *late, *twice, *gaps)

    def context_problems(self, n: int) -> tuple[str, ...]:
        """Context sentences that do not exist, or that the main range has already."""
        return tuple(
            f"context sentence {index} of {part} is {'outside 1-' + str(n) if not 1 <= index <= n else 'in its main range'}"
            for part in self.segments
            for index in part.context_idx
            if not 1 <= index <= n or part.from_idx <= index <= part.to_idx
        )

    def repaired(self, n: int) -> tuple[SegmentPlan, tuple[Issue, ...]]:
        """A usable plan that keeps what can be kept, and an issue for each change; a plan without problems stays as it is.

        Ranges are clipped to the unit, turned round where they run backwards, dropped where nothing of them is left or where they
        repeat another, and sorted. Missing sentences go to the block on their left, to the one on their right where there is none.
        """
        if not self.problems(n):
            return self, ()
        issues: list[Issue] = []
        kept = [part for part in (_inside(part, n, issues) for part in self.segments) if part is not None]
        ordered = sorted(kept, key=lambda part: part.from_idx)
        if ordered != kept:
            issues.append(Issue("segments_sorted", "the segments came out of order and were sorted"))
        distinct = _distinct(ordered, issues)
        if not distinct:
            issues.append(Issue(UNIT_UNCUT, "no segment was usable; the unit stays whole"))
            return SegmentPlan.whole(n), tuple(issues)
        covered = _covered(distinct, n, issues)
        return SegmentPlan(tuple(_sound_context(part, n, issues) for part in covered)), tuple(issues)

    def render(self, sentences: Sequence[str]) -> tuple[str, ...]:
        """The main range of each block as text: its sentences joined, which slices the source when they partition it.

        >>> SegmentPlan.from_starts([1, 3], 3).render(["One. ", "Two. ", "Three."])
        ('One. Two. ', 'Three.')

        Raises:
            ValueError: the plan has problems for this number of sentences.
        """
        if problems := self.range_problems(len(sentences)):
            raise ValueError(f"the plan does not fit {len(sentences)} sentences: {'; '.join(problems)}")
        return tuple("".join(sentences[part.from_idx - 1 : part.to_idx]) for part in self.segments)

    def __repr__(self) -> str:
        return f"SegmentPlan({', '.join(f'{part.from_idx}-{part.to_idx}' for part in self.segments)})"


def _sentences(first: int, last: int, verb: tuple[str, str] = ("is", "are")) -> str:
    return f"sentence {first} {verb[0]}" if first == last else f"sentences {first}-{last} {verb[1]}"


def _gaps(segments: Sequence[PlannedSegment], n: int) -> list[tuple[int, int]]:
    """Runs of sentences that no main range has."""
    gaps, reached = [], 0
    for part in sorted(segments, key=lambda part: part.from_idx):
        if part.from_idx > reached + 1:
            gaps.append((reached + 1, part.from_idx - 1))
        reached = max(reached, part.to_idx)
    return [*gaps, (reached + 1, n)] if reached < n else gaps


def _inside(part: PlannedSegment, n: int, issues: list[Issue]) -> PlannedSegment | None:
    first, last = sorted((part.from_idx, part.to_idx))
    if max(first, 1) > min(last, n):
        issues.append(Issue("segment_dropped", f"{part} lies outside 1-{n}"))
        return None
    sound = replace(part, from_idx=max(first, 1), to_idx=min(last, n))
    if (sound.from_idx, sound.to_idx) != (part.from_idx, part.to_idx):
        issues.append(Issue("range_repaired", f"{part} was read as {sound.from_idx}-{sound.to_idx}"))
    return sound


def _distinct(segments: Iterable[PlannedSegment], issues: list[Issue]) -> list[PlannedSegment]:
    """The blocks without those whose range an earlier one has."""
    first: dict[tuple[int, int], PlannedSegment] = {}
    repeated = [part for part in segments if first.setdefault((part.from_idx, part.to_idx), part) is not part]
    issues += [Issue("segment_dropped", f"{part} repeats the range of another") for part in repeated]
    return list(first.values())


def _covered(segments: Sequence[PlannedSegment], n: int, issues: list[Issue]) -> list[PlannedSegment]:
    """The blocks, grown over the gaps."""
    grown = list(segments)
    for first, last in _gaps(segments, n):
        left = [place for place, part in enumerate(segments) if part.to_idx == first - 1]
        place = left[-1] if left else 0
        was = _sentences(first, last, ("was", "were"))
        issues.append(Issue("gap_closed", f"{was} in no segment and {was.split()[-1]} added to {segments[place]}"))
        grown[place] = replace(grown[place], to_idx=last) if left else replace(grown[place], from_idx=first)
    return grown


def _sound_context(part: PlannedSegment, n: int, issues: list[Issue]) -> PlannedSegment:
    sound = tuple(sorted({i for i in part.context_idx if 1 <= i <= n and not part.from_idx <= i <= part.to_idx}))
    if dropped := sorted(set(part.context_idx) - set(sound)):
        told = ", ".join(map(str, dropped))
        issues.append(Issue("context_dropped", f"context sentences of {part} that do not exist or are in it: {told}"))
    return replace(part, context_idx=sound)
