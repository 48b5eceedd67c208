"""What is a heading and what is not, apparatus, dividers, the user's own headings; laws over any text, and time."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.text import Apparatus, Structure, Unit, read_structure
from support_layouts import printed

PROSE = (
    "It was late in the autumn when the boat came up the river, and nobody at the landing had expected her before the spring; the"
    " old ferryman put down his lantern, looked at the water for a long while, and said nothing to the boys."
)


def titles(text: str) -> list[str]:
    return [unit.title for unit in read_structure(text).units]


def covered(text: str, structure: Structure) -> bool:
    pieces: tuple[Unit | Apparatus, ...] = (*structure.units, *structure.apparatus)
    spans = sorted((piece.start, piece.end) for piece in pieces)
    return "".join(text[start:end] for start, end in spans) == text


NO_HEADINGS = {
    "a chapter is spoken of": "¶\n\nChapter 5 was the best, he said.\n\n¶\n\n¶",
    "a pronoun is alone on its line": "¶\n\n“Who is there?”\n\nI\n\n¶\n\n¶\n",
    "a number is in a letter": "¶\n\n“My dear boy,\n\nVI\n\n¶\n\n¶",
    "years are alone on their lines": "¶\n\n1843\n\n¶\n\n1844\n\n¶\n",
    "pages are numbered": "¶ and\n\n1\n\nnever came back. ¶\n\nand so they\n\n2\n\nwent home. ¶\n\nthey had\n\n3\n\nseen it. ¶",
    "pages are numbered in brackets": "¶\n\n[12]\n\n¶\n\n[13]\n\n¶\n\n[14]\n\n¶",
    "a list is numbered": "¶\n\n1. Bread and butter\n2. Two candles\n3. A rope\n\n¶\n\n¶",
    "a spaced list is numbered": "¶\n\n1. Bread and butter\n\n2. Two candles\n\n3. A rope\n\n¶\n\n¶",
    "orders are numbered": "¶\n\n1. He should never speak of it to his sister.\n\n2. He should return the lantern.\n\n¶",
    "people shout": "¶\n\n“Help!”\n\nSTOP THIEF!\n\n¶\n\nMURDER!\n\n¶\n\nFIRE!\n\n¶",
    "speakers are named": "HAMLET.\n\nTo be, or not to be, I asked.\n\nOPHELIA.\n\nMy lord, how do you?\n\n" * 30,
    "stanzas are numbered": "The Rime\n\nI\n\n♪\n\nII\n\n♪\n\nIII\n\n♪\n\nIV\n\n♪\n",
    "one number has no kin": "¶\n\n¶\n\n¶\n\nCHAPTER VII\n\n¶\n\n¶\n",
    "a line starts with a book": "¶\n\nIt was said in\nBook I of the tale that the river had a king, and in\nPart II that.\n\n¶",
    "a letter is what I wrote": "¶\n\nLetter I wrote to her, and never had an answer.\n\n¶\n\nPart I liked best.\n\n¶",
    "newspapers have headlines": "¶\n\nTHE MORNING CHRONICLE\n\n¶\n\nMYSTERIOUS AFFAIR AT THE MILL\n\n¶\n\n¶",
    "letters are signed": "¶\n\nYours truly,\n\nJohn Ferryman\n\n¶\n\nYours ever,\n\nMary Miller\n\n¶\n\nYours,\n\nThe Man\n\n¶",
    "days are dated": "¶\n\nMay 3.\n\n¶\n\nMay 4.\n\n¶\n\nMay 5.\n\n¶",
    "Chinese speaks of its chapters": "◎\n\n第一回也．作者自云：因曾歷過一番夢幻之后。\n\n◎\n\n第三章中，他讀到這句話。\n\n◎",
    "Chinese counts days": "◎\n◎\n第二天，他又來了。\n◎\n第一次見面的時候，她還小。\n◎",
    "a hash is in prose": "¶\n\n# 3 Baker Row\n\n¶\n\n¶",
    "contents and Project Gutenberg are spoken "
    "of": "¶\n\nContents of the trunk\n\n¶\n\nProject Gutenberg was not yet thought of,\n*** START said the board.\n\n¶",
}


@pytest.mark.parametrize("name", NO_HEADINGS)
def test_a_text_without_headings_is_one_unit_although(name: str) -> None:
    text, _ = printed(NO_HEADINGS[name])
    assert read_structure(text) == Structure((Unit(start=0, end=len(text)),))


STRAY = {
    "a pronoun": "I",
    "a number": "XII",
    "a page number": "12",
    "a poem's title": "THE FERRYMAN’S SONG",
    "an inscription": "HERE LIES\nJOHN FERRYMAN\nWHO DIED IN 1799",
    "numbered stanzas": "I\n\n♪\n\nII\n\n♪",
    "numbered letters": "LETTER I\n\n¶\n\nLETTER II\n\n¶",
    "a running head": "CHAPTER I",
    "a scene that is spoken of": "Scene 2 was worse.",
    "a remark": "Conclusion: he was mad.",
    "a stray hash": "# 3 Baker Row",
    "a sentence that wraps": "He had read all night and had got as far as\nChapter 2. Then he fell asleep, and the candle\nburned.",
}


@pytest.mark.parametrize("name", STRAY)
def test_inside_a_chapter_no_unit_starts_at(name: str) -> None:
    text, _ = printed(f"CHAPTER I\n\n¶\n\n{STRAY[name]}\n\n¶\n\nCHAPTER II\n\n¶\n\nCHAPTER III\n\n¶")
    assert titles(text) == ["CHAPTER I", "CHAPTER II", "CHAPTER III"]


DIVIDERS = [
    "* * *",
    "***",
    "-----",
    "--------",
    "⁂",
    "§",
    "#",
    "· · ·",
    "◆",
    "*      *      *      *",
    "＊＊＊",
    "_____",
    "———",
    "❦",
]


@pytest.mark.parametrize("divider", DIVIDERS)
def test_a_scene_divider_is_a_mark_and_no_chapter(divider: str) -> None:
    text = (
        f"CHAPTER I\n\n{PROSE}\n\n{divider}\n\n  Then it rained.\n\n{divider}\n\nAnd snowed.\n\n{divider}\n\nCHAPTER II\n\n{PROSE}"
    )
    first, second = read_structure(text).units
    assert first.marks == (text.index("Then"), text.index("And"))
    assert (second.title, second.marks) == ("CHAPTER II", ())


def test_three_rules_and_a_stray_hash_leave_one_chapter_whole() -> None:
    text, _ = printed("CHAPTER I\n\n¶\n\n--------\n\n¶\n\n# 3 Baker Row\n\n¶\n\n--------\n\n¶\n\n* * *\n\n¶\n")
    (unit,) = read_structure(text).units
    assert (unit.title, len(unit.marks)) == ("CHAPTER I", 3)


HEADER = (
    "The Project Gutenberg eBook of X\n\nTitle: X\n\n*** START OF TH{} PROJECT GUTENBERG EBOOK "
    "X ***\n\nProduced by volunteers\nand others\n\n\n"
)
SMALL_PRINT = (
    "Project Gutenberg's Etext of X\n\n***START**THE SMALL PRINT!**\n\n*END*THE SMALL "
    "PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\n\n\n"
)
LICENCES = [
    "*** END OF THE PROJECT GUTENBERG EBOOK X ***\n\nUpdated editions",
    "End of the Project Gutenberg EBook of X\n",
    "End of Project Gutenberg's X, by Y\n",
]


@pytest.mark.parametrize("header", [HEADER.format("E"), HEADER.format("IS"), SMALL_PRINT])
@pytest.mark.parametrize("licence", LICENCES)
def test_header_and_licence_of_project_gutenberg_are_apparatus(header: str, licence: str) -> None:
    body = f"CHAPTER I\n\n{PROSE}\n\nCHAPTER II\n\n{PROSE}\n\n\n"
    text = header + body + licence
    structure = read_structure(text)
    assert [(piece.kind, piece.start, piece.end) for piece in structure.apparatus] == [
        ("header", 0, len(header)),
        ("licence", len(header + body), len(text)),
    ]
    assert [unit.title for unit in structure.units] == ["CHAPTER I", "CHAPTER II"]


def test_a_story_without_headings_keeps_its_text_between_header_and_licence() -> None:
    text = HEADER.format("E") + PROSE + "\n\n" + LICENCES[0]
    structure = read_structure(text)
    assert [piece.kind for piece in structure.apparatus] == ["header", "licence"]
    assert [text[unit.start : unit.end].strip() for unit in structure.units] == [PROSE]


def test_prose_before_the_first_heading_is_a_unit_and_a_title_page_is_none() -> None:
    text = f"THE FERRY\n\nby Somebody\n\n{PROSE}\n\n{PROSE}\n\nCHAPTER I\n\n{PROSE}"
    structure = read_structure(text)
    assert [(unit.kind, unit.start) for unit in structure.units] == [
        ("text", text.index(PROSE)),
        ("chapter", text.index("CHAPTER")),
    ]
    assert [(piece.kind, piece.end) for piece in structure.apparatus] == [("title_page", text.index(PROSE))]


def test_a_part_with_a_text_of_its_own_is_a_unit_and_a_parent() -> None:
    text = f"PART I\n\n{PROSE} {PROSE} {PROSE} {PROSE}\n\nCHAPTER I\n\n{PROSE}\n\nPART II\n\nCHAPTER I\n\n{PROSE}"
    assert [(unit.title, unit.parents) for unit in read_structure(text).units] == [
        ("PART I", ()),
        ("CHAPTER I", ("PART I",)),
        ("CHAPTER I", ("PART II",)),
    ]


def test_a_misprinted_number_does_not_hide_a_chapter() -> None:
    numbers = ["I", "II", "II", "IV", "V"]
    text = "".join(f"CHAPTER {number}\n\n{PROSE}\n\n" for number in numbers)
    assert titles(text) == [f"CHAPTER {number}" for number in numbers]


def test_a_pattern_replaces_detection_and_apparatus_is_still_kept_apart() -> None:
    header = HEADER.format("E")
    text = f"{header}~ One ~\n\n{PROSE}\n\nCHAPTER I\n\n{PROSE}\n\n  ~ Two ~\n\n{PROSE}\n\n{LICENCES[0]}"
    for pattern in (r"~ \w+ ~", re.compile(r"~ \w+ ~")):
        structure = read_structure(text, headings=pattern)
        assert [(unit.start, unit.title) for unit in structure.units] == [
            (len(header), "~ One ~"),
            (text.index("~ Two"), "~ Two ~"),
        ]
        assert [piece.kind for piece in structure.apparatus] == ["header", "licence"]
        assert covered(text, structure)


def test_a_byte_order_mark_does_not_hide_the_first_heading() -> None:
    assert titles(f"\ufeffCHAPTER I\n\n{PROSE}\n\nCHAPTER II\n\n{PROSE}") == ["CHAPTER I", "CHAPTER II"]


def test_titles_are_found_by_their_contents_page_however_it_numbers_them() -> None:
    listed = "TABLE OF CONTENTS\n\nI. The Mill ........ 1\nII. The River ....... 9\nIII. The Ice ..... 20\n\n"
    text = listed + "".join(f"{title}\n\n{PROSE}\n\n" for title in ("The Mill", "The River", "The Ice"))
    structure = read_structure(text)
    assert [unit.title for unit in structure.units] == ["The Mill", "The River", "The Ice"]
    assert [(piece.kind, piece.start, piece.end) for piece in structure.apparatus] == [("contents", 0, len(listed))]


def test_titles_without_number_and_contents_need_many_of_a_kind_far_apart() -> None:
    names = ("A Scandal in Bohemia", "The Red-Headed League", "A Case of Identity")
    text = "".join(f"{name}\n\n" + f"{PROSE}\n\n" * 20 for name in names)
    assert titles(text) == list(names)
    assert titles(text.replace(f"{names[0]}\n\n", "").replace(f"{names[1]}\n\n", "")) == [""]


def test_a_heading_underlined_with_a_rule_is_one_and_the_rule_no_mark() -> None:
    text = f"Chapter One\n===========\n\n{PROSE}\n\nChapter Two\n-----------\n\n{PROSE}"
    assert [(unit.title, unit.marks) for unit in read_structure(text).units] == [("Chapter One", ()), ("Chapter Two", ())]


def test_a_pattern_that_matches_nothing_leaves_one_unit() -> None:
    assert [unit.kind for unit in read_structure(f"CHAPTER I\n\n{PROSE}", headings="nothing").units] == ["text"]


def test_offsets_are_where_units_start_and_nothing_is_guessed() -> None:
    text = f"CONTENTS\n\nCHAPTER I\n\n{PROSE}\n\nCHAPTER II\n\n* * *\n\n{PROSE}"
    structure = read_structure(text, headings=[5, 30])
    assert [(unit.start, unit.end, unit.title) for unit in structure.units] == [(0, 5, ""), (5, 30, ""), (30, len(text), "")]
    assert structure.units[-1].marks == (text.rindex(PROSE),)


@pytest.mark.parametrize(
    ("headings", "error", "message"),
    [
        ([5, 3], ValueError, "3 comes after 5"),
        ([3, 3], ValueError, "3 comes after 3"),
        ([-1], ValueError, "offset -1"),
        ([99], ValueError, "offset 99"),
        ([1.5], TypeError, "not 1.5"),
        ([True], TypeError, "not True"),
        ("(", ValueError, "regular expression"),
    ],
)
def test_headings_that_make_no_sense_are_refused(headings: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        read_structure("Ten words.", headings=headings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\ufeff", "\n" * 50, "CHAPTER I", "CONTENTS", "* * *", "*** END OF THE PROJECT GUTENBERG EBOOK"]
)
def test_any_text_is_covered(text: str) -> None:
    assert covered(text, read_structure(text))


PIECES = st.sampled_from(
    [
        *(
            "CHAPTER I",
            "CHAPTER II",
            "Chapter 3. The Storm",
            "BOOK II",
            "ACT I",
            "SCENE 2",
            "I",
            "II",
            "III",
            "12",
            "PREFACE",
            "Epilogue",
        ),
        *(
            "Contents",
            "目錄",
            "第一回 渡口",
            "第二回",
            "卷一",
            "序",
            "# One",
            "## Two",
            "* * *",
            "-----",
            "The Lantern",
            "THE MILL",
            PROSE,
        ),
        *(
            "\n",
            "\n\n",
            "\n\n\n",
            "\r\n",
            "\r",
            "\f",
            " ",
            "\u3000",
            "他來了。",
            "I. One ..... 3",
            "HAMLET.",
            "“Who?”",
            "by Somebody",
        ),
        *(
            "*** START OF THE PROJECT GUTENBERG EBOOK X ***",
            "*** END OF THE PROJECT GUTENBERG EBOOK X ***",
            "\u2028",
            "\x1c",
            "\x00",
        ),
    ]
)


@given(st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=40).map("".join))
@settings(max_examples=150, deadline=None)
def test_units_and_apparatus_cover_any_text_once(text: str) -> None:
    structure = read_structure(text)
    assert covered(text, structure)
    for unit in structure.units:
        assert all(unit.body_start <= mark < unit.end for mark in unit.marks)
        assert list(unit.marks) == sorted(set(unit.marks))


NAMES = st.lists(
    st.sampled_from(["Lantern", "River", "Winter", "Miller", "Ferry", "Willow", "Storm", "Bridge", "Candle", "Harbour"]),
    min_size=1,
    max_size=3,
    unique=True,
)
SENTENCES = st.sampled_from(
    [
        "He went down to the water before it was light.",
        "“Nobody came,” she said.",
        "The ice held until March.",
        "Then they were gone!",
    ]
)
PARAGRAPHS = st.lists(st.lists(SENTENCES, min_size=3, max_size=6).map(" ".join), min_size=2, max_size=4)
FORMS = st.sampled_from(
    ["CHAPTER {n}. {t}", "Chapter {n}: {t}", "LETTER {n}", "CANTO {n}", "STAVE {n}:  {t}", "{n}. {t}", "## Chapter {n}"]
)


@given(
    st.lists(st.tuples(NAMES.map(" ".join), PARAGRAPHS), min_size=2, max_size=6),
    FORMS,
    st.sampled_from(["\n\n", "\n\n\n\n"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_exactly_the_printed_headings_are_found(
    chapters: list[tuple[str, list[str]]], form: str, space: str, line_end: str, listed: bool
) -> None:
    headings = [form.format(n=number, t=f"The {title}") for number, (title, _) in enumerate(chapters, 1)]
    text = "Contents\n\n" + "\n".join(headings) + "\n\n\n\n" if listed else ""
    starts = []
    for heading, (_, paragraphs) in zip(headings, chapters, strict=True):
        starts.append(len(text))
        text += heading + space + "\n\n".join(paragraphs) + space
    moved = [start + (len(line_end) - 1) * text[:start].count("\n") for start in starts]
    assert [unit.start for unit in read_structure(text.replace("\n", line_end)).units] == moved


@given(st.lists(st.lists(SENTENCES, min_size=1, max_size=3).map(" ".join), min_size=2, max_size=8), st.sampled_from(DIVIDERS))
@settings(deadline=None)
def test_dividers_never_make_a_unit_and_each_is_a_mark(paragraphs: list[str], divider: str) -> None:
    text = f"\n\n{divider}\n\n".join(paragraphs)
    (unit,) = read_structure(text).units
    assert (unit.start, unit.end, len(unit.marks)) == (0, len(text), len(paragraphs) - 1)
    assert all(text[:mark].rstrip().endswith(divider) for mark in unit.marks)


@given(st.text(min_size=1, max_size=60), st.data())
@settings(deadline=None)
def test_given_offsets_come_back(text: str, data: st.DataObject) -> None:
    offsets = sorted(data.draw(st.sets(st.integers(0, len(text) - 1), max_size=6)))
    units = read_structure(text, headings=offsets).units
    assert [unit.start for unit in units] == sorted({0, *offsets})
    assert covered(text, Structure(units))


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "It rained. ",
        "\n",
        "I\n",
        "I\n\n",
        "CHAPTER I\n\n",
        "第一回\n",
        "* * *\n\n",
        "Contents\n\n",
        "1. The Mill\n\n",
        "The Old Mill\n\nHe left.\n\n",
    ],
)
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        started = time.process_time()
        read_structure(text)
        return time.process_time() - started

    seconds(1_000)
    small, large = min(seconds(20_000), seconds(20_000)), seconds(160_000)
    assert large < 8 * 4 * max(small, 0.005)
