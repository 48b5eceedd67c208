"""Whether the paragraphs that answer a question about a novel are among the first that retrieval gives.

    python tests/benchmarks/story_qa.py --data ../shared/data/red_chamber

Twenty chapters in Chinese and in English, thirty questions in both. `plain` ranks paragraphs by vectors and BM25, half and half.
`scoped` is `retrieve_slice`: the question is read by rules over the names of a graph that rules extract, with the titles of
chapters as landmarks; what it asks of chapter, time and place raises paragraphs, beside names, facts and the kind of answer.

Hit@k is the share of questions of which all parts of the evidence are among the first k paragraphs. The evidence is marked in the
Chinese text: a part is found with its paragraph. The English text has no marks, so its paragraphs count by a rule that was fixed
before anything was measured: in the chapter of the Chinese evidence, those whose middle lies within 8 % of the chapter's length
of where the Chinese evidence lies and which hold at least half of the telling words of the English answer; where none does, those
within 2 %, or else the nearest. Where the two editions cut chapters at different places this is too strict; both systems are
measured alike. A second row asks the same questions with the chapters of their evidence in words ("In chapter 14, when did …").

With `--base-url` and `--model` facts are extracted by the model and answers are written; `answer` is the share of answers that hold
at least half of the telling words of the expected one.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import _report
import numpy as np

from chronotope.cache import ReplyCache
from chronotope.defaults import default_embedder
from chronotope.endpoint import ChatEndpoint
from chronotope.lexical import words
from chronotope.questions.subject import subject
from chronotope.records import Passage
from chronotope.shelves import stretched
from chronotope.slices.answer.answer import grounded_answer
from chronotope.slices.extract import FactSettings, extract_facts
from chronotope.slices.index.chapter_titles import title_facts
from chronotope.slices.index.index import StoryIndex, build_story_index
from chronotope.slices.retrieve.retrieval_settings import SliceSettings, SliceWeights
from chronotope.slices.retrieve.retrieve import retrieve_slice
from chronotope.steps import Runner, embed
from chronotope.testing import HashEmbedder

LANGUAGES = ("en", "zh")
CUTS = (1, 5, 10)
QUICK = 5  # chapters
GAP = "\n\n"
NEAR, NEAREST, SHARED = 0.08, 0.02, 0.5
Parts: TypeAlias = tuple[frozenset[str], ...]
System: TypeAlias = Callable[[str], list[str]]

DEFAULT = SliceSettings(passages=max(CUTS))


def without(**weights: float) -> SliceSettings:
    return replace(DEFAULT, weights=replace(DEFAULT.weights, **weights))


ABLATIONS: dict[str, SliceSettings] = {
    "default": DEFAULT,
    "no scope": replace(DEFAULT, scope="off"),
    "cut instead of boost": replace(DEFAULT, scope="cut"),
    "no kind of answer": without(kind=0),
    "no names": without(names=0),
    "no facts": without(facts=0),
    "no chapters": without(chapter=0),
    "no neighbours": without(near=0),
    "vectors and words alone": replace(
        DEFAULT,
        scope="off",
        weights=SliceWeights(**dict.fromkeys(("names", "relation", "facts", "near", "chapter", "kind", "inside"), 0.0)),
    ),
}


@dataclass(frozen=True)
class Question:
    """A question in one language, and the paragraphs of each part of its evidence."""

    id: str
    category: str
    text: str
    answer: str
    parts: Parts
    chapters: tuple[int, ...]


@dataclass(frozen=True)
class Book:
    """A novel in one language."""

    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def told(row: dict[str, Any], limit: int | None) -> bool:
    return bool(row["text"].strip()) and (limit is None or row["chapter"] <= limit)


def paragraphs(folder: Path, limit: int | None) -> dict[str, list[dict[str, Any]]]:
    return {lang: [row for row in lines(folder / f"paragraphs_{lang}.jsonl") if told(row, limit)] for lang in LANGUAGES}


def passages_of(rows: Sequence[dict[str, Any]], titles: dict[int, str]) -> tuple[Passage, ...]:
    """Paragraphs as passages of one document a chapter."""
    found, starts = [], defaultdict(int)
    for row in rows:
        chapter, text = row["chapter"], row["text"]
        start = starts[chapter]
        starts[chapter] += len(text) + len(GAP)
        about = {"chapter": chapter, "chapter_title": titles[chapter]}
        source = f"{row['lang']}-{chapter:03}"
        found.append(Passage(text, id=row["id"], source_id=source, char_start=start, char_end=start + len(text), metadata=about))
    return tuple(found)


class Places:
    """Where each paragraph lies in its chapter, as a share of the chapter's characters."""

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        self.rows = {row["id"]: row for row in rows}
        self._starts: dict[str, int] = {}
        self._sizes: dict[int, int] = defaultdict(int)
        for row in rows:
            self._starts[row["id"]] = self._sizes[row["chapter"]]
            self._sizes[row["chapter"]] += len(row["text"])

    def at(self, name: str, character: float) -> float:
        return (self._starts[name] + character) / self._sizes[self.rows[name]["chapter"]]

    def middles(self, chapter: int) -> dict[str, float]:
        own = [row for row in self.rows.values() if row["chapter"] == chapter]
        return {row["id"]: self.at(row["id"], len(row["text"]) / 2) for row in own}


def telling(text: str) -> set[str]:
    return {*words(subject(text))} - {"the", "a"}


def aligned(evidence: dict[str, Any], answer: str, chinese: Places, english: Places) -> frozenset[str]:
    """The English paragraphs that count as a part of the evidence; the rule stands at the top."""
    wanted = telling(answer)
    place = chinese.at(evidence["paragraph"], (evidence["start"] + evidence["end"]) / 2)
    away = {name: abs(middle - place) for name, middle in english.middles(chinese.rows[evidence["paragraph"]]["chapter"]).items()}
    holding = [
        name
        for name, distance in away.items()
        if distance <= NEAR and len(wanted & {*words(english.rows[name]["text"])}) >= SHARED * len(wanted)
    ]
    return frozenset(
        holding or [name for name, distance in away.items() if distance <= NEAREST] or [min(away, key=away.__getitem__)]
    )


def books(folder: Path, limit: int | None) -> dict[str, Book]:
    rows = paragraphs(folder, limit)
    titles: dict[str, dict[int, str]] = {lang: {} for lang in LANGUAGES}
    for row in lines(folder / "titles.jsonl"):
        titles[row["lang"]][row["chapter"]] = row["title"]
    chinese, english = Places(rows["zh"]), Places(rows["en"])
    asked: dict[str, list[Question]] = {lang: [] for lang in LANGUAGES}
    for row in lines(folder / "questions_own.jsonl"):
        if limit is not None and max(row["chapters"]) > limit:
            continue
        marked = tuple(frozenset({part["paragraph"]}) for part in row["evidence_zh"])
        found = tuple(aligned(part, row["answer_en"], chinese, english) for part in row["evidence_zh"])
        for lang, parts in (("zh", marked), ("en", found)):
            asked[lang].append(
                Question(row["qid"], row["category"], row[f"question_{lang}"], row[f"answer_{lang}"], parts, tuple(row["chapters"]))
            )
    return {lang: Book(passages_of(rows[lang], titles[lang]), tuple(asked[lang])) for lang in LANGUAGES}


def built(book: Book, runner: Runner, embedder_id: str, mode: str) -> StoryIndex:
    settings = FactSettings(mode="llm" if mode == "llm" else "rules", ontology="household")
    found = runner.run(extract_facts(book.passages, settings=settings))
    facts = (*found.items, *title_facts(book.passages))
    step = build_story_index(
        facts, book.passages, embedder_id=embedder_id, ontology="household", entities=found.entities, axis=found.axis
    )
    return runner.run(step)


def placed(question: Question) -> Question:
    """The question, with the chapters of its evidence said in words."""
    english = question.text.isascii() or question.text[0].isascii()
    if english:
        numbers = " and ".join(map(str, question.chapters))
        text = f"In chapter{'s' * (len(question.chapters) > 1)} {numbers}, {question.text[0].lower()}{question.text[1:]}"
    else:
        text = f"第{'、'.join(map(str, question.chapters))}回中，{question.text}"
    return replace(question, text=text)


def plain(index: StoryIndex, runner: Runner) -> System:
    shelf = index.passage_shelf

    def system(question: str) -> list[str]:
        (vector,) = runner.run(embed([question], kind="query"))
        scores = 0.5 * stretched(shelf.similarities(vector)) + 0.5 * stretched(shelf.word_scores(question))
        return [shelf.item(row).id for row in np.argsort(-scores, kind="stable")[: max(CUTS)].tolist()]

    return system


def scoped(index: StoryIndex, runner: Runner, settings: SliceSettings) -> System:
    def system(question: str) -> list[str]:
        return [hit.passage.id for hit in runner.run(retrieve_slice(index, question, settings=settings)).passages]

    return system


def hits(system: System, questions: Sequence[Question]) -> dict[str, list[bool]]:
    """For each k, which questions have all parts of their evidence among the first k."""
    found = [(question, system(question.text)) for question in questions]
    return {f"hit{k}": [all(part & {*ids[:k]} for part in question.parts) for question, ids in found] for k in CUTS}


def row(name: str, measured: dict[str, list[bool]]) -> str:
    return f"{name:40}" + " ".join(f"{np.mean(values):6.2f}" for values in measured.values())


def by_category(questions: Sequence[Question], measured: dict[str, list[bool]]) -> str:
    shares = []
    for category in dict.fromkeys(question.category for question in questions):
        own = [hit for question, hit in zip(questions, measured["hit5"], strict=True) if question.category == category]
        shares.append(f"{category} {np.mean(own):.2f} of {len(own)}")
    return f"{'':40}hit@5: " + ", ".join(shares)


def answered(index: StoryIndex, questions: Sequence[Question], runner: Runner) -> float:
    def right(question: Question) -> bool:
        retrieval = runner.run(retrieve_slice(index, question.text, settings=DEFAULT, ask=True))
        answer = runner.run(grounded_answer(question.text, retrieval))
        wanted = telling(question.answer)
        return len(wanted & {*words(answer.text)}) >= SHARED * len(wanted)

    return float(np.mean([right(question) for question in questions]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/red_chamber"))
    parser.add_argument("--json", type=Path, help="write the figures here as one flat object")
    parser.add_argument("--quick", action="store_true", help=f"the first {QUICK} chapters, vectors of hashed words")
    parser.add_argument("--no-ablations", action="store_true", help="the systems alone")
    parser.add_argument("--cache", type=Path, default=Path(".chronotope"))
    parser.add_argument("--base-url", help="an OpenAI-compatible endpoint, for the full pipeline")
    parser.add_argument("--model", default="")
    parser.add_argument("--api-key", default=None)
    options = parser.parse_args()
    if not options.data.exists():
        print(f"skipped: {options.data} is absent")
        return
    options.cache.mkdir(exist_ok=True)
    embedder = HashEmbedder(256) if options.quick else default_embedder()
    kept = None if options.quick else ReplyCache(options.cache / "vectors.sqlite")
    chat = ChatEndpoint(options.base_url, options.model, api_key=options.api_key) if options.base_url else None
    runner = Runner(chat=chat, embedder=embedder, cache=kept, batch_size=32)
    figures: dict[str, object] = {}
    for lang, book in books(options.data, QUICK if options.quick else None).items():
        index = built(book, runner, embedder.model_id, "llm" if chat else "rules")
        print(
            f"\n{lang}: {len(book.passages)} paragraphs, {len(index)} facts, {len(book.questions)} questions, {embedder.model_id}"
        )
        print(f"{'evidence among the first k':40}" + " ".join(f"{'@' + str(k):>6}" for k in CUTS))
        for name, system in (("plain", plain(index, runner)), ("scoped", scoped(index, runner, DEFAULT))):
            measured = hits(system, book.questions)
            print(row(name, measured) + "\n" + by_category(book.questions, measured), flush=True)
            figures |= {f"{key}.{name}.{lang}": float(np.mean(values)) for key, values in measured.items()}
            measured = hits(system, [placed(question) for question in book.questions])
            print(row(f"{name}, the question says its chapter", measured), flush=True)
            figures |= {f"{key}.{name}.{lang}.chapter": float(np.mean(values)) for key, values in measured.items()}
        if not options.no_ablations:
            for name, settings in ABLATIONS.items():
                print(row(f"  {name}", hits(scoped(index, runner, settings), book.questions)), flush=True)
        if chat is not None:
            figures[f"answer.{lang}"] = answered(index, book.questions, runner)
            print(f"answers that hold what is expected: {figures[f'answer.{lang}']:.2f}")
    print(f"\nmodel work: {runner.spent}")
    _report.write(options.json, figures)


if __name__ == "__main__":
    main()
