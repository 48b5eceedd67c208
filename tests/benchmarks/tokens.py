"""What time annotation, question parsing and segmentation cost in model calls and tokens.

    python tests/benchmarks/tokens.py --data ../shared/data/dated_speeches --questions ../shared/data/timeqa \\
        --narrative ../shared/data/narrative --story ../shared/data/red_chamber

A scripted model answers at once with an empty reply, so every prompt that a real run sends is built, sent and counted, and none
is asked twice. Passages have up to 2,048 tokens. `llm` reads all of every passage, `auto` only sentences in which time is told
but not placed. The reply's schema travels beside the prompt (JSON-schema level); its size is told apart.

Segmentation reads the first 4,000 tokens of every chapter that has as many, with a scripted model whose replies have realistic
length. `full_cached` counts what an endpoint with prefix caching computes: of each prompt, the tokens behind the longest beginning
that it shares with an earlier call of the same chapter. `full_naive` is the same with task and results before the chapter.

Story facts are read in windows of 1,200 tokens, each behind the whole ontology, which an endpoint with prefix caching computes
once.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import _report

from chronotope.diachronic import AnnotateSettings, annotate
from chronotope.diachronic.extract import PASSAGE_TIMES
from chronotope.events.extract.extract import ExtractSettings, extract_events
from chronotope.litseg import SegmentSettings, segment
from chronotope.metadata import read_date
from chronotope.models import Message
from chronotope.questions import scope
from chronotope.records import Document, Passage
from chronotope.slices import FactSettings, extract_facts
from chronotope.steps import Runner, gather
from chronotope.testing import ScriptedChat
from chronotope.text import split_passages
from chronotope.tokens import count_tokens

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support_litseg import computed_tokens, long_chapters, narrator

PASSAGE_TOKENS = 2_048


def silent(messages: Sequence[Message]) -> dict:
    """The shortest acceptable reply to each of the prompts."""
    system = messages[0].content
    if '"facts"' in system:
        return {"facts": []}
    if '"quote"' in system and '"entities"' in system:
        return {"events": []}
    if "abstract" in system:
        return {"published": None, "abstract": "A speech of the president to Congress on the state of the nation."}
    return {"core": "?", "intervals": []} if '"core"' in system else {"events": []}


def speeches(folder: Path, *, dated: bool, limit: int | None) -> list[Passage]:
    rows = [json.loads(line) for line in (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()][:limit]
    documents = (
        Document("\n\n".join(row["paragraphs"]), id=row["doc_id"], published=read_date(row["date"]) if dated else None)
        for row in rows
    )
    return [passage for document in documents for passage in split_passages(document, max_tokens=PASSAGE_TOKENS)]


def annotation(passages: list[Passage], mode: str) -> tuple[float, Runner]:
    """Prompt tokens for each token of text."""
    runner = Runner(ScriptedChat(silent))
    runner.run(annotate(passages, settings=AnnotateSettings(mode=mode)))
    return runner.spent.prompt_tokens / sum(count_tokens(p.text) for p in passages), runner


def parsing(folder: Path, limit: int | None) -> tuple[float, int, Runner]:
    """Calls for each question, the easy and the hard form of every one."""
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()][:limit]
    questions = [row[form] for row in rows for form in ("question_easy", "question_hard")]
    runner = Runner(ScriptedChat(silent))
    runner.run(gather([scope(question, mode="auto") for question in questions]))
    return runner.spent.calls / len(questions), len(questions), runner


def task_first(user: str) -> str:
    """The prompt in the order in which it is usually written: what to do, what was found, then the text."""
    chapter, end, rest = user.partition("\n</chapter>\n")
    return f"{rest}\n{chapter}{end}"


def segmentation(documents: Sequence[Document], mode: str, order: Callable[[str], str]) -> tuple[float, float]:
    """Prompt tokens that are computed for each token of text: in all, and in the worst chapter."""
    shares, sizes = [], []
    for document in documents:
        chat = ScriptedChat(narrator)
        Runner(chat).run(segment(document, settings=SegmentSettings(mode=mode, headings=[0])))
        prompts = [f"{call.messages[0].content}\n{order(call.messages[1].content)}" for call in chat.calls]
        sizes.append(count_tokens(document.text))
        shares.append(computed_tokens(prompts) / sizes[-1])
    return sum(share * size for share, size in zip(shares, sizes, strict=True)) / sum(sizes), max(shares)


def estimated(documents: Sequence[Document], mode: str) -> tuple[float, float]:
    """Tokens estimated before for each token used after: in all, and the largest error of a chapter."""
    before, after = [], []
    for document in documents:
        runner = Runner(ScriptedChat(narrator))
        step, again = (segment(document, settings=SegmentSettings(mode=mode, headings=[0])) for _ in range(2))
        before.append(runner.estimate(step).prompt_tokens)
        runner.run(again)
        after.append(runner.spent.prompt_tokens)
    return sum(before) / sum(after), max(abs(a / b - 1) for a, b in zip(before, after, strict=True))


def narrative(folder: Path, limit: int | None) -> dict[str, float]:
    """The figures of segmentation."""
    documents = list(long_chapters(folder, limit))
    figures: dict[str, float] = {}
    for name, mode, order in (("full_cached", "full", str), ("full_naive", "full", task_first), ("lite", "lite", str)):
        share, worst = segmentation(documents, mode, order)
        print(f"{'litseg.' + name:24} {share:6.3f} prompt tokens a token of text; worst of {len(documents)} chapters {worst:.3f}")
        figures |= {f"litseg.{name}": share, f"litseg.{name}_worst": worst}
    for mode in ("full", "lite"):
        ratio, error = estimated(documents, mode)
        print(f"{'litseg estimate, ' + mode:24} {ratio:6.3f} of the tokens used; largest error of a chapter {error:.1%}")
        figures["litseg.estimate_ratio" if mode == "full" else "litseg.estimate_ratio_lite"] = ratio
    return figures


def extraction(documents: Sequence[Document]) -> tuple[float, Runner]:
    """Prompt tokens of event extraction for each token of text."""
    runner = Runner(ScriptedChat(silent))
    runner.run(extract_events(documents, settings=ExtractSettings(mode="llm")))
    return runner.spent.prompt_tokens / sum(count_tokens(document.text) for document in documents), runner


def events(articles: Path, talks: Path, *, quick: bool) -> dict[str, float]:
    """The figures of event extraction: the largest share is `events.llm`."""
    figures: dict[str, float] = {}
    for folder, limit in ((articles, 40 if quick else None), (talks, 5 if quick else None)):
        if not folder.exists():
            print(f"skipped: {folder} is absent")
            continue
        rows = [json.loads(line) for line in (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()][:limit]
        texts = ["\n\n".join(row["paragraphs"]) for row in rows]
        one = [Document("\n\n".join(texts), id="all", metadata={"title": "A collection of documents"})]
        each = [
            Document(text, id=row["doc_id"], metadata={"title": row.get("title", "")})
            for text, row in zip(texts, rows, strict=True)
        ]
        for form, documents in (("joined", one), ("one by one", each)):
            share, runner = extraction(documents)
            print(f"{'events.llm':24} {share:6.3f} prompt tokens a token of text; {folder.name}, {form}, {runner.spent}")
            figures[f"events.llm.{folder.name}.{form.replace(' ', '_')}"] = share
    return figures | {"events.llm": max(figures.values())} if figures else {}


def stories(folder: Path, *, quick: bool) -> dict[str, float]:
    """The figures of story facts, by ontology and language: the largest share is `slices.llm`."""
    figures: dict[str, float] = {}
    for language in ("en", "zh"):
        lines = (folder / f"paragraphs_{language}.jsonl").read_text(encoding="utf-8").splitlines()
        chapters: dict[int, list[str]] = {}
        for row in map(json.loads, lines):
            chapters.setdefault(row["chapter"], []).append(row["text"])
        told = list(chapters.items())[: 3 if quick else None]
        passages = [Passage("\n\n".join(texts), source_id="novel", metadata={"chapter": number}) for number, texts in told]
        for ontology in ("general_fiction", "household"):
            runner = Runner(ScriptedChat(silent))
            runner.run(extract_facts(passages, settings=FactSettings(mode="llm", ontology=ontology)))
            share = runner.spent.prompt_tokens / sum(count_tokens(passage.text) for passage in passages)
            print(f"{'slices.llm':24} {share:6.3f} prompt tokens a token of text; {ontology}, {language}, {runner.spent}")
            figures[f"slices.llm.{ontology}.{language}"] = share
    return figures | {"slices.llm": max(figures.values())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/dated_speeches"))
    parser.add_argument("--questions", type=Path, default=Path("../shared/data/timeqa"))
    parser.add_argument("--narrative", type=Path, default=Path("../shared/data/narrative"))
    parser.add_argument("--story", type=Path, default=Path("../shared/data/red_chamber"))
    parser.add_argument("--json", type=Path, help="write the figures here as one flat object")
    parser.add_argument("--quick", action="store_true", help="five speeches, fifty questions, two chapters of each novel")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    if options.data.exists():
        limit = 5 if options.quick else None
        for mode, dated in (("llm", False), ("auto", True), ("auto", False)):
            passages = speeches(options.data, dated=dated, limit=limit)
            share, runner = annotation(passages, mode)
            name = f"annotate.{mode}" if dated or mode == "llm" else f"annotate.{mode}.undated"
            print(f"{name:24} {share:6.3f} prompt tokens a token of text; {len(passages)} passages, {runner.spent}")
            figures[name] = share
        print(f"{'schema beside a prompt':24} {count_tokens(json.dumps(PASSAGE_TIMES.schema)):6} tokens")
    else:
        print(f"skipped: {options.data} is absent")
    if options.questions.exists():
        calls, number, runner = parsing(options.questions, 25 if options.quick else None)
        print(f"{'scope':24} {calls:6.3f} calls a question; {number} questions, {runner.spent}")
        figures["scope.calls_per_question"] = calls
    else:
        print(f"skipped: {options.questions} is absent")
    if options.narrative.exists():
        figures |= narrative(options.narrative, 2 if options.quick else None)
    else:
        print(f"skipped: {options.narrative} is absent")
    figures |= events(options.questions, options.data, quick=options.quick)
    if options.story.exists():
        figures |= stories(options.story, quick=options.quick)
    else:
        print(f"skipped: {options.story} is absent")
    _report.write(options.json, figures)


if __name__ == "__main__":
    main()
