"""Layouts of real editions: units start at their headings and nowhere else, whatever the edition prints around them."""

from __future__ import annotations

import pytest

from chronotope.text import Apparatus, Structure, Unit, read_structure
from support_layouts import LAYOUTS, printed


def starts(text: str) -> list[str]:
    return [text[unit.start : unit.start + 30] for unit in read_structure(text).units]


def covered(text: str, structure: Structure) -> bool:
    pieces: tuple[Unit | Apparatus, ...] = (*structure.units, *structure.apparatus)
    spans = sorted((piece.start, piece.end) for piece in pieces)
    return "".join(text[start:end] for start, end in spans) == text


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_units_start_at_the_headings_of_an_edition(name: str, line_end: str) -> None:
    text, expected = printed(LAYOUTS[name].replace("\n", line_end))
    assert starts(text) == [text[start : start + 30] for start in expected]
    assert [unit.start for unit in read_structure(text).units] == expected
    assert covered(text, read_structure(text))


def units(name: str) -> tuple[Unit, ...]:
    return read_structure(printed(LAYOUTS[name])[0]).units


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "letters first, then chapters",
            [("letter", 1, "Letter 1"), ("letter", 2, "Letter 2"), ("chapter", 1, "Chapter 1"), ("chapter", 2, "Chapter 2")],
        ),
        (
            "chapters with arabic numbers and titles, a nameless front",
            [
                ("chapter", 1, "CHAPTER 1. Loomings."),
                ("chapter", 2, "CHAPTER 2. The Carpet-Bag."),
                ("chapter", 3, "CHAPTER 3. The Spouter-Inn."),
                ("epilogue", None, "Epilogue"),
            ],
        ),
        (
            "a prologue in Chinese, then chapters",
            [
                ("prologue", None, "楔子 張天師祈禳瘟疫 洪太尉誤走妖魔"),
                ("chapter", 1, "第一回 王教頭私走延安府 九紋龍大鬧史家村"),
                ("chapter", 2, "第二回 史大郎夜走華陰縣 魯提轄拳打鎮關西"),
            ],
        ),
        ("acts that open with a stage direction", [("act", 1, "ACT I"), ("act", 2, "ACT II"), ("act", 3, "ACT III")]),
        ("an epic in books", [("part", 1, "Book I"), ("part", 2, "Book II"), ("part", 3, "Book III")]),
    ],
)
def test_a_unit_has_kind_number_and_title_of_its_heading(name: str, expected: list[tuple[str, int | None, str]]) -> None:
    assert [(unit.kind, unit.number, unit.title) for unit in units(name)] == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "books above chapters, titles on the next line",
            [("Book the First—Recalled to Life",)] * 2 + [("Book the Second—the Golden Thread",)] * 2,
        ),
        (
            "volumes, books, chapters",
            [("VOLUME I FANTINE", "BOOK FIRST—A JUST MAN")] * 2
            + [("VOLUME I FANTINE", "BOOK SECOND—THE FALL"), ("VOLUME II COSETTE", "BOOK FIRST—WATERLOO")],
        ),
        ("a play: scenes under acts, persons and contents before them", [("ACT I",)] * 2 + [("ACT II",)] * 2),
        ("act and scene in one line", [("ACT I",), ("ACT I",), ("ACT II",)]),
        (
            "chapters restart in each book, epilogues have chapters",
            [("BOOK ONE: 1805",)] * 2 + [("BOOK TWO: 1805",)] + [("FIRST EPILOGUE: 1813 - 20",)] * 2,
        ),
        ("days above stories", [("DAY THE FIRST",)] * 2 + [("DAY THE SECOND",)]),
        ("simplified Chinese, volumes and chapters with arabic numbers", [("第一卷 渡口",)] * 2 + [("第二卷 磨坊",), ()]),
        ("a prelude, epigraphs above chapters, a finale", [(), *[("BOOK I. MISS BROOKE.",)] * 2, ("BOOK II. OLD AND YOUNG.",), ()]),
    ],
)
def test_headings_directly_above_units_are_their_parents(name: str, expected: list[tuple[str, ...]]) -> None:
    assert [unit.parents for unit in units(name)] == expected


@pytest.mark.parametrize(
    ("name", "opening"),
    [
        ("books above chapters, titles on the next line", "It was the best of times"),
        ("numbers that run on through parts, titles below them, page numbers in the contents", "SQUIRE TRELAWNEY"),
        ("titles wrapped over two lines of capitals", "Mr. Phileas Fogg lived"),
        ("a remark in brackets between part and chapter", "IN the year 1878"),
        ("Chinese chapters with rules below them, one glued to the prose before it", "此開卷第一回也"),
        ("form feeds and centred headings", "It was late in the autumn"),
    ],
)
def test_the_body_starts_behind_the_heading_and_its_title(name: str, opening: str) -> None:
    text, _ = printed(LAYOUTS[name])
    assert text[units(name)[0].body_start :].startswith(opening)


def test_contents_and_title_page_are_apparatus_and_not_read() -> None:
    text, _ = printed(LAYOUTS["a preface and chapters that the contents page prints just as they are"])
    title, contents = read_structure(text).apparatus
    assert (title.kind, text[title.start : title.end].strip()) == ("title_page", "The Picture\n\nby Oscar Somebody")
    assert contents.kind == "contents"
    listed = [line.strip() for line in text[contents.start : contents.end].splitlines() if line.strip()]
    assert listed == ["Contents", "THE PREFACE", "CHAPTER I.", "CHAPTER II.", "CHAPTER III."]
