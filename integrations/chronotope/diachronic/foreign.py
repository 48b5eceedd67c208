"""What the answers of a foreign store tell: records as hits, whichever way its scores run, and what could not be read of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from chronotope.metadata import MetadataKeys
from chronotope.records import Hit, Issue, Passage

__all__ = ["StoreAnswers", "StoreRecord"]


@dataclass(frozen=True)
class StoreRecord:
    """A record as a store gave it.

    Args:
        passage: what it reads as.
        metadata: as it is in the store.
        score: the store's own, a similarity or a distance; None when it gives none.
        issues: what could not be read.
    """

    passage: Passage
    metadata: Mapping[str, Any]
    score: float | None = None
    issues: tuple[Issue, ...] = ()


@dataclass
class StoreAnswers:
    """The answers to one question, and what they tell of the store.

    Args:
        keys: where its records have their times.
        distances: True when its scores are better the lower they are; None as long as no answer told.

    Attributes:
        issues: what could not be read, each once.
        unnumbered: ids of dated records that lack the numbers a filter compares.
    """

    keys: MetadataKeys
    distances: bool | None = None
    issues: dict[str, Issue] = field(default_factory=dict, init=False)
    unnumbered: set[str] = field(default_factory=set, init=False)

    def hits(self, records: Sequence[StoreRecord]) -> list[Hit]:
        """Hits in the given order, best first, with scores that fall; where one has none, the ranks are the scores.

        >>> answers = StoreAnswers(MetadataKeys())
        >>> [hit.score for hit in answers.hits([StoreRecord(Passage(text), {}, far) for text, far in (("a", 0.0), ("b", 1.0))])]
        [1.0, 0.5]
        """
        for record in records:
            self._note(record)
        scores = self._falling([record.score for record in records])
        return [Hit(record.passage, score) for record, score in zip(records, scores, strict=True)]

    def _note(self, record: StoreRecord) -> None:
        self.issues.update({f"{record.passage.id} {issue.message}": issue for issue in record.issues})
        if record.passage.told_times and not self.keys.has_numbers(record.metadata):
            self.unnumbered.add(record.passage.id)

    def _falling(self, scores: Sequence[float | None]) -> list[float]:
        known = [float(score) for score in scores if score is not None]
        if len(known) < len(scores):
            return [1 / (1 + rank) for rank in range(len(scores))]
        if self.distances is None:
            self.distances = _rise(known)
        return [_closeness(score) for score in known] if self.distances else known


def _rise(scores: Sequence[float]) -> bool | None:
    """True for distances: results come best first, so scores that rise are better the lower; None when it cannot be told."""
    if not scores or scores[0] == scores[-1]:
        return None
    if all(one <= other for one, other in pairwise(scores)):
        return True
    return False if all(one >= other for one, other in pairwise(scores)) else None


def _closeness(distance: float) -> float:
    """Falls as the distance grows, from above 1 for the negative ones that some stores give."""
    return 1 / (1 + distance) if distance >= 0 else 1 - distance
