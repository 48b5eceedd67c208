"""How somebody changes, on a page: the numbers as lines and as a table, landmarks where they lie, text that stays text."""

import re
from html import unescape

import pytest

from chronotope.slices.evolution.evolution import Evolution, EvolutionRow, evolution
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph import build_graph
from chronotope.slices.ontology import Ontology
from chronotope.temporal.interval import Interval, TimeInterval
from chronotope.views import evolution_view
from support_browser import opened, operated

HOSTILE = '</script><img src=x onerror=alert(1)>{{ 7*7 }} "quoted" & <b onclick=alert(2)>bold</b>'
ONTOLOGY = Ontology.load("household")


def row(number, **values):
    return EvolutionRow(step=f"chapter {number}", interval=Interval(number, number + 1), **values)


def made(rows, name="Ann"):
    return Evolution(name, name, "chapters", tuple(rows))


def graph_of(name="the Moth"):
    facts = [
        Fact(subject=name, relation="tells", object="Ann", chapter=1, place="attic"),
        Fact(subject="the fire", relation="happens", chapter=2),
        Fact(subject=name, relation="tells", object="Ben", chapter=3, place="cellar"),
        Fact(subject=name, relation="tells", object="Cid", chapter=3, place="attic"),
    ]
    people = [Entity(name=one, type="person") for one in (name, "Ann", "Ben", "Cid")]
    return build_graph(facts, ontology=ONTOLOGY, entities=[*people, Entity(name="the fire", type="event")])


def table_of(html):
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", html, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", one, re.DOTALL) for one in rows]
    return [[unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in line] for line in cells]


def points_of(html):
    """The points of each chart, as x and y."""
    charts = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    return [[(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', chart)] for chart in charts]


def test_the_table_has_the_numbers_of_the_evolution():
    rows = [row(1, facts=3, degree=2, betweenness=0.25, places=1, bridge=0.5), row(2, facts=4, degree=1)]

    page = evolution_view(made(rows))

    assert table_of(page.html) == [
        ["Chapter", "Facts", "Degree", "Betweenness", "Places", "Bridge"],
        ["chapter 1", "3", "2", "0.25", "1", "0.50"],
        ["chapter 2", "4", "1", "0.00", "0", "0.00"],
    ]


def test_each_measure_is_a_line_that_rises_where_the_numbers_do():
    rows = [row(1, degree=0, bridge=0.1), row(2, degree=4, bridge=0.1), row(3, degree=2, bridge=0.9)]

    degree, betweenness, places, bridge = points_of(evolution_view(made(rows)).html)

    assert degree[1][1] < degree[2][1] < degree[0][1], "a screen counts from the top"
    assert bridge[2][1] < bridge[0][1] == bridge[1][1]
    assert len({y for _, y in betweenness}) == len({y for _, y in places}) == 1
    assert [x for x, _ in degree] == sorted({x for x, _ in degree}) == [x for x, _ in bridge]


def test_a_landmark_is_a_dashed_line_at_the_chapter_that_tells_it():
    page = evolution_view(evolution(graph_of(), "the Moth", axis="chapters"))

    second = points_of(page.html)[0][1][0]
    lines = [float(x) for x in re.findall(r'<line class="landmark" x1="([\d.]+)"', page.html)]
    assert lines == [second] * 4, "one in each chart"
    assert table_of(page.html)[2][0].split() == ["chapter", "2", "the", "fire"]


def test_along_the_story_a_landmark_lies_between_the_steps_before_and_after_it():
    facts = [
        Fact(subject="Ann", relation="meets", object="Ben", story=(TimeInterval.parse("1900"),)),
        Fact(subject="the fire", relation="happens", story=(TimeInterval.parse("1906-07"),)),
        Fact(subject="Ann", relation="meets", object="Cid", story=(TimeInterval.parse("1911"),)),
    ]
    graph = build_graph(facts, ontology=ONTOLOGY, entities=[Entity(name="the fire", type="event")])
    steps = [TimeInterval.parse(text) for text in ("1900/1903", "1904/1907", "1908/1911")]

    page = evolution_view(evolution(graph, "Ann", steps=steps))

    first, second, third = (x for x, _ in points_of(page.html)[0])
    (line, *_) = [float(x) for x in re.findall(r'<line class="landmark" x1="([\d.]+)"', page.html)]
    assert second < line < (second + third) / 2, "July 1906 is in the second half of the four years"
    assert first < second


def test_only_the_landmarks_that_are_asked_for_are_drawn_and_an_unknown_one_is_refused():
    found = evolution(graph_of(), "the Moth", axis="chapters")

    assert '<line class="landmark"' not in evolution_view(found, landmarks=[]).html
    assert "the fire" in evolution_view(found, landmarks=["the fire"]).html
    with pytest.raises(ValueError, match=r"the flood.*known are the fire"):
        evolution_view(found, landmarks=["the flood"])
    with pytest.raises(ValueError, match="without its graph"):
        evolution_view(made([row(1)]), landmarks=["the fire"])
    with pytest.raises(TypeError, match="not StoryGraph"):
        evolution_view(graph_of())


def test_for_a_reader_no_later_landmark_is_in_the_file():
    facts = [*graph_of().facts, Fact(subject="the flood", relation="happens", chapter=4)]
    graph = build_graph(facts, ontology=ONTOLOGY, entities=[Entity(name=one, type="event") for one in ("the fire", "the flood")])

    page = evolution_view(evolution(graph, "the Moth", axis="chapters", reader_at=3))

    assert "the fire" in page.html
    assert "the flood" not in page.html
    assert "chapter 4" not in page.html


def test_text_of_a_story_is_never_markup():
    page = evolution_view(evolution(graph_of(HOSTILE), HOSTILE, axis="chapters"), title=HOSTILE)

    assert "<img" not in page.html
    assert page.html.count("<script") == 2
    assert "49" not in re.search(r"<title>(.*?)</title>", page.html, re.DOTALL)[1]


@pytest.mark.parametrize("rows", [[], [row(1)], [row(n, degree=n % 40, bridge=n / 500) for n in range(1, 401)]])
def test_none_one_and_many_steps_make_a_silent_page(rows):
    seen = opened(evolution_view(made(rows)).html)

    assert seen.console == ()
    assert len(re.findall("<circle", seen.dom)) == 4 * len(rows)


def test_a_narrow_window_scrolls_the_charts_and_not_the_page():
    told = operated(
        evolution_view(evolution(graph_of(), "the Moth", axis="chapters")).html,
        """const charts = doc.querySelector(".charts");
           return [doc.documentElement.scrollWidth <= view.innerWidth, charts.scrollWidth > charts.clientWidth]""",
        size=(480, 800),
    )

    assert told == [True, True]
