"""The event index: incremental, deletable without ghosts, all or nothing, saved without loss."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.errors import StoreError, StoreMismatchError
from chronotope.events import EventIndex, EventUnit, GraphSettings, build_event_index, ingest_events, retrieve_events_scoped
from chronotope.events.index.index import Changed
from chronotope.models import EmbedKind
from chronotope.records import Extraction, Passage
from chronotope.shelves.shelf import titled
from chronotope.steps import Runner
from chronotope.temporal.scope import QueryScope
from chronotope.testing import HashEmbedder, play
from support_event_index import T, asked, built, event, scopes, story, worlds


def found(index: EventIndex, scope: QueryScope):
    return play(retrieve_events_scoped(index, scope)).result


def told(index: EventIndex, folder: Path) -> str:
    """Everything that the index would write, as one text."""
    index.save(folder)
    return (folder / "items.jsonl").read_text(encoding="utf-8") + (folder / "manifest.json").read_text(encoding="utf-8")


def same(index: EventIndex, other: EventIndex, scope: QueryScope) -> bool:
    """Equal in what they hold, how it is joined, and what they find."""
    return (
        index.events == other.events
        and index.passages == other.passages
        and index.event_graph.edges() == other.event_graph.edges()
        and index.span == other.span
        and index.issues == other.issues
        and found(index, scope) == found(other, scope)
    )


@settings(max_examples=15, deadline=None)
@given(worlds(), st.sets(st.integers(0, 11)), scopes(), st.booleans())
def test_an_index_that_grew_and_shrank_is_the_index_of_what_is_left(events, gone, scope, searched) -> None:
    index = built(events[:5])
    if searched:
        found(index, scope)  # builds words and codes of time before the changes
    play(index.add(events[5:]))
    removed = {f"e{number}" for number in gone}
    assert index.remove(removed) == len(removed & {one.id for one in events})
    left = [one for one in events if one.id not in removed]
    fresh = built(left)
    assert same(index, fresh, scope)
    assert len(index) == len(left)


@settings(max_examples=10, deadline=None)
@given(worlds(least=2), st.data())
def test_the_order_of_adding_changes_neither_graph_nor_scores(events, data) -> None:
    mixed = data.draw(st.permutations(events))
    one, other = built(events), built(mixed)
    assert one.event_graph.edges() == other.event_graph.edges()
    scope = asked("king ship", "1970")
    scores = [{hit.passage.id: round(hit.score, 4) for hit in found(index, scope).hits} for index in (one, other)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-3)


def test_a_deleted_source_leaves_no_trace_and_does_not_come_back(tmp_path) -> None:
    """Field report G10."""
    events, passages = story()
    index = built(events, passages)
    found(index, asked("Ann Lee in York"))
    shared = [one for one in index.events if "Ann Lee" in one.entities and one.source_id == "mill"]
    assert index.remove_source("lee") == 6
    play(index.add([event("Ann Lee wove a flag.", "1867", name="flag", source="flag", names=["Ann Lee"])]))
    assert {one.source_id for one in index.events} == {"mill", "flag"}
    assert {one.source_id for one in index.passages} == {"mill"}
    assert "Leeds" not in told(index, tmp_path / "index")
    assert "1840" not in told(index, tmp_path / "index")
    assert index.span is not None
    assert index.span.start == T("1867").start
    assert set(index.graph.nodes) == {one.id for one in index.events}
    result = found(index, asked("Ann Lee in York", "1850/1863"))
    assert all(one.event.source_id != "lee" for one in result.trace)
    assert {one.id for one in shared} <= {one.id for one in index.events}  # what both sources tell keeps its other evidence
    assert shared[0].id in index.event_graph.neighbours("flag")


def test_after_each_delete_every_id_still_has_its_own_text_and_time() -> None:
    """Field report G28."""
    events = [event(f"Stage {n} was opened by the board.", str(1900 + n), name=f"e{n}") for n in range(5)]
    index = built(events)
    for gone in ("e1", "e3", "e0"):
        index.remove([gone])
        for one in index.events:
            first = found(index, asked(one.text, str(one.times[0]))).trace[0]
            assert (first.event.id, first.event.text, first.event.times) == (one.id, one.text, one.times)


def test_vectors_of_another_width_are_refused_with_both_widths_named_and_nothing_is_added() -> None:
    """Field report G29."""
    events, passages = story()
    index = built(events, passages)
    before = (index.events, index.passages, index.event_graph.edges())
    with pytest.raises(StoreMismatchError, match=r"(?s)64.*32|32.*64"):
        Runner(embedder=HashEmbedder(32)).run(index.add([event("A new one.", "1899", name="new")]))
    assert (index.events, index.passages, index.event_graph.edges()) == before
    assert "new" not in index
    play(index.add([event("A new one.", "1899", name="new")]))
    assert "new" in index


def test_a_folder_of_another_embedder_is_refused(tmp_path) -> None:
    """Field report G29."""
    built(*story()).save(tmp_path / "index")
    with pytest.raises(StoreMismatchError, match=r"hash-64.*hash-32"):
        EventIndex.load(tmp_path / "index", embedder_id="hash-32")
    with pytest.raises(StoreError):
        EventIndex.load(tmp_path / "nowhere")


def ledger(stage: int = 0, word: str = "opened") -> tuple[list[EventUnit], list[Passage]]:
    texts = [f"Landing stage {n} was {word if n == stage else 'opened'} in {1900 + n}." for n in range(90)]
    passages = [
        Passage(f"{text} The tide was in.", source_id="ledger", char_start=n * 100, char_end=n * 100 + len(text) + 17)
        for n, text in enumerate(texts)
    ]
    events = [
        EventUnit(text=text, source_id="ledger", char_start=n * 100, char_end=n * 100 + len(text), times=(T(str(1900 + n)),))
        for n, text in enumerate(texts)
    ]
    return events, passages


def test_ingesting_twice_writes_nothing_and_a_changed_sentence_only_itself() -> None:
    """Field report G30."""
    runner = Runner(embedder=HashEmbedder())
    index = EventIndex("hash-64")
    events, passages = ledger()
    for start in range(0, 90, 40):
        runner.run(index.add(events[start : start + 40], passages[start : start + 40]))
    assert (len(index), len(index.passages), runner.spent.embedded) == (90, 90, 180)
    runner.reset()
    assert runner.run(index.add(events, passages)) == 0
    assert runner.run(index.update(events, passages)) == Changed(added=0, removed=0)
    assert runner.spent.embedded == 0
    changed = runner.run(index.update(*ledger(7, "burnt")))
    assert (changed.added, changed.removed, runner.spent.embedded) == (2, 2, 2)
    assert len(index) == 90
    assert sum("burnt" in one.text for one in index.events) == 1


def test_an_update_replaces_a_changed_event_under_its_id_and_leaves_other_sources() -> None:
    index = built([event("It was 180 days.", "2015/..", name="rule", source="law"), event("Else.", "2001", name="x", source="y")])
    play(index.update([event("It was 180 days.", "2015-01/2023-03", name="rule", source="law", names=["Ann"])]))
    rule = next(one for one in index.events if one.id == "rule")
    assert (str(rule.times[0]), rule.entities) == ("2015-01/2023-03", ("Ann",))
    assert index.event_graph.event("rule") == rule
    assert len(index) == 2


class Breaking(HashEmbedder):
    """Breaks on one text."""

    def embed(self, texts, *, kind: EmbedKind = "passage"):
        if any("burnt" in text for text in texts):
            raise ConnectionError("the store is down")
        return super().embed(texts, kind=kind)


def test_when_embedding_fails_nothing_has_changed_and_a_retry_gives_the_same_state() -> None:
    """Field report G42."""
    events, passages = ledger(50, "burnt")
    index = EventIndex("hash-64")
    breaking = Runner(embedder=Breaking(), batch_size=16)
    with pytest.raises(ConnectionError):
        breaking.run(index.add(events, passages))
    assert (len(index), index.passages, len(index.event_graph), index.span) == (0, (), 0, None)
    play(index.add(*ledger()))
    before = (index.events, index.passages, index.event_graph.edges())
    with pytest.raises(ConnectionError):
        breaking.run(index.update(events, passages))
    assert (index.events, index.passages, index.event_graph.edges()) == before
    play(index.update(events, passages))
    fresh = built(events, passages)
    assert {one.id for one in index.events} == {one.id for one in fresh.events}
    assert index.event_graph.edges() == fresh.event_graph.edges()


@pytest.mark.parametrize("broken", [np.full((1, 64), np.nan, np.float32), np.zeros((1, 32), np.float32)])
def test_passages_that_cannot_be_added_take_their_events_with_them(broken) -> None:
    """Field report G42: events are in before passages are refused."""
    index = built(*story())
    before = (index.events, index.passages, index.event_graph.edges(), index.span)
    new, passage = event("A new one.", "1999", name="new"), Passage("A new one.", id="p")
    good = HashEmbedder().embed(["A new one."])
    with pytest.raises((ValueError, StoreMismatchError)):
        index.insert([new], good, [passage], broken)
    assert (index.events, index.passages, index.event_graph.edges(), index.span) == before
    index.insert([new], good, [passage], good)
    assert {"new"} <= set(index.graph.nodes)
    assert found(index, asked("A new one", "1999")).trace[0].event == new


@settings(max_examples=10, deadline=None)
@given(worlds(), scopes())
def test_a_saved_index_finds_the_same_and_saves_the_same(tmp_path_factory, events, scope) -> None:
    folder = tmp_path_factory.mktemp("index")
    index = built(events, graph=GraphSettings(max_gap=400, top_k=3, decay=0.01))
    index.save(folder / "one")
    loaded = EventIndex.load(folder / "one", embedder_id="hash-64")
    assert same(index, loaded, scope)
    loaded.save(folder / "two")
    assert (folder / "one" / "items.jsonl").read_bytes() == (folder / "two" / "items.jsonl").read_bytes()
    assert loaded.graph_settings == index.graph_settings
    more = event("king and ship", "1971", name="more", names=["Ann"])
    play(index.add([more]))
    play(loaded.add([more]))
    assert same(index, loaded, scope)


def test_the_story_saves_with_its_passages(tmp_path) -> None:
    index = built(*story())
    index.save(tmp_path / "index")
    loaded = EventIndex.load(tmp_path / "index")
    assert same(index, loaded, asked("Who managed the Alder mill?", "1875"))
    assert found(loaded, asked("Who managed the Alder mill?", "1875")).passages
    lines = (tmp_path / "index" / "items.jsonl").read_text(encoding="utf-8").splitlines()
    assert len([json.loads(line) for line in lines]) == 17


def test_every_event_of_the_story_knows_its_passage() -> None:
    index = built(*story())
    for row, home in enumerate(index.homes.tolist()):
        assert index.event(row).text in index.passages[home].text


def test_a_passage_takes_the_events_that_stand_in_it_alone_along() -> None:
    events, passages = story()
    index = built(events, passages)
    assert index.remove([passages[0].id]) == 4
    assert list(index.events) == events[3:]
    assert index.passages == tuple(passages[1:])
    assert set(index.graph.nodes) == {one.id for one in events[3:]}
    assert index.homes.tolist()[:3] == [-1, -1, -1]
    assert index.homes.tolist()[3] >= 0


def test_an_event_that_another_passage_holds_too_stays_when_one_of_them_goes() -> None:
    events, passages = story()
    wide = replace(passages[0], id="wide", char_start=0, char_end=len(passages[0].text) + 1, text=passages[0].text + " ")
    index = built(events, [*passages, wide])
    assert index.remove([passages[0].id]) == 1
    assert len(index) == len(events)
    assert index.remove(["wide"]) == 4


def test_where_places_are_unknown_the_last_passage_of_a_source_takes_its_events_along() -> None:
    texts = {"p": "In 1930 Ann Lee moved to Leeds.", "q": "In 1940 Ann Lee moved to York.", "r": "In 1950 Ann Lee moved to Turin."}
    index = EventIndex("hash-64")
    sources = {"p": "", "q": "s", "r": "s"}
    play(ingest_events([Passage(text, id=name, source_id=sources[name]) for name, text in texts.items()], index))
    assert len(index) == 3
    assert index.remove(["p"]) == 2
    assert [str(one.times[0]) for one in index.events] == ["1940", "1950"]
    assert index.remove(["q"]) == 1
    assert index.remove(["r"]) == 3
    assert len(index) == 0


def test_one_text_instead_of_ids_is_refused() -> None:
    index = built(*story())
    with pytest.raises(TypeError, match=r"ids must be several ids, not one text; give \['mill'\]"):
        index.remove("mill")
    assert index.remove(["nothing"]) == 0
    assert len(index) == 12


TEXT = "Ann Lee moved to Turin in 1931. In 1935 Ann Lee left Turin. In 1940 Ann Lee returned to Leeds."


def whole(text: str = TEXT) -> Passage:
    return Passage(text, id="d", source_id="d", char_start=0, char_end=len(text))


def cut(text: str = TEXT) -> list[Passage]:
    ends = [at + 1 for at, sign in enumerate(text) if sign == "."]
    starts = [0, *(end + 1 for end in ends[:-1])]
    return [Passage(text[a:b], source_id="d", char_start=a, char_end=b) for a, b in zip(starts, ends, strict=True)]


@pytest.mark.parametrize(("first", "again"), [(cut(), [whole()]), ([whole()], cut()), (cut(), cut())])
def test_a_text_that_is_there_is_not_added_again_in_other_pieces(first, again) -> None:
    index, runner = EventIndex("hash-64"), Runner(embedder=HashEmbedder())
    assert runner.run(ingest_events(first, index)).added == 3
    before = (index.events, index.passages)
    runner.reset()
    done = runner.run(ingest_events(again, index))
    assert (done.added, done.issues, runner.spent.embedded) == (0, (), 0)
    assert (index.events, index.passages) == before


def test_what_goes_on_after_a_known_text_is_added() -> None:
    index = EventIndex("hash-64")
    play(ingest_events(cut()[:2], index))
    done = play(ingest_events(cut(), index)).result
    assert (done.added, len(index), len(index.passages)) == (1, 3, 3)
    assert "changed_source" not in [issue.kind for issue in done.issues]


@pytest.mark.parametrize("pieces", [lambda text: [whole(text)], cut])
def test_a_changed_text_under_a_known_source_is_told(pieces) -> None:
    index = EventIndex("hash-64")
    play(ingest_events(pieces(TEXT), index))
    done = play(ingest_events(pieces(TEXT.replace("Turin", "Milan")), index)).result
    changed = [issue for issue in done.issues if issue.kind == "changed_source"]
    assert [issue.source_id for issue in changed] == ["d"]
    assert "'d'" in changed[0].message
    assert "remove_source" in changed[0].message
    index.remove_source("d")
    fresh = play(ingest_events(pieces(TEXT.replace("Turin", "Milan")), index)).result
    assert (fresh.added, [issue.kind for issue in fresh.issues if issue.kind == "changed_source"]) == (3, [])


def test_a_changed_text_under_a_known_id_stays_out_of_the_index_and_is_told_until_its_source_goes() -> None:
    index = built([event("She left in 1935.", "1935", name="a")], [Passage("She left in 1935.", id="p", source_id="d")])
    for _ in range(2):
        play(index.add([], [Passage("She left in 1936.", id="p", source_id="d")]))
    assert [issue.kind for issue in index.issues] == ["changed_source"]
    assert index.passages[0].text == "She left in 1935."
    index.remove_source("d")
    assert index.issues == ()


def test_what_is_no_list_of_events_is_refused_with_the_fix() -> None:
    events, passages = story()
    with pytest.raises(TypeError, match=r"extraction\.items"):
        play(build_event_index(Extraction(tuple(events)), embedder_id="hash-64"))
    with pytest.raises(TypeError, match="must be EventUnits, but one is of type Passage"):
        play(build_event_index(passages, embedder_id="hash-64"))
    with pytest.raises(TypeError, match="must be several Passages, not str"):
        play(build_event_index(events, "Ann Lee", embedder_id="hash-64"))
    with pytest.raises(TypeError, match="the passages come first, then the index"):
        play(ingest_events(EventIndex("hash-64"), passages))


def test_graph_settings_out_of_range_are_refused_where_they_are_made() -> None:
    with pytest.raises(ValueError, match=r"max_gap must be 0 or more.*-2"):
        GraphSettings(max_gap=-2)
    with pytest.raises(ValueError, match=r"top_k.*0"):
        GraphSettings(top_k=0)
    with pytest.raises(TypeError, match="graph must be GraphSettings, not 3"):
        EventIndex("hash-64", graph=3)


def test_of_two_texts_with_one_id_the_first_stays_and_the_other_is_told() -> None:
    index = built([event("one", name="a"), event("two", name="a"), event(" ", name="b")])
    assert [one.text for one in index.events] == ["one"]
    assert [issue.kind for issue in index.issues] == ["duplicate_id", "undated"]


def test_the_text_that_is_embedded_begins_with_the_title_and_has_no_line_breaks() -> None:
    assert titled(event("She  left\nTurin.", title="Ann \n Lee")) == "Ann Lee. She left Turin."
    assert titled(event("She left.")) == "She left."


def test_one_misread_year_does_not_make_all_other_times_look_alike() -> None:
    events = [event(f"Stage {n}.", str(1800 + n), name=f"e{n}") for n in range(300)] + [event("Odd.", "8009", name="odd")]
    near = built(events).time_similarities([T("1900")])
    assert near[100] == near[:300].max()
    assert near[100] - near[150] > 0.5


def test_build_returns_an_index_of_what_was_given() -> None:
    index = play(build_event_index(*story(), embedder_id="hash-64")).result
    assert (len(index), len(index.passages)) == (12, 5)
    assert repr(index) == "<EventIndex of 12 events and 5 passages, 1840/1895, hash-64>"
    assert replace(index.events[0]) in index.events
