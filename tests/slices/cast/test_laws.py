"""What holds of every cast, whatever the facts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chronotope.errors import FactError
from chronotope.slices.cast import Cast
from chronotope.slices.same_name import same_name
from support_cast import ONTOLOGY, told

_NAMES = ["Ann Lee", "Ann", "Mr. Lee", "Mrs. Lee", "Tom Lee", "the Captain", "Captain", "The  Otto", "Otto", "Alder"]
_RELATIONS = ["tells", "alias_of", "married_to", "works_for", "died", "meets", "lives_in"]


@st.composite
def facts_of(draw):
    relation = draw(st.sampled_from(_RELATIONS))
    other = "" if relation == "died" else f" | {draw(st.sampled_from(_NAMES))}"
    chapter = draw(st.one_of(st.none(), st.integers(1, 4)))
    return told(f"{draw(st.sampled_from(_NAMES))} | {relation}{other}", chapter, draw(st.sampled_from(["", "a", "b"])))


stories = st.lists(facts_of(), min_size=1, max_size=12)


def cast_of(facts):
    return Cast.of(facts, ontology=ONTOLOGY)


@given(stories, st.randoms())
def test_the_order_of_facts_makes_no_difference(facts, random):
    shuffled = list(facts)
    random.shuffle(shuffled)
    assert cast_of(shuffled) == cast_of(facts)


@given(stories, st.data())
def test_a_merge_that_is_undone_leaves_what_was_before(facts, data):
    before = cast_of(facts)
    ids = [entity.id for entity in before.entities]
    one, other = data.draw(st.sampled_from(ids)), data.draw(st.sampled_from(ids))
    try:
        after = before.merged(one, other, evidence="somebody says so")
    except FactError:
        return
    made = [merge for merge in after.merges if merge.why == "decision"]
    assert len(made) == 1
    assert len(after) == len(before) - 1
    if len(before.find(other)) == 1:
        assert after.id(other) == one
    assert {entity.id for entity in after.entities} == {*ids} - {other}
    assert after.undone(made[0]) == before


@given(stories, st.integers(0, 4))
def test_an_earlier_reader_knows_what_the_earlier_facts_alone_tell(facts, chapter):
    early = [fact for fact in facts if fact.chapter is None or fact.chapter <= chapter]
    seen = cast_of(facts).as_of(chapter, facts)
    assert seen == cast_of(early)
    told_names = {" ".join(name.split()) for fact in early for name in (fact.subject, fact.object)}
    assert {name for entity in seen.entities for name in entity.names} <= told_names


@given(stories)
def test_every_name_has_one_entity_and_every_id_is_its_own(facts):
    cast = cast_of(facts)
    ids = [entity.id for entity in cast.entities]
    assert len(ids) == len(set(ids))
    for fact in facts:
        assert cast.id(fact.subject, fact.source_id) in ids
        assert same_name(fact.subject) in {same_name(name) for one in cast.find(fact.subject) for name in cast.entity(one).names}


@given(stories)
def test_an_article_and_white_space_make_no_difference_to_who_is_meant(facts):
    cast = cast_of(facts)
    for fact in facts:
        bare = " ".join(fact.subject.split()).removeprefix("The ").removeprefix("the ")
        for name in (bare, f"the {bare}", f"THE\u3000{bare.upper()}"):
            assert set(cast.find(name)) == set(cast.find(fact.subject))
            assert cast.id(name, fact.source_id) == cast.id(fact.subject, fact.source_id)


@given(stories, st.data())
def test_every_merge_can_be_undone_and_stays_so(facts, data):
    cast = cast_of(facts)
    if not cast.merges:
        return
    merge = data.draw(st.sampled_from(cast.merges))
    assert merge.sides not in {other.sides for other in cast.undone(merge).merges}
