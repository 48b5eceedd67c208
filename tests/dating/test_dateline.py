"""The date that a document carries at its head or foot."""

from __future__ import annotations

import pytest

from chronotope.dating import dateline
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings

T = TimeInterval.parse


@pytest.mark.parametrize(
    ("first", "last", "date"),
    [
        ("PARIS, 3 March 2011 (Wire) - The minister said", "", "2011-03-03"),
        ("NEW YORK, Oct. 7, 1998 -- The company, founded in 1911, said", "", "1998-10-07"),
        ("London, Tuesday, 3 March 1840\nDear Ann, last week", "", "1840-03-03"),
        ("Dear Ann,\nlast week we moved.", "Yours ever,\nJohn\n10 May 2014", "2014-05-10"),
        ("Minutes of the Board meeting held on 4 October 2018\nPresent: all", "", "2018-10-04"),
        ("Minutes, October 2018\nPresent: all", "", "2018-10"),
        ("Leipzig, May 1840.\nDear Clara,", "", "1840-05"),
        ("From: A\nTo: B\nSubject: C\nDate: Fri, 10 May 2014\n\nHello", "", "2014-05-10"),
    ],
)
def test_a_date_at_the_head_or_foot_dates_the_document(first: str, last: str, date: str) -> None:
    assert dateline(first, last, CalendarSettings()) == T(date)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("Born 3 March 1840 in Leeds.", ""),
        ("", "She died at home on 3 March 1910."),
        ("On 3 March 1840 the king came to\ntown", ""),
        ("The Crisis of March 2011\nIt began slowly.", ""),
        ("He left in May 1840.", ""),
        ("1. On 4 May 2015, the Council adopted it.", ""),
        ("", ""),
    ],
)
def test_a_date_in_a_sentence_or_title_does_not_date_the_document(first: str, last: str) -> None:
    assert dateline(first, last, CalendarSettings()) is None
