"""VectorTable against numpy brute force, and the field reports that apply to it."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope import vectors as module
from chronotope.errors import StoreMismatchError
from chronotope.temporal.index import IntervalIndex
from chronotope.temporal.interval import Interval
from chronotope.vectors import VectorTable

# Small whole numbers: inner products are exact in float32, and ties are common.
components = st.integers(-2, 2).map(float)
vectors = st.lists(components, min_size=3, max_size=3)
matrices = st.lists(vectors, max_size=12)


def brute_force(model: dict[int, list[float]], query: list[float], k: int) -> list[tuple[int, float]]:
    scored = [(row, float(np.dot(vector, query))) for row, vector in sorted(model.items())]
    return sorted(scored, key=lambda hit: (-hit[1], hit[0]))[:k]


def found(table: VectorTable, query, k, rows=None) -> list[tuple[int, float]]:
    return list(zip(*(part.tolist() for part in table.search(query, k, rows=rows)), strict=True))


changes = st.lists(
    st.one_of(
        st.tuples(st.just("add"), matrices),
        st.tuples(st.just("remove"), st.sets(st.integers(0, 20))),
        st.tuples(st.just("compact"), st.none()),
        st.tuples(st.just("copy"), st.none()),
    ),
    max_size=8,
)


@pytest.fixture(autouse=True, scope="module")
def small_pages():
    """Pages of two vectors of width 3, so that every test crosses page borders."""
    size, module._PAGE_BYTES = module._PAGE_BYTES, 24
    yield
    module._PAGE_BYTES = size


@given(changes, vectors, st.integers(0, 8), st.data())
def test_search_equals_numpy_brute_force_after_any_adds_and_removes(changes, query, k, data):
    table, model, added = VectorTable(3, "toy"), {}, 0
    for change, what in changes:
        if change == "add":
            rows = table.add([f"v{added + i}" for i in range(len(what))], what)
            model |= dict(zip(rows.tolist(), what, strict=True))
            added += len(what)
        elif change == "remove":
            gone = table.remove([f"v{number}" for number in what])
            model = {row: vector for row, vector in model.items() if row not in set(gone.tolist())}
        elif change == "compact":
            model = {i: model[row] for i, row in enumerate(table.compact().tolist())}
        else:
            table = pickle.loads(pickle.dumps(table))
    assert found(table, query, k) == brute_force(model, query, k)
    assert len(table) == len(model)
    assert np.concatenate([np.empty((0, 3)), *table.blocks()]).tolist() == [model[row] for row in sorted(model)]
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=table.size, max_size=table.size)), bool)
    among = {row: vector for row, vector in model.items() if mask[row]}
    assert found(table, query, k, mask) == brute_force(among, query, k)
    assert found(table, query, k, np.flatnonzero(mask)[::-1]) == brute_force(among, query, k)


def test_large_random_tables_give_numpys_order():
    generator = np.random.default_rng(0)
    matrix = generator.standard_normal((2_000, 48), dtype=np.float32)
    table = VectorTable.from_matrix([str(i) for i in range(2_000)], matrix, "toy")
    rows, scores = table.search(matrix[7], 20)
    expected = np.argsort(-(matrix.astype(np.float64) @ matrix[7]))[:20]
    assert rows.tolist() == expected.tolist()
    np.testing.assert_allclose(scores, matrix[expected] @ matrix[7], rtol=1e-5)


def test_equal_vectors_score_equally_and_come_in_row_order():
    table = VectorTable(5, "toy")
    table.add([str(i) for i in range(41)], np.tile(np.float32([0.1, 0.7, 0.3, -0.9, 0.2]), (41, 1)))
    rows, scores = table.search(np.float32([0.3, 0.1, 0.5, 0.7, 0.11]), 30)
    assert rows.tolist() == list(range(30))
    assert len(set(scores.tolist())) == 1


def test_the_right_id_comes_back_after_a_delete_and_ids_do_not_shift():
    table = VectorTable(5, "toy")
    table.add(list("abcde"), np.eye(5))
    for number, name in enumerate("bda"):
        table.remove([name])
        for left in set("abcde") - set("bda"[: number + 1]):
            rows, _ = table.search(np.eye(5)["abcde".index(left)], 1)
            assert table.ids(rows) == [left]
            assert rows.tolist() == table.rows([left]).tolist() == ["abcde".index(left)]
        assert name not in table


def test_nothing_of_a_deleted_vector_comes_back_on_the_next_insert():
    table = VectorTable(2, "toy")
    table.add(["a", "b"], [[1, 0], [0, 1]])
    table.remove(["a"])
    new = table.add(["c"], [[0.5, 0.5]])
    assert new.tolist() == [2], "a removed row number is not given out again"
    assert table.ids(table.search([1, 0], 5)[0]) == ["c", "b"]
    with pytest.raises(IndexError, match="row 0 holds no vector"):
        table.reconstruct([0])
    table.add(["a"], [[1, 0]])
    assert table.ids(table.search([1, 0], 1)[0]) == ["a"]


def test_intervals_follow_their_vectors_through_deletes_and_compaction():
    table, times = VectorTable(3, "toy"), IntervalIndex([[Interval(i, i + 1)] for i in range(3)])
    table.add(["x", "y", "z"], np.eye(3))
    times.remove(table.remove(["y"]))
    times.keep(table.compact())
    rows, _ = table.search([1, 1, 1], 5, rows=times.mask([Interval(2, 3)], table.size))
    assert table.ids(rows) == ["z"]


def test_another_width_is_refused_with_both_widths_and_the_model_named():
    table = VectorTable(384, "e5-small")
    message = r"'e5-small' have width 384 .* these have 768"
    with pytest.raises(StoreMismatchError, match=message):
        table.add(["a"], np.ones((1, 768)))
    with pytest.raises(StoreMismatchError, match=message):
        table.search(np.ones(768), 3)
    with pytest.raises(StoreMismatchError, match="have 384 and 768"):
        table.add(["a", "b"], [np.ones(384), np.ones(768)])
    assert len(table) == table.size == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_vector_that_is_not_finite_is_refused_by_its_id(bad):
    table = VectorTable(2, "toy")
    with pytest.raises(ValueError, match="'b' has a component that is not finite"):
        table.add(["a", "b"], [[1, 0], [bad, 0]])
    with pytest.raises(ValueError, match="'the query'"):
        table.search([0, bad], 1)


def test_a_refused_batch_leaves_the_table_as_it_was_and_a_retry_gives_the_same_state():
    table = VectorTable(2, "toy")
    table.add(["a"], [[1, 0]])
    with pytest.raises(ValueError, match="id 'a' is in the table already"):
        table.add(["b", "a"], np.eye(2))
    with pytest.raises(ValueError, match="id 'b' is in the table already"):
        table.add(["b", "b"], np.eye(2))
    with pytest.raises(ValueError, match="2 ids came with 1 vectors"):
        table.add(["b", "c"], [[1, 0]])
    assert (table.size, len(table), "b" in table) == (1, 1, False)
    table.add(["b"], [[0, 1]])
    assert table.ids([0, 1]) == ["a", "b"]


def test_empty_tables_batches_and_masks_give_empty_answers():
    table = VectorTable(2, "toy")
    assert found(table, [1, 0], 5) == []
    assert table.add([], []).tolist() == table.add([], np.empty((0, 2))).tolist() == []
    table.add(["a"], [[1, 0]])
    assert found(table, [1, 0], 5, np.zeros(1, bool)) == found(table, [1, 0], 5, []) == found(table, [1, 0], 0) == []
    assert table.reconstruct([]).shape == (0, 2)
    table.remove(["a"])
    assert found(table, [1, 0], 5) == []
    assert table.compact().tolist() == []
    assert table.blocks() == []


def test_candidates_outside_the_table_are_refused():
    table = VectorTable(2, "toy")
    table.add(["a"], [[1, 0]])
    for rows in ([1], [-1, 0], [0, 7]):
        with pytest.raises(ValueError, match="outside a table of 1 rows"):
            table.search([1, 0], 1, rows=rows)
    with pytest.raises(ValueError, match="does not fit"):
        table.search([1, 0], 1, rows=np.ones(2, bool))
    with pytest.raises(ValueError, match="cannot be -1"):
        table.search([1, 0], -1)


def test_reconstruct_gives_copies_in_the_asked_order():
    table = VectorTable(3, "toy")
    table.add(list("abcde"), np.arange(15).reshape(5, 3))
    copied = table.reconstruct([4, 0, 4])
    assert copied[:, 0].tolist() == [12, 0, 12]
    copied[:] = 0
    assert table.reconstruct([4])[0].tolist() == [12, 13, 14]


def test_a_given_matrix_is_taken_over_without_a_copy_and_may_be_read_only(tmp_path):
    np.save(tmp_path / "matrix.npy", np.eye(4, dtype=np.float32))
    mapped = np.load(tmp_path / "matrix.npy", mmap_mode="r")
    table = VectorTable.from_matrix(list("abcd"), mapped, "toy")
    assert np.shares_memory(table.blocks()[0], mapped)
    table.add(["e"], [[0, 0, 2, 0]])
    assert table.ids(table.search([0, 0, 1, 0], 2)[0]) == ["e", "c"]
    with pytest.raises(ValueError, match="contiguous float32 matrix"):
        VectorTable.from_matrix(["a"], np.eye(4), "toy")


def test_the_callers_matrix_is_not_changed_nor_held():
    given_matrix = np.eye(2, dtype=np.float32)
    table = VectorTable(2, "toy")
    table.add(["a", "b"], given_matrix)
    given_matrix[:] = 9
    assert table.reconstruct([0, 1]).tolist() == [[1, 0], [0, 1]]


def test_copies_of_a_table_grow_apart():
    table = VectorTable(2, "toy")
    table.add(["a"], [[1, 0]])
    twin = copy.deepcopy(table)
    table.add(["b"], [[0, 1]])
    twin.add(["c"], [[0.5, 0.5]])
    assert table.ids([0, 1]) == ["a", "b"]
    assert twin.reconstruct([0, 1]).tolist() == [[1, 0], [0.5, 0.5]]


def test_a_search_shared_by_threads_gives_the_same_answer(monkeypatch):
    monkeypatch.setattr(module, "_SHARE_BYTES", 1_000)
    matrix = np.random.default_rng(2).standard_normal((900, 16), dtype=np.float32)
    alone, shared = VectorTable(16, "toy", threads=1), VectorTable(16, "toy", threads=5)
    for table in (alone, shared):
        table.add([str(i) for i in range(900)], matrix)
        table.remove(["7", "500"])
    for rows in (None, np.arange(3, 880), [5], []):
        for one, other in zip(alone.search(matrix[1], 30, rows=rows), shared.search(matrix[1], 30, rows=rows), strict=True):
            np.testing.assert_array_equal(one, other)


def test_searches_leave_the_thread_settings_of_faiss_alone():
    faiss = pytest.importorskip("faiss")
    before = faiss.omp_get_max_threads()
    table = VectorTable(2, "toy")
    table.add(["a"], [[1, 0]])
    table.search([1, 0], 1)
    assert faiss.omp_get_max_threads() == before


def test_several_threads_may_search_at_once():
    generator = np.random.default_rng(1)
    matrix = generator.standard_normal((500, 16), dtype=np.float32)
    table = VectorTable.from_matrix([str(i) for i in range(500)], matrix, "toy")
    answers: dict[int, list[int]] = {}

    def look(number: int) -> None:
        answers[number] = table.search(matrix[number], 5)[0].tolist()

    threads = [threading.Thread(target=look, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: table.search(matrix[number], 5)[0].tolist() for number in range(8)}
