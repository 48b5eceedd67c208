"""Ages as times of a story: "at the age of seven", 七歲時, where the graph knows when somebody was born."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chronotope.records import Issue
from chronotope.slices.question.names import Mention, NameTable, Span, apart
from chronotope.slices.question.pieces import Piece
from chronotope.slices.question.placing import Placed
from chronotope.slices.scope import Landmark
from chronotope.temporal.calendar import Grain, shift
from chronotope.temporal.interval import TimeInterval
from chronotope.text.structure.numerals import CHINESE_NUMBER, SPELLED, read_chinese, read_number

if TYPE_CHECKING:
    from chronotope.slices.graph import StoryGraph

__all__ = ["place_ages"]

_NUMBER = rf"(?P<age>\d{{1,3}}|{SPELLED})"
_FORMS = (
    re.compile(rf"\bat\s+(?:the\s+)?age\s+(?:of\s+)?{_NUMBER}\b", re.IGNORECASE),
    re.compile(
        rf"\b(?:when|while)\s+(?P<who>[^,?!;]{{1,40}}?)\s+(?:was|is|turned)\s+(?:aged\s+)?{_NUMBER}\b(?:\s+years?\s+old\b)?",
        re.IGNORECASE,
    ),
    re.compile(rf"(?P<who>[\u4e00-\u9fff]{{0,8}}?)(?P<age>{CHINESE_NUMBER}+)[歲岁](?:的?[時时](?:候)?|那年)"),
)


def place_ages(text: str, taken: Sequence[Span], graph: StoryGraph, names: NameTable, placed: Placed) -> None:
    """Add the years at which somebody was of an age; where no birth is known the words stay unresolved.

    Args:
        text: a question.
        taken: spans that were read already.
        graph: who was born when.
        names: finds whose age it is: who stands in the phrase, else who comes first in the question.
        placed: what is added to.
    """
    for form in _FORMS:
        for match in form.finditer(text):
            if apart(match.span(), [*taken, *(piece.span for piece in placed.pieces)]):
                _place(text, match, graph, names, placed)


def _place(text: str, match: re.Match[str], graph: StoryGraph, names: NameTable, placed: Placed) -> None:
    age = read_number(match["age"]) or read_chinese(match["age"])
    own = names.mentions(match.groupdict().get("who") or "")
    whose = next(iter(own or names.mentions(text)), None)
    born = _born(graph, whose)
    start = None if born is None else born[1].start
    if age is None or born is None or start is None:
        placed.unresolved.append(match[0])
        placed.issues.append(Issue("unresolved_time", f"the graph knows no date of birth for {match[0]!r}; it limits nothing"))
        return
    fact, birth = born
    end = start if birth.end is None else birth.end
    year = TimeInterval(shift(start, age, Grain.YEAR), shift(end, age + 1, Grain.YEAR), birth.grain)
    placed.pieces.append(Piece(match.span(), (year,)))
    placed.landmarks.append(Landmark(text=match[0], entity=fact, interval=year, side="during"))


def _born(graph: StoryGraph, whose: Mention | None) -> tuple[str, TimeInterval] | None:
    """The fact of a birth, and its date."""
    for fact in graph.facts if whose is not None else ():
        if fact.relation == "born" and whose is not None and graph.ends_of(fact)[0] in whose.ids:
            date = next((time for time in graph.when(fact) if isinstance(time, TimeInterval)), None)
            if date is not None and date.start is not None:
                return fact.id, date
    return None
