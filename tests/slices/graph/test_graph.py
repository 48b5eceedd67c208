"""Graphs of stories: relations by their names, who is who, endings, places, landmarks, and what is not dropped silently."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from chronotope.errors import TimeExpressionError
from chronotope.slices.axis import OrderConstraint, StoryAxis, build_axis
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph import Slice, StoryGraph
from chronotope.temporal.interval import Interval, TimeInterval
from support_worlds import fact, graph_of, told_edges

T = TimeInterval.parse
WED = fact("Ann married_to Tom", 1, id="wed")
DIVORCED = fact("Tom divorces Ann", 3, id="divorced")


def kinds(found: StoryGraph | Slice) -> list[str]:
    return [issue.kind for issue in found.issues]


def chapters(last: int) -> StoryAxis:
    return build_axis(range(1, last + 1))


# what ends what


def test_an_ending_is_recorded_with_its_fact_and_rule_and_taking_it_out_restores_the_state() -> None:
    graph = graph_of([WED, DIVORCED])
    (ending,) = graph.edge(("Ann", "married_to", "Tom")).endings
    assert (ending.fact, ending.at) == ("divorced", 2)
    assert {"divorces", "married_to"} <= set(ending.rule.split())
    assert graph.when("wed") == (Interval(0, 2),)
    restored = graph_of([WED])
    assert (restored.when("wed"), restored.edge(("Ann", "married_to", "Tom")).endings) == ((Interval(0, None),), ())


def test_facts_that_no_rule_joins_end_nothing_of_each_other() -> None:
    facts = [
        fact("Ann held_by Bakery", 1, id="a"),
        fact("Ben held_by Mill", 2, id="b"),
        fact("Ann knows Tom", 1, id="c"),
        fact("Ann knows Ben", 2, id="d"),
        fact("Eve divorces Tom", 3, id="e"),
        WED,
    ]
    graph = graph_of(facts)
    assert all(graph.when(name)[0].end is None for name in ("a", "b", "c", "d", "wed"))
    assert not graph.endings


def test_the_next_ending_takes_the_place_of_one_that_is_taken_out() -> None:
    died = fact("Tom died", 5, id="died")
    axis = chapters(5)
    assert graph_of([WED, DIVORCED, died], axis=axis).ending("wed").fact == "divorced"  # type: ignore[union-attr]
    assert graph_of([WED, died], axis=axis).ending("wed").fact == "died"  # type: ignore[union-attr]


def test_a_bounded_time_stays_as_it_is_told() -> None:
    bounded = fact("Ann married_to Tom", 1, story="0/9", id="wed")
    assert graph_of([bounded, DIVORCED]).when("wed") == (Interval(0, 10),)


def test_a_later_home_ends_the_earlier_one_at_its_start_and_a_home_told_again_ends_nothing() -> None:
    homes = [fact("Ann lives_in Mill", 1, id="a"), fact("Ann lives_in Mill", 2, id="b"), fact("Ann lives_in Farm", 4, id="c")]
    graph = graph_of(homes, axis=chapters(4))
    assert [graph.when(name) for name in "abc"] == [(Interval(0, 3),), (Interval(1, 3),), (Interval(3, None),)]
    assert graph.edge(("Ann", "lives_in", "Mill")).validity == (Interval(0, 3),)


def test_of_two_homes_told_in_one_chapter_the_later_told_goes_on() -> None:
    homes = [
        fact("Ann lives_in Mill", 1, id="a", char_start=0, char_end=9),
        fact("Ann lives_in Farm", 1, id="b", char_start=20, char_end=29),
    ]
    graph = graph_of(homes)
    assert (graph.when("a"), graph.when("b")) == ((Interval(0, 1),), (Interval(0, None),))


def test_what_begins_in_the_chapter_that_ends_its_like_is_ended_only_when_it_is_told_before() -> None:
    spans: tuple[dict[str, Any], ...] = {"char_start": 0, "char_end": 5}, {"char_start": 10, "char_end": 15}
    for first, second, expected in (("wed", "divorced", Interval(2, 3)), ("divorced", "wed", Interval(2, None))):
        told = {first: spans[0], second: spans[1]}
        wed, divorced = (
            fact("Ann married_to Tom", 3, id="wed", **told["wed"]),
            fact("Ann divorces Tom", 3, id="divorced", **told["divorced"]),
        )
        assert graph_of([wed, divorced], axis=chapters(3)).when("wed") == (expected,)


def test_an_event_without_an_end_ends_nothing() -> None:
    assert graph_of([WED, fact("Ann divorces Tom", 2, story="4/..", id="d")]).when("wed") == (Interval(0, None),)


# relations, values, places


def test_a_fact_told_by_an_inverse_is_turned_round_and_both_sides_of_a_symmetric_relation_are_one_edge() -> None:
    graph = graph_of([fact("Bram master_of Lin", 1), fact("Tom married_to Ann", 1), fact("Ann married_to Tom", 2)])
    assert {edge.key for edge in graph.edges} == {("Lin", "serves", "Bram"), ("Ann", "married_to", "Tom")}
    assert graph.edge(("Ann", "married_to", "Tom")).chapters == (1, 2)


def test_an_unknown_relation_is_kept_as_a_state_with_an_issue() -> None:
    graph = graph_of([fact("Ann adores Tom", 1, id="a"), fact("Ann adores Eve", 2, id="b")])
    assert kinds(graph) == ["unknown_relation"]
    assert "adores" in graph.issues[0].message
    assert graph.when("a") == (Interval(0, None),)


def test_a_value_is_no_entity() -> None:
    graph = graph_of([fact("Ann gender female", 1), fact("Eve gender female", 1)])
    assert set(graph.entity_ids) == {"Ann", "Eve"}
    assert not graph.slice().paths(["Ann", "Eve"])


def test_a_ring_of_places_is_an_issue_and_the_fact_that_closes_it_does_not_count() -> None:
    ring = [fact("Bower inside Garden", 1), fact("Garden inside Town", 2), fact("Town inside Bower", 3)]
    graph = graph_of(ring)
    assert kinds(graph) == ["place_cycle"]
    assert graph.places.inside("Town") == ("Bower", "Garden", "Town")
    assert graph.places.inside("Bower") == ("Bower",)
    assert len(graph.edges) == 3


def test_a_place_may_lie_inside_two_others() -> None:
    graph = graph_of([fact("Gate inside Town", 1), fact("Gate inside Wall", 2), fact("Ann is_in Gate", 2, place="Gate")])
    assert (graph.places.parent("Gate"), graph.places.around("Gate")) == ("Town", ("Town", "Wall"))
    assert all("Ann is_in Gate" in told_edges(graph.slice(place=place)) for place in ("Town", "Wall", "Gate"))


def test_what_is_a_place_by_its_type_or_relation_is_known_as_one_though_nothing_happens_there() -> None:
    graph = graph_of([fact("Ann lives_in Mill", 1)], entities=[Entity(name="Harbour", type="place")])
    assert graph.place_id("Mill") == "Mill"
    assert graph.place_id("Ann") is None
    assert kinds(graph.slice(place="Mill")) == ["matches_nothing"]
    assert kinds(graph.slice(place="Moon")) == ["unknown_place"]


# constraints that match nothing


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ({"chapter": 9}, "unknown_chapter"),
        ({"told": 9}, "unknown_chapter"),
        ({"chapter": [1, 9]}, "unknown_chapter"),
        ({"place": "Moon"}, "unknown_place"),
        ({"entities": "Nobody"}, "unknown_entity"),
        ({"entities": ["Ann", "Nobody"]}, "unknown_entity"),
        ({"story_time": Interval(4, 4)}, "empty_time"),
        ({"story_time": Interval(-9, -8)}, "matches_nothing"),
    ],
)
def test_a_constraint_that_matches_nothing_is_an_issue(asked: dict[str, object], kind: str) -> None:
    graph = graph_of([WED, DIVORCED])
    cut = graph.slice(**asked)  # type: ignore[arg-type]
    assert kinds(cut) == [kind]
    assert [one.name for one in cut.trace] == list(asked)


def test_a_chapter_that_plays_at_no_known_time_has_what_it_tells_and_says_so() -> None:
    graph = graph_of([WED, fact("Ann knows Eve", 2)], axis=StoryAxis(chapters={1: (Interval(0, 1),), 2: ()}))
    cut = graph.slice(chapter=2)
    assert (told_edges(cut), kinds(cut), kinds(graph)) == ({"Ann knows Eve"}, ["unplaced_chapter"], ["unplaced_chapter"])


def test_a_fact_that_nothing_places_in_time_is_included_only_when_asked() -> None:
    graph = graph_of([WED, fact("Ann knows Eve")])
    assert told_edges(graph.slice(story_time=Interval(0, 1))) == {"Ann married_to Tom"}
    assert told_edges(graph.slice(story_time=Interval(0, 1), untimed="include")) == {"Ann married_to Tom", "Ann knows Eve"}


@pytest.mark.parametrize(
    "asked", [{"unplaced": "maybe"}, {"hops": 0}, {"story_time": T("1931")}, {"story_time": "before the flood"}]
)
def test_an_option_that_means_nothing_is_refused(asked: dict[str, object]) -> None:
    with pytest.raises((ValueError, TimeExpressionError)):
        graph_of([WED]).slice(**{"entities": "Ann", **asked})  # type: ignore[arg-type]


def test_one_of_chapter_and_story_time_is_asked_of_a_version() -> None:
    graph = graph_of([WED])
    for asked in ({}, {"chapter": 1, "story_time": "0"}):
        with pytest.raises(ValueError, match="one of the two"):
            graph.at(**asked)  # type: ignore[arg-type]


def test_a_time_on_the_other_axis_is_not_kept_and_said_so() -> None:
    dated = Fact(subject="Ann", relation="knows", object="Tom", chapter=1, story=(T("1931"),), id="dated")
    graph = graph_of([WED, DIVORCED, dated], axis=chapters(3))
    assert (graph.when("dated"), kinds(graph)) == ((), ["other_axis"])


def test_two_facts_of_one_id_are_not_both_kept_and_said_so() -> None:
    graph = graph_of([WED, fact("Ann knows Tom", 2, id="wed")])
    assert (len(graph), kinds(graph), graph.fact("wed")) == (1, ["same_id"], WED)


def test_names_that_are_not_there_raise_key_errors_that_name_them() -> None:
    graph = graph_of([WED])
    for look in (graph.fact, graph.when):
        with pytest.raises(KeyError, match="nothing"):
            look("nothing")
    with pytest.raises(KeyError, match="knows"):
        graph.edge(("Ann", "knows", "Tom"))


# times of the story


def test_dates_before_year_one_run_forwards() -> None:
    facts = [
        fact("Siege happens", 1, story="-0299/-0249", axis="dates", id="siege"),
        fact("Ides happens", 2, story="-0043-03-15", axis="dates", id="ides"),
        fact("Pact happens", 3, story="0014", axis="dates", id="pact"),
    ]
    graph = graph_of(facts)
    assert [one.id for one in graph.slice().story_order] == ["siege", "ides", "pact"]
    assert told_edges(graph.slice(story_time="44 BC")) == {"Ides happens"}
    assert told_edges(graph.slice(story_time="300 BC to 250 BC")) == {"Siege happens"}
    assert told_edges(graph.slice(story_time="after the siege")) == {"Ides happens", "Pact happens"}
    assert told_edges(graph.slice(story_time="2044")) == set()


def test_a_date_covers_its_whole_day() -> None:
    graph = graph_of([fact("Fire happens", 1, story="2026-07-10T15:00", axis="dates")])
    assert told_edges(graph.at(story_time="2026-07-10")) == {"Fire happens"}


def test_an_empty_time_matches_nothing_and_is_said() -> None:
    empty = Fact(subject="Ann", relation="knows", object="Tom", chapter=1, story=(Interval(4, 4),))
    graph = graph_of([empty], axis=chapters(9))
    assert kinds(graph) == ["empty_time"]
    assert not graph.slice(story_time=Interval(None, None))


def test_any_ordered_axis_will_do() -> None:
    """Rounds of a game, told in turns."""
    facts = [fact("Ann lives_in North", 1, story="10/.."), fact("Ann lives_in South", 2, story="25/..")]
    graph = graph_of(facts)
    assert [told_edges(graph.at(story_time=str(turn))) for turn in (9, 10, 24, 25)] == [
        set(),
        {"Ann lives_in North"},
        {"Ann lives_in North"},
        {"Ann lives_in South"},
    ]


def test_two_time_windows_in_one_question_are_their_union() -> None:
    graph = graph_of([fact(f"Fair {year} happens", 1, story=str(year), axis="dates") for year in range(2009, 2017)])
    assert told_edges(graph.slice(story_time=[T("2010"), T("2015")])) == {"Fair 2010 happens", "Fair 2015 happens"}


def test_an_amended_rule_holds_from_its_amendment_and_the_old_one_until_then() -> None:
    old = fact("Notice lasts 180 days", 1, story="2015/..", axis="dates", id="old")
    new = fact("Notice lasts 270 days", 2, story="2023-04-01/..", axis="dates", id="new")
    graph = graph_of([old, new])
    assert [told_edges(graph.at(story_time=day)) for day in ("2020", "2026-07-10")] == [
        {"Notice lasts 180 days"},
        {"Notice lasts 270 days"},
    ]
    assert (graph.when("old"), graph.when("new")) == ((T("2015-01/2023-03"),), (T("2023-04-01/.."),))


def test_a_home_that_is_told_thousands_of_times_is_read_in_a_moment() -> None:
    facts = [fact("Ann lives_in Mill", number, id=f"f{number}") for number in range(1, 6_001)]
    graph = graph_of([*facts, fact("Ann lives_in Farm", 6_001)])
    assert graph.edge(("Ann", "lives_in", "Mill")).validity == (Interval(0, 6_000),)


def test_a_dated_chapter_plays_at_the_hull_of_its_dated_events_unless_it_is_said_when() -> None:
    facts = [
        fact("Fire happens", 1, story="1931-05", axis="dates"),
        fact("Flood happens", 1, story="1933", axis="dates"),
        fact("Ann knows Tom", 1, story="1900/..", axis="dates"),
    ]
    assert graph_of(facts).axis.now(1) == (T("1931-05/1933-12"),)
    given = build_axis([1], kind="dates", dates={1: T("1940")})
    assert graph_of(facts, axis=given).axis.now(1) == (T("1940"),)


def test_a_landmark_is_when_its_own_facts_say_else_when_the_order_says_else_when_it_is_told() -> None:
    order = [OrderConstraint(one="event:flood", relation="before", other="chapter:1", offset_days=9)]
    axis = build_axis([1, 2], order)
    facts = [fact("Fire happens", 2, story="5/6"), fact("Flood happens", 2), fact("Feast happens", 2), fact("Ann died", 2)]
    graph = graph_of(facts, axis=axis)
    found = [graph.landmark(name) for name in ("Fire", "Flood", "Feast", "Ann")]
    assert found == [Interval(5, 7), Interval(-9, -8), Interval(1, 2), None]
    assert graph.axis.read("before the flood") == Interval(None, -9)


# readers


def test_a_reader_knows_nothing_of_what_is_told_later_not_even_in_counts_and_issues() -> None:
    facts = [
        WED,
        DIVORCED,
        fact("Ann meets Stranger", 1, place="Bridge", id="met"),
        fact("Stranger alias_of Lin", 4, quote="The stranger was Lin.", id="alias"),
        fact("Lin serves Ann", 4, place="Tower", id="serves"),
        fact("Ann adores Lin", 4, id="odd"),
        fact("Tower inside Bridge", 4, id="inside"),
        fact("Fire happens", 4, story="0", id="fire"),
        fact("Prologue happens", id="before"),
    ]
    full = graph_of(facts, axis=chapters(4), entities=[Entity(name="Ann", aliases=("Widow",), metadata={"chapter": 4})])
    early = full.told_until(1)
    cut = full.slice(chapter=1, place="Bridge", unplaced="include", reader_at=1)
    known = (early.facts, early.edges, early.issues, early.places, early.cast.entities, early.cast.issues, early.axis, early.known)
    words = repr((*known, cut.trace, cut.issues))
    assert not [word for word in ("Lin", "Tower", "divorced", "adores", "Fire", "alias_of", "Widow", "4") if word in words]
    assert {one.id for one in early.facts} == {"wed", "met", "before"}
    assert dataclasses.astuple(cut.trace[-1]) == ("reader_at", "chapter 1", 3, len(cut.facts))
    assert kinds(full.slice(chapter=4, reader_at=1)) == ["unknown_chapter"]
    assert "4" not in full.slice(chapter=3, reader_at=1).issues[0].message
    with pytest.raises(TimeExpressionError):
        full.slice(story_time="before the fire", reader_at=1)


def test_who_has_read_all_has_the_whole_graph() -> None:
    entities = [Entity(name="Ann", aliases=("Nan",), metadata={"chapter": 5})]
    graph = graph_of([WED, DIVORCED], entities=entities)
    assert graph.told_until(5) is graph
    assert graph.told_until(4) is not graph
    assert (graph.cast.find("Nan"), graph.told_until(4).cast.find("Nan")) == (("Ann",), ())


def test_the_graphs_of_the_last_four_readers_are_kept() -> None:
    graph = graph_of([fact("Ann knows Tom", number) for number in range(1, 8)])
    first = [graph.told_until(number) for number in range(1, 6)]
    assert all(graph.told_until(number) is first[number - 1] for number in (2, 3, 4, 5))
    assert graph.told_until(1) is not first[0]


# forms for users


def test_a_copy_for_networkx_has_every_edge_with_plain_coordinates() -> None:
    graph = graph_of([WED, DIVORCED, fact("Ann is_in Quay", 2, place="Quay")], entities=[Entity(name="Ann", type="person")])
    copy = graph.networkx
    data = copy["Ann"]["Tom"]["married_to"]
    assert (copy.number_of_edges(), copy.nodes["Ann"]["type"]) == (3, "person")
    assert (data["story_time"], data["chapters"], data["facts"], data["kind"]) == ("0/2", [1], ["wed"], "state")
    assert copy["Ann"]["Quay"]["is_in"]["places"] == ["Quay"]
    copy.clear()
    assert len(graph.edges) == 3


def test_facts_are_listed_in_the_order_of_the_story_and_of_the_telling() -> None:
    axis = build_axis([1, 2, 3], [OrderConstraint(one="chapter:3", relation="before", other="chapter:1")])
    graph = graph_of(
        [fact(f"Ann knows P{number}", number, id=f"k{number}") for number in (1, 2, 3)] + [fact("Ann knows P0", id="k0")], axis=axis
    )
    cut = graph.slice()
    assert [one.id for one in cut.telling_order] == ["k0", "k1", "k2", "k3"]
    assert [one.id for one in cut.story_order] == ["k3", "k1", "k2", "k0"]
    assert cut.facts == cut.telling_order


def test_a_slice_shows_itself_as_text_and_as_html() -> None:
    graph = graph_of([WED, fact("Ann knows <Tom & Co>", 2)])
    cut = graph.slice(chapter=2)
    assert repr(cut) == "Slice(chapter='chapter 2': 2 facts, 2 edges)"
    assert "&lt;Tom &amp; Co&gt;" in cut._repr_html_()
    assert "<Tom" not in cut._repr_html_()
    assert repr(graph) == "StoryGraph(2 facts, 2 edges, 3 entities, chapters 1 to 2)"


def test_an_empty_graph_answers() -> None:
    graph = graph_of([])
    cut = graph.slice(chapter=1, place="Mill", entities="Ann", story_time="3")
    assert (len(graph), len(cut), cut.paths(["Ann", "Tom"]), graph.edges, cut.story_order) == (0, 0, (), (), ())


def test_a_path_goes_over_the_sure_edge_and_a_limit_below_one_is_refused() -> None:
    graph = graph_of(
        [
            fact("Ann knows Eve", 1, confidence="low"),
            fact("Eve knows Tom", 1),
            fact("Ann knows Lin", 2),
            fact("Tom knows Lin", 2),
        ]
    )
    (path,) = graph.slice().paths(["Ann", "Tom", "Nobody"])
    assert (path.entities, len(path)) == (("Ann", "Lin", "Tom"), 2)
    assert graph.slice(told=1).paths(["Ann", "Tom"])[0].entities == ("Ann", "Eve", "Tom")
    assert not graph.slice().paths(["Ann", "Tom"], limit=1)
    with pytest.raises(ValueError, match="at least 1"):
        graph.slice().paths(["Ann", "Tom"], limit=0)


# who is who is no relation


ALIAS = fact("the Moth alias_of Tom", 4, id="alias")


def test_that_two_names_are_one_is_no_edge_of_somebody_with_himself() -> None:
    graph = graph_of([WED, fact("the Moth meets Ann", 4), ALIAS])
    whole = graph.slice()
    assert {edge.key for edge in graph.edges} == {("Ann", "married_to", "Tom"), ("Ann", "meets", "Tom")}
    assert whole.edges == graph.edges
    assert len(whole) == whole.networkx.number_of_edges() == graph.networkx.number_of_edges() == len(whole.page()) == 2
    assert "2 edges" in repr(graph)
    assert "alias" not in whole._repr_html_()
    with pytest.raises(KeyError):
        graph.edge(("Tom", "alias_of", "Tom"))


def test_the_fact_that_tells_it_stays_a_fact_and_the_evidence_of_the_merge() -> None:
    graph = graph_of([WED, ALIAS])
    found = graph.slice(told=4)
    assert found.facts == (graph.fact("alias"),)
    assert bool(found)
    assert len(found) == 0
    assert found.neighbours("Tom") == ()
    assert found.entities == ("Tom",)
    assert [merge.fact for merge in graph.cast.merges] == ["alias"]


def test_two_names_that_are_kept_apart_are_joined_by_what_the_text_says() -> None:
    graph = graph_of([WED, ALIAS])
    cast = graph.cast.undone(graph.cast.merges[0])
    told = graph_of([WED, ALIAS], cast=cast)
    assert "the Moth alias_of Tom" in told_edges(told.slice())


def test_whoever_knows_himself_is_joined_to_himself() -> None:
    assert told_edges(graph_of([fact("Ann knows Ann", 1)]).slice()) == {"Ann knows Ann"}


# the order of telling inside a chapter


@pytest.mark.parametrize("rows", [(1, 2, 3, 10), ("1", "2", "3", "10")])
def test_facts_without_characters_are_told_in_the_order_of_their_rows(rows: tuple[int | str, ...]) -> None:
    homes = [fact(f"Ann lives_in {name}", 1, metadata={"row": row}) for name, row in zip("DBCA", rows, strict=True)]
    for given in (homes, homes[::-1]):
        graph = graph_of(given)
        assert [one.object for one in graph.facts] == ["D", "B", "C", "A"]
        assert [graph.ending(one) is None for one in graph.facts] == [False, False, False, True]


def test_many_homes_of_one_chapter_end_each_other_as_they_are_told() -> None:
    homes = [fact(f"Ann lives_in Home{i:04}", 1, char_start=i, char_end=i + 1, source_id="book") for i in range(400)]
    graph = graph_of([*homes, fact("Ann lives_in Home0000", 2, source_id="book")])
    enders = [graph.ending(one) for one in graph.facts]
    assert [end.fact if end else "" for end in enders] == [*(one.id for one in graph.facts[1:]), ""]
