"""The cache: what is kept, for whom, and what survives."""

from __future__ import annotations

import multiprocessing
import pickle
import sqlite3
import subprocess
import sys
import threading

import numpy as np
import pytest

from chronotope.cache import ReplyCache
from chronotope.errors import StoreError, StoreVersionError
from support_http import environment


def test_replies_and_vectors_come_back(tmp_path) -> None:
    file = tmp_path / "cache.db"
    with ReplyCache(file) as cache:
        cache.keep_reply("a", "Zweitausend Jahre — 二千年")
        cache.keep_vectors({"v": np.arange(4, dtype=np.float32), "w": np.ones(4)})
    with ReplyCache(str(file)) as cache:
        assert cache.reply("a") == "Zweitausend Jahre — 二千年"
        assert cache.reply("b") is None
        vectors = cache.vectors(["w", "v", "x"])
        assert len(cache) == 3
    assert set(vectors) == {"v", "w"}
    assert vectors["v"].dtype == np.float32
    assert vectors["v"].tolist() == [0, 1, 2, 3]


def test_a_later_reply_replaces_an_earlier_one() -> None:
    cache = ReplyCache()
    cache.keep_reply("a", "one")
    cache.keep_reply("a", "two")
    assert (cache.reply("a"), len(cache)) == ("two", 1)


def test_an_empty_cache_is_still_true() -> None:
    assert ReplyCache()


def test_many_keys_are_looked_up_at_once() -> None:
    cache = ReplyCache()
    cache.keep_vectors({str(number): np.full(2, number, dtype=np.float32) for number in range(2000)})
    found = cache.vectors([str(number) for number in range(-10, 2000)])
    assert len(found) == 2000
    assert found["1999"].tolist() == [1999, 1999]
    assert cache.vectors([]) == {}


def test_a_vector_may_be_changed_by_its_owner() -> None:
    cache = ReplyCache()
    cache.keep_vectors({"v": np.ones(2)})
    cache.vectors(["v"])["v"][0] = 5
    assert cache.vectors(["v"])["v"].tolist() == [1, 1]


def test_g33_odd_characters_are_kept_as_they_are() -> None:
    cache = ReplyCache()
    cache.keep_reply("odd", "a\udc97b\x00c\x0cd")
    assert cache.reply("odd") == "a\udc97b\x00c\x0cd"


def test_close_is_no_end(tmp_path) -> None:
    cache = ReplyCache(tmp_path / "c.db")
    cache.keep_reply("a", "b")
    cache.close()
    cache.close()
    assert cache.reply("a") == "b"
    cache.close()


def test_g35_pickling_keeps_the_path(tmp_path) -> None:
    cache = ReplyCache(tmp_path / "c.db")
    cache.keep_reply("a", "b")
    twin = pickle.loads(pickle.dumps(cache))
    assert twin.reply("a") == "b"
    assert repr(twin) == f"ReplyCache({str(tmp_path / 'c.db')!r})"
    cache.close()
    twin.close()
    assert len(pickle.loads(pickle.dumps(ReplyCache()))) == 0


def test_a_file_that_is_no_cache_is_refused(tmp_path) -> None:
    file = tmp_path / "book.txt"
    file.write_text("It was the best of times. " * 100)
    with pytest.raises(StoreError, match=r"book\.txt' cannot be opened as a cache: file is not a database"):
        ReplyCache(file)
    with pytest.raises(StoreError, match="unable to open database file"):
        ReplyCache(tmp_path)
    assert file.read_text().startswith("It was")


def test_a_missing_folder_is_made(tmp_path) -> None:
    with ReplyCache(tmp_path / "new" / "folder" / "c.db") as cache:
        assert len(cache) == 0


def test_a_newer_format_is_refused(tmp_path) -> None:
    file = tmp_path / "c.db"
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreVersionError, match=r"format 99.*reads up to 1"):
        ReplyCache(file)


def test_threads_share_one_cache(tmp_path) -> None:
    cache = ReplyCache(tmp_path / "c.db")

    def work(name: int) -> None:
        for number in range(30):
            cache.keep_reply(f"{name}-{number}", "x")
            assert cache.reply(f"{name}-{number}") == "x"

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cache) == 240
    cache.close()


def _fill(path: str, name: int) -> None:
    cache = ReplyCache(path)
    for number in range(30):
        cache.keep_reply(f"{name}-{number}", "x")


def test_processes_share_one_file(tmp_path) -> None:
    path = str(tmp_path / "c.db")
    workers = [multiprocessing.get_context("fork").Process(target=_fill, args=(path, name)) for name in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    with ReplyCache(path) as cache:
        assert len(cache) == 120


def _use(cache: ReplyCache) -> None:
    cache.keep_reply("child", "y")


def test_a_forked_process_opens_its_own_connection(tmp_path) -> None:
    cache = ReplyCache(tmp_path / "c.db")
    cache.keep_reply("parent", "x")
    worker = multiprocessing.get_context("fork").Process(target=_use, args=(cache,))
    worker.start()
    worker.join()
    assert (worker.exitcode, cache.reply("parent"), cache.reply("child")) == (0, "x", "y")
    cache.close()


KILLED = """
import os, signal, sys
from chronotope.cache import ReplyCache
cache = ReplyCache(sys.argv[1])
for number in range(1000):
    cache.keep_reply(str(number), "x" * 1000)
    print(number, flush=True)
    if number == 499:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_g27_whatever_was_kept_survives_sigkill(tmp_path) -> None:
    path = str(tmp_path / "c.db")
    command = [sys.executable, "-c", KILLED, path]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == -9
    with ReplyCache(path) as cache:
        assert len(cache) == 500
        assert cache.reply("499") == "x" * 1000
