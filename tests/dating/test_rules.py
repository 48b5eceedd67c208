"""Dates of realistic prose by rules alone: full dates, crumbs behind them, and words that only look like dates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.dating import date_by_rules
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.settings import CalendarSettings

T = TimeInterval.parse
PLAIN = CalendarSettings()


def read(text: str, published: str | None = None, calendar: CalendarSettings = PLAIN) -> dict[str, str]:
    """What each stretch of words was read as, as far as rules place it."""
    found = date_by_rules(text, published=T(published) if published else None, calendar=calendar)
    return {expression.text: str(expression.interval) for expression in found.placed}


def unplaced(text: str, published: str | None = None) -> list[str]:
    found = date_by_rules(text, published=T(published) if published else None, calendar=CalendarSettings())
    return [crumb.text for crumb in found.unplaced]


def test_a_letter_of_2014_saying_last_week_resolves_against_2014() -> None:
    # 10 May 2014 was a Saturday: the week before began on Monday 28 April, the eighteenth week of the year
    assert read("Last week we moved.", "2014-05-10") == {"Last week": "2014-W18"}
    assert date_by_rules("Last week we moved.", published=T("2014-05-10"), calendar=CalendarSettings()).times[0].envelope == (
        T("2014-04-28").envelope[0],
        T("2014-05-04").envelope[1],
    )


def test_without_a_date_of_writing_last_week_stays_undated() -> None:
    assert read("Last week we moved.") == {}
    assert unplaced("Last week we moved.") == ["Last week"]


NEWS = "PARIS, 3 March 2011 (Wire) - The minister said on Tuesday that last month's talks had failed. Shares rose to 1,980 points."


def test_a_weekday_in_a_report_is_the_last_one_before_it() -> None:
    assert read(NEWS, "2011-03-03") == {"3 March 2011": "2011-03-03", "on Tuesday": "2011-03-01", "last month": "2011-02"}


def test_a_narrative_goes_on_from_its_last_full_date() -> None:
    text = "In March 1815 Napoleon landed near Antibes. In June he was beaten at Waterloo. On 22 June he abdicated."
    told = {"In March 1815": "1815-03", "In June": "1815-06", "On 22 June": "1815-06-22"}
    assert read(text) == told
    assert read(text, "2011") == told
    assert read(text, "2011-05-03") == told, "a date of writing two centuries later changes nothing"


def test_a_date_told_as_an_aside_anchors_nothing() -> None:
    text = "The firm, founded in May 1911, said in October it would close. On Tuesday it did."
    # 7 December 1998 was a Monday
    assert read(text, "1998-12-07") == {"in May 1911": "1911-05", "in October": "1998-10", "On Tuesday": "1998-12-01"}
    life = (
        "Marie Curie (7 November 1867 – 4 July 1934) was a physicist. In 1903 she shared a prize; eight years later she won again."
    )
    assert read(life)["eight years later"] == "1911"


def test_a_day_or_month_behind_a_year_lies_in_that_year() -> None:
    assert read("In 1066, on 14 October, Harold fell.") == {"In 1066": "1066", "on 14 October": "1066-10-14"}
    assert read("The strikes of 1905 spread, and in December Moscow rose.")["in December"] == "1905-12"


def test_a_weekday_behind_a_year_alone_is_not_guessed() -> None:
    assert read("In 1905 strikes broke out. On Tuesday he left.") == {"In 1905": "1905"}


def test_units_later_are_counted_from_the_date_before() -> None:
    text = "On 12 June 1815 he left Paris. Two days later he crossed the river. The following spring he was an exile."
    assert read(text) == {"On 12 June 1815": "1815-06-12", "Two days later": "1815-06-14", "The following spring": "1816-21"}
    assert read("The law of 1832 was repealed in the following year.")["in the following year"] == "1833"
    assert read("In the 1860s the town grew. A decade later the mill closed.")["A decade later"] == "187X"


@pytest.mark.parametrize(
    ("text", "words", "time"),
    [
        ("The war began in September 1939. Later that year he left.", "Later that year", "1939"),
        ("He came on 4 May 1931. In the same month she left.", "In the same month", "1931-05"),
        ("In January 1709 the rivers froze. That spring bread was dear.", "That spring", "1709-21"),
        ("In January 1709 the rivers froze. That winter many died.", "That winter", "1708-24"),
        ("In 1812 he marched. That winter many died.", "That winter", "1812-24"),
        ("On 4 May 1931 he came. That evening she left.", "That evening", "1931-05-04"),
        ("On 12 June 1815 he left; on the 18th he was beaten.", "on the 18th", "1815-06-18"),
        ("On 29 June 1815 he left; on the 2nd, he arrived.", "on the 2nd", "1815-07-02"),
    ],
)
def test_words_that_point_back_take_the_unit_of_the_last_date(text: str, words: str, time: str) -> None:
    assert read(text)[words] == time


def test_words_that_point_back_to_nothing_are_told_and_not_guessed() -> None:
    assert unplaced("Later that year he left.", "1939-09-01") == ["Later that year"]
    assert read("In the 1860s he came. In the same month she left.") == {"In the 1860s": "186X"}
    assert unplaced("In the 1860s he came. In the same month she left.") == ["In the same month"]
    assert unplaced("That day we laughed.") == [], "too common in stories to be worth a report"


def test_the_eighteenth_of_anything_else_is_no_day() -> None:
    text = "On 12 June 1815 he left; on the 18th floor, on the 19th century, on the 2nd hole."
    assert set(read(text)) <= {"On 12 June 1815", "on the 19th century"}


def test_a_sentence_that_looks_ahead_means_the_next_such_day() -> None:
    minutes = "The minutes of 6 September were approved. The next meeting is on 1 November. On 3 February they shall meet again."
    told = {"of 6 September": "2018-09-06", "on 1 November": "2018-11-01", "On 3 February": "2019-02-03"}
    assert read(minutes, "2018-10-04") == told
    assert (
        read("The vote will be held on 1 November.", "2018-10-04", CalendarSettings(prefer="past"))["on 1 November"] == "2017-11-01"
    )


@pytest.mark.parametrize(
    ("text", "words", "time"),
    [
        ("I will say again as I did on Monday: no.", "on Monday", "1993-02-15"),  # 17 February 1993 was a Wednesday
        ("The next day, on 4 January, he left.", "on 4 January", "1993-01-04"),
        ("The events of 11 September will not be forgotten.", "of 11 September", "1992-09-11"),
    ],
)
def test_a_word_of_the_future_elsewhere_in_the_sentence_does_not_move_the_past(text: str, words: str, time: str) -> None:
    assert read(text, "1993-02-17")[words] == time


def test_what_is_still_open_ends_with_the_date_of_writing() -> None:
    assert read("Since 1998 it has fallen.", "2011-05-03") == {"Since 1998": "1998-01-01/2011-05-03"}
    assert read("Since 1998 it has fallen.") == {"Since 1998": "1998/.."}


def test_31_april_falls_back_to_april_and_is_flagged() -> None:
    (found,) = date_by_rules("They met on 31 April 2018.", published=None, calendar=CalendarSettings()).placed
    assert (str(found.interval), "impossible_date" in found.flags) == ("2018-04", True)


@pytest.mark.parametrize(
    "text",
    [
        "Julian may go on; Chapter 12 of 30; suite 1900; he was 44; version 2.3.1; Room 1408.",
        "Boeing 747 cost 1,914 dollars; 1850 men marched on page 1999; the march of progress.",
        "August Strindberg wrote in a mayor's May Street house.",
    ],
)
def test_names_and_numbers_are_no_dates(text: str) -> None:
    assert read(text) == {}


def test_birth_and_death_are_dates_of_their_own() -> None:
    text = "Ada Lovelace (born 10 December 1815; died 27 November 1852). Between 1842 and 1843 she translated an article."
    assert read(text) == {"10 December 1815": "1815-12-10", "27 November 1852": "1852-11-27", "Between 1842 and 1843": "1842/1843"}


def test_times_come_once_each_and_in_order_of_time() -> None:
    found = date_by_rules("In 1990, in 1985 and again in 1990.", published=None, calendar=CalendarSettings())
    assert found.times == (T("1985"), T("1990"))


def test_a_long_text_without_a_break_is_read_in_near_linear_time() -> None:
    import time

    def seconds(count: int) -> float:
        began = time.process_time()
        date_by_rules(
            "In May 1990 he will go on 4 June and that year came. " * count, published=T("2000-01-01"), calendar=CalendarSettings()
        )
        return time.process_time() - began

    seconds(1)
    assert seconds(160) < 10 * max(seconds(40), 0.02)


def test_what_follows_is_counted_from_the_story_and_not_from_the_date_of_writing() -> None:
    text = (
        "On 12 June 1815 he left. Two days later he crossed the river. The next morning, he fought. A week earlier he had rested."
    )
    assert read(text, "2011-05-03") == {
        "On 12 June 1815": "1815-06-12",
        "Two days later": "1815-06-14",
        "The next morning": "1815-06-15",
        "A week earlier": "1815-06-08",
    }


def test_what_follows_nothing_is_told_and_not_counted_from_the_date_of_writing() -> None:
    assert read("Two days later he crossed the river.", "2011-05-03") == {}
    assert unplaced("Two days later he crossed the river.", "2011-05-03") == ["Two days later"]


def test_a_speaker_counts_the_next_year_from_the_day_of_the_speech() -> None:
    assert read("In the next year we shall build. Later this year we vote.", "1966-01-12")["In the next year"] == "1967"


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("It was the first American splashdown with a crew since 24 July 1975.", {"since 24 July 1975": "1975-07-24"}),
        ("Prices rose to the highest level since 2008.", {"since 2008": "2008"}),
        ("It is a step beyond what was reached since 1972.", {"since 1972": "1972"}),
        ("It was the first time the club had won since 1990.", {"since 1990": "1990"}),
        ("The first mill has stood there since 1990.", {"since 1990": "1990-01-01/2020-09-30"}),
        ("He was the last mayor. Since 1998 the house has been shut.", {"Since 1998": "1998-01-01/2020-09-30"}),
    ],
)
def test_the_first_since_a_year_tells_of_that_year_alone(text: str, times: dict[str, str]) -> None:
    assert read(text, "2020-09-30") == times


@pytest.mark.parametrize(
    ("text", "told", "time"),
    [
        ("In 1910 he was elected. The works opened in May of that year.", "in May of that year", "1910-05"),
        ("By 1890 the works had 240 people, and in the summer of that year they grew.", "in the summer of that year", "1890-22"),
        (
            "The merger came on 14 March 1907. He left at the end of the same year.",
            "at the end of the same year",
            "1907-09/1907-12",
        ),
        ("In 1910 he was elected. On 3 May of that year he spoke.", "On 3 May of that year", "1910-05-03"),
    ],
)
def test_a_part_of_that_year_counts_from_the_last_date_and_not_from_the_date_of_writing(text: str, told: str, time: str) -> None:
    assert read(text, "1926-09-15")[told] == read(text)[told] == time


def test_a_part_of_that_year_without_a_year_before_it_stays_undated() -> None:
    assert read("The works opened in May of that year.", "1926-09-15") == {}
    assert unplaced("The works opened in May of that year.", "1926-09-15") == ["of that year"]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        (
            "She lost on 12 February 1903. She paid within a week.",
            {"on 12 February 1903": "1903-02-12", "within a week": "1903-02-12/1903-02-18"},
        ),
        (
            "It burned in May 1896, and orders doubled within two months.",
            {"in May 1896": "1896-05", "within two months": "1896-05-01/1896-07-30"},
        ),
        ("She paid within a week.", {}),
        ("In two years the works employed 300 people.", {}),
        ("We will pay within a week.", {"within a week": "1931-05-10/1931-05-16"}),
    ],
)
def test_a_length_told_in_the_past_counts_from_the_last_date_of_the_story(text: str, times: dict[str, str]) -> None:
    assert read(text, "1931-05-10") == times


@pytest.mark.parametrize(
    ("text", "since", "time"),
    [
        ("The cashier, whom she had trusted since 1894, was arrested in May 1902.", "since 1894", "1894-01/1902-05"),
        ("They sued on 6 May 1901, because the works had sold glass since 1899.", "since 1899", "1899-01-01/1901-05-06"),
        ("Since 1894 she had been blind in one eye.", "Since 1894", "1894-01-01/1916-11-21"),
        ("In 1912 Ann Lee, who is said to have led it since 1905, refused.", "since 1905", "1905/1912"),
        ("Ann Lee, who had led the strike of 1904, has run the hall since 1905.", "since 1905", "1905-01-01/1916-11-21"),
        ("Chairman since 1905.", "since 1905", "1905-01-01/1916-11-21"),
    ],
)
def test_since_in_the_past_tense_ends_with_a_date_of_its_sentence_else_at_most_with_the_date_of_writing(
    text: str, since: str, time: str
) -> None:
    assert read(text, "1916-11-21")[since] == time


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("She persuaded the creditors to wait until 1900.", ["1900"]),
        ("The mill did not open until May 1900.", ["1900-05"]),
        ("The sale was postponed until 3 May 1900.", ["1900-05-03"]),
        ("It was not paid until the end of 1900.", ["1900"]),
        ("She kept the mill until 1900.", ["../1899"]),
    ],
)
def test_what_waits_until_a_date_happens_then_and_only_a_state_lasts_up_to_it(text: str, times: list[str]) -> None:
    found = date_by_rules(text, published=None, calendar=PLAIN).placed
    assert [str(one.interval) for one in found] == times
    assert all((one.relation == "until") is (one.interval.start is None) for one in found)


def test_a_bare_weekday_goes_on_from_a_near_day_and_from_nothing_else() -> None:
    # 3 May 1904 was a Tuesday
    filler = "Nothing happened in the town for a long while. " * 9
    assert read("On 3 May 1904 they struck. On Thursday they met.")["On Thursday"] == "1904-05-05"
    assert unplaced(f"On 3 May 1904 they struck. {filler}On Thursday they met.") == ["On Thursday"]
    assert unplaced("In May 1904 they struck. On Thursday they met.") == ["On Thursday"]


def test_what_takes_place_on_a_weekday_lies_ahead() -> None:
    # 21 November 1916 was a Tuesday
    assert read("The burial takes place on Thursday.", "1916-11-21") == {"on Thursday": "1916-11-23"}


def test_a_season_behind_until_counts_from_the_year_named_there() -> None:
    text = "In 1826 they came. It was ignored until 1843, when wagons came in the summer."
    assert read(text)["in the summer"] == "1843-22"


PIECES = [
    "On 13 January 1964 he spoke. ",
    "In May 1902, ",
    "They met within a week. ",
    "In the first months they failed. ",
    "In two years it was done. ",
    "Since 1894 she had been blind. ",
    "They waited until 1900. ",
    "In May of that year, ",
    "That spring, ",
    "On Tuesday he left. ",
    "Two years later, ",
    "By 1890 it had closed. ",
    "In the early years it lost money. ",
    "A year earlier, ",
    "The next morning, ",
    "from 1914 to 1911, ",
    "in 44 BC, ",
    "He left. ",
]


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.sampled_from([None, "1916-11-21", "1964-01-13", "1890", "-0043"]))
def test_no_order_of_dates_and_crumbs_breaks_reading(pieces: list[str], published: str | None) -> None:
    found = date_by_rules("".join(pieces), published=T(published) if published else None, calendar=PLAIN)
    assert all(time.start is None or time.end is None or time.start <= time.end for time in found.times)
