"""Exact optimisation over borders, against every possible choice."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chronotope.litseg.rules.cohesion import depth, similarity, standard, vector_similarity
from chronotope.litseg.rules.optimise import best_borders

LENGTH, LONGEST = 10, 25
BLOCKS = st.lists(st.tuples(st.integers(1, 30), st.floats(-2, 2)), min_size=1, max_size=9)


def cost(starts: list[int], sizes: list[int], evidence: list[float]) -> float:
    total = -sum(evidence[start] for start in starts[1:])
    for first, last in pairwise([*starts, len(sizes)]):
        size = sum(sizes[first:last])
        if size > LONGEST and last - first > 1:
            return float("inf")
        total += (size / LENGTH - 1) ** 2
    return total


@given(BLOCKS)
def test_no_other_choice_of_borders_costs_less(blocks: list[tuple[int, float]]) -> None:
    sizes, evidence = [size for size, _ in blocks], [sign for _, sign in blocks]
    n = len(sizes)
    found = best_borders(sizes, evidence, length=LENGTH, longest=LONGEST)
    every = ([0, *rest] for k in range(n) for rest in combinations(range(1, n), k))
    assert found[0] == 0
    assert cost(found, sizes, evidence) <= min(cost(starts, sizes, evidence) for starts in every) + 1e-9


def test_no_block_has_no_border() -> None:
    assert best_borders([], [], length=10, longest=20) == []


WORDS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), min_size=1, max_size=12)


@given(WORDS, st.integers(1, 9))
def test_sliding_windows_give_the_cosine_of_their_words(rows: list[list[str]], window: int) -> None:
    sizes = [max(1, len(row)) for row in rows]
    seen = {word: sum(word in row for row in rows) for row in rows for word in row}
    weight = {word: np.log((len(rows) + 1) / count) for word, count in seen.items()}
    names = sorted(weight)
    vectors = np.array([[row.count(word) * weight[word] for word in names] for row in rows]).reshape(len(rows), len(names))
    found = similarity(rows, sizes, window=window)
    for border in range(len(rows)):
        first = border
        while first > 0 and sum(sizes[first:border]) < window:
            first -= 1
        last = border
        while last < len(rows) and sum(sizes[border:last]) < window:
            last += 1
        before, after = vectors[first:border].sum(axis=0), vectors[border:last].sum(axis=0)
        lengths = np.linalg.norm(before) * np.linalg.norm(after)
        assert np.isclose(found[border], before @ after / lengths if lengths > 1e-5 else 1.0, atol=1e-6)


def test_windows_of_vectors_tell_two_topics_apart() -> None:
    vectors = np.random.default_rng(5).normal(scale=0.02, size=(10, 40))
    vectors[:5, 0] += 1
    vectors[5:, 1] += 1
    found = vector_similarity(vectors.astype(np.float32), [10] * 10, window=10)
    assert found[5] < -0.9
    assert all(found[border] > 0.9 for border in (2, 3, 4, 6, 7, 8))


def test_depth_counts_from_the_tops_on_both_sides() -> None:
    assert depth(np.array([0.9, 0.5, 0.7, 0.1, 0.6])).round(6).tolist() == [0.0, 0.6, 0.0, 1.1, 0.0]


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40))
def test_standard_signs_are_bounded_and_the_first_border_has_none(values: list[float]) -> None:
    found = standard(np.array(values))
    assert found[0] == 0.0
    assert np.abs(found).max() <= 2.5
