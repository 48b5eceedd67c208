"""What kind of answer a question wants: a table worked by hand, English and Chinese, and what no cue may be."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.events.answer.classes import HEURISTICS, QuestionClass, question_class
from chronotope.temporal.scope import parse_scope

QUESTIONS: dict[QuestionClass, tuple[str, ...]] = {
    "point": (
        "Who owned the Harcourt Mill from 1811 to 1827?",
        "Who owned the Harcourt Mill before Mar 1811?",
        "Who owned the Harcourt Mill after Jun 1926?",
        "Which team did Paulo Reis play for in May 2013?",
        "Which position did Anna Descombes hold between Mar 2010 and Apr 2012?",
        "Ilse Brandt had her home in which city in late 1970s?",
        "Tell me the sport that Rio Hartono was engaging in in Jul 2010?",
        "What was the name of the head of Wolf Film School before Dec 1958?",
        "Who was king when the bridge collapsed?",
        "The Otters team played for what league from Jul 2018 to Jul 2019?",
        "Which association or organisation was joined by Meg Wilmot in Oct 2001?",
        "Which party was Pavel Novak a member of as of 1992?",
        "Who was the first lady in 1975?",
        "Who was prime minister last year?",
        "Who led the firm in the first quarter of 2010?",
        "Where did she live during the First World War?",
        "What was the official name of Klemburg as of 1917?",
        "Who won the cup in 1956?",
        "In which city was the fleet based in 1943?",
        "Did the Otters win the cup in 1956?",
        "Who won Nordland's Next Top Model in 2018?",
        "What was the village of Klem named after in 1917?",
        "What type of planes were flown by the squadron in Mar 1944?",
        "Count Oxberg joined which academy in 1804?",
        "Which holding company took over the Lange brand in 2005?",
        "What is the first and last name of the head of the service in Nov 2012?",
        "Who had more than three children in 1850?",
        "Where was the ship, then called Aetos, registered after Dec 1991?",
        "1958年校长是谁？",
        "谁在2003年至2005年担任主席？",
        "1943年舰队驻扎在哪里？",
    ),
    "continuity": (
        "Was Lea Hofer still at the observatory in 1950?",
        "Did the company remain in Lyon throughout the war?",
        "Was he the mayor of Aldport in 1962?",
        "Did she live in Turin from 1931 to 1935?",
        "Is the ferry in service as of 2019?",
        "Did the institute exist in 1944?",
        "Had the abbey already been founded in 1100?",
        "Was the mine in use without interruption between 1880 and 1910?",
        "Were they married in Nov 1989?",
        "Was the station no longer manned after 2004?",
        "1950年她是否在天文台工作？",
        "战争期间公司仍在里昂吗？",
        "1962年他是不是市长？",
    ),
    "boundary": (
        "When did Mara Quist become director?",
        "When was the north wing added?",
        "When did the strike end?",
        "In what year did the ferry begin to run?",
        "Which years did he play for the Otters?",
        "Since when has the bank been state-owned?",
        "Until when was the fort garrisoned?",
        "What was the last team Paulo Reis played for?",
        "Who was the first owner of the mill?",
        "Who won the latest race as of 2018?",
        "What was the first capital of Klamora County before Nov 1852?",
        "On what date was the treaty signed?",
        "How long ago was the abbey founded?",
        "Who held the office for the first time in the 1960s?",
        "What is the earliest report about the comet?",
        "她什么时候成为馆长？",
        "这座桥哪一年建成？",
        "谁是首任校长？",
        "最后一任总督是谁？",
    ),
    "aggregate": (
        "How many bridges were built between 1900 and 1920?",
        "How long did Otto Lang serve as treasurer?",
        "For how long was the town occupied?",
        "How often did the river flood in the 1930s?",
        "List the mayors of Aldport from 1950 to 1970.",
        "Name all the clubs he coached before 2010.",
        "What was the total number of ships lost in 1942?",
        "Who were the owners of the house from 1916 to 1963?",
        "What groups had offices in the Car Barn from 1950 to 1956?",
        "Which positions did Anna Descombes hold in the 1980s?",
        "How much did the tower cost in all?",
        "1900年到1920年之间建了多少座桥？",
        "他担任财务主管多久？",
        "1950年至1970年有哪些市长？",
    ),
    "comparison": (
        "Did Lang serve longer than Brandt?",
        "Was the canal opened earlier than the railway?",
        "Which was founded first, the school or the hospital?",
        "Who held the chair longer, Lang or Brandt?",
        "Were there more strikes in 1910 than in 1920?",
        "Did Lang earn more than Brandt?",
        "WERE THERE FEWER FLOODS IN 1910 THAN IN 1920?",
        "Compare his first and his second term.",
        "Which of the governors served the longest?",
        "Did the terms of Lang and Brandt overlap?",
        "How many more seats did the party win in 1955 than in 1951?",
        "Was she director as long as her father?",
        "运河比铁路开通得更早吗？",
        "两位州长中谁的任期更长？",
    ),
    "order": (
        "What did Mara Quist do after she left the museum?",
        "Who owned the mill before it burned down?",
        "Who succeeded Otto Lang as treasurer?",
        "What happened next?",
        "In what order were the three wings built?",
        "How did her views on trade change between 1950 and 1970?",
        "Who was her predecessor at the academy?",
        "Which team did Reis join once his contract with Lazara ended?",
        "Give me the sequence of events of the siege.",
        "Who followed Brandt in the chair?",
        "她离开博物馆之后做了什么？",
        "奥托·朗的继任者是谁？",
        "三座侧楼的建造顺序是什么？",
    ),
}
CASES = [(question, kind) for kind, questions in QUESTIONS.items() for question in questions]


@pytest.mark.parametrize(("question", "kind"), CASES)
def test_the_class_of_a_question_is_what_a_reader_would_say(question, kind):
    assert question_class(question) == kind


def test_the_table_holds_at_least_sixty_questions_of_all_classes():
    assert len(CASES) >= 60
    assert set(QUESTIONS) == set(get_args(QuestionClass))


@pytest.mark.parametrize(
    "question", ["Who led the firm last year?", "Who led the firm three weeks ago?", "Who led the firm in the first half of 1990?"]
)
def test_a_word_inside_a_time_is_no_cue_with_and_without_a_day_to_count_from(question):
    assert question_class(question) == "point"
    assert question_class(question, parse_scope(question, today="2020-05-04")) == "point"


def test_a_before_with_a_date_limits_and_a_before_with_an_event_orders():
    dated = "Which club did he coach before June 1991?"
    assert question_class(dated) == "point"
    assert question_class(dated.replace("June 1991", "he moved to Lisbon")) == "order"


@pytest.mark.parametrize("kind", get_args(QuestionClass))
def test_every_class_has_a_heuristic_of_its_own(kind):
    assert len(HEURISTICS[kind].split()) > 20
    assert sum(HEURISTICS[kind] == other for other in HEURISTICS.values()) == 1


@given(st.text(max_size=80))
def test_any_text_has_one_of_the_six_classes(text):
    assert question_class(text) in get_args(QuestionClass)


@given(st.sampled_from(CASES))
def test_white_space_and_case_of_the_first_letter_change_nothing(case):
    question, kind = case
    assert question_class(f"  {question}\n") == kind
    assert question_class(question[0].lower() + question[1:]) == kind
