"""The plan of a unit by rules alone: signs of a turn, then the borders that suit them and the wanted length best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from chronotope.litseg.candidates import Candidate
from chronotope.litseg.changed import changed
from chronotope.litseg.plan import PlannedSegment, SegmentPlan
from chronotope.litseg.rules.blocks import Block, blocks
from chronotope.litseg.rules.cohesion import Floats, depth, names, similarity, standard, terms, vector_similarity
from chronotope.litseg.rules.optimise import best_borders
from chronotope.litseg.rules.signs import TOLD, SignWeights, evidence, printed
from chronotope.steps import Step, embed

__all__ = ["RuleSettings", "plan_by_rules"]

_EMBEDDED = 400  # characters of a paragraph that tell its topic; embedding more costs time and moves few borders
_LEAST_LONGEST = 4_000  # characters
_CLEAR = 1.0  # standard deviations from which a change of characters or of topic is told as the reason of a border
_WEIGHTS: Final = SignWeights()


@dataclass(frozen=True, kw_only=True)
class RuleSettings:
    """How segments are found without a model.

    Args:
        length: reference length of a segment in characters; one of Chinese, Japanese or Korean counts as three. The
            default is about what a small embedder reads at once (512 tokens).
        longest: a segment is longer than this only when it is a single sentence; None for twice the length, but at least 4,000.
        cohesion: `lexical` compares words, `embedding` the vectors of how paragraphs begin, which needs an embedder.
        weights: what each sign of a turn weighs.

    Raises:
        ValueError: a length below 1, `longest` below `length`, or an unknown cohesion.
        TypeError: a length is no whole number.
    """

    length: int = 1_800
    longest: int | None = None
    cohesion: Literal["lexical", "embedding"] = "lexical"
    weights: SignWeights = _WEIGHTS

    def __post_init__(self) -> None:
        for name, value in (("length", self.length), ("longest", self.longest)):
            if isinstance(value, bool) or (not isinstance(value, int) and (name, value) != ("longest", None)):
                raise TypeError(f"{name} must be a whole number of characters, not {value!r}")
        if not 1 <= self.length <= self.most:
            raise ValueError(f"lengths must be 1 <= length <= longest, not length={self.length}, longest={self.most}")
        if self.cohesion not in ("lexical", "embedding"):
            raise ValueError(f"cohesion must be lexical or embedding, not {self.cohesion!r}")

    @property
    def most(self) -> int:
        """Largest size of a segment of several sentences, in characters."""
        return max(_LEAST_LONGEST, 2 * self.length) if self.longest is None else self.longest

    def __repr__(self) -> str:
        """What differs from the defaults."""
        return changed(self)


_DEFAULTS: Final = RuleSettings()


def plan_by_rules(candidate: Candidate, *, settings: RuleSettings = _DEFAULTS) -> Step[SegmentPlan]:
    """Cut a unit where the signs of a turn are strongest, with lengths near a reference.

    A printed scene divider is always a border. Asks an embedder for vectors when the settings want its cohesion, else nobody.

    Args:
        candidate: the numbered stretch.
        settings: lengths, cohesion and weights.

    Returns:
        A usable plan; `turning_points` says why a block begins: `scene_divider`, `thread_shift`, `time_shift`, `place_shift`,
        `character_shift`, `topic_shift`.
    """
    pieces = blocks(candidate, longest=settings.most)
    if not pieces:
        return SegmentPlan()
    sizes = [piece.size for piece in pieces]
    signs = printed(pieces)
    alike = yield from _cohesion(pieces, settings)
    # A cast changes within a page, a topic within a segment: windows of half a reference length and of a whole one.
    cast = similarity(names([piece.text for piece in pieces]), sizes, window=settings.length // 2)
    signs |= {"topic": standard(depth(alike)), "characters": -standard(cast)}
    starts = best_borders(sizes, evidence(signs, settings.weights), length=settings.length, longest=settings.most)
    return _plan(candidate, pieces, starts, signs)


def _cohesion(pieces: Sequence[Block], settings: RuleSettings) -> Step[Floats]:
    texts, sizes = [piece.text for piece in pieces], [piece.size for piece in pieces]
    if settings.cohesion == "lexical":
        return similarity(terms(texts), sizes, window=settings.length)
    vectors = yield from embed([text[:_EMBEDDED] for text in texts])
    return vector_similarity(vectors, sizes, window=settings.length)


def _plan(candidate: Candidate, pieces: Sequence[Block], starts: Sequence[int], signs: dict[str, Floats]) -> SegmentPlan:
    firsts = [pieces[start].first for start in starts]
    lasts = [*(first - 1 for first in firsts[1:]), len(candidate)]
    return SegmentPlan(
        tuple(
            PlannedSegment(first, last, turning_points=_reasons(signs, start))
            for start, first, last in zip(starts, firsts, lasts, strict=True)
        )
    )


def _reasons(signs: dict[str, Floats], start: int) -> tuple[str, ...]:
    if not start:
        return ()
    shifts = [kind for kind in TOLD if signs[kind][start]]
    clear = [f"{told}_shift" for told, kind in (("character", "characters"), ("topic", "topic")) if signs[kind][start] >= _CLEAR]
    return (*shifts, *clear)
