"""How questions are put to a story in keywords, and facts as users give them."""

from __future__ import annotations

import pytest

from chronotope.errors import OntologyError
from chronotope.slices.documents.given import extraction_settings, given_facts
from chronotope.slices.documents.told import ingest_given
from chronotope.slices.extract import FactSettings
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.ontology import Ontology
from chronotope.slices.retrieve.asking import SliceAsking
from chronotope.slices.retrieve.retrieval_settings import SliceSettings
from chronotope.steps import Runner
from chronotope.temporal.interval import TimeInterval
from chronotope.testing import HashEmbedder
from support_told_story import FACTS, QUESTION

RUNNER = Runner(None, HashEmbedder())


def index(facts=FACTS):
    made = StoryIndex(HashEmbedder().model_id)
    RUNNER.run(ingest_given(facts, [], made))
    return made


def test_what_is_given_wins_over_the_settings():
    asking = SliceAsking.of(3, settings=SliceSettings(k=9, passages=7), paths=2)
    assert (asking.settings.k, asking.settings.passages, asking.settings.paths) == (3, 7, 2)
    assert SliceAsking.of(settings=SliceSettings(k=9)).settings.k == 9


@pytest.mark.parametrize(
    ("options", "error"), [({"k": 0}, ValueError), ({"reader_at": 1.5}, TypeError), ({"reader_at": True}, TypeError)]
)
def test_what_cannot_be_is_an_error(options, error):
    with pytest.raises(error, match=next(iter(options))):
        SliceAsking.of(**options)


def test_the_reader_of_one_question_goes_before_that_of_all():
    story = index()
    asking = SliceAsking.of(reader_at=2)
    chapters = {one.fact.chapter for one in RUNNER.run(asking.retrieve(story, QUESTION)).trace}
    assert chapters == {1, 2}
    assert {one.fact.chapter for one in RUNNER.run(asking.retrieve(story, QUESTION, reader_at=1)).trace} == {1}


def test_a_setting_in_place_of_a_scope_is_an_error_that_says_so():
    with pytest.raises(TypeError, match="must be a StoryScope, not 'cut'"):
        RUNNER.run(SliceAsking.of().retrieve(index(), QUESTION, scope="cut"))


def test_times_that_are_given_replace_those_of_the_words():
    years = [TimeInterval.parse(text) for text in ("1931", "1940")]
    story = index([Fact(subject="Ann", relation="meets", object="Tom", story=(year,)) for year in years])
    found = RUNNER.run(SliceAsking.of(scope="cut", times="1940").retrieve(story, "Whom did Ann meet in 1931?"))
    assert [one.fact.story for one in found.trace] == [(years[1],)]
    assert found.scope.read_by == "given"


def test_an_extraction_is_a_mode_or_settings_with_the_ontology_that_is_said():
    assert extraction_settings("rules").known.name == "general_fiction"
    assert extraction_settings(FactSettings(repairs=0), "household").repairs == 0
    assert extraction_settings(FactSettings(ontology="household")).known.name == "household"
    with pytest.raises(OntologyError):
        extraction_settings("rules", "nowhere.toml")
    with pytest.raises(TypeError, match="extract"):
        extraction_settings(None)


def test_facts_and_records_cannot_be_mixed():
    with pytest.raises(TypeError, match="not both"):
        given_facts([FACTS[0], ("Ann", "meets", "Tom")], ontology=Ontology.load("general_fiction"))


def test_entities_beside_a_file_are_kept():
    found = given_facts(
        [("Ann", "meets", "Tom")], ontology=Ontology.load("general_fiction"), entities=[Entity(name="Ann", type="person")]
    )
    assert [entity.type for entity in found.entities] == ["person"]
