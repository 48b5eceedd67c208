"""From question to scope, by rules over the graph's own names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronotope.slices.question.reader import QuestionReader
from chronotope.slices.scope import StoryScope
from chronotope.temporal import Today
from chronotope.temporal.settings import CalendarSettings

if TYPE_CHECKING:
    from chronotope.slices.graph import StoryGraph

__all__ = ["parse_question"]


def parse_question(
    question: str, graph: StoryGraph, *, today: Today = None, calendar: CalendarSettings | None = None
) -> StoryScope:
    """Take a question apart into chapters, story time, places and entities, by rules over the names of a graph.

    It reads English and Chinese: chapters ("before chapter 9", 第三至五回), dates where the story has a calendar, events by
    which it places itself ("before the investigation", 抄檢之前), ages where the birth is known, places where it limits itself to
    them, names, and relations. Two times in one question add up, "after … and before …" meet, exclusions are taken out. "Before"
    a state is before it began, "after" it once it had begun. What nothing places stays in the core, in `unresolved`, and is an
    issue. A reader's chapter ("no spoilers after chapter 9") hides all later names from the reading.

    Args:
        question: a question in plain words.
        graph: whose names and landmarks they are.
        today: the day that "last year" counts from.
        calendar: how dates are read.

    Source: NS-ST-GraphRAG, figure 6, steps 1 and 2.
    """
    return QuestionReader(graph).read(question, today=today, calendar=calendar)
