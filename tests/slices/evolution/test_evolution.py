"""Values of small networks, counted by hand."""

from __future__ import annotations

import json
import pickle

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.errors import FactError
from chronotope.slices.evolution.bridges import bridge_scores
from chronotope.slices.evolution.evolution import evolution, evolution_of_all
from chronotope.slices.fact import Entity
from chronotope.slices.graph import build_graph
from chronotope.temporal.interval import Interval, TimeInterval
from support_cast import ONTOLOGY, told


def met(pair, tick, place="", chapter=1):
    one, other = pair.split("-")
    return told(f"{one} | meets | {other}", chapter, story=(Interval(tick, tick + 1),), place=place, quote=f"{pair} {tick}")


# at 0 Hub knows everybody; at 5 two pairs hang together by Mia alone
STORY = (
    met("Hub-Ann", 0, "Hall", 1),
    met("Hub-Bo", 0, "Garden", 1),
    met("Hub-Mia", 0, "Garden", 1),
    met("Ann-Bo", 0, "", 1),
    met("Hub-Ann", 5, "Hall", 2),
    met("Ann-Mia", 5, "Gate", 2),
    met("Mia-Bo", 5, "Mill", 2),
    met("Bo-Cy", 5, "", 2),
    told("the fire | happens", 2, story=(Interval(3, 4),), metadata={}),
)


@pytest.fixture(scope="module")
def graph():
    from dataclasses import replace

    from chronotope.slices.ontology.ontology import Relation

    happens = Relation(name="happens", domain=("event",), kind="event")
    ontology = replace(ONTOLOGY, relations={**ONTOLOGY.relations, "happens": happens})
    return build_graph(STORY, ontology=ontology, entities=[Entity(name="the fire", type="event")])


STEPS = [Interval(0, 1), Interval(1, 5), Interval(5, 6)]


def test_a_rise_from_leaf_to_bridge(graph):
    mia = evolution(graph, "Mia", steps=STEPS)
    # at 0: Mia hangs on Hub alone; at 5 the path Hub-Ann-Mia-Bo-Cy: 4 of the 6 pairs of others go through Mia
    assert [row.degree for row in mia.rows] == [1, 0, 2]
    assert [row.facts for row in mia.rows] == [1, 0, 2]
    assert [row.places for row in mia.rows] == [1, 0, 2]
    assert [row.bridge for row in mia.rows] == [0, 0, pytest.approx(4 / 6)]
    assert [row.betweenness for row in mia.rows] == [0, 0, pytest.approx(4 / 6)]


def test_a_fall_from_centre_to_edge(graph):
    hub = evolution(graph, "Hub", steps=STEPS)
    # at 0: of the pairs Ann-Bo, Ann-Mia, Bo-Mia the last two need Hub
    assert [row.degree for row in hub.rows] == [3, 0, 1]
    assert [row.bridge for row in hub.rows] == [pytest.approx(2 / 3), 0, 0]
    assert [row.places for row in hub.rows] == [2, 0, 1]


def test_before_and_after_a_landmark(graph):
    mia = evolution(graph, "Mia", steps=STEPS).around("the fire")
    assert (mia.before.degree, mia.after.degree) == (1, 2)
    assert mia.after.bridge == pytest.approx(4 / 6)
    assert "change" in mia.table()
    assert "the fire" in str(mia)


def test_chapters_are_an_axis_too(graph):
    mia = evolution(graph, "Mia", axis="chapters")
    assert [row.step for row in mia.rows] == ["chapter 1", "chapter 2"]
    assert mia.around(2).before.step == "before"
    assert [row.facts for row in evolution(graph, "Mia", axis="chapters", steps=1).rows] == [3]


def test_who_becomes_a_hidden_channel(graph):
    rises = evolution_of_all(graph, steps=STEPS, top=1)
    assert [(rise.name, rise.rise) for rise in rises] == [("Mia", pytest.approx(4 / 6))]
    assert evolution_of_all(graph, landmark="the fire")[0].name == "Mia"
    assert str(rises[0]).startswith("Mia: 0.000")


def test_the_reader_sees_no_later_chapter(graph):
    assert [row.degree for row in evolution(graph, "Mia", steps=STEPS, reader_at=1).rows] == [1, 0, 0]


def test_without_steps_the_story_is_cut_into_stretches_of_one_length(graph):
    rows = evolution(graph, "Mia").rows
    assert sum(row.facts for row in rows) == 3
    assert len({row.interval.length for row in rows[:-1]}) == 1


@pytest.mark.parametrize("steps", [0, []])
def test_no_step_is_an_error(graph, steps):
    with pytest.raises(ValueError, match="no step"):
        evolution(graph, "Mia", steps=steps)


def test_what_is_not_there_is_an_error(graph):
    with pytest.raises(FactError, match="Nobody"):
        evolution(graph, "Nobody")
    with pytest.raises(FactError, match="the flood"):
        evolution(graph, "Mia").around("the flood")
    with pytest.raises(ValueError, match="axis"):
        evolution(graph, "Mia", axis="places")
    with pytest.raises(ValueError, match="top"):
        evolution_of_all(graph, top=0)


def test_it_is_text_json_and_pickle(graph):
    mia = evolution(graph, "Mia", steps=STEPS)
    assert len(mia.table().splitlines()) == 4
    assert "Mia" in repr(mia)
    assert json.loads(json.dumps(mia.to_json()))["rows"][2]["degree"] == 2
    assert pickle.loads(pickle.dumps(mia)) == mia


@given(st.integers(1, 12).flatmap(lambda n: st.lists(st.tuples(st.integers(0, n), st.integers(0, n)), max_size=18)))
def test_bridge_scores_are_what_taking_each_node_away_shows(pairs):
    network = nx.Graph([(one, other) for one, other in pairs if one != other])
    for node, score in bridge_scores(network).items():
        others = nx.node_connected_component(network, node) - {node}
        parted = network.subgraph(others)
        pairs_of = [(one, other) for one in others for other in others if one < other]
        lost = sum(not nx.has_path(parted, one, other) for one, other in pairs_of)
        assert score == pytest.approx(lost / len(pairs_of) if pairs_of else 0)


def test_large_networks_are_estimated_and_say_so():
    facts = [met(f"P{number}-P{number + 1}", 0) for number in range(450)]
    found = evolution(build_graph(facts, ontology=ONTOLOGY), "P200", steps=[Interval(0, 1)])
    assert [issue.kind for issue in found.issues] == ["estimated"]
    assert found.rows[0].bridge == pytest.approx(2 * 200 * 250 / (450 * 449))


@pytest.mark.parametrize(
    ("first", "last", "count", "steps"),
    [
        ("-0058", "-0043-03-15", None, ["-0058/-0057", "-0056/-0055", "-0054/-0053", "-0052/-0051", "-0050/-0049", "-0048/-0047",
                                         "-0046/-0045", "-0044/-0043"]),
        ("1931-03-15", "1931-03-17", None, ["1931-03-15", "1931-03-16", "1931-03-17"]),
        ("1931-01-20", "1931-06-03", 3, ["1931-01/1931-02", "1931-03/1931-04", "1931-05/1931-06"]),
        ("-9999", "9999", 2, ["-9999/0000", "0001/9999"]),
    ],
)  # fmt: skip
def test_dates_are_cut_into_whole_units_of_the_calendar(first, last, count, steps):
    facts = [told(f"Ann | meets | {name}", 1, story=(TimeInterval.parse(time),)) for name, time in (("Bo", first), ("Cy", last))]
    rows = evolution(build_graph(facts, ontology=ONTOLOGY), "Ann", steps=count).rows
    assert [(row.interval.start, row.interval.end) for row in rows] == [
        (time.start, time.end) for time in map(TimeInterval.parse, steps)
    ]
    assert not any("00:00" in row.step for row in rows)
