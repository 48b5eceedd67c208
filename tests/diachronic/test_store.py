"""Retrieval over a store that belongs to someone else, against brute force over the same records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from chronotope.diachronic import Retrieval, RetrievalSettings, Window, retrieve_from_store, retrieve_scoped_from_store
from chronotope.metadata import write_times
from chronotope.records import Hit, Passage
from chronotope.steps import Runner
from chronotope.temporal.scope import QueryScope
from chronotope.testing import HashEmbedder, play
from support_diachronic import asked, corpora, is_undated, overlaps, passage, scopes


@dataclass
class Store:
    """A vector store in memory that compares the two machine keys, as every foreign store can."""

    passages: Sequence[Passage]
    asked: list[tuple[int, Window | None]] = field(default_factory=list)

    def search(self, query: str, limit: int, window: Window | None) -> Sequence[Hit]:
        self.asked.append((limit, window))
        kept = [p for p in self.passages if window is None or self.fits(p, window)]
        return sorted((Hit(p, similarity(query, p)) for p in kept), key=lambda hit: -hit.score)[:limit]

    async def asearch(self, query: str, limit: int, window: Window | None) -> Sequence[Hit]:
        return self.search(query, limit, window)

    def fits(self, p: Passage, window: Window) -> bool:
        """By the flat keys: the envelope of the told times, and none at all on a record without them."""
        flat = write_times(p.told_times, static=p.static)
        return "time_start" in flat and flat["time_start"] <= window[1] and flat["time_end"] >= window[0]  # type: ignore[operator]


class Heedless(Store):
    """Ignores the window."""

    def fits(self, p: Passage, window: Window) -> bool:
        return True


class Failing(Store):
    """Raises on its second call."""

    def search(self, query: str, limit: int, window: Window | None) -> Sequence[Hit]:
        found = super().search(query, limit, window)
        if len(self.asked) == 2:
            raise ConnectionError("the store is gone")
        return found


class Stingy(Store):
    """Never gives more than three records, like an approximate index that is searched too narrowly."""

    def search(self, query: str, limit: int, window: Window | None) -> Sequence[Hit]:
        return super().search(query, limit, window)[:3]


def similarity(query: str, p: Passage) -> float:
    """Differs for every passage, so that there is one right order."""
    embedder = HashEmbedder()
    return float(embedder.embed([query])[0] @ embedder.embed([p.text])[0]) - 0.001 * int(p.id.removeprefix("p"))


def found_in(store: Store, scope: QueryScope, settings: RetrievalSettings, *, pushdown: bool = True) -> Retrieval:
    return play(retrieve_scoped_from_store(store, scope, settings=settings, pushdown=pushdown)).result


def names(found: Retrieval) -> list[str]:
    return [hit.passage.id for hit in found.hits]


def brute_force(passages: Sequence[Passage], scope: QueryScope, undated: str, k: int) -> list[str]:
    ranked = sorted(passages, key=lambda p: -similarity(scope.core, p))
    inside = [p for p in ranked if overlaps(p, scope.times)]
    bare = [p for p in ranked if scope.times and is_undated(p)]
    if undated == "include":
        kept = [p for p in ranked if p in inside or p in bare]
    else:
        kept = inside + (bare if undated == "backfill" else [])
    return [p.id for p in kept[:k]]


@examples(max_examples=50)
@given(
    corpora(),
    scopes(),
    st.sampled_from(["exclude", "include", "backfill"]),
    st.sampled_from([Store, Heedless]),
    st.booleans(),
    st.integers(1, 6),
)
def test_a_foreign_store_agrees_with_brute_force_whether_or_not_it_filters(passages, scope, undated, kind, pushdown, k) -> None:
    settings = RetrievalSettings(k=k, undated=undated, coverage=False)
    found = found_in(kind(passages), scope, settings, pushdown=pushdown)
    assert names(found) == brute_force(passages, scope, undated, k)
    assert all(hit.in_scope == overlaps(hit.passage, scope.times) for hit in found.hits)


@examples(max_examples=40)
@given(corpora(bounded=True), scopes(), st.sampled_from([Store, Heedless]), st.integers(1, 14))
def test_quotas_change_who_is_shown_and_never_let_in_what_is_out_of_scope(passages, scope, kind, k) -> None:
    found = found_in(kind(passages), scope, RetrievalSettings(k=k, periods=3))
    inside = {p.id for p in passages if overlaps(p, scope.times)}
    assert set(names(found)) <= inside
    assert len(found.hits) == min(k, len(inside))
    assert found.coverage is None or 0.0 <= found.coverage.share <= 1.0


@examples(max_examples=40)
@given(corpora(), scopes(), st.integers(1, 5))
def test_a_store_that_gives_less_than_it_has_still_yields_nothing_out_of_scope(passages, scope, k) -> None:
    store = Stingy(passages)
    found = found_in(store, scope, RetrievalSettings(k=k, coverage=False))
    assert set(names(found)) <= {p.id for p in passages if overlaps(p, scope.times)}
    assert len(store.asked) <= 3 * max(1, len(scope.times)), "and the search ends"


def many(count: int, years: Sequence[int]) -> list[Passage]:
    return [passage("the mill", str(years[number % len(years)]), name=f"p{number}") for number in range(count)]


def test_the_search_widens_until_the_places_are_full() -> None:
    passages = [*many(300, [1990]), *[passage("the mill", "2010", name=f"p{number}") for number in range(300, 305)]]
    store = Heedless(passages)
    found = found_in(store, asked("mill", "2010"), RetrievalSettings(k=5, coverage=False))
    assert sorted(names(found)) == ["p300", "p301", "p302", "p303", "p304"]
    assert [limit for limit, _ in store.asked] == [5, 20, 80, 320]


def test_a_store_that_filters_is_asked_once() -> None:
    store = Store([*many(300, [1990]), passage("the mill", "2010", name="p300")])
    assert names(found_in(store, asked("mill", "2010"), RetrievalSettings(k=1, coverage=False))) == ["p300"]
    assert len(store.asked) == 1


def test_a_search_that_gives_up_says_so() -> None:
    store = Heedless(many(5_000, [1990]))
    found = found_in(store, asked("mill", "2010"), RetrievalSettings(k=5, coverage=False))
    assert found.hits == ()
    assert [issue.kind for issue in found.issues] == ["gave_up_widening", "empty_window"]
    assert store.asked[-1][0] == 4_096


def test_dated_records_behind_many_undated_ones_are_found_before_these_fill_places() -> None:
    passages = [*[passage("the mill", name=f"p{number}") for number in range(40)], passage("a river", "2010", name="p40")]
    settings = RetrievalSettings(k=3, undated="backfill", coverage=False)
    for pushdown in (True, False):
        assert names(found_in(Store(passages), asked("mill", "2010"), settings, pushdown=pushdown)) == ["p40", "p0", "p1"], pushdown


def test_two_windows_in_one_question_keep_both_years_and_nothing_between() -> None:
    store = Store([passage("the mill", str(year), name=f"p{year}") for year in range(2009, 2017)])
    found = play(retrieve_from_store(store, "What of the mill in 2010 and 2015?")).result
    assert sorted(names(found)) == ["p2010", "p2015"]
    assert None not in [window for _, window in store.asked], "both windows are pushed down"


def test_a_failure_of_the_store_is_not_hidden() -> None:
    store = Failing(many(10, [2010, 2015]))
    with pytest.raises(ConnectionError, match="the store is gone"):
        play(retrieve_from_store(store, "What of the mill in 2010 and 2015?"))
    assert len(names(play(retrieve_from_store(store, "What of the mill in 2010 and 2015?")).result)) == 10, (
        "and nothing is left behind"
    )


def test_a_question_without_a_time_is_not_filtered() -> None:
    passages = [passage("the mill", "1990", name="p0"), passage("the mill", name="p1"), passage("a law", static=True, name="p2")]
    found = play(retrieve_from_store(Store(passages), "What of the mill?")).result
    assert (names(found), found.issues, found.coverage) == (["p0", "p1", "p2"], (), None)
    assert all(hit.in_scope for hit in found.hits)


def test_an_empty_window_and_an_empty_store_say_so() -> None:
    for passages in ([], many(3, [1990])):
        found = play(retrieve_from_store(Store(passages), "What of the mill in 2010?")).result
        assert (found.hits, [issue.kind for issue in found.issues]) == ((), ["empty_window"])


def test_undated_records_that_were_fetched_are_counted() -> None:
    passages = [passage("the mill", "2010", name="p0"), passage("the mill", name="p1")]
    for undated, done in (
        ("exclude", "left out (undated='include' would let them compete)"),
        ("include", "1 shown (undated='include')"),
    ):
        settings = RetrievalSettings(undated=undated)  # type: ignore[arg-type]
        found = found_in(Store(passages), asked("mill", "2010"), settings, pushdown=False)
        assert [issue.message for issue in found.issues] == [f"without a time: 1, {done}"]


def test_boost_raises_and_off_ignores_what_overlaps() -> None:
    passages = [passage("the mill", "1990", name="p0"), passage("the mill", "2010", name="p1")]
    boosted = found_in(Store(passages), asked("mill", "2010"), RetrievalSettings(time_filter="boost", coverage=False))
    assert names(boosted) == ["p1", "p0"]
    plain = found_in(Store(passages), asked("mill", "2010"), RetrievalSettings(time_filter="off"))
    assert names(plain) == ["p0", "p1"]
    assert plain.coverage is None


def test_the_date_of_writing_can_be_asked_alone_and_counts_beside_the_events() -> None:
    passages = [passage("a report", "2015", published="2018", name="p0"), passage("a report", "2018", published="2019", name="p1")]
    assert names(play(retrieve_from_store(Store(passages), "Which reports written in 2018 are about 2015?")).result) == ["p0"]
    assert names(play(retrieve_from_store(Store(passages), "Which reports were written in 2018?")).result) == ["p0"]
    assert names(play(retrieve_from_store(Store(passages), "What happened in 2018?")).result) == ["p0", "p1"]
    assert names(play(retrieve_from_store(Store(passages), "What happened in 2015?")).result) == ["p0"]


def test_a_store_without_a_single_time_is_told_with_the_keys_that_it_has() -> None:
    passages = [Passage("the mill", f"p{number}", metadata={"created": "2010", "_node": "{}"}) for number in range(3)]
    found = found_in(Store(passages), asked("mill", "2010"), RetrievalSettings(), pushdown=False)
    assert [(issue.kind, issue.message) for issue in found.issues] == [
        ("undated", "none of 3 fetched records has a time; the metadata keys there are 'created'"),
        ("empty_window", "the store gave no record in 2010"),
    ]
    assert found_in(Store(passages), asked("mill"), RetrievalSettings()).issues == ()


@pytest.mark.parametrize("blank", ["", " \n"])
def test_a_blank_question_asks_the_store_nothing(blank: str) -> None:
    store = Store(many(3, [1990]))
    found = play(retrieve_from_store(store, blank)).result
    assert (found.hits, [issue.kind for issue in found.issues], store.asked) == ((), ["blank_question"], [])


async def test_both_drivers_agree() -> None:
    store = Store(many(30, [2009, 2010, 2011]))
    driven = Runner().run(retrieve_from_store(store, "What of the mill in 2010?"))
    assert driven == await Runner().arun(retrieve_from_store(store, "What of the mill in 2010?"))
    assert len(driven.hits) == 10
