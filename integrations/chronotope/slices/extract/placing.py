"""When a told fact was, on the axis of the story."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chronotope.dating import RuleTimes, date_by_rules, dateline
from chronotope.errors import TimeExpressionError
from chronotope.records import Issue, Scalar
from chronotope.slices.axis import OrderConstraint, StoryAxis, build_axis
from chronotope.slices.axis.axis import hull
from chronotope.slices.extract.chapters import Chapter
from chronotope.slices.extract.grounding import Told
from chronotope.slices.extract.settings import FactSettings
from chronotope.slices.extract.windows import Window
from chronotope.slices.fact import Fact
from chronotope.slices.story_time import AxisKind
from chronotope.temporal.calendar import Grain
from chronotope.temporal.interval import Interval, TimeInterval
from chronotope.temporal.settings import CalendarSettings
from chronotope.text import is_quoted

__all__ = ["Placing", "story_axis", "with_landmarks"]

_BARE = re.compile(r"(?:(?!ch)[a-z]+\s+)?[-\d./:\s]*\d{1,4}[-\d./:\s]*", re.IGNORECASE)


def story_axis(
    chapters: Sequence[Chapter], constraints: Iterable[OrderConstraint], kind: AxisKind | None, calendar: CalendarSettings
) -> StoryAxis:
    """When the chapters of a story play.

    On dates a chapter plays when it was written, where it is one of several dated documents such as letters; else at the date at
    its head or foot; else at the first date that its text names with a year.

    Args:
        chapters: in the order of telling.
        constraints: what the text says of before and after.
        kind: of the axis; None takes dates where at least half of the chapters have one.
        calendar: how dates are read.
    """
    numbers = [chapter.number for chapter in chapters]
    dates: dict[int, TimeInterval] = {}
    if kind != "ticks":
        for chapter in chapters:
            date = _date(chapter, calendar)
            if date is not None:
                dates.setdefault(chapter.number, date)
    if kind == "dates" or (kind is None and dates and 2 * len(dates) >= len(set(numbers))):
        return build_axis(numbers, constraints, kind="dates", dates=dates)
    return build_axis(numbers, constraints)


def _date(chapter: Chapter, calendar: CalendarSettings) -> TimeInterval | None:
    if chapter.dated and chapter.published:
        return chapter.published
    lines = chapter.text.strip()
    head = dateline(lines.removeprefix(chapter.title).strip() or lines, "", calendar)
    if head is not None:
        return head
    placed = date_by_rules(chapter.text, published=None, calendar=calendar).placed
    return next((one.interval for one in placed if one.interval.grain <= Grain.YEAR and one.interval.is_unit), None)


@dataclass(frozen=True)
class Placing:
    """Makes facts of what windows tell, with their times on one axis.

    Args:
        axis: the axis of the story.
        settings: calendar and ontology.
        constraints: what placed the chapters; words that say when a chapter plays say no more of its facts.
    """

    axis: StoryAxis
    settings: FactSettings
    constraints: tuple[OrderConstraint, ...] = ()
    _dated: dict[Window, RuleTimes] = field(default_factory=dict, repr=False, compare=False)

    def fact(self, told: Told) -> tuple[Fact, tuple[Issue, ...]]:
        """The fact, and an issue where its time could not be placed; it then counts when its chapter plays."""
        chapter = told.window.chapter
        story, issues = self.story(told)
        where = chapter.in_source(told.span)
        start, end = where or (None, None)
        fact = Fact(
            subject=told.subject,
            relation=told.relation,
            object=told.object,
            chapter=chapter.number,
            story=story,
            place=told.place,
            quote=told.quote,
            source_id=chapter.source_id,
            char_start=start,
            char_end=end,
            metadata=_metadata(told),
        )
        return fact, issues

    def story(self, told: Told) -> tuple[tuple[Interval, ...], tuple[Issue, ...]]:
        """When it was, as far as the text says, and an issue where that could not be placed."""
        try:
            times = self._dates(told) if self.axis.kind == "dates" else ()
            if times or not told.when or self._is_opening(told):
                return times or self._recalled(told), ()
            return (self._read(told.when, told.window.chapter.number),), ()
        except TimeExpressionError as error:
            words = f"{told.quote[:200]!r}: {error}; the fact counts when chapter {told.window.chapter.number} plays"
            return self._recalled(told), (Issue("unplaced_time", words, told.window.chapter.source_id),)

    def _read(self, when: str, chapter: int) -> Interval:
        """Words as the axis reads them, but a number in a text is never one of its ticks."""
        if self.axis.kind == "ticks" and _BARE.fullmatch(when):
            raise TimeExpressionError(when, "is a date, and this story has no calendar (axis='dates' gives it one)")
        return self.axis.read(when, chapter=chapter)

    def _is_opening(self, told: Told) -> bool:
        """True for the "ten years earlier" that moved the chapter itself: counted again, it would be twenty."""
        point = f"chapter:{told.window.chapter.number}"
        moved = [one.evidence for one in self.constraints if one.one == point and one.offset_days is not None]
        return any(is_quoted(told.when, evidence) for evidence in moved)

    def _recalled(self, told: Told) -> tuple[Interval, ...]:
        """An event that a chapter looks back on was some time before the chapter plays; a state may well go on."""
        now = self.axis.now(told.window.chapter.number)
        ontology = self.settings.known
        if not told.recalled or not now or not ontology.has_relation(told.relation):
            return ()
        starts = [time.start for time in now if time.start is not None]
        if ontology.relation(told.relation)[0].kind != "event" or not starts:
            return ()
        first = min(starts)
        grains = [time.grain for time in now if isinstance(time, TimeInterval)]
        return (TimeInterval(None, first, min(grains)) if grains else Interval(None, first),)

    def _dates(self, told: Told) -> tuple[Interval, ...]:
        """Dates that rules read in the words that tell the time, as they stand in the window.

        A fact that rules found has the one date of its sentence.
        """
        window, chapter = told.window, told.window.chapter
        if not told.when and not told.by_rules:
            return ()
        if window not in self._dated:
            written = chapter.published if chapter.dated else None
            self._dated[window] = date_by_rules(window.text, published=written, calendar=self.settings.calendar)
        placed, at = self._dated[window].placed, told.span[0] - window.span[0]
        if not told.when:
            length = told.span[1] - told.span[0]
            inside = {one.interval for one in placed if at <= one.span[0] and one.span[1] <= at + length}
            return tuple(inside) if len(inside) == 1 else ()
        for start in sorted(_places(told.when, window.text), key=lambda place: abs(place - at)):
            found = [one.interval for one in placed if one.span[0] < start + len(told.when) and one.span[1] > start]
            if found:
                return tuple(dict.fromkeys(found))
        return ()


def with_landmarks(placing: Placing, candidates: Iterable[Told]) -> Placing:
    """The placing that also knows when the events were that the story itself tells, so that "before the fire" says something.

    Args:
        placing: knows the chapters.
        candidates: what the windows tell.
    """
    ontology = placing.settings.known
    times: dict[str, list[Interval]] = {}
    for told in candidates:
        if not ontology.has_relation(told.relation):
            continue
        relation = ontology.relation(told.relation)[0]
        if relation.kind == "event" and relation.domain and all(ontology.is_a(kind, "event") for kind in relation.domain):
            story, _ = placing.story(told)
            times.setdefault(told.subject, []).extend(story or placing.axis.now(told.window.chapter.number))
    found = {name: whole for name, several in times.items() if (whole := hull(several)) is not None and whole.start is not None}
    return replace(placing, axis=placing.axis.with_landmarks(found), _dated={})


def _places(words: str, text: str) -> list[int]:
    found, start = [], text.find(words)
    while start >= 0:
        found.append(start)
        start = text.find(words, start + 1)
    return found


def _metadata(told: Told) -> Mapping[str, Scalar]:
    found: dict[str, Scalar] = {"when": told.when} if told.when else {}
    found |= {"recalled": True} if told.recalled else {}
    return found | ({"extracted_by": "rules"} if told.by_rules else {})
