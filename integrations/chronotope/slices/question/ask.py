"""Rules first, a model only for phrases that they cannot place; its picks are names of the graph or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from chronotope.errors import ReplyError
from chronotope.prompts import Prompt, fence
from chronotope.records import Issue
from chronotope.replies import Rejected
from chronotope.slices.question.marks import known_entities
from chronotope.slices.question.pieces import met
from chronotope.slices.question.placing import side_of
from chronotope.slices.question.reader import QuestionReader
from chronotope.slices.question.wording import without
from chronotope.slices.scope import Landmark, StoryScope
from chronotope.steps import Step
from chronotope.steps import ask as ask_model
from chronotope.temporal import Today
from chronotope.temporal.interval import Interval, merge
from chronotope.temporal.settings import CalendarSettings

if TYPE_CHECKING:
    from chronotope.slices.graph import StoryGraph

__all__ = ["STORY_SCOPE", "Pick", "StoryScopeReply", "story_scope", "story_scope_by"]

Side = Literal["before", "during", "after", "until", "since"]
_LISTED = 60  # names of events, and of places, that a model is shown
_SIDES: dict[Side, Literal["before", "during", "after"]] = {
    "before": "before", "until": "before", "during": "during", "since": "after", "after": "after",
}  # fmt: skip


class Pick(BaseModel):
    """What one phrase of a question means."""

    phrase: str
    kind: Literal["event", "chapter", "place"]
    name: str = ""
    side: Side = "during"
    first: int | None = None
    last: int | None = None


class StoryScopeReply(BaseModel):
    """What a model says of the phrases that rules could not place."""

    picks: list[Pick] = Field(default_factory=list)


STORY_SCOPE = Prompt.load("chronotope.slices", "story_scope", StoryScopeReply)


def story_scope(
    question: str,
    graph: StoryGraph,
    *,
    today: Today = None,
    calendar: CalendarSettings | None = None,
    ask: bool = True,
    prompt: Prompt[StoryScopeReply] = STORY_SCOPE,
) -> Step[StoryScope]:
    """Take a question apart by rules, and ask a model for the phrases that they cannot place.

    Args:
        question: a question in plain words.
        graph: whose names and landmarks they are.
        today: the day that "last year" counts from.
        calendar: how dates are read.
        ask: False never asks a model.
        prompt: replaces the package's own.

    Returns:
        The scope; `read_by` is `model` where a pick of the model changed it. A pick that is no name of the graph is refused.

    Source: NS-ST-GraphRAG, figure 6, steps 1 and 2.
    """
    return (yield from story_scope_by(QuestionReader(graph), question, today=today, calendar=calendar, ask=ask, prompt=prompt))


def story_scope_by(
    reader: QuestionReader,
    question: str,
    *,
    today: Today = None,
    calendar: CalendarSettings | None = None,
    ask: bool = True,
    prompt: Prompt[StoryScopeReply] = STORY_SCOPE,
) -> Step[StoryScope]:
    """The same with a reader that is there already."""
    scope = reader.read(question, today=today, calendar=calendar)
    if not ask or not scope.unresolved:
        return scope
    graph = reader.graph if scope.reader_at is None else reader.graph.told_until(scope.reader_at)
    lists = _Lists(graph)

    def checked(reply: StoryScopeReply) -> tuple[Pick, ...]:
        return tuple(lists.checked(pick, scope.unresolved) for pick in reply.picks)

    try:
        picks = yield from ask_model(
            prompt,
            check=checked,
            chapters=f"{graph.chapters[0]} to {graph.chapters[-1]}" if graph.chapters else "none",
            events=fence("\n".join(lists.events) or "(none)", "events"),
            places=fence("\n".join(lists.places) or "(none)", "places"),
            question=fence(question, "question"),
            phrases=fence("\n".join(scope.unresolved), "phrases"),
        )
    except ReplyError as error:
        return replace(scope, issues=(*scope.issues, Issue("reply_refused", str(error))))
    return _picked(scope, picks, lists)


class _Lists:
    """What a model may pick from: names of a graph as its reader knows it."""

    def __init__(self, graph: StoryGraph) -> None:
        self.graph = graph
        entities = known_entities(graph)
        times = {entity.name: (entity.id, time) for entity in entities if (time := graph.landmark(entity.id)) is not None}
        self.events = dict(sorted(times.items(), key=lambda item: (item[1][1].start or 0, item[0]))[:_LISTED])
        self.places = {entity.name: entity.id for entity in entities if entity.id in graph.places}
        self.places = dict(list(self.places.items())[:_LISTED])

    def checked(self, pick: Pick, phrases: Sequence[str]) -> Pick:
        """The pick as it is.

        Raises:
            ValueError: it names a phrase, an event, a place or a chapter that is not there.
        """
        if pick.phrase not in phrases:
            raise Rejected(f"picks: {pick.phrase!r} is none of the phrases; copy one of: {', '.join(map(repr, phrases))}")
        if pick.kind == "chapter":
            known = self.graph.chapters
            if pick.first is None or pick.last is None or pick.last < pick.first or not {pick.first, pick.last} <= {*known}:
                told = f"{known[0]} to {known[-1]}" if known else "none"
                raise Rejected(f"picks: chapters {pick.first} to {pick.last} are not in the story; it has chapters {told}")
            return pick
        names = self.events if pick.kind == "event" else self.places
        if pick.name not in names:
            raise Rejected(f"picks: {pick.name!r} is none of the listed {pick.kind}s; copy a name exactly, or leave the phrase out")
        return pick


def _chapters(pick: Pick) -> Interval:
    return Interval(pick.first, None if pick.last is None else pick.last + 1)


def _picked(scope: StoryScope, picks: Iterable[Pick], lists: _Lists) -> StoryScope:
    chapters: list[Interval] = []
    story: list[Interval] = []
    places: list[str] = []
    landmarks: list[Landmark] = []
    placed: list[str] = []
    for pick in picks:
        if pick.kind == "place":
            places.append(lists.places[pick.name])
        elif pick.kind == "chapter":
            side = side_of(_chapters(pick), pick.side)
            chapters += [side] if side is not None else []
        else:
            name, time = lists.events[pick.name]
            side = side_of(time, pick.side)
            if side is None:
                continue
            story.append(side)
            landmarks.append(Landmark(text=pick.phrase, entity=name, interval=time, side=_SIDES[pick.side]))
        placed.append(pick.phrase)
    if not placed:
        return scope
    spans = [(start, start + len(phrase)) for phrase in placed if (start := scope.core.find(phrase)) >= 0]
    by_time = tuple(merge(story))
    both = met(scope.story, by_time) if scope.story and by_time else ()
    return replace(
        scope,
        core=without(scope.core, spans),
        chapters=tuple(merge([*scope.chapters, *chapters])),
        story=both or tuple(merge([*scope.story, *by_time])),
        places=tuple(dict.fromkeys((*scope.places, *places))),
        landmarks=(*scope.landmarks, *landmarks),
        unresolved=tuple(phrase for phrase in scope.unresolved if phrase not in placed),
        issues=tuple(issue for issue in scope.issues if not any(repr(phrase) in issue.message for phrase in placed)),
        read_by="model",
    )
