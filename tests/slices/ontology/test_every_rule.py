"""Every rule of both shipped ontologies has a fact that trips it and one that does not."""

from dataclasses import dataclass, field

import pytest

from chronotope.slices.fact import Entity, Fact
from chronotope.slices.ontology import check
from chronotope.temporal.interval import Interval, TimeInterval
from support_ontology import GENERAL, HOUSEHOLD, broken, knowing, offended, told


@dataclass
class Case:
    known: list[Fact]
    trips: Fact
    passes: Fact
    entities: list[Entity] = field(default_factory=list)
    years: dict[int, str] = field(default_factory=dict)

    def clock(self, chapter: int) -> tuple[Interval, ...]:
        """Chapters play in the years given, else one after the other."""
        return (TimeInterval.parse(self.years[chapter]),) if self.years else (Interval(chapter, chapter + 1),)

    def verdict(self, ontology, fact: Fact, known: list[Fact] | None = None):
        return check(fact, knowing(self.known if known is None else known, ontology, self.entities, clock=self.clock))


CASES: dict[str, list[Case]] = {
    "no_cycle_in_descent": [
        Case(
            [told("Ann | parent_of | Tom"), told("Tom | father_of | Ida")],
            trips=told("Ida | mother_of | Ann"),
            passes=told("Ida | mother_of | Rolf"),
        ),
        Case([], trips=told("Ann | parent_of | ann"), passes=told("Ann | parent_of | Anna")),
    ],
    "no_place_inside_itself": [
        Case(
            [told("Bower | inside | Garden"), told("Garden | inside | House")],
            trips=told("House | inside | Bower"),
            passes=told("Bower | inside | House"),
        )
    ],
    "parent_born_before_child": [
        Case(
            [told("Ann | born", on="1900"), told("Tom | born", on="1920-05")],
            trips=told("Tom | parent_of | Ann"),
            passes=told("Ann | parent_of | Tom"),
        ),
        Case(
            [told("Ann | mother_of | Tom"), told("Tom | born", at="10")],
            trips=told("Ann | born", at="11"),
            passes=told("Ann | born", at="10"),
        ),
    ],
    "one_father": [
        Case(
            [told("Tom | father_of | Ida")],
            trips=told("Rolf | father_of | Ida"),
            passes=told("Rolf | father_of | Ann"),
        )
    ],
    "one_mother": [
        Case([told("Ann | mother_of | Ida")], trips=told("Eva | mother_of | Ida"), passes=told(" ann | mother_of | Ida")),
    ],
    "service_is_one_way": [
        Case(
            [told("Tom | serves | Ann", at="3/8")],
            trips=told("Ann | serves | Tom", at="8/12"),
            passes=told("Ann | serves | Tom", at="9/12"),
        ),
        Case(
            [told("Tom | serves | Ann", chapter=1), told("Ann | dismisses | Tom", chapter=3)],
            trips=told("Ann | serves | Tom", chapter=2),
            passes=told("Ann | serves | Tom", chapter=4),
        ),
        Case(
            [told("Tom | serves | Ann", chapter=1)],
            trips=told("Tom | master_of | Ann", chapter=5),
            passes=told("Tom | serves | Ida"),
        ),
    ],
    "title_agrees_with_gender": [
        Case([told("Ann | gender | female")], trips=told("Ann | holds_title | Duke"), passes=told("Ann | holds_title | duchess")),
        Case([told("Ann | holds_title | 公主")], trips=told("Ann | gender | 男"), passes=told("Ann | gender | 女")),
        Case([told("Tom | father_of | Ida")], trips=told("Tom | mother_of | Rolf"), passes=told("Tom | father_of | Rolf")),
        Case(
            [],
            trips=told("Kim | holds_title | queen"),
            passes=told("Kim | holds_title | captain"),
            entities=[Entity(name="Kim", type="person", metadata={"gender": "man"})],
        ),
        Case([told("Kim | gender | female")], trips=told("Kim | holds_title | king"), passes=told("Kim | holds_title | queen")),
    ],
    "the_dead_do_not_act": [
        Case(
            [told("Ann | died", at="5")],
            trips=told("Ann | tells | Tom", at="6"),
            passes=told("Ann | tells | Tom", at="5", chapter=40),
        ),
        Case(
            [told("Ann | died", chapter=5)],
            trips=told("Tom | meets | Ann", chapter=9),
            passes=told("Tom | tells | Ann", chapter=9),
        ),
        Case(
            [told("Ann | kills | Tom", on="1931-06")],
            trips=told("Ann | died", on="1931-05"),
            passes=told("Ann | died", on="1931"),
        ),
        Case(
            [told("Ann | died", chapter=5)],
            trips=told("Ann | tells | Tom", chapter=20),
            passes=told("Ann | tells | Tom", at="2", chapter=20),
        ),
    ],
    "nobody_acts_before_birth": [
        Case([told("Ann | born", at="5")], trips=told("Ann | tells | Tom", at="4"), passes=told("Ann | tells | Tom", at="5")),
        Case([told("Ann | tells | Tom", at="4")], trips=told("Ann | born", at="5"), passes=told("Ann | born", chapter=5)),
    ],
    "one_body_in_one_place": [
        Case(
            [told("Bower | inside | Garden"), told("Ann | is_in | Bower", at="5")],
            trips=told("Ann | is_in | Hall", at="5"),
            passes=told("Tom | meets | Ann", at="5", place="Garden"),
        ),
        Case(
            [told("Ann | is_in | Bower", at="5")],
            trips=told("Tom | meets | Ann", at="5", place="Hall"),
            passes=told("Tom | meets | Ann", at="6", place="Hall"),
        ),
        Case(
            [told("Ann | is_in | Bower", on="1931-05-03T14")],
            trips=told("Ann | arrives_in | Hall", on="1931-05-03T14:20"),
            passes=told("Ann | arrives_in | Hall", on="1931-05-03"),
        ),
        Case(
            [told("Ann | is_in | Bower", at="5")],
            trips=told("Ann | is_in | Hall", at="5", chapter=2),
            passes=told("Ann | is_in | Hall", at="1/9"),
        ),
        Case(
            [told("Ann | is_in | Bower", chapter=5), told("Ann | is_in | Bower", at="7")],
            trips=told("Ann | is_in | Hall", at="7"),
            passes=told("Ann | is_in | Hall", chapter=5),
        ),
    ],
    "born_and_dead_once": [
        Case([told("Ann | died", at="5")], trips=told("Ann | died", at="9"), passes=told("Ann | died", chapter=9)),
        Case([told("Ann | born", on="1900")], trips=told("Ann | born", on="1901"), passes=told("Ann | born", on="1900-05")),
    ],
    "not_with_oneself": [
        Case([], trips=told("Ann | married_to | ANN"), passes=told("Ann | married_to | Tom")),
    ],
    "parent_too_young": [
        Case(
            [told("Ann | parent_of | Ida"), told("Ann | born", on="1900"), told("Ann | parent_of | Tom")],
            trips=told("Tom | born", on="1909"),
            passes=told("Tom | born", on="1912"),
        ),
        Case(
            [told("Ann | born", on="1900-01-01"), told("Tom | born", on="1908")],
            trips=told("Ann | parent_of | Tom"),
            passes=told("Ann | sister_of | Tom"),
        ),
    ],
    "parent_too_old": [
        Case(
            [told("Ann | born", on="1800"), told("Ann | mother_of | Tom")],
            trips=told("Tom | born", on="1880"),
            passes=told("Tom | born", on="1850"),
        )
    ],
    "married_too_young": [
        Case(
            [told("Ann | born", on="1900")],
            trips=told("Tom | married_to | Ann", on="1910/.."),
            passes=told("Tom | married_to | Ann", on="1918/.."),
        ),
        Case(
            [told("Tom | married_to | Ann", on="1910/1960")],
            trips=told("Ann | born", on="1905"),
            passes=told("Ann | born", on="1890"),
        ),
    ],
    "two_spouses_at_once": [
        Case(
            [told("Tom | married_to | Ann", chapter=1)],
            trips=told("Eva | married_to | Tom", chapter=4),
            passes=told("Eva | married_to | Rolf", chapter=4),
        ),
        Case(
            [told("Tom | married_to | Ann", chapter=1), told("Ann | died", chapter=3)],
            trips=told("Tom | married_to | Eva", chapter=2),
            passes=told("Tom | married_to | Eva", chapter=4),
        ),
    ],
    "three_parents": [
        Case(
            [told("Ann | mother_of | Ida"), told("Tom | parent_of | Ida")],
            trips=told("Rolf | father_of | Ida"),
            passes=told("Tom | father_of | Ida"),
        )
    ],
    "state_after_death": [
        Case(
            [told("Ann | died", chapter=5)],
            trips=told("Ann | lives_in | Hall", chapter=6),
            passes=told("Ann | lives_in | Hall", at="2/9", chapter=6),
        )
    ],
    "death_told_late": [
        Case(
            [],
            trips=told("Ann | died", on="1840", chapter=1),
            passes=told("Ann | died", on="1880", chapter=1),
            years={1: "1900"},
        )
    ],
    "two_places_in_one_day": [
        Case(
            [told("Ann | is_in | Bower", on="1931-05-03")],
            trips=told("Ann | is_in | Hall", on="1931-05-03"),
            passes=told("Ann | is_in | Hall", on="1931-05-04"),
        ),
        Case(
            [told("Ann | is_in | Bower", on="1931-05-03")],
            trips=told("Ann | is_in | Hall", on="1931-05-03T14"),
            passes=told("Ann | is_in | Hall", on="1931-05"),
        ),
    ],
    "people_are_seldom_owned": [
        Case(
            [],
            trips=told("Ann | owns | Tom"),
            passes=told("Ann | owns | the jade"),
            entities=[Entity(name="Tom", type="person"), Entity(name="the jade", type="thing")],
        )
    ],
    "people_serve_and_groups_seldom": [
        Case(
            [],
            trips=told("the Lees | serves | Ann"),
            passes=told("Tom | serves | Ann"),
            entities=[Entity(name="the Lees", type="group"), Entity(name="Tom", type="person")],
        )
    ],
    "no_cycle_of_age": [
        Case(
            [told("Ann | elder_than | Tom"), told("Tom | elder_than | Ida")],
            trips=told("Ida | elder_than | Ann"),
            passes=told("Ida | younger_than | Ann"),
        )
    ],
    "elder_born_first": [
        Case(
            [told("Ann | born", on="1900"), told("Tom | born", on="1920")],
            trips=told("Tom | elder_than | Ann"),
            passes=told("Ann | elder_than | Tom"),
        )
    ],
    "kin_is_one_way": [
        Case([told("Tom | uncle_of | Ida")], trips=told("Ida | aunt_of | Tom"), passes=told("Ida | aunt_of | Rolf")),
    ],
    "concubines_are_one_way": [
        Case(
            [told("Ann | concubine_of | Tom", chapter=1)],
            trips=told("Tom | concubine_of | Ann", chapter=1),
            passes=told("Eva | concubine_of | Tom", chapter=1),
        )
    ],
    "no_kin_of_oneself": [
        Case([], trips=told("Tom | brother_of | Tom"), passes=told("Tom | brother_of | Ann")),
    ],
    "servant_with_a_high_title": [
        Case(
            [told("Ann | serves | Eva", chapter=2)],
            trips=told("Ann | holds_title | 贵妃", chapter=3),
            passes=told("Ann | holds_title | 姑娘", chapter=3),
        ),
        Case(
            [told("Ann | holds_title | Empress", chapter=2)],
            trips=told("Ann | serves | Eva", chapter=3),
            passes=told("Eva | serves | Ann", chapter=3),
        ),
    ],
    "wife_and_concubine_at_once": [
        Case(
            [told("Ann | concubine_of | Tom", chapter=1)],
            trips=told("Ann | married_to | Tom", chapter=2),
            passes=told("Eva | married_to | Tom", chapter=2),
        )
    ],
}


def fits(ontology, case: Case) -> bool:
    return all(ontology.has_relation(fact.relation) for fact in (*case.known, case.trips, case.passes))


EACH = [
    (ontology, rule, case)
    for ontology in (GENERAL, HOUSEHOLD)
    for rule in ontology.rules
    for case in CASES.get(rule.name, [])
    if fits(ontology, case)
]
NAMED = [f"{ontology.name}-{rule.name}" for ontology, rule, _ in EACH]


@pytest.mark.parametrize("ontology", [GENERAL, HOUSEHOLD], ids=lambda ontology: ontology.name)
def test_every_rule_has_a_case_and_every_case_a_rule(ontology):
    cased = {rule for rule, cases in CASES.items() if any(fits(ontology, case) for case in cases)}

    assert {rule.name for rule in ontology.rules} <= cased
    assert set(CASES) == {rule.name for rule in HOUSEHOLD.rules} | {rule.name for rule in GENERAL.rules}


@pytest.mark.parametrize(("ontology", "rule", "case"), EACH, ids=NAMED)
def test_a_fact_that_breaks_a_rule_is_found_by_that_rule_and_another_is_not(ontology, rule, case):
    tripped, passed = case.verdict(ontology, case.trips), case.verdict(ontology, case.passes)

    assert rule.name in (broken(tripped) if rule.hard else offended(tripped))
    assert rule.name not in broken(passed) | offended(passed)
    assert (tripped.outcome == "rejected") is bool(tripped.violations)
    assert passed.outcome != "rejected"


@pytest.mark.parametrize(("ontology", "rule", "case"), EACH, ids=NAMED)
def test_it_makes_no_difference_which_fact_comes_last(ontology, rule, case):
    watched = rule.watches(ontology)
    sides = [fact for fact in case.known if ontology.relation(fact.relation)[0].name in watched]
    for last in sides[-1:]:
        others = [fact for fact in (case.trips, *case.known) if fact is not last]
        verdict = case.verdict(ontology, last, others)

        assert rule.name in broken(verdict) | offended(verdict)


@pytest.mark.parametrize(("ontology", "rule", "case"), EACH, ids=NAMED)
def test_a_reason_names_who_it_is_about_and_cites_known_facts(ontology, rule, case):
    verdict = case.verdict(ontology, case.trips)
    reasons = [said.reason for said in (*verdict.violations, *verdict.penalties) if said.rule == rule.name]
    against = {id_ for said in verdict.violations for id_ in said.against}

    assert all(case.trips.subject in reason or case.trips.object in reason for reason in reasons)
    assert against <= {fact.id for fact in (*case.known, case.trips)}


def test_without_times_no_rule_of_time_is_broken():
    facts = [
        told("Ann | died"),
        told("Ann | tells | Tom"),
        told("Tom | serves | Ann"),
        told("Ann | serves | Tom"),
        told("Ann | born"),
    ]
    known = knowing(facts)

    assert [check(fact, known).outcome for fact in facts] == ["accepted"] * len(facts)
