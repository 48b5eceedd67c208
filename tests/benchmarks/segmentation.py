"""Which way of cutting a novel lets a retriever find the evidence with the least reading.

    python tests/benchmarks/segmentation.py --data ../shared/data/gutenqa_emma [--json PATH] [--quick]
    python tests/benchmarks/segmentation.py --base-url http://localhost:8000/v1 --model NAME     adds `full` and `lite`

Our mode `rules` against the chunk lists of the peers, on questions whose evidence is known to the character:

- `mrr`, `hit5`: by rank; a hit is a chunk that holds the whole evidence.
- `within`: at equal reading, the mean share of questions whose evidence lies in the first 5,000, 10,000 and 20,000 characters of
  the ranking. A chunk counts whole: one that does not fit any more is not read.

Retrievers: `bm25` (lower-case words, no stemming, k1 = 1.2, as in the data's own figures), `stemmed` (our LexicalIndex), `dense`
(the embedded embedder; vectors are kept in a file, the first run takes many minutes). `rules_children` finds a segment through
its paragraphs. Differences come with the 90 % interval of resampled questions, since thirty questions are few.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import _report
import numpy as np
from bm25s import BM25

from chronotope.lexical import LexicalIndex
from chronotope.litseg import RuleSettings, SegmentMode, SegmentSettings, segment
from chronotope.records import Document
from chronotope.steps import Runner, embed
from chronotope.text import paragraph_spans, trimmed

Span = tuple[int, int]
Scorer = Callable[[str], np.ndarray]  # one score a text
Retriever = Callable[[Sequence[str]], Scorer]

READING = (5_000, 10_000, 20_000)  # characters
PEERS = {
    "recursive": "langchain_recursive",
    "fixed": "fixed_450",
    "paragraph": "paragraph",
    "semantic": "semantic",
    "lumberchunker": "lumberchunker_gemini",
}
LENGTHS = (1_500, 1_650, 1_800, 1_950, 2_100)
CHINESE_LENGTHS = (1_500, 1_800, 2_100)
DENSE = 3  # characters of English that one of Chinese stands for


@dataclass(frozen=True)
class Question:
    text: str
    evidence: tuple[Span, ...]


@dataclass(frozen=True)
class Chunks:
    """Spans that are read, and the spans that are searched, each with the number of the span it stands for."""

    spans: list[Span]
    searched: list[Span]
    parents: list[int]

    @classmethod
    def whole(cls, spans: Sequence[Span]) -> Chunks:
        return cls(list(spans), list(spans), list(range(len(spans))))

    @classmethod
    def through_paragraphs(cls, spans: Sequence[Span], text: str) -> Chunks:
        pieces = [
            ((start + a, start + b), number)
            for number, (start, end) in enumerate(spans)
            for span in paragraph_spans(text[start:end])
            for a, b in [trimmed(text[start:end], span) or (0, 0)]
            if a < b
        ]
        return cls(list(spans), [span for span, _ in pieces], [number for _, number in pieces])


@dataclass(frozen=True)
class Marks:
    """One number a question."""

    mrr: np.ndarray
    hit5: np.ndarray
    within: np.ndarray


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def marked(chunks: Chunks, scorer: Scorer, questions: Sequence[Question], reading: Sequence[float] = READING) -> Marks:
    """Rank the chunks for each question by their best searched piece; evidence in several parts is found with its last part."""
    sizes = np.array([end - start for start, end in chunks.spans])
    parents = np.array(chunks.parents)
    rows = []
    for question in questions:
        best = np.full(len(chunks.spans), -np.inf)
        np.maximum.at(best, parents, scorer(question.text))
        order = np.argsort(-best, kind="stable")
        rank = np.empty(len(order), dtype=int)
        rank[order] = np.arange(len(order))
        holders = [[rank[i] for i, (a, z) in enumerate(chunks.spans) if a <= x and y <= z] for x, y in question.evidence]
        if not all(holders):
            rows.append((0.0, 0.0, 0.0))  # a border cuts the evidence
            continue
        last = max(min(ranks) for ranks in holders)
        read = sizes[order[: last + 1]].sum()
        rows.append((1 / (1 + last), float(last < 5), float(np.mean([read <= most for most in reading]))))
    return Marks(*np.array(rows).T)


def plain_bm25(texts: Sequence[str]) -> Scorer:
    split = lambda text: re.findall(r"\w+", text.lower())
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(word, len(numbers)) for word in split(text)] for text in texts]
    engine = BM25(method="lucene", k1=1.2, b=0.75, backend="numpy")
    engine.index((rows, numbers), create_empty_token=False, show_progress=False)
    return lambda question: engine.get_scores_from_ids([numbers[word] for word in split(question) if word in numbers])


def stemmed_bm25(texts: Sequence[str]) -> Scorer:
    return LexicalIndex(texts).scores


def dense(texts: Sequence[str], runner: Runner) -> Scorer:
    table = runner.run(embed(texts))
    return lambda question: table @ runner.run(embed([question], kind="query"))[0]


def segmented(text: str, settings: SegmentSettings, runner: Runner) -> list[Span]:
    found = runner.run(segment(Document(text, id="book"), settings=settings))
    for issue in found.issues:
        print(f"  {issue}")
    return [(part.char_start, part.char_start + len(part.text.rstrip())) for part in found.items]


def interval(ours: np.ndarray, theirs: np.ndarray, draws: int = 10_000) -> tuple[float, float]:
    """The 90 % interval of the mean difference when the questions are drawn again."""
    difference = ours - theirs
    rows = np.random.default_rng(7).integers(0, len(difference), (draws, len(difference)))
    low, high = np.quantile(difference[rows].mean(axis=1), (0.05, 0.95))
    return float(low), float(high)


def compare(
    text: str,
    questions: Sequence[Question],
    lists: Mapping[str, Chunks],
    retrievers: Mapping[str, Callable[[Sequence[str]], Scorer]],
) -> dict[str, object]:
    figures: dict[str, dict[str, dict[str, float]]] = {"within": {}, "mrr": {}, "hit5": {}}
    gaps: dict[str, dict[str, dict[str, float]]] = {}
    for retriever, build in retrievers.items():
        print(f"\n{retriever:26} {'chunks':>7} {'mean':>6} {'MRR':>6} {'Hit@5':>6} {'within':>7}   rules - it, 90 % of resamples")
        found = {name: marked(chunks, build([text[a:b] for a, b in chunks.searched]), questions) for name, chunks in lists.items()}
        for name, marks in found.items():
            for key in figures:
                figures[key].setdefault(retriever, {})[name] = float(getattr(marks, key).mean())
            low, high = interval(found["rules"].within, marks.within)
            gaps.setdefault(retriever, {})[name] = {"low": low, "high": high}
            spans = lists[name].spans
            mean = sum(b - a for a, b in spans) / len(spans)
            shown = " ".join(f"{figures[key][retriever][name]:6.3f}" for key in ("mrr", "hit5", "within"))
            told = "" if name == "rules" else f"{(found['rules'].within - marks.within).mean():+.3f} [{low:+.3f}, {high:+.3f}]"
            print(f"  {name:24} {len(spans):7} {mean:6.0f} {shown}    {told}")
    return {**figures, "gap": gaps}


def over_lengths(text: str, questions: Sequence[Question]) -> dict[str, float]:
    """Whether the figure hangs on the reference length: `within` of BM25 over a range of it."""
    found = {}
    for length in LENGTHS:
        spans = segmented(text, SegmentSettings(rules=RuleSettings(length=length)), Runner())
        texts = [text[a:b] for a, b in spans]
        plain, stemmed = (
            marked(Chunks.whole(spans), build(texts), questions).within.mean() for build in (plain_bm25, stemmed_bm25)
        )
        found[str(length)] = float(plain)
        print(f"  length {length}: {len(spans)} segments, within {plain:.3f} bm25, {stemmed:.3f} stemmed")
    return found


def chinese(folder: Path) -> dict[str, float]:
    """A second set: questions on a Chinese novel, against paragraphs and pieces of equal length."""
    starts, text = {}, ""
    for row in lines(folder / "paragraphs_zh.jsonl"):
        starts[row["id"]] = (len(text), len(text) + len(row["text"]))
        text += row["text"] + "\n\n"
    questions = [
        Question(
            row["question_zh"],
            tuple((starts[e["paragraph"]][0] + e["start"], starts[e["paragraph"]][0] + e["end"]) for e in row["evidence_zh"]),
        )
        for row in lines(folder / "questions_own.jsonl")
    ]
    reading = [most / DENSE for most in READING]
    score = lambda spans: marked(Chunks.whole(spans), stemmed_bm25([text[a:b] for a, b in spans]), questions, reading).within.mean()
    figures = {"paragraph": float(score(list(starts.values())))}
    for length in CHINESE_LENGTHS:
        rules = segmented(text, SegmentSettings(rules=RuleSettings(length=length)), Runner())
        mean = len(text) // len(rules)
        fixed = list(pairwise([*range(0, len(text), mean), len(text)]))
        figures |= {f"rules_{length}": float(score(rules)), f"fixed_{length}": float(score(fixed))}
    for name, value in figures.items():
        print(f"  {name:14} within {value:.3f}")
    return figures


def rows_of(options: argparse.Namespace, text: str, peers: Mapping[str, Chunks], runner: Runner) -> dict[str, Chunks]:
    rules = segmented(text, SegmentSettings(mode="rules"), Runner())
    found = {"rules": Chunks.whole(rules), **peers, "rules_children": Chunks.through_paragraphs(rules, text)}
    modes: tuple[SegmentMode, ...] = ("full", "lite") if options.base_url else ()
    for mode in modes:
        found[mode] = Chunks.whole(segmented(text, SegmentSettings(mode=mode), runner))
        print(f"{mode}: {runner.spent}")
        runner.reset()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/gutenqa_emma"))
    parser.add_argument("--second", type=Path, default=Path("../shared/data/red_chamber"))
    parser.add_argument(
        "--vectors", type=Path, default=Path(".chronotope/vectors.sqlite"), help="where vectors and replies are kept"
    )
    parser.add_argument("--base-url", help="address of an OpenAI-compatible endpoint")
    parser.add_argument("--model", default="default")
    parser.add_argument("--api-key", default="none")
    parser.add_argument("--json", type=Path, help="write the figures here as one flat object")
    parser.add_argument("--quick", action="store_true", help="BM25 alone, one reference length")
    options = parser.parse_args()
    if not options.data.exists():
        print(f"skipped: {options.data} is absent")
        return
    text = "\n\n".join(row["text"] for row in lines(options.data / "paragraphs.jsonl"))
    questions = [
        Question(row["question"], ((row["evidence"]["start"], row["evidence"]["end"]),))
        for row in lines(options.data / "questions.jsonl")
    ]
    spans: dict[str, list[Span]] = {}
    for row in lines(options.data / "chunks.jsonl"):
        spans.setdefault(row["method"], []).append((row["start"], row["end"]))
    runner = make_runner(options)
    lists = rows_of(options, text, {name: Chunks.whole(spans[own]) for name, own in PEERS.items()}, runner)
    retrievers: dict[str, Retriever] = {"bm25": plain_bm25, "stemmed": stemmed_bm25}
    if not options.quick:
        retrievers["dense"] = lambda texts: dense(texts, runner)
    figures = compare(text, questions, lists, retrievers)
    if not options.quick:
        print("\nrules over a range of reference lengths")
        figures["over_lengths"] = over_lengths(text, questions)
        if options.second.exists():
            print("\nDream of the Red Chamber, in Chinese, stemmed BM25")
            figures["chinese"] = chinese(options.second)
    _report.write(options.json, figures)


def make_runner(options: argparse.Namespace) -> Runner:
    """Models only where they are asked for, with everything kept in one file."""
    from chronotope.cache import ReplyCache

    embedder, chat = None, None
    if not options.quick:
        from chronotope.defaults import LocalEmbedder

        embedder = LocalEmbedder()
    if options.base_url:
        from chronotope.endpoint import ChatEndpoint

        chat = ChatEndpoint(options.base_url, options.model, api_key=options.api_key)
    cache = ReplyCache(options.vectors) if embedder or chat else None
    return Runner(chat, embedder, cache=cache, progress=bool(chat))


if __name__ == "__main__":
    main()
