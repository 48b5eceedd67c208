"""Random walks: reproducible, independent of order, and true to the weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.events import EventGraph, EventUnit, walk
from chronotope.temporal.calendar import Grain
from chronotope.temporal.interval import TimeInterval

DAY = 86_400


def event(name: str, day: int | None, *entities: str) -> EventUnit:
    times = () if day is None else (TimeInterval.unit(day * DAY, Grain.DAY),)
    return EventUnit(text=name, id=name, times=times, static=day is None, entities=entities)


def world(count: int, seed: int) -> list[EventUnit]:
    random = np.random.default_rng(seed)
    days, names = random.integers(0, 3_000, count), random.integers(0, 12, (count, 3))
    return [event(f"e{i}", int(days[i]), *(f"name {n}" for n in names[i])) for i in range(count)]


def graph_of(events, **options) -> EventGraph:
    graph = EventGraph(**options)
    graph.add(events)
    return graph


GRAPH = graph_of(world(200, 1))
seeds = st.lists(st.sampled_from(list(GRAPH)), max_size=8)


@given(seeds, st.integers(1, 6), st.integers(0, 8), st.integers(0, 2**40), st.sampled_from([0.0, 0.3]))
def test_visits_add_up_and_are_the_same_again(names, walks, length, seed, restart):
    visits = walk(GRAPH, names, walks=walks, length=length, seed=seed, restart=restart)
    assert sum(visits.values()) == len(set(names)) * walks * (length + 1)  # nobody in this graph is without neighbours
    assert list(visits) == sorted(visits, key=lambda name: (-visits[name], name))
    assert walk(GRAPH, names[::-1], walks=walks, length=length, seed=seed, restart=restart) == visits
    for name in names:
        assert visits[name] >= walks


@given(seeds, st.integers(0, 100))
def test_the_order_in_which_events_were_added_changes_no_walk(names, seed):
    events = world(200, 1)
    np.random.default_rng(seed).shuffle(events)
    other = graph_of(events[:190])
    for late in events[190:]:
        other.add([late])
    assert walk(other, names, seed=seed) == walk(GRAPH, names, seed=seed)


@given(seeds, seeds)
def test_walks_from_one_seed_do_not_depend_on_the_other_seeds(some, others):
    apart = [walk(GRAPH, names) for names in (set(some), set(others) - set(some))]
    together = walk(GRAPH, some + others)
    assert together == {name: sum(visits.get(name, 0) for visits in apart) for name in together}
    assert set(together) == set(apart[0]) | set(apart[1])


def test_more_walks_leave_the_walks_that_were_there_as_they_are():
    few, many = walk(GRAPH, ["e1"], walks=3), walk(GRAPH, ["e1"], walks=9)
    assert all(many[name] >= count for name, count in few.items())


def test_another_number_gives_other_walks():
    assert len({tuple(walk(GRAPH, ["e1", "e2"], seed=seed).items()) for seed in range(10)}) > 5


def test_steps_follow_the_weights():
    """Day 1 and day 8 weigh e^-0.1 and e^-0.8: of 20,000 first steps a share within five standard errors of the exact one."""
    graph = graph_of([event("a", 0, "Ann"), event("near", 1, "Ann"), event("far", 8, "Ann")], decay=0.1)
    visits = walk(graph, ["a"], walks=20_000, length=1)
    near, far = np.exp(-0.1), np.exp(-0.8)
    share = near / (near + far)
    assert visits["near"] / 20_000 == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / 20_000))
    assert visits["near"] + visits["far"] == 20_000


def test_restarts_come_back_to_the_seed():
    chain = [event(str(i), i, f"link {i}", f"link {i + 1}") for i in range(60)]
    graph = graph_of(chain, top_k=2)
    calm, restless = (walk(graph, ["30"], walks=400, length=12, restart=r) for r in (0.0, 0.8))
    assert restless["30"] > 2 * calm["30"]
    assert len(restless) < len(calm)


def test_a_walk_ends_where_there_is_no_way_on():
    graph = graph_of([event("alone", 0, "Ann"), event("nameless", 0)])
    for restart in (0.0, 0.5):
        assert walk(graph, ["alone", "nameless"], walks=3, length=6, restart=restart) == {"alone": 3, "nameless": 3}


def test_walks_stay_among_events_that_hang_together():
    graph = graph_of([event(f"{who} {day}", day, who) for who in ("Ann", "Ben") for day in range(30)], top_k=4)
    assert all(name.startswith("Ann") for name in walk(graph, ["Ann 3"], walks=50, length=20))


def test_a_deleted_event_is_never_visited():
    events = world(60, 3)
    graph = graph_of(events)
    gone = next(iter(graph.neighbours("e0")))
    assert gone in walk(graph, ["e0"], walks=500)
    graph.remove([gone])
    assert gone not in walk(graph, ["e0"], walks=500)


def test_no_seeds_and_no_steps_are_no_errors():
    assert walk(GRAPH, []) == {}
    assert walk(GRAPH, ["e1", "e1"], walks=2, length=0) == {"e1": 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"walks": 0}, "walks must be at least 1, not 0"),
        ({"length": -1}, "length must be 0 or more steps, not -1"),
        ({"seed": -1}, "seed must be 0 or more, not -1"),
        ({"restart": 1.0}, "below 1, not 1.0"),
    ],
)
def test_options_out_of_range_are_refused_with_the_value_named(options, message):
    with pytest.raises(ValueError, match=message):
        walk(GRAPH, ["e1"], **options)


def test_an_unknown_seed_is_an_error_that_names_it():
    with pytest.raises(KeyError, match="ghost"):
        walk(GRAPH, ["e1", "ghost"])
