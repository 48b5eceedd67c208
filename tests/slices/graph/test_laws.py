"""Laws of slices, against a reference that filters every fact by the meaning of the constraints."""

from __future__ import annotations

import pickle
from itertools import combinations, pairwise, product
from typing import Any

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.slices.axis import StoryAxis
from chronotope.slices.fact import Fact
from chronotope.slices.graph import StoryGraph
from chronotope.slices.ontology import Relation
from chronotope.temporal.interval import Interval
from support_worlds import ONTOLOGY, graph_of

PEOPLE = ("Ann", "Tom", "Eve", "Lin")
PLACES = ("Bower", "Garden", "Town")
INSIDE = {"Bower": {"Bower"}, "Garden": {"Bower", "Garden"}, "Town": {"Bower", "Garden", "Town"}}
TREE = tuple(Fact(subject=a, relation="inside", object=b, id=f"{a} in {b}") for a, b in pairwise(PLACES))
FAR = 10**9
KNOWN = ("lives_in", "married_to", "serves", "divorces", "dismisses", "leaves", "died", "meets", "parent_of", "knows")


@st.composite
def stories(draw: st.DrawFn) -> tuple[list[Fact], StoryAxis]:
    chapters = {number: draw(st.lists(spans(), max_size=2)) for number in range(1, 6)}
    facts = draw(st.lists(told(), max_size=14))
    numbered = [Fact(**{**one, "id": f"f{i:02d}"}) for i, one in enumerate(facts)]
    return [*numbered, *TREE], StoryAxis(chapters={number: tuple(times) for number, times in chapters.items()})


def spans() -> st.SearchStrategy[Interval]:
    return st.builds(lambda start, length: Interval(start, start + length), st.integers(-6, 8), st.integers(1, 3))


def times() -> st.SearchStrategy[Interval]:
    sides = st.tuples(st.none() | st.integers(-6, 8), st.none() | st.integers(-6, 8))
    return sides.map(lambda pair: Interval(*pair) if None in pair else Interval(min(pair), max(pair)))  # type: ignore[type-var]


@st.composite
def told(draw: st.DrawFn) -> dict[str, Any]:
    relation = draw(st.sampled_from(KNOWN))
    subject = draw(st.sampled_from(PEOPLE))
    other = draw(st.sampled_from(PLACES if relation == "lives_in" else PEOPLE))
    return {
        "subject": subject,
        "relation": relation,
        "object": "" if relation in ("died", "leaves") else other,
        "chapter": draw(st.none() | st.integers(1, 5)),
        "story": tuple(draw(st.lists(times(), max_size=2))),
        "place": draw(st.sampled_from(("", *PLACES))),
        "confidence": draw(st.sampled_from(("high", "low"))),
    }


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    if draw(st.booleans()):
        asked["chapter"] = draw(st.integers(1, 6) | st.just(Interval(2, 4)))
    if draw(st.booleans()):
        asked["story_time"] = draw(st.lists(times(), min_size=1, max_size=2))
    if draw(st.booleans()):
        asked["place"] = draw(st.sampled_from(PLACES))
    if draw(st.booleans()):
        asked["entities"] = draw(st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=2))
        asked["hops"] = draw(st.integers(1, 2))
    for name, values in (("told", st.integers(1, 6)), ("reader_at", st.integers(0, 6))):
        if draw(st.integers(0, 3)) == 0:
            asked[name] = draw(values)
    for name in ("unplaced", "untimed"):
        if draw(st.booleans()):
            asked[name] = "include"
    return asked


class Reference:
    """The meaning of a graph, fact by fact, in sets of ticks.

    Ticks from -20 to 30 stand for the whole axis: no test tells of any beyond -6 to 11.
    """

    TICKS = range(-20, 30)

    def __init__(self, facts: list[Fact], axis: StoryAxis) -> None:
        self.axis = axis
        self.facts = sorted(facts, key=lambda one: (-FAR if one.chapter is None else one.chapter, one.id))

    def relation(self, one: Fact) -> Relation:
        return ONTOLOGY.relations[one.relation]

    def ticks(self, spans: Any) -> set[int]:
        return {tick for tick in self.TICKS if any(span.contains(tick) for span in spans)}

    def own(self, one: Fact) -> tuple[Interval, ...]:
        return one.story or self.axis.now(one.chapter)

    def open_start(self, one: Fact) -> int | None:
        """First tick of the stretch that goes on until a rule ends it; None when there is none."""
        if self.relation(one).kind != "state" or not self.own(one):
            return None
        if not one.story:
            return min(span.start for span in self.axis.now(one.chapter))  # type: ignore[type-var]
        ticks = self.ticks(one.story)
        if max(self.TICKS) not in ticks:
            return None
        tick = max(self.TICKS)
        while tick - 1 in ticks:
            tick -= 1
        return tick

    def is_later(self, ender: Fact, state: Fact) -> bool:
        return self.facts.index(ender) > self.facts.index(state)

    def pair(self, one: Fact) -> set[str]:
        return {one.subject, one.object}

    def matches(self, ender: Fact, state: Fact) -> bool:
        """Whether an event is one that ends a state, whatever the time."""
        if ender.relation == "died":
            return ender.subject in self.pair(state)
        if ender.relation == "leaves":
            return state.relation == "lives_in" and state.subject == ender.subject
        wanted = {"divorces": "married_to", "dismisses": "serves"}.get(ender.relation)
        return state.relation == wanted and self.pair(ender) == self.pair(state)

    def ends(self, state: Fact, start: int) -> list[int]:
        """Every tick at which something ends a state that begins at a tick."""
        found = []
        for other in self.facts:
            if self.matches(other, state):
                for first, last in self.runs(self.ticks(self.own(other))):
                    is_before = start < first or (first <= start <= last and self.is_later(other, state))
                    if is_before and last != max(self.TICKS):
                        found.append(last + 1)
            if state.relation == other.relation == "lives_in" and (state.subject == other.subject) and state.object != other.object:
                found += self.replaced(state, start, other)
        return found

    def replaced(self, state: Fact, start: int, other: Fact) -> list[int]:
        ticks = self.ticks(self.own(other))
        when_told = [(self.open_start(other), 0)] if self.own(other) else []
        runs = self.runs(ticks) if other.story else when_told
        found = []
        for first, _ in runs:
            if first is None or first == min(self.TICKS):
                continue
            if start < first:
                found.append(first)
            elif start == first and self.is_later(other, state):
                found.append(first + 1 if other.story else next(last for begin, last in self.runs(ticks) if begin == first) + 1)
        return found

    def runs(self, ticks: set[int]) -> list[tuple[int, int]]:
        """First and last tick of each unbroken run."""
        return [
            (tick, next(t for t in self.TICKS if t >= tick and t + 1 not in ticks))
            for tick in sorted(ticks)
            if tick - 1 not in ticks
        ]

    def so(self, one: Fact) -> set[int]:
        if self.relation(one).kind == "timeless":
            return set(self.TICKS)
        ticks = self.ticks(self.own(one))
        start = self.open_start(one)
        if start is None:
            return ticks
        end = min(self.ends(one, start), default=FAR)
        if not one.story:
            return {tick for tick in self.TICKS if start <= tick < end}
        return {tick for tick in ticks if tick < start or tick < end}

    def holds(self, one: Fact, asked: dict[str, Any]) -> bool:
        return all(
            getattr(self, f"_{name}")(one, asked)
            for name in ("chapter", "told", "story_time", "place", "entities")
            if name in asked
        )

    def numbers(self, asked: Any) -> set[int]:
        return {asked} if isinstance(asked, int) else set(range(asked.start, asked.end))

    def is_timeless(self, one: Fact) -> bool:
        return self.relation(one).kind == "timeless"

    def is_untimed(self, one: Fact, asked: dict[str, Any]) -> bool:
        return not self.is_timeless(one) and not self.own(one) and asked.get("untimed") == "include"

    def _chapter(self, one: Fact, asked: dict[str, Any]) -> bool:
        numbers = self.numbers(asked["chapter"])
        plays = {tick for number in numbers for tick in self.ticks(self.axis.now(number))}
        return one.chapter in numbers or self.is_timeless(one) or bool(self.so(one) & plays) or self.is_untimed(one, asked)

    def _told(self, one: Fact, asked: dict[str, Any]) -> bool:
        return one.chapter in self.numbers(asked["told"])

    def _story_time(self, one: Fact, asked: dict[str, Any]) -> bool:
        return self.is_timeless(one) or bool(self.so(one) & self.ticks(asked["story_time"])) or self.is_untimed(one, asked)

    def _place(self, one: Fact, asked: dict[str, Any]) -> bool:
        if one.place:
            return one.place in INSIDE[asked["place"]]
        return self.is_timeless(one) or asked.get("unplaced") == "include"

    def _entities(self, one: Fact, asked: dict[str, Any]) -> bool:
        near = set(asked["entities"])
        for _ in range(asked["hops"] - 1):
            near |= {name for other in self.facts if near & self.pair(other) for name in self.pair(other)} - {""}
        return bool(near & self.pair(one))


def answer(facts: list[Fact], axis: StoryAxis, asked: dict[str, Any]) -> set[str]:
    last = asked.get("reader_at", FAR)
    story = Reference([one for one in facts if one.chapter is None or one.chapter <= last], axis.until(last))
    return {one.id for one in story.facts if story.holds(one, asked)}


def ids(cut: Any) -> set[str]:
    return {one.id for one in cut.facts}


def graph_from(story: tuple[list[Fact], StoryAxis]) -> StoryGraph:
    return graph_of(story[0], axis=story[1])


@settings(max_examples=120, deadline=None)
@given(stories(), questions())
def test_a_slice_has_the_facts_for_which_every_constraint_holds(story: tuple[list[Fact], StoryAxis], asked: dict[str, Any]) -> None:
    assert ids(graph_from(story).slice(**asked)) == answer(*story, asked)


@settings(max_examples=50, deadline=None)
@given(stories(), questions())
def test_the_trace_counts_what_each_constraint_matches_alone_and_what_the_slice_has_without_it(
    story: tuple[list[Fact], StoryAxis], asked: dict[str, Any]
) -> None:
    cut = graph_from(story).slice(**asked)
    always: dict[str, Any] = {name: asked[name] for name in ("reader_at", "unplaced", "untimed", "hops") if name in asked}
    constraints = {name: asked[name] for name in ("chapter", "told", "story_time", "place", "entities") if name in asked}
    counted = {one.name: (one.alone, one.without) for one in cut.trace if one.name != "reader_at"}
    assert counted == {
        name: (
            len(answer(*story, {**always, name: value})),
            len(answer(*story, {**always, **{other: one for other, one in constraints.items() if other != name}})),
        )
        for name, value in constraints.items()
    }


@settings(max_examples=40, deadline=None)
@given(stories(), st.randoms(use_true_random=False))
def test_a_graph_does_not_depend_on_the_order_of_its_facts(story: tuple[list[Fact], StoryAxis], random: Any) -> None:
    facts, axis = story
    mixed = [*facts, *facts[:3]]
    random.shuffle(mixed)
    one, other = graph_of(facts, axis=axis), graph_of(mixed, axis=axis)
    assert (one.facts, one.edges, one.validity, one.issues) == (other.facts, other.edges, other.validity, other.issues)


@settings(max_examples=40, deadline=None)
@given(stories(), st.data())
def test_nothing_is_left_of_a_fact_that_is_taken_out(story: tuple[list[Fact], StoryAxis], data: st.DataObject) -> None:
    facts, axis = story
    gone = data.draw(st.sampled_from(facts))
    graph = graph_of(facts, axis=axis)
    left = graph_of([one for one in graph.facts if one.id != gone.id], axis=axis)
    assert gone.id not in {name for edge in left.edges for name in (*edge.facts, *(ending.fact for ending in edge.endings))}
    without = Reference([one for one in facts if one.id != gone.id], axis)
    assert {one.id: without.ticks(left.when(one)) for one in left.facts} == {one.id: without.so(one) for one in left.facts}


@settings(max_examples=40, deadline=None)
@given(stories(), questions())
def test_a_graph_survives_pickling(story: tuple[list[Fact], StoryAxis], asked: dict[str, Any]) -> None:
    graph = graph_from(story)
    copy = pickle.loads(pickle.dumps(graph))
    assert (copy.facts, copy.edges, copy.validity) == (graph.facts, graph.edges, graph.validity)
    assert (copy.slice(**asked).facts, copy.slice(**asked).trace) == (graph.slice(**asked).facts, graph.slice(**asked).trace)


@settings(max_examples=40, deadline=None)
@given(stories())
def test_an_edge_is_so_whenever_one_of_its_facts_is_in_disjoint_stretches_that_do_not_touch(
    story: tuple[list[Fact], StoryAxis],
) -> None:
    graph, reference = graph_from(story), Reference(*story)
    for edge in graph.edges:
        assert reference.ticks(edge.validity) == set().union(*(reference.so(graph.fact(name)) for name in edge.facts))
        assert all(
            one.end is not None and other.start is not None and one.end < other.start for one, other in pairwise(edge.validity)
        )
    assert sorted(name for edge in graph.edges for name in edge.facts) == sorted(one.id for one in graph.facts)


@settings(max_examples=40, deadline=None)
@given(stories(), questions())
def test_edges_of_a_slice_are_made_of_its_facts_alone(story: tuple[list[Fact], StoryAxis], asked: dict[str, Any]) -> None:
    cut = graph_from(story).slice(**asked)
    assert sorted(name for edge in cut.edges for name in edge.facts) == sorted(ids(cut))
    assert len(cut) == len(cut.edges) == len({edge.key for edge in cut.edges})
    assert cut.page(1, 2) == cut.edges[1:3]
    for name in PEOPLE:
        assert cut.neighbours(name) == tuple(edge for edge in cut.edges if name in (edge.subject, edge.object))
    assert set(cut.entities) == {name for edge in cut.edges for name in (edge.subject, edge.object) if name}


@settings(max_examples=40, deadline=None)
@given(stories(), questions(), st.integers(1, 4))
def test_paths_are_shortest_and_prefer_what_is_sure_and_then_what_is_told_first(
    story: tuple[list[Fact], StoryAxis], asked: dict[str, Any], limit: int
) -> None:
    graph = graph_from(story)
    cut = graph.slice(**asked)
    ways = cut.networkx.to_undirected(as_view=True)
    edges = {edge.key: edge for edge in cut.edges}
    expected = {}
    for one, other in combinations(PEOPLE, 2):
        if one in ways and other in ways and nx.has_path(ways, one, other):
            every = [_keys(path, edges) for path in nx.all_shortest_paths(nx.Graph(ways), one, other)]
            best = min((walk for walks in every for walk in walks), key=lambda walk: _rank(graph, [edges[key] for key in walk]))
            if len(best) <= limit:
                expected[one, other] = tuple(best)
    found = {
        (path.entities[0], path.entities[-1]): tuple(edge.key for edge in path.edges) for path in cut.paths(PEOPLE, limit=limit)
    }
    assert found == expected


def _keys(path: list[str], edges: Any) -> list[list[Any]]:
    """Every way along the entities of a path, as keys of edges."""
    steps = [[key for key in edges if {key[0], key[2]} == {one, other}] for one, other in pairwise(path)]
    return [list(walk) for walk in product(*steps)]


def _rank(graph: StoryGraph, walk: list[Any]) -> tuple[int, list[int]]:
    return sum(edge.low_confidence for edge in walk), [graph.row(edge.facts[0]) for edge in walk]
