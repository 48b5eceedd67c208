"""Headings of a user's own, and what a structure keeps out: nothing of it happens in silence."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from chronotope.litseg import SegmentSettings, candidates, segment
from chronotope.records import Document, Extraction
from chronotope.testing import play
from support_litseg import FERRY

LOG = "Day one of the voyage\n\nWe sailed at noon. The wind was fair.\n\nDay two of the voyage\n\nWe drifted."


def found(text: str, headings: Any = None) -> Extraction[Any]:
    return play(segment(Document(text, id="log"), settings=SegmentSettings(headings=headings))).result


def told(extraction: Extraction[Any]) -> list[tuple[str, str]]:
    assert all(issue.source_id == "log" for issue in extraction.issues)
    return [(issue.kind, issue.message) for issue in extraction.issues]


@pytest.mark.parametrize("pattern", ["Day", re.compile("day .+", re.ASCII), "Night .*"])
def test_a_pattern_that_matches_no_whole_line_is_told(pattern: Any) -> None:
    shown = pattern if isinstance(pattern, str) else pattern.pattern
    fault = f"the pattern {shown!r} matched no line; it must match the whole of a heading line"
    assert told(found(LOG, pattern)) == [("headings_unmatched", fault)]


def test_a_pattern_that_matches_is_not_complained_of() -> None:
    units = found(LOG, "Day .+ of the voyage")
    assert [part.unit.title for part in units.items] == ["Day one of the voyage", "Day two of the voyage"]
    assert units.issues == ()
    assert found("  \n", "Day .+").issues == (), "there is no line to match"


@pytest.mark.parametrize("empty", ["", (), [], re.compile("")])
def test_empty_headings_are_refused(empty: Any) -> None:
    for refuse in (lambda: SegmentSettings(headings=empty), lambda: candidates(FERRY, headings=empty)):
        with pytest.raises(ValueError, match="headings must not be empty; None finds headings"):
            refuse()


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ("Day (", "'Day \\(' is none"),
        ([5, 3], r"rise, not \[5, 3\]"),
        ((0, 0), r"rise, not \(0, 0\)"),
        ([-1, 4], r"0 or more that rise, not \[-1, 4\]"),
    ],
)
def test_headings_that_fit_no_text_are_refused_with_the_settings(wrong: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        SegmentSettings(headings=wrong)


@pytest.mark.parametrize("wrong", [7, 2.5, {"Day"}, [0, True], ["Day one"], re.compile(b"Day")])
def test_headings_that_are_neither_pattern_nor_offsets_are_refused_with_the_settings(wrong: Any) -> None:
    with pytest.raises(TypeError):
        SegmentSettings(headings=wrong)


def test_an_offset_behind_the_text_is_refused_when_the_text_is_known() -> None:
    with pytest.raises(ValueError, match="offset 5000, but the text has characters 0 to"):
        play(segment(FERRY, settings=SegmentSettings(headings=[0, 5_000])))


@pytest.mark.parametrize(("words", "shown"), [("led at", "We sai|led at noon. "), ("was fair", "The wind |was fair.")])
def test_an_offset_inside_a_sentence_is_told_with_its_place(words: str, shown: str) -> None:
    offset = LOG.index(words)
    units = found(LOG, [0, offset])
    [(kind, message)] = told(units)
    assert kind == "heading_inside_sentence"
    assert f"at offset {offset}: " in message
    assert shown.strip() in message
    assert {part.unit.name for part in units.items} == {""}, "a unit at an offset has no name"


@pytest.mark.parametrize("words", ["We sailed", "The wind", "\n\nDay two", "Day two", " The wind"])
def test_an_offset_between_sentences_is_not_complained_of(words: str) -> None:
    assert found(LOG, [0, LOG.index(words)]).issues == ()


def test_an_offset_at_the_start_of_a_line_is_not_complained_of() -> None:
    lines = "Entry 1\nwe sailed\nEntry 2\nwe drifted"
    assert found(lines, [0, lines.index("Entry 2")]).issues == ()


@pytest.mark.parametrize("headings", [(0,), (0, 900), "Day .+"])
def test_an_empty_text_has_no_issue_of_its_headings(headings: Any) -> None:
    assert found("", headings) == Extraction()


def test_many_offsets_in_one_long_paragraph_are_looked_at_in_no_time() -> None:
    text = "She waited for the boat. " * 4_000
    offsets = range(0, len(text), 25)
    started = time.process_time()
    assert told(found(text, offsets)) == []
    assert len(told(found(text, range(5, len(text), 25)))) == len(offsets)
    assert time.process_time() - started < 20


BOOK = "\n\n".join(
    [
        "The Project Gutenberg EBook of The Lock",
        "*** START OF THE PROJECT GUTENBERG EBOOK THE LOCK ***",
        "THE LOCK",
        "by A. Writer",
        "CHAPTER I. The Gate",
        "It rained all day and the gate was shut. Nobody came to open it.",
        "CHAPTER II. The Key",
        "In the morning a boy brought the key. The water rose at once.",
        "*** END OF THE PROJECT GUTENBERG EBOOK THE LOCK ***",
        "You may copy it.",
    ]
)


def test_what_stands_outside_the_units_is_told_one_issue_a_kind() -> None:
    extraction = found(BOOK)
    kept = "".join(part.text for part in extraction.items)
    left = dict(re.search(r"\((\w+), .*'(.*)'", message).groups() for kind, message in told(extraction) if kind == "left_out")
    assert sorted(left) == ["header", "licence", "title_page"]
    assert left["title_page"].startswith("THE LOCK by A. Writer")
    assert left["header"].startswith("The Project Gutenberg EBook")
    assert all(beginning.rstrip("…") not in " ".join(kept.split()) for beginning in left.values())
    assert max(len(message) for _, message in told(extraction)) < 160


def test_a_text_that_is_read_whole_leaves_nothing_out() -> None:
    assert found(FERRY.text).issues == ()
    assert found("\n\n" + LOG + "\n\n").issues == ()
