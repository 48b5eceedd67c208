"""How exactly the units of a work are found: chapter starts against the gold chapters, in the layouts that editions print.

    python tests/benchmarks/structure.py --data ../shared/data/narrative ../shared/data/red_chamber

A folder holds `works.jsonl` and a `<work>.jsonl` of paragraphs for each work, or `paragraphs_<lang>.jsonl` with `titles.jsonl`.
Each work is printed again from its paragraphs and titles, as they stand in the data, in several layouts; a unit must start at each
heading and nowhere else, a scene mark at each paragraph behind a printed divider.
"""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import _report

from chronotope.text import read_structure

HEADER = (
    "The Project Gutenberg eBook of {title}\n\nThis ebook is for the use of anyone anywhere in the United States and\n"
    "most other parts of the world at no cost.\n\nTitle: {title}\n\nLanguage: English\n\n\n"
    "*** START OF THE PROJECT GUTENBERG EBOOK {shout} ***\n\n\n\n\nProduced by volunteers.\n\n\n\n\n"
)
OLD_HEADER = (
    "Project Gutenberg's Etext of {title}\n\n**Welcome To The World of Free Plain Vanilla Electronic Texts**\n\n"
    "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\n\n\n\n\n"
)
LICENCE = (
    "\n\n\n\n*** END OF THE PROJECT GUTENBERG EBOOK {shout} ***\n\n\nUpdated editions will replace the previous one.\n\n"
    "START: FULL LICENSE\n\nSection 1. General Terms of Use\n\nPlease read this before you distribute.\n"
)
OLD_LICENCE = "\n\n\n\nEnd of the Project Gutenberg EBook of {title}\n"


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """A chapter of the data: its heading as it is printed, its paragraphs, those behind a break, and the volume that it opens."""

    heading: str
    entry: str
    paragraphs: tuple[str, ...]
    breaks: frozenset[int] = frozenset()
    volume: str = ""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How an edition prints a work."""

    contents: str = ""  # caption of the contents page; none without
    dots: bool = False
    header: str = ""
    licence: str = ""
    before: str = "\n\n\n\n\n"
    after: str = "\n\n\n"
    between: str = "\n\n"
    width: int = 0
    divider: str = "* * *"
    indent: str = ""
    crlf: bool = False


LAYOUTS = {
    "headings alone": Layout(before="\n\n", after="\n\n"),
    "wrapped": Layout(width=72, divider="       *       *       *       *       *"),
    "contents page": Layout(contents="CONTENTS", width=72, divider="⁂"),
    "dotted contents": Layout(contents="Contents.", dots=True, before="\n\n\n", after="\n\n", divider="-----"),
    "gutenberg": Layout(contents="Contents", header=HEADER, licence=LICENCE, width=72, crlf=True, divider="***"),
    "old gutenberg": Layout(header=OLD_HEADER, licence=OLD_LICENCE, width=65, divider="§"),
    "centred": Layout(before="\f\n", indent=" " * 20, divider="· · ·"),
}
LAYOUTS_ZH = {
    "headings alone": Layout(before="\n\n", after="\n\n", divider="＊＊＊"),
    "one newline": Layout(before="\n", after="\n", between="\n", divider="◆"),
    "indented": Layout(before="\n\n\n", after="\n\n", between="\n　　", divider="-----"),
    "contents page": Layout(contents="目錄", divider="⁂"),
    "gutenberg": Layout(contents="目 錄", header=HEADER, licence=LICENCE, crlf=True, divider="* * *"),
}


def printed(chapters: Sequence[Chapter], title: str, layout: Layout) -> tuple[str, list[int], list[int]]:
    """The text, the offsets of its headings, and those of the paragraphs behind dividers."""
    text = layout.header.format(title=title, shout=title.upper())
    if layout.contents or layout.header:
        text += f"{title}\n\nby Somebody\n\n\n"
    if layout.contents:
        text += layout.contents + "\n\n" + "".join(_entries(chapters, layout)) + "\n\n\n"
    starts: list[int] = []
    marks: list[int] = []
    for chapter in chapters:
        text += layout.before if text else ""
        starts.append(len(text) + len(layout.indent))
        text += "".join(f"{layout.indent}{line}\n" for line in (chapter.volume, "", "") if chapter.volume)
        text += "\n".join(f"{layout.indent}{line}" if line else "" for line in chapter.heading.split("\n")) + layout.after
        for number, paragraph in enumerate(chapter.paragraphs):
            if number:
                text += layout.between
                if number in chapter.breaks:
                    text += layout.divider + layout.between
                    marks.append(len(text))
            text += textwrap.fill(paragraph, layout.width) if layout.width else paragraph
    text += layout.licence.format(title=title, shout=title.upper())
    return _with_returns(text, starts, marks) if layout.crlf else (text, starts, marks)


def _entries(chapters: Sequence[Chapter], layout: Layout) -> Iterator[str]:
    for number, chapter in enumerate(chapters):
        if chapter.volume:
            yield f"\n {chapter.volume}\n"
        dots = f" {'.' * 20} {3 + 12 * number}" if layout.dots else ""
        yield f" {chapter.entry}{dots}\n"


def _with_returns(text: str, starts: list[int], marks: list[int]) -> tuple[str, list[int], list[int]]:
    lines = [position for position, character in enumerate(text) if character == "\n"]
    moved = [[offset + sum(line < offset for line in lines) for offset in offsets] for offsets in (starts, marks)]
    return text.replace("\n", "\r\n"), moved[0], moved[1]


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def works(folder: Path) -> Iterator[tuple[str, str, dict[str, list[Chapter]], dict[str, Layout]]]:
    """Name, title, the chapters for each form of heading, and the layouts of every work in a folder."""
    if (folder / "works.jsonl").exists():
        for work in rows(folder / "works.jsonl"):
            chapters = _chapters(rows(folder / f"{work['work']}.jsonl"), lambda row: str(row["chapter_title"]))
            yield work["work"], str(work.get("title", work["work"])), {"as printed": chapters}, LAYOUTS
    if (folder / "titles.jsonl").exists():
        titles = {(row["lang"], row["chapter"]): str(row["title"]) for row in rows(folder / "titles.jsonl")}
        for path in sorted(folder.glob("paragraphs_*.jsonl")):
            language = path.stem.removeprefix("paragraphs_")
            chapters = _chapters(rows(path), lambda row: titles[row["lang"], row["chapter"]])
            forms = chinese_forms(chapters) if language == "zh" else english_forms(chapters)
            yield f"{folder.name} {language}", folder.name, forms, LAYOUTS_ZH if language == "zh" else LAYOUTS


def _chapters(paragraphs: Sequence[dict], title: Callable[[dict], str]) -> list[Chapter]:
    chapters: list[Chapter] = []
    volume = ""
    for number in dict.fromkeys(row["chapter"] for row in paragraphs):
        inside = [row for row in paragraphs if row["chapter"] == number]
        breaks = frozenset(place for place, row in enumerate(inside) if place and row.get("scene_break_before"))
        heading = title(inside[0])
        opened = str(inside[0].get("volume") or inside[0].get("part_title") or "")
        chapters.append(
            Chapter(
                heading=heading,
                entry=heading,
                paragraphs=tuple(str(row["text"]) for row in inside),
                breaks=breaks,
                volume=opened if opened != volume else "",
            )
        )
        volume = opened
    return chapters


def roman(number: int) -> str:
    values = {100: "C", 90: "XC", 50: "L", 40: "XL", 10: "X", 9: "IX", 5: "V", 4: "IV", 1: "I"}
    printed = ""
    for value, letters in values.items():
        printed += letters * (number // value)
        number %= value
    return printed


def hanzi(number: int) -> str:
    digits = "零一二三四五六七八九"
    if number < 10:
        return digits[number]
    if number < 100:
        return (digits[number // 10] if number >= 20 else "") + "十" + (digits[number % 10] if number % 10 else "")
    return (
        digits[number // 100]
        + "百"
        + (f"零{digits[number % 100]}" if 0 < number % 100 < 10 else hanzi(number % 100) if number % 100 else "")
    )


def _renamed(chapters: Sequence[Chapter], heading: Callable[[int, str], str], entry: Callable[[int, str], str]) -> list[Chapter]:
    return [
        replace(chapter, heading=heading(number, chapter.heading), entry=entry(number, chapter.heading))
        for number, chapter in enumerate(chapters, 1)
    ]


def english_forms(chapters: Sequence[Chapter]) -> dict[str, list[Chapter]]:
    def entry(number: int, title: str) -> str:
        return f"CHAPTER {roman(number)}. {title}"

    return {
        "CHAPTER I. title": _renamed(chapters, entry, entry),
        "CHAPTER I / title": _renamed(chapters, lambda number, title: f"CHAPTER {roman(number)}.\n\n{title}", entry),
    }


def chinese_forms(chapters: Sequence[Chapter]) -> dict[str, list[Chapter]]:
    def entry(number: int, title: str) -> str:
        return f"第{hanzi(number)}回 {title}"

    return {
        "第一回 title": _renamed(chapters, entry, entry),
        "第一回 / title": _renamed(chapters, lambda number, title: f"第{hanzi(number)}回\n　　{title.replace(' ', '　')}", entry),
        "第1章 title": _renamed(
            chapters, lambda number, title: f"第{number}章　{title}", lambda number, title: f"第{number}章　{title}"
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = [Path("../shared/data/narrative"), Path("../shared/data/red_chamber")]
    parser.add_argument("--data", type=Path, nargs="+", default=default)
    parser.add_argument("--json", type=Path, help="write the figures here as one flat object")
    parser.add_argument("--quick", action="store_true", help="one layout for each work")
    options = parser.parse_args()
    figures = dict.fromkeys(("gold", "missed", "extra", "marks_missed", "marks_extra"), 0)
    for folder in options.data:
        if not folder.exists():
            print(f"skipped: {folder} is absent")
            continue
        for work, title, forms, layouts in works(folder):
            for form, chapters in forms.items():
                for name, layout in list(layouts.items())[: 1 if options.quick else None]:
                    _measure(f"{work}, {form}, {name}", printed(chapters, title, layout), figures)
    print("together: " + ", ".join(f"{name} {value}" for name, value in figures.items()))
    _report.write(options.json, figures)


def _measure(name: str, printed: tuple[str, list[int], list[int]], figures: dict[str, int]) -> None:
    text, starts, marks = printed
    units = read_structure(text).units
    found, told = {unit.start for unit in units}, {mark for unit in units for mark in unit.marks}
    missed, extra = len(set(starts) - found), len(found - set(starts))
    marks_missed, marks_extra = len(set(marks) - told), len(told - set(marks))
    figure = f"gold {len(starts):3}  found {len(found):3}  missed {missed:3}  extra {extra:3}  marks {marks_missed} {marks_extra}"
    print(f"{name:60} {figure}")
    for key, value in zip(figures, (len(starts), missed, extra, marks_missed, marks_extra), strict=True):
        figures[key] += value


if __name__ == "__main__":
    main()
