"""What the first and last words of a paragraph tell, in English and Chinese."""

from __future__ import annotations

import pytest

from chronotope.litseg.rules.bonds import asked, introduced, letters, spoken, unclosed, versed
from chronotope.litseg.rules.openings import concludes, leans, opening, shifts


@pytest.mark.parametrize(
    "text",
    [
        "The next morning brought a letter.",
        "One evening, late in the season, he knocked.",
        "A few days later they sailed.",
        "Two years had passed since the fire.",
        "In the autumn of 1851 the mill was sold.",
        "On Monday the court sat again.",
        "Soon after, the bell rang.",
        "Meanwhile the ship had sunk.",
        "Once upon a time there was a king.",
        "Within a fortnight they were married.",
        "次日天未明，劉姥姥便起來。",
        "一日，炎夏永晝，士隱閒坐。",
        "過了幾日，寶玉又來。",
        "這日伴宿之夕。",
        "當晚計議已定。",
        "第二天清早他們出發了。",
        "那年冬天特別冷。",
    ],
)
def test_another_time_is_heard(text: str) -> None:
    assert "time_shift" in shifts(opening(text))


@pytest.mark.parametrize(
    "text",
    [
        "On reaching the inn, he slept.",
        "Arriving at Dover, they waited.",
        "They returned to London.",
        "At Rosings the gates stood open.",
        "In the library a fire burned.",
        "Enter GHOST and HAMLET.",
        "黛玉來到榮府。",
        "到了宁府，進了車門。",
    ],
)
def test_another_place_is_heard(text: str) -> None:
    assert "place_shift" in shifts(opening(text))


@pytest.mark.parametrize(
    "text",
    [
        "Let us now return to the old man.",
        "In another part of the town a lamp went out.",
        "卻說封肅出來。",
        "話說寶玉。",
        "且说黛玉。",
    ],
)
def test_another_thread_is_heard(text: str) -> None:
    assert "thread_shift" in shifts(opening(text))


@pytest.mark.parametrize(
    "text",
    ["Emma laughed.", "The king may refuse.", "In general he was kind.", "Emma returned her friend’s pressure with interest.",
     "Mr. Day was a grocer.", "In this state of suspense she waited.", "寶玉笑了。", "黛玉便不言語。"],
)  # fmt: skip
def test_nothing_is_heard_where_nothing_shifts(text: str) -> None:
    assert shifts(opening(text)) == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("She smiled.", True),
        ("But the door was shut.", True),
        ("This was too much.", True),
        ("他笑了。", True),
        ("於是散了。", True),
        ("Sheila smiled.", False),
        ("Butter was dear.", False),
        ("Thistles grew.", False),
        ("寶玉笑了。", False),
    ],
)
def test_an_opening_leans_on_what_stands_before(text: str, told: bool) -> None:
    assert leans(opening(text)) is told


def test_formulas_that_drop_a_thread() -> None:
    assert concludes("盡歡至晚無話．")
    assert concludes("且聽下回分解。")
    assert not concludes("他說不提也罷了，可是還是提了好一會兒。")


@pytest.mark.parametrize(
    ("text", "told"),
    [("“Come in.”", True), ('"Come in."', True), ("‘Come in.’", True), ("— Venez, dit-il.", True), ("HAMLET. Words.", True),
     ("「來了。」", True), ("寶玉道：“好。”", True), ("Come in, he thought.", False), ("’Twas late.", False), ("他來了。", False)],
)  # fmt: skip
def test_speech_is_known_by_its_opening(text: str, told: bool) -> None:
    assert spoken(text) is told


def test_questions_and_announcements() -> None:
    assert asked("“Who is there?” ")
    assert asked("你是誰？」")
    assert not asked("“Who?” he asked.")
    assert introduced("She read as follows:")
    assert introduced("寶玉道：")
    assert not introduced("She read it.")


@pytest.mark.parametrize(
    ("text", "before", "left"),
    [("“One. “Two.”", 0, 1), ('"One," he said, "two."', 0, 0), ('"One', 0, 1), ("two.”", 1, 0), ("”””", 0, 0), ('“好！"', 0, 0)],
)
def test_open_quotations_are_counted(text: str, before: int, left: int) -> None:
    assert unclosed(text, before) == left


def test_prose_in_lines_is_no_verse() -> None:
    assert not versed(
        "It was a long road that led out of the valley, and over the bare hills,\nto the town where we were to meet the others."
    )
    assert not versed("One line only")


def test_a_salutation_without_a_farewell_is_no_letter() -> None:
    assert letters(["Dear Sir,", *["The same."] * 60, "Yours truly, A."]) == [False] * 62
    speech = "“Dear Emma, you are late,” he said, and spoke of the weather, of the roads, and of the price of corn in those parts."
    assert letters([speech, "Yours truly."]) == [False, False]
