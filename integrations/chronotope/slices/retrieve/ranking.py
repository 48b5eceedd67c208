"""What facts and passages are ranked by: vectors, words, names, their neighbours, and whether they lie in what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chronotope.models import Vectors
from chronotope.records import Issue
from chronotope.shelves import Mask, Rows, stretched
from chronotope.slices.graph import Slice, StoryGraph
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.question.kinds import asked_kind, asking_words, shows
from chronotope.slices.retrieve.retrieval_settings import SliceSettings
from chronotope.slices.retrieve.within import passages_within
from chronotope.slices.scope import StoryScope

__all__ = ["FactRanking", "PassageRanking", "rank_facts", "rank_passages"]

Vector = npt.NDArray[np.float32]
_CHAPTER_BEST = 3  # passages that a chapter is judged by
_ALWAYS = 0.5  # share of the bonus that a fact outside time gets: it lies in every chapter and says nothing of this one
_LOOKED_AT = 400  # best passages whose texts are read for names and kinds


@dataclass(frozen=True, eq=False)
class FactRanking:
    """Facts of a graph with their scores.

    Args:
        scores: of each row of the graph.
        order: rows that compete, best first.
        touching: which rows touch an entity of the question.
        meant: from 0 to 1 for each row, by whom and which relation the question names, whatever the words of the fact.
    """

    scores: Vectors
    order: Rows
    touching: Mask
    meant: Vectors


@dataclass(frozen=True, eq=False)
class PassageRanking:
    """Passages of an index, best first.

    Args:
        rows: of the shelf.
        scores: descending.
        inside: which lie in all that is asked.
        issues: what was left out.
    """

    rows: Rows
    scores: Vectors
    inside: Mask
    issues: tuple[Issue, ...] = ()


def rank_facts(
    index: StoryIndex, graph: StoryGraph, cut: Slice, asked: StoryScope, vector: Vector, settings: SliceSettings
) -> FactRanking:
    """Score every fact of a graph; `cut` lets only those of the slice compete."""
    weights = settings.weights
    touching = np.zeros(len(graph), np.bool_)
    if not len(graph):
        return FactRanking(np.zeros(0, np.float32), np.zeros(0, np.int64), touching, np.zeros(0, np.float32))
    rows = index.fact_rows(graph)
    text = asking_words(asked.core or asked.question)
    meant = np.zeros(len(graph), np.float32)
    scores = weights.vectors * stretched(index.fact_shelf.similarities(vector)[rows])
    scores = scores + weights.words * stretched(index.fact_shelf.word_scores(text)[rows])
    if asked.entities:
        beside = np.stack([_touching(graph, entity, inner=entity in asked.places) for entity in asked.entities])
        touching |= beside.any(axis=0)
        meant += beside.mean(axis=0, dtype=np.float32)
        scores = scores + weights.names * meant
    inside = np.zeros(len(graph), np.bool_)
    inside[cut.rows] = True
    if asked.relations:
        named = _of_relations(graph, asked.relations)
        about: Mask = touching if asked.entities else inside  # whom it asks about; else when and where
        scores = scores + weights.relation * (named + 2.0 * (named & about))
        meant = np.asarray((meant + (named & about)) / 2, np.float32)
    if asked.is_bound and settings.scope == "boost":
        scores = scores + weights.inside * np.where(graph.arrays.timeless, _ALWAYS, 1.0) * inside
    scores = np.asarray(scores, np.float32)
    competing = np.flatnonzero(inside) if settings.scope == "cut" else np.arange(len(graph))
    return FactRanking(scores, competing[np.argsort(-scores[competing], kind="stable")], touching, meant)


def _of_relations(graph: StoryGraph, relations: Sequence[str]) -> Mask:
    """Facts of some relations; "what happened" asks for every event, whatever its relation."""
    wanted = {*relations}
    known = graph.ontology.relations
    if any(known[name].domain == ("event",) and not known[name].range for name in wanted if name in known):
        return np.array([kind == "event" for kind in graph.kinds], np.bool_)
    return np.array([fact.relation in wanted for fact in graph.facts], np.bool_)


def _touching(graph: StoryGraph, entity: str, *, inner: bool = False) -> Mask:
    """Facts that an entity takes part in, or that happen at it; where people are asked for by place, also at all inside it."""
    names = graph.places.inside(entity) if inner and entity in graph.places else (entity,)
    found = np.zeros(len(graph), np.bool_)
    for name in names:
        found |= _touching_one(graph, name)
    return found


def _touching_one(graph: StoryGraph, entity: str) -> Mask:
    number = graph.numbers.get(entity, -2)
    found: Mask = (graph.arrays.subject == number) | (graph.arrays.object == number) | _at(graph, entity)
    return found


def _at(graph: StoryGraph, entity: str) -> Mask:
    """Facts that happen at an entity, for places that a question is about."""
    if entity not in graph.places:
        return np.zeros(len(graph), np.bool_)
    found: Mask = graph.arrays.place == graph.places.ids.index(entity)
    return found


def rank_passages(
    index: StoryIndex, graph: StoryGraph, asked: StoryScope, vector: Vector, facts: FactRanking, settings: SliceSettings
) -> PassageRanking:
    """Score the passages that the reader may see; `cut` lets only those inside what is asked compete."""
    seen, loose = index.passage_map.readable(asked.reader_at)
    issues = _left_out(loose, asked.reader_at)
    rows = np.flatnonzero(seen)
    if not rows.size:
        return PassageRanking(rows, np.zeros(0, np.float32), np.zeros(0, np.bool_), issues)
    scores = _scores(index, graph, asked, vector, facts, rows, settings)
    part = np.zeros(index.passage_shelf.size, np.float32)
    whole = np.ones(index.passage_shelf.size, np.bool_)
    if asked.is_bound and settings.scope != "off":
        lying = passages_within(index, graph, asked, rows)
        part[rows], whole[rows] = lying.mean(axis=0), lying.all(axis=0)
        if settings.scope == "boost":
            scores = scores + settings.weights.inside * part[rows]
        elif settings.scope == "cut":
            scores, rows = scores[whole[rows]], rows[whole[rows]]
    order = np.argsort(-scores, kind="stable")
    return PassageRanking(rows[order], np.asarray(scores[order], np.float32), whole[rows[order]], issues)


def _left_out(loose: int, reader_at: int | None) -> tuple[Issue, ...]:
    if not loose:
        return ()
    told = f"{loose} passages without a chapter were left out, for a reader of chapter {reader_at} may not know them"
    return (Issue("passages_without_chapter", told),)


def _scores(
    index: StoryIndex,
    graph: StoryGraph,
    asked: StoryScope,
    vector: Vector,
    facts: FactRanking,
    rows: Rows,
    settings: SliceSettings,
) -> Vectors:
    weights, shelf, text = settings.weights, index.passage_shelf, asking_words(asked.core or asked.question)
    full = np.zeros(shelf.size, np.float32)
    full[rows] = weights.vectors * stretched(shelf.similarities(vector)[rows])
    if weights.words:
        full[rows] += weights.words * stretched(shelf.word_scores(text)[rows])
    if weights.sentences:
        full[rows] += weights.sentences * stretched(index.passage_map.sentence_scores(text)[rows])
    base = full.copy()
    if weights.facts and len(graph):
        full[rows] += weights.facts * _by_facts(index, graph, facts)[rows]
    if weights.near:
        near = np.maximum(_beside(base, index.passage_map.before), _beside(base, index.passage_map.after))
        full[rows] += weights.near * stretched(near[rows])
    if weights.chapter:
        full[rows] += weights.chapter * stretched(_by_chapter(index, text, base, rows)[rows])
    best = rows[np.argsort(-full[rows], kind="stable")[:_LOOKED_AT]]
    if weights.names and asked.entities:
        full[best] += weights.names * _named(index, graph, asked.entities, best)
    kind = asked_kind(asked.question)
    if weights.kind and kind is not None:
        full[best] += weights.kind * np.array([shows(kind, shelf.item(row).text) for row in best.tolist()], np.float32)
    return full[rows]


def _beside(base: Vectors, neighbours: Rows) -> Vectors:
    """The scores of neighbours, 0 where there is none."""
    found: Vectors = np.where(neighbours != np.arange(base.size), base[neighbours], np.float32(0))
    return found


def _by_facts(index: StoryIndex, graph: StoryGraph, facts: FactRanking) -> Vectors:
    """How well the best fact in each passage is meant; its words are those of the passage, which counts them already."""
    found = np.zeros(index.passage_shelf.size, np.float32)
    homes = index.homes[index.fact_rows(graph)]
    placed = homes >= 0
    np.maximum.at(found, homes[placed], facts.meant[placed])
    return found


def _by_chapter(index: StoryIndex, text: str, base: Vectors, rows: Rows) -> Vectors:
    """How well each passage's chapter does: the mean of its best passages, and its title."""
    chapters = index.passage_map.chapters[rows]
    found = np.zeros(base.size, np.float32)
    titles = index.passage_map.title_scores(text, np.unique(chapters).tolist())
    for number in np.unique(chapters).tolist():
        own = rows[chapters == number]
        best = np.sort(base[own])[-_CHAPTER_BEST:]
        found[own] = best.mean() + titles.get(number, 0.0)
    return found


def _named(index: StoryIndex, graph: StoryGraph, entities: Sequence[str], rows: Rows) -> Vectors:
    """The share of the entities that each passage names."""
    masks = [index.passage_map.naming(list(graph.cast.entity(entity).names), rows) for entity in entities]
    found: Vectors = np.stack(masks).mean(axis=0, dtype=np.float32)
    return found
