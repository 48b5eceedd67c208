"""Into an index: facts that travel with passages, facts that are given, and extractions that were made apart, on one axis."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.errors import FactError
from chronotope.records import Passage
from chronotope.slices.axis import StoryAxis
from chronotope.slices.documents.laying import joined
from chronotope.slices.documents.leaving import taken_out
from chronotope.slices.documents.stored import FACTS_KEY, StoredFacts, facts_by_passage
from chronotope.slices.documents.told import ingest_given, ingest_told, ingest_trial
from chronotope.slices.extract import extract_facts
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.index.ingest import ingest_story
from chronotope.slices.retrieve.retrieve import retrieve_slice
from chronotope.steps import Runner
from chronotope.temporal.interval import Interval, TimeInterval
from chronotope.testing import HashEmbedder
from support_told_story import CHAPTERS, FACTS, STORY, WEDDING

RUNNER = Runner(None, HashEmbedder())


def ticks(*numbers, at=0):
    return StoryAxis(chapters={number: (Interval(at + place, at + place + 1),) for place, number in enumerate(numbers)})


def part(run, axis, *facts):
    return StoredFacts(facts=facts, axis=axis, run=run)


def told(chapter, *story):
    return Fact(subject="Ann", relation="meets", object=f"Tom {chapter}", chapter=chapter, story=story)


def index():
    return StoryIndex(HashEmbedder().model_id)


def passages(text=STORY, source="story"):
    middle = text.index("CHAPTER III")
    spans = [(0, middle), (middle, len(text))]
    return [Passage(text[start:end], source_id=source, char_start=start, char_end=end) for start, end in spans]


@given(st.permutations([1, 2, 3, 4]), st.integers(-5, 5))
def test_extractions_made_apart_play_their_chapters_in_order_whatever_their_ticks_and_their_order(order, at):
    parts = [part(f"run{number}", ticks(number, at=at * number), told(number)) for number in order]
    axis = joined(parts).axis
    starts = [axis.now(number)[0].start for number in (1, 2, 3, 4)]
    assert starts == sorted(set(starts))


def test_one_extraction_keeps_its_ticks_and_is_told_of_by_nobody():
    found = joined([part("run", ticks(1), told(1)), part("run", ticks(2, at=7), told(2))])
    assert found.axis == StoryAxis(chapters={1: (Interval(0, 1),), 2: (Interval(7, 8),)})
    assert found.issues == ()


def test_story_times_and_landmarks_move_with_the_chapters_of_their_extraction():
    later = StoryAxis(chapters={2: (Interval(0, 1),)}, landmarks={"the fire": Interval(-3, -2)})
    recalled = told(2, Interval(-3, -2), Interval(None, -9))
    found = joined([part("a", ticks(1), told(1)), part("b", later, recalled)])
    assert found.axis.now(2) == (Interval(1, 2),)
    assert found.axis.landmarks == {"the fire": Interval(-2, -1)}
    assert found.items[1].story == (Interval(-2, -1), Interval(None, -8))
    assert found.items[1].id == recalled.id
    assert [issue.kind for issue in found.issues] == ["axes_joined"]


def test_a_chapter_that_two_extractions_share_plays_at_one_time():
    found = joined([part("a", ticks(1, 2), told(1), told(2)), part("b", ticks(2, 3, at=40), told(3))])
    assert [found.axis.now(number)[0].start for number in (1, 2, 3)] == [0, 1, 2]


def test_dates_stay_where_they_are():
    days = [TimeInterval.parse(text) for text in ("1931", "1920")]
    axes = [StoryAxis(kind="dates", chapters={number: (day,)}) for number, day in enumerate(days, 1)]
    found = joined([part("a", axes[0], told(1, days[0])), part("b", axes[1], told(2, days[1]))])
    assert [found.axis.now(number) for number in (1, 2)] == [(day,) for day in days]
    assert found.issues == ()


def test_ticks_cannot_be_laid_on_dates_and_that_is_told():
    dates = StoryAxis(kind="dates", chapters={1: (TimeInterval.parse("1931"),)})
    found = joined([part("a", dates, told(1)), part("b", ticks(2), told(2))])
    assert found.axis == dates
    assert [issue.kind for issue in found.issues] == ["axis_kept"]
    assert len(found.items) == 2


def test_an_axis_that_is_there_stays_and_what_comes_is_laid_behind_it():
    base = ticks(1, 2)
    assert joined([], base).axis is None
    found = joined([part("new", ticks(3), told(3))], base)
    assert [found.axis.now(number)[0].start for number in (1, 2, 3)] == [0, 1, 2]


def test_a_fact_that_two_parts_tell_is_there_once():
    assert len(joined([part("a", ticks(1), told(1)), part("a", ticks(1), told(1))]).items) == 1


def test_facts_that_travel_with_passages_make_the_same_index_as_reading_them():
    given = passages()
    shares = facts_by_passage(RUNNER.run(extract_facts(given)), given)
    carried = [
        Passage(one.text, one.id, one.source_id, one.char_start, one.char_end, metadata={FACTS_KEY: share.to_text()})
        for one, share in zip(given, shares, strict=True)
    ]
    read, taken = index(), index()
    first, second = RUNNER.run(ingest_told(given, read)), RUNNER.run(ingest_told(carried, taken))
    assert first.added == second.added == len(FACTS)
    assert taken.facts == read.facts
    assert taken.passages == read.passages
    assert taken.graph.axis.chapters == read.graph.axis.chapters


def test_passages_are_held_with_their_last_chapter_and_without_the_text_of_their_facts():
    held = index()
    RUNNER.run(ingest_told([Passage("Ann met Tom.", id="p", metadata={FACTS_KEY: StoredFacts(chapter=3).to_text()})], held))
    RUNNER.run(ingest_told(passages(), held))
    assert [passage.metadata.get("chapter_number") for passage in held.passages] == [3, 2, 4]
    assert all(FACTS_KEY not in passage.metadata for passage in held.passages)


def test_a_reader_gets_no_passage_that_ends_in_a_later_chapter():
    from chronotope.slices.retrieve.retrieve import retrieve_slice

    held = index()
    RUNNER.run(ingest_told(passages(), held))
    shown = {
        chapter: [hit.passage.char_start for hit in RUNNER.run(retrieve_slice(held, "Ann Lee", reader_at=chapter)).passages]
        for chapter in (1, 2, 3, 4)
    }
    assert shown[1] == []
    assert shown[2] == shown[3] == [0]
    assert sorted(shown[4]) == [0, STORY.index("CHAPTER III")]


def test_given_facts_and_their_passages_are_added_and_wrong_ones_told():
    held = index()
    wrong = Fact(subject="Ann Lee", relation="parent_of", object="Ann Lee", chapter=1)
    done = RUNNER.run(ingest_given([*FACTS, wrong], passages(), held, entities=[Entity(name="Ann Lee", type="person")]))
    assert done.added == len(FACTS)
    assert [issue.kind for issue in done.issues] == ["uncertain_fact"]
    assert [one.fact.statement for one in done.uncertain] == [wrong.statement]
    home = held.homes[held.fact_shelf.rows([fact.id for fact in FACTS if fact.quote == WEDDING])[0]]
    assert WEDDING in held.passage_shelf.item(int(home)).text


def test_what_was_extracted_elsewhere_is_taken_with_its_axis():
    found = RUNNER.run(extract_facts([Passage(CHAPTERS[1], source_id="a", char_start=0, char_end=len(CHAPTERS[1]))]))
    held = index()
    RUNNER.run(ingest_given(found, [], held))
    assert held.axis is not None
    assert held.axis.chapters == found.axis.chapters


def test_a_second_story_is_laid_behind_the_first():
    held = index()
    for number, chapter in enumerate(CHAPTERS[:2], 1):
        place = {"chapter": number}
        one = Passage(chapter, source_id=f"c{number}", char_start=0, char_end=len(chapter), metadata=place)
        found = RUNNER.run(extract_facts([one]))
        RUNNER.run(ingest_given(found, [one], held))
    assert [held.graph.axis.now(number)[0].start for number in (1, 2)] == [0, 1]


def test_passages_whose_facts_cannot_be_read_are_an_error():
    with pytest.raises(FactError, match="story_facts"):
        RUNNER.run(ingest_told([Passage("Ann.", metadata={FACTS_KEY: "x"})], index()))


def test_chapters_that_come_one_by_one_play_one_after_the_other():
    held = index()
    for number, text in enumerate(CHAPTERS, 1):
        one = Passage(text, source_id=f"c{number}", char_start=0, char_end=len(text), metadata={"chapter": number})
        RUNNER.run(ingest_story([one], held))
    starts = [held.graph.axis.now(number)[0].start for number in (1, 2, 3, 4)]
    assert starts == sorted(set(starts))
    assert held.issues == ()


def test_passages_that_are_read_are_held_with_their_last_chapter_too():
    held = index()
    RUNNER.run(ingest_story(passages(), held))
    assert [passage.metadata["chapter_number"] for passage in held.passages] == [2, 4]
    assert RUNNER.run(retrieve_slice(held, "Ann Lee", reader_at=1)).passages == ()


def test_a_few_chunks_beside_given_facts_are_not_shown_too_early():
    facts = RUNNER.run(extract_facts(passages()))
    start = STORY.index("Otto Lang met Mara")
    alone = Passage(STORY[start : start + 40], id="x", source_id="story", char_start=start, char_end=start + 40)
    held = index()
    RUNNER.run(ingest_given(facts, [alone], held))
    assert RUNNER.run(retrieve_slice(held, "Otto Lang", reader_at=2)).passages == ()
    assert [hit.passage.id for hit in RUNNER.run(retrieve_slice(held, "Otto Lang", reader_at=4)).passages] == ["x"]


@pytest.mark.parametrize("given", [None, 3, FACTS[0], {"subject": "Ann Lee"}])
def test_what_is_no_list_of_facts_is_an_error_that_says_what_is(given):
    with pytest.raises(TypeError, match=f"facts must be .*not one {type(given).__name__}"):
        RUNNER.run(ingest_given(given, [], index()))


@pytest.mark.parametrize("given", ["Ann Lee", ["Ann Lee"], Entity(name="Ann Lee"), None])
def test_what_is_no_list_of_entities_is_an_error_that_says_what_is(given):
    with pytest.raises(TypeError, match=r"Entity\(name='Ann Lee', type='person'\)"):
        RUNNER.run(ingest_given(FACTS, [], index(), entities=given))


def test_a_trial_leaves_the_index_as_it_is():
    held = index()
    told = RUNNER.run(ingest_trial(passages(), held))
    assert told.added > 0
    assert (len(held), held.passages) == (0, ())


PLAYED = [
    {"chapter": 1, "plays": "0"},
    {"chapter": 2, "plays": "-100"},
    {"chapter": 1, "subject": "Ann", "relation": "meets", "object": "Tom"},
    {"chapter": 2, "subject": "Ann", "relation": "meets", "object": "Nan"},
]


def test_a_facts_file_says_when_chapters_play_and_a_given_axis_says_it_better():
    held = index()
    RUNNER.run(ingest_given(PLAYED, [], held))
    assert held.graph.axis.now(2) == (Interval(-100, -99),)
    better = StoryAxis(chapters={1: (Interval(0, 1),), 2: (Interval(5, 6),)})
    other = index()
    RUNNER.run(ingest_given(PLAYED, [], other, axis=better))
    assert other.graph.axis.now(2) == (Interval(5, 6),)


def test_records_that_say_nothing_of_chapters_go_on_behind_those_that_are_there():
    held = index()
    RUNNER.run(ingest_given(PLAYED, [], held))
    RUNNER.run(ingest_given([{"chapter": 7, "subject": "Ann", "relation": "meets", "object": "Bo"}], [], held))
    assert held.graph.axis.now(2) == (Interval(-100, -99),)
    (seventh,) = held.graph.axis.now(7)
    assert seventh.start >= 1
    assert [issue.kind for issue in held.issues] == []


def test_records_alone_leave_the_axis_to_the_order_of_chapters():
    held = index()
    RUNNER.run(ingest_given(PLAYED[2:], [], held))
    assert held.axis is None
    assert held.graph.axis.now(1)[0].start < held.graph.axis.now(2)[0].start


def test_only_the_chapters_of_what_goes_go():
    held = index()
    RUNNER.run(ingest_given(PLAYED, [], held))
    gone = [fact.id for fact in held.facts if fact.chapter == 2]
    assert taken_out(held, lambda: held.remove(gone)) == 1
    assert dict(held.axis.chapters) == {1: (Interval(0, 1),)}
    assert taken_out(held, lambda: held.remove(["unknown"])) == 0
    assert dict(held.axis.chapters) == {1: (Interval(0, 1),)}
    assert taken_out(held, lambda: held.remove([fact.id for fact in held.facts])) == 1
    assert held.axis is None
