"""Save and load a folder: `manifest.json`, `items.jsonl` and one `<name>.npy` an array. Plain files, no pickle.

A save is written to a sibling folder, flushed to disk, and renamed into place; what it replaces is set aside under a second
sibling name for that moment and deleted afterwards. `load_folder` looks there when the folder is missing and checks every file
against the sizes and digests of the manifest, so a reader, or a process killed at any point, meets the old state or the new one
and never a mixture. One process at a time may save to a folder; any number may load from it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from chronotope.errors import StoreError, StoreMismatchError, StoreVersionError

__all__ = ["FORMAT", "Saved", "load_folder", "save_folder"]

FORMAT = 1
"""Version of the folder layout; a folder with a higher one is refused."""

Array: TypeAlias = npt.NDArray[Any]

_MANIFEST, _ITEMS = "manifest.json", "items.jsonl"
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_CHUNK = 8 * 2**20
_WAY_OUT = "restore the folder from a copy, or delete it, build the index again and save it"


@dataclass(frozen=True)
class Saved:
    """What a folder held.

    Args:
        header: the facts about the whole that were saved with it.
        items: one record a line, in the order they were saved.
        arrays: by name.
        version: version of the kind, as it was given to `save_folder`.
    """

    header: Mapping[str, Any]
    items: list[dict[str, Any]]
    arrays: Mapping[str, Array] = field(default_factory=dict)
    version: int = 1


def save_folder(
    folder: str | os.PathLike[str],
    *,
    kind: str,
    version: int,
    header: Mapping[str, Any],
    items: Iterable[Mapping[str, Any]],
    arrays: Mapping[str, Array | Sequence[Array]],
) -> None:
    """Write a folder, all of it or nothing, in place of an earlier save if there is one.

    Args:
        folder: where to; missing parents are created.
        kind: what is saved, such as `diachronic`; loading asks for the same word.
        version: version of this kind's items and arrays.
        header: facts about the whole, JSON values. `embedder_id` and `width` are compared when the folder is loaded.
        items: records of JSON values, written one a line as they come.
        arrays: by name (letters, digits, `_`, `-`). A sequence is written as one array, part after part, without joining the
            parts in memory.

    Raises:
        StoreError: the folder exists and is no chronotope save.
        TypeError, ValueError: a value that JSON cannot hold, an array of objects, or a name that is no file name. The earlier
            save is still there then.
    """
    target = Path(folder).absolute()
    _refuse_foreign(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = _sibling(target, f"saving-{uuid4().hex}")
    fresh.mkdir()
    try:
        files = {_ITEMS: _write(fresh / _ITEMS, _lines(items))}
        for name, array in arrays.items():
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} cannot name an array: letters, digits, _ and - only")
            files[f"{name}.npy"] = _write(fresh / f"{name}.npy", _npy(array))
        manifest = {"format": "chronotope", "format_version": FORMAT, "kind": kind, "version": version, "save": uuid4().hex}
        _write(fresh / _MANIFEST, [_encode({**manifest, "header": dict(header), "files": files}, indent=2)])
        _flush(fresh)
        _put_in_place(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        for leftover in target.parent.glob(f".{_escaped(target.name)}.saving-*"):  # of saves that were killed
            shutil.rmtree(leftover, ignore_errors=True)


def load_folder(
    folder: str | os.PathLike[str],
    *,
    kind: str,
    version: int | None = None,
    embedder_id: str | None = None,
    width: int | None = None,
    mmap: bool = False,
) -> Saved:
    """Read a folder that `save_folder` wrote.

    Args:
        folder: where from.
        kind: what it must hold.
        version: newest version of the kind that the caller understands; None takes any.
        embedder_id: model that the vectors must come from; None takes any.
        width: number of components the vectors must have; None takes any.
        mmap: map arrays from their files, read-only, instead of reading them. Their sizes are checked then, not their digests.

    Raises:
        StoreError: the folder or one of its files is missing, cut off or damaged; the message names it and the way out.
        StoreVersionError: a newer layout, or a newer version of the kind.
        StoreMismatchError: another kind, embedder or width.
    """
    target = Path(folder).absolute()
    for _ in range(9):  # another process may put a new save in place between two of our reads
        seen = _look(target)
        try:
            manifest = _manifest(seen[0], target)
            _check_kind(manifest, target, kind, version)
            _check_vectors(manifest["header"], target, embedder_id, width)
            saved = _read(seen[0], manifest, mmap=mmap)
        except StoreError:
            if _look(target) == seen:
                raise
        else:
            if not mmap or _look(target) == seen:  # what is only mapped has no digest to prove that it belongs together
                return saved
    raise StoreError(f"{target} is being replaced again and again; load it when the saving process has finished")


def _look(target: Path) -> tuple[Path, str | None]:
    """Where the folder is at this moment, and which save lies there."""
    place = target if target.exists() else _sibling(target, "previous")
    try:
        manifest = json.loads((place / _MANIFEST).read_bytes().decode("utf-8", "surrogatepass"))
    except (OSError, ValueError):
        return place, None
    return place, str(manifest["save"]) if _is_ours(manifest) and "save" in manifest else None


def _is_ours(manifest: object) -> bool:
    return isinstance(manifest, dict) and manifest.get("format") == "chronotope"


def _read(place: Path, manifest: Mapping[str, Any], *, mmap: bool) -> Saved:
    files = manifest["files"]
    with _opened(place / _ITEMS, files[_ITEMS], check=True) as lines:
        # lines of a binary file end at line feeds only: texts may hold other characters that end a line
        items = [json.loads(line.decode("utf-8", "surrogatepass")) for line in lines]
    arrays = {name.removesuffix(".npy"): _array(place / name, facts, mmap=mmap) for name, facts in files.items() if name != _ITEMS}
    return Saved(manifest["header"], items, arrays, manifest["version"])


def _array(path: Path, facts: Mapping[str, Any], *, mmap: bool) -> Array:
    try:
        with _opened(path, facts, check=not mmap) as file:
            return np.asarray(np.load(path, mmap_mode="r") if mmap else np.load(file, allow_pickle=False))
    except (ValueError, EOFError, OSError) as error:
        raise StoreError(f"{path} is damaged ({error}); {_WAY_OUT}") from error


@contextmanager
def _opened(path: Path, facts: Mapping[str, Any], *, check: bool) -> Iterator[BinaryIO]:
    """A file of a save if it is the one that was saved; opened once, so that what is read is what was checked."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise StoreError(f"{path} is missing ({error.strerror}); {_WAY_OUT}") from error
    with file:
        size = os.fstat(file.fileno()).st_size
        if size != facts["bytes"]:
            raise StoreError(f"{path} is damaged ({size} bytes instead of {facts['bytes']}); {_WAY_OUT}")
        if check and file_digest(file, "sha256").hexdigest() != facts["sha256"]:
            raise StoreError(f"{path} is damaged (its digest differs from the manifest's); {_WAY_OUT}")
        file.seek(0)
        yield file


def _manifest(place: Path, target: Path) -> dict[str, Any]:
    path = place / _MANIFEST
    if place.is_file():
        raise StoreError(f"{target} is a file, not a folder; check the path")
    try:
        manifest: dict[str, Any] = json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
    except FileNotFoundError as error:
        found = "has no manifest.json, so it is no chronotope save" if target.exists() else "does not exist"
        raise StoreError(f"{target} {found}; check the path, or build the index and save it there") from error
    except (ValueError, OSError) as error:
        raise StoreError(f"{path} is damaged ({error}); {_WAY_OUT}") from error
    if not _is_ours(manifest):
        raise StoreError(f"{path} was not written by chronotope; check the path")
    if manifest.get("format_version", 0) > FORMAT:
        newer = manifest["format_version"]
        raise StoreVersionError(f"{target} has format {newer}, this chronotope reads up to {FORMAT}; upgrade chronotope")
    files = manifest.get("files")
    listed = isinstance(files, dict) and _ITEMS in files and all(_is_file(name, facts) for name, facts in files.items())
    if not listed or not {"header", "kind", "version"} <= manifest.keys():
        raise StoreError(f"{path} is damaged (an entry is missing or no file name); {_WAY_OUT}")
    return manifest


def _is_file(name: str, facts: object) -> bool:
    named = name == _ITEMS or bool(_NAME.fullmatch(name.removesuffix(".npy")) and name.endswith(".npy"))
    return named and isinstance(facts, dict) and {"bytes", "sha256"} <= facts.keys()


def _check_kind(manifest: Mapping[str, Any], target: Path, kind: str, version: int | None) -> None:
    if manifest["kind"] != kind:
        raise StoreMismatchError(f"{target} holds an index of kind {manifest['kind']!r}, not {kind!r}; load it with its own class")
    if version is not None and manifest["version"] > version:
        found = f"{kind} version {manifest['version']}"
        raise StoreVersionError(f"{target} holds {found}, this chronotope reads up to {version}; upgrade chronotope")


def _check_vectors(header: Mapping[str, Any], target: Path, embedder_id: str | None, width: int | None) -> None:
    saved_id, saved_width = header.get("embedder_id"), header.get("width")
    if (embedder_id is None or embedder_id == saved_id) and (width is None or width == saved_width):
        return
    saved = _vectors(saved_id, saved_width)
    asked = _vectors(saved_id if embedder_id is None else embedder_id, width)
    raise StoreMismatchError(
        f"{target} holds vectors of {saved}; asked for {asked}. Load it with that embedder, or build the index again"
    )


def _vectors(embedder_id: object, width: int | None) -> str:
    return f"embedder {embedder_id!r}" + ("" if width is None else f", width {width}")


def _refuse_foreign(target: Path) -> None:
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if _look(target)[1] is None:
        raise StoreError(f"{target} exists and is no chronotope save, so it is not overwritten; choose another folder or empty it")


def _put_in_place(fresh: Path, target: Path) -> None:
    previous = _sibling(target, "previous")
    if target.exists():
        shutil.rmtree(previous, ignore_errors=True)
        target.rename(previous)
    fresh.rename(target)
    _flush(target.parent)
    (previous / _MANIFEST).unlink(missing_ok=True)  # first, so that half a folder is never taken for a save
    shutil.rmtree(previous, ignore_errors=True)


def _sibling(target: Path, role: str) -> Path:
    return target.parent / f".{target.name}.{role}"


def _escaped(name: str) -> str:
    return re.sub(r"([\[*?])", r"[\1]", name)


def _encode(value: Mapping[str, Any], indent: int | None = None) -> bytes:
    # surrogatepass and not \u escapes: reading would join two escaped halves of a character that were apart
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent).encode("utf-8", "surrogatepass")


def _lines(items: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    for item in items:
        yield _encode(item) + b"\n"


def _npy(array: Array | Sequence[Array]) -> Iterator[bytes | memoryview]:
    """The bytes of a .npy file, piece by piece."""
    parts = [array] if isinstance(array, np.ndarray) else list(array)
    first = parts[0] if parts else np.empty(0, np.float32)
    if first.dtype.hasobject or any(part.dtype != first.dtype or part.shape[1:] != first.shape[1:] for part in parts):
        raise ValueError("an array of objects, or of parts that differ in dtype or width, cannot be saved")
    shape = (sum(len(part) for part in parts), *first.shape[1:]) if first.ndim else ()
    header: dict[str, Any] = {"descr": np.lib.format.dtype_to_descr(first.dtype), "fortran_order": False, "shape": shape}
    yield _npy_header(header)
    for part in parts:
        flat = np.ascontiguousarray(part).reshape(-1)
        rows = max(1, _CHUNK // max(1, flat.itemsize))
        yield from (flat[start : start + rows].view(np.uint8).data for start in range(0, flat.size, rows))


def _npy_header(header: dict[str, Any]) -> bytes:
    from io import BytesIO

    buffer = BytesIO()
    np.lib.format.write_array_header_1_0(buffer, header)
    return buffer.getvalue()


def _write(path: Path, pieces: Iterable[bytes | memoryview]) -> dict[str, Any]:
    """Write a file through to the disk.

    Returns:
        Its size and digest, for the manifest.
    """
    digest, size = sha256(), 0
    with path.open("xb") as file:
        for piece in pieces:
            digest.update(piece)
            size += file.write(piece)
        _sync(file)
    return {"bytes": size, "sha256": digest.hexdigest()}


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _flush(folder: Path) -> None:
    """Make the names in a folder durable, where the system allows folders to be opened."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
