"""How well each event fits a question, reason by reason, so that a user can read why one was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chronotope.events.index.index import EventIndex
from chronotope.events.retrieve.retrieval_settings import EventRetrievalSettings
from chronotope.models import Vectors
from chronotope.shelves.shelf import Mask, Rows
from chronotope.shelves.stretching import stretched
from chronotope.temporal.scope import QueryScope

__all__ = ["Scored", "score_events"]


@dataclass(frozen=True)
class Scored:
    """The candidates for a question.

    Args:
        rows: their rows in the index, ascending.
        scores: one for each.
        reasons: what each reason added to it.
        passage_scores: one a row of the passages, how well each fits by itself.
        inside: which candidates overlap the asked time.
        hinted: which undated ones do by their hint.
    """

    rows: Rows
    scores: Vectors
    reasons: Mapping[str, Vectors]
    passage_scores: Vectors
    inside: Mask
    hinted: Mask


def score_events(index: EventIndex, asked: QueryScope, vector: npt.NDArray[np.float32], settings: EventRetrievalSettings) -> Scored:
    """Weigh every event that the settings admit.

    Args:
        index: the events.
        asked: the question taken apart, its clauses resolved.
        vector: of the whole question.
        settings: filter and weights.

    Source: DyG-RAG, section 3.5 and equation 8; words, passages and sources are added.
    """
    weights = settings.weights
    inside, hinted = index.times.in_scope(asked), index.times.hinted(asked) & index.times.living
    rows = _candidates(index, asked, inside, hinted, settings)
    asks_vectors = weights.vectors or weights.passage_vectors
    similar = index.event_shelf.similarities(vector) if asks_vectors else np.zeros(index.event_shelf.size, np.float32)
    passages = _passage_reasons(index, asked, vector, settings)
    homes = index.homes[rows]
    own_vectors, own_words = stretched(similar[rows]), stretched(_words(index, asked, settings)[rows])
    reasons = {
        "vectors": weights.vectors * (own_vectors if settings.stretch else similar[rows]),
        "words": weights.words * own_words,
        "passage_vectors": weights.passage_vectors * _of_homes(passages["near"], homes, own_vectors),
        "passage_words": weights.passage_words * _of_homes(passages["words"], homes, own_words),
        "source": weights.source * _sources(index, asked, rows, passages, settings),
    }
    if asked.times and weights.time:
        reasons["time"] = weights.time * index.time_similarities(asked.times)[rows]
    if asked.is_timed and settings.time_filter == "boost":
        dated = inside & ~index.times.timeless
        reasons["inside"] = weights.inside * dated[rows].astype(np.float32)
        reasons["hinted"] = weights.hinted * hinted[rows].astype(np.float32)
    total = np.asarray(np.sum(list(reasons.values()), axis=0), np.float32)
    whole = np.asarray(passages["near"] + passages["words"], np.float32)
    return Scored(rows, total, reasons, whole, inside[rows], hinted[rows])


def _candidates(index: EventIndex, asked: QueryScope, inside: Mask, hinted: Mask, settings: EventRetrievalSettings) -> Rows:
    if not asked.is_timed or settings.time_filter != "cut":
        return np.flatnonzero(index.times.living)
    undated = {"include": index.times.undated, "hint": hinted}.get(settings.undated)
    return np.flatnonzero(inside if undated is None else inside | undated)


def _words(index: EventIndex, asked: QueryScope, settings: EventRetrievalSettings) -> Vectors:
    """Half by the whole question, whose dates a sentence may repeat, half by its core, which dates must not drown."""
    if not settings.weights.words and not settings.weights.passage_words:
        return np.zeros(index.event_shelf.size, np.float32)
    whole, core = index.event_shelf.word_scores(asked.question), index.event_shelf.word_scores(asked.core)
    return np.asarray((_of_best(whole) + _of_best(core)) / 2, np.float32)


def _passage_reasons(
    index: EventIndex, asked: QueryScope, vector: npt.NDArray[np.float32], settings: EventRetrievalSettings
) -> dict[str, Vectors]:
    """How near every passage is, and how many words it shares, both stretched to 0 … 1."""
    weights, shelf = settings.weights, index.passage_shelf
    none = np.zeros(shelf.size, np.float32)
    near, words = none.copy(), none.copy()
    living = shelf.living
    if living.size and (weights.passage_vectors or weights.source):
        near[living] = stretched(shelf.similarities(vector)[living])
    if living.size and (weights.passage_words or weights.source):
        words[living] = stretched(shelf.word_scores(asked.core)[living])
    return {"near": near, "words": words}


def _of_homes(scores: Vectors, homes: Rows, own: Vectors) -> Vectors:
    """The score of each event's passage; an event that stands in none is its own."""
    return np.where(homes >= 0, scores[homes], own) if scores.size else own


def _sources(
    index: EventIndex, asked: QueryScope, rows: Rows, passages: Mapping[str, Vectors], settings: EventRetrievalSettings
) -> Vectors:
    """For each event, the mean of how well its document's title fits, and how well its best passage does."""
    if not settings.weights.source or not rows.size:
        return np.zeros(rows.size, np.float32)
    sources = index.sources
    best = np.zeros(len(sources.titles), np.float32)
    living = index.passage_shelf.living
    np.maximum.at(best, sources.of_passages[living], ((passages["near"] + passages["words"]) / 2)[living])
    titles = _of_best(sources.titles_index.scores(asked.core))
    return np.asarray((best + titles) / 2, np.float32)[sources.of_events[rows]]


def _of_best(scores: Vectors) -> Vectors:
    """As shares of the best."""
    best = scores.max(initial=0)
    return scores / best if best > 0 else scores
