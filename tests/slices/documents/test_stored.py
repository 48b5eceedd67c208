"""Facts beside the passages that tell them: nothing is lost on the way, and each is where its words stand."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.errors import FactError
from chronotope.records import Passage
from chronotope.slices.axis import StoryAxis
from chronotope.slices.documents.stored import StoredFacts, facts_by_passage, has_stored
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.story_facts import StoryFacts
from chronotope.temporal.interval import Interval

NAMES = ("Ann", "Tom", "Mara")
AXIS = StoryAxis(
    chapters={number: (Interval(number, number + 1),) for number in range(1, 6)}, landmarks={"the fire": Interval(3, 4)}
)


@st.composite
def stories(draw):
    """Facts at places of a text of 100 characters, and how the text is cut."""
    starts = draw(st.lists(st.integers(0, 95), unique=True, max_size=8))
    facts = [
        Fact(
            subject=draw(st.sampled_from(NAMES)),
            relation="meets",
            object=draw(st.sampled_from(NAMES)),
            chapter=draw(st.none() | st.integers(1, 5)),
            source_id=draw(st.sampled_from(("a", "elsewhere"))),
            quote=f"q{start}",
            char_start=start,
            char_end=start + 3,
        )
        for start in starts
    ]
    cuts = [0, *sorted(draw(st.sets(st.integers(1, 99), max_size=4))), 100]
    passages = [Passage(f"text {start}", source_id="a", char_start=start, char_end=end) for start, end in pairwise(cuts)]
    entities = tuple(Entity(name=name) for name in (*NAMES, "Nobody"))
    return StoryFacts(tuple(facts), entities=entities, axis=AXIS), passages


@given(stories())
def test_every_fact_entity_chapter_and_landmark_is_somewhere_and_every_fact_once(story):
    found, passages = story
    shares = facts_by_passage(found, passages)
    assert len(shares) == len(passages)
    told = [fact for share in shares for fact in share.facts]
    assert sorted(fact.id for fact in told) == sorted(fact.id for fact in found.items)
    assert {entity.name for share in shares for entity in share.entities} == {*NAMES, "Nobody"}
    axes = [share.axis for share in shares if share.axis is not None]
    assert {number for axis in axes for number in axis.chapters} == set(AXIS.chapters)
    assert [axis.landmarks for axis in axes if axis.landmarks] == [AXIS.landmarks]


@given(stories())
def test_a_fact_is_with_the_passage_that_holds_its_first_character(story):
    found, passages = story
    for passage, share in zip(passages, facts_by_passage(found, passages), strict=True):
        for fact in share.facts:
            assert fact.source_id == "elsewhere" or passage.char_start <= fact.char_start < passage.char_end


@given(stories())
def test_written_and_read_it_is_the_same(story):
    for share in facts_by_passage(*story):
        assert StoredFacts.from_text(share.to_text()) == share


def test_without_passages_there_is_nothing_to_share_out():
    assert facts_by_passage(StoryFacts((Fact(subject="Ann", relation="meets"),)), []) == ()


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"facts": [{}], "entities": []}', '{"facts": 3, "entities": []}'])
def test_another_text_is_an_error_that_shows_it(text):
    with pytest.raises(FactError, match="story_facts"):
        StoredFacts.from_text(text)


def test_a_record_that_was_read_and_tells_nothing_counts_as_read():
    assert has_stored({"story_facts": StoredFacts().to_text()})
    assert not has_stored({})
