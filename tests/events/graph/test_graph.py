"""The event graph against plain comparison of all pairs, in whatever way it came about."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.events import EventGraph, EventUnit
from chronotope.events.graph import graph as graph_module
from chronotope.events.graph import near as near_module
from chronotope.events.graph import search as search_module
from chronotope.temporal.interval import Interval, TimeInterval


@dataclass(frozen=True)
class Happening:
    """An event on any axis."""

    id: str
    entities: tuple[str, ...]
    times: tuple[Interval, ...]


def place(event, distance: str) -> tuple[float, float] | None:
    """First and last moment, written out from the rules; None for what holds at every moment."""
    told = [t for t in event.times if t.start is None or t.end is None or t.start < t.end]
    if distance == "gap":
        sides = [(-math.inf if t.start is None else t.start, math.inf if t.end is None else t.end) for t in told]
        return (min(s for s, _ in sides), max(e for _, e in sides)) if sides else None
    known = [t.start if t.start is not None else t.end - 1 for t in told if (t.start, t.end) != (None, None)]
    return (min(known), min(known)) if known else None


def all_pairs(events, *, max_gap, decay, top_k, distance, unit=1) -> dict[str, list[tuple[str, float]]]:
    """Equations 3 to 6 by comparing every event with every other."""
    lists = {}
    for one in events:
        weighed = []
        for other in events:
            mine, theirs = place(one, distance), place(other, distance)
            apart = 0 if mine is None or theirs is None else max(0, mine[0] - theirs[1], theirs[0] - mine[1])
            common, union = set(one.entities) & set(other.entities), set(one.entities) | set(other.entities)
            if one is not other and common and (max_gap is None or apart <= max_gap * unit):
                weighed.append((other.id, len(common) / len(union) * math.exp(-decay * apart / unit)))
        lists[one.id] = sorted(weighed, key=lambda pair: (-pair[1], pair[0]))[:top_k]
    return lists


def check(graph: EventGraph, events, expected) -> None:
    assert sorted(event.id for event in events) == list(graph)
    for event in events:
        found, wanted = graph.neighbours(event.id), expected[event.id]
        assert list(found) == [name for name, _ in wanted]
        assert list(found.values()) == pytest.approx([weight for _, weight in wanted], rel=1e-12)


# Few moments and few names make ties, repeated dates and hubs common; ids in an order of their own keep rows and ids apart.
ticks = st.one_of(st.integers(-4, 4), st.integers(-60, 60))
entities = st.sets(st.sampled_from(["hub", "Ann", "Ben", "Cid", "Dora", "Gwen", *"pqrstuvw"]), max_size=5)


@st.composite
def stretches(draw) -> Interval:
    start, length = draw(ticks), draw(st.integers(0, 4))
    openness = draw(st.sampled_from(["closed"] * 6 + ["start", "end", "both"]))
    return Interval(None if openness in ("start", "both") else start, None if openness in ("end", "both") else start + length)


@st.composite
def worlds(draw, max_size=24) -> list[Happening]:
    names = draw(st.lists(st.text("abcXYZ09é", min_size=1, max_size=3), unique=True, max_size=max_size))
    hub = draw(st.booleans())
    return [
        Happening(
            name,
            tuple(draw(entities) | ({"hub"} if hub else set())),
            tuple(draw(st.one_of(st.just([]), st.lists(stretches(), min_size=1, max_size=2)))),
        )
        for name in names
    ]


rules = st.fixed_dictionaries(
    {
        "max_gap": st.sampled_from([None, 0, 3, 40]),
        "decay": st.sampled_from([0.0, 0.01, 0.5, 30.0]),
        "top_k": st.sampled_from([1, 2, 5]),
        "distance": st.sampled_from(["start", "gap"]),
    }
)


def within_reach(rule):
    """The rule for plain comparison: beyond a factor of e^-600 there is no edge."""
    limit = 600 / rule["decay"] if rule["decay"] else None
    gaps = [gap for gap in (rule["max_gap"], limit) if gap is not None]
    return {**rule, "max_gap": min(gaps) if gaps else None}


@given(worlds(), rules)
def test_the_graph_built_at_once_equals_the_comparison_of_all_pairs(events, rule):
    graph = EventGraph(unit=1, **rule)
    graph.add(events)
    check(graph, events, all_pairs(events, **within_reach(rule)))


@given(worlds(), rules, st.randoms(use_true_random=False), st.lists(st.integers(1, 6), max_size=30))
def test_any_order_and_any_batches_give_the_same_graph(events, rule, random, sizes):
    at_once, bit_by_bit, shuffled = EventGraph(unit=1, **rule), EventGraph(unit=1, **rule), list(events)
    at_once.add(events)
    random.shuffle(shuffled)
    one_by_one(bit_by_bit, shuffled, sizes)
    assert_same(at_once, bit_by_bit)


@given(worlds(), rules, st.data())
def test_a_deleted_event_leaves_no_trace(events, rule, data):
    gone = data.draw(st.lists(st.sampled_from(events), unique_by=lambda event: event.id) if events else st.just([]))
    graph, never = EventGraph(unit=1, **rule), EventGraph(unit=1, **rule)
    graph.add(events)
    graph.remove([event.id for event in gone])
    kept = [event for event in events if event not in gone]
    never.add(kept)
    assert_same(graph, never)
    state = pickle.dumps(graph)
    for event in gone:
        names = set(event.entities) - {name for other in kept for name in other.entities}
        assert event.id not in graph
        assert not any(name.encode() in state for name in names if len(name) > 2)


@given(worlds(), rules, st.data())
def test_an_update_equals_building_with_the_changed_event(events, rule, data):
    if not events:
        return
    old = data.draw(st.sampled_from(events))
    new = Happening(old.id, tuple(data.draw(entities)), tuple(data.draw(st.lists(stretches(), max_size=2))))
    graph, fresh = EventGraph(unit=1, **rule), EventGraph(unit=1, **rule)
    graph.add(events)
    graph.update(new)
    fresh.add([new if event is old else event for event in events])
    assert_same(graph, fresh)
    assert graph.event(new.id) == new


def one_by_one(graph: EventGraph, events, sizes) -> None:
    sizes = list(sizes)
    while events:
        size = sizes.pop() if sizes else 1
        graph.add(events[:size])
        events = events[size:]


def assert_same(graph: EventGraph, other: EventGraph) -> None:
    mine, theirs = graph.arrays(), other.arrays()
    assert mine.ids == theirs.ids
    for one, two in zip(mine[1:], theirs[1:], strict=True):
        np.testing.assert_array_equal(one, two)


def big_world(count: int, seed: int, *, kinds: int = 60, span: int = 400) -> list[Happening]:
    """A few hundred events with two hubs, repeated dates and facts outside time."""
    random = np.random.default_rng(seed)
    events = []
    for i in range(count):
        names = {f"name {random.zipf(1.5) % kinds}" for _ in range(random.integers(1, 6))}
        names |= {hub for hub in ("hub", "other hub") if random.random() < 0.3}
        start = int(random.integers(0, span))
        times = (Interval(start, start + int(random.integers(1, 20))),) if random.random() < 0.9 else ()
        events.append(Happening(f"{random.integers(2**40):x}-{i}", tuple(names), times))
    return events


@pytest.mark.parametrize("distance", ["start", "gap"])
@pytest.mark.parametrize("decay", [0.0, 0.02, 1.0])
def test_several_blocks_at_once_equal_the_comparison_of_all_pairs(distance, decay, monkeypatch):
    monkeypatch.setattr(search_module, "_BLOCK", 256)
    monkeypatch.setattr(near_module, "_CHUNK", 200)
    rule = {"max_gap": 150, "decay": decay, "top_k": 6, "distance": distance}
    events = big_world(700, seed=int(decay * 100))
    graph = EventGraph(unit=1, **rule)
    graph.add(events)
    check(graph, events, all_pairs(events, **rule))


def test_few_events_go_into_a_large_graph_one_by_one_and_give_the_same_graph(monkeypatch):
    events = big_world(500, seed=5)
    whole, grown = EventGraph(unit=1, decay=0.02), EventGraph(unit=1, decay=0.02)
    whole.add(events)
    grown.add(events[:480])
    monkeypatch.setattr(graph_module, "best_neighbours", None)  # a search over all would now fail
    for first in range(480, 500, 10):
        grown.add(events[first : first + 10])
    assert_same(whole, grown)
    grown.remove([event.id for event in events[480:500]][:2])
    assert len(grown) == 498


def test_one_more_event_changes_the_lists_of_events_that_share_an_entity_with_it_only():
    graph = EventGraph(unit=1, max_gap=5, decay=0.1, top_k=2)
    events = big_world(300, seed=2)
    graph.add(events)
    before = {event.id: graph.neighbours(event.id) for event in events}
    twin = next(event for event in events if event.times and len(event.entities) > 2)
    new = Happening("new", twin.entities, twin.times)
    graph.add([new])
    changed = {event.id for event in events if graph.neighbours(event.id) != before[event.id]}
    sharing = [event for event in events if set(event.entities) & set(new.entities)]
    near = {e.id for e in sharing if not e.times or abs(e.times[0].start - new.times[0].start) <= 5}
    assert twin.id in changed
    assert changed <= near
    graph.remove(["new"])
    assert {event.id: graph.neighbours(event.id) for event in events} == before


def test_a_hub_costs_no_neighbour_lists_longer_than_k():
    events = [Happening(f"{i:04}", ("hub", f"own {i}"), (Interval(i, i + 1),)) for i in range(1_000)]
    graph = EventGraph(unit=1, decay=0.01, top_k=4)
    graph.add(events)
    assert max(np.diff(graph.arrays().bounds)) == 4
    assert list(graph.neighbours("0500")) == ["0499", "0501", "0498", "0502"]
    assert len(graph.edges()) <= 4 * len(events)


def test_equal_weights_are_ordered_by_id_whatever_the_order_of_adding():
    ids = ["m", "b", "z", "a", "é", "10", "9"]
    events = [Happening(name, ("Ann",), (Interval(7, 8),)) for name in ids]
    graph = EventGraph(unit=1, top_k=3)
    graph.add(events)
    assert {name: list(graph.neighbours(name)) for name in ("z", "10")} == {"z": ["10", "9", "a"], "10": ["9", "a", "b"]}


def test_facts_outside_time_are_weighed_by_their_entities_alone():
    fact = Happening("fact", ("Ann", "Turin"), ())
    old, late = (Happening(f"in {year}", ("Ann",), (Interval(year, year + 1),)) for year in (1500, 1900))
    always = Happening("always", ("Ann",), (Interval(None, None),))
    graph = EventGraph(unit=1, max_gap=10, decay=0.5)
    graph.add([fact, old, late, always])
    assert graph.neighbours("fact") == {"always": 0.5, "in 1500": 0.5, "in 1900": 0.5}
    assert graph.neighbours("in 1500") == {"always": 1.0, "fact": 0.5}


def test_until_2002_stands_at_the_last_tick_that_is_known():
    until = EventUnit(text="until", id="until", entities=("Ann",), times=(TimeInterval.parse("../2002"),))
    after = EventUnit(text="after", id="after", entities=("Ann",), times=(TimeInterval.parse("2003-01-01"),))
    graph = EventGraph(max_gap=1, decay=0)
    graph.add([until, after])
    assert graph.neighbours("until") == {"after": 1.0}


def test_start_measures_from_the_earliest_point_and_gap_between_the_stretches():
    term = Happening("term", ("Ann",), (Interval(2000, 2010),))
    award = Happening("award", ("Ann",), (Interval(2009, 2010),))
    for distance, weight in (("start", math.exp(-0.9)), ("gap", 1.0)):
        graph = EventGraph(unit=1, decay=0.1, distance=distance)
        graph.add([term, award])
        assert graph.neighbours("term") == {"award": pytest.approx(weight)}


def test_max_gap_and_decay_count_units_and_the_unit_is_a_day_by_default():
    days = [EventUnit(text=d, id=d, entities=("Ann",), times=(TimeInterval.parse(d),)) for d in ("2020-01-01", "2020-01-11")]
    graph = EventGraph(max_gap=10, decay=0.1)
    graph.add(days)
    assert graph.neighbours("2020-01-01") == {"2020-01-11": pytest.approx(math.exp(-1))}
    short = EventGraph(max_gap=9.99, decay=0.1)
    short.add(days)
    assert short.edges() == []


def test_time_that_is_no_clock_works_by_chapters():
    chapters = [Happening(f"chapter {n}", ("Ann",), (Interval(n, n + 1),)) for n in (1, 2, 9)]
    graph = EventGraph(max_gap=3, decay=math.log(2), unit=1)
    graph.add(chapters)
    assert [tuple(edge) for edge in graph.edges()] == [("chapter 1", "chapter 2", pytest.approx(0.5))]


def test_dates_before_the_year_1_are_as_near_as_others():
    ides = EventUnit(text="a", id="a", entities=("Rome",), times=(TimeInterval.parse("-0043-03-15"),))
    war = EventUnit(text="b", id="b", entities=("Rome",), times=(TimeInterval.parse("-0042-10-03"),))
    modern = EventUnit(text="c", id="c", entities=("Rome",), times=(TimeInterval.parse("1943"),))
    graph = EventGraph(max_gap=3_650)
    graph.add([ides, war, modern])
    assert list(graph.neighbours("a")) == ["b"]


def test_an_edge_is_there_when_one_end_lists_the_other_and_networkx_shows_the_same():
    events = big_world(120, seed=9)
    graph = EventGraph(unit=1, top_k=2, decay=0.02)
    graph.add(events)
    listed = {frozenset((one.id, name)) for one in events for name in graph.neighbours(one.id)}
    assert {frozenset((edge.first, edge.second)) for edge in graph.edges()} == listed
    assert len(graph.edges()) == len(listed)
    assert all(edge.first < edge.second for edge in graph.edges())
    shown = graph.networkx
    assert set(shown.nodes) == set(graph)
    assert {frozenset(pair) for pair in shown.edges} == listed
    for edge in graph.edges():
        assert shown.edges[edge.first, edge.second]["weight"] == edge.weight
    shown.remove_node(events[0].id)
    assert events[0].id in graph


def test_saved_arrays_give_the_graph_back_and_it_can_be_changed():
    events = big_world(150, seed=4)
    graph = EventGraph(unit=1, decay=0.02, top_k=3)
    graph.add(events)
    loaded = EventGraph.from_arrays(reversed(events), graph.arrays(), unit=1, decay=0.02, top_k=3)
    assert_same(graph, loaded)
    more = Happening("more", ("hub",), (Interval(50, 51),))
    for each in (graph, loaded):
        each.add([more])
        each.remove([events[0].id])
    assert_same(graph, loaded)


def test_saved_arrays_of_other_events_or_longer_lists_are_refused():
    events = big_world(30, seed=4)
    graph = EventGraph(unit=1, top_k=5)
    graph.add(events)
    with pytest.raises(ValueError, match="other events"):
        EventGraph.from_arrays(events[1:], graph.arrays(), unit=1, top_k=5)
    with pytest.raises(ValueError, match="longer than top_k = 2"):
        EventGraph.from_arrays(events, graph.arrays(), unit=1, top_k=2)


def test_many_ids_between_two_others_keep_their_order():
    names = ["a", "b"] + ["a" + "0" * n + "1" for n in range(70, 0, -1)]  # each between "a" and the one before it
    graph = EventGraph(unit=1, top_k=3)
    graph.add([Happening("hay", ("other",), ())] + [Happening(f"x{i}", ("straw",), ()) for i in range(40)])
    for name in names:
        graph.add([Happening(name, ("Ann",), (Interval(1, 2),))])
    assert list(graph.neighbours("b")) == sorted(names)[:3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top_k": 0}, "top_k must be at least 1, not 0"),
        ({"decay": -1}, "decay must be 0 or more, not -1"),
        ({"decay": float("nan")}, "decay"),
        ({"max_gap": -2}, "max_gap must be 0 or more, or None"),
        ({"distance": "middle"}, "'start' or 'gap', not 'middle'"),
        ({"unit": 0}, "unit counts ticks"),
    ],
)
def test_options_out_of_range_are_refused_with_the_value_named(options, message):
    with pytest.raises(ValueError, match=message):
        EventGraph(**options)


def test_what_cannot_be_added_is_refused_and_nothing_is_added():
    one, two = (Happening(name, ("Ann",), ()) for name in ("one", "two"))
    graph = EventGraph()
    graph.add([one])
    for wrong, message in (
        ([two, one], "'one' is in the graph already"),
        ([two, two], "'two' is in the graph already"),
        ([two, Happening("", (), ())], "id"),
        ([two, Happening("far", ("Ann",), (Interval(2**60 + 1, None),))], "event 'far': tick"),
    ):
        with pytest.raises(ValueError, match=message):
            graph.add(wrong)
        assert list(graph) == ["one"]


def test_unknown_ids_are_errors_that_name_them():
    graph = EventGraph()
    graph.add([Happening("one", ("Ann",), ())])
    for act in (graph.neighbours, graph.event, lambda name: graph.remove(["one", name])):
        with pytest.raises(KeyError, match="ghost"):
            act("ghost")
    with pytest.raises(KeyError, match="ghost"):
        graph.update(Happening("ghost", (), ()))
    assert list(graph) == ["one"]


def test_a_graph_survives_pickling():
    events = big_world(60, seed=1)
    graph = EventGraph(unit=1)
    graph.add(events[:50])
    copy = pickle.loads(pickle.dumps(graph))
    for each in (graph, copy):
        each.add(events[50:])
    assert_same(graph, copy)
