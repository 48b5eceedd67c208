"""Names by rules, and the one form that stands for each."""

from __future__ import annotations

import pickle
import sys
from types import SimpleNamespace

import pytest

from chronotope.errors import MissingExtraError
from chronotope.events.extract.aliases import Aliases, Mentions
from chronotope.naming.rule_names import RuleNames, plain_name
from chronotope.naming.spacy_names import SpacyNames
from support_events import by_rules, only


def named(text: str) -> list[str]:
    finder = RuleNames.of(text)
    found = finder(text)
    assert all(plain_name(text[start:end]) == name for (start, end), name in found if not name.startswith("《"))
    return [name for _, name in found]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It was home of Newton D . Baker , who left .", ["Newton D. Baker"]),
        ("Newton D . Baker House is a historic house .", ["Newton D. Baker House"]),
        ("In 1931 he met Jean-Luc O'Neill in Turin on Monday 3 May.", ["Jean-Luc O'Neill", "Turin"]),
        ("During March they saw the Bank of England.", ["Bank of England"]),
        ("However, the Duke of York's house fell.", ["Duke of York"]),
        ("The painter Vincent van Gogh and Ludwig van Beethoven", ["Vincent van Gogh", "Ludwig van Beethoven"]),
        ("Dr. Watson met J. R. R. Tolkien in the U.S. Army.", ["Dr. Watson", "J. R. R. Tolkien", "U.S. Army"]),
        ("Built in 1794 , it was sold .", []),
        ("I think that He knew. Yes, So did They.", []),
        ("An architect, Žofie Ćirić, lived in Łódź.", ["Žofie Ćirić", "Łódź"]),
        ("The Austrian Wolfgang Amadeus Moser came to Soviet Russia.", ["Wolfgang Amadeus Moser", "Soviet Russia"]),
        ("nothing here", []),
        ("", []),
    ],
)
def test_names_are_capitalised_words_with_what_joins_them(text: str, names: list[str]) -> None:
    assert named(text) == names


def test_a_word_that_the_source_writes_small_elsewhere_is_no_name_at_the_beginning_of_a_sentence() -> None:
    source = "Houses stood at the river. The houses burnt."
    assert RuleNames.of(source)("Houses stood at the river.") == []
    assert [name for _, name in RuleNames.of(source)("Rome stood at the river.")] == ["Rome"]


def test_chinese_names_are_those_in_title_marks_and_those_who_speak_again_and_again() -> None:
    text = "寶玉道：「好。」黛玉笑道：「不。」寶玉道：「來。」眾人都道：「去。」寶玉笑道：「看。」他讀《西廂記》。寶玉去了。"
    found = RuleNames.of(text)
    assert [name for _, name in found("寶玉讀《西廂記》。黛玉去了。")] == ["寶玉", "西廂記"]


# ---- one form for each ----


def forms(*sentences: str, subject: str = "") -> Aliases:
    mentions, finder = Mentions(), RuleNames.of(*sentences)
    for sentence in sentences:
        mentions.read(sentence, finder(sentence))
    return Aliases.of(mentions, subject, subject)


def test_the_only_longer_name_stands_for_its_shorter_forms_and_the_reason_is_told() -> None:
    aliases = forms("Newton D. Baker came.", "In 1931 Baker left.", "The Newton D. Baker House fell.")
    assert aliases("Baker") == "Newton D. Baker"
    assert aliases("Newton D. Baker House") == "Newton D. Baker House", "a house is no form of a person"
    assert aliases("Newton D. Baker") == "Newton D. Baker"
    event = only(by_rules("Newton D. Baker came in 1931. In 1932 Baker left."), "1932")
    assert event.metadata["entity_evidence"] == "Baker = Newton D. Baker (the only longer name)"


@pytest.mark.parametrize(
    ("sentences", "short"),
    [
        (["Thomas Reed came.", "Anna Reed came.", "Then Reed left."], "Reed"),
        (["Mrs. Reed came.", "Thomas Reed came.", "Then Mrs. Reed left."], "Mrs. Reed"),
        (["They lived in York.", "Then New York grew.", "In York they met."], "York"),
        (["He works at Leeds.", "The Leeds Rhinos won.", "In Leeds they met."], "Leeds"),
        (["Trains leave for Leipzig.", "The Leipzig Hbf fell.", "Then Leipzig grew."], "Leipzig"),
        (["In 1931 Lee and his wife Ann Lee left."], "Lee"),
        (["In the University of Oxford he met Oxford friends."], "Oxford"),
    ],
)
def test_what_is_ambiguous_or_another_thing_keeps_its_own_form(sentences: list[str], short: str) -> None:
    assert forms(*sentences)(short) == short


def test_middle_names_titles_and_brackets_are_evidence() -> None:
    assert forms("Ann Lee came.", "Then Ann Berta Lee left.", "So Lee won.")("Lee") == "Ann Berta Lee"
    holmes = forms("It was Mr. Sherlock Holmes.", "Then Sherlock Holmes left.", "So Mr. Holmes won.", "Then Holmes sat.")
    assert {holmes(name) for name in ("Mr. Sherlock Holmes", "Mr. Holmes", "Holmes")} == {"Sherlock Holmes"}
    assert forms("The Port Alder Board ( PAB ) met.", "Then PAB left.")("PAB") == "Port Alder Board"


def test_first_names_join_where_they_do_what_persons_do() -> None:
    assert forms("Thomas Reed came.", "Then Thomas said no.")("Thomas") == "Thomas Reed"


def test_the_title_is_what_the_text_calls_by_a_part_of_it() -> None:
    aliases = forms("In 1931 Klemzig grew.", "Then Klemzigs mill fell.", subject="Klemzig , South Australia")
    assert aliases("Klemzig") == aliases("Klemzigs") == "Klemzig , South Australia"


def test_a_chain_of_names_ends_in_one_form() -> None:
    aliases = forms("Ann Lee came.", "Ann Berta Lee came.", "Then Mr. Tom Lee left.", "So Tom Lee won.")
    assert all(aliases(aliases(name)) == aliases(name) for name in ("Ann Lee", "Mr. Tom Lee", "Tom Lee"))


def test_the_title_is_an_entity_of_sentences_about_it() -> None:
    text = "Alder House is a large house in Turin.\n\nThe house was sold in 1931.\n\nIt was rebuilt in 1950 .\n\nIt fell in 1960 ."
    found = by_rules(text, title="Alder House")
    assert all("Alder House" in event.entities for event in found.items)


# ---- spaCy ----


def test_without_spacy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"chronotope\[ner\]"):
        SpacyNames()


class Pipeline:
    """What spaCy gives, for one text."""

    def __call__(self, text: str) -> SimpleNamespace:
        start = text.index("ann lee")
        person = SimpleNamespace(start_char=start, end_char=start + 7, label_="PERSON", text="ann lee")
        return SimpleNamespace(ents=[person, SimpleNamespace(start_char=0, end_char=2, label_="DATE", text="in")])


def test_a_spacy_pipeline_finds_names_and_survives_pickling() -> None:
    finder = pickle.loads(pickle.dumps(SpacyNames(Pipeline())))
    assert by_rules("in 1931 ann lee left.", entities=finder).items[0].entities == ("ann lee",)


def test_a_surname_that_hardly_anybody_else_bears_in_a_biography_means_the_person_in_the_title() -> None:
    life = " ".join(f"In 19{n} Reed sold boat {n}." for n in range(20, 50))
    text = f"Tom Reed was a captain.\n\nHe was born in 1901 after Anna Reed.\n\n{life}"
    sold = only(by_rules(text, title="Tom Reed"), "boat 33")
    assert sold.entities == ("Tom Reed",)
    assert sold.metadata["entity_evidence"] == "Reed = Tom Reed (the title; others of that name are rare)"
    other = only(by_rules(text, title="A history of Alder"), "boat 33")
    assert other.entities == ("Reed",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Seventeen days later Anton Brusk was dismissed.", ["Anton Brusk"]),
        ("Flint glass contains lead oxide.", []),
        ("Spectacles correct the eye.", []),
        ("Turin lies on the Po.", ["Turin", "Po"]),
        ("Corvane-Marrable began its business. Then Corvane left.", ["Corvane-Marrable", "Corvane"]),
        ("The Englishman Rod Bradley met the Brazilians Luiz Razia and Bo Lee.", ["Rod Bradley", "Luiz Razia", "Bo Lee"]),
    ],
)
def test_a_common_word_at_the_beginning_of_a_sentence_is_no_name(text: str, names: list[str]) -> None:
    assert named(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Samuel Dray of the Bank of Tessel came.", ["Samuel Dray", "Bank of Tessel"]),
        ("He met Ann Lee of Barnard College.", ["Ann Lee", "Barnard College"]),
        ("He met the Duke of York and Bohemond of Antioch.", ["Duke of York", "Bohemond of Antioch"]),
        ("She saw the Museum of the University of Turin.", ["Museum of the University of Turin"]),
        ("He was Chief Justice of the Supreme Court.", ["Chief Justice of the Supreme Court"]),
    ],
)
def test_a_person_of_a_body_is_two_names(text: str, names: list[str]) -> None:
    assert named(text) == names


def test_a_surname_that_describes_a_thing_is_not_the_person() -> None:
    found = by_rules("Matilda Oyen came in 1905. Oyen said little. The Oyen lens came out in 1909.")
    assert only(found, "said little").entities == ("Matilda Oyen",)
    assert only(found, "came out").entities == ("Oyen",)


def test_what_stands_behind_the_name_in_a_title_is_no_part_of_it() -> None:
    text = "Edda Marrable was born in 1850. She founded a firm in 1881. Her father built boats. She died in 1916."
    for title in ("Edda Marrable, 1850-1916", "Edda Marrable (1850–1916)", "Edda Marrable 1850-1916", "Edda Marrable: a life"):
        assert only(by_rules(text, title=title), "built boats").text == "Edda Marrable's father built boats."


def test_the_given_name_will_is_kept_where_a_capital_tells_it_from_the_verb() -> None:
    text = "They asked Will Bray. Will Bray left. Will Ann Lee come?"
    assert [name for _, name in RuleNames.of(text)("They asked Will Bray.")] == ["Will Bray"]
    assert [name for _, name in RuleNames.of(text)("Will Bray left.")] == ["Will Bray"]
    assert [name for _, name in RuleNames.of("Ann Lee left.")("Will Ann Lee come?")] == ["Ann Lee"]
