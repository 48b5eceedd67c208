"""Events of a graph by which a question places itself, found by their names and by the words that tell of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from chronotope.lexical import words
from chronotope.questions.subject import subject
from chronotope.slices.graph.arrays import Bools, Ints
from chronotope.slices.ontology import Kind
from chronotope.slices.question.names import NameTable
from chronotope.slices.question.spoken import SpokenNames
from chronotope.slices.question.telling_words import RowsOfWords, WordRows
from chronotope.temporal.interval import Interval

if TYPE_CHECKING:
    from chronotope.slices.graph import StoryGraph

__all__ = ["Fit", "LandmarkTable", "Marked"]

Token: TypeAlias = str | tuple[str, ...]  # a word, or the ids of all who bear a name
Floats: TypeAlias = npt.NDArray[np.float64]
_KEPT = 40  # tokens whose landmarks are kept: a clause is tried word by word
_SHARED = 0.5  # share of a phrase's telling words that an event must have to be what it names
_NEAR = 0.95  # share of the best score above which another event is as likely meant
_ALIKE = 0.8  # what a word counts that only looks like one of the event
_NAMED = 0.01  # an event's own entity before the facts that tell of it


@dataclass(frozen=True)
class Marked:
    """Something that a question may count time from.

    Args:
        id: of the event's entity, or of the fact.
        name: for readers.
        times: when it was.
        kind: states are landmarks by when they held.
    """

    id: str
    name: str
    times: tuple[Interval, ...]
    kind: Kind


@dataclass(frozen=True)
class Fit:
    """A landmark that a phrase fits, and how well, from 0 to 1."""

    mark: Marked
    score: float


class LandmarkTable:
    """The landmarks of a graph: its events with names of their own, then its events and states.

    Args:
        graph: the graph.
        names: finds the entities in a phrase.
    """

    def __init__(self, graph: StoryGraph, names: NameTable) -> None:
        self._graph, self._names = graph, names
        self._kept: dict[Token, tuple[Ints, Floats, float]] = {}
        self._own = [(name, time) for name in graph.entity_ids if (time := graph.landmark(name)) is not None]
        told = zip(graph.kinds, graph.validity, strict=True)
        self._rows: Ints = np.array([row for row, (kind, times) in enumerate(told) if times and kind != "timeless"], np.int64)
        self._marks: Ints = np.full(len(graph), -1, np.int64)  # the mark of each fact
        self._marks[self._rows] = np.arange(self._rows.size) + len(self._own)

    def __len__(self) -> int:
        """Number of landmarks."""
        return len(self._own) + self._rows.size

    @cached_property
    def words(self) -> RowsOfWords:
        """The words of each landmark; of an entity its names, of a fact its quotation, its value and the words for its relation."""
        graph, found = self._graph, WordRows()
        for name, _ in self._own:
            found.add("", (word for text in graph.names_of(name) for word in _plain(text)))
        labels = {name: _labels(graph, name) for name in {key[1] for key in graph.keys}}
        others = graph.arrays.object.tolist()
        for row in self._rows.tolist():
            fact = graph.facts[row]
            value = _plain(fact.object) if fact.object and others[row] < 0 else ()
            found.add(fact.quote, (*labels[fact.relation], *value))
        return found.done()

    @cached_property
    def _spoken(self) -> SpokenNames:
        return SpokenNames([self._graph.facts[row].quote for row in self._rows.tolist()], self._names)

    @cached_property
    def _events(self) -> Bools:
        """Which landmarks are events, those of the rest being states."""
        return np.array([True] * len(self._own) + [self._graph.kinds[row] == "event" for row in self._rows.tolist()], np.bool_)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, (name, _) in enumerate(self._own)}

    def score(self, phrase: str, *, states: bool = False, about: Sequence[str] = ()) -> float:
        """How well the best landmark for a phrase fits it; 0 where none does. See `fits`."""
        rows, scores = self._fitting(phrase, states, about)
        return float(scores[rows].max(initial=0.0))

    def fits(self, phrase: str, *, states: bool = False, about: Sequence[str] = ()) -> list[Fit]:
        """The landmarks that a phrase names, best first; those after the first are about as likely.

        Args:
            phrase: words such as `the temple burnt` or 抄檢.
            states: states count too ("while she served him").
            about: ids of whom the question names elsewhere, one of whom a "she" in the phrase means.
        """
        rows, scores = self._fitting(phrase, states, about)
        best = scores[rows].max(initial=0.0)
        fits = [Fit(self._mark(row), float(scores[row])) for row in rows[scores[rows] >= _NEAR * best].tolist()]
        return sorted(fits, key=lambda fit: (-fit.score, _begin(fit.mark.times), fit.mark.id))

    def _fitting(self, phrase: str, states: bool, about: Sequence[str]) -> tuple[Ints, Floats]:
        """The landmarks that share enough with a phrase, and the scores of all."""
        tokens = self._tokens(phrase)
        named = [token for token in tokens if isinstance(token, tuple)]
        if tokens and about and not named and _PRONOUN.search(phrase):
            named = [tuple(about)]
            tokens = [*tokens, *named]
        if not tokens:
            return np.empty(0, np.int64), np.zeros(len(self), np.float64)
        scores, persons, others = self._scores(tokens)
        enough = (2 * persons >= len(named)) & (others > 0)
        if len(named) == len(tokens):
            enough[: len(self._own)] |= 2 * persons[: len(self._own)] >= len(named)
        rows = np.flatnonzero((scores >= _SHARED) & enough & (self._events | states))
        scores[: len(self._own)] += _NAMED
        return rows, scores

    def _scores(self, tokens: Sequence[Token]) -> tuple[Floats, Ints, Ints]:
        """The share of the tokens that each landmark has, and how many names and other words these are."""
        scores = np.zeros(len(self), np.float64)
        persons, others = np.zeros(len(self), np.int64), np.zeros(len(self), np.int64)
        whole = 0.0
        for token in tokens:
            rows, values, weight = self._having(token)
            scores[rows] += values
            (persons if isinstance(token, tuple) else others)[rows] += 1
            whole += weight
        return scores / whole, persons, others

    def _having(self, token: Token) -> tuple[Ints, Floats, float]:
        """The landmarks that have a token, what it counts for each of them, and what it counts at most."""
        found = self._kept.get(token)
        if found is None:
            found = self._of_name(token) if isinstance(token, tuple) else self._of_word(token)
            self._kept = {**dict(list(self._kept.items())[-_KEPT:]), token: found}  # not changed in place: others may be reading
        return found

    def _of_name(self, bearers: Sequence[str]) -> tuple[Ints, Floats, float]:
        rows = [self._of_entity(name) for name in bearers]
        weight = min(self._weight(own.size) for own in rows)
        every = np.unique(np.concatenate(rows))
        return every, np.full(every.size, weight), weight

    def _of_word(self, word: str) -> tuple[Ints, Floats, float]:
        exact = self.words.rows(word)
        weight = self._weight(exact.size)
        every = np.union1d(exact, self.words.rows_alike(word))
        return every, np.where(np.isin(every, exact), weight, _ALIKE * weight), weight

    def _weight(self, holders: int) -> float:
        return log(1 + (len(self) + 1) / (holders + 0.5))

    def _of_entity(self, entity: str) -> Ints:
        """The landmarks that an entity takes part in, is the place of, or is named in."""
        graph = self._graph
        own = [self._numbers[entity]] if entity in self._numbers else []
        number = graph.numbers.get(entity)
        rows = [] if number is None else [self._marks[graph.arrays.by_entity.of_number(number)]]
        if entity in graph.places:
            rows.append(self._marks[np.flatnonzero(graph.arrays.place == graph.places.ids.index(entity))])
        found = np.concatenate([np.array(own, np.int64), *rows, self._spoken.rows(entity) + len(self._own)])
        return np.unique(found[found >= 0])

    def _mark(self, number: int) -> Marked:
        if number < len(self._own):
            name, time = self._own[number]
            return Marked(name, self._graph.name_of(name), (time,), "event")
        row = int(self._rows[number - len(self._own)])
        fact = self._graph.facts[row]
        return Marked(fact.id, fact.statement, self._graph.validity[row], self._graph.kinds[row])

    def _tokens(self, phrase: str) -> list[Token]:
        """The telling words of a phrase, each once; for its names the ids of all who bear them."""
        found: list[Token] = []
        position = 0
        for mention in self._names.mentions(phrase):
            found += _plain(phrase[position : mention.span[0]])
            found.append(mention.ids)
            position = mention.span[1]
        return list(dict.fromkeys([*found, *_plain(phrase[position:])]))


def _labels(graph: StoryGraph, name: str) -> tuple[str, ...]:
    """The words for a relation."""
    relation = graph.ontology.relations.get(name)
    own = name.replace("_", " ")
    told = (own,) if relation is None else (own, *relation.names, *relation.inverse_names)
    return tuple(word for text in told for word in (*_plain(text), *(text if len(text) == 1 else "")))


def _plain(text: str) -> list[str]:
    """The telling words of a text."""
    if not text.strip():
        return []
    content = subject(text)
    if content == text and all(word in _EMPTY for word in words(text, asked=True)):
        return []
    return [word for word in words(content, asked=True) if word not in _EMPTY]


_PRONOUN = re.compile(r"\b(?:he|she|they|him|her|them|his|their)\b|[他她]", re.IGNORECASE)
_EMPTY_WORDS = """
a an the of in on at to by for with from and or is are was were be been being had has have did do does his her their its it
he she they him them who which that this those there then s first second third last time day night moment whole very
的 了 那 這 这 其 之 在 是 被 把 將 将 與 与 和
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())


def _begin(times: Sequence[Interval]) -> float:
    return min((float("-inf") if time.start is None else time.start for time in times), default=float("inf"))
