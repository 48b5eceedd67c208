"""How well the titles of chapters fit a question."""

from __future__ import annotations

from chronotope.lexical import LexicalIndex
from chronotope.slices.passage_map import PassageMap

__all__ = ["title_scores"]


def title_scores(passages: PassageMap, text: str, chapters: list[int]) -> dict[int, float]:
    """From 0 to 1 for each of some chapters, by the words that its title shares with a question.

    Args:
        passages: whose chapters they are.
        text: the question.
        chapters: those that the reader knows.
    """
    titled = [number for number in chapters if number in passages.titles]
    if not titled:
        return {}
    scores = LexicalIndex(passages.titles[number] for number in titled).scores(text)
    best = float(scores.max())
    return {number: float(score) / best for number, score in zip(titled, scores, strict=True)} if best > 0 else {}
