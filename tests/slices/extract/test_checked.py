"""Facts checked without a model: nothing is lost, the first of two stands, and the size of a batch changes nothing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.slices.axis import build_axis
from chronotope.slices.extract import checked_facts
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.ontology import Rule
from chronotope.temporal.interval import Interval, TimeInterval
from support_story_facts import SMALL, kinds, statements


def fact(subject: str, relation: str, other: str = "", chapter: int | None = None, **fields: object) -> Fact:
    return Fact(subject=subject, relation=relation, object=other, chapter=chapter, **fields)  # type: ignore[arg-type]


def test_of_two_facts_that_contradict_each_other_the_one_told_first_stands() -> None:
    late, early = fact("Tom", "serves", "Ann", 2), fact("Ann", "serves", "Tom", 1)
    found = checked_facts([late, early], ontology=SMALL)
    assert statements(found.items) == ["Ann — serves — Tom"]
    (uncertain,) = found.uncertain
    assert (uncertain.fact, uncertain.outcome, uncertain.history) == (late, "rejected", ())
    (violation,) = uncertain.verdict.violations
    assert (violation.rule, violation.against) == ("no_loop_of_service", (early.id,))


def test_facts_without_a_chapter_come_first() -> None:
    found = checked_facts([fact("Ann", "parent_of", "Tom", 1), fact("Tom", "parent_of", "Ann")], ontology=SMALL)
    assert statements(found.items) == ["Tom — parent of — Ann"]


def test_facts_are_kept_under_the_names_of_the_ontology() -> None:
    (kept,) = checked_facts([fact("Ann", "child of", "Tom")], ontology=SMALL).items
    assert (kept.subject, kept.relation, kept.object) == ("Tom", "parent_of", "Ann")


def test_an_unknown_relation_is_uncertain_and_not_lost() -> None:
    found = checked_facts([fact("Ann", "weds", "Tom")], ontology=SMALL)
    assert [one.verdict.violations[0].rule for one in found.uncertain] == ["unknown_relation"]


def test_exact_duplicates_stand_once_and_are_counted() -> None:
    one = fact("Ann", "died", chapter=1, quote="Ann died.", source_id="b", char_start=3, char_end=12)
    again = fact("Ann", "died", chapter=1, quote="Ann died.", source_id="b", char_start=3, char_end=12, id="other")
    elsewhere = fact("Ann", "died", chapter=1, quote="Ann died.", source_id="b", char_start=30, char_end=39)
    found = checked_facts([one, again, one, elsewhere], ontology=SMALL)
    assert found.items == (one, elsewhere)
    assert kinds(found) == ["duplicate_facts"]
    assert found.issues[0].message.startswith("2 facts")


def test_two_facts_cannot_have_one_id() -> None:
    found = checked_facts([fact("Ann", "died", id="7"), fact("Tom", "died", id="7")], ontology=SMALL)
    assert statements(found.items) == ["Ann — died"]
    assert [one.verdict.violations[0].rule for one in found.uncertain] == ["own_id"]


def test_soft_rules_mark_facts_and_say_why() -> None:
    def sudden(fact: Fact, _known: object) -> str | None:
        return "nobody saw it coming" if fact.relation == "died" else None

    strict = SMALL.with_rules(Rule(name="sudden", judge=sudden, hard=False, penalty=0.9))
    doubted, sure = checked_facts([fact("Ann", "died"), fact("Ann", "married_to", "Tom")], ontology=strict).items
    assert (doubted.confidence, doubted.metadata["doubts"], sure.confidence) == ("low", "nobody saw it coming", "high")


def test_entities_give_types_and_all_names_of_one_are_one() -> None:
    cast = [Entity(name="Ann", aliases=("Nan",), type="person"), Entity(name="Rome", type="place")]
    given_facts = [fact("Ann", "serves", "Tom", 1), fact("Tom", "serves", "Nan", 1), fact("Rome", "died", chapter=1)]
    found = checked_facts(given_facts, ontology=SMALL, entities=cast)
    assert statements(found.items) == ["Ann — serves — Tom"]
    assert [one.verdict.violations[0].rule for one in found.uncertain] == ["no_loop_of_service", "domain"]


def test_a_name_that_two_bear_stands_for_neither() -> None:
    cast = [Entity(name="Li Wei", id="mill", type="person"), Entity(name="Li Wei", id="port", type="person")]
    given_facts = [fact("mill", "serves", "Tom"), fact("Tom", "serves", "port"), fact("Tom", "serves", "Li Wei")]
    assert len(checked_facts(given_facts, ontology=SMALL, entities=cast).items) == 3


def test_the_axis_is_found_from_the_facts_or_given() -> None:
    dated = checked_facts([fact("Ann", "died", chapter=1, story=(TimeInterval.parse("1931"),))], ontology=SMALL)
    told = checked_facts([fact("Ann", "died", chapter=4, story=(Interval(3, 4),))], ontology=SMALL)
    given_axis = build_axis([9])
    assert dated.axis is not None
    assert told.axis is not None
    assert (dated.axis.kind, told.axis.kind, told.axis.now(4)) == ("dates", "ticks", (Interval(0, 1),))
    assert checked_facts([], ontology=SMALL, axis=given_axis).axis is given_axis


NAMES = st.sampled_from(["Ann", "Tom", "Kate"])
FACTS = st.builds(
    fact,
    NAMES,
    st.sampled_from(["serves", "parent_of", "child_of", "married_to", "weds", "died"]),
    st.one_of(NAMES, st.just("")),
    st.one_of(st.none(), st.integers(1, 4)),
)


@settings(deadline=None)
@given(st.lists(FACTS, max_size=12))
def test_no_fact_is_missing(facts: list[Fact]) -> None:
    found = checked_facts(facts, ontology=SMALL)
    counted = sum(int(issue.message.split()[0]) for issue in found.issues if issue.kind == "duplicate_facts")
    assert len(found.items) + len(found.uncertain) + counted == len(facts)
    assert all(one.verdict.outcome == "rejected" for one in found.uncertain)


@settings(deadline=None)
@given(st.lists(FACTS, max_size=12))
def test_what_stands_stands_when_it_is_checked_alone(facts: list[Fact]) -> None:
    first = checked_facts(facts, ontology=SMALL)
    again = checked_facts(first.items, ontology=SMALL, axis=first.axis)
    assert (again.items, again.uncertain) == (first.items, ())


@settings(deadline=None)
@given(st.lists(FACTS, max_size=10), st.randoms())
def test_the_order_of_chapters_in_a_file_changes_nothing(facts: list[Fact], random: object) -> None:
    chapters = sorted({one.chapter or 0 for one in facts})
    random.shuffle(chapters)  # type: ignore[attr-defined]
    shuffled = [one for chapter in chapters for one in facts if (one.chapter or 0) == chapter]
    assert checked_facts(shuffled, ontology=SMALL) == checked_facts(facts, ontology=SMALL)


def test_facts_without_a_chapter_among_others_are_counted_for_every_reader_knows_them() -> None:
    told = [Fact(subject=name, relation="died", chapter=chapter) for name, chapter in (("Ann", 3), ("Tom", None), ("Kate", None))]
    (issue,) = checked_facts(told, ontology=SMALL).issues
    assert issue.kind == "without_chapter"
    assert issue.message.startswith("'Tom — died' and 1 more have no chapter")
    assert checked_facts(told[:1], ontology=SMALL).issues == checked_facts(told[1:], ontology=SMALL).issues == ()
