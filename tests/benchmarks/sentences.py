"""How right and how fast sentences are cut, against two libraries and one line of regex.

    python tests/benchmarks/sentences.py --data ../shared/data/gutenqa_emma ../shared/data/red_chamber ../shared/data/narrative

`cases` is the share of a small table of literary sentences that each splitter cuts as a reader would (`|` marks the borders, set by
hand). For each work: how many sentences, the share of those over 60 words (for Chinese: over 120 characters), the longest, and
megabytes of UTF-8 a second of processor time, best of three.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import re
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import _report

from chronotope.text import sentence_spans

Starts = Callable[[str], Sequence[int]]

CASES = [
    "“The road is long. |The night is cold. |Who goes there? |Speak! |I have a gun. |I will use it.” |Nobody spoke.",
    "“Where to?” asked the driver. |He did not turn.",
    '"Any letters?" Martin asked. |"None."',
    "'Are you cold?' she said. |'A little.'",
    "« Vous partez ? » dit-elle. |« Demain. »",
    "„Bist du es?“ rief sie. |„Ja. |Ich bin es.“",
    '"Drowned." |"When?" |"Last night."',
    "“Put it down!” |The boy obeyed.",
    "“He called out, ‘Halt!’ |Then the bridge fell. |We ran.”",
    "“I stayed,” she said. |“You had gone. |I waited.”",
    "“It began in March.\n\n|“It ended in June. |I was glad.”",
    "“Not a word!” Mrs. Gale whispered. |They crept on.",
    "The Rev. Mr. Hale and Capt. Orme sat with Dr. St. Clair. |They smoked.",
    "J. B. Turner, Esq., of No. 12, died at 4 p.m. on Friday. |He was ninety.",
    "He sailed for the U.S. |My brother stayed.",
    "M. de Brissac bowed. |Mme. Roland did not.",
    "It weighed 2.5 pounds. |It cost 3s. 6d. a pound.",
    "See vol. iii. of his works, ch. 9. |It is all there.",
    "She waited . . . and waited. |Nobody came.",
    "He turned… |Then he was gone.",
    "“Perhaps… I cannot say.” |She wept.",
    "“Fire!—Fire!” |The bells rang.",
    "No!--Never! |He shut the door.",
    "He was rich.—|She was not.",
    "Alas! what could they do? |They prayed.",
    "(It was her birthday.) |Nobody knew (or cared!) that night.",
    "1) Boil the milk. |2) Let it cool.",
    "The moon is up,\nThe hounds are out,\n  And who shall sleep? |The hunter's horn\n  Is at the gate.",
    "LADY BRACK. Are your parents living?\n|JACK. I have lost both. |Both?",
    "QUEEN. (Aside.) He knows. |He must die.\n|[_Exit._]",
    "CHAPTER III. The Storm\n\n|It came at night. |We slept.",
    "“…？”他低声问道。",
    "“你是谁？”老人问。|没有人回答。",
    "掌柜说：“没有了。|明天再来。”|他走了。",
    "此話不假．|眾人都笑了．|天色已晚。",
    "「帰るよ。」と父は言った。|雨だった。",
    "『誰？』|『我。』",
    "“我……我忘了。”|她低下头。",
    '那道士笑道：“你且看！"|眾人看時，果然不見了．',
    "他说：“OK. |Let's go!”|He left. |天亮了。",
]
WORKS = {
    "gutenqa_emma": ["paragraphs"],
    "red_chamber": ["paragraphs_en", "paragraphs_zh"],
    "narrative": ["alice", "christmas_carol", "dorian_gray", "sherlock_holmes"],
}
ENDS = re.compile(r"""[.!?…。！？．]+["'”’»)\]」』]*(?:\s+|(?<=[。！？．”’」』"]))(?=\S)""")


def ours(text: str) -> list[int]:
    return [start for start, _ in sentence_spans(text)]


def regex(text: str) -> list[int]:
    return [0, *(found.end() for found in ENDS.finditer(text))]


def with_sentencex() -> Starts | None:
    if importlib.util.find_spec("sentencex") is None:
        return None
    from sentencex import get_sentence_boundaries

    def starts(text: str) -> list[int]:
        """Paragraph by paragraph: it needs quadratic time for a long one."""
        found, place = [], 0
        for paragraph in re.split(r"(?<=\n\n)", text):
            found += [place + boundary["start_index"] for boundary in get_sentence_boundaries("en", paragraph)]
            place += len(paragraph)
        return found

    return starts


def with_punkt() -> Starts | None:
    """Punkt with the data that LlamaIndex's core brings along; nothing is downloaded."""
    host = importlib.util.find_spec("llama_index.core")
    data = Path(str(host.origin)).parent / "_static" / "nltk_cache" if host else Path()
    if importlib.util.find_spec("nltk") is None or not (data / "tokenizers" / "punkt_tab" / "english").exists():
        return None
    importlib.import_module("nltk").data.path.insert(0, str(data))
    tokenizer = importlib.import_module("nltk.tokenize.punkt").PunktTokenizer("english")
    return lambda text: [start for start, _ in tokenizer.span_tokenize(text)]


def pieces(text: str, starts: Sequence[int]) -> list[str]:
    borders = sorted({0, *starts, len(text)})
    return [piece for a, z in pairwise(borders) if (piece := text[a:z].strip())]


def passed(starts: Starts) -> int:
    return sum(
        pieces(case.replace("|", ""), starts(case.replace("|", ""))) == [part.strip() for part in case.split("|")] for case in CASES
    )


def works(folders: Sequence[Path]) -> dict[str, str]:
    texts = {}
    for folder in folders:
        for name in WORKS.get(folder.name, []):
            rows = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
            texts[f"{folder.name}.{name}"] = "\n\n".join(json.loads(row)["text"] for row in rows)
    return texts


def lengths(name: str, sentences: Sequence[str]) -> tuple[list[int], int]:
    """Sizes of sentences and the size above which one is long: in words, in characters for Chinese."""
    return ([len(s) for s in sentences], 120) if name.endswith("_zh") else ([len(s.split()) for s in sentences], 60)


def speed(starts: Starts, text: str, *, runs: int) -> float:
    def seconds() -> float:
        began = time.process_time()
        starts(text)
        return time.process_time() - began

    return len(text.encode()) / 1e6 / max(min(seconds() for _ in range(runs)), 1e-6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="+", default=[Path("../shared/data") / name for name in WORKS])
    parser.add_argument("--json", type=Path, help="write the figures here as one flat object")
    parser.add_argument("--quick", action="store_true", help="the cases, and the first 200,000 characters of each work once")
    options = parser.parse_args()
    found = {"ours": ours, "sentencex": with_sentencex(), "punkt": with_punkt(), "regex": regex}
    splitters = {name: starts for name, starts in found.items() if starts}
    figures: dict[str, object] = {"cases.total": len(CASES)}
    print(f"{'cases':34}" + "".join(f"{name:>22}" for name in splitters))
    counts = {name: passed(starts) for name, starts in splitters.items()}
    print(f"{'cut as a reader would':34}" + "".join(f"{f'{count}/{len(CASES)}':>22}" for count in counts.values()))
    figures |= {f"cases.{name}": count / len(CASES) for name, count in counts.items()}
    present = [folder for folder in options.data if folder.exists()]
    print("".join(f"skipped: {folder} is absent\n" for folder in options.data if folder not in present), end="")
    rates: dict[str, list[float]] = {name: [] for name in splitters}
    for work, whole in works(present).items():
        text = whole[:200_000] if options.quick else whole
        cells = []
        for name, starts in splitters.items():
            sizes, limit = lengths(work, pieces(text, starts(text)))
            over = sum(size > limit for size in sizes) / len(sizes)
            rates[name].append(speed(starts, text, runs=1 if options.quick else 3))
            cells.append(f"{len(sizes):7} {over:6.1%} {max(sizes):5}")
            figures |= {f"sentences.{work}.{name}": len(sizes), f"long.{work}.{name}": over, f"longest.{work}.{name}": max(sizes)}
        print(f"{work:34}" + "".join(f"{cell:>22}" for cell in cells))
    for name, values in rates.items():
        if values:
            figures[f"mb_per_s.{name}"] = sorted(values)[len(values) // 2]
    print(f"{'MB/s, median of the works':34}" + "".join(f"{figures.get(f'mb_per_s.{name}', 0):22.1f}" for name in splitters))
    _report.write(options.json, figures)


if __name__ == "__main__":
    main()
