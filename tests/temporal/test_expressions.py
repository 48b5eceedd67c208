"""Times found in text; every expected value is worked out by hand."""

from __future__ import annotations

import datetime as dt
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.errors import TimeExpressionError
from chronotope.temporal import CalendarSettings, TimeExpression, TimeInterval, find_expressions, unresolved_expressions

TODAY = "2018-05-19"  # a Saturday


def found(text: str, today: str | None = TODAY, **options: object) -> list[str]:
    """The intervals of a text in EDTF."""
    return [str(e.interval) for e in find_expressions(text, today=today, settings=CalendarSettings(**options))]  # type: ignore[arg-type]


def one(text: str, today: str | None = TODAY) -> TimeExpression:
    """The only expression of a text."""
    (expression,) = find_expressions(text, today=today)
    return expression


ABSOLUTE = {
    "in 2015": "2015",
    "in May 2013": "2013-05",
    "3 June 2020": "2020-06-03",
    "June 3rd, 2020": "2020-06-03",
    "the 2nd of August, 1858": "1858-08-02",
    "Dec. 31 , 1994": "1994-12-31",
    "Dec31, 1994": "1994-12-31",
    "14april 2015": "2015-04-14",
    "Sep-23-2020": "2020-09-23",
    "2019/aug/01": "2019-08-01",
    "2015-03-14": "2015-03-14",
    "3/14/2015": "2015-03-14",
    "31.10.1974": "1974-10-31",
    "20150314": "2015-03-14",
    "12-2015": "2015-12",
    "2018-10": "2018-10",
    "Friday, 2018-7-6": "2018-07-06",
    "the twenty-first of May two thousand thirteen": "2013-05-21",
    "in nineteen ninety-six": "1996",
    "6 April seventeen hundred thirty three": "1733-04-06",
    "the year 1897": "1897",
    "May '14": "2014-05",
    "week 12 of 2021": "2021-W12",
    "the second week of 2021": "2021-W02",
    "last day of October 2015": "2015-10-31",
    "last Sunday of March 2014": "2014-03-30",
    "first ten days of 2020": "2020-01-01/2020-01-10",
    "the third last week of 2018": "2018-W50",
    "Easter 2018": "2018-04-01",
    "year ended June 30, 2012": "2011-07-01/2012-06-30",
    "two weeks after 3 June 2020": "2020-06-17",
    "three months before January 2001": "2000-10",
    "4 year and 6 month after Jul, 1655": "1660-01",
}


@pytest.mark.parametrize(("text", "interval"), ABSOLUTE.items())
def test_a_date_is_read_at_the_precision_it_has(text: str, interval: str) -> None:
    expression = one(text, today=None)
    assert str(expression.interval) == interval
    assert expression.relation == "during"


RANGES = {
    "from 2005 till 2006": "2005/2006",
    "between March 2011 and June 2013": "2011-03/2013-06",
    "1861-65": "1861/1865",
    "1914–18": "1914/1918",
    "1871/72": "1871/1872",
    "26 june to 28 june in 2020": "2020-06-26/2020-06-28",
    "from 13th to 15th of July 2013": "2013-07-13/2013-07-15",
    "July 13-15, 2013": "2013-07-13/2013-07-15",
    "Nov-Feb 5th, 2017": "2016-11-01/2017-02-05",
    "1 May through 31 October 1893": "1893-05-01/1893-10-31",
    "from 10/1/2018-10/7/2018": "2018-10-01/2018-10-07",
    "from 264 to 146 BC": "-0263/-0145",
    "Q1-Q3 2024": "2024-01/2024-09",
    "from the middle of 2007 to the end of 2008": "2007-07-02/2008-12-31",
    "between the 1920s and the 1940s": "192X/194X",
    "17th-19th centuries": "16XX/18XX",
}


@pytest.mark.parametrize(("text", "interval"), RANGES.items())
def test_a_range_runs_from_its_first_end_through_its_last(text: str, interval: str) -> None:
    expression = one(text, today=None)
    assert str(expression.interval) == interval
    assert expression.relation == "between"


SIDED = {
    "before 2015": ("../2014", "before"),
    "prior to 1066": ("../1065", "before"),
    "after Feb 2018": ("2018-03/..", "after"),
    "after 11 November 1918": ("1918-11-12/..", "after"),
    "since March 2011": ("2011-03/..", "since"),
    "2012 or later": ("2012/..", "since"),
    "from 1999 onwards": ("1999/..", "since"),
    "from 1999 on": ("1999/..", "since"),
    "> = 2019": ("2019/..", "since"),
    "till 3 June 2015": ("../2015-06-03", "until"),
    "no later than 2018": ("../2018", "until"),
    "2015 or earlier": ("../2015", "until"),
    "by 1889": ("../1889", "by"),
    "by the end of 2015": ("../2015", "by"),
    "as of 2020": ("../2020", "as_of"),
    "as of 1 July 2020": ("../2020-07-01", "as_of"),
    "before the 12th century": ("../10XX", "before"),
}


@pytest.mark.parametrize(("text", "meaning"), SIDED.items())
def test_a_cue_word_opens_one_side(text: str, meaning: tuple[str, str]) -> None:
    expression = one(text, today=None)
    assert (str(expression.interval), expression.relation) == meaning
    assert expression.text == text


RELATIVE = {  # seen from Wednesday 15 May 2024
    "yesterday": "2024-05-14",
    "the day before yesterday": "2024-05-13",
    "last month": "2024-04",
    "last year": "2023",
    "the year before last": "2022",
    "this quarter": "2024-34",
    "last Monday": "2024-05-13",
    "next Friday": "2024-05-24",
    "the past two quarters": "2023-10/2024-03",
    "last 2 days": "2024-05-13/2024-05-14",
    "three weeks ago": "2024-04-24",
    "three years ago": "2021",
    "in two weeks": "2024-05-29",
    "in March of last year": "2023-03",
    "next year's first quarter": "2025-33",
    "monday of next week": "2024-05-20",
    "the 15th day of next month": "2024-06-15",
    "late last year": "2023-09/2023-12",
    "within 9 months": "2024-05-15/2025-02-14",
    "between Jan 2019 and yesterday": "2019-01-01/2024-05-14",
    "2 weeks before Christmas": "2024-12-11",
}


@pytest.mark.parametrize(("text", "interval"), RELATIVE.items())
def test_a_relative_time_is_counted_from_the_reference_day(text: str, interval: str) -> None:
    assert found(text, today="2024-05-15") == [interval]


@pytest.mark.parametrize("text", [*RELATIVE, "in July", "Tue 13th", "11 September to 13 September"])
def test_without_a_reference_day_it_is_reported_as_unresolved(text: str) -> None:
    assert find_expressions(text) == []
    assert [u.reason for u in unresolved_expressions(text)][:1] == ["needs_today"]


def test_every_form_of_the_reference_day_means_the_same() -> None:
    forms = ["2018-05-19", "2018-05-19T10:30:00.123", dt.date(2018, 5, 19), TimeInterval.parse("2018-05-19"),
             dt.datetime(2018, 5, 19, 23, 0, tzinfo=dt.UTC)]  # fmt: skip
    assert {str(find_expressions("last month", today=form)[0].interval) for form in forms} == {"2018-04"}


def test_a_reference_that_is_only_a_year_places_years_but_not_weeks() -> None:
    assert found("last year", today="1848") == ["1847"]
    assert found("last week", today="1848") == []
    assert [u.text for u in unresolved_expressions("last week", today="1848")] == ["last week"]


@pytest.mark.parametrize("today", ["soon", "../2015"])
def test_a_reference_that_is_no_day_is_refused(today: str) -> None:
    with pytest.raises(TimeExpressionError):
        find_expressions("last week", today=TimeInterval.parse(today) if "/" in today else today)


# Field reports


def test_s1_cue_words_give_half_open_ranges_and_an_open_side_stays_open() -> None:
    assert found("since 1999") == ["1999/.."]
    assert found("after 2001") == ["2002/.."]
    assert found("until 1920") == found("before 1920") == ["../1919"]
    assert found("in 2015") == ["2015"]
    assert found("from 2005 till 2006") == ["2005/2006"]
    assert found("from 2025 to 2027") == ["2025/2027"]


@pytest.mark.parametrize("today", [None, "2018-01-31", "2031-11-30"])
def test_s2_a_missing_part_is_never_filled_in(today: str | None) -> None:
    assert found("2018-10", today) == ["2018-10"]
    assert found("in 2012", today) == ["2012"]
    assert found("mayor elected 1990", today) == ["1990"]
    assert found("in the 12th century", today) == ["11XX"]


def test_s3_years_before_christ_run_forward_and_are_never_after_him() -> None:
    assert found("44 BC") == ["-0043"]
    assert found("15 March 44 BC") == ["-0043-03-15"]
    assert found("31 BCE") == ["-0030"]
    assert found("-0043") == ["-0043"]
    assert found("AD 14") == ["0014"]
    assert found("300 BC to 250 BC") == ["-0299/-0249"]
    assert found("490-489 BC") == ["-0489/-0488"]
    assert found("in the 330s BC") == ["-0338/-0329"]
    assert found("2nd century BC") == ["-0199/-0100"]


def test_s4_winter_runs_into_the_next_year_and_the_south_has_its_own() -> None:
    winter = one("winter 2019").interval
    assert winter == TimeInterval.parse("2019-24")
    assert winter.phrase() == "from December 2019 to February 2020"
    assert found("the winter of 1946-47") == ["1946-24"]
    assert found("summer 1816") == ["1816-22"]
    assert found("last winter", "2019-06-05") == ["2018-24"]
    assert find_expressions("summer 2019", settings=CalendarSettings(hemisphere="south"))[0].interval.phrase() == (
        "from December 2019 to February 2020"
    )
    assert found("winter 2019", season_convention="astronomical") == ["2019-12-21/2020-03-19"]


def test_s5_quarters_are_the_calendars_and_fiscal_years_follow_the_settings() -> None:
    assert found("Q3 2021") == ["2021-35"]
    assert found("2025Q01") == ["2025-33"]
    assert found("third quarter of last year") == ["2017-35"]
    assert found("H2 2019") == ["2019-41"]
    assert found("FY2021") == ["2021"]
    assert found("FY2021", fiscal_start=10) == ["2020-10/2021-09"]
    assert found("FY2021", fiscal_start=7, fiscal_named_by="start") == ["2021-07/2022-06"]
    assert found("FY2011-2015", fiscal_start=4) == ["2010-04/2015-03"]
    assert found("Q1 FY2021", fiscal_start=10) == ["2020-36"]


@pytest.mark.parametrize(
    "text",
    [
        "Julian may go on",
        "Chapter 12 of 30",
        "suite 1900",
        "he was 44",
        "version 2.3.1",
        "1984 (the novel)",
        "Room 1408",
        "in *1984*",
        "August Strindberg",
        "the march of progress",
        "a book by April Smith",
        "They sold 1,900 tons.",
        "Call 555-2020 now",
        "in May's Diner",
        "about 1500 soldiers",
        "one of 1500 copies",
        "pp. 1234-1240",
        "We second the motion.",
        "this may be",
        "the fall of the Wall",
        "We were only 3",
        "Friday Night Lights",
        "a boy",
        "in his forties",
        "$1999",
        "192.168.2001.1",
        "the 2008 election",
    ],
)
def test_s6_ordinary_words_and_numbers_are_no_dates(text: str) -> None:
    assert find_expressions(text, today=TODAY) == []
    assert unresolved_expressions(text) == []


def test_g1_decades_in_all_their_spellings() -> None:
    assert found("1990s") == found("the nineties") == found("the nineteen-nineties") == ["199X"]
    assert found("the 70's") == found("in the '70s") == ["197X"]
    assert found("early 1990s") == ["1990/1993"]
    assert found("mid-1970s") == ["1974/1976"]
    assert found("late 1970s") == ["1977/1979"]
    assert found("the 1800s") == ["18XX"]
    assert found("this decade", "2018-08-30") == ["201X"]
    assert found("the second half of the 1960s") == ["1965-01/1969-12"]


def test_g2_the_end_of_a_spoken_range_is_inside() -> None:
    text = found("11 September 2019 to 13 September 2019")[0]
    assert text == "2019-09-11/2019-09-13"
    assert str(TimeInterval.parse(text)) == text


def test_g3_after_a_year_begins_the_next_and_a_bare_month_follows_the_preference() -> None:
    assert found("after 2023", "2024-06-18") == ["2024/.."]
    assert found("in July", "2024-06-18") == found("in July", "2024-06-18", prefer="future") == ["2024-07"]
    assert found("in July", "2024-06-18", prefer="past") == ["2023-07"]
    assert one("in July").flags == ("ambiguous_year",)


def test_g11_negative_and_empty_spans_are_refused_and_a_day_is_whole() -> None:
    assert found("last -1 days") == []
    assert found("last 0 days") == []
    assert one("as of 2026-07-10").interval.overlaps(TimeInterval.parse("2026-07-10T15"))


def test_g38_impossible_dates_fall_back_to_the_coarsest_sound_unit() -> None:
    for text, interval in {"31 April 2018": "2018-04", "2023-02-30": "2023-02", "2024-00-00": "2024"}.items():
        assert str(one(text).interval) == interval
        assert one(text).flags == ("impossible_date",)
    assert str(one("2/7/2020").interval) == "2020-02-07"
    assert one("2/7/2020").flags == ("ambiguous_order",)
    assert found("2/7/2020", date_order="DMY") == ["2020-07-02"]
    assert found("23/4/2020") == ["2020-04-23"]


def test_approximate_and_vague_times_say_so() -> None:
    assert one("c. 1860").flags == one("about 1860").flags == ("approximate",)
    assert "vague" in one("early March 1920").flags
    assert "assumed_century" in one("'98").flags


def test_disjoint_times_are_several_expressions_and_lists_share_their_year() -> None:
    assert found("in 1995, 1997 and 1999", None) == ["1995", "1997", "1999"]
    assert found("in May and June 2018", None) == ["2018-05", "2018-06"]
    assert found("on 3 and 5 May 2018", None) == ["2018-05-03", "2018-05-05"]
    assert found("in the 18th and 19th centuries", None) == ["17XX", "18XX"]
    assert found("the late 19th and early 20th centuries", None) == ["1867/1899", "1900/1932"]


CHINESE = {
    "2018年10月": "2018-10",
    "二零一八年十二月三日": "2018-12-03",
    "十九世纪七十年代": "187X",
    "20世纪末": "1967/1999",
    "公元前221年": "-0220",
    "康熙三年五月": "1664-05",
    "2021年的第二周": "2021-W02",
    "去年上半年": "2017-40",
    "上个月": "2018-04",
    "2018年以前": "../2017",
    "自2016年9月1日起": "2016-09-01/..",
    "2013年及以前": "../2013",
    "2015年和2018年之间": "2015/2018",
    "从2016年6月1日到6月30日": "2016-06-01/2016-06-30",
    "1995-1997年": "1995/1997",
}


@pytest.mark.parametrize(("text", "interval"), CHINESE.items())
def test_chinese_times_are_read_too(text: str, interval: str) -> None:
    assert found(text) == [interval]


# Laws


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
    st.sampled_from([None, "2016-11-07", "-0043-03-15", "9999-12-31"]),
)
def test_any_text_is_read_without_a_crash_and_spans_lie_inside_it(text: str, today: str | None) -> None:
    end = 0
    for expression in find_expressions(text, today=today):
        start, stop = expression.span
        assert end <= start < stop <= len(text)
        assert text[start:stop] == expression.text
        end = stop


WORDS = st.sampled_from(
    re.findall(
        r"\S+",
        "in on from to till between and before after since until by the of last next this first second two three half week month "
        "year years days decade century early late end 1990 2015 1990s 12 31 1st 3/4 BC AD May march Monday spring quarter Q3 "
        "FY ago later - – , . ( ) ' ended 年 月 日 世纪 上个 之前 从 到 二 十",
    )
)


@settings(max_examples=500, deadline=None)
@given(st.lists(WORDS, max_size=14).map(" ".join), st.sampled_from([None, "2016-11-07", "-9999-01-01", "9999-12-31", "1848"]))
def test_any_jumble_of_time_words_is_read_without_a_crash(text: str, today: str | None) -> None:
    for expression in find_expressions(text, today=today):
        assert TimeInterval.parse(str(expression.interval)).start == expression.interval.start
        assert 0 < expression.confidence <= 1


def test_the_clock_takes_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the clock was read")

    monkeypatch.setattr(time, "time", refuse)
    text = "last week, in May, on Friday and in 2015"
    assert [str(e.interval) for e in find_expressions(text)] == ["2015"]


LONG = {
    "letters": "a" * 100_000,
    "digits": "1" * 100_000,
    "words": "a " * 50_000,
    "dates": "3 May 2015 " * 9_000,
    "nested": "the first day of " * 6_000,
    "shifts": "two weeks after " * 6_000,
    "ranges": "from 1990 to " * 8_000,
    "dashes": "1-" * 50_000,
    "quotes": "'" * 100_000,
    "chinese": "一" * 100_000,
    "years": "年" * 100_000,
    "weeks": "上" * 100_000,
    "parts": "early to " * 10_000,
}


@pytest.mark.parametrize("name", LONG)
def test_long_texts_take_time_in_proportion(name: str) -> None:
    text = LONG[name]
    short = min(_seconds(text[: len(text) // 8]) for _ in range(2))
    assert _seconds(text) < 20 * short + 1


def _seconds(text: str) -> float:
    began = time.process_time()
    find_expressions(text)
    return time.process_time() - began


@pytest.mark.parametrize(
    "wrong",
    [
        {"fiscal_start": 13},
        {"date_order": "DYM"},
        {"week_start": "Monday"},
        {"prefer": "soon"},
        {"hemisphere": "east"},
        {"pivot": 101},
        {"until": "maybe"},
        {"fiscal_named_by": "both"},
        {"season_convention": "none"},
        {"fiscal_start": True},
    ],
)
def test_a_setting_that_does_not_exist_is_refused_by_name(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        CalendarSettings(**wrong)  # type: ignore[arg-type]


def test_weeks_may_begin_on_sunday() -> None:
    week = find_expressions("this week", today="2024-05-15", settings=CalendarSettings(week_start="sunday"))[0].interval
    assert str(week) == "2024-05-12/2024-05-18"


LINES = {
    "## 2021\nNobody met.": ["2021"],
    "2021: Nobody met.": ["2021"],
    "**2021** nobody met": ["2021"],
    "**2021:** nobody met": ["2021"],
    "- 2021 nobody met": ["2021"],
    "* 2021 – nobody met": ["2021"],
    "| 2021 | nobody |": ["2021"],
    "2021\n----\nNobody met.": ["2021"],
    "Minutes.\n\n2021\n\nNobody met.": ["2021"],
    "2020: Ten met.\n2021: Nobody met.": ["2020", "2021"],
    "- 2021\n- 2022\n": ["2021", "2022"],
    "**2021–2022**": ["2021/2022"],
    "1984 copies were sold": [],
    "1234 - 5678 parts": [],
    "- 1984 copies were sold": [],
    "- 2021 copies": [],
    "2021 nobody": [],
    "They counted\n2000\nof them": [],
    "Room\n2021\n": [],
    "5000: a number": [],
    "at\n2020:30": [],
    "Pages\n1990: a count": [],
}


@pytest.mark.parametrize(("text", "expected"), LINES.items())
def test_a_year_that_opens_an_entry_or_a_heading_is_read(text: str, expected: list[str]) -> None:
    assert found(text) == expected


def test_dots_put_the_day_first_and_strokes_the_month() -> None:
    assert (one("on 4.5.2019").interval, one("on 4.5.2019").flags) == (TimeInterval.parse("2019-05-04"), ("ambiguous_order",))
    assert found("on 06.01.2021, on 13.01.2021, on 4/5/2019") == ["2021-01-06", "2021-01-13", "2019-04-05"]
    assert found("on 4/5/2019", date_order="DMY") == ["2019-05-04"]


def test_thousands_separators_neither_hide_nor_make_a_year() -> None:
    assert found("1,500 BC") == ["-1499"]
    assert found("in 1,905 of them, between 1,500 and 1,600 people") == []


def test_last_century_in_chinese_is_counted_from_today_when_there_is_one() -> None:
    assert found("上世纪八十年代", today=None) == ["198X"]
    assert found("上世纪八十年代", today="1950-01-01") == ["188X"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He left after the 2013 / 14 season .", ["2015/.."]),
        ("The 2013 / 14 season was long.", ["2013/2014"]),
        ("in the 2003/04 season", ["2003/2004"]),
        ("2003/04", ["2003-04"]),
        ("The 1971 holiday season was good.", ["1971"]),
        ("They sold it for the 1971 season only.", ["1971"]),
        ("He won the 1998 Nobel Prize.", ["1998"]),
        ("He wrote the 1500 Club.", []),
        ("the 1984 men", []),
    ],
)
def test_a_year_before_a_season_or_a_name_is_read(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "She spent her last years in Rome.",
        "She wore none until her last year.",
        "Ann's last days were dull.",
        "in the last years of his life",
        "in the last two weeks of the war",
        "He showed confidence in tomorrow.",
    ],
)
def test_last_years_of_somebody_and_trust_in_tomorrow_are_no_dates(text: str) -> None:
    assert found(text) == []


def test_last_year_without_an_owner_still_counts_from_today() -> None:
    assert found("last year's results, the last week of 2016, and its last year") == ["2017", "2016-W52", "2017"]


@pytest.mark.parametrize(
    ("text", "today", "written"),
    [
        ("before the 1st century", None, ["../-0001"]),
        ("in the 1st century", None, ["00XX"]),
        ("before Monday", "-9999-01-01", []),
        ("after this decade", "9999-12-31", []),
    ],
)
def test_times_at_the_ends_of_digits_and_calendar_are_written_so_that_they_can_be_read(
    text: str, today: str | None, written: list[str]
) -> None:
    found = [str(expression.interval) for expression in find_expressions(text, today=today)]
    assert found == written
    assert [TimeInterval.parse(one).end for one in found] == [e.interval.end for e in find_expressions(text, today=today)]
