"""What a text says of the order of its story: which chapter or event lies before which, and by how many days."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import cast

from chronotope.errors import TimeExpressionError
from chronotope.records import Issue
from chronotope.slices.axis import OrderConstraint, StoryAxis
from chronotope.slices.axis.order import OrderRelation
from chronotope.slices.extract.chapters import Chapter
from chronotope.slices.extract.proposals import ProposedOrder
from chronotope.slices.extract.quoting import stands_in
from chronotope.slices.extract.windows import Window
from chronotope.temporal.interval import Interval
from chronotope.text import sentence_spans

__all__ = ["constraint_of", "opening_constraints"]

_THIS = re.compile(r"(?:this|the present|current) chapter|chapter|now|本[回章]|此[回章]|[这這][一]?[回章]", re.IGNORECASE)
_CHAPTER = re.compile(r"(?:the )?(?:chapter|ch\.?)\s*:?\s*([\w-]+)|第\s*\S{1,6}\s*[回章]", re.IGNORECASE)
_LENGTH = r"(?:about |some |nearly )?(?:[\w-]+ ){1,3}?(?:days?|weeks?|months?|years?|decades?)"
_OPENING = re.compile(
    rf"\s*(?:It (?:was|is) )?(?P<offset>{_LENGTH}) (?P<side>earlier|before|previously|later|afterwards|after)\s*[,.;:—–]"
    r"|\s*(?P<zh>[一二三四五六七八九十百千两兩数數几幾\d]{1,5}(?:年|[个個]?月|日|天))(?:之|以)?(?P<zh_side>前|后|後)[，,。]",
    re.IGNORECASE,
)
_LOOKS_BACK = re.compile(r"\bhad\b|曾|[当當]年", re.IGNORECASE)
_HEADING_LINES = 3


def constraint_of(
    told: ProposedOrder, window: Window, numbers: Collection[int]
) -> tuple[OrderConstraint | None, tuple[Issue, ...]]:
    """A statement of order as a constraint, or why it is none; a distance that cannot be read leaves the order alone.

    Args:
        told: what the model says; its quotation stands in the window.
        window: the window.
        numbers: the chapters that there are.
    """
    source = window.chapter.source_id
    relation = told.relation.strip().lower()
    one, other = (_point(words, window.chapter, numbers) for words in (told.one, told.other))
    if one is None or other is None:
        lost = told.one if one is None else told.other
        return None, (Issue("ungrounded_order", f"{told.quote!r}: {lost!r} is no chapter and no event of the text", source),)
    asked = told.offset if told.offset and relation in ("before", "after") else None
    days = _days(asked) if asked else None
    unread = f"{told.quote!r}: {asked!r} is no distance in time; only the order is kept"
    issues = (Issue("unplaced_time", unread, source),) if asked and days is None else ()
    try:
        found = OrderConstraint(
            one=one,
            relation=cast("OrderRelation", relation),
            other=other,
            offset_days=days,
            evidence=told.quote,
            source_id=source,
            told_in=window.chapter.number,
        )
    except ValueError as error:
        return None, (Issue("ungrounded_order", f"{told.quote!r}: {error}", source),)
    return found, issues


def opening_constraints(chapters: Sequence[Chapter]) -> list[OrderConstraint]:
    """Chapters that open with "Ten years earlier, …" in the telling tense: they play so long before the chapter before them.

    >>> text = "Ten years earlier, the mill stood whole."
    >>> told = [Chapter(number=n, title="", text=words, source_id="s") for n, words in ((1, "The mill burnt."), (2, text))]
    >>> [constraint.statement for constraint in opening_constraints(told)]
    ['chapter 2 is 3650 days before chapter 1']
    """
    found = []
    for place, chapter in enumerate(chapters):
        first = _opening(chapter)
        opens = _OPENING.match(first)
        before = [other.number for other in chapters[:place] if other.number < chapter.number]
        if opens is None or not before or _LOOKS_BACK.search(first):
            continue
        earlier = (opens["side"] or "").lower() in ("earlier", "before", "previously") or opens["zh_side"] == "前"
        days = _days(opens["offset"] or opens["zh"])
        if days:
            found.append(
                OrderConstraint(
                    one=f"chapter:{chapter.number}",
                    relation="before" if earlier else "after",
                    other=f"chapter:{before[-1]}",
                    offset_days=days,
                    evidence=first.strip()[:200],
                    source_id=chapter.source_id,
                    told_in=chapter.number,
                )
            )
    return found


def _opening(chapter: Chapter) -> str:
    """The first sentence below the heading."""
    body = chapter.text
    if chapter.title:
        lines = body.split("\n")
        for count, line in enumerate(lines[:_HEADING_LINES], 1):
            if line.strip():
                body = "\n".join(lines[count:])
                break
    spans = sentence_spans(body)
    return next((body[start:end] for start, end in spans if body[start:end].strip()), "")


def _point(words: str, chapter: Chapter, numbers: Collection[int]) -> str | None:
    words = " ".join(words.removeprefix("event:").split())
    if not words or _THIS.fullmatch(words):
        return f"chapter:{chapter.number}"
    if _CHAPTER.fullmatch(words):
        number = _number(words, numbers)
        return None if number is None else f"chapter:{number}"
    return f"event:{words}" if stands_in(words, chapter.text) else None


def _number(words: str, numbers: Collection[int]) -> int | None:
    """The chapter that a text names, read as the axis reads it."""
    axis = StoryAxis(chapters={number: (Interval(number, number + 1),) for number in numbers})
    try:
        return axis.read(words.replace(":", " ")).start
    except TimeExpressionError:
        return None


def _days(offset: str) -> int | None:
    """Days of a distance in words, read as the axis reads it: the middle of what they may mean. None where they tell none."""
    axis = StoryAxis(chapters={0: (Interval(0, 1),)})
    for words in (f"{offset} later", f"{offset}后"):
        try:
            read = axis.read(words, chapter=0)
        except TimeExpressionError:
            continue
        if read.start is not None and read.end is not None and (days := (read.start + read.end - 1) // 2):
            return days
    return None
