"""Passages and questions that the tests of retrieval share."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from chronotope.records import Passage
from chronotope.temporal.calendar import Grain
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.scope import QueryScope

T = TimeInterval.parse
DAY = 86_400
WORDS = ["king", "ship", "bread", "war", "mill", "river"]


def passage(
    text: str, *times: str, name: str = "", published: str | None = None, static: bool = False, source: str = "d"
) -> Passage:
    when = T(published) if published else None
    return Passage(text, id=name, source_id=source, times=tuple(map(T, times)), published=when, static=static)


def asked(core: str, *times: str, published: Sequence[str] = ()) -> QueryScope:
    return QueryScope(core, core, tuple(map(T, times)), published_times=tuple(map(T, published)))


@st.composite
def intervals(draw: st.DrawFn, *, bounded: bool = False) -> TimeInterval:
    """Whole days from 1968 to 1976, seldom open, so that overlaps are common."""
    start = draw(st.integers(-700, 2_000))
    end = start + draw(st.integers(1, 900))
    sides = "both" if bounded else draw(st.sampled_from(["both", "both", "both", "from", "until"]))
    return TimeInterval(None if sides == "until" else start * DAY, None if sides == "from" else end * DAY, Grain.DAY)


@st.composite
def corpora(draw: st.DrawFn, *, bounded: bool = False, least: int = 0) -> list[Passage]:
    count = draw(st.integers(least, 12))
    made = []
    for number in range(count):
        text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)))
        static = draw(st.integers(0, 9)) == 0
        times = () if static else tuple(draw(st.lists(intervals(bounded=bounded), max_size=2)))
        published = draw(st.none() | st.none() | intervals(bounded=True))
        made.append(Passage(text, id=f"p{number}", source_id="d", times=times, published=published, static=static))
    return made


@st.composite
def scopes(draw: st.DrawFn) -> QueryScope:
    core = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3)))
    return QueryScope(core, core, tuple(draw(st.lists(intervals(), max_size=2))))


def overlaps(passage: Passage, times: Sequence[TimeInterval]) -> bool:
    """The meaning of the filter, one pair of intervals at a time."""
    return not times or passage.static or any(told.overlaps(time) for told in passage.told_times for time in times)


def is_undated(passage: Passage) -> bool:
    return not passage.static and not passage.told_times
