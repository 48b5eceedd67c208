"""Reads questions by the names of one graph: its places, entities, relations and landmarks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from chronotope.records import Issue
from chronotope.slices.question.ages import place_ages
from chronotope.slices.question.chapters import ChapterPhrase, chapter_phrases
from chronotope.slices.question.clauses import Clause, story_clauses
from chronotope.slices.question.dates import DateReading, dates_of
from chronotope.slices.question.labels import RelationLabels
from chronotope.slices.question.landmarks import LandmarkTable
from chronotope.slices.question.marks import names_of
from chronotope.slices.question.names import Mention, NameTable, Span, apart
from chronotope.slices.question.pieces import Piece, joined, met
from chronotope.slices.question.placing import Placed, counted_from, place_clause
from chronotope.slices.question.readers import reader_phrase
from chronotope.slices.question.whereabouts import whereabouts
from chronotope.slices.question.wording import blanked, without
from chronotope.slices.scope import StoryScope
from chronotope.temporal import Today
from chronotope.temporal.expressions import DEFAULTS
from chronotope.temporal.interval import Interval
from chronotope.temporal.question_text import plain_question
from chronotope.temporal.settings import CalendarSettings

if TYPE_CHECKING:
    from chronotope.slices.graph import StoryGraph

__all__ = ["QuestionReader"]

_AT = re.compile(
    r"\b(?:at|on|in|for|by)\s+(?:the\s+)?(?:(?:time|day|night|evening|morning|eve)\s+of\s+)?(?:the\s+|a\s+|his\s+|her\s+)?$",
    re.IGNORECASE,
)
_AT_ZH = re.compile(r"[在于於]$")
_OR = re.compile(r"^[\s,]*(?:and|or|,|或|和|及|與|与)?[\s,]*(?:in|on|during|at|在)?\s*$", re.IGNORECASE)
_CLAUSES = 20  # more are no question
_READERS = 4  # graphs of earlier readers that are kept
_HALF = 2_000  # characters at the beginning and at the end of a long text that are read as the question


class QuestionReader:
    """Reads questions by the names of one graph; what it makes of the names is kept for the next question.

    Args:
        graph: whose names they are.
    """

    def __init__(self, graph: StoryGraph) -> None:
        self.graph = graph
        self._readers: dict[int, QuestionReader] = {}

    def _told_until(self, chapter: int) -> QuestionReader:
        """The reader of what is told up to a chapter; the last few are kept."""
        graph = self.graph.told_until(chapter)
        found = self._readers.get(chapter)
        if found is None or found.graph is not graph:
            found = QuestionReader(graph)
            others = [(number, reader) for number, reader in self._readers.items() if number != chapter]
            self._readers = {**dict(others[-_READERS + 1 :]), chapter: found}  # not changed in place: others may be reading
        return found

    @cached_property
    def names(self) -> NameTable:
        """Every name of every entity."""
        return names_of(self.graph)

    @cached_property
    def landmarks(self) -> LandmarkTable:
        """What questions may count time from."""
        return LandmarkTable(self.graph, self.names)

    @cached_property
    def labels(self) -> RelationLabels:
        """The words for relations."""
        return RelationLabels(self.graph.ontology)

    def read(self, question: str, *, today: Today = None, calendar: CalendarSettings | None = None) -> StoryScope:
        """Take a question apart; see `parse_question`."""
        whole = plain_question(question)
        text, issues = _ends(whole)
        phrase = reader_phrase(text)
        hidden = phrase if text is whole else reader_phrase(whole)  # however long, what hides later chapters must not be missed
        taken = [] if phrase is None else [phrase.span]
        chapters = chapter_phrases(text, chapters=self.graph.chapters, taken=taken)
        known = [one.chapter for one in (phrase, hidden) if one is not None]
        known += [one.number for one in chapters if one.use == "version" and one.number is not None]
        reader = self
        if known:
            reader = self._told_until(min(known))
            chapters = chapter_phrases(text, chapters=reader.graph.chapters, taken=taken)
        scope = reader._read(question, text, chapters, taken, today, calendar or DEFAULTS)
        return replace(scope, reader_at=min(known, default=None), issues=(*scope.issues, *issues))

    def _read(
        self,
        question: str,
        text: str,
        chapters: Sequence[ChapterPhrase],
        gone: Sequence[Span],
        today: Today,
        calendar: CalendarSettings,
    ) -> StoryScope:
        counted = [found for one in chapters if (found := counted_from(text, one, self.graph.axis)) is not None]
        chapters = [one for one in chapters if all(one.span[1] != piece.span[1] for piece in counted)]
        taken = [*gone, *(one.span for one in chapters), *(piece.span for piece in counted)]
        placed = self.place(text, taken)
        placed.pieces += counted
        taken += [piece.span for piece in placed.pieces]
        mentions = self.names.mentions(text, taken)
        events, mentions = self._events(text, mentions, placed)
        taken += events
        dates = dates_of(text, taken, mentions, kind=self.graph.axis.kind, today=today, calendar=calendar)
        relations = self.labels.named(blanked(text, [*taken, *dates.spans, *(one.span for one in mentions)]))
        free = [one for one in mentions if apart(one.span, dates.spans)]
        where = whereabouts(text, free, self.graph, [*taken, *dates.spans], relations)
        story, conflicts = _story(text, placed, dates)
        played = joined(text, [Piece(one.span, one.intervals, one.excluded) for one in chapters if one.use != "told"])
        told = joined(text, [Piece(one.span, one.intervals, one.excluded) for one in chapters if one.use == "told"])
        return StoryScope(
            question=question,
            core=without(text, [*taken, *dates.spans]),
            chapters=played,
            told=told,
            story=story,
            places=where.places,
            entities=where.entities,
            relations=relations,
            landmarks=tuple(placed.landmarks),
            unresolved=(*placed.unresolved, *dates.unresolved, *where.unresolved),
            issues=(*self._missing([*played, *told]), *placed.issues, *dates.issues, *where.issues, *conflicts),
        )

    def place(self, text: str, taken: Sequence[Span]) -> Placed:
        """The clauses of a question on the axis of the story."""
        placed = Placed()
        place_ages(text, taken, self.graph, self.names, placed)
        busy = [*taken, *(piece.span for piece in placed.pieces), *_spans(text, placed.unresolved)]
        clauses = story_clauses(text, busy)
        if len(clauses) > _CLAUSES:
            told = f"only the first {_CLAUSES} of {len(clauses)} clauses that may tell a time were read"
            placed.issues.append(Issue("unresolved_time", told))
        for clause in clauses[:_CLAUSES]:
            if not self._is_someone(clause):
                about = [name for one in self.names.mentions(text, [*busy, clause.span]) for name in one.ids]
                place_clause(text, clause, self.landmarks, self.graph.axis, placed, about=about)
        return placed

    def _is_someone(self, clause: Clause) -> bool:
        """True for "before the queen": somebody is no event."""
        named = self.names.mentions(clause.phrase)
        rest = blanked(clause.phrase, [one.span for one in named]).strip().lower()
        return (
            bool(named) and rest in ("", "the", "a") and all(self.graph.landmark(name) is None for one in named for name in one.ids)
        )

    def _events(self, text: str, mentions: Sequence[Mention], placed: Placed) -> tuple[list[Span], list[Mention]]:
        """Events that a question is at: "at the banquet", 在元宵節; what is only named stays an entity."""
        spans: list[Span] = []
        left: list[Mention] = []
        if any(self._leads_to_events(name) for name in self.labels.named(blanked(text, [one.span for one in mentions]))):
            return [], [*mentions]  # "who took part in the wedding" is about it, whenever it was
        for mention in mentions:
            lead = _AT.search(text, 0, mention.span[0]) or _AT_ZH.search(text, 0, mention.span[0])
            if lead is None or lead.end() != mention.span[0] or any(self.graph.landmark(name) is None for name in mention.ids):
                left.append(mention)
                continue
            span = (lead.start(), mention.span[1])
            clause = Clause(span, mention.text, "during", mention.span[0])
            before = len(placed.pieces)
            place_clause(text, clause, self.landmarks, self.graph.axis, placed)
            spans += [span] if len(placed.pieces) > before else []
        return spans, left

    def _leads_to_events(self, name: str) -> bool:
        wanted = self.graph.ontology.relations[name].range
        return bool(wanted) and all(self.graph.ontology.is_a(one, "event") for one in wanted)

    def _missing(self, asked: Sequence[Interval]) -> list[Issue]:
        """Chapters that the story does not have."""
        known = self.graph.chapters
        told = f"chapters {known[0]} to {known[-1]}" if known else "no chapters"
        return [
            Issue("unknown_chapter", f"no chapter of the story lies in {_words(one)}; it has {told}")
            for one in asked
            if not any(one.contains(chapter) for chapter in known)
        ]


def _ends(text: str) -> tuple[str, list[Issue]]:
    """The beginning and the end of a text that is too long for a question, where the question is likely to stand."""
    if len(text) <= 2 * _HALF:
        return text, []
    told = f"only the first and the last {_HALF:,} of {len(text):,} characters were read as the question"
    return f"{text[:_HALF]}\n{text[-_HALF:]}", [Issue("long_question", told)]


def _spans(text: str, phrases: Sequence[str]) -> list[Span]:
    return [(start, start + len(phrase)) for phrase in phrases if (start := text.find(phrase)) >= 0]


def _words(chapters: Interval) -> str:
    if chapters.length == 1:
        return f"chapter {chapters.start}"
    first = "the first" if chapters.start is None else str(chapters.start)
    last = "the last" if chapters.end is None else str(chapters.end - 1)
    return f"chapters {first} to {last}"


def _story(text: str, placed: Placed, dates: DateReading) -> tuple[tuple[Interval, ...], list[Issue]]:
    """Landmarks and dates together: what is listed adds up, what stands apart must hold both."""
    by_events = joined(text, placed.pieces)
    by_dates: tuple[Interval, ...] = dates.times
    if not by_events or not by_dates:
        return by_events or by_dates, []
    spans = sorted([*(piece.span for piece in placed.pieces), *dates.spans])
    listed = any(re.search(r"\bor\b|或", text[one[1] : two[0]]) for one, two in pairwise(spans))
    both = () if listed else met(by_events, by_dates)
    if both:
        return both, []
    told = "the times of the question have nothing in common; each of them is looked at"
    issues = [] if listed else [Issue("disjoint_times", told)]
    return joined(text, [Piece((0, 0), by_events), Piece((len(text), len(text)), by_dates)]), issues
