"""Scores of different kinds on one scale, so that they can be weighed against each other."""

from __future__ import annotations

import numpy as np

from chronotope.models import Vectors

__all__ = ["stretched"]

_SAME = 1e-5  # differences that are rounding, which stretching would blow up


def stretched(scores: Vectors) -> Vectors:
    """From 0 for the lowest to 1 for the highest; 0 for all when they are equal.

    >>> stretched(np.array([2.0, 4.0, 3.0], np.float32)).tolist()
    [0.0, 1.0, 0.5]
    """
    if not scores.size:
        return scores
    low, high = np.float32(scores.min()), np.float32(scores.max())
    if high - low <= _SAME * max(1.0, abs(float(high))):
        return np.zeros_like(scores)
    return np.asarray((scores - low) / (high - low), np.float32)
