"""Pronouns are replaced where only one name can be meant, and stay in doubt."""

from __future__ import annotations

import pytest

from chronotope.events.extract.coreference import Clause, Topic, resolve, subject_of
from chronotope.naming.rule_names import RuleNames
from support_events import by_rules

ANN = Clause("Ann Lee")
NOBODY = Topic()


@pytest.mark.parametrize(
    ("sentence", "resolved"),
    [
        ("She resigned.", "Ann Lee resigned."),
        ("Her house fell.", "Ann Lee's house fell."),
        ("In 1931 , she resigned .", "In 1931 , Ann Lee resigned ."),
    ],
)
def test_the_only_subject_before_is_meant(sentence: str, resolved: str) -> None:
    assert resolve(sentence, ANN, NOBODY).text == resolved


@pytest.mark.parametrize(
    ("sentence", "before"),
    [
        ("She resigned.", Clause("Ann Lee", ("Eva Bok",))),
        ("She resigned.", Clause(None, ("Ann Lee",))),
        ("She resigned.", None),
        ("She resigned.", Clause("Ann Lee", quoted=True)),
        ("She resigned.", Clause("Mr. Lee")),
        ("He resigned.", Clause("Mrs. Lee")),
        ("He resigned.", Clause("Bank of England")),
        ("He resigned.", Clause("Turin", doubtful=True)),
        ("They resigned.", ANN),
        ("It was sold.", ANN),
        ("Her he loved.", ANN),
        ("She who dares wins.", ANN),
        ("After Eva Bok left , she resigned .", ANN),
    ],
)
def test_in_doubt_a_pronoun_stays(sentence: str, before: Clause | None) -> None:
    first_name = 6 if "Eva Bok" in sentence else None
    assert resolve(sentence, before, NOBODY, first_name=first_name).text == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "It was Nekrasov who made it pay.",
        "It is clear that he left.",
        "It was there that the poems appeared.",
        "It seems that he left.",
        "It was not until 1931 that he left.",
    ],
)
def test_an_it_that_means_nothing_stays(sentence: str) -> None:
    assert resolve(sentence, None, Topic("Alder House", "it")).text == sentence


def test_the_title_is_meant_at_the_beginning_of_a_paragraph_of_its_own_document() -> None:
    assert resolve("It was sold.", None, Topic("Alder House", "it")).text == "Alder House was sold."
    assert resolve("He left.", None, Topic("Alder House", "it")).text == "He left."


def test_a_likely_title_is_an_entity_but_not_put_into_the_text() -> None:
    found = resolve("He left.", Clause(None, ("Eva Bok",)), Topic("Tom Ray", "he"))
    assert (found.text, found.meant, found.sure) == ("He left.", "Tom Ray", False)


def test_a_document_about_somebody_else_lends_its_title_to_no_pronoun() -> None:
    text = "Eva Bok painted boats in Turin. Boats were dear.\n\nShe left in 1931."
    (event,) = (event for event in by_rules(text, title="Ann Lee").items if "1931" in event.text)
    assert event.text == "She left in 1931."
    assert "Ann Lee" not in event.entities


def test_a_biography_in_which_both_he_and_she_abound_is_sure_of_neither() -> None:
    text = "Ann Lee was a painter.\n\nHe left in 1931.\n\nShe came in 1932."
    assert [event.text for event in by_rules(text, title="Ann Lee").items][1:] == ["He left in 1931.", "She came in 1932."]


@pytest.mark.parametrize(
    ("sentence", "subject"),
    [
        ("Ann Lee met Eva Bok.", "Ann Lee"),
        ("In 1931 , Ann Lee left .", "Ann Lee"),
        ("Ann Lee and Eva Bok left.", None),
        ("Ann Lee's wife left.", None),
        ("In Turin he met Ann Lee.", None),
    ],
)
def test_a_subject_is_one_name_at_the_beginning(sentence: str, subject: str | None) -> None:
    assert subject_of(sentence, RuleNames.of(sentence)(sentence)).subject == subject


def test_places_are_no_rivals_of_a_person() -> None:
    sentence = "Ann Lee was born in Glossop , Derbyshire , after Eva Bok ."
    assert subject_of(sentence, RuleNames.of(sentence)(sentence)).others == ("Eva Bok",)


def test_a_single_word_that_never_acts_as_a_person_is_no_antecedent() -> None:
    assert [event.text for event in by_rules("Olhanense won in 1931. He left in 1932.").items][1] == "He left in 1932."
    told = by_rules("Holmes laughed in 1931. He left in 1932.").items
    assert told[1].text == "Holmes left in 1932."
