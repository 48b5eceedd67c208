"""What time annotation and question parsing cost in model calls and tokens.

    python tests/benchmarks/tokens.py --data ../shared/data/dated_speeches --questions ../shared/data/timeqa

A scripted model answers at once with an empty reply, so every prompt that a real run sends is built, sent and counted, and none
is asked twice. Passages have up to 2,048 tokens. `llm` reads all of every passage, `auto` only sentences in which time is told
but not placed. The reply's schema travels beside the prompt (JSON-schema level); its size is told apart.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import _report

from chronotope.diachronic import AnnotateSettings, annotate
from chronotope.diachronic.extract import PASSAGE_TIMES
from chronotope.metadata import read_date
from chronotope.models import Message
from chronotope.questions import scope
from chronotope.records import Document, Passage
from chronotope.steps import Runner, gather
from chronotope.testing import ScriptedChat
from chronotope.text import split_passages
from chronotope.tokens import count_tokens

PASSAGE_TOKENS = 2_048


def silent(messages: Sequence[Message]) -> dict:
    """The shortest acceptable reply to each of the prompts."""
    system = messages[0].content
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/dated_speeches"))
    parser.add_argument("--questions", type=Path, default=Path("../shared/data/timeqa"))
    parser.add_argument("--json", type=Path, help="write the figures here as one flat object")
    parser.add_argument("--quick", action="store_true", help="five speeches and fifty questions")
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
    _report.write(options.json, figures)


if __name__ == "__main__":
    main()
