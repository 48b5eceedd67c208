"""Rewards as plain functions that a GRPO trainer calls, and their weighted sum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

from chronotope.litseg.distill.completions import Completion

__all__ = ["Reward", "combined"]


class Reward(Protocol):
    """What TRL takes as a reward function: called with keywords, `completions` and the columns of the data set among them."""

    def __call__(self, completions: Sequence[Completion], *, sentences: Sequence[Sequence[str]], **columns: Any) -> list[float]:  # noqa: ANN401 - what a trainer passes
        """One number for each completion."""
        ...


def combined(format_reward: Reward, model_reward: Reward, weights: tuple[float, float] = (0.5, 0.5)) -> Reward:
    """The weighted sum of two rewards as one.

    Args:
        format_reward: usually `format_reward`.
        model_reward: usually what `model_reward(runner)` gives.
        weights: of the first and of the second. The sum stays in 0 to 1 when the weights add up to 1. Equal weights are ours: once
            a student always writes sound plans, the first reward is the same for all of a group and the second decides alone.

    Raises:
        ValueError: a weight is negative or no number, or both are 0.

    Source: LitSeg, section 3.2.
    """
    if any(not math.isfinite(weight) or weight < 0 for weight in weights) or not any(weights):
        raise ValueError(f"weights must be two numbers from 0 up, not both 0, not {weights}")
    by_format, by_model = weights

    def segmentation_reward(
        completions: Sequence[Completion],
        *,
        sentences: Sequence[Sequence[str]],
        **columns: Any,  # noqa: ANN401 - what a trainer passes
    ) -> list[float]:
        first = format_reward(completions, sentences=sentences, **columns)
        second = model_reward(completions, sentences=sentences, **columns)
        return [by_format * f + by_model * m for f, m in zip(first, second, strict=True)]

    return segmentation_reward
