"""What a question asks for, in words: for a prompt, and for an answer that found nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chronotope.slices.graph import Constraint
    from chronotope.slices.retrieve.retrieve import SliceRetrieval
    from chronotope.slices.scope import StoryScope
    from chronotope.temporal.interval import Interval

__all__ = ["NOTHING_FOUND", "asked_words", "nothing_found"]

NOTHING_FOUND = "Nothing was found for the question and what it asks for."


def nothing_found(retrieval: SliceRetrieval) -> str:
    """That nothing was found, what was asked for, and what would be found without each constraint."""
    told = [
        f"- {_constraint(one, retrieval)}: {_facts(one.alone)} by itself; {_facts(one.without)} without it"
        for one in retrieval.slice.trace
        if one.name != "reader_at"  # nothing can be said of what lies behind it
    ]
    return "\n".join([NOTHING_FOUND, *(["Asked for:"] if told else []), *told])


def _constraint(one: Constraint, retrieval: SliceRetrieval) -> str:
    if one.name == "story_time" and retrieval.scope.story:
        return f"story time {' or '.join(map(retrieval.slice.graph.axis.phrase, retrieval.scope.story))}"
    name = one.name.replace("_", " ")
    return one.asked if one.asked.startswith(name) else f"{name} {one.asked}"


def asked_words(retrieval: SliceRetrieval) -> str:
    """Chapters, story time and places that a question asks for, in words; empty when it asks for none."""
    return "; ".join(_asked(retrieval.scope, retrieval))


def _asked(scope: StoryScope, retrieval: SliceRetrieval) -> Iterator[str]:
    graph = retrieval.slice.graph
    for what, chapters in (("chapters", scope.chapters), ("what is told in chapters", scope.told)):
        if chapters:
            yield f"{what} {', '.join(map(_chapters, chapters))}"
    if scope.story:
        yield f"story time {' or '.join(graph.axis.phrase(time) for time in scope.story)}"
    if scope.places:
        yield f"places {', '.join(graph.name_of(place) for place in scope.places)}"
    if retrieval.reader_at is not None:
        yield f"the reader knows the story up to chapter {retrieval.reader_at}"


def _chapters(asked: Interval) -> str:
    first, last = asked.start, None if asked.end is None else asked.end - 1
    return str(first) if first == last else f"{'…' if first is None else first}–{'…' if last is None else last}"


def _facts(number: int) -> str:
    return f"{number} fact{'s' * (number != 1)}"
