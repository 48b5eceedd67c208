"""A story of twelve events with its passages, and random worlds, for tests of the event index, retrieval and timelines."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from chronotope.events import EventIndex, EventUnit, build_event_index
from chronotope.records import Passage
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.scope import QueryScope
from chronotope.testing import play

T = TimeInterval.parse

PARAGRAPHS = {
    "mill": (
        "The Alder mill stands on the river Wend. In 1868 Ann Lee founded the Alder mill. In May 1871 a fire destroyed its roof.",
        "It was rebuilt with slate. From 1872 to 1880 Tom Reed managed the Alder mill. In June 1881 it merged with Wend Cotton.",
        "After that, Ida Cole managed the Alder mill from 1881 to 1890. In 1890 the Alder mill closed.",
    ),
    "lee": (
        "Ann Lee was born in 1840. Ann Lee studied in Leeds from 1858 to 1862. In 1863 she taught weaving in York.",
        "In 1895 Ann Lee died in York.",
    ),
}
TITLES = {"mill": "Alder mill", "lee": "Ann Lee"}
TIMES = {
    "The Alder mill stands": "static",
    "In 1868": "1868",
    "In May 1871": "1871-05",
    "It was rebuilt": "~1871-05",
    "From 1872": "1872/1880",
    "In June 1881": "1881-06",
    "After that": "1881/1890",
    "In 1890": "1890",
    "Ann Lee was born": "1840",
    "Ann Lee studied": "1858/1862",
    "In 1863": "1863",
    "In 1895": "1895",
}
NAMES = ("Alder mill", "Ann Lee", "Tom Reed", "Ida Cole", "Wend Cotton", "Leeds", "York")


def event(text: str, *times: str, name: str = "", source: str = "d", names: Sequence[str] = (), **told: str) -> EventUnit:
    """An event; `static` as its only time makes it a fact outside time, `~1871` a hint."""
    hint = next((time[1:] for time in times if time.startswith("~")), None)
    metadata = {**told, **({"context_time": hint} if hint else {})}
    real = tuple(T(time) for time in times if time != "static" and not time.startswith("~"))
    return EventUnit(
        text=text, id=name, source_id=source, times=real, static="static" in times, entities=tuple(names), metadata=metadata
    )


def story() -> tuple[list[EventUnit], list[Passage]]:
    """Twelve events of two documents, placed by hand, and the five paragraphs that they stand in."""
    events, passages = [], []
    for source, paragraphs in PARAGRAPHS.items():
        at = 0
        for text in paragraphs:
            passages.append(
                Passage(text, source_id=source, char_start=at, char_end=at + len(text), metadata={"title": TITLES[source]})
            )
            begin = 0
            for sentence in text.split(". "):
                whole = sentence.rstrip(".") + "."
                time = next(time for start, time in TIMES.items() if whole.startswith(start))
                told = {"title": TITLES[source], **({"context_time": time[1:]} if time.startswith("~") else {})}
                events.append(
                    EventUnit(
                        text=whole,
                        source_id=source,
                        char_start=at + begin,
                        char_end=at + begin + len(whole),
                        times=() if time == "static" or time.startswith("~") else (T(time),),
                        static=time == "static",
                        entities=tuple(name for name in NAMES if name in whole) or (TITLES[source],),
                        metadata=told,
                    )
                )
                begin += len(sentence) + 2
            at += len(text) + 2
    return events, passages


def built(events: Sequence[EventUnit], passages: Sequence[Passage] = (), **options) -> EventIndex:
    return play(build_event_index(events, passages, embedder_id="hash-64", **options)).result


def asked(core: str, *times: str, published: Sequence[str] = ()) -> QueryScope:
    return QueryScope(core, core, tuple(map(T, times)), published_times=tuple(map(T, published)))


WORDS = ["king", "ship", "bread", "war", "mill", "river"]
WHEN = ["1968", "1969-03", "1970/1972", "1971", "../1970", "1973/..", "1974-05-06"]


@st.composite
def worlds(draw: st.DrawFn, *, least: int = 0) -> list[EventUnit]:
    """Up to twelve events of two sources, some static, some undated with or without a hint."""
    made = []
    for number in range(draw(st.integers(least, 12))):
        text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)))
        kind = draw(st.integers(0, 5))
        times = ["static"] if kind == 0 else [f"~{draw(st.sampled_from(WHEN))}"] if kind == 1 else []
        times = draw(st.lists(st.sampled_from(WHEN), min_size=1, max_size=2, unique=True)) if kind > 2 else times
        names = draw(st.lists(st.sampled_from(["Ann", "Bob", "Cy"]), max_size=2))
        made.append(event(text, *times, name=f"e{number}", source=f"s{number % 2}", names=names))
    return made


@st.composite
def scopes(draw: st.DrawFn) -> QueryScope:
    core = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3)))
    return asked(core, *draw(st.lists(st.sampled_from(WHEN), max_size=2, unique=True)))
