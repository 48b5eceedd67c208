"""Questions taken apart into what they ask and when; every expected value is worked out by hand."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.temporal import CalendarSettings, QueryScope, TimeInterval, check_sides, parse_scope


def times(question: str, today: str | None = None) -> list[str]:
    """The times of a question in EDTF."""
    return [str(time) for time in parse_scope(question, today=today).times]


SCOPES = {
    "Who owned the house from 1811 to 1827?": ("Who owned the house?", ["1811/1827"]),
    "Who owned the house before Mar 1811?": ("Who owned the house?", ["../1811-02"]),
    "What club did he coach in late 1970s?": ("What club did he coach?", ["1977/1979"]),
    "From 1984 to 1996, Moudud Ahmed led which party?": ("Moudud Ahmed led which party?", ["1984/1996"]),
    "In 1960, where was he going to school?": ("Where was he going to school?", ["1960"]),
    "In the duration of time from 1860 to 1875, who lived there?": ("Who lived there?", ["1860/1875"]),
    "In the years from 2007 to 2009, what was built?": ("What was built?", ["2007/2009"]),
    "Which team did he play for from 2013 to 2014?": ("Which team did he play for?", ["2013/2014"]),
    "What branch did he serve in from 1966 to 1971?": ("What branch did he serve in?", ["1966/1971"]),
    "Anna's husband in Feb 1967 went by what name?": ("Anna's husband went by what name?", ["1967-02"]),
    "How did prices change between 1976 and 1991 ?": ("How did prices change?", ["1976/1991"]),
    "Who led the bank in 1995 and 1999?": ("Who led the bank?", ["1995", "1999"]),
    "Who led the bank between 1995 and 1999?": ("Who led the bank?", ["1995/1999"]),
    "Who won (2008)?": ("Who won?", ["2008"]),
    "events in March 2015 (or April 2016)": ("events", ["2015-03", "2016-04"]),
    "Who played for them in the 1998 season?": ("Who played for them?", ["1998"]),
    "What was the profit in Q3 2021 compared with Q3 2020?": ("What was the profit?", ["2020-35", "2021-35"]),
    "Who ruled in 44 BC?": ("Who ruled?", ["-0043"]),
    "Who held the office until 1920?": ("Who held the office?", ["../1920"]),
    "As of 2019, who is the chair?": ("Who is the chair?", ["../2019"]),
    "Most home runs in a season before 1988.": ("Most home runs in a season.", ["../1987"]),
    "What happened?": ("What happened?", []),
    "Every year since 2010, who won?": ("Who won?", ["2010/.."]),
    "What stood here c. 1900?": ("What stood here?", ["1900"]),
    "Compare the harbour in 1905 with that of 1911": ("Compare the harbour", ["1905", "1911"]),
    "How did revenue in 2019 compare to 2021?": ("How did revenue compare?", ["2019", "2021"]),
    "What was revenue in 2019 compared to 2021?": ("What was revenue?", ["2019", "2021"]),
    "How does the harbour of 1905 differ from that in 1911?": ("How does the harbour differ?", ["1905", "1911"]),
    "How was trade in 2021 different from 2019?": ("How was trade different?", ["2019", "2021"]),
    "Compare 1905 and 1911.": ("Compare.", ["1905", "1911"]),
    "revenue 2019 vs. 2021": ("revenue", ["2019", "2021"]),
    "Compare 2019 and 2021 revenue": ("Compare revenue", ["2019", "2021"]),
    "What happened in the years 1901, 1903 and 1905?": ("What happened?", ["1901", "1903", "1905"]),
    "What was the 2021 budget?": ("What was the budget?", ["2021"]),
    "Did more people die in 1905 than 1911?": ("Did more people die?", ["1905", "1911"]),
    "Did more than 1500 die in 1905?": ("Did more than 1500 die?", ["1905"]),
    "比较2019和2021年的收入": ("比较收入", ["2019", "2021"]),
    "1990至1995年但不包括1993年谁赢了？": ("谁赢了？", ["1990/1992", "1994/1995"]),
    "除了1993年，1990年代发生了什么？": ("发生了什么？", ["1990/1992", "1994/1999"]),
    "1990至1995年间，除1993年外，谁是市长？": ("谁是市长？", ["1990/1992", "1994/1995"]),
    "除1993年和1994年外，1990年代谁赢了？": ("谁赢了？", ["1990/1992", "1995/1999"]),
    "1990至1995年谁是市长（不含1993年）？": ("谁是市长？", ["1990/1992", "1994/1995"]),
    "1993年以外发生了什么？": ("发生了什么？", ["../1992", "1994/.."]),
    "上世纪八十年代谁是市长？": ("谁是市长？", ["198X"]),
    "在2015年之前谁是市长？": ("谁是市长？", ["../2014"]),
    "谁在1995年和1999年领导银行？": ("谁领导银行？", ["1995", "1999"]),
}


@pytest.mark.parametrize(("question", "scope"), SCOPES.items())
def test_the_core_reads_as_a_question_with_no_crumbs_of_the_date(question: str, scope: tuple[str, list[str]]) -> None:
    parsed = parse_scope(question)
    assert (parsed.core, [str(time) for time in parsed.times]) == scope


def test_a_bare_year_is_a_doubtful_time_where_the_question_supports_it_and_told_where_it_does_not() -> None:
    (first, second) = parse_scope("revenue 2019 vs. 2021").expressions
    assert (first.confidence, first.flags, second.confidence) == (0.5, ("bare",), 0.5)
    for question in ("Who wrote 1984?", "What does 1984 say about power?", "Tell me about the Olympics 2012"):
        parsed = parse_scope(question)
        assert (parsed.times, [u.reason for u in parsed.unresolved], parsed.core) == ((), ["bare_year"], question)
    assert [u.text for u in parse_scope("Is Windows 2000 compared with XP?").unresolved] == ["2000"]


@pytest.mark.parametrize(
    "question",
    [
        "Who worked in room 2019?", "Which gate had flight 1905?", "What does RFC 2119 say?", "What is new in version 2021?",
        "Who reads chapter 1001?", "Who rents suite 2100?", "Who paid $2000?", "Who owns 1984 copies?", "Who paid 1,905 dollars?",
        "How many of the 2000 soldiers died?", "房间2019里有谁？", "谁卖了2000张票？",
    ],
)  # fmt: skip
def test_numbers_that_number_or_count_are_no_years(question: str) -> None:
    parsed = parse_scope(question)
    assert (parsed.times, parsed.unresolved, parsed.core) == ((), (), question)


def test_the_two_sides_of_a_comparison_are_not_cut_to_what_they_share() -> None:
    assert times("How did the 1990s compare with the year 1995?") == ["1990/1999"]


def test_a_range_told_backwards_is_turned_round_and_flagged() -> None:
    for question in ("What happened from 1911 to 1901?", "What happened between 1911 and 1901?"):
        parsed = parse_scope(question)
        assert ([str(t) for t in parsed.times], parsed.core) == (["1901/1911"], "What happened?")
        assert parsed.expressions[0].flags == ("reversed",)
    assert times("What happened from May 2019 to January 2018?") == ["2018-01/2019-05"]


def test_thousands_belong_to_their_number() -> None:
    parsed = parse_scope("What stood here 10,000 years ago?", today="2025-06-01")
    assert ([str(t) for t in parsed.times], parsed.core) == (["-7975"], "What stood here?")
    assert [u.text for u in parse_scope("What stood here 10,000 years ago?").unresolved] == ["10,000 years ago"]
    far = parse_scope("What stood here 20,000 years ago?", today="2025-06-01")
    assert (far.times, [(u.text, u.reason) for u in far.unresolved]) == ((), [("20,000 years ago", "beyond_calendar")])


def test_over_belongs_to_the_stretch_of_time_it_leads_to() -> None:
    parsed = parse_scope("What did rents do over the last ten years", today="2025-06-01")
    assert ([str(t) for t in parsed.times], parsed.core) == (["2015/2024"], "What did rents do")
    assert times("Is it over 2000 feet high?") == []


def test_exclusions_are_taken_out_and_facing_sides_meet() -> None:
    assert times("show sales after 2010 and before 2018 or before 2000 but not 1998") == ["../1997", "1999", "2011/2017"]
    assert times("sales in the 1990s except in 1995") == ["1990/1994", "1996/1999"]
    assert times("Which laws passed before 2001 or after 2010?") == ["../2000", "2011/.."]
    assert times("Who was chair since 2010 until 2015?") == ["2010/2015"]
    assert times("Who won, but not in 2003?") == ["../2002", "2004/.."]
    assert times("What did he do in the 1990s in 1995?") == ["1995"]


def test_a_time_that_only_describes_a_thing_does_not_limit_the_question() -> None:
    assert times("The German who was born on 2 March 1911 held what position from Apr 1939 to Jul 1941?") == ["1939-04/1941-07"]
    assert times("A school, established in 1960, was located in which county from 1996 to 2008?") == ["1996/2008"]
    assert times("Which schools did the 2002 to 2008 coach attend from 1982 to 1985?") == ["1982/1985"]
    assert times("What school was founded in 1894?") == ["1894"]


@pytest.mark.parametrize(
    "decorated",
    [
        "\ninput is Who led the bank in 1995?\n", "input: Who led the bank in 1995?", "  Who led  the bank\nin 1995?\n\n",
        '"Who led the bank in 1995?"', "Question: Who led the bank in 1995?", "Query: Who led the bank in 1995?",
    ],
)  # fmt: skip
def test_questions_as_agents_send_them_are_undressed(decorated: str) -> None:
    parsed = parse_scope(decorated)
    assert (parsed.question, parsed.core, [str(t) for t in parsed.times]) == (
        "Who led the bank in 1995?",
        "Who led the bank?",
        ["1995"],
    )


EVENTS = {
    "Who was mayor after Obama became president?": "after Obama became president",
    "What did she write while she was at Oxford?": "while she was at Oxford",
    "Who was the head of Poland before Waldemar Pawlak?": "before Waldemar Pawlak",
    "Which team did he play for after F.C. Arouca?": "after F.C. Arouca",
    "What changed since the 2008 election?": "since the 2008 election",
    "What happened during World War II?": "during World War II",
    "While he was in Rome, what did he paint?": "While he was in Rome",
    "What happened between 2010 and the fall of Kabul?": "between 2010 and the fall of Kabul",
}


@pytest.mark.parametrize(("question", "clause"), EVENTS.items())
def test_a_clause_that_names_an_event_is_left_unresolved_and_stays_in_the_core(question: str, clause: str) -> None:
    parsed = parse_scope(question)
    assert [(u.text, u.reason) for u in parsed.unresolved] == [(clause, "event")]
    assert parsed.times == ()
    assert parsed.core == question
    start, end = parsed.unresolved[0].span
    assert parsed.question[start:end] == clause


@pytest.mark.parametrize(
    "question", ["When did the war end?", "Who was named after Lincoln?", "Who looks after him?", "Why not before?"]
)
def test_other_uses_of_the_cue_words_name_no_event(question: str) -> None:
    assert parse_scope(question).unresolved == ()


def test_a_relative_time_needs_today() -> None:
    parsed = parse_scope("What happened last year?")
    assert (parsed.core, parsed.times, [u.reason for u in parsed.unresolved]) == ("What happened?", (), ["needs_today"])
    assert times("What happened last year?", today="2024-05-15") == ["2023"]


def test_g40_when_it_was_written_is_kept_apart_from_what_it_is_about() -> None:
    parsed = parse_scope("reports written last month about 2015", today="2024-05-15")
    assert [str(t) for t in parsed.published_times] == ["2024-04"]
    assert [str(t) for t in parsed.times] == ["2015"]
    assert parsed.core == "reports"
    minutes = parse_scope("minutes of October 2018 about roads")
    assert ([str(t) for t in minutes.published_times], minutes.times) == (["2018-10"], ())
    said = parse_scope("What was said in 2018?")
    assert (said.published_times, [str(t) for t in said.times]) == ((), ["2018"])
    assert times("Which novel was published in 1925?") == ["1925"]


def test_g4_a_before_may_not_become_a_lower_bound() -> None:
    question = "Which videos were published before 2024?"
    checked = check_sides(question, [TimeInterval.parse("2024/..")])
    assert checked.intervals == (TimeInterval.parse("../2023"),)
    assert str(checked.conflicts[0]) == "'before 2024' in the question rules out 2024/..: kept ../2023"
    right = check_sides(question, [TimeInterval.parse("../2023")])
    assert (right.intervals, right.conflicts) == ((TimeInterval.parse("../2023"),), ())
    narrower = check_sides(question, [TimeInterval.parse("2020/2022")])
    assert (narrower.intervals, narrower.conflicts) == ((TimeInterval.parse("2020/2022"),), ())
    wider = check_sides(question, [TimeInterval.parse("2020/2025")])
    assert (wider.intervals, len(wider.conflicts)) == ((TimeInterval.parse("2020/2023"),), 1)
    assert check_sides("Which videos?", [TimeInterval.parse("2024")]).conflicts == ()


def test_until_includes_its_year_in_a_question_unless_the_settings_say_otherwise() -> None:
    assert times("Who ruled until 1920?") == ["../1920"]
    strict = parse_scope("Who ruled until 1920?", settings=CalendarSettings(until="exclusive"))
    assert [str(t) for t in strict.times] == ["../1919"]


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=150))
def test_any_question_has_a_core_and_sorted_disjoint_times(question: str) -> None:
    parsed = parse_scope(question, today="2016-11-07")
    assert isinstance(parsed, QueryScope)
    assert parsed.core or not parsed.question
    assert all(a.end is not None and b.start is not None and a.end < b.start for a, b in pairwise(parsed.times))


JUMBLE = re.findall(
    r"\S+", "Who led it in 1995 and 1999 before since the fall of 2003 but not reports written last year from May ?"
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(JUMBLE)).map(" ".join))
def test_any_jumble_of_question_words_has_a_core(question: str) -> None:
    parsed = parse_scope(question, today="2016-11-07")
    assert parsed.core or not parsed.question


def test_importing_the_time_kernel_loads_neither_numpy_nor_pandas() -> None:
    code = "import sys, chronotope.temporal; print(sorted({'numpy', 'pandas', 'pyranges', 'ncls'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
