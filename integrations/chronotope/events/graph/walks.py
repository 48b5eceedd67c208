"""Random walks over the event graph: several from each seed, each step to a neighbour by the weight of the edge."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from chronotope.events.graph.closeness import Floats
from chronotope.events.graph.graph import EventGraph

__all__ = ["walk"]


def walk(
    graph: EventGraph, seeds: Iterable[str], *, walks: int = 5, length: int = 6, seed: int = 0, restart: float = 0.0
) -> dict[str, int]:
    """How often each event is visited by walks from the seeds, most often first, then by id.

    The place where a walk begins counts as a visit. A walk ends early at an event without neighbours. The same events, options and
    number `seed` give the same visits, in whatever order seeds are named or events were added; a further seed, or more walks from
    each, leave the walks that were there as they are.

    Args:
        graph: the graph to walk on.
        seeds: event ids; one named twice counts once.
        walks: walks from each seed, at least 1.
        length: steps of each walk, 0 or more.
        seed: fixes the random choices, 0 or more.
        restart: chance, below 1, that a step leads back to the seed instead of on to a neighbour.

    Raises:
        KeyError: a seed is not in the graph.
        ValueError: an option is out of its range.

    Source: DyG-RAG, section 3.5, equation 9.
    """
    _check(walks, length, seed, restart)
    names = sorted(set(seeds))
    home = np.repeat(graph.rows_of(names), walks)
    draws = np.concatenate([_draws(name, seed, walks, length) for name in names]) if names else np.zeros((0, length, 2))
    here, walking, visited = home.copy(), np.arange(home.size), [home]
    for step in range(length):
        chance, back = draws[walking, step].T
        onward = graph.follow(here, chance)
        here = np.where((back < restart) & (onward >= 0), home[walking], onward)
        walking, here = walking[here >= 0], here[here >= 0]
        visited.append(here)
    rows, counts = np.unique(np.concatenate(visited), return_counts=True)
    found = dict(zip(graph.names_of(rows), counts.tolist(), strict=True))
    return dict(sorted(found.items(), key=lambda visit: (-visit[1], visit[0])))


def _check(walks: int, length: int, seed: int, restart: float) -> None:
    if walks < 1:
        raise ValueError(f"walks must be at least 1, not {walks}")
    if length < 0:
        raise ValueError(f"length must be 0 or more steps, not {length}")
    if seed < 0:
        raise ValueError(f"seed must be 0 or more, not {seed}")
    if not 0 <= restart < 1:
        raise ValueError(f"restart is a chance of at least 0 and below 1, not {restart}")


def _draws(name: str, seed: int, walks: int, length: int) -> Floats:
    """Two numbers in [0, 1) for each step of each walk from one seed, which depend on nothing but the seed's id and the number."""
    own = int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest())
    return np.random.default_rng([seed, own]).random((walks, length, 2))
