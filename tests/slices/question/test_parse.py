"""Questions and what they ask, thought out by hand over two small stories."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph import build_graph
from chronotope.slices.ontology import Ontology
from chronotope.slices.question import parse_question
from chronotope.slices.question.labels import RelationLabels
from chronotope.slices.question.names import NameTable
from chronotope.temporal.interval import Interval
from support_story_questions import dated, day, ordered, ticks

CHAPTERS = [
    ("Who served Xifeng in chapter 7?", ticks((7, 8))),
    ("Who met in chapters 3 to 5?", ticks((3, 6))),
    ("Who met in chapters 3-5?", ticks((3, 6))),
    ("In chapters 3, 5 and 7, who rode?", ticks((3, 4), (5, 6), (7, 8))),
    ("Who was alive before chapter nine?", ticks((None, 9))),
    ("Who came after chapter IX?", ticks((10, None))),
    ("Who came since chapter 9?", ticks((9, None))),
    ("Who came from chapter 3 onwards?", ticks((3, None))),
    ("What had happened by the end of chapter 4?", ticks((None, 5))),
    ("Who rode before the end of chapter 4?", ticks((None, 5))),
    ("Who appears in the first ten chapters?", ticks((1, 11))),
    ("Who appears in the last three chapters of the book?", ticks((10, 13))),
    ("Who appears in the third chapter?", ticks((3, 4))),
    ("Who appears in the third and fifth chapters?", ticks((3, 4), (5, 6))),
    ("Who met between chapter 3 and chapter 5?", ticks((3, 6))),
    ("Who wept after chapter 3 and before chapter 9?", ticks((4, 9))),
    ("Who wept before chapter 3 and after chapter 9?", ticks((None, 3), (10, None))),
    ("Who wept in chapters 3 to 9 but not in chapter 5?", ticks((3, 5), (6, 10))),
    ("Who wept except in chapter 5?", ticks((None, 5), (6, None))),
    ("Who wept in ch. 12?", ticks((12, 13))),
    ("How old is Ann when the story begins?", ticks((1, 2))),
    ("Who is left at the end of the book?", ticks((12, 13))),
    ("第七回誰來了？", ticks((7, 8))),
    ("前八回中誰死了？", ticks((1, 9))),
    ("最後三回誰死了？", ticks((10, 13))),
    ("第三至五回發生了什麼？", ticks((3, 6))),
    ("從第三回到第五回誰在場？", ticks((3, 6))),
    ("第三、五、七回裡誰哭了？", ticks((3, 4), (5, 6), (7, 8))),
    ("第九回之前誰管家？", ticks((None, 9))),
    ("第九回以後誰管家？", ticks((10, None))),
    ("除第四回外，誰哭了？", ticks((None, 4), (5, None))),
    ("故事開頭時英蓮幾歲？", ticks((1, 2))),
    ("在第12章里誰來了？", ticks((12, 13))),
]
TOLD = [
    ("What are we told in chapter 5?", ticks((5, 6))),
    ("What does chapter 5 say about the temple?", ticks((5, 6))),
    ("According to chapter 5, who lit the lamp?", ticks((5, 6))),
    ("Which deaths are mentioned in chapters 2 and 3?", ticks((2, 4))),
    ("第五回講了什麼？", ticks((5, 6))),
    ("第五回提到了誰？", ticks((5, 6))),
]
STORY = [
    ("Who served Xifeng before the investigation?", ticks((None, 4))),
    ("Who served Xifeng prior to the investigation?", ticks((None, 4))),
    ("Who served Xifeng until the investigation?", ticks((None, 5))),
    ("Who has served Xifeng since the investigation?", ticks((4, None))),
    ("Who served Xifeng after the investigation?", ticks((5, None))),
    ("Who wept during the fire?", ticks((6, 7))),
    ("Who wept when the temple burnt?", ticks((6, 7))),
    ("Who wept at the time of the fire?", ticks((6, 7))),
    ("Who wept when the Garden was searched?", ticks((4, 5))),
    ("Who was lost at the Lantern festival?", ticks((9, 10))),
    ("Who wept between the investigation and the fire?", ticks((5, 6))),
    ("Who wept after the investigation and before the fire?", ticks((5, 6))),
    ("Who wept before the investigation or after the fire?", ticks((None, 4), (7, None))),
    ("Who wept except during the fire?", ticks((None, 6), (7, None))),
    ("Who came before the second visit?", ticks((None, 8))),
    ("Who came three days after the fire?", ticks((9, 10))),
    ("Who served Xifeng after Keqing died?", ticks((6, None))),
    ("Where did he live before Ann married Tom?", ticks((None, 2))),
    ("Where did he live after Ann married Tom?", ticks((2, None))),
    ("抄檢之前誰伺候鳳姐？", ticks((None, 4))),
    ("抄檢大觀園以後誰伺候鳳姐？", ticks((5, None))),
    ("失火時誰哭了？", ticks((6, 7))),
    ("失火那天誰哭了？", ticks((6, 7))),
    ("秦可卿死後誰管家？", ticks((6, None))),
    ("元宵節那天誰走失了？", ticks((9, 10))),
    ("自從抄檢以來誰管家？", ticks((4, None))),
]
PLACED = [
    ("Who served Xifeng in the Garden?", ("the Garden",), ("Wang Xifeng",)),
    ("Who met Ann Lee at the Bower?", ("the Bower",), ("Ann Lee",)),
    ("Who slept in Bower Hall?", ("Bower Hall",), ()),
    ("Where is the Bower?", (), ("the Bower",)),
    ("Who owns the Garden?", (), ("the Garden",)),
    ("誰在大觀園伺候王熙鳳？", ("the Garden",), ("Wang Xifeng",)),
    ("瀟湘館裡住著誰？", ("the Bower",), ("the Bower",)),
    ("Who lives in the Bower?", ("the Bower",), ("the Bower",)),
    ("Who served Xifeng in 大觀園?", ("the Garden",), ("Wang Xifeng",)),
    ("Did anybody but Xifeng serve outside 大觀園?", (), ("Wang Xifeng",)),
    ("誰是大觀園的主人？", (), ("the Garden",)),
    ("How are Ping'er and Ann Lee related?", (), ("Ping'er", "Ann Lee")),
    ("平兒和鳳姐是什麼關係？", (), ("Ping'er", "Wang Xifeng")),
    ("Who served WANG XIFENG’s guests?", (), ("Wang Xifeng",)),
    ("who served xifeng?", (), ("Wang Xifeng",)),
]
DATED = [
    ("Who came in 1925?", ("1925",)),
    ("Who came in 1911 and 1925?", ("1911", "1925")),
    ("Who came between 1911 and 1920?", ("1911/1920",)),
    ("Who came before the strike?", ("../1911-02",)),
    ("Who came after the flood?", ("1926/..",)),
    ("Who came after Ann Lee died?", ("1931-02-04/..",)),
    ("Who came in May 1925?", ("1925-05",)),
    ("1925年誰來了？", ("1925",)),
    ("Who came after the strike and before the flood?", ("1911-04/1924",)),
]


@pytest.mark.parametrize(("question", "chapters"), CHAPTERS)
def test_chapters_are_read(question, chapters) -> None:
    scope = parse_question(question, ordered())
    assert (scope.chapters, scope.told) == (chapters, ())
    assert scope.unresolved == ()


@pytest.mark.parametrize(("question", "told"), TOLD)
def test_what_is_told_in_a_chapter_is_not_what_happens_then(question, told) -> None:
    scope = parse_question(question, ordered())
    assert (scope.told, scope.chapters) == (told, ())


def test_who_tells_a_secret_in_a_chapter_is_asked_of_the_story() -> None:
    scope = parse_question("Who told Ann Lee the secret in chapter 5?", ordered())
    assert (scope.chapters, scope.told) == (ticks((5, 6)), ())


@pytest.mark.parametrize(("question", "story"), STORY)
def test_landmarks_are_read(question, story) -> None:
    scope = parse_question(question, ordered())
    assert scope.story == story
    assert scope.landmarks
    assert scope.unresolved == ()


@pytest.mark.parametrize(("question", "places", "entities"), PLACED)
def test_a_place_limits_a_question_only_where_something_is_in_it(question, places, entities) -> None:
    scope = parse_question(question, ordered())
    assert (scope.places, scope.entities) == (places, entities)


@pytest.mark.parametrize(("question", "story"), DATED)
def test_dates_and_landmarks_of_a_calendar_are_read(question, story) -> None:
    scope = parse_question(question, dated())
    assert scope.story == tuple(day(text) for text in story)


def test_all_parts_of_the_example_of_the_paper_are_found() -> None:
    """Figure 6."""
    scope = parse_question("Who served Wang Xifeng in the Garden before the investigation?", ordered())
    assert (scope.places, scope.story, scope.entities) == (("the Garden",), ticks((None, 4)), ("Wang Xifeng",))
    assert scope.relations == ("serves",)
    assert scope.core == "Who served Wang Xifeng in the Garden?"
    assert [(one.text, one.entity, one.interval, one.side) for one in scope.landmarks] == [
        ("before the investigation", "the investigation", Interval(4, 5), "before")
    ]


def test_a_name_is_no_month() -> None:
    scope = parse_question("Whom did May meet in 1925?", dated())
    assert scope.story == (day("1925"),)
    assert scope.entities == ("May Reed",)


AGES = [
    "Where did Ann Lee live at the age of seven?",
    "Where did they live when Ann Lee was 7 years old?",
    "Ann Lee七歲時住在哪裡？",
]


@pytest.mark.parametrize("question", AGES)
def test_an_age_is_a_time_where_the_birth_is_known(question) -> None:
    scope = parse_question(question, dated())
    assert [(one.start, one.end) for one in scope.story] == [(day("1902-06-01").start, day("1903-06-02").start)]
    assert scope.unresolved == ()
    assert parse_question(question, ordered()).story == ()
    assert len(parse_question(question, ordered()).unresolved) == 1


def test_two_windows_add_up_and_leave_out_what_lies_between() -> None:
    """Field report G7."""
    scope = parse_question("Who came in 1911 or 1925?", dated())
    assert not any(time.overlaps(day("1912/1924")) for time in scope.story)
    assert [str(time) for time in scope.story] == ["1911", "1925"]
    both = parse_question("Who wept in chapter 2 or chapter 9?", ordered())
    assert both.chapters == ticks((2, 3), (9, 10))


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("Who served Xifeng before the earthquake?", "before the earthquake"),
        ("地震之前誰伺候鳳姐？", "地震之前"),
        ("Who served Xifeng in Beijing?", "Beijing"),
        ("Who served Xifeng in 1931?", "in 1931"),
        ("Who wept outside the Garden?", "outside the Garden"),
    ],
)
def test_what_nothing_places_stays_in_the_question_and_is_told(question, phrase) -> None:
    scope = parse_question(question, ordered())
    assert scope.unresolved == (phrase,)
    assert phrase in scope.core
    assert [issue.kind.startswith("unresolved") for issue in scope.issues if phrase in issue.message] == [True]
    assert not scope.is_bound


def test_a_chapter_that_does_not_exist_is_told() -> None:
    scope = parse_question("Who came in chapter 40?", ordered())
    assert scope.chapters == ticks((40, 41))
    assert [(issue.kind, issue.message) for issue in scope.issues] == [
        ("unknown_chapter", "no chapter of the story lies in chapter 40; it has chapters 1 to 12")
    ]


def test_a_name_of_two_is_looked_for_as_both_and_told() -> None:
    """Field report G31."""
    scope = parse_question("Whom did Li Wei meet?", ordered())
    assert set(scope.entities) == {"Li Wei of the mill", "Li Wei of the bank"}
    assert [issue.kind for issue in scope.issues] == ["ambiguous_name"]


def test_a_landmark_of_two_is_told_and_an_ordinal_chooses() -> None:
    scope = parse_question("Who came during the visit?", ordered())
    assert scope.story == ticks((3, 4), (8, 9))
    assert [issue.kind for issue in scope.issues] == ["ambiguous_landmark"]
    assert parse_question("Who came during the first visit?", ordered()).story == ticks((3, 4))


def test_the_landmark_of_a_person_who_is_no_event_is_none() -> None:
    scope = parse_question("Who knelt before Xifeng?", ordered())
    assert (scope.story, scope.unresolved, scope.entities) == ((), (), ("Wang Xifeng",))


def test_a_part_of_a_name_is_not_found_in_the_name_of_somebody_else() -> None:
    assert parse_question("Whom did Ann Reed meet?", ordered()).entities == ()
    assert parse_question("Whom did old Tom Rask meet?", ordered()).entities == ("Tom Rask",)
    assert parse_question("Whom did Tom meet?", ordered()).entities == ("Tom Rask",)


def test_a_pronoun_of_a_clause_means_somebody_of_the_question() -> None:
    assert parse_question("Where did Ann Lee live before her marriage?", ordered()).story == ticks((None, 2))
    assert parse_question("Where did Ping'er live before her marriage?", ordered()).unresolved == ("before her marriage",)


@pytest.mark.parametrize("question", ["鳳姐幾時死？", "鳳姐什麼時候死的？", "秦可卿死於何時？", "When did Keqing die?"])
def test_a_question_for_a_time_names_none(question) -> None:
    scope = parse_question(question, ordered())
    assert (scope.story, scope.unresolved, len(scope.entities)) == ((), (), 1)


READERS = [
    ("Who lives in the Garden? No spoilers after chapter 4, please.", 4, "Who lives in the Garden?"),
    ("Without spoilers after chapter 5, who died?", 5, "Who died?"),
    ("Without spoilers from chapter 5 on, who died?", 4, "Who died?"),
    ("Don't spoil anything past chapter 6. Who died?", 6, "Who died?"),
    ("I have read up to chapter 3. Who is Ann Lee?", 3, "Who is Ann Lee?"),
    ("Who is Ann Lee, as the reader knows at chapter 3?", 3, "Who is Ann Lee?"),
    ("What does the reader know about Ann Lee at the end of chapter 5?", 5, "What does the reader know about Ann Lee?"),
    ("By chapter 5, what do we know about Ann Lee?", 5, "What do we know about Ann Lee?"),
    ("What have we learned about Ann Lee by chapter 5?", 5, "What have we learned about Ann Lee?"),
    ("I stopped reading at chapter 5. Who is Ann Lee?", 5, "Who is Ann Lee?"),
    ("I am halfway through chapter 5; who is Ann Lee?", 4, "Who is Ann Lee?"),
    ("Who is Ann Lee? (I haven't read past chapter 5)", 5, "Who is Ann Lee?"),
    ("I haven't read chapter 5 yet. Who is Ann Lee?", 4, "Who is Ann Lee?"),
    ("Having read chapters 1-5 only, who is Ann Lee?", 5, "Who is Ann Lee?"),
    ("Using only the first 5 chapters, who is Ann Lee?", 5, "Who is Ann Lee?"),
    ("讀到第五回，誰死了？", 5, "誰死了？"),
    ("我還沒讀到第五回，誰死了？", 4, "誰死了？"),
    ("我只看了前五回，誰死了？", 5, "誰死了？"),
    ("我没看过第五回之后的内容，谁死了？", 5, "谁死了？"),
    ("請不要透露第五回以後的內容，誰死了？", 5, "誰死了？"),
    ("在第五回結束時，讀者知道誰死了？", 5, "讀者知道誰死了？"),
    ("誰死了？請不要劇透第五回之後的內容", 5, "誰死了？"),
]


@pytest.mark.parametrize(("question", "chapter", "core"), READERS)
def test_a_reader_says_how_far_they_are(question, chapter, core) -> None:
    scope = parse_question(question, ordered())
    assert (scope.reader_at, scope.core, scope.chapters, scope.told) == (chapter, core, (), ())


@pytest.mark.parametrize(
    ("question", "chapter"),
    [
        ("Who died? Please take care to spoil nothing of chapters 6 to 10", 5),
        ("Who died? I hate spoilers and have only got as far as the end of chapter 6", 6),
        ("Without spoiling chapter 6 onwards, who died?", 5),
    ],
)
def test_of_spoilers_in_other_words_the_earliest_chapter_counts(question, chapter) -> None:
    assert parse_question(question, ordered()).reader_at == chapter


def test_of_a_very_long_text_both_ends_are_read_and_a_reader_anywhere_in_it() -> None:
    filler = "The rain fell on the roofs of the town. " * 400
    scope = parse_question(
        f"Who served Wang Xifeng in chapter 2? {filler} No spoilers after chapter 9. {filler} And who met Ann Lee?", ordered()
    )
    assert (scope.chapters, scope.reader_at) == (ticks((2, 3)), 9)
    assert set(scope.entities) == {"Wang Xifeng", "Ann Lee"}
    assert [issue.kind for issue in scope.issues] == ["long_question"]


@pytest.mark.parametrize(
    ("question", "relations"),
    [
        ("Who met Ann Lee?", ("meets",)),
        ("Who tells me who met Ann Lee?", ("meets",)),
        ("Where did Ann Lee live?", ("lives_in",)),
        ("Who was Ann Lee's wife?", ("married_to",)),
        ("誰是王熙鳳的妻子？", ()),
    ],
)
def test_relations_are_named_by_any_form_of_their_words(question, relations) -> None:
    assert parse_question(question, ordered()).relations == relations


def test_words_that_only_begin_like_a_label_name_no_relation() -> None:
    told = (
        '[types.person]\n[types.event]\n[relations.takes_part_in]\ndomain = ["person"]\nrange = ["event"]\nkind = "event"\n'
        '[relations.inside]\ndomain = ["person"]\nrange = ["event"]\nnames = ["part of"]\n'
        '[relations.adopts]\ndomain = ["person"]\nrange = ["person"]\nnames = ["takes in"]\n'
        '[relations.writes]\ndomain = ["person"]\nrange = ["person"]\nnames = ["sends word to"]\n'
        '[relations.parent_of]\ndomain = ["person"]\nrange = ["person"]\ninverse_names = ["女兒", "兒"]\n'
        '[relations.mourns]\ndomain = ["person"]\nrange = ["person"]\nnames = ["女"]\n'
    )
    labels = RelationLabels(Ontology.parse(told, "labels"))
    assert labels.named("who took part in") == ("takes_part_in",)
    assert labels.named("who is part of it") == ("inside",)
    assert labels.named("who took in the child") == ("adopts",)
    assert labels.named("to whom did she send word") == ("writes",)
    assert labels.named("誰是他的女兒") == ("parent_of",)


def test_the_event_that_a_relation_leads_to_is_asked_about_and_is_no_time() -> None:
    told = '[types.person]\n[types.event]\n[relations.takes_part_in]\ndomain = ["person"]\nrange = ["event"]\nkind = "event"'
    fact = Fact(subject="Ann", relation="takes_part_in", object="the ball", chapter=2)
    graph = build_graph([fact], ontology=Ontology.parse(told, "small"), entities=[Entity(name="the ball", type="event")])
    taken = parse_question("Who took part in the ball?", graph)
    assert (taken.entities, taken.story) == (("the ball",), ())
    at = parse_question("Who wept at the ball?", graph)
    assert (at.entities, len(at.story)) == ((), 1)


def test_a_name_that_nobody_bears_is_told_and_no_other_is_offered() -> None:
    for question, name in (
        ("Who is Zebediah Crumb?", "Zebediah Crumb"),
        ("Who served Ann Varly?", "Ann Varly"),
        ("柳湘蓮是誰？", "柳湘蓮"),
    ):
        (issue,) = parse_question(question, ordered()).issues
        assert (issue.kind, issue.message) == (
            "unknown_name",
            f"nobody and nothing in the graph is called {name!r}; it is looked for by its words",
        )
    assert parse_question("Who served Ann Lee's guests, if I may ask?", ordered()).issues == ()


def test_a_name_beside_another_tells_which_of_two_is_meant() -> None:
    table = NameTable([("Li Wei", "miller"), ("Li Wei", "banker"), ("the banker", "banker")])
    assert [one.ids for one in table.mentions("Whom did Li Wei the banker meet?")] == [("banker",), ("banker",)]
    assert [one.ids for one in table.mentions("Whom did Li Wei meet, and the banker?")] == [("miller", "banker"), ("banker",)]


def test_a_length_of_time_before_a_chapter_is_a_time_of_the_story() -> None:
    scope = parse_question("What happened three days before chapter 9?", ordered())
    assert scope.story == (ordered().axis.read("three days before chapter 9"),)
    assert (scope.core, scope.chapters) == ("What happened?", ())


def test_a_chapter_that_is_taken_out_in_chinese_is_taken_out() -> None:
    assert parse_question("除了第七回，誰哭了？", ordered()).chapters == ticks((None, 7), (8, None))
    assert parse_question("除了第七回，還有誰哭了？", ordered()).chapters == ()


def test_as_of_a_chapter_is_the_story_as_it_stands_then() -> None:
    scope = parse_question("As of chapter 4, who is married to Ann Lee?", ordered())
    assert (scope.chapters, scope.reader_at) == (ticks((4, 5)), 4)


def test_a_reader_of_an_early_chapter_sees_no_later_name() -> None:
    scope = parse_question("No spoilers after chapter 2. Who met Ann Lee before the fire in Bower Hall?", ordered())
    assert scope.reader_at == 2
    assert scope.entities == ()
    assert scope.landmarks == ()
    assert "before the fire in Bower Hall" in scope.unresolved or "before the fire" in scope.unresolved
    told = " ".join(str(issue) for issue in scope.issues)
    assert "Tom" not in told
    assert "12" not in told


CRUMBS = re.compile(r"^\W|\b(?:in|during|before|after|and|the)\s*[?.!]$|chapters?\b|第.+[回章]|[，,]\s*[？?]", re.IGNORECASE)


@pytest.mark.parametrize("question", [question for question, _ in (*CHAPTERS, *STORY)])
def test_the_core_has_no_crumbs(question) -> None:
    core = parse_question(question, ordered()).core
    assert not CRUMBS.search(core)
    assert len(core) < len(question)


@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from(["Who wept in chapters {} to {}?", "第{}至{}回誰哭了？"]))
def test_any_range_of_chapters_is_read(one, two, form) -> None:
    first, last = sorted((one, two))
    scope = parse_question(form.format(first, last), ordered())
    wanted = {*range(first, last + 1)}
    assert {number for number in range(1, 13) if any(part.contains(number) for part in scope.chapters)} == wanted


@given(st.text(max_size=60))
def test_any_text_is_read_without_an_error(text) -> None:
    scope = parse_question(text, ordered())
    assert scope.question == text
    assert scope.read_by == "rules"
