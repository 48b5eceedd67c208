"""Retrieval from a story: question, scope, slice; then facts by paths, neighbours and words, and the passages they stand in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from chronotope.records import Hit, Issue
from chronotope.shelves import Rows
from chronotope.slices.fact import Fact
from chronotope.slices.graph import Slice, StoryGraph
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.question.ask import story_scope_by
from chronotope.slices.retrieve.ranking import FactRanking, PassageRanking, rank_facts, rank_passages
from chronotope.slices.retrieve.retrieval_settings import SliceSettings, checked_settings
from chronotope.slices.retrieve.slicing import asked_paths, slice_of
from chronotope.slices.scope import StoryScope
from chronotope.steps import Step, embed, rank
from chronotope.temporal import Today
from chronotope.temporal.settings import CalendarSettings
from chronotope.text import is_blank

__all__ = ["FoundFact", "Role", "SliceRetrieval", "retrieve_slice"]

Role: TypeAlias = Literal["path", "neighbour", "words"]
_DEFAULTS = SliceSettings()
_A_STEP = 2  # facts of one edge of a path


@dataclass(frozen=True)
class FoundFact:
    """How a fact was found.

    Args:
        fact: the fact.
        score: what it was ranked by among those of its role; comparable within one result only.
        role: on a shortest path between entities of the question, beside one of them, or by its words and vector.
        distance: edges between it and the nearest entity of the question; 0 when it touches one, -1 when none is near.
        in_scope: True when it lies in the slice.
    """

    fact: Fact
    score: float
    role: Role = "words"
    distance: int = -1
    in_scope: bool = True


@dataclass(frozen=True)
class SliceRetrieval:
    """What a question was understood to ask, the slice of the story that this selects, and what was found.

    Args:
        scope: the question taken apart.
        slice: the facts for which all constraints hold.
        trace: facts: paths first, then neighbours of the asked entities, then what its words found.
        passages: passages, best first.
        issues: what was left out, guessed or not found; for a slice without facts, what relaxing each constraint would bring.
    """

    scope: StoryScope
    slice: Slice
    trace: tuple[FoundFact, ...] = ()
    passages: tuple[Hit, ...] = ()
    issues: tuple[Issue, ...] = ()

    @cached_property
    def hits(self) -> tuple[Hit, ...]:
        """The facts as passages, in the order of the trace."""
        return tuple(Hit(found.fact.passage(), found.score, found.in_scope) for found in self.trace)

    @property
    def reader_at(self) -> int | None:
        """The last chapter that the reader knows; None for all."""
        return self.scope.reader_at

    def __repr__(self) -> str:
        return (
            f"<SliceRetrieval {self.scope.core!r}: slice of {len(self.slice.rows)} facts, {len(self.trace)} facts and "
            f"{len(self.passages)} passages found, {len(self.issues)} issues>"
        )


def retrieve_slice(
    index: StoryIndex,
    question: str,
    *,
    scope: StoryScope | None = None,
    reader_at: int | None = None,
    settings: SliceSettings = _DEFAULTS,
    today: Today = None,
    calendar: CalendarSettings | None = None,
    ask: bool = False,
) -> Step[SliceRetrieval]:
    """Understand a question, cut its slice from the story graph, and retrieve facts and passages.

    With a reader's chapter nothing that is told later takes part: no fact, passage, name, alias or place. A passage without a
    chapter is left out then, unless no passage of its source has one.

    Args:
        index: the story.
        question: a question in plain words.
        scope: how it is to be understood; None reads it by rules.
        reader_at: last chapter that the reader knows; the earlier one counts where the question names another.
        settings: how to match.
        today: the day that "last year" counts from.
        calendar: how dates are read.
        ask: let a chat model read what rules cannot place.

    Raises:
        TypeError: an argument is of another kind than it must be.

    Source: NS-ST-GraphRAG, figure 6, steps 1 to 4.
    """
    _checked(index, question, settings)
    if is_blank(question):
        return _nothing(index, question, reader_at, Issue("blank_question", "the question is blank"))
    asked = scope
    if asked is None:
        asked = yield from story_scope_by(index.reader(reader_at), question, today=today, calendar=calendar, ask=ask)
    known = [chapter for chapter in (reader_at, asked.reader_at) if chapter is not None]
    asked = replace(asked, reader_at=min(known) if known else None)
    if not len(index) and not len(index.passages):
        return _nothing(index, question, asked.reader_at, Issue("empty_index", "the index holds no facts and no passages"), asked)
    cut = slice_of(index.graph, asked, unplaced=settings.unplaced, untimed=settings.untimed)
    graph = cut.graph  # the reader's, where there is one
    asked = asked if scope is None else _of_known(asked, graph)
    (vector,) = yield from embed([asked.core or asked.question], kind="query")
    facts = rank_facts(index, graph, cut, asked, vector, settings)
    trace = _traced(graph, cut, asked, facts, settings)
    passages = rank_passages(index, graph, asked, vector, facts, settings)
    if settings.rerank and passages.rows.size:
        passages = yield from _reranked(index, asked.core, passages, settings.rerank)
    shown = [
        Hit(index.passage_shelf.item(row), score, inside)
        for row, score, inside in zip(passages.rows.tolist(), passages.scores.tolist(), passages.inside.tolist(), strict=True)
    ][: settings.passages]
    told = {issue.kind for issue in asked.issues} & {"unknown_chapter"}  # the slice would say so again
    issues = (*asked.issues, *(issue for issue in cut.issues if issue.kind not in told), *_unmet(cut), *passages.issues)
    return SliceRetrieval(asked, cut, tuple(trace), tuple(shown), tuple(dict.fromkeys(issues)))


def _checked(index: object, question: object, settings: object) -> None:
    if not isinstance(index, StoryIndex):
        raise TypeError(f"index must be a StoryIndex, not {type(index).__name__}; the index comes first, then the question")
    if not isinstance(question, str):
        raise TypeError(f"question must be a str, not {type(question).__name__}")
    checked_settings(settings)


def _of_known(asked: StoryScope, graph: StoryGraph) -> StoryScope:
    """A given scope with the ids of its entities; one that the graph, or its reader, does not know is told and left out."""
    ids = {name: graph.entity_ids_of(name) for name in asked.entities}
    unknown = [
        Issue("unknown_entity", f"{name!r} is nobody and nothing that is told of") for name, found in ids.items() if not found
    ]
    entities = tuple(dict.fromkeys(one for found in ids.values() for one in found))
    return replace(asked, entities=entities, issues=(*asked.issues, *unknown))


def _nothing(
    index: StoryIndex, question: str, reader_at: int | None, issue: Issue, scope: StoryScope | None = None
) -> SliceRetrieval:
    asked = scope or StoryScope(question=question, core=question, reader_at=reader_at)
    return SliceRetrieval(asked, index.reader(reader_at).graph.slice(), issues=(*asked.issues, issue))


def _unmet(cut: Slice) -> list[Issue]:
    """What relaxing each constraint would bring, where all of them together leave nothing but what is always so."""
    if not len(cut.graph) or any(cut.graph.kinds[row] != "timeless" for row in cut.rows.tolist()):
        return []
    told = "; ".join(f"without {one.name} ({one.asked}): {one.without}" for one in cut.trace if one.name != "reader_at")
    left = f" but what is always so ({len(cut.rows)})" if len(cut.rows) else ""
    return [Issue("empty_slice", f"no fact{left} lies in all that is asked; facts {told}")] if told else []


def _traced(graph: StoryGraph, cut: Slice, asked: StoryScope, ranked: FactRanking, settings: SliceSettings) -> list[FoundFact]:
    """Facts of paths, then of neighbours (at most half of what is left), then by words."""
    inside = np.zeros(len(graph), np.bool_)
    inside[cut.rows] = True
    found: dict[int, FoundFact] = {}

    def take(row: int, role: Role, distance: int) -> None:
        if row not in found and len(found) < settings.k:
            found[row] = FoundFact(graph.facts[row], float(ranked.scores[row]), role, distance, bool(inside[row]))

    for row, distance in _on_paths(graph, cut, asked.entities, ranked, settings.paths):
        take(row, "path", distance)
    touching = ranked.touching
    order = ranked.order
    beside = [row for row in order.tolist() if touching[row] and row not in found]
    for row in beside[: max(1, (settings.k - len(found)) // 2)]:
        take(row, "neighbour", 0)
    for row in order.tolist():
        if len(found) >= settings.k:
            break
        take(row, "words", 0 if touching[row] else -1)
    return list(found.values())


def _on_paths(graph: StoryGraph, cut: Slice, entities: Sequence[str], ranked: FactRanking, limit: int) -> list[tuple[int, int]]:
    """Rows of the facts of the shortest paths, the best of each edge, with their distance from the nearer end."""
    if len(entities) < 2 or not limit:
        return []
    allowed = np.zeros(len(graph), np.bool_)
    allowed[cut.rows] = True
    found: list[tuple[int, int]] = []
    for path in asked_paths(cut, entities)[:limit]:
        for place, edge in enumerate(path.edges):
            rows = [row for row in map(graph.row, edge.facts) if allowed[row]]
            best = sorted(rows, key=lambda row: (-float(ranked.scores[row]), row))[:_A_STEP]
            found += [(row, min(place, len(path.edges) - 1 - place)) for row in best]
    return found


def _reranked(index: StoryIndex, core: str, found: PassageRanking, depth: int) -> Step[PassageRanking]:
    """The best passages in the reranker's order, above all others."""
    best: Rows = found.rows[:depth]
    told = yield from rank(core, [index.passage_shelf.item(row).text for row in best.tolist()])
    order = np.argsort(-np.asarray(told), kind="stable")
    rows = np.concatenate([best[order], found.rows[depth:]])
    inside = np.concatenate([found.inside[:depth][order], found.inside[depth:]])
    return replace(found, rows=rows, inside=inside)
