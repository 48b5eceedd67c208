"""Retrieval under a time limit, on dated speeches: what each part of the method adds.

    python tests/benchmarks/diachronic.py --data ../shared/data/dated_speeches

Scoped questions: Hit@5 and MRR (of the first 20). Diachronic questions: coverage, the share of the gold years (at most 20) from
which a gold passage is among 20. The interval comes from our own parse of the question; all systems share one embedder. Vectors
are kept in `.chronotope/`, since embedding 6,642 paragraphs takes about a quarter of an hour on one core.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path

import _report

from chronotope.cache import ReplyCache
from chronotope.defaults import default_embedder
from chronotope.diachronic import PRESETS, DiachronicIndex, Retrieval, RetrievalSettings, retrieve, retrieve_scoped
from chronotope.errors import StoreError
from chronotope.metadata import read_date
from chronotope.records import Hit, Passage
from chronotope.steps import Runner
from chronotope.temporal import QueryScope

PLAIN = RetrievalSettings(time_filter="off", lexical=0.0, subject_words=False, coverage=False)
SYSTEMS = {
    "dense": PLAIN,
    "bm25": replace(PLAIN, lexical=1.0),
    "ta_rag": PRESETS["ta_rag"],
    "default": PRESETS["default"],
}
CUT = replace(PLAIN, time_filter="cut")
PARTS = {
    "core query + filter, dense": CUT,
    "  with anchors (TA-RAG)": replace(CUT, anchors=12),
    "core query + filter, BM25": replace(CUT, lexical=1.0),
    "  BM25, with subject words": replace(CUT, lexical=1.0, subject_words=True),
    "core query + filter, both": replace(CUT, lexical=0.5),
    "  both, with subject words": replace(CUT, lexical=0.5, subject_words=True),
    "  and with quotas (default)": PRESETS["default"],
    "default without filter": replace(PRESETS["default"], time_filter="off"),
    "default, boost instead of cut": replace(PRESETS["default"], time_filter="boost"),
    "default with anchors": replace(PRESETS["default"], anchors=12),
}


@dataclass(frozen=True)
class Score:
    """Means over questions."""

    hit5: float
    mrr: float
    coverage: float


def passages(folder: Path, *, limit: int | None) -> list[Passage]:
    documents = [json.loads(line) for line in (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()][:limit]
    return [
        Passage(text, id=f"{d['doc_id']}/{number}", source_id=d["doc_id"], published=read_date(d["date"]))
        for d in documents
        for number, text in enumerate(d["paragraphs"])
    ]


def gold(question: dict) -> set[str]:
    return {f"{g['doc_id']}/{g['paragraph']}" for g in question["gold"]}


def year(hit: Hit) -> str:
    return str(hit.passage.published)[:4]


def first_gold(hits: tuple[Hit, ...], right: set[str]) -> float:
    return next((1 / rank for rank, hit in enumerate(hits, 1) if hit.passage.id in right), 0.0)


def covered(hits: tuple[Hit, ...], question: dict) -> float:
    years = {int(year(hit)) for hit in hits if hit.passage.id in gold(question)}
    return len(years) / min(20, len(question["gold_years"]))


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def score(index: DiachronicIndex, questions: list[dict], settings: RetrievalSettings, runner: Runner) -> Score:
    def ask(question: dict, k: int) -> Retrieval:
        text = question["question"]
        if settings.time_filter == "off" and not settings.subject_words:  # a plain system searches with the question as it stands
            return runner.run(retrieve_scoped(index, QueryScope(text, text), settings=replace(settings, k=k)))
        return runner.run(retrieve(index, text, settings=replace(settings, k=k)))

    scoped = [q for q in questions if q["type"] == "scoped"]
    diachronic = [q for q in questions if q["type"] == "diachronic"]
    fives = [ask(q, 5).hits for q in scoped]
    twenties = [ask(q, 20).hits for q in scoped]
    coverages = [covered(ask(q, 20).hits, q) for q in diachronic]
    return Score(
        mean([float(first_gold(hits, gold(q)) > 0) for hits, q in zip(fives, scoped, strict=True)]),
        mean([first_gold(hits, gold(q)) for hits, q in zip(twenties, scoped, strict=True)]),
        mean(coverages),
    )


def built(rows: list[Passage], runner: Runner, folder: Path, embedder_id: str) -> DiachronicIndex:
    """An index saved by an earlier run, brought up to date."""
    try:
        index = DiachronicIndex.load(folder, embedder_id=embedder_id)
    except StoreError:
        index = DiachronicIndex(embedder_id)
    for start in range(0, len(rows), 256):  # in parts, so that an interrupted run keeps what it embedded
        runner.run(index.add(rows[start : start + 256]))
    wanted = {row.id for row in rows}
    index.remove([p.id for p in index.passages if p.id not in wanted])
    return index


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/dated_speeches"))
    parser.add_argument("--json", type=Path, help="write the figures here as one flat object")
    parser.add_argument("--quick", action="store_true", help="the first speech only")
    parser.add_argument("--cache", type=Path, default=Path(".chronotope"))
    options = parser.parse_args()
    if not options.data.exists():
        print(f"skipped: {options.data} is absent")
        return
    options.cache.mkdir(exist_ok=True)
    embedder = default_embedder()
    cache = ReplyCache(options.cache / "vectors.sqlite")
    runner = Runner(embedder=embedder, cache=cache, progress=not options.quick, batch_size=32)
    rows = passages(options.data, limit=1 if options.quick else None)
    index = built(rows, runner, options.cache / ("speeches-quick" if options.quick else "speeches"), embedder.model_id)
    known = set(map(year, (Hit(p, 0.0) for p in rows)))
    questions = [json.loads(line) for line in (options.data / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    if options.quick:
        ids = {p.id for p in rows}
        questions = [q for q in questions if gold(q) & ids]
    print(f"{len(rows)} paragraphs of {len(known)} years, {len(questions)} questions, embedder {embedder.model_id}\n")
    print(f"{'system':34} {'Hit@5':>6} {'MRR':>6} {'coverage@20':>12}")
    figures = {}
    for name, settings in (SYSTEMS | PARTS).items():
        result = score(index, questions, settings, replace(runner, progress=False))
        print(f"{name:34} {result.hit5:6.3f} {result.mrr:6.3f} {result.coverage:12.3f}")
        if name in SYSTEMS:
            figures |= {f"hit5.{name}": result.hit5, f"mrr.{name}": result.mrr, f"coverage.{name}": result.coverage}
    print(f"\nmodel work: {runner.spent}; no chat model was asked")
    _report.write(options.json, figures)


if __name__ == "__main__":
    main()
