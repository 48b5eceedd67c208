"""The embedded index: exact against brute force, incremental, deletable without ghosts, saved without loss."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.diachronic import DiachronicIndex, RetrievalSettings, build_index, retrieve_scoped
from chronotope.errors import StoreError, StoreMismatchError, StoreVersionError
from chronotope.lexical import LexicalIndex
from chronotope.models import EmbedKind
from chronotope.records import Document, Passage
from chronotope.steps import Runner
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.scope import QueryScope
from chronotope.testing import HashEmbedder, play
from chronotope.text import split_passages
from support_diachronic import asked, corpora, overlaps, passage, scopes

T = TimeInterval.parse
EVERYTHING = RetrievalSettings(k=50, coverage=False, subject_words=False, undated="exclude")


def built(passages: list[Passage]) -> DiachronicIndex:
    return play(build_index(passages, embedder_id="hash-64")).result


def scores(index: DiachronicIndex, scope: QueryScope, settings: RetrievalSettings = EVERYTHING) -> dict[str, float]:
    return {hit.passage.id: hit.score for hit in play(retrieve_scoped(index, scope, settings=settings)).result.hits}


def stretched(values: np.ndarray) -> np.ndarray:
    spread = values.max() - values.min()
    return (values - values.min()) / spread if spread else np.ones_like(values)


def brute_force(passages: list[Passage], scope: QueryScope, weight: float) -> dict[str, float]:
    """Filter one by one, then both legs over what is left, each stretched to 0 … 1."""
    kept = [p for p in passages if overlaps(p, scope.times)]
    if not kept:
        return {}
    embedder = HashEmbedder()
    dense = embedder.embed([p.text for p in kept]) @ embedder.embed([scope.core])[0]
    all_words = LexicalIndex([p.text for p in passages]).scores(scope.core)
    lexical = np.array([all_words[passages.index(p)] for p in kept])
    fused = (1 - weight) * stretched(dense) + weight * stretched(lexical)
    return {p.id: float(score) for p, score in zip(kept, fused, strict=True)}


@settings(max_examples=40)
@given(corpora(), scopes(), st.sampled_from([0.0, 0.5, 1.0]))
def test_the_index_agrees_with_brute_force(passages, scope, weight) -> None:
    found = scores(built(passages), scope, replace(EVERYTHING, lexical=weight))
    assert found == pytest.approx(brute_force(passages, scope, weight), abs=1e-5)


@settings(max_examples=40)
@given(corpora(), st.sets(st.integers(0, 11)), scopes(), st.booleans())
def test_an_index_that_grew_and_shrank_is_the_index_of_what_is_left(passages, gone, scope, searched) -> None:
    index = built(passages[:5])
    if searched:
        scores(index, scope)  # builds the word index before the changes
    play(index.add(passages[5:]))
    removed = {f"p{number}" for number in gone}
    assert index.remove(removed) == len(removed & {p.id for p in passages})
    left = [p for p in passages if p.id not in removed]
    fresh = built(left)
    assert index.passages == fresh.passages == tuple(left)
    assert scores(index, scope) == pytest.approx(scores(fresh, scope), abs=1e-6)
    assert (len(index), index.span, index.issues) == (len(fresh), fresh.span, fresh.issues)


def test_a_saved_index_loads_as_itself(tmp_path: Path) -> None:
    passages = [
        passage("the king sailed", "1660-05-25", "166X", published="1661", name="a"),
        passage("caesar \udc97 fell\x00", "-0043-03-15", name="b"),
        passage("water boils", static=True, name="c"),
        passage("nobody knows when", name="d"),
        passage("since then", "2010/..", name="e"),
    ]
    index = built([*passages, passage("gone", "1999", name="gone")])
    index.remove(["gone"])
    index.save(tmp_path / "index")
    loaded = DiachronicIndex.load(tmp_path / "index", embedder_id="hash-64")
    assert loaded.passages == index.passages == tuple(passages)
    assert (len(loaded), loaded.span, loaded.embedder_id) == (5, index.span, "hash-64")
    for scope in (asked("king"), asked("king", "1660"), asked("fell", "../0001"), asked("then", "2020")):
        assert scores(loaded, scope) == pytest.approx(scores(index, scope), abs=1e-6)
    play(loaded.add([passage("another king", "1661", name="f")]))
    assert set(scores(loaded, asked("king", "1661"))) == {"a", "c", "f"}


def test_an_empty_index_is_saved_loaded_and_filled(tmp_path: Path) -> None:
    DiachronicIndex("hash-64").save(tmp_path / "index")
    loaded = DiachronicIndex.load(tmp_path / "index")
    assert (len(loaded), loaded.span, loaded.passages, loaded.issues) == (0, None, (), ())
    assert "x" not in loaded
    assert loaded.remove(["x"]) == loaded.remove_source("d") == 0
    found = play(retrieve_scoped(loaded, asked("king", "1660"))).result
    assert (found.hits, [issue.kind for issue in found.issues]) == ((), ["empty_index"])
    play(loaded.add([passage("the king", "1660")]))
    assert len(loaded) == 1


def test_pickles_and_copies_search_as_the_original_does() -> None:
    index = built([passage("the king sailed", "1660", name="a"), passage("the mill", "1661", name="b")])
    before = scores(index, asked("king", "1660/1661"))
    for twin in (pickle.loads(pickle.dumps(index)), copy.deepcopy(index)):
        assert scores(twin, asked("king", "1660/1661")) == before
        twin.remove(["a"])
        assert "a" not in twin
    assert "a" in index


def test_deleting_a_document_leaves_no_ghost_in_vectors_words_times_or_later_inserts(tmp_path: Path) -> None:
    ann, ben = passage("ann ran the mill", "1700", name="a", source="A"), passage("ben saw the mill", "1710", name="b", source="B")
    index = built([ann, ben])
    scores(index, asked("ann"))
    assert index.remove_source("A") == 1
    assert index.remove_source("A") == 0
    play(index.add([passage("cid bought the mill", "1720", name="c", source="C")]))
    assert set(scores(index, asked("ann mill"))) == {"b", "c"}
    assert scores(index, asked("ann", "1700")) == {}
    assert index.span == T("1710/1720")
    assert index.word_scores("ann", np.arange(3)).tolist() == [0, 0, 0]
    with pytest.raises(IndexError, match="row 0 was removed"):
        index.passage(0)
    index.save(tmp_path / "index")
    assert all(b"ann" not in file.read_bytes() for file in (tmp_path / "index").iterdir())
    play(index.add([ann]))
    assert set(scores(index, asked("ann", "1700"))) == {"a"}, "and it can come back"


def test_removing_the_second_of_five_leaves_the_fifth_with_its_own_text_and_time() -> None:
    index = built(
        [passage(f"number {word}", str(1900 + i), name=word) for i, word in enumerate(["one", "two", "three", "four", "five"])]
    )
    index.remove(["two"])
    (hit,) = play(retrieve_scoped(index, asked("number five", "1904"))).result.hits
    assert (hit.passage.id, hit.passage.text, str(hit.passage.times[0])) == ("five", "number five", "1904")


BOOK = [f"Chapter {number} tells of year {number}.\n\n" for number in range(150)]


def test_re_ingesting_writes_nothing_and_a_changed_sentence_touches_only_its_passage() -> None:
    def passages(paragraphs: list[str]) -> list[Passage]:
        pieces = [split_passages(Document(text, id=f"book/{number}")) for number, text in enumerate(paragraphs)]
        return [piece for document in pieces for piece in document]

    index = built(passages(BOOK))
    again = play(index.add(passages(BOOK)))
    assert (again.result, again.spent.embedded, len(index)) == (0, 0, 150)
    changed = passages([*BOOK[:70], "Chapter 70 was rewritten.\n\n", *BOOK[71:]])
    stale = {p.id for p in index.passages} - {p.id for p in changed}
    assert len(stale) == 1
    index.remove(stale)
    update = play(index.add(changed))
    assert (update.result, update.spent.embedded, len(index)) == (1, 1, 150)


def test_blank_passages_and_doubles_are_passed_over() -> None:
    played = play(build_index([passage(" \n"), passage("x", name="a"), passage("x", name="a"), passage("")], embedder_id="hash-64"))
    assert (len(played.result), played.spent.embedded) == (1, 1)
    assert play(build_index([passage(" ")], embedder_id="hash-64")).spent.embedded == 0


class Failing(HashEmbedder):
    """Fails on a certain word, or gives vectors of another width."""

    def __init__(self, *, on: str = "", width_after: int = 0) -> None:
        super().__init__()
        self.on, self.width_after, self.calls = on, width_after, 0

    def embed(self, texts, *, kind: EmbedKind = "passage"):
        self.calls += 1
        if self.on and any(self.on in text for text in texts):
            raise ConnectionError("the endpoint is gone")
        rows = super().embed(texts, kind=kind)
        return rows[:, :32] if self.width_after and self.calls > self.width_after else rows


def test_a_failed_add_leaves_the_index_as_it_was() -> None:
    passages = [passage(f"text {number}", str(1900 + number), name=str(number)) for number in range(6)]
    runner = Runner(embedder=Failing(on="text 3"), batch_size=2, concurrency=1)
    index = built([passage("old", "1890", name="old")])
    with pytest.raises(ConnectionError):
        runner.run(index.add(passages))
    assert [p.id for p in index.passages] == ["old"]
    assert index.span == built([passage("old", "1890")]).span
    play(index.add(passages))
    assert [p.id for p in index.passages] == ["old", "0", "1", "2", "3", "4", "5"]


@pytest.mark.parametrize("width_after", [1, 2], ids=["between two adds", "within one add"])
def test_vectors_of_another_width_are_refused_and_nothing_is_added(width_after: int) -> None:
    runner = Runner(embedder=Failing(width_after=width_after), batch_size=1, concurrency=1)
    index = DiachronicIndex("hash-64")
    runner.run(index.add([passage("first", "1900", name="a")]))
    with pytest.raises(StoreMismatchError, match=r"64.*32|32.*64"):
        runner.run(index.add([passage("second", "1901", name="b"), passage("third", "1902", name="c")]))
    assert [p.id for p in index.passages] == ["a"]
    assert set(scores(index, asked("first", "1900/1902"))) == {"a"}


def test_inserting_known_or_repeated_ids_changes_nothing() -> None:
    index = built([passage("first", "1900", name="a")])
    vectors = HashEmbedder().embed(["x", "y"])
    for names in (["b", "a"], ["b", "b"]):
        with pytest.raises(ValueError, match="in the table already"):
            index.insert([passage("x", "1901", name=name) for name in names], vectors)
    with pytest.raises(ValueError, match="1 ids came with 2"):
        index.insert([passage("x", name="b")], vectors)
    assert [p.id for p in index.passages] == ["a"]


def test_loading_with_another_embedder_names_both(tmp_path: Path) -> None:
    built([passage("x", "1900")]).save(tmp_path / "index")
    with pytest.raises(StoreMismatchError, match=r"'hash-64', width 64.*'other-model'"):
        DiachronicIndex.load(tmp_path / "index", embedder_id="other-model")


def test_loading_refuses_another_kind_a_newer_version_and_what_is_not_there(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    built([passage("x", "1900")]).save(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    for change, error in (({"kind": "events"}, StoreMismatchError), ({"version": 99}, StoreVersionError)):
        (folder / "manifest.json").write_text(json.dumps({**manifest, **change}))
        with pytest.raises(error):
            DiachronicIndex.load(folder)
    with pytest.raises(StoreError):
        DiachronicIndex.load(tmp_path / "nowhere")


def test_a_query_vector_of_another_width_is_refused() -> None:
    index = built([passage("x", "1900")])
    with pytest.raises(StoreMismatchError):
        play(retrieve_scoped(index, asked("x"), settings=EVERYTHING), embedder=HashEmbedder(32))


def test_undated_passages_are_counted_and_facts_outside_time_hold_at_every_time() -> None:
    index = built([passage("a king", name="u"), passage("a law", static=True, name="s"), passage("a war", "1700", name="t")])
    assert [issue.message.split(";")[0] for issue in index.issues] == ["1 of 3 passages have no time"]
    assert set(scores(index, asked("law", "1990"))) == {"s"}
    assert index.undated.tolist() == [True, False, False]
    assert index.living.tolist() == [True] * 3
    assert "3 passages" in repr(index)


def test_the_date_of_writing_counts_beside_the_events() -> None:
    index = built([passage("minutes", published="2018-10", name="m"), passage("a report", "2015", published="2018", name="r")])
    assert set(scores(index, asked("report", "2018"))) == {"m", "r"}, "what happened in 2018, or was told then"
    assert set(scores(index, asked("report", "2015"))) == {"r"}
    assert set(scores(index, asked("report", published=["2018"]))) == {"m", "r"}, "what was written in 2018"
    assert set(scores(index, asked("report", "2015", published=["2018"]))) == {"r"}


def test_overlap_tells_which_row_lies_in_which_period() -> None:
    index = built([passage("x", "1990/1991", name="a"), passage("y", "1993", name="b"), passage("z", name="c")])
    member = index.overlap([T("1990"), T("1991"), T("1992"), T("1993")], np.array([0, 1, 2]))
    assert member.tolist() == [[True, True, False, False], [False, False, False, True], [False] * 4]
    assert index.overlap([], np.array([0, 1])).shape == (2, 0)
