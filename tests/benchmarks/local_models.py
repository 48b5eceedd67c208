"""Which embedded default to take: BM25, MiniLM int8 and e5-small 4-bit, with and without MaxSim reranking, on real questions.

    PYTHONPATH=integrations python tests/benchmarks/local_models.py [--data ../shared/data] [--questions 100] [--json PATH]

A hit is a paragraph that holds the gold evidence. Figures of such small samples move by a few hundredths with the sample.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import _report
import numpy as np

from chronotope.defaults import LocalEmbedder, LocalReranker
from chronotope.defaults.minilm import MiniLM
from chronotope.lexical import LexicalIndex

Task = tuple[list[str], list[tuple[str, set[int]]]]  # passages; questions with the rows that answer them


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def timeqa(folder: Path, wanted: int, most_passages: int) -> Task:
    """Questions in their easy form over the paragraphs (of 12 words or more) of their own documents, all in one pool."""
    documents = {document["doc_id"]: document for document in lines(folder / "documents.jsonl")}
    by_document: dict[str, list[dict]] = {}
    for question in lines(folder / "questions.jsonl"):
        if question["answerable"] and question["evidence"]:
            by_document.setdefault(question["doc_id"], []).append(question)
    names = sorted(by_document)
    random.Random(7).shuffle(names)
    passages: list[str] = []
    questions: list[tuple[str, set[int]]] = []
    for name in names:
        rows: dict[int, int] = {}
        for number, text in enumerate(documents[name]["paragraphs"]):
            if len(text.split()) >= 12:
                rows[number] = len(passages)
                passages.append(text)
        for question in by_document[name]:
            gold = {rows[span["para"]] for span in question["evidence"] if span["para"] in rows}
            if gold:
                questions.append((question["question_easy"], gold))
        if len(questions) >= wanted or len(passages) >= most_passages:
            break
    return passages, questions[:wanted]


def emma(folder: Path) -> Task:
    """Questions over the paragraphs of the novel, runs of short paragraphs joined up to 100 words."""
    paragraphs, joined = lines(folder / "paragraphs.jsonl"), []
    for paragraph in paragraphs:
        if joined and len(joined[-1]["text"].split()) + len(paragraph["text"].split()) <= 100:
            joined[-1] = {
                "start": joined[-1]["start"],
                "end": paragraph["end"],
                "text": joined[-1]["text"] + "\n\n" + paragraph["text"],
            }
        else:
            joined.append(dict(paragraph))
    questions = []
    for question in lines(folder / "questions.jsonl"):
        span = question["evidence"]
        gold = {row for row, own in enumerate(joined) if own["start"] < span["end"] and span["start"] < own["end"]}
        questions.append((question["question"], gold))
    return [own["text"] for own in joined], questions


def order(scores: np.ndarray) -> list[int]:
    return np.argsort(-scores, kind="stable").tolist()


def fused(*rankings: list[int]) -> list[int]:
    """Reciprocal rank fusion with equal weights."""
    scores = np.zeros(len(rankings[0]))
    for ranking in rankings:
        scores[ranking] += 1 / (60 + np.arange(len(ranking)))
    return order(scores)


def marks(rankings: list[list[int]], questions: list[tuple[str, set[int]]]) -> dict[str, float]:
    ranks = [
        next((i for i, row in enumerate(ranking[:10]) if row in gold), None)
        for ranking, (_, gold) in zip(rankings, questions, strict=True)
    ]
    share = lambda k: sum(rank is not None and rank < k for rank in ranks) / len(ranks)
    return {"hit@1": share(1), "hit@5": share(5), "mrr@10": sum(1 / (1 + rank) for rank in ranks if rank is not None) / len(ranks)}


def mean_states(model: MiniLM, text: str) -> np.ndarray:
    vector = model.states(text).mean(axis=0)
    return vector / np.linalg.norm(vector)


def measure(task: Task) -> dict[str, dict[str, float]]:
    passages, questions = task
    asked = [question for question, _ in questions]
    results: dict[str, dict[str, float]] = {}
    rankings: dict[str, list[list[int]]] = {}

    start = time.perf_counter()
    index = LexicalIndex(passages)
    rankings["BM25"] = [order(index.scores(question)) for question in asked]
    speed = {"BM25": len(passages) / (time.perf_counter() - start)}

    model, start = MiniLM(threads=1), time.perf_counter()
    table = np.stack([mean_states(model, text) for text in passages])
    speed["MiniLM int8"] = len(passages) / (time.perf_counter() - start)
    rankings["MiniLM int8"] = [order(table @ mean_states(model, question)) for question in asked]

    embedder, start = LocalEmbedder(threads=1), time.perf_counter()
    table = embedder.embed(passages)
    speed["e5-small 4-bit"] = len(passages) / (time.perf_counter() - start)
    rankings["e5-small 4-bit"] = [order(table @ vector) for vector in embedder.embed(asked, kind="query")]

    for dense in ("MiniLM int8", "e5-small 4-bit"):
        pairs = zip(rankings["BM25"], rankings[dense], strict=True)
        rankings[f"BM25 + {dense}, RRF"] = [fused(*pair) for pair in pairs]

    reranker = LocalReranker(threads=1, cache_bytes=2**30)
    for name, found in list(rankings.items()):
        results[name] = {**marks(found, questions), "passages_per_s": speed.get(name, float("nan"))}
        start, again = time.perf_counter(), []
        for question, ranking in zip(asked, found, strict=True):
            scores = np.array(reranker.rank(question, [passages[row] for row in ranking[:20]]))
            again.append([ranking[i] for i in order(scores)] + ranking[20:])
        seconds = (time.perf_counter() - start) / len(asked)
        results[f"{name}, then MaxSim"] = {**marks(again, questions), "s_per_query": seconds}
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[3] / "shared" / "data")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--passages", type=int, default=1_500)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true", help="four questions of one set")
    given = parser.parse_args()
    if not given.data.exists():
        print(f"skipped: {given.data} is absent")
        return
    if given.quick:
        given.questions, given.passages = 4, 40
    report = {}
    tasks = {"timeqa": timeqa(given.data / "timeqa", given.questions, given.passages)}
    if not given.quick:
        tasks["emma"] = emma(given.data / "gutenqa_emma")
    for name, task in tasks.items():
        report[name] = measure(task)
        print(f"\n{name}: {len(task[1])} questions over {len(task[0])} passages")
        print(f"{'system':42} {'Hit@1':>6} {'Hit@5':>6} {'MRR@10':>7} {'passages/s':>11} {'s/query':>8}")
        for system, row in report[name].items():
            speeds = f"{row.get('passages_per_s', float('nan')):11.1f} {row.get('s_per_query', float('nan')):8.2f}"
            print(f"{system:42} {row['hit@1']:6.2f} {row['hit@5']:6.2f} {row['mrr@10']:7.3f} {speeds}".replace("nan", "  -"))
    if given.json:
        _report.write(given.json, report)


if __name__ == "__main__":
    main()
