"""Filtering in a store that belongs to someone else: trusted where it earns it, given up with a reason where it does not."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from chronotope.diachronic import PushdownPolicy, RetrievalSettings, StoreAnswers, StoreRecord, Window, retrieve_pushed
from chronotope.metadata import MetadataKeys, write_times
from chronotope.records import Hit, Issue, Passage
from chronotope.steps import Runner, Step
from chronotope.testing import HashEmbedder
from support_diachronic import asked, passage

YEARS = [passage(f"The mill turned, note {year}.", str(year), name=str(year)) for year in range(1900, 1960)]
FORTIES = asked("the mill, note 1942", "1940/1943")
EXPECTED = {"1940", "1941", "1942", "1943"}


@dataclass
class Store:
    """A user's store that filters by the two numbers, unless `broken` says how it fails."""

    passages: Sequence[Passage] = tuple(YEARS)
    mode: object = "auto"
    broken: str = ""
    unable: str = ""
    may_miss: bool = True
    searches: list[Window | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.policy, self.answers = PushdownPolicy(self.mode, "Shelf"), StoreAnswers(MetadataKeys())

    def opened(self, question: str) -> Step[Store]:
        yield from ()
        return self

    def search(self, query: str, limit: int, window: Window | None) -> list[Hit]:
        self.searches.append(window)
        if window is not None and self.broken == "refuses":
            raise NotImplementedError("only ==")
        kept = [p for p in self.passages if window is None or self.fits(p, window)]
        (vector,) = HashEmbedder().embed([query])
        scored = sorted(((float(HashEmbedder().embed([p.text])[0] @ vector), p) for p in kept), key=lambda pair: -pair[0])[:limit]
        issues = {"1942": (Issue("bad_date", "no date", "1942"),)} if self.broken == "bad date" else {}
        return self.answers.hits([StoreRecord(p, self.stored(p), score, issues.get(p.id, ())) for score, p in scored])

    async def asearch(self, query: str, limit: int, window: Window | None) -> list[Hit]:
        return self.search(query, limit, window)

    def fits(self, p: Passage, window: Window) -> bool:
        flat = self.stored(p)
        inside = "time_start" in flat and flat["time_start"] <= window[1] and flat["time_end"] >= window[0]
        return inside and self.broken != "swallows" and not (self.broken == "loses one" and p.id == "1942")

    def stored(self, p: Passage) -> dict:
        return {} if self.broken == "unnumbered" else write_times(p.told_times, static=p.static)


def found(store, question=FORTIES, **settings):
    return Runner().run(retrieve_pushed(store, question, settings=RetrievalSettings(**settings)))


def kinds(retrieval):
    return [issue.kind for issue in retrieval.issues]


@pytest.mark.parametrize("broken", ["", "refuses", "swallows", "loses one", "unnumbered"])
@pytest.mark.parametrize("k", [3, 10])
def test_every_store_finds_what_lies_in_the_time(broken, k):
    store = Store(broken=broken)
    for _ in range(2):
        report = found(store, k=k)
        assert {hit.passage.id for hit in report.hits} <= EXPECTED
        assert len(report.hits) == min(k, 4)
        assert ("filtered_here" in kinds(report)) == bool(broken)


@pytest.mark.parametrize("broken", ["refuses", "swallows", "loses one", "unnumbered"])
def test_a_store_is_given_up_with_one_warning_and_an_issue_each_time(broken, caplog):
    store = Store(broken=broken)
    with caplog.at_level(logging.WARNING, "chronotope"):
        reports = [found(store) for _ in range(3)]
    assert len(caplog.records) == 1
    assert "Shelf" in caplog.text
    assert [kinds(report) for report in reports] == [["filtered_here"]] * 3
    assert store.policy.trusted is False


def test_a_store_that_was_trusted_once_is_not_compared_again(caplog):
    store = Store()
    found(store)
    assert store.policy.trusted is True
    store.searches.clear()
    assert kinds(found(store)) == []
    assert None not in store.searches
    assert not caplog.records


def test_nothing_is_learnt_from_an_empty_time_and_no_record_is_missed():
    honest, swallowing = Store(), Store(broken="swallows")
    assert kinds(found(honest, asked("the mill", "1850"), k=1)) == ["empty_window"]
    assert honest.policy.trusted is None
    late = asked("an altogether different thing", "1959")
    assert [hit.passage.id for hit in found(swallowing, late, k=1).hits] == ["1959"]


def test_with_pushdown_demanded_a_refusal_is_an_error_and_nothing_is_compared():
    with pytest.raises(NotImplementedError, match="only =="):
        found(Store(mode=True, broken="refuses"))
    store = Store(mode=True)
    found(store)
    assert None not in store.searches


def test_with_pushdown_forbidden_nothing_is_sent_or_said(caplog):
    store = Store(mode=False)
    assert {hit.passage.id for hit in found(store).hits} == EXPECTED
    assert set(store.searches) == {None}
    assert not caplog.records
    with pytest.raises(ValueError, match="pushdown"):
        PushdownPolicy("maybe")


def test_a_store_without_a_filter_is_not_tried():
    store = Store(unable="knows no filter")
    assert "Shelf knows no filter" in found(store).issues[0].message
    assert set(store.searches) == {None}


@pytest.mark.parametrize("settings", [{"time_filter": "boost"}, {"time_filter": "off"}, {"undated": "include"}])
def test_no_filter_is_tried_where_none_is_needed(settings):
    store = Store(broken="refuses")
    assert kinds(found(store, **settings)) == []
    assert store.policy.trusted is None


def test_a_blank_question_reaches_no_store():
    store = Store()
    assert (found(store, asked(" \n", "1940")).hits, kinds(found(store, asked("")))) == ((), ["blank_question"])
    assert store.searches == []


def test_bad_dates_of_a_store_are_told_once_with_the_answer():
    assert kinds(found(Store(broken="bad date"))) == ["bad_date"]


@pytest.mark.parametrize(
    ("given", "falling"),
    [
        ([0.9, 0.4], [0.9, 0.4]),
        ([0.0, 1.0, 3.0], [1.0, 0.5, 0.25]),
        ([-2.0, -1.0, 1.0], [3.0, 2.0, 0.5]),
        ([None, None], [1.0, 0.5]),
        ([0.7], [0.7]),
    ],
)
def test_scores_fall_whichever_way_a_store_counts(given, falling):
    records = [StoreRecord(Passage(f"text {n}"), {}, score) for n, score in enumerate(given)]
    assert [hit.score for hit in StoreAnswers(MetadataKeys()).hits(records)] == pytest.approx(falling)


def test_the_direction_of_scores_is_remembered_for_a_single_answer():
    answers = StoreAnswers(MetadataKeys())
    answers.hits([StoreRecord(Passage(f"text {n}"), {}, float(n)) for n in range(3)])
    assert answers.hits([StoreRecord(Passage("alone"), {}, 3.0)])[0].score == 0.25


def test_a_filtering_store_without_a_single_time_says_so():
    bare = tuple(replace(p, times=(), metadata={"created": "1942"}) for p in YEARS[:5])
    told = [issue.message for issue in found(Store(bare)).issues if issue.kind == "undated"]
    assert told == ["none of 5 fetched records has a time; the metadata keys there are 'created'"]
