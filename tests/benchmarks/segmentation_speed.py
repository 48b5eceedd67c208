"""What segmentation by rules costs: against LlamaIndex's semantic splitter, over the length of a novel, and on hostile texts.

    python tests/benchmarks/segmentation_speed.py [--data ../shared/data/gutenqa_emma] [--json PATH] [--quick]

Times are processor time of this process on one core, from the text to the segments, so that other work on the machine does not
count. `ratio_to_semantic` is ours to LlamaIndex's `SemanticSplitterNodeParser` with the embedded neural model, by words or by its
vectors, whichever is slower; both grow with the length, so a slice tells. `ratio_hashed` is the same on a whole novel of 1 MB with
hashed words for vectors, which cost next to nothing: the least that any embedder could make of the difference. Without the data
the novel is made up.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import _report
import numpy as np

from chronotope.defaults import LocalEmbedder
from chronotope.litseg import RuleSettings, SegmentSettings, segment
from chronotope.models import Embedder
from chronotope.records import Document
from chronotope.steps import Runner
from chronotope.testing import HashEmbedder

MEGABYTE = 1_000_000
SIZES = (0.1, 0.3, 1.0, 3.0, 10.0)
SLICE = 6_000  # characters for the neural embedder; half of it when quick
HOSTILE = {
    "one_letter": lambda n: "a" * (n // 10),
    "one_sentence": lambda n: ("and so the river went on and on and " * (n // 7))[: 5 * n],
    "line_breaks": lambda n: "\n" * n,
    "short_lines": lambda n: "a\n" * (n // 2),
    "short_paragraphs": lambda n: "a.\n\n" * (n // 10),
    "dividers": lambda n: "* * *\n\n" * (n // 20),
    "open_quotes": lambda n: "“" * n,
}


def novel(folder: Path) -> str:
    """About 1 MB of paragraphs."""
    if folder.exists():
        rows = [json.loads(line) for line in (folder / "paragraphs.jsonl").read_text(encoding="utf-8").splitlines()]
        text = "\n\n".join(row["text"] for row in rows)
    else:
        text = made_up()
    return (text + "\n\n" + text)[:MEGABYTE]


def made_up() -> str:
    """Paragraphs of narration and speech, with words that come and go."""
    dice = random.Random(3)
    words = ["".join(dice.choices("aeioubdlmnrst", k=dice.randint(2, 9))) for _ in range(8_000)]
    paragraphs = []
    for place in range(3_000):
        topic = words[place // 4 % 4_000 :][:400]
        sentences = [" ".join(dice.choices(topic, k=dice.randint(5, 25))).capitalize() + "." for _ in range(dice.randint(1, 5))]
        paragraphs.append(" ".join(sentences) if dice.random() < 0.5 else f"“{' '.join(sentences)}”")
    return "\n\n".join(paragraphs)


def seconds(work: Callable[[], object], *, least: int = 1) -> float:
    """Processor time of the fastest of a few runs."""
    times = []
    for _ in range(least):
        gc.collect()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def ours(text: str, *, embedder: Embedder | None = None) -> int:
    rules = RuleSettings(cohesion="embedding" if embedder else "lexical")
    runner = Runner(embedder=embedder, concurrency=1)
    return len(runner.run(segment(Document(text, id="novel"), settings=SegmentSettings(rules=rules))).items)


def theirs(text: str, embedder: Embedder) -> int:
    from llama_index.core import Document as LlamaDocument
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    from chronotope.llama_index import ChronotopeEmbedding

    parser = SemanticSplitterNodeParser.from_defaults(embed_model=ChronotopeEmbedding(embedder))
    return len(parser.get_nodes_from_documents([LlamaDocument(text=text)]))


def against_semantic(text: str, embedder: Embedder, name: str, *, least: int) -> tuple[float, float]:
    """Our time by words and by vectors, each as a share of the semantic splitter's."""
    splitter = seconds(lambda: theirs(text, embedder), least=least)
    lexical = seconds(lambda: ours(text), least=least)
    vectors = seconds(lambda: ours(text, embedder=embedder), least=least)
    print(
        f"{len(text) / MEGABYTE:7.3f} MB, {name}: semantic splitter {splitter:.2f} s, "
        f"rules {lexical:.2f} s ({lexical / splitter:.3f}), rules with vectors {vectors:.2f} s ({vectors / splitter:.3f})"
    )
    return lexical / splitter, vectors / splitter


def growth(text: str, sizes: Sequence[float]) -> float:
    """The exponent in time ~ length ** exponent."""
    times = []
    for size in sizes:
        whole = (text * 11)[: int(size * MEGABYTE)]
        times.append(seconds(lambda whole=whole: ours(whole), least=3 if size < 1 else 1))
        print(f"{size:7.1f} MB {times[-1]:8.2f} s")
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def hostile(size: int) -> dict[str, dict[str, float]]:
    """Each text at a tenth of its size and at all of it: the time, how it grew, and memory for each character."""
    figures = {}
    for name, make in HOSTILE.items():
        small, large = make(size // 10), make(size)
        before, after = seconds(lambda text=small: ours(text), least=2), seconds(lambda text=large: ours(text))
        tracemalloc.start()
        ours(small)
        peak = tracemalloc.get_traced_memory()[1] / len(small)
        tracemalloc.stop()
        grew = after / max(before, 0.01)
        told = f"{after:7.2f} s, {grew:5.1f} times a tenth of it, {peak:6.0f} bytes a character"
        print(f"{name:18} {len(large) / MEGABYTE:6.2f} MB {told}")
        figures[name] = {"seconds": after, "growth": grew, "bytes_per_character": peak}
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/gutenqa_emma"))
    parser.add_argument("--json", type=Path, help="write the figures here as one flat object")
    parser.add_argument("--quick", action="store_true", help="up to 1 MB, half a slice, hostile texts a tenth as long")
    options = parser.parse_args()
    text = novel(options.data)
    figures: dict[str, object] = {}
    local = LocalEmbedder(threads=1)
    local.embed(["warm up"])
    for name, part, embedder in (("local", text[: SLICE // (1 + options.quick)], local), ("hashed", text, HashEmbedder(384))):
        lexical, vectors = against_semantic(part, embedder, name, least=1 if options.quick or name == "local" else 3)
        figures |= {f"ratio_{name}": max(lexical, vectors), f"ratio_{name}_words": lexical, f"ratio_{name}_vectors": vectors}
    figures["ratio_to_semantic"] = figures["ratio_local"]
    figures["growth_exponent"] = growth(text, [size for size in SIZES if size <= 1 or not options.quick])
    figures["hostile"] = hostile(MEGABYTE // 10 if options.quick else MEGABYTE)
    _report.write(options.json, figures)


if __name__ == "__main__":
    main()
