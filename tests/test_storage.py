"""Saving and loading a folder: identity, refusals, and what a killed process leaves behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import chronotope
from chronotope import storage
from chronotope.errors import StoreError, StoreMismatchError, StoreVersionError
from chronotope.storage import Saved, load_folder, save_folder

anything = st.text(st.characters(categories=None)) | st.sampled_from(["\ud83d\ude00", "\udc97", "\x00\x0c", "a\u2028b\r\nc\x85d"])
values = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | anything
records = st.dictionaries(anything, values | st.lists(values, max_size=3), max_size=4)
dtypes = st.sampled_from([np.float32, np.int64, np.bool_, np.float16, np.uint8])
arrays = dtypes.flatmap(lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=5)))


def save(folder: Path, *, name: str = "one", kind: str = "toy", version: int = 1, items=None, **header) -> None:
    save_folder(
        folder,
        kind=kind,
        version=version,
        header={"name": name, "embedder_id": "e5", "width": 3, **header},
        items=[{"text": name}] * 3 if items is None else items,
        arrays={"vectors": np.full((3, 3), len(name), np.float32)},
    )


@settings(max_examples=60, deadline=None)
@given(records, st.lists(records, max_size=4), st.dictionaries(st.sampled_from(["vectors", "a-b", "X_1"]), arrays), st.booleans())
def test_what_is_loaded_is_what_was_saved(header, items, arrays, mmap):
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "index"
        save_folder(folder, kind="toy", version=7, header=header, items=items, arrays=arrays)
        saved = load_folder(folder, kind="toy", mmap=mmap)
        assert (saved.header, saved.items, saved.version) == (header, items, 7)
        assert saved.arrays.keys() == arrays.keys()
        for name, array in arrays.items():
            assert saved.arrays[name].dtype == array.dtype
            np.testing.assert_array_equal(saved.arrays[name], array)
        assert sorted(os.listdir(parent)) == ["index"]
        del saved


def test_lone_surrogates_split_emoji_and_nul_survive(tmp_path):
    texts = ["a\udc97b", "\ud83d\ude00", "😀", "\x00", "form\x0cfeed", "line\u2028separator\nand feed"]
    save(tmp_path / "s", items=[{"text": text} for text in texts], title="\udc97")
    saved = load_folder(tmp_path / "s", kind="toy")
    assert [item["text"] for item in saved.items] == texts
    assert saved.header["title"] == "\udc97"


def test_parts_are_written_as_one_array(tmp_path):
    parts = [np.arange(6, dtype=np.float32).reshape(2, 3), np.empty((0, 3), np.float32), np.ones((1, 3), np.float32)]
    save_folder(tmp_path / "s", kind="toy", version=1, header={}, items=[], arrays={"v": parts, "none": []})
    loaded = load_folder(tmp_path / "s", kind="toy").arrays
    np.testing.assert_array_equal(loaded["v"], np.concatenate(parts))
    assert loaded["none"].shape == (0,)
    with pytest.raises(ValueError, match="differ in dtype or width"):
        save_folder(
            tmp_path / "t", kind="toy", version=1, header={}, items=[], arrays={"v": [parts[0], np.ones((1, 4), np.float32)]}
        )


def test_the_folder_holds_plain_files_only(tmp_path):
    save(tmp_path / "s")
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == ["items.jsonl", "manifest.json", "vectors.npy"]
    manifest = json.loads((tmp_path / "s" / "manifest.json").read_text())
    assert (manifest["format"], manifest["format_version"], manifest["kind"]) == ("chronotope", 1, "toy")
    assert manifest["header"] == {"name": "one", "embedder_id": "e5", "width": 3}
    assert np.load(tmp_path / "s" / "vectors.npy").shape == (3, 3)


def test_objects_are_neither_pickled_nor_unpickled(tmp_path):
    with pytest.raises(ValueError, match="objects"):
        save_folder(tmp_path / "s", kind="toy", version=1, header={}, items=[], arrays={"v": np.array([{}])})
    assert not (tmp_path / "s").exists()
    save(tmp_path / "s")
    np.save(tmp_path / "evil.npy", np.array([{}]), allow_pickle=True)
    swap(tmp_path / "s" / "vectors.npy", (tmp_path / "evil.npy").read_bytes())
    with pytest.raises(StoreError, match=r"vectors\.npy is damaged"):
        load_folder(tmp_path / "s", kind="toy")


def swap(path: Path, data: bytes) -> None:
    """Put other bytes into a file of a save, and make the manifest agree with them."""
    from hashlib import sha256

    manifest_path = path.parent / "manifest.json"
    manifest = json.loads(manifest_path.read_text())
    manifest["files"][path.name] = {"bytes": len(data), "sha256": sha256(data).hexdigest()}
    manifest_path.write_text(json.dumps(manifest))
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["manifest.json", "items.jsonl", "vectors.npy"])
@pytest.mark.parametrize("harm", ["missing", "empty", "cut off", "one byte changed"])
def test_a_harmed_file_is_refused_by_name_and_with_a_way_out(tmp_path, name, harm):
    save(tmp_path / "s")
    path = tmp_path / "s" / name
    data = path.read_bytes()
    if harm == "missing":
        path.unlink()
    else:
        path.write_bytes({"empty": b"", "cut off": data[:-7], "one byte changed": b"\xff" + data[1:]}[harm])
    with pytest.raises(StoreError, match=name) as caught:
        load_folder(tmp_path / "s", kind="toy")
    assert "build the index" in str(caught.value)


def test_a_mapped_array_that_was_cut_off_is_refused_too(tmp_path):
    save(tmp_path / "s")
    path = tmp_path / "s" / "vectors.npy"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(StoreError, match="bytes instead of"):
        load_folder(tmp_path / "s", kind="toy", mmap=True)


def test_a_manifest_cannot_name_a_file_outside_the_folder(tmp_path):
    save(tmp_path / "s")
    path = tmp_path / "s" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["files"]["../../secret.npy"] = manifest["files"]["vectors.npy"]
    path.write_text(json.dumps(manifest))
    with pytest.raises(StoreError, match="no file name"):
        load_folder(tmp_path / "s", kind="toy")
    with pytest.raises(ValueError, match="cannot name an array"):
        save_folder(tmp_path / "s", kind="toy", version=1, header={}, items=[], arrays={"../x": np.zeros(1)})


def test_a_missing_folder_and_a_foreign_one_are_told_apart(tmp_path):
    with pytest.raises(StoreError, match="nowhere does not exist"):
        load_folder(tmp_path / "nowhere", kind="toy")
    with pytest.raises(StoreError, match="is no chronotope save"):
        load_folder(tmp_path, kind="toy")


def test_a_newer_layout_or_kind_is_refused_with_the_advice_to_upgrade(tmp_path, monkeypatch):
    save(tmp_path / "s", version=3)
    assert load_folder(tmp_path / "s", kind="toy", version=3).version == 3
    with pytest.raises(StoreVersionError, match="toy version 3, this chronotope reads up to 2; upgrade"):
        load_folder(tmp_path / "s", kind="toy", version=2)
    monkeypatch.setattr(storage, "FORMAT", 2)
    save(tmp_path / "s")
    monkeypatch.undo()
    with pytest.raises(StoreVersionError, match="format 2, this chronotope reads up to 1; upgrade"):
        load_folder(tmp_path / "s", kind="toy")


def test_another_kind_embedder_or_width_is_refused_with_both_named(tmp_path):
    save(tmp_path / "s")
    assert isinstance(load_folder(tmp_path / "s", kind="toy", embedder_id="e5", width=3), Saved)
    with pytest.raises(StoreMismatchError, match="'toy', not 'events'"):
        load_folder(tmp_path / "s", kind="events")
    with pytest.raises(StoreMismatchError, match=r"'e5', width 3; asked for embedder 'bge'\."):
        load_folder(tmp_path / "s", kind="toy", embedder_id="bge")
    with pytest.raises(StoreMismatchError, match=r"width 3; asked for embedder .*e5.*, width 768"):
        load_folder(tmp_path / "s", kind="toy", width=768)


@pytest.mark.parametrize("content", ["a file", "someone's notes", "a foreign manifest", "a broken manifest"])
def test_what_is_no_chronotope_save_is_not_overwritten(tmp_path, content):
    folder = tmp_path / "s"
    if content == "a file":
        folder.write_text("mine")
    else:
        folder.mkdir()
        name = "notes.txt" if "notes" in content else "manifest.json"
        (folder / name).write_text('{"format": "web app"}' if "foreign" in content else "mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StoreError, match="not overwritten"):
        save(folder)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_folder_may_be_saved_to_and_parents_are_made(tmp_path):
    (tmp_path / "s").mkdir()
    save(tmp_path / "s")
    save(tmp_path / "a" / "b" / "s")
    assert load_folder(tmp_path / "s", kind="toy").items == load_folder(tmp_path / "a" / "b" / "s", kind="toy").items


def test_saving_twice_gives_the_second_state_and_leaves_nothing_of_the_first(tmp_path):
    save(tmp_path / "s", items=[{"text": "only in the first"}])
    save(tmp_path / "s", name="second")
    assert load_folder(tmp_path / "s", kind="toy").header["name"] == "second"
    assert [path.name for path in tmp_path.iterdir()] == ["s"]
    assert all(b"only in the first" not in path.read_bytes() for path in (tmp_path / "s").iterdir())


@pytest.mark.parametrize("bad", [float("nan"), object(), {1, 2}])
def test_a_save_that_fails_half_way_leaves_the_old_state_and_no_litter(tmp_path, bad):
    save(tmp_path / "s", name="old")
    with pytest.raises((TypeError, ValueError)):
        save(tmp_path / "s", items=[{"text": "new"}, {"text": bad}])
    assert load_folder(tmp_path / "s", kind="toy").header["name"] == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["s"]
    save(tmp_path / "s", name="retried")
    assert load_folder(tmp_path / "s", kind="toy").header["name"] == "retried"


CHILD = """
import sys
import numpy as np
from chronotope.storage import save_folder
number = 0
while True:
    number += 1
    items = [{"number": number, "text": "x" * 200}] * 400
    save_folder(sys.argv[1], kind="toy", version=1, header={"number": number}, items=items,
                arrays={"vectors": np.full((4000, 16), number, np.float32)})
    print(number, flush=True)
"""


def child(folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(chronotope.__file__).parents[1])}
    return subprocess.Popen([sys.executable, "-c", CHILD, str(folder)], stdout=subprocess.PIPE, text=True, env=environment)


def assert_one_state(saved: Saved, least: int) -> int:
    number = saved.header["number"]
    assert number >= least
    assert {item["number"] for item in saved.items} == {number}
    assert len(saved.items) == 400
    assert (saved.arrays["vectors"] == number).all()
    return number


def test_a_process_killed_while_saving_leaves_the_old_state_or_the_new_one(tmp_path):
    folder = tmp_path / "s"
    for wait in (0.0, 0.003, 0.007, 0.012, 0.019):
        process = child(folder)
        assert process.stdout is not None
        last = int(process.stdout.readline())
        time.sleep(wait)
        os.kill(process.pid, signal.SIGKILL)
        rest, _ = process.communicate()
        last = max([last, *map(int, rest.split())])
        assert assert_one_state(load_folder(folder, kind="toy"), last) <= last + 1
    save(folder, name="after the kills")
    assert load_folder(folder, kind="toy").header["name"] == "after the kills"
    assert [path.name for path in tmp_path.iterdir()] == ["s"], "the next save clears away what killed ones left"


@pytest.mark.parametrize("step", range(12))
def test_a_kill_at_every_single_rename_leaves_one_state(tmp_path, step):
    """The child kills itself before the step-th call that touches names, so that the shortest windows are hit for certain."""
    script = f"""
import os, pathlib, shutil, signal
from chronotope import storage
import numpy as np
def save(number):
    storage.save_folder({str(tmp_path / "s")!r}, kind="toy", version=1, header={{"number": number}},
                        items=[{{"number": number}}] * 400, arrays={{"vectors": np.full((40, 4), number, np.float32)}})
save(1)
left = [{step}]
def deadly(function):
    def wrapped(*args, **named):
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        return function(*args, **named)
    return wrapped
pathlib.Path.rename = deadly(pathlib.Path.rename)
pathlib.Path.unlink = deadly(pathlib.Path.unlink)
pathlib.Path.open = deadly(pathlib.Path.open)
pathlib.Path.mkdir = deadly(pathlib.Path.mkdir)
shutil.rmtree = deadly(shutil.rmtree)
storage._flush = deadly(storage._flush)
save(2)
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(chronotope.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", script], env=environment, check=False)
    number = assert_one_state(load_folder(tmp_path / "s", kind="toy"), 1)
    assert number in (1, 2)
    save(tmp_path / "s", name="next")
    assert load_folder(tmp_path / "s", kind="toy").header["name"] == "next"
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_readers_beside_a_saving_process_see_whole_states_in_order(tmp_path):
    folder = tmp_path / "s"
    process = child(folder)
    assert process.stdout is not None
    seen = int(process.stdout.readline())
    drain = threading.Thread(target=process.stdout.read)
    drain.start()
    try:
        for _ in range(25):
            seen = assert_one_state(load_folder(folder, kind="toy", mmap=bool(seen % 2)), seen)
    finally:
        process.kill()
        process.wait()
        drain.join()
        process.stdout.close()
    assert seen > 1


def test_a_deleted_folder_stays_deleted(tmp_path):
    save(tmp_path / "s")
    save(tmp_path / "s", name="two")
    shutil.rmtree(tmp_path / "s")
    with pytest.raises(StoreError, match="does not exist"):
        load_folder(tmp_path / "s", kind="toy")


def test_saving_the_same_content_again_gives_the_same_files(tmp_path):
    save(tmp_path / "a")
    save(tmp_path / "b")
    for name in ("items.jsonl", "vectors.npy"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "notes").write_text("x")
    with pytest.raises(StoreError, match="notes is a file, not a folder"):
        load_folder(tmp_path / "notes", kind="toy")
