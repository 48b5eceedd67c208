"""Who is who: what joins names, what keeps them apart, and what a user can decide."""

from __future__ import annotations

import pickle

import pytest

from chronotope.errors import FactError
from chronotope.slices.cast import Cast
from chronotope.slices.fact import Entity
from chronotope.temporal.interval import Interval, TimeInterval
from support_cast import ONTOLOGY, told


def cast_of(*facts, entities=(), **more):
    return Cast.of(facts, entities, ontology=ONTOLOGY, **more)


def kinds(cast):
    return sorted(issue.kind for issue in cast.issues)


def refusals(cast):
    return [issue.message for issue in cast.issues if issue.kind == "merge_refused"]


def test_equal_names_of_one_source_are_one_whatever_their_white_space_and_case():
    cast = cast_of(told("Ann  Lee | tells | Eva", 1, "a"), told("ANN LEE | tells | Eva", 9, "a"))
    assert cast.id("ann lee", "a") == cast.id("ANN LEE", "a") == cast.id("Ann  Lee", "a")
    assert len(cast) == 2


def test_names_that_differ_by_a_leading_article_are_one_and_the_spelling_told_first_is_shown():
    cast = cast_of(
        told("Ann | lives_in | the Bell Inn", 1, "a"),
        told("Tom | lives_in | Bell  Inn", 2, "a"),
        told("Eva | lives_in | Bell Inn", 3, "a"),
    )
    assert {cast.id(name, "a") for name in ("the Bell Inn", "Bell Inn", "The  BELL INN")} == {"the Bell Inn"}
    assert cast.entity("the Bell Inn").names == ("the Bell Inn",)
    assert (cast.merges, cast.issues) == ((), ())


def test_a_text_that_drops_the_article_and_a_list_without_a_source_that_keeps_it_mean_one():
    cast = cast_of(told("Ann | lives_in | Bell Inn", 1, "tale"), told("Ann | lives_in | the Bell Inn"))
    assert cast.id("Bell Inn", "tale") == cast.id("the Bell Inn") == "Bell Inn"
    assert len(cast) == 2


def test_given_entities_that_differ_by_an_article_are_one():
    cast = cast_of(
        told("Ann | lives_in | the Bell Inn", 1, "a"), entities=(Entity(name="Bell Inn", type="place"), Entity(name="the Bell Inn"))
    )
    assert [(entity.id, entity.type) for entity in cast.entities if "Inn" in entity.id] == [("the Bell Inn", "place")]


def test_given_entities_of_one_id_are_one_whatever_their_names():
    given = (Entity(name="Ann Lee", id="the Ann"), Entity(name="the Ann"), Entity(name="Ann"))
    cast = cast_of(told("Ann Lee | tells | Tom", 1, "a"), told("the Ann | tells | Eva", 1, "a"), entities=given)
    assert cast.id("Ann Lee") == cast.id("the Ann") == cast.id("ann") == "Ann"


def test_the_article_alone_is_a_name_and_other_articles_stay():
    cast = cast_of(told("The | tells | a servant", 1, "a"), told("Theo | tells | servant", 1, "a"))
    assert len(cast) == 4


def test_traditional_and_simplified_characters_are_two_names():
    cast = cast_of(told("寶玉 | tells | 黛玉", 1, "a"), told("宝玉 | tells | 黛玉", 1, "a"))
    assert cast.id("寶玉", "a") != cast.id("宝玉", "a")


@pytest.mark.parametrize("chapter", [None, 1])
def test_two_clerks_of_one_name_in_two_firms_are_two(chapter):
    cast = cast_of(told("Li Wei | works_for | the Mill", chapter, "mill"), told("Li Wei | works_for | the Bank", chapter, "bank"))
    assert {cast.id("Li Wei", "mill"), cast.id("Li Wei", "bank")} == {"Li Wei", "Li Wei (2)"}
    assert "same_name" in kinds(cast)
    assert cast.find("li wei") == ("Li Wei", "Li Wei (2)")


def test_a_town_that_both_live_in_does_not_make_two_clerks_one():
    cast = cast_of(told("Li Wei | lives_in | Alder", None, "mill"), told("Li Wei | lives_in | Alder", None, "bank"))
    assert cast.id("Li Wei", "mill") != cast.id("Li Wei", "bank")


def test_a_shared_neighbour_makes_equal_names_of_two_works_one():
    cast = cast_of(told("Li Wei | tells | Mara Quist", None, "mill"), told("Li Wei | knows | Mara Quist", None, "bank"))
    assert cast.id("Li Wei", "mill") == cast.id("Li Wei", "bank") == "Li Wei"
    assert {merge.why for merge in cast.merges} == {"neighbour"}


def test_a_shared_neighbour_is_no_evidence_against_a_rule():
    cast = cast_of(
        told("Li Wei | tells | Mara Quist", None, "mill"),
        told("Li Wei | gender | male", None, "mill"),
        told("Li Wei | knows | Mara Quist", None, "bank"),
        told("Li Wei | gender | female", None, "bank"),
    )
    assert cast.id("Li Wei", "mill") != cast.id("Li Wei", "bank")
    assert any("Li Wei" in refused and "rule gender" in refused for refused in refusals(cast))


def test_a_person_and_a_place_of_one_name_stay_apart_in_two_works():
    cast = cast_of(told("Alder | tells | Mara Quist", None, "mill"), told("Mara Quist | lives_in | Alder", None, "bank"))
    assert cast.id("Alder", "mill") != cast.id("Alder", "bank")
    assert cast_of(told("Alder | tells | Mara Quist", None, "a"), told("Alder | tells | Mara Quist", None, "b")).find("Alder") == (
        "Alder",
    )


def test_the_files_of_a_novel_are_one_work():
    cast = cast_of(told("Ann | tells | Eva", 1, "one.txt"), told("Ann | tells | Otto", 2, "two.txt"))
    assert cast.id("Ann", "one.txt") == cast.id("Ann", "two.txt")
    assert cast.issues == ()


def test_sources_that_tell_the_same_chapter_are_works_of_their_own_until_they_are_named():
    facts = [told("Ann | tells | Eva", 1, "a1"), told("Ann | tells | Otto", 2, "a2"), told("Ann | tells | Ida", 1, "b1")]
    apart = cast_of(*facts)
    assert len({apart.id("Ann", source) for source in ("a1", "a2", "b1")}) == 3
    assert "works_unclear" in kinds(apart)
    named = cast_of(*facts, same_work=lambda source: source[0])
    assert named.id("Ann", "a1") == named.id("Ann", "a2") != named.id("Ann", "b1")
    assert len(cast_of(*facts, same_work=True).find("Ann")) == 1
    assert len(cast_of(*facts, same_work=False).find("Ann")) == 3


def test_metadata_names_the_work():
    facts = [told(f"Ann | tells | {who}", 1, source, metadata={"work": "w"}) for who, source in (("Eva", "x"), ("Ida", "y"))]
    cast = cast_of(*facts)
    assert cast.id("Ann", "x") == cast.id("Ann", "y")


def test_a_name_without_a_source_is_its_only_bearer_but_not_one_of_two():
    one = cast_of(told("Ann | tells | Eva"), told("Ann | tells | Otto", 1, "a"))
    assert one.id("Ann") == one.id("Ann", "a")
    two = cast_of(told("Ann | tells | Eva"), told("Ann | tells | Otto", 1, "a"), told("Ann | tells | Ida", 1, "b"))
    assert len(two.find("Ann")) == 3
    assert "ambiguous_name" in kinds(two)


class TestForms:
    def test_the_captain_mr_reed_and_thomas_are_one_where_the_text_shows_it(self):
        cast = cast_of(
            told("Thomas Reed | meets | Ann Lee", 1, "n"),
            told("Mr. Reed | tells | Eva Bok", 1, "n"),
            told("Thomas | tells | Eva Bok", 1, "n"),
            told("the Captain | tells | Ida", 2, "n"),
            told("the Captain | alias_of | Mr. Reed", 3, "n", quote="The captain was Mr. Reed."),
        )
        assert {cast.id(name, "n") for name in ("Thomas Reed", "Mr. Reed", "Thomas", "the Captain")} == {"Thomas Reed"}
        assert {(merge.merged, merge.why, merge.chapter) for merge in cast.merges} == {
            ("Mr. Reed", "form", 1),
            ("Thomas", "form", 1),
            ("the Captain", "alias", 3),
        }
        assert set(cast.entity("Thomas Reed").aliases) == {"Mr. Reed", "Thomas", "the Captain"}

    @pytest.mark.parametrize(
        ("longer", "short", "is_one"),
        [
            (["Thomas Reed"], "Reed", True),
            (["Thomas Reed"], "Thomas", True),
            (["Thomas Reed"], "Mr Reed", True),
            (["Thomas Reed"], "Mrs. Reed", False),
            (["Thomas Reed", "James Reed"], "Mr. Reed", False),
            (["Thomas Reed", "Thomas Hill"], "Thomas", False),
            (["Mrs. Reed"], "Mr. Reed", False),
            (["Thomas Reed"], "Tom", False),
            (["Thomas Reed"], "the Captain", False),
            (["林黛玉"], "黛玉", True),
            (["賈寶玉", "甄寶玉"], "寶玉", False),
            (["歐陽少恭"], "少恭", True),
            (["王夫人"], "夫人", False),
            (["老太太"], "太太", False),
        ],
    )
    def test_a_shorter_form_is_the_only_longer_name_of_its_chapter(self, longer, short, is_one):
        facts = [told(f"{name} | tells | Ann Lee", 1, "n") for name in (*longer, short)]
        cast = cast_of(*facts)
        assert (cast.id(short, "n") in {cast.id(name, "n") for name in longer}) is is_one

    def test_forms_of_different_chapters_stay_apart(self):
        cast = cast_of(told("Thomas Reed | tells | Ann Lee", 1, "n"), told("Thomas | tells | Eva", 2, "n"))
        assert cast.id("Thomas", "n") == "Thomas"

    def test_a_known_gender_decides_between_two_of_a_surname(self):
        facts = [told(f"{name} | tells | Ann Lee", 1, "n") for name in ("Thomas Reed", "Jane Reed", "Mr. Reed")]
        cast = cast_of(*facts, told("Jane Reed | gender | female", 1, "n"))
        assert cast.id("Mr. Reed", "n") == "Thomas Reed"

    def test_two_of_one_fact_are_no_forms_of_one_name(self):
        cast = cast_of(told("Thomas Reed | tells | Mr. Reed", 1, "n"))
        assert cast.id("Mr. Reed", "n") == "Mr. Reed"
        assert "rule two_of_a_fact" in refusals(cast)[0]

    def test_a_place_is_no_form_of_a_person(self):
        cast = cast_of(told("Thomas Alder | tells | Ann", 1, "n"), told("Eva | lives_in | Alder", 1, "n"))
        assert cast.id("Alder", "n") == "Alder"


class TestRules:
    """The alias statement is the same each time; the other facts forbid it, or do not."""

    @pytest.mark.parametrize(
        ("rule", "against", "harmless"),
        [
            (
                "gender",
                ["Ada Orme | gender | male", "Bo Tull | gender | female"],
                ["Ada Orme | gender | male", "Bo Tull | gender | male"],
            ),
            ("dead", ["Ada Orme | died @1", "Bo Tull | tells | Eva @5"], ["Ada Orme | died @5", "Bo Tull | tells | Eva @1"]),
            ("two_of_a_fact", ["Ada Orme | married_to | Bo Tull"], ["Ada Orme | married_to | Eva", "Bo Tull | married_to | Eva"]),
            ("two_of_a_fact", ["Bo Tull | parent_of | Ada Orme"], ["Ada Orme | tells | Bo Tull"]),
            (
                "two_places",
                ["Ada Orme | is_in | Garden @4", "Bo Tull | is_in | Mill @4"],
                ["Ada Orme | is_in | Garden @4", "Bo Tull | is_in | Bower @4", "Bower | inside | Garden"],
            ),
            (
                "two_places",
                ["Ada Orme | is_in | Garden @3-6", "Bo Tull | is_in | Mill @5-8"],
                ["Ada Orme | is_in | Garden @3", "Bo Tull | is_in | Mill @5"],
            ),
            (
                "functional",
                ["Ada Orme | works_for | Firm @3", "Bo Tull | works_for | Bank @3"],
                ["Ada Orme | works_for | Firm @3", "Bo Tull | works_for | Firm @3"],
            ),
        ],
    )
    def test_a_rule_forbids_what_an_alias_statement_says(self, rule, against, harmless):
        assert f"rule {rule}" in refusals(self._cast(against))[0]
        assert self._cast(against).id("Ada Orme") != self._cast(against).id("Bo Tull")
        assert refusals(self._cast(harmless)) == []
        assert self._cast(harmless).id("Ada Orme") == self._cast(harmless).id("Bo Tull")

    def _cast(self, lines):
        facts = [told("Ada Orme | alias_of | Bo Tull", 9)]
        for line in lines:
            statement, _, at = line.partition("@")
            first, _, last = at.partition("-")
            story = (Interval(int(first), int(last or first) + 1),) if at else ()
            facts.append(told(statement, 9 if at else 1, story=story))
        return cast_of(*facts)

    def test_a_chain_of_aliases_is_checked_as_a_whole(self):
        cast = cast_of(
            told("Ada Orme | alias_of | Bo Tull", 1),
            told("Bo Tull | alias_of | Cy Thorn", 2),
            told("Ada Orme | gender | male", 1),
            told("Cy Thorn | gender | female", 2),
        )
        assert cast.id("Ada Orme") == cast.id("Bo Tull") != cast.id("Cy Thorn")
        assert len(refusals(cast)) == 1

    def test_a_description_of_two_captains_joins_neither(self):
        cast = cast_of(told("the Captain | alias_of | Thomas Reed", 1), told("the Captain | alias_of | James Hill", 9))
        assert len({cast.id(name) for name in ("the Captain", "Thomas Reed", "James Hill")}) == 3
        assert kinds(cast) == ["ambiguous_name"]

    def test_years_do_not_put_a_body_in_two_places(self):
        year = (TimeInterval.parse("1931"),)
        facts = [told("Ada Orme | is_in | Garden", 1, story=year), told("Bo Tull | is_in | Mill", 1, story=year)]
        cast = cast_of(*facts, told("Ada Orme | alias_of | Bo Tull", 2))
        assert cast.id("Ada Orme") == cast.id("Bo Tull")


class TestGiven:
    def test_aliases_of_a_given_entity_are_its_names(self):
        reed = Entity(name="Thomas Reed", id="p1", type="person", aliases=("the Captain",), metadata={"rank": "captain"})
        cast = cast_of(told("the Captain | tells | Eva", 1, "a"), told("Thomas Reed | tells | Eva", 2, "b"), entities=[reed])
        assert cast.id("the Captain", "a") == cast.id("Thomas Reed", "b") == "p1"
        assert cast.entity("p1").metadata["rank"] == "captain"
        assert [(merge.merged, merge.why) for merge in cast.merges] == [("the Captain", "declared")]

    def test_an_entity_is_named_by_its_id_too(self):
        two = [Entity(name="Li Wei", id="Li Wei of the mill"), Entity(name="Li Wei", id="Li Wei of the bank")]
        cast = cast_of(told("Li Wei of the mill | tells | Li Wei of the bank", 1, "a"), entities=two)
        assert cast.id("Li Wei of the mill", "a") == "Li Wei of the mill"
        assert cast.find("Li Wei") == ("Li Wei of the bank", "Li Wei of the mill")

    def test_a_name_of_two_given_entities_is_told_apart_by_source_by_neighbour_or_not_at_all(self):
        two = [
            Entity(name="Li Wei", id="mill", metadata={"source_id": "m"}),
            Entity(name="Li Wei", id="bank", metadata={"source_id": "b"}),
        ]
        facts = [told("Li Wei | tells | Eva", 1, "m"), told("Li Wei | tells | Otto", 1, "b"), told("Li Wei | tells | Ida", 1, "c")]
        cast = cast_of(*facts, entities=two)
        assert (cast.id("Li Wei", "m"), cast.id("Li Wei", "b")) == ("mill", "bank")
        assert cast.id("Li Wei", "c") not in ("mill", "bank")

    def test_a_bare_name_describes_and_does_not_join_two_works(self):
        cast = cast_of(
            told("Li Wei | works_for | the Mill", 1, "mill"),
            told("Li Wei | works_for | the Bank", 1, "bank"),
            entities=[Entity(name="Li Wei", type="person", metadata={"gender": "male"})],
        )
        assert len(cast.find("Li Wei")) == 2
        assert {cast.entity(one).type for one in cast.find("Li Wei")} == {"person"}

    def test_what_is_given_but_never_told_is_an_entity(self):
        assert cast_of(entities=[Entity(name="Ann", aliases=("Annie",))]).find("Annie") == ("Ann",)


class TestDecisions:
    facts = (told("Ann Lee | tells | Eva", 1), told("Mother Lee | tells | Eva", 2), told("Otto | tells | Eva", 3))

    def test_a_merge_keeps_the_first_id_and_can_be_undone(self):
        before = cast_of(*self.facts)
        after = before.merged("Mother Lee", "Ann Lee", evidence="the letter in chapter 2", chapter=2)
        assert after.id("Ann Lee") == after.id("Mother Lee") == "Mother Lee"
        assert after != before
        assert after.undone(after.merges[0]) == before

    def test_a_rule_refuses_a_merge_with_its_name(self):
        cast = cast_of(*self.facts, told("Otto | gender | male", 1), told("Ann Lee | gender | female", 1))
        with pytest.raises(FactError, match="rule gender"):
            cast.merged("Ann Lee", "Otto", evidence="a guess")

    def test_what_is_kept_apart_is_not_merged(self):
        cast = cast_of(*self.facts).kept_apart("Ann Lee", "Otto", "he writes to her")
        with pytest.raises(FactError, match="he writes to her"):
            cast.merged("Ann Lee", "Otto", evidence="a guess")

    def test_what_was_found_stays_apart_once_it_is_undone(self):
        cast = cast_of(*self.facts, told("Mother Lee | alias_of | Ann Lee", 4))
        undone = cast.undone(cast.merges[0])
        assert undone.id("Mother Lee") != undone.id("Ann Lee")
        assert undone.merges == ()

    @pytest.mark.parametrize(("one", "other"), [("Ann Lee", "Ann Lee"), ("Ann Lee", "Ann Leee")])
    def test_there_is_nothing_to_merge(self, one, other):
        with pytest.raises(FactError, match=r"one entity already|did you mean 'Ann Lee'"):
            cast_of(*self.facts).merged(one, other, evidence="none")

    def test_a_merge_of_another_cast_cannot_be_undone(self):
        merge = cast_of(*self.facts).merged("Ann Lee", "Otto", evidence="x").merges[0]
        with pytest.raises(FactError, match="was not merged"):
            cast_of(*self.facts).undone(merge)

    def test_two_equal_decisions_of_two_names_do_not_disturb_each_other(self):
        cast = cast_of(*self.facts)
        one = cast.merged("Ann Lee", "Mother Lee", evidence="x")
        both = one.merged("Ann Lee", "Otto", evidence="y")
        first = next(merge for merge in both.merges if merge.evidence == "x")
        assert both.undone(first) == cast.merged("Ann Lee", "Otto", evidence="y")


class TestReader:
    facts = (
        told("the Captain | tells | Eva", 1, "n"),
        told("Thomas Reed | tells | Ida", 2, "n"),
        told("the Captain | alias_of | Thomas Reed", 9, "n", quote="It was he."),
    )

    def test_an_alias_is_not_known_before_it_is_told(self):
        early = cast_of(*self.facts).as_of(2, self.facts)
        assert early == cast_of(*self.facts[:2])
        assert early.id("the Captain", "n") == "the Captain"
        assert "Thomas Reed" not in str(cast_of(*self.facts).as_of(1, self.facts).entities)

    def test_a_given_entity_has_no_name_that_is_told_later(self):
        reed = Entity(name="Thomas Reed", aliases=("the Captain", "the Heir"), metadata={"rank": "duke"})
        cast = cast_of(*self.facts, entities=[reed])
        early = cast.as_of(1, self.facts)
        assert early.id("the Captain", "n") == "the Captain"
        assert [entity.names for entity in early.entities] == [("Eva",), ("the Captain",)]
        assert cast.as_of(2, self.facts).entity("Thomas Reed").aliases == ("the Captain",)

    def test_a_given_entity_is_what_it_is_called_until_its_chapter(self):
        reed = Entity(name="Thomas Reed", aliases=("the Captain",), metadata={"chapter": 9, "rank": "duke"})
        early = cast_of(*self.facts, entities=[reed]).as_of(2, self.facts)
        assert early.id("the Captain", "n") != early.id("Thomas Reed", "n")
        assert "duke" not in str(early.entities)

    def test_later_decisions_fall_away(self):
        cast = cast_of(*self.facts[:2]).merged("the Captain", "Thomas Reed", evidence="the heir", chapter=5)
        assert cast.as_of(5, self.facts[:2]).id("Thomas Reed", "n") == "the Captain"
        assert cast.as_of(4, self.facts[:2]) == cast_of(*self.facts[:2])

    def test_a_decision_about_an_untold_name_falls_away(self):
        cast = cast_of(*self.facts[:2]).kept_apart("the Captain", "Thomas Reed", "Thomas Reed is a clerk")
        assert "Thomas Reed" not in str((cast.as_of(1, self.facts), cast.as_of(1, self.facts).apart))


def test_a_cast_survives_pickling():
    cast = cast_of(*TestReader.facts)
    assert pickle.loads(pickle.dumps(cast)) == cast


def test_an_unknown_name_is_its_own_id_and_an_unknown_id_is_an_error():
    cast = cast_of(told("Ann Lee | tells | Eva", 1))
    assert cast.id("Nobody  at all") == "Nobody at all"
    assert cast.find("Nobody") == ()
    with pytest.raises(FactError, match="did you mean 'Ann Lee'"):
        cast.entity("Ann Leee")


def test_values_are_no_entities():
    assert cast_of(told("Ann | gender | female", 1)).find("female") == ()
