"""The event graph on a page: the events around the seeds, time from left to right, nothing on top of anything, what is cut told."""

import json
import re
from itertools import combinations, pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope import TimeInterval
from chronotope.events import EventGraph, EventUnit, walk
from chronotope.views import event_graph_view
from chronotope.views.event_graph_layout import WIDTH, lay_out_graph

HOSTILE = "</script><img src=x onerror=alert(1)>{{ 7*7 }} \"quoted\" 'too' & <b onclick=alert(2)>bold</b>"


def event(name, time="", *entities):
    times = (TimeInterval.parse(time),) if time else ()
    return EventUnit(text=f"{name} happened.", id=name, times=times, entities=entities)


def graph_of(events, **options):
    graph = EventGraph(**options)
    graph.add(events)
    return graph


def chain(length):
    """Events in a row, each of which shares an entity with the next alone."""
    return [event(f"e{n:03}", f"{1900 + n}", f"link {n}", f"link {n + 1}") for n in range(length)]


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="page-data">(.*?)</script>', page.html, re.DOTALL)[1])


def drawn(page):
    return {one["text"].removesuffix(" happened.") for one in data_of(page)["events"]}


def test_every_form_of_a_graph_is_drawn_alike():
    graph = graph_of(chain(5))

    class Index:
        event_graph = graph

    pages = [event_graph_view(form) for form in (graph, graph.networkx, Index(), (chain(5), graph.edges()))]

    assert {page.html for page in pages} == {pages[0].html}
    assert len(data_of(pages[0])["edges"]) == 4


def test_around_a_seed_stand_the_events_so_many_edges_away():
    graph = graph_of(chain(9))

    assert drawn(event_graph_view(graph, around=["e004"], hops=1)) == {"e003", "e004", "e005"}
    assert drawn(event_graph_view(graph, around="e004", hops=1)) == {"e003", "e004", "e005"}
    assert drawn(event_graph_view(graph, around=["e004"])) == {"e002", "e003", "e004", "e005", "e006"}


def test_with_visits_the_visited_events_and_the_seeds_are_drawn():
    graph = graph_of(chain(9))
    visits = walk(graph, ["e004"], walks=3, length=2)

    page = event_graph_view(graph, around=["e004", "e008"], visits=visits)

    assert drawn(page) == {*visits, "e008"}
    shown = {one["text"][:4]: one for one in data_of(page)["events"]}
    assert {name: one["visits"] for name, one in shown.items() if one["visits"]} == visits
    assert {name for name, one in shown.items() if one["seed"]} == {"e004", "e008"}


def test_what_is_cut_is_told_and_the_seeds_stay():
    page = event_graph_view(graph_of(chain(30)), around=["e020"], hops=30, limit=7)

    assert drawn(page) == {f"e{n:03}" for n in range(17, 24)}
    assert "7 of 30 events are drawn, the nearest to the seeds; 23 are left out." in page.html


def test_the_most_visited_events_stay_when_there_are_too_many():
    visits = {f"e{n:03}": n + 1 for n in range(10)}

    page = event_graph_view(graph_of(chain(10)), around=["e000"], visits=visits, limit=3)

    assert drawn(page) == {"e000", "e009", "e008"}


def test_edges_join_the_events_that_they_name():
    graph = graph_of(chain(6))
    page = data_of(event_graph_view(graph))

    names = [one["text"].removesuffix(" happened.") for one in page["events"]]
    assert {(*sorted((names[a], names[b])), round(weight, 9)) for a, b, weight in page["edges"]} == {
        (first, second, round(weight, 9)) for first, second, weight in graph.edges()
    }


@pytest.mark.parametrize(
    ("graph", "error", "words"),
    [
        (["a"], TypeError, "not list"),
        (([event("a")], [("a", "b", 1.0)]), ValueError, "'b', which is not among the events"),
    ],
)
def test_what_is_no_graph_of_events_is_refused(graph, error, words):
    with pytest.raises(error, match=words):
        event_graph_view(graph)


def test_a_node_without_its_event_is_refused():
    graph = nx.Graph()
    graph.add_node("a")

    with pytest.raises(TypeError, match="event unit"):
        event_graph_view(graph)


def test_an_unknown_seed_and_a_limit_of_none_are_errors():
    with pytest.raises(KeyError, match="nobody"):
        event_graph_view(graph_of(chain(3)), around=["nobody"])
    with pytest.raises(ValueError, match="limit"):
        event_graph_view(graph_of(chain(3)), limit=0)


MOMENTS = st.lists(st.integers(-3000, 2100) | st.integers(1900, 1903), max_size=60)


@given(MOMENTS, st.integers(0, 5), st.randoms(use_true_random=False))
def test_time_runs_from_left_to_right_and_what_has_none_stands_apart(years, undated, chance):
    events = [event(f"e{n}", f"{year:05}" if year < 0 else f"{year:04}", "Ann") for n, year in enumerate(years)]
    events += [event(f"u{n}") for n in range(undated)]
    pairs = list(combinations(range(len(events)), 2))
    edges = [(a, b, 0.5) for a, b in chance.sample(pairs, min(len(pairs), 40))]

    layout = lay_out_graph(events, edges)

    in_time = sorted(range(len(years)), key=lambda at: years[at])
    assert all(layout.x[a] < layout.x[b] or years[a] == years[b] for a, b in pairwise(in_time))
    assert all(0 <= layout.x[at] <= WIDTH for at in in_time)
    assert all(x < 0 for x in layout.x[len(years) :])
    assert all(0 <= y <= layout.height for y in layout.y)
    assert layout == lay_out_graph(events, edges)


@pytest.mark.parametrize("spread", ["one year", "three hundred years"])
def test_events_do_not_hide_each_other(spread):
    years = [1900 + (n % 3 if spread == "one year" else (n * 37) % 300) for n in range(90)]
    events = [event(f"e{n}", str(year), f"name {n % 4}") for n, year in enumerate(years)]

    layout = lay_out_graph(events, [(n, n + 4, 1.0) for n in range(86)])

    places = list(zip(layout.x, layout.y, strict=True))
    near = [1 for (ax, ay), (bx, by) in combinations(places, 2) if (ax - bx) ** 2 + (ay - by) ** 2 < 12**2]
    assert len(near) <= 4


def test_joined_events_stand_nearer_from_top_to_bottom_than_others():
    events = [event(f"e{n}", str(1800 + 3 * n), f"group {n % 5}") for n in range(60)]
    edges = [(n, n + 5, 1.0) for n in range(55)]

    y = lay_out_graph(events, edges).y

    joined = sum(abs(y[a] - y[b]) for a, b, _ in edges) / len(edges)
    overall = sum(abs(a - b) for a, b in combinations(y, 2)) / (60 * 59 / 2)
    assert joined < overall / 2


def test_a_page_without_events_says_so():
    assert "There are no events to show." in event_graph_view(([], [])).html


@given(st.text(max_size=40).map(lambda text: text + HOSTILE) | st.text(min_size=1))
def test_no_text_changes_what_the_page_is_made_of(text):
    def tags(told):
        units = [EventUnit(text=told, id=str(n), entities=(told,), source_id=told) for n in range(2)]
        page = event_graph_view((units, [("0", "1", 1.0)]), around=["0"], title=told)
        return re.findall(r"<(\w+)", page.html), data_of(page)

    hostile, harmless = tags(text), tags("a")

    assert hostile[0] == harmless[0]
    assert [one["text"] for one in hostile[1]["events"]] == [" ".join(text.split())] * 2
