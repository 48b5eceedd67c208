"""LexicalIndex: the words it sees, BM25 by the book, and the field reports that apply to it."""

from __future__ import annotations

import copy
import math
import pickle
import threading
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.lexical import LexicalIndex, words

texts = st.lists(st.sampled_from(["ann", "ben", "cat", "dog", "emma"]), max_size=6).map(" ".join)


def by_the_book(table: list[str | None], query: str, k1: float = 1.5, b: float = 0.75) -> list[float]:
    """BM25 as Lucene computes it, over the rows that are left."""
    documents = [None if text is None else Counter(text.split()) for text in table]
    living = [document for document in documents if document is not None]
    average = sum(document.total() for document in living) / len(living) if living else 0

    def score(document: Counter[str], word: str) -> float:
        holders = sum(word in other for other in living)
        weight = math.log(1 + (len(living) - holders + 0.5) / (holders + 0.5))
        return weight * document[word] / (document[word] + k1 * (1 - b + b * document.total() / average)) if document[word] else 0.0

    return [0.0 if document is None else sum(score(document, word) for word in query.split()) for document in documents]


@given(st.lists(texts, max_size=8), st.lists(texts, max_size=4), st.sets(st.integers(0, 12)), texts)
def test_scores_are_bm25_by_the_book_after_any_adds_and_removes(first, more, gone, query):
    index = LexicalIndex(first)
    index.scores(query)
    index.add(more)
    index.remove(sorted(gone))
    table = [None if row in gone else text for row, text in enumerate(first + more)]
    np.testing.assert_allclose(index.scores(query), np.float32(by_the_book(table, query)), rtol=1e-4, atol=1e-6)
    assert (index.size, len(index)) == (len(table), len(table) - table.count(None))


@given(st.lists(texts, min_size=1, max_size=8), texts, st.integers(0, 9), st.data())
def test_search_gives_the_best_rows_of_the_mask_in_stable_order(table, query, k, data):
    index = LexicalIndex(table)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table))))
    scores = index.scores(query)
    expected = sorted((row for row in range(len(table)) if mask[row] and scores[row] > 0), key=lambda row: (-scores[row], row))
    rows, found = index.search(query, k, mask)
    assert rows.tolist() == expected[:k]
    assert found.tolist() == scores[expected[:k]].tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don’t, O'Brien's cats!", ["don't", "o'brien", "cat"]),
        ("1914–18 and Q3 2021", ["1914", "18", "and", "q3", "2021"]),
        ("12,500 men, 1,2 and 1,2345", ["12500", "men", "1", "2", "and", "1", "2345"]),
        ("_Emma_ ＦＵＬＬ ２０１１", ["emma", "full", "2011"]),
        ("贾宝玉 met 黛", ["贾宝", "宝玉", "贾", "宝", "玉", "met", "黛"]),
        ("über naïve façade", ["über", "naïv", "façad"]),
        (" \n\t…—", []),
    ],
)
def test_words_are_cut_and_folded_as_documented(text, expected):
    assert words(text) == expected


def test_one_chinese_character_and_a_name_are_both_found():
    index = LexicalIndex(["林黛玉葬花。", "贾宝玉听见。", "She laughed."])
    assert index.search("黛玉", 3)[0].tolist() == [0]
    assert index.search("花", 3)[0].tolist() == [0]
    assert index.search("宝玉在哪里", 3)[0].tolist() == [1]


@pytest.mark.parametrize("table", [[], [""], ["", " \n", "…"]])
def test_no_words_at_all_give_zeros_and_no_crash(table):
    index = LexicalIndex(table)
    assert index.scores("anything").tolist() == [0.0] * len(table)
    assert index.search("anything", 3)[0].size == 0


@pytest.mark.parametrize("query", ["", "  \t", "?!", "unknown", "\x00"])
def test_blank_and_unknown_queries_give_zeros(query):
    index = LexicalIndex(["Ann met Ben", ""])
    scores = index.scores(query)
    assert (scores.dtype, scores.tolist()) == (np.float32, [0.0, 0.0])


def test_one_blank_text_does_not_stop_the_batch():
    index = LexicalIndex(["", " \n\t", "\ufeff", "Ann met Ben"])
    assert index.search("ben", 4)[0].tolist() == [3]


def test_nothing_of_a_removed_text_comes_back_on_the_next_insert():
    index = LexicalIndex(["Ann and the Captain", "Ben and the Captain"])
    index.search("captain", 2)
    index.remove(0)
    index.add(["Cat and the Captain"])
    assert index.search("captain", 5)[0].tolist() == [1, 2]
    assert index.search("ann", 5)[0].size == 0
    assert b"ann" not in pickle.dumps(index)
    assert "ann" not in index._engine()[0].vocab_dict


def test_kept_rows_answer_under_their_new_numbers():
    index = LexicalIndex(["Ann", "Ben", "Cat"])
    index.remove(1)
    index.keep([0, 2])
    assert index.search("cat", 3)[0].tolist() == [1]
    assert index.size == 2


def test_lone_surrogates_nul_and_form_feeds_do_no_harm():
    index = LexicalIndex(["one\udc97two \x00 three\x0cfour", "five"])
    assert index.search("two \ud83d three", 2)[0].tolist() == [0]


def test_huge_unbroken_text_takes_time_in_proportion():
    start = time.perf_counter()
    index = LexicalIndex(["a" * 100_000, "黛" * 100_000, "so on " * 20_000])
    index.scores("a" * 100_000)
    assert time.perf_counter() - start < 10


def test_the_library_prints_nothing(capfd):
    LexicalIndex(["Ann met Ben"]).search("ann", 1)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_copies_and_pickles_answer_alike_and_grow_apart():
    index = LexicalIndex(["Ann met Ben", "Cat"])
    index.scores("ann")
    for twin in (copy.deepcopy(index), pickle.loads(pickle.dumps(index))):
        assert twin.scores("ann met").tolist() == index.scores("ann met").tolist()
        twin.add(["Ann"])
        assert (twin.size, index.size) == (3, 2)


def test_threads_that_ask_at_once_share_one_build(monkeypatch):
    index, builds = LexicalIndex(["Ann met Ben", "Cat"] * 200), []
    build = index._build
    monkeypatch.setattr(index, "_build", lambda: (builds.append(1), build())[1])
    threads = [threading.Thread(target=index.scores, args=("ann",)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(builds) == 1


def test_a_negative_k_and_a_mask_that_does_not_fit_are_refused():
    index = LexicalIndex(["Ann", "Ben"])
    with pytest.raises(ValueError, match="cannot be -1"):
        index.search("ann", -1)
    with pytest.raises(ValueError, match="does not fit an index of 2 rows"):
        index.search("ann", 1, np.ones(3, bool))
