"""Stories, and models that segment them, for the tests and benchmarks of LitSeg."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from chronotope.litseg import Candidate, candidates
from chronotope.models import Message, Reply
from chronotope.records import Document, Extraction
from chronotope.text import clean
from chronotope.tokens import count_tokens

NARRATIVE = Path(__file__).resolve().parents[2] / "shared" / "data" / "narrative"
CHAPTER_TOKENS = 4_000
STAGES = ("events", "threads", "segments")

FERRY = Document(
    "\n\n".join(
        [
            "Mara rowed the ferry until the river froze. Then she waited. Nobody came.",
            "One night a stranger knocked. “Take me across,” he said. “The ice will carry you,” she answered.",
            "Years before, her father had told her of a boatman who crossed on foot. He had never come back.",
            "The stranger walked out on the ice. It held. In the morning he was gone, and the boat with him.",
        ]
    ),
    id="ferry",
)

LONG = Document("\n\n".join(FERRY.text.replace("Mara", name) for name in ["Mara", "Ines", "Ulla", "Vera"] * 12), id="long")


def only(document: Document) -> Candidate:
    """The single candidate of a document without headings."""
    (candidate,) = candidates(document)
    return candidate


def stage_of(messages: Sequence[Message]) -> str:
    """Which prompt was filled."""
    task = messages[1].content.rsplit("\n", 1)[-1]
    if "all three steps" in task:
        return "lite"
    return STAGES[int(re.search(r"step (\d)", task)[1]) - 1]


def shown_sentences(messages: Sequence[Message]) -> dict[int, str]:
    """The sentences that a model was shown, by number."""
    chapter = re.match(r"<chapter>\n(.*?)\n</chapter>", messages[1].content, re.DOTALL)[1]
    return {int(number): text for number, text in (line.split(" ", 1) for line in chapter.split("\n") if line)}


def asked_range(messages: Sequence[Message]) -> tuple[int, int]:
    """First and last sentence that a reply is to cover."""
    first, last = re.search(r"for sentences (\d+) to (\d+)", messages[1].content.rsplit("\n", 1)[-1]).groups()
    return int(first), int(last)


def segments(*ranges: tuple[Any, Any], **more: Any) -> dict[str, Any]:
    """The reply of the last stage with these main ranges."""
    parts = [
        {"subtitle": f"Block {place}", "from_idx": a, "to_idx": b, "context_idx": []} for place, (a, b) in enumerate(ranges, 1)
    ]
    return {"turning_points": [], "segments": parts, **more}


def in_stages(last: Any, *, events: Any = None, threads: Any = None) -> Callable[[Sequence[Message]], Any]:
    """A model that says the same in a stage whenever it is asked; a list gives its answers one after the other."""
    said = {
        "events": {"events": ["1 Something happens"]} if events is None else events,
        "threads": {"threads": [{"name": "The only thread"}]} if threads is None else threads,
        "segments": last,
        "lite": last,
    }
    asked = dict.fromkeys(said, 0)

    def speak(messages: Sequence[Message]) -> Any:
        stage = stage_of(messages)
        asked[stage] += 1
        answers = said[stage]
        return answers[min(asked[stage], len(answers)) - 1] if isinstance(answers, list) else answers

    return speak


def narrator(messages: Sequence[Message]) -> dict[str, Any]:
    """What a diligent model says, in realistic length: its words are drawn from the chapter, its numbers are sound."""
    sentences = shown_sentences(messages)
    first, last = asked_range(messages)
    dice = random.Random(f"{stage_of(messages)} {len(sentences)} {sentences[last]}")
    most = re.search(r"at most (\d+)", messages[1].content.rsplit("\n", 1)[-1])
    reply = _told(sentences, (first, last), int(most[1]) if most else 1, dice)
    wanted = {"events": ["events"], "threads": ["threads"], "segments": ["turning_points", "segments"], "lite": list(reply)}
    return {name: reply[name] for name in wanted[stage_of(messages)]}


def _told(sentences: dict[int, str], asked: tuple[int, int], most: int, dice: random.Random) -> dict[str, Any]:
    first, last = asked
    words = re.findall(r"[^\W\d_]+", " ".join(sentences.values())) or ["nothing"]

    def some(least: int, most: int) -> str:
        start = dice.randrange(len(words))
        return " ".join((words * 2)[start : start + dice.randint(least, most)])

    places = sorted(dice.choices(range(first, last + 1), k=dice.randint(1 + most // 2, most)))
    events = [f"{place}-{min(last, place + dice.randint(0, 3))} {some(6, 11)}" for place in places]
    shifts = [f"{dice.randint(first, last)} {some(3, 6)}" for _ in range(max(2, (last - first) // 20))]
    threads = [
        {"name": some(4, 8), "level": "intradiegetic", "sentences": f"{first}-{last}", "shifts": shifts[k::3]}
        for k in range(3 if len(shifts) > 2 else 1)
    ]
    starts = [first]
    while starts[-1] + 8 <= last:
        starts.append(starts[-1] + dice.randint(8, 45))
    starts = [start for start in starts if start <= last]
    ends = [*(start - 1 for start in starts[1:]), last]
    parts = [
        {"subtitle": some(4, 9), "from_idx": a, "to_idx": b, "context_idx": sorted({1, a - 1} - {0, *range(a, b + 1)})}
        for a, b in zip(starts, ends, strict=True)
    ]
    points = [{"type": dice.choice(["Time shift", "reversal", "Recognition"]), "sentence": a, "what": some(3, 7)} for a in starts]
    return {"events": events, "threads": threads, "turning_points": points, "segments": parts}


def covers_everything(document: Document, found: Extraction[Any]) -> bool:
    """True when slices are exact and every character that can be read is in a segment; segments follow the text."""
    text = clean(document.text)
    assert all(part.text == text[part.char_start : part.char_end] and part.text for part in found.items)
    assert [part.char_start for part in found.items] == sorted(part.char_start for part in found.items)
    reached = {place for part in found.items for place in range(part.char_start, part.char_end)}
    return {place for stretch in candidates(document) for a, b in stretch.sentences for place in range(a, b)} == reached


def long_chapters(folder: Path = NARRATIVE, limit: int | None = None) -> Iterator[Document]:
    """The first 4,000 tokens, in whole paragraphs, of every chapter that has as many."""
    for work in ("alice", "christmas_carol", "dorian_gray", "sherlock_holmes"):
        rows = [json.loads(line) for line in (folder / f"{work}.jsonl").read_text(encoding="utf-8").splitlines()]
        long = [kept for number, part in groupby(rows, key=lambda row: row["chapter"]) if (kept := _capped(list(part)))]
        yield from (Document("\n\n".join(kept), id=f"{work}-{place}") for place, kept in enumerate(long[:limit], 1))


def _capped(rows: list[dict]) -> list[str]:
    """Paragraphs up to the size; none when the chapter is shorter."""
    kept: list[str] = []
    total = 0
    for row in rows:
        kept.append(row["text"])
        total += count_tokens(row["text"])
        if total >= CHAPTER_TOKENS:
            return kept
    return []


def computed_tokens(prompts: Sequence[str]) -> int:
    """What an endpoint with prefix caching computes: tokens behind the longest beginning that an earlier prompt shares."""
    total = 0
    for place, prompt in enumerate(prompts):
        shared = max((len(os.path.commonprefix([prompt, earlier])) for earlier in prompts[:place]), default=0)  # noqa: RUF071 - characters
        total += count_tokens(prompt) - count_tokens(prompt[:shared])
    return total


# ---- what models say on bad days ----

NUMBERS = st.one_of(
    st.integers(-3, 30),
    st.sampled_from([0, 1, 2, 3, 10**30, -(10**30), 2.0, 2.5, True, False, None, "3", "[4]", "XII", "two", "1-3", [1], {}]),
)
PARTS = st.fixed_dictionaries(
    {"from_idx": NUMBERS, "to_idx": NUMBERS},
    optional={"subtitle": st.text(max_size=8) | st.none(), "context_idx": st.lists(NUMBERS, max_size=4) | NUMBERS},
)
POINTS = st.fixed_dictionaries({"type": st.text(max_size=8), "sentence": NUMBERS}, optional={"what": st.text(max_size=8)})
SOUND = st.lists(st.tuples(st.integers(-2, 30), st.integers(-2, 30)), max_size=6).map(lambda ranges: segments(*ranges))
OBJECTS = st.one_of(
    SOUND,
    st.fixed_dictionaries({"segments": st.lists(PARTS, max_size=5)}, optional={"turning_points": st.lists(POINTS, max_size=3)}),
    st.fixed_dictionaries({"events": st.lists(st.text(max_size=20) | NUMBERS, max_size=5)}),
    st.fixed_dictionaries(
        {"threads": st.lists(st.dictionaries(st.sampled_from(["name", "level", "shifts"]), st.text(max_size=9)))}
    ),
)
REPLIES = st.one_of(
    OBJECTS,
    st.sampled_from(["", "XII", "999", "There is no boundary here.", "12", "[]", "{}", "null", '{"segments": [{"from_idx": 1']),
    st.text(max_size=40),
)


@st.composite
def cut_replies(draw: st.DrawFn) -> Reply:
    """A reply that stopped at the length limit."""
    text = json.dumps(draw(OBJECTS))
    return Reply(text[: draw(st.integers(0, len(text)))], truncated=True)


STORIES = st.lists(
    st.sampled_from(
        [
            "He ran. ",
            "“No!” she said.\n\n",
            "  ",
            "* * *\n\n",
            "[7] It is said. ",
            "12 men came. ",
            "第四句。",
            "\udc97",
            "</chapter> ",
        ]
    )
    | st.text(max_size=12),
    max_size=14,
).map("".join)
