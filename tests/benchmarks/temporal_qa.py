"""Which share of questions about time has its evidence in the context that retrieval gives, when tokens are scarce.

    python tests/benchmarks/temporal_qa.py --data ../shared/data/timeqa --also ../shared/data/temprageval

TimeQA: an answerable question counts within B tokens when one of its gold spans stands, by source offsets, in what was retrieved
and the rendered context has at most B tokens. Plain systems render the text of passages alone, `diachronic` numbers and dates them,
`events` renders a timeline and passages. All embed and match `title. text` and share one embedder. Vectors are kept in
`.chronotope/`: embedding about 20,000 texts takes three quarters of an hour on one core.

TempRAGEval: the gold sentences of all groups are pooled, with the TimeQA events as distractors. Hit@k is the share of questions
with a gold sentence among the first k; robust@k the share of groups in which one gold sentence is found under every perturbation.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypeAlias

import _report
import numpy as np

from chronotope.cache import ReplyCache
from chronotope.defaults import default_embedder
from chronotope.diachronic import AnnotateSettings, DiachronicIndex, annotate, retrieve
from chronotope.diachronic import RetrievalSettings as DiachronicSettings
from chronotope.events import (
    PRESETS,
    ContextSettings,
    EventIndex,
    EventRetrievalSettings,
    EventUnit,
    build_event_index,
    retrieve_events,
)
from chronotope.events.extract.extract import extract_events
from chronotope.evidence import render_context, select_evidence
from chronotope.records import Document, Passage
from chronotope.shelves import stretched
from chronotope.steps import Runner, embed
from chronotope.testing import HashEmbedder
from chronotope.tokens import count_tokens

BUDGETS = {"250": 250, "500": 500, "1k": 1_000, "2k": 2_000}
KINDS = ("easy", "hard")
SHORTEST = 40  # characters of a paragraph that is a passage
QUICK = 8  # documents
GAP = "\n\n"
Span: TypeAlias = tuple[str, int, int]
counted = cache(count_tokens)

DEFAULT = PRESETS["default"]
ABLATIONS: dict[str, tuple[EventRetrievalSettings, ContextSettings]] = {
    "default": (DEFAULT, ContextSettings()),
    "no vectors": (replace(DEFAULT, weights=replace(DEFAULT.weights, vectors=0, passage_vectors=0)), ContextSettings()),
    "no words": (replace(DEFAULT, weights=replace(DEFAULT.weights, words=0, passage_words=0)), ContextSettings()),
    "no passages in the score": (
        replace(DEFAULT, weights=replace(DEFAULT.weights, passage_vectors=0, passage_words=0, source=0)),
        ContextSettings(),
    ),
    "no time code": (replace(DEFAULT, weights=replace(DEFAULT.weights, time=0)), ContextSettings()),
    "no filter": (replace(DEFAULT, time_filter="off"), ContextSettings()),
    "no filter, no time code": (replace(DEFAULT, time_filter="off", weights=replace(DEFAULT.weights, time=0)), ContextSettings()),
    "cut instead of boost": (replace(DEFAULT, time_filter="cut"), ContextSettings()),
    "no walks": (replace(DEFAULT, seeds=0), ContextSettings()),
    "walks at weight 0.2": (replace(DEFAULT, weights=replace(DEFAULT.weights, visits=0.2)), ContextSettings()),
    "walks at weight 0.5": (replace(DEFAULT, weights=replace(DEFAULT.weights, visits=0.5)), ContextSettings()),
    "events alone": (DEFAULT, ContextSettings(passages=0)),
    "passages alone": (DEFAULT, ContextSettings(passages=1)),
    "dyg_rag (the paper)": (PRESETS["dyg_rag"], ContextSettings(passages=0)),
}


@dataclass(frozen=True)
class Corpus:
    """Documents and what was cut from them; offsets count the characters of the paragraphs joined by blank lines."""

    documents: tuple[Document, ...]
    passages: tuple[Passage, ...]
    starts: dict[str, list[int]]


@dataclass(frozen=True)
class Question:
    """A question in its two forms, and where its evidence stands."""

    texts: dict[str, str]
    gold: tuple[Span, ...]
    doc_id: str


@dataclass(frozen=True)
class Context:
    """What a system shows: the rendered text, and the stretches of sources in it."""

    text: str
    spans: tuple[Span, ...]


System: TypeAlias = Callable[[str, int], Context]


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def corpus(folder: Path, limit: int | None) -> Corpus:
    documents, passages, starts = [], [], {}
    for row in lines(folder / "documents.jsonl")[:limit]:
        places = np.cumsum([0, *(len(p) + len(GAP) for p in row["paragraphs"])]).tolist()
        about = {"title": row["title"]}
        documents.append(Document(GAP.join(row["paragraphs"]), id=row["doc_id"], metadata=about))
        passages += [
            Passage(text, source_id=row["doc_id"], char_start=start, char_end=start + len(text), metadata=about)
            for text, start in zip(row["paragraphs"], places, strict=False)
            if len(text) >= SHORTEST
        ]
        starts[row["doc_id"]] = places
    return Corpus(tuple(documents), tuple(passages), starts)


def questions(folder: Path, told: Corpus) -> list[Question]:
    def span(doc: str, gold: dict) -> Span:
        start = told.starts[doc][gold["para"]]
        return doc, start + gold["start"], start + gold["end"]

    rows = [row for row in lines(folder / "questions.jsonl") if row["answerable"] and row["doc_id"] in told.starts]
    return [
        Question(
            {kind: row[f"question_{kind}"] for kind in KINDS},
            tuple(span(row["doc_id"], gold) for gold in row["evidence"]),
            row["doc_id"],
        )
        for row in rows
    ]


def holds(context: Context, gold: Iterable[Span]) -> bool:
    return any(doc == told and start <= a and b <= end for doc, a, b in gold for told, start, end in context.spans)


def titled(passage: Passage) -> str:
    return f"{passage.metadata['title']}. {' '.join(passage.text.split())}"


def place(item: Passage | EventUnit) -> Span:
    return item.source_id, item.char_start or 0, item.char_end or 0


def plain(rows: Sequence[Passage], order: Iterable[int], budget: int) -> Context:
    """Whole passages in the order of their ranks; one that does not fit is passed over."""
    kept, left = [], budget
    for row in order:
        cost = counted(rows[row].text + GAP)
        if cost <= left:
            kept.append(rows[row])
            left -= cost
        if left < SHORTEST // 4:
            break
    return Context(GAP.join(p.text for p in kept), tuple(map(place, kept)))


def plain_systems(index: EventIndex, runner: Runner) -> dict[str, System]:
    rows, shelf = index.passages, index.passage_shelf

    @cache
    def legs(question: str) -> tuple[np.ndarray, np.ndarray]:
        vector = runner.run(embed([question], kind="query"))[0]
        return stretched(shelf.word_scores(question)), stretched(shelf.similarities(vector))

    def system(words: float) -> System:
        @cache
        def order(question: str) -> list[int]:
            bm25, dense = legs(question)
            return np.argsort(-(words * bm25 + (1 - words) * dense), kind="stable")[:300].tolist()

        return lambda question, budget: plain(rows, order(question), budget)

    return {"bm25": system(1.0), "dense": system(0.0), "fused": system(0.5)}


def diachronic_system(told: Corpus, runner: Runner, embedder_id: str) -> System:
    dated = runner.run(annotate(told.passages, settings=AnnotateSettings(mode="rules"))).items
    plain_text = {p.id: p.text for p in dated}
    index = DiachronicIndex(embedder_id)
    runner.run(index.add(replace(p, text=titled(p)) for p in dated))

    @cache
    def found(question: str):
        hits = runner.run(retrieve(index, question, settings=DiachronicSettings(k=80, undated="backfill"))).hits
        return [replace(hit, passage=replace(hit.passage, text=plain_text[hit.passage.id])) for hit in hits]

    def system(question: str, budget: int) -> Context:
        evidence = select_evidence(found(question), budget_tokens=budget, count=counted)
        return Context(render_context(evidence), tuple(place(item.passage) for item in evidence))

    return system


def event_system(index: EventIndex, runner: Runner, settings: EventRetrievalSettings, shown: ContextSettings) -> System:
    @cache
    def found(question: str):
        return runner.run(retrieve_events(index, question, settings=settings))

    def system(question: str, budget: int) -> Context:
        context = found(question).context(budget, settings=shown, count=counted)
        events = [place(entry.event) for entry in context.timeline.entries]
        return Context(context.render(), (*events, *map(place, context.passages)))

    return system


def shares(system: System, asked: Sequence[Question], kind: str) -> dict[str, float]:
    """Share of questions with evidence within each budget."""

    def within(question: Question, budget: int) -> bool:
        context = system(question.texts[kind], budget)
        return holds(context, question.gold) and count_tokens(context.text) <= budget

    return {name: float(np.mean([within(question, budget) for question in asked])) for name, budget in BUDGETS.items()}


def row(name: str, *parts: dict[str, float]) -> str:
    return f"{name:28} " + "   ".join(" ".join(f"{value:5.2f}" for value in part.values()) for part in parts)


def built(told: Corpus, runner: Runner, embedder_id: str) -> EventIndex:
    events = runner.run(extract_events(told.documents)).items
    return runner.run(build_event_index(events, told.passages, embedder_id=embedder_id))


def pooled(rows: Sequence[dict]) -> list[EventUnit]:
    """Every gold sentence once, read as a text of its own; its id is the sentence."""
    texts = dict.fromkeys(" ".join(gold.split()) for row in rows for gold in row["gold_evidence"])
    events: list[EventUnit] = []
    for text in texts:
        found = Runner().run(extract_events([Document(text, id=text)])).items
        times = tuple(dict.fromkeys(time for event in found for time in event.times))
        names = tuple({name for event in found for name in event.entities})
        events.append(EventUnit(text=text, id=text, source_id=text, times=times, entities=names))
    return events


def temprageval(folder: Path, index: EventIndex, runner: Runner) -> dict[str, float]:
    rows = lines(folder / "questions.jsonl")
    distractors = [replace(event, metadata={k: v for k, v in event.metadata.items() if k != "title"}) for event in index.events]
    vectors = np.concatenate([index.event_shelf.vectors([event.id for event in index.events])])
    pool = EventIndex(index.embedder_id)
    pool.insert(distractors, vectors, [], np.empty((0, 0), np.float32))
    runner.run(pool.add(pooled(rows)))
    figures: dict[str, float] = {}
    off = replace(DEFAULT.weights, time=0, passage_vectors=0, passage_words=0, source=0)
    systems = {
        "bm25": replace(DEFAULT, time_filter="off", clauses=False, weights=replace(off, vectors=0)),
        "dense": replace(DEFAULT, time_filter="off", clauses=False, weights=replace(off, words=0)),
        "events": DEFAULT,
    }
    print(f"\nTempRAGEval: {len(rows)} questions, {len(pool)} sentences\n{'system':12} Hit@1 Hit@5 Hit@10 robust@5 robust@10")
    for name, settings in systems.items():
        found = [
            [one.event.id for one in runner.run(retrieve_events(pool, row["question"], settings=settings)).trace] for row in rows
        ]
        gold = [{" ".join(text.split()) for text in row["gold_evidence"]} for row in rows]
        hit = {k: float(np.mean([bool(right & {*ids[:k]}) for ids, right in zip(found, gold, strict=True)])) for k in (1, 5, 10)}
        robust = {k: robustness(rows, found, gold, k) for k in (5, 10)}
        print(f"{name:12} {hit[1]:5.2f} {hit[5]:5.2f} {hit[10]:6.2f} {robust[5]:8.2f} {robust[10]:9.2f}")
        figures |= {f"temprageval.hit{k}.{name}": value for k, value in hit.items()}
        figures |= {f"temprageval.robust{k}.{name}": value for k, value in robust.items()}
    return figures


def robustness(rows: Sequence[dict], found: Sequence[list[str]], gold: Sequence[set[str]], k: int) -> float:
    """Share of groups in which one sentence that is gold for every perturbation is found under each of them."""
    groups: dict[str, list[set[str]]] = {}
    for row, ids, right in zip(rows, found, gold, strict=True):
        groups.setdefault(row["group"], []).append(right & {*ids[:k]})
    return float(np.mean([bool(set.intersection(*hits)) for hits in groups.values()]))


def halves(asked: Sequence[Question]) -> list[list[Question]]:
    """The questions of every other document, and the others."""
    order = {doc: number for number, doc in enumerate(dict.fromkeys(question.doc_id for question in asked))}
    return [[question for question in asked if order[question.doc_id] % 2 == part] for part in (0, 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/timeqa"))
    parser.add_argument("--also", type=Path, default=Path("../shared/data/temprageval"))
    parser.add_argument("--json", type=Path, help="write the figures here as one flat object")
    parser.add_argument("--quick", action="store_true", help=f"the first {QUICK} documents, vectors of hashed words")
    parser.add_argument("--no-ablations", action="store_true", help="the systems alone")
    parser.add_argument("--cache", type=Path, default=Path(".chronotope"))
    options = parser.parse_args()
    if not options.data.exists():
        print(f"skipped: {options.data} is absent")
        return
    options.cache.mkdir(exist_ok=True)
    embedder = HashEmbedder(256) if options.quick else default_embedder()
    kept = None if options.quick else ReplyCache(options.cache / "vectors.sqlite")
    runner = Runner(embedder=embedder, cache=kept, batch_size=32)
    told = corpus(options.data, QUICK if options.quick else None)
    asked = questions(options.data, told)
    index = built(told, runner, embedder.model_id)
    print(f"{len(told.passages)} passages, {len(index)} events, {len(asked)} answerable questions, embedder {embedder.model_id}\n")
    systems = plain_systems(index, runner) | {
        "diachronic": diachronic_system(told, runner, embedder.model_id),
        "events": event_system(index, runner, *ABLATIONS["default"]),
    }
    heads = "   ".join(" ".join(f"{budget:>5}" for budget in BUDGETS) for _ in KINDS)
    print(f"{'evidence within B tokens':28} {'easy':^23}   {'hard':^23}\n{'':28} {heads}")
    figures: dict[str, float] = {}
    for name, system in systems.items():
        parts = {kind: shares(system, asked, kind) for kind in KINDS}
        print(row(name, *parts.values()), flush=True)
        figures |= {f"evidence.{name}.{b}.{kind}": value for kind, part in parts.items() for b, value in part.items()}
    for number, half in enumerate(halves(asked), 1):
        print(row(f"events, half {number} of the pages", *(shares(systems["events"], half, kind) for kind in KINDS)))
    if not options.no_ablations:
        print("\nwhat each part adds")
        for name, (settings, shown) in ABLATIONS.items():
            system = event_system(index, runner, settings, shown)
            print(row(name, *(shares(system, asked, kind) for kind in KINDS)), flush=True)
    if options.also.exists():
        figures |= temprageval(options.also, index, runner)
    print(f"\nmodel work: {runner.spent}; no chat model was asked")
    _report.write(options.json, figures)


if __name__ == "__main__":
    main()
