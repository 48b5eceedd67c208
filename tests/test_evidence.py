"""Evidence for an answer: who stays within the budget, in which order it is told, and which numbers may be cited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from chronotope.diachronic import check_citations, chronological, render_context, select_evidence, when
from chronotope.records import Evidence, Hit, Passage
from support_diachronic import T, corpora, passage


def words(text: str) -> int:
    return len(text.split())


def chunk(number: int, *times: str, published: str | None = None, source: str = "novel") -> Passage:
    written = T(published) if published else None
    return Passage(
        f"chunk {number}", id=str(number), source_id=source, char_start=100 * number, times=tuple(map(T, times)), published=written
    )


def order_of(hits, order) -> list[str]:
    return [hit.passage.id for hit in chronological(hits, order=order)]


THREE = [Hit(chunk(3), 0.9), Hit(chunk(1), 0.8), Hit(chunk(2), 0.7)]


@pytest.mark.parametrize("order", ["source", "events", "published"])
def test_three_chunks_retrieved_as_3_1_2_are_shown_in_the_asked_order(order) -> None:
    assert order_of(THREE, order) == ["1", "2", "3"]
    assert order_of(THREE, "score") == ["3", "1", "2"]


def test_events_and_dates_of_writing_may_run_in_different_directions() -> None:
    hits = [
        Hit(chunk(1, "1990", published="2001"), 0.1),
        Hit(chunk(2, "1980", published="2003"), 0.2),
        Hit(chunk(3, published="1985"), 0.3),
        Hit(chunk(4), 0.4),
    ]
    assert order_of(hits, "events") == ["2", "3", "1", "4"], "what has no event stands by its date of writing, undated last"
    assert order_of(hits, "published") == ["3", "1", "2", "4"]
    assert order_of(hits, "source") == ["1", "2", "3", "4"]
    assert order_of(hits, "score") == ["4", "3", "2", "1"]


def test_years_before_christ_and_open_beginnings_come_first() -> None:
    hits = [Hit(chunk(1, "0014"), 0), Hit(chunk(2, "-0043-03-15"), 0), Hit(chunk(3, "../0030"), 0), Hit(chunk(4, "-0299/-0249"), 0)]
    assert order_of(hits, "events") == ["3", "4", "2", "1"]


def test_a_passage_stands_where_it_first_tells_of_the_asked_time() -> None:
    hits = [Hit(chunk(1, "1900", "1995"), 0), Hit(chunk(2, "1991"), 0)]
    assert [hit.passage.id for hit in chronological(hits)] == ["1", "2"]
    assert [hit.passage.id for hit in chronological(hits, within=[T("199X")])] == ["2", "1"]


def test_ties_keep_the_order_in_which_they_came() -> None:
    twins = [Hit(Passage("a", id=name, times=(T("1990"),)), 0.5) for name in "cab"]
    assert all(order_of(twins, order) == ["c", "a", "b"] for order in ("events", "published", "source", "score"))


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(ValueError, match="events, published, source or score"):
        chronological(THREE, order="random")  # type: ignore[arg-type]


@examples(max_examples=50)
@given(corpora(), st.sampled_from(["events", "published", "source", "score"]), st.integers(0, 60))
def test_what_is_kept_fits_the_budget_and_is_numbered_from_one(passages, order, budget) -> None:
    hits = [Hit(p, score=-number / 10) for number, p in enumerate(passages)]  # best first
    evidence = select_evidence(hits, budget_tokens=budget, order=order, count=words)
    assert [item.number for item in evidence] == list(range(1, len(evidence) + 1))
    assert bool(evidence) == bool(hits)
    spent = sum(words(item.passage.text) + words(item.when) + 6 for item in evidence)
    assert spent <= budget or len(evidence) == 1
    if hits:
        assert max(hits, key=lambda hit: hit.score).passage in [item.passage for item in evidence], "the best always stays"
    whole = select_evidence(hits, budget_tokens=10_000, order=order, count=words)
    assert [item.passage for item in whole] == [hit.passage for hit in chronological(hits, order=order)]


def test_the_score_decides_who_stays_and_time_decides_the_order() -> None:
    hits = [
        Hit(passage("one two", "1990", name="a"), 0.2),
        Hit(passage("one two", "1980", name="b"), 0.9),
        Hit(passage("one two", "1970", name="c"), 0.5),
    ]
    # two words of text, two of time ("in 1990") and six for the frame make ten each
    evidence = select_evidence(hits, budget_tokens=20, count=words)
    assert [(item.number, item.passage.id, item.when) for item in evidence] == [(1, "c", "in 1970"), (2, "b", "in 1980")]


def test_when_written_and_when_it_happened_are_told_apart() -> None:
    assert when(passage("x", "1969-07-20", "1972-12", published="1973")) == "on 20 July 1969; in December 1972; written in 1973"
    assert when(passage("x", published="1973")) == "written in 1973"
    assert when(passage("x", "1973", published="1973")) == "in 1973"
    assert when(passage("x", static=True)) == "timeless"
    assert when(passage("x")) == ""


def test_the_context_is_numbered_and_dated() -> None:
    evidence = select_evidence([Hit(passage(" The mill burnt.\n", "1990"), 1.0), Hit(passage("Nobody knows."), 0.5)])
    assert render_context(evidence) == "[1] (in 1990)\nThe mill burnt.\n\n[2] (undated)\nNobody knows."
    assert render_context([]) == ""


TWO = [Evidence(1, passage("x"), "", 0.0), Evidence(2, passage("y"), "", 0.0)]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("First this [1], then that [2].", []),
        ("Both [1, 2] and [2;1].", []),
        ("This [3].", ["unknown_citation"]),
        ("This [1], that [0] and that [12].", ["unknown_citation", "unknown_citation"]),
        ("No number at all.", ["no_citation"]),
        ("", []),
    ],
)
def test_citations_are_checked_against_the_evidence(text: str, kinds: list[str]) -> None:
    assert [issue.kind for issue in check_citations(text, TWO)] == kinds


def test_nothing_can_be_cited_where_nothing_was_shown() -> None:
    assert check_citations("I do not know.", []) == ()
    assert [issue.kind for issue in check_citations("It was so [1].", [])] == ["unknown_citation"]


def test_the_date_of_writing_orders_only_where_it_lies_inside_the_asked_time() -> None:
    hits = [Hit(chunk(1, "1890", published="1999"), 0.9), Hit(chunk(2, "1950"), 0.5)]
    assert order_of(hits, "events") == ["1", "2"]
    within = chronological(hits, within=[T("1940/2000")])
    assert [hit.passage.id for hit in within] == ["2", "1"]
