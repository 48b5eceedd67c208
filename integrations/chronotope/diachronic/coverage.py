"""Coverage: does the evidence speak for the whole of the asked time, or for one corner of it?

The asked time is cut into sub-periods. A passage fills each sub-period that it overlaps. Choosing by score alone piles up where
the topic was loudest; choosing with quotas lets every passage already taken from a sub-period lower the next one's claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from chronotope.temporal.interval import TimeInterval

__all__ = ["Coverage", "choose", "sub_periods"]

Membership = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Coverage:
    """How far the evidence spans the asked time.

    Args:
        periods: consecutive sub-periods of the asked time.
        available: for each, whether any passage of the corpus lies in it.
        filled: for each, whether any returned passage lies in it.
    """

    periods: tuple[TimeInterval, ...] = ()
    available: tuple[bool, ...] = ()
    filled: tuple[bool, ...] = ()

    @classmethod
    def of(cls, periods: Sequence[TimeInterval], available: npt.ArrayLike, filled: npt.ArrayLike) -> Coverage:
        """Built from one flag a sub-period, in any array form."""
        flags = (tuple(bool(flag) for flag in np.asarray(part)) for part in (available, filled))
        return cls(tuple(periods), *flags)

    @property
    def share(self) -> float:
        """Filled sub-periods as a share of all sub-periods of the asked time; 0.0 when there are none."""
        return sum(self.filled) / len(self.periods) if self.periods else 0.0

    @property
    def share_of_available(self) -> float:
        """Filled sub-periods as a share of those that the corpus could fill; 0.0 when it could fill none."""
        return sum(self.filled) / sum(self.available) if any(self.available) else 0.0

    @property
    def missing(self) -> tuple[TimeInterval, ...]:
        """Sub-periods that the corpus speaks of and the evidence does not."""
        triples = zip(self.periods, self.available, self.filled, strict=True)
        return tuple(period for period, available, filled in triples if available and not filled)

    def __str__(self) -> str:
        filled, available, periods = sum(self.filled), sum(self.available), len(self.periods)
        if not available:
            return f"none of {periods} sub-periods: the corpus has nothing there"
        told = "100%" if filled == periods else f"the corpus speaks of {available}"
        return f"{filled or 'none'} of {periods} sub-periods ({told})"


def sub_periods(times: Sequence[TimeInterval], limit: int) -> tuple[TimeInterval, ...]:
    """Cut bounded intervals into at most about `limit` consecutive sub-periods on calendar borders.

    Args:
        times: disjoint intervals, each with both sides.
        limit: largest number of sub-periods; every interval gets at least one.

    >>> [str(period) for period in sub_periods([TimeInterval.parse("1990/1995")], 3)]
    ['1990/1991', '1992/1993', '1994/1995']
    """
    share = max(1, limit // max(1, len(times)))
    return tuple(period for time in times for period in _cut(time, share))


def _cut(time: TimeInterval, pieces: int) -> list[TimeInterval]:
    units = time.anchors(1_000_000)
    if len(units) <= 1:
        return [time] if units else []
    pieces = min(pieces, len(units))
    borders = [i * len(units) // pieces for i in range(pieces + 1)]
    grain = max(time.grain, units[0].grain)
    spans = (TimeInterval(units[low].start, units[high - 1].end, grain) for low, high in pairwise(borders))
    return [clipped for span in spans if (clipped := span.intersection(time))]


def choose(scores: npt.NDArray[np.float32], member: Membership, k: int, *, decay: float) -> list[int]:
    """Pick `k` candidates so that sub-periods share the places.

    Each candidate's score counts `decay` to the power of how often its least represented sub-period was served already: 1 is
    plain ranking, 0 serves every sub-period once before any twice. Equal claims go to the less served sub-period, then to the
    higher score. Greedy, so a smaller `k` gives a prefix of a larger one.

    Args:
        scores: shape (n,), not negative, higher is better.
        member: shape (n, periods), True where a candidate lies in a sub-period.
        k: number of places.
        decay: from 0 to 1.

    Returns:
        positions of the chosen candidates in order of choice.
    """
    if not member.size:
        return [int(i) for i in np.argsort(-scores, kind="stable")[:k]]
    served = np.zeros(member.shape[1])
    least = np.zeros(len(scores))  # how often the least served sub-period of each candidate was served
    claim = scores.astype(np.float64).copy()
    picked: list[int] = []
    for _ in range(min(k, len(scores))):
        equal = np.flatnonzero(claim == claim.max())
        best = int(equal[np.lexsort((-scores[equal], least[equal]))[0]])
        picked.append(best)
        served[member[best]] += 1
        touched = member[:, member[best]].any(axis=1)
        least[touched] = np.where(member[touched], served, np.inf).min(axis=1)
        claim[touched] = scores[touched] * decay ** least[touched]
        claim[picked] = -1.0
    return picked
