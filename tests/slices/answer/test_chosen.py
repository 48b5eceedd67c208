"""Which lines fit a budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.slices.answer.chosen import choose_lines

COSTS = {"a": 2, "b": 2, "c": 2, "d": 1, "e": 3}


@pytest.mark.parametrize(
    ("budget", "options", "expected"),
    [
        (6, {"chains": [("a", "b")], "others": ["e", "d"]}, ["a", "b", "d"]),
        (3, {"chains": [("a", "b")], "others": ["e", "d"]}, ["e"]),
        (3, {"chains": [("a", "b")], "others": ["a", "d"]}, ["d"]),
        (3, {"chains": [("a", "b")], "others": ["b", "a"]}, ["b"]),
        (5, {"chains": [("a", "b", "c"), ("c", "d")], "others": []}, ["c", "d"]),
        (6, {"chains": [("a", "b"), ("b", "c")], "others": []}, ["a", "b", "c"]),
        (4, {"first": ["e"], "chains": [("a", "b")], "others": ["d"]}, ["e", "d"]),
        (2, {"others": ["e", "a", "d"]}, ["a"]),
        (0, {"chains": [("a",)], "others": ["b"]}, []),
    ],
)
def test_chains_come_whole_or_not_at_all_and_single_lines_fill_what_is_left(budget, options, expected):
    assert list(choose_lines(budget, COSTS, **options).names) == expected


NAMES = st.lists(st.sampled_from("abcde"), max_size=5)


@given(st.integers(0, 12), NAMES, st.lists(NAMES, max_size=4), NAMES)
def test_the_lines_never_cost_more_than_the_budget_and_each_is_taken_once(budget, first, chains, others):
    chosen = choose_lines(budget, COSTS, first=first, chains=chains, others=others)
    names = chosen.names
    assert len(set(names)) == len(names)
    assert chosen.left == budget - sum(COSTS[name] for name in names) >= 0


@given(st.integers(0, 12), st.lists(NAMES, max_size=4), NAMES)
def test_a_chain_that_was_cut_shows_none_of_its_own_lines_unless_there_is_nothing_else(budget, chains, others):
    chosen = choose_lines(budget, COSTS, chains=chains, others=others)
    shown = set(chosen.names)
    whole = [chain for chain in chains if shown.issuperset(chain)]
    torn = [chain for chain in chains if not shown.issuperset(chain)]
    alone = {name for chain in torn for name in chain} - {name for chain in whole for name in chain}
    if shown & alone:
        assert shown <= {name for chain in chains for name in chain}
        assert not any(COSTS[name] <= budget for name in others if not any(name in chain for chain in chains))
