"""Search among the chunks of a time window, against filtering with a tree and reconstructing the candidates.

    PYTHONPATH=integrations python tests/benchmarks/interval_search.py [--quick] [--threads N] [--json PATH]

Two tables of random unit vectors, 78,000 × 768 (the size of the TA-RAG paper's corpus) and 1,000,000 × 384, with two intervals a
chunk and windows that 10 % of the chunks overlap, in random order. For each table:

- `speedup`: overlap filter plus exact top 20, against the plain way: NCLS tree, `reconstruct_batch` of the candidates from an
  `IndexFlatIP`, inner products, full sort. The ids must be the same (`same_ids`). `speedup_one_by_one`: against the same with
  `reconstruct` called for each candidate.
- `filter_speedup`: the overlap step alone, against `PyRanges.overlap` on a frame built beforehand, its rows read from the result.
- `memory_ratio`: peak growth of a process that builds and searches both indexes, divided by the bytes of the vectors.
- `bandwidth_ratio`: time of the whole query divided by that of one plain pass over as many bytes as the candidates have.

Every figure is a median over repeats that alternate with the baseline, each on another query and window; on a busy machine the
best runs (`speedup_of_best`) tell more. Each table runs in a
process of its own. `--threads N` gives BLAS, OpenMP and the table N threads each; without it every library keeps its default.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import _report
import numpy as np

SIZES = {"78k": (78_000, 768), "1m": (1_000_000, 384)}
QUICK = {"78k": (7_800, 768), "1m": (100_000, 384)}
SPAN, DAY, SHARE, TOP = 60 * 365 * 86_400, 86_400, 0.1, 20


def vectors(rows: int, width: int) -> Iterator[np.ndarray]:
    """Random unit vectors in batches of 1,000."""
    generator = np.random.default_rng(1)
    for start in range(0, rows, 1_000):
        batch = generator.standard_normal((min(1_000, rows - start), width), dtype=np.float32)
        batch /= np.linalg.norm(batch, axis=1, keepdims=True)
        yield batch


def intervals(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two intervals a chunk on sixty years around 1970: a day to a month, and a month to half a year within two years of it."""
    generator = np.random.default_rng(2)
    first = generator.integers(-SPAN // 2, SPAN // 2, rows)
    second = first + generator.integers(-730 * DAY, 730 * DAY, rows)
    lengths = generator.integers(DAY, 31 * DAY, rows), generator.integers(31 * DAY, 183 * DAY, rows)
    starts = np.stack([first, second], axis=1).reshape(-1)
    return np.repeat(np.arange(rows), 2), starts, starts + np.stack(lengths, axis=1).reshape(-1)


def window(index: Any, rows: int, start: int) -> Any:
    """A window from `start` that a tenth of the rows overlap."""
    from chronotope.temporal.interval import Interval

    low, high = 0, SPAN
    while high - low > DAY:
        middle = (low + high) // 2
        few = index.overlapping([Interval(start, start + middle)]).size < SHARE * rows
        low, high = (middle, high) if few else (low, middle)
    return Interval(start, start + high)


def build(rows: int, width: int) -> tuple[Any, Any]:
    from chronotope.temporal.index import IntervalIndex
    from chronotope.vectors import VectorTable

    index = IntervalIndex.from_arrays(*intervals(rows))
    table, done = VectorTable(width, "random", threads=int(os.environ.get("TABLE_THREADS", "0")) or None), 0
    for batch in vectors(rows, width):
        table.add([f"chunk-{done + i}" for i in range(len(batch))], batch)
        done += len(batch)
    return index, table


def search(index: Any, table: Any, query: np.ndarray, asked: Any) -> np.ndarray:
    return table.search(query, TOP, rows=index.mask([asked], table.size))[0]


def memory(rows: int, width: int) -> dict[str, float]:
    import faiss  # noqa: F401 - libraries are loaded before the first reading
    import ncls  # noqa: F401

    import chronotope.temporal.index
    import chronotope.vectors  # noqa: F401

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    index, table = build(rows, width)
    for query in next(vectors(5, width)):
        search(index, table, query, window(index, rows, 0))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"memory_ratio": (after - before) * 1024 / (rows * width * 4)}


class PlainWay:
    """What a straightforward program does with the same libraries."""

    def __init__(self, rows: int, width: int) -> None:
        import faiss
        import pandas as pd
        import pyranges
        from ncls import NCLS

        self.index = faiss.IndexFlatIP(width)
        for batch in vectors(rows, width):
            self.index.add(batch)
        self.rows, starts, ends = intervals(rows)
        self.shift = 10 * SPAN  # neither NCLS nor pyranges finds negative coordinates
        self.tree = NCLS(starts + self.shift, ends + self.shift, self.rows)
        frame = {"Chromosome": "axis", "Start": starts + self.shift, "End": ends + self.shift, "row": self.rows}
        self.ranges = pyranges.PyRanges(pd.DataFrame(frame))

    def search(self, query: np.ndarray, asked: Any) -> np.ndarray:
        candidates = self.candidates(asked)
        scores = self.index.reconstruct_batch(candidates) @ query
        return candidates[np.argsort(-scores, kind="stable")[:TOP]]

    def search_one_by_one(self, query: np.ndarray, asked: Any) -> np.ndarray:
        candidates = self.candidates(asked)
        scores = np.stack([self.index.reconstruct(row) for row in candidates.tolist()]) @ query
        return candidates[np.argsort(-scores, kind="stable")[:TOP]]

    def candidates(self, asked: Any) -> np.ndarray:
        start, end = np.array([asked.start + self.shift]), np.array([asked.end + self.shift])
        return np.unique(self.tree.all_overlaps_both(start, end, np.zeros(1, np.int64))[1])

    def question(self, asked: Any) -> Any:
        """The window as pyranges wants it, made before the clock starts."""
        import pandas as pd
        import pyranges

        frame = {"Chromosome": ["axis"], "Start": [asked.start + self.shift], "End": [asked.end + self.shift]}
        return pyranges.PyRanges(pd.DataFrame(frame))

    def overlap(self, question: Any) -> np.ndarray:
        return self.ranges.overlap(question).df["row"].to_numpy()


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def contest(index: Any, table: Any, plain: PlainWay, query: np.ndarray, asked: Any) -> dict[str, Callable[[], Any]]:
    """What is timed for one query, in the order in which it runs."""
    question, candidates = plain.question(asked), index.overlapping([asked])
    offset = (table.size - candidates.size) // 2
    run = np.arange(offset, offset + candidates.size)  # candidates as they lie in a corpus stored in the order of time
    block = plain.index.reconstruct_n(offset, candidates.size).view(np.uint64)
    return {
        "search": lambda: search(index, table, query, asked),
        "plain search": lambda: plain.search(query, asked),
        "filter": lambda: index.overlapping([asked]),
        "pyranges filter": lambda: plain.overlap(question),
        "one by one": lambda: plain.search_one_by_one(query, asked),
        "one pass": block.max,
        "top 20 alone": lambda: table.search(query, TOP, rows=candidates),
        "top 20 alone, contiguous": lambda: table.search(query, TOP, rows=run),
    }


def speed(rows: int, width: int, repeats: int) -> dict[str, Any]:
    (index, table), plain = build(rows, width), PlainWay(rows, width)
    generator, same = np.random.default_rng(3), True
    seconds: dict[str, list[float]] = {}
    for start in generator.integers(-SPAN // 2, SPAN // 4, repeats):
        asked = window(index, rows, int(start))
        results = {}
        for name, function in contest(index, table, plain, generator.standard_normal(width, dtype=np.float32), asked).items():
            took, results[name] = timed(function)
            seconds.setdefault(name, []).append(took)
        same &= np.array_equal(results["search"], results["plain search"])
        same &= np.array_equal(results["filter"], np.unique(results["pyranges filter"]))
    median = {name: float(np.median(values)) for name, values in seconds.items()}
    return {
        "speedup": median["plain search"] / median["search"],
        "speedup_one_by_one": median["one by one"] / median["search"],
        "filter_speedup": median["pyranges filter"] / median["filter"],
        "bandwidth_ratio": median["search"] / median["one pass"],
        "contiguous_bandwidth_ratio": median["top 20 alone, contiguous"] / median["one pass"],
        "speedup_of_best": min(seconds["plain search"]) / min(seconds["search"]),
        "filter_speedup_of_best": min(seconds["pyranges filter"]) / min(seconds["filter"]),
        "same_ids": bool(same),
        "best_ms": {name: min(values) * 1e3 for name, values in seconds.items()},
        "ms": {name: value * 1e3 for name, value in median.items()},
    }


def child(what: str, size: tuple[int, int], threads: int, repeats: int) -> dict[str, Any]:
    """Run one measurement in a fresh process."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TABLE_THREADS")
    counts = {name: str(threads) for name in names if threads}
    command = [sys.executable, __file__, "--child", what, *map(str, size), str(repeats)]
    done = subprocess.run(command, env={**os.environ, **counts}, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="tenth of the rows")
    parser.add_argument("--threads", type=int, default=0, help="0: as the libraries choose")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    report: dict[str, Any] = {"quick": given.quick, "threads": given.threads, "load_before": os.getloadavg()[0]}
    for name, size in (QUICK if given.quick else SIZES).items():
        found = child("memory", size, given.threads, given.repeats) | child("speed", size, given.threads, given.repeats)
        report |= {f"{name}.{key}": value for key, value in found.items()}
        times = ", ".join(f"{what} {value:.2f}" for what, value in found["ms"].items())
        print(f"{name} ({size[0]:,} x {size[1]}), medians in ms: {times}")
        print(f"  best run of each: {', '.join(f'{what} {value:.2f}' for what, value in found['best_ms'].items())}")
        print(
            f"  speedup {found['speedup']:.1f} (one by one {found['speedup_one_by_one']:.1f}), "
            f"filter speedup {found['filter_speedup']:.1f}, memory {found['memory_ratio']:.2f}, "
            f"one pass x {found['bandwidth_ratio']:.2f} (contiguous x {found['contiguous_bandwidth_ratio']:.2f}), "
            f"same ids: {found['same_ids']}"
        )
    report["load_after"] = os.getloadavg()[0]
    print(f"load {report['load_before']:.1f} before, {report['load_after']:.1f} after, on {os.cpu_count()} CPUs")
    _report.write(given.json, report)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        what, rows, width, repeats = sys.argv[2], *map(int, sys.argv[3:6])
        print(json.dumps(memory(rows, width) if what == "memory" else speed(rows, width, repeats)))
    else:
        main()
