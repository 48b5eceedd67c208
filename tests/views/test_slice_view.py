"""A slice on a page: what stands where, what each step of the slider shows, what a reader may not know, text that stays text."""

import json
import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.slices.axis import build_axis
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph import build_graph
from chronotope.slices.ontology import Ontology
from chronotope.temporal.interval import Interval, TimeInterval
from chronotope.views import slice_view
from chronotope.views.slice_view_layout import lay_out_slice

HOSTILE = "</script><img src=x onerror=alert(1)>{{ 7*7 }} \"quoted\" 'too' & <b onclick=alert(2)>bold</b>"
PEOPLE = [Entity(name=name, type="person") for name in ("Ann", "Ben", "Cid", "Dot", "the Moth")]
ONTOLOGY = Ontology.load("household")


def fact(chapter, subject, relation, other="", **more):
    quote = more.pop("quote", f"{subject} {relation} {other} in chapter {chapter}.")
    return Fact(subject=subject, relation=relation, object=other, chapter=chapter, quote=quote, source_id="book", **more)


TOLD = [
    fact(1, "attic", "inside", "house"),
    fact(1, "house", "inside", "garden"),
    fact(1, "Ann", "serves", "Ben", place="house"),
    fact(1, "Cid", "married_to", "Dot", place="attic"),
    fact(2, "Ann", "meets", "Cid", place="attic"),
    fact(3, "Ben", "dismisses", "Ann", place="house"),
    fact(3, "the Moth", "tells", "Ben", place="garden"),
    fact(4, "Dot", "died", "", place="attic"),
    fact(4, "the Moth", "alias_of", "Cid"),
]


def graph_of(facts=TOLD, **more):
    return build_graph(facts, ontology=ONTOLOGY, entities=more.pop("entities", PEOPLE), **more)


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="page-data">(.*?)</script>', page.html, re.DOTALL)[1])


def shown_at(page, step):
    """What the page lists at a step, counted from 1."""
    return {edge["told"] for edge in data_of(page)["edges"] if any(first < step <= last for first, last in edge["steps"])}


def test_each_chapter_shows_what_it_tells_and_what_holds_while_it_plays():
    graph = graph_of()
    page = slice_view(graph)

    for step, chapter in enumerate(graph.chapters, start=1):
        there = {edge.key for edge in graph.slice(chapter=chapter).edges if edge.relation != "alias_of"}
        named = {" — ".join(filter(None, (graph.name_of(a), b.replace("_", " "), graph.name_of(c)))) for a, b, c in there}
        assert shown_at(page, step) - {"the Moth — alias of — Cid"} == named
    assert "Ann — serves — Ben" in shown_at(page, 3), "a servant serves until after the dismissal"
    assert "Ann — serves — Ben" not in shown_at(page, 4)
    assert "Cid — married to — Dot" in shown_at(page, 2)


def test_along_the_story_each_stretch_shows_what_is_so_all_through_it():
    facts = [
        fact(1, "Ann", "lives_in", "house", story=(Interval(0, 4),)),
        fact(1, "Ben", "lives_in", "house", story=(Interval(2, 9),)),
        fact(2, "Ann", "meets", "Ben", story=(Interval(3, 4),)),
    ]
    page = slice_view(graph_of(facts), axis="story")

    assert len(data_of(page)["steps"]) == 4, "0 to 2, 2 to 3, 3 to 4, 4 to 9"
    both = {"Ann — lives in — house", "Ben — lives in — house"}
    assert [shown_at(page, step) for step in range(1, 5)] == [
        {"Ann — lives in — house"},
        both,
        {*both, "Ann — meets — Ben"},
        {"Ben — lives in — house"},
    ]


def test_dates_are_told_as_dates_and_landmarks_beside_them():
    facts = [
        fact(None, "Ann", "lives_in", "house", story=(TimeInterval.parse("1931/1935"),)),
        fact(None, "the fire", "happens", story=(TimeInterval.parse("1933-05-01"),)),
    ]
    page = slice_view(graph_of(facts), axis="story")

    told = [step["told"] for step in data_of(page)["steps"]]
    assert len(told) == 3
    assert "1 May 1933" in told[1] or "the fire" in told[1]
    assert "1931" in told[0]


def test_a_fact_without_a_time_is_told_to_be_under_all_alone():
    facts = [fact(None, "Ann", "meets", "Ben"), fact(1, "Ann", "meets", "Cid")]

    page = slice_view(graph_of(facts))

    assert shown_at(page, 1) == {"Ann — meets — Cid"}
    assert "1 relation of no known chapter: shown under All alone." in page.html


def test_places_are_boxes_inside_boxes_and_people_stand_where_most_is_told_of_them():
    shown = data_of(slice_view(graph_of()))

    boxes = {box["name"]: box for box in shown["boxes"]}
    assert set(boxes) == {"attic", "house", "garden"}
    home = {node["name"]: shown["boxes"][node["home"]]["name"] for node in shown["nodes"] if node["home"] >= 0}
    assert home["Dot"] == home["Cid"] == "attic"
    assert home["Ben"] == "house"
    for inner, outer in (("attic", "house"), ("house", "garden")):
        assert lies_in(boxes[inner], boxes[outer])
    for node in shown["nodes"]:
        box = shown["boxes"][node["home"]]
        assert box["x"] < node["x"] < box["x"] + box["width"]
        assert box["y"] < node["y"] < box["y"] + box["height"]


def test_without_places_they_are_points_like_everybody():
    shown = data_of(slice_view(graph_of(), places=False))

    assert shown["boxes"] == []
    assert {"attic", "house", "garden"} <= {node["name"] for node in shown["nodes"]}


def test_every_form_of_a_slice_is_drawn_alike():
    graph = graph_of()

    class Index:
        def __init__(self):
            self.graph = graph

    class Retrieval:
        def __init__(self):
            self.slice = graph.slice()

    pages = [slice_view(form) for form in (graph, graph.slice(), Index(), Retrieval())]
    assert {page.html for page in pages} == {pages[0].html}
    with pytest.raises(TypeError, match="not list"):
        slice_view([])


def test_two_bearers_of_a_name_are_told_apart():
    twins = [
        Entity(name="Li Wei", id="Li Wei of the mill", type="person"),
        Entity(name="Li Wei", id="Li Wei the clerk", type="person"),
    ]
    graph = graph_of([fact(1, "Li Wei of the mill", "meets", "Li Wei the clerk")], entities=twins)

    assert {node["name"] for node in data_of(slice_view(graph))["nodes"]} == {"Li Wei of the mill", "Li Wei the clerk"}


def test_an_edge_tells_its_quotations_with_their_coordinates():
    shown = data_of(slice_view(graph_of()))

    edge = next(edge for edge in shown["edges"] if edge["told"] == "Ann — meets — Cid")
    told = [shown["facts"][at] for at in edge["facts"]]
    assert [one["quote"] for one in told] == ["Ann meets Cid in chapter 2."]
    assert "chapter 2" in told[0]["where"]
    assert "attic" in told[0]["where"]
    assert told[0]["source"].startswith("book")


def test_what_ended_a_state_is_told_with_it():
    shown = data_of(slice_view(graph_of()))

    edge = next(edge for edge in shown["edges"] if edge["told"] == "Ann — serves — Ben")
    assert edge["endings"] == ["ended by: Ben — dismisses — Ann"]


def test_with_a_reader_nothing_later_is_in_the_file_at_all():
    for shown in (graph_of(), graph_of().slice()):
        page = slice_view(shown, reader_at=3)

        assert "chapter 4" not in page.html
        assert "Chapter 4" not in page.html
        assert "died" not in page.html
        assert "alias" not in page.html.split("page-data")[1]
        assert {"Cid", "the Moth"} <= {node["name"] for node in data_of(page)["nodes"]}, "nobody knows yet that they are one"
        assert page.html == slice_view(graph_of([one for one in TOLD if one.chapter <= 3]), reader_at=3).html
    known = {node["name"]: node["others"] for node in data_of(slice_view(graph_of()))["nodes"]}
    assert "the Moth" not in known
    assert "the Moth" in known["Cid"]


def test_a_slice_that_was_cut_for_a_reader_needs_no_second_word():
    page = slice_view(graph_of().slice(reader_at=3))

    assert "chapter 4" not in page.html.lower()
    assert "the Moth" in page.html


def test_what_the_slice_could_not_match_stands_on_the_page():
    page = slice_view(graph_of().slice(place=["attic", "cellar"]))

    assert "&#39;cellar&#39; is no place of this story" in page.html


def test_what_is_cut_is_told_and_the_most_joined_stay():
    facts = [fact(1, "hub", "meets", f"guest {n}") for n in range(20)]

    page = slice_view(graph_of(facts, entities=()), limit=5)

    assert "hub" in {node["name"] for node in data_of(page)["nodes"]}
    assert len(data_of(page)["nodes"]) == 5
    assert "5 of 21 persons and things are drawn, the most joined; 16 are left out, and 16 relations with them." in page.html


def test_text_of_a_story_is_never_markup():
    facts = [fact(1, HOSTILE, "meets", "Ben", place=HOSTILE, quote=HOSTILE)]

    page = slice_view(graph_of(facts), title=HOSTILE)

    assert page.html.count("<script") == 2
    assert "<img" not in page.html
    assert "49" not in re.search(r"<title>(.*?)</title>", page.html, re.DOTALL)[1]


def test_chinese_names_are_kept_as_they_are():
    names = [Entity(name=name, type="person") for name in ("王熙鳳", "平兒")]
    page = slice_view(
        graph_of([fact(3, "平兒", "serves", "王熙鳳", place="大觀園", quote="平兒伏侍王熙鳳。")], entities=names), title="紅樓夢"
    )

    assert "平兒 — serves — 王熙鳳" in page.html
    assert "平兒伏侍王熙鳳。" in page.html


def test_the_same_facts_in_any_order_give_the_same_page():
    assert slice_view(graph_of()).html == slice_view(graph_of(TOLD[::-1])).html


@pytest.mark.parametrize("options", [{"axis": "years"}, {"limit": 0}])
def test_another_axis_or_no_room_is_refused(options):
    with pytest.raises(ValueError, match="must be"):
        slice_view(graph_of(), **options)


def test_more_changes_than_steps_are_told():
    facts = [fact(1, "Ann", "meets", "Ben", story=(Interval(2 * n, 2 * n + 1),), quote=str(n)) for n in range(300)]
    graph = graph_of(facts, axis=build_axis([1]))

    page = slice_view(graph, axis="story")

    assert len(data_of(page)["steps"]) == 400
    assert "199 changes fall inside a step" in page.html


def lies_in(inner, outer):
    return (
        outer["x"] < inner["x"]
        and outer["y"] < inner["y"]
        and inner["x"] + inner["width"] < outer["x"] + outer["width"]
        and inner["y"] + inner["height"] < outer["y"] + outer["height"]
    )


@st.composite
def households(draw):
    """Places inside places, people in some of them, and who is joined with whom."""
    parents = [draw(st.integers(-1, place - 1)) for place in range(draw(st.integers(0, 7)))]
    homes = draw(st.lists(st.integers(-1, len(parents) - 1), max_size=30))
    everybody = st.integers(0, max(len(homes) - 1, 0))
    links = draw(st.lists(st.tuples(everybody, everybody), max_size=40)) if homes else []
    return parents, homes, links


@given(households())
def test_nothing_overlaps_that_is_not_inside_and_everybody_stands_at_home(household):
    parents, homes, links = household

    picture = lay_out_slice(parents, homes, links)

    boxes = [box.__dict__ for box in picture.boxes]
    for place, parent in enumerate(parents):
        assert parent < 0 or lies_in(boxes[place], boxes[parent])
        assert picture.boxes[place].depth == (0 if parent < 0 else picture.boxes[parent].depth + 1)
    for one, other in combinations(range(len(parents)), 2):
        if parents[one] == parents[other]:
            a, b = picture.boxes[one], picture.boxes[other]
            assert a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y
    for (x, y), home in zip(picture.points, homes, strict=True):
        assert 0 <= x <= picture.width
        assert 0 <= y <= picture.height
        inside = {
            place for place, box in enumerate(picture.boxes) if box.x < x < box.x + box.width and box.y < y < box.y + box.height
        }
        around = set()
        while home >= 0:
            around.add(home)
            home = parents[home]
        assert inside == around
    for (x, y), (other_x, other_y) in combinations(picture.points, 2):
        assert abs(x - other_x) >= 60 or abs(y - other_y) >= 20


@given(households())
def test_the_same_household_gives_the_same_picture(household):
    assert lay_out_slice(*household) == lay_out_slice(*household)


def test_more_relations_than_a_page_can_list_are_told():
    crowd = [fact(1, f"p{one}", "meets", f"p{other}") for one in range(80) for other in range(one)]
    twice = [fact(chapter, "p1", "meets", "p0") for chapter in (2, 3)]

    page = slice_view(graph_of([*crowd, *twice], entities=()))

    assert len(data_of(page)["edges"]) == 3_000
    assert "3,000 of 3,160 relations are shown, those that most facts tell; 160 are left out." in page.html
    assert "p0 — meets — p1" in shown_at(page, 3)


TIMES = st.tuples(st.integers(0, 9), st.integers(1, 4)).map(lambda pair: Interval(pair[0], pair[0] + pair[1]))


@given(st.lists(TIMES, min_size=1, max_size=8))
def test_along_the_story_a_relation_is_shown_at_a_step_exactly_when_it_is_so_then(times):
    facts = [fact(1, f"p{n}", "lives_in", "house", story=(time,), quote=str(n)) for n, time in enumerate(times)]

    page = slice_view(graph_of(facts, entities=(), axis=build_axis([1])), axis="story", places=False)

    sides = sorted({side for time in times for side in (time.start, time.end)})
    steps = [Interval(first, last) for first, last in pairwise(sides)]
    assert len(data_of(page)["steps"]) == len(steps)
    for number, step in enumerate(steps, start=1):
        so = {f"p{n} — lives in — house" for n, time in enumerate(times) if time.overlaps(step)}
        assert shown_at(page, number) == so


def test_a_relation_that_the_ontology_does_not_know_is_drawn_like_any_other():
    page = slice_view(graph_of([*TOLD, fact(2, "Ann", "adores from afar", "Cid")]))
    assert any("adores from afar" in edge["told"] for edge in data_of(page)["edges"])


def test_that_two_names_are_one_is_no_relation_of_the_page():
    assert not any("alias" in edge["told"] for edge in data_of(slice_view(graph_of()))["edges"])
