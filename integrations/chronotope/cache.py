"""Accepted replies and vectors in one SQLite file, so that a run which was killed goes on where it stopped."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from chronotope.errors import StoreError, StoreVersionError

if TYPE_CHECKING:
    from chronotope.steps import Cache

__all__ = ["ReplyCache", "as_cache", "cache_file"]

Vector = npt.NDArray[np.float32]
MEMORY: Final = ":memory:"
_FORMAT: Final = 1
_BUSY_SECONDS: Final = 60.0
_NAP_SECONDS: Final = 0.02
_KEYS_A_QUERY: Final = 500
_TABLES: Final = """
    CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, text BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID;
"""


class ReplyCache(AbstractContextManager["ReplyCache"]):
    """Keeps what a model said and was accepted, and what an embedder made; safe among threads and processes.

    Every reply is committed by itself: after a crash or SIGKILL at any moment, exactly the calls that were not answered are
    missing. Keys are hashes of the model, the prompt and the filled messages, so a changed prompt or another model never meets
    an old reply. Pickling keeps the path; a cache in memory arrives empty.

    Args:
        path: a file, made when absent, with its folder; `:memory:` for one that ends with the process.

    Raises:
        StoreError: the file is no cache, or cannot be made.
        StoreVersionError: a newer version wrote it.

    >>> with ReplyCache(":memory:") as cache:
    ...     cache.keep_reply("k", "In 1660.")
    ...     cache.reply("k"), cache.reply("other"), len(cache)
    ('In 1660.', None, 1)
    """

    def __init__(self, path: str | os.PathLike[str] = MEMORY) -> None:
        self.path = os.fspath(path)
        self._lock = RLock()
        self._owner = os.getpid()
        self._connection: sqlite3.Connection | None = _connected(self.path)

    def reply(self, key: str) -> str | None:
        """An accepted reply, None when there is none."""
        with self._open() as connection:
            row = connection.execute("SELECT text FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0].decode("utf-8", "surrogatepass")

    def keep_reply(self, key: str, text: str) -> None:
        """Keep an accepted reply, committed when this returns."""
        with self._open() as connection, connection:
            connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, text.encode("utf-8", "surrogatepass")))

    def vectors(self, keys: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are kept of these keys."""
        found: dict[str, Vector] = {}
        with self._open() as connection:
            for place in range(0, len(keys), _KEYS_A_QUERY):
                some = keys[place : place + _KEYS_A_QUERY]
                marks = ",".join("?" * len(some))
                rows = connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some)  # noqa: S608 - marks only
                found.update((key, np.frombuffer(data, dtype="<f4").astype(np.float32)) for key, data in rows)
        return found

    def keep_vectors(self, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors, committed together when this returns."""
        rows = [(key, np.asarray(vector, dtype="<f4").tobytes()) for key, vector in vectors.items()]
        with self._open() as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def __len__(self) -> int:
        with self._open() as connection:
            (count,) = connection.execute("SELECT (SELECT count(*) FROM replies) + (SELECT count(*) FROM vectors)").fetchone()
        return int(count)

    def __bool__(self) -> bool:
        """True even when empty: an empty cache is still a cache."""
        return True

    def close(self) -> None:
        """Close the file; the next use opens it again. A cache in memory is lost."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ReplyCache({self.path!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path,)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time; a forked process opens its own, since it must not use its parent's."""
        with self._lock:
            if self._connection is None or self._owner != os.getpid():
                self._connection, self._owner = _connected(self.path), os.getpid()
            yield self._connection


def as_cache(given: Cache | str | os.PathLike[str] | None) -> Cache | None:
    """A cache from whatever keeps replies: a path is opened as a `ReplyCache`, and made when absent, with its folder.

    Raises:
        TypeError: it is neither a path nor a cache.
        ValueError: the path is empty.
        StoreError: the file is no cache.

    >>> as_cache(":memory:")
    ReplyCache(':memory:')
    """
    if isinstance(given, (str, os.PathLike)):
        return ReplyCache(_named(given))
    if given is None or all(callable(getattr(given, name, None)) for name in ("reply", "keep_reply", "vectors", "keep_vectors")):
        return given
    raise TypeError(f"cache must be a path or a ReplyCache, not {given!r}")


def cache_file(given: ReplyCache | str | os.PathLike[str] | None) -> str | None:
    """The path of a cache, for what must be sent to other processes.

    Raises:
        TypeError: it is neither a path nor a `ReplyCache`.
        ValueError: the path is empty, or the cache is one in memory, which no other process shares.
    """
    if isinstance(given, ReplyCache):
        if given.path == MEMORY:
            raise ValueError("a cache in memory ends with each run: give ReplyCache a file, or the path of one")
        return given.path
    if given is None or isinstance(given, (str, os.PathLike)):
        return None if given is None else _named(given)
    raise TypeError(f"a cache must be a path or a ReplyCache, not {given!r}")


def _named(path: str | os.PathLike[str]) -> str:
    if not (name := os.fspath(path)):
        raise ValueError("the path of a cache is empty: give the name of a file, or None for no cache")
    return name


def _connected(path: str) -> sqlite3.Connection:
    try:
        if path != MEMORY:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)
    except (OSError, sqlite3.OperationalError) as error:
        raise StoreError(f"{path!r} cannot be opened as a cache: {error}") from error
    try:
        # With a write-ahead log a commit survives the death of the process without waiting for the disk.
        _switch_to_log(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        _prepare(connection, path)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise StoreError(f"{path!r} cannot be opened as a cache: {error}") from error
    except StoreVersionError:
        connection.close()
        raise
    return connection


def _switch_to_log(connection: sqlite3.Connection) -> None:
    """Turn the write-ahead log on; when several processes open a new file at once, SQLite refuses some without waiting."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_NAP_SECONDS)
        else:
            return


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    """Make the tables unless they are there."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > _FORMAT:
        raise StoreVersionError(f"cache {path!r} has format {version}, and this version of chronotope reads up to {_FORMAT}")
    if version < _FORMAT:
        connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {_FORMAT}; COMMIT;")
