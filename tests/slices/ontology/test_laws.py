"""Laws of checking, for whatever facts."""

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from chronotope.slices.fact import Fact
from chronotope.slices.ontology import check
from chronotope.temporal.interval import Interval
from support_ontology import GENERAL, HOUSEHOLD, broken, knowing, offended, told

PEOPLE = ["Ann", "Tom", "Ida", "Eva"]
PLACES = ["Bower", "Garden", "Hall"]
OBJECTS = {
    "person": PEOPLE,
    "place": PLACES,
    "title": ["duke", "duchess", "captain"],
    "gender": ["male", "女"],
    "thing": ["the jade"],
}
CHECKED = [
    *("parent_of", "father_of", "mother_of", "child_of", "serves", "dismisses", "holds_title", "gender", "married_to", "divorces"),
    *("born", "died", "tells", "meets", "is_in", "lives_in", "inside", "owns"),
]


def ticks():
    return st.one_of(
        st.just(()),
        st.builds(lambda at: (Interval(at, at + 1),), st.integers(0, 9)),
        st.builds(lambda at, more: (Interval(at, at + more),), st.integers(0, 9), st.integers(0, 5)),
        st.builds(lambda at: (Interval(at, None),), st.integers(0, 9)),
        st.builds(lambda at: (Interval(at, at + 1), Interval(at + 4, at + 6)), st.integers(0, 9)),
    )


@st.composite
def facts(draw, people=tuple(PEOPLE), places=tuple(PLACES)):
    relation, turned = HOUSEHOLD.relation(draw(st.sampled_from(CHECKED)))
    names = {**OBJECTS, "person": people, "place": places}
    subject = draw(st.sampled_from(names.get(relation.domain[0], people)))
    object_ = draw(st.sampled_from(names[relation.range[0]])) if relation.range else ""
    subject, object_ = (object_, subject) if turned else (subject, object_)
    return Fact(
        subject=subject,
        relation=relation.inverse if turned else relation.name,
        object=object_,
        story=draw(ticks()),
        chapter=draw(st.none() | st.integers(1, 9)),
        place=draw(st.sampled_from(["", *places])),
        metadata=draw(st.sampled_from([{}, {}, {"when": "some days later"}])),
    )


def clock(chapter: int) -> tuple[Interval, ...]:
    return (Interval(chapter, chapter + 1),)


def verdict(fact, known, **more):
    return check(fact, knowing(known, **{"clock": clock, **more}))


@given(facts(), facts())
def test_a_contradiction_of_two_facts_is_found_whichever_comes_second(one, other):
    alone = [verdict(one, []), verdict(other, [])]
    if any(said.violations for said in alone):
        return  # a fact that is wrong by itself contradicts nothing more
    first, second = verdict(one, [other]), verdict(other, [one])

    assert broken(first) == broken(second)
    assert offended(first) == offended(second)
    assert {said.against for said in first.violations} <= {(other.id,)}


@given(facts(), st.lists(facts(), max_size=6))
def test_a_fact_that_is_known_is_never_held_against_itself(fact, others):
    others = [other for other in others if other.id != fact.id]

    assert verdict(fact, [*others, fact]) == verdict(fact, others)


@given(facts())
def test_a_fact_told_again_in_other_words_contradicts_nothing(fact):
    again = Fact(
        **{name: getattr(fact, name) for name in ("subject", "relation", "object", "story", "place", "chapter", "metadata")},
        quote="again",
    )

    assert again.id != fact.id
    assert broken(verdict(again, [fact])) == broken(verdict(fact, []))


@given(st.lists(facts(), max_size=6), facts(people=("Rolf", "Kurt"), places=("Mill", "Lock")))
def test_facts_that_share_nobody_and_no_place_leave_each_other_alone(others, fact):
    others = [other for other in others if other.object not in ("the jade", "duke", "duchess", "captain", "male", "女")]

    assert verdict(fact, others) == verdict(fact, [])


@given(st.lists(facts(), max_size=8), facts(), facts())
def test_taking_a_fact_out_leaves_no_trace(others, gone, fact):
    others = [other for other in others if other.id != gone.id]
    known = knowing(others, clock=clock)
    known.add(gone)
    known.remove(gone.id)

    assert check(fact, known) == verdict(fact, others)
    assert [held.id for held in known] == list(dict.fromkeys(other.id for other in knowing(others)))
    for other in [held.id for held in known]:
        known.remove(other)
    assert vars(known)["_subjects"] == vars(known)["_objects"] == vars(known)["_about"] == {}


@given(st.lists(st.tuples(st.sampled_from(PEOPLE), st.sampled_from(PEOPLE)), max_size=8), st.randoms(use_true_random=False))
def test_descent_that_is_accepted_has_no_circle_and_one_without_a_circle_is_accepted(pairs, random):
    random.shuffle(pairs)
    known, kept = knowing(ontology=GENERAL), nx.DiGraph()
    for parent, child in pairs:
        fact = told(f"{parent} | parent_of | {child}")
        circle = parent == child or (kept.has_node(child) and kept.has_node(parent) and nx.has_path(kept, child, parent))

        assert ("no_cycle_in_descent" in broken(check(fact, known))) is circle
        if not circle:
            kept.add_edge(parent, child)
            known.add(fact)
    assert nx.is_directed_acyclic_graph(kept)


@given(st.lists(facts(), max_size=8), st.sampled_from(CHECKED), st.sampled_from(PEOPLE), st.sampled_from(PEOPLE + PLACES))
def test_looking_up_facts_finds_what_reading_all_of_them_finds(told_facts, name, subject, object_):
    known = knowing(told_facts)
    relation = HOUSEHOLD.relation(name)[0]
    ends = {fact.id: [(fact.subject, fact.object)] for fact in known if fact.relation == relation.name}
    if relation.symmetric:
        ends = {id_: [*pairs, pairs[0][::-1]] for id_, pairs in ends.items()}

    assert {fact.id for fact in known.of(relation.name)} == set(ends)
    assert {fact.id for fact in known.of(relation.name, subject=subject)} == {
        i for i, pairs in ends.items() if subject in [p[0] for p in pairs]
    }
    assert {fact.id for fact in known.of(relation.name, subject=subject, object=object_)} == {
        id_ for id_, pairs in ends.items() if (subject, object_) in pairs
    }
    assert {fact.id for fact in known.about(subject)} == {fact.id for fact in known if subject in (fact.subject, fact.object)}


@given(st.lists(facts(), max_size=6), facts(), st.integers(-500, 500))
def test_only_the_order_of_ticks_counts(others, fact, ahead):
    def moved(one):
        story = tuple(Interval(time.start + ahead, time.end if time.end is None else time.end + ahead) for time in one.story)
        return Fact(**{**{name: getattr(one, name) for name in one.__dataclass_fields__}, "story": story})

    later = verdict(moved(fact), list(map(moved, others)), clock=lambda chapter: (Interval(chapter + ahead, chapter + ahead + 1),))

    assert later == verdict(fact, others)


@given(facts())
def test_turning_a_fact_round_twice_changes_nothing(fact):
    once = HOUSEHOLD.normalised(fact)

    assert HOUSEHOLD.normalised(once) == once
    assert once.id == fact.id
    assert once.relation in HOUSEHOLD.relations
