"""Events of a graph by which a question places itself, found by their names and by the words that tell of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

from chronotope.lexical import words
from chronotope.questions.subject import subject
from chronotope.slices.ontology import Kind
from chronotope.slices.question.names import NameTable
from chronotope.temporal.interval import Interval

__all__ = ["Fit", "LandmarkTable", "Marked", "phrase_tokens"]

_SHARED = 0.5  # share of a phrase's telling words that an event must have to be what it names
_NEAR = 0.95  # share of the best score above which another event is as likely meant
_STEM = 4  # letters by which two forms of one word are known: burnt and burned, marriage and married
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
        tokens: its words, and its entities as `@id`.
        own: True for an entity.
    """

    id: str
    name: str
    times: tuple[Interval, ...]
    kind: Kind
    tokens: frozenset[str]
    own: bool = False


@dataclass(frozen=True)
class Fit:
    """A landmark that a phrase fits, and how well, from 0 to 1."""

    mark: Marked
    score: float


class LandmarkTable:
    """The landmarks of a graph.

    Args:
        marks: what there is.
        names: finds the entities in a phrase.
    """

    def __init__(self, marks: Iterable[Marked], names: NameTable) -> None:
        self.marks, self.names = tuple(marks), names

    @cached_property
    def _holders(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for row, mark in enumerate(self.marks):
            for token in mark.tokens:
                found[token].append(row)
                if token.isascii() and len(token) > _STEM and not token.startswith("@"):
                    found[f"~{token[:_STEM]}"].append(row)
                elif token.isascii() and len(token) == _STEM:
                    found[f"~{token}"].append(row)
        return found

    def _weight(self, token: str) -> float:
        return log(1 + (len(self.marks) + 1) / (len(self._holders.get(token, ())) + 0.5))

    def tokens(self, phrase: str) -> list[str]:
        """The telling words of a phrase, its entities as `@id` of all who bear the name, joined by `|`."""
        return phrase_tokens(phrase, self.names)

    def fits(self, phrase: str, *, states: bool = False, about: Sequence[str] = ()) -> list[Fit]:
        """The landmarks that a phrase names, best first; those after the first are about as likely.

        Args:
            phrase: words such as `the temple burnt` or 抄檢.
            states: states count too ("while she served him").
            about: ids of whom the question names elsewhere, one of whom a "she" in the phrase means.
        """
        tokens = list(dict.fromkeys(self.tokens(phrase)))
        if tokens and about and _PRONOUN.search(phrase) and not any(token.startswith("@") for token in tokens):
            tokens.append("|".join(f"@{name}" for name in about))
        if not tokens:
            return []
        whole = sum(map(self._weight_of, tokens))
        scores: dict[int, float] = defaultdict(float)
        persons: dict[int, int] = defaultdict(int)
        others: dict[int, int] = defaultdict(int)
        for token in tokens:
            for row, share in self._having(token).items():
                scores[row] += self._weight_of(token) * share / whole
                (persons if token.startswith("@") else others)[row] += 1
        named = sum(token.startswith("@") for token in tokens)
        fits = []
        for row, score in scores.items():
            mark = self.marks[row]
            enough = 2 * persons[row] >= named and (others[row] > 0 or (mark.own and named == len(tokens)))
            if score >= _SHARED and enough and (states or mark.kind == "event") and mark.times:
                fits.append(Fit(mark, score + _NAMED * mark.own))
        fits.sort(key=lambda fit: (-fit.score, _begin(fit.mark.times), fit.mark.id))
        return [fit for fit in fits if fit.score >= _NEAR * fits[0].score]

    def _weight_of(self, token: str) -> float:
        return min(self._weight(part) for part in token.split("|")) if token.startswith("@") else self._weight(token)

    def _having(self, token: str) -> dict[int, float]:
        if token.startswith("@"):
            return {row: 1.0 for part in token.split("|") for row in self._holders.get(part, ())}
        found = dict.fromkeys(self._holders.get(f"~{token[:_STEM]}", ()), _ALIKE) if token.isascii() and len(token) >= _STEM else {}
        return found | dict.fromkeys(self._holders.get(token, ()), 1.0)


def phrase_tokens(phrase: str, names: NameTable) -> list[str]:
    """The telling words of a phrase; its entities as `@id`."""
    found: list[str] = []
    position = 0
    for mention in names.mentions(phrase):
        found += _plain(phrase[position : mention.span[0]])
        found.append("|".join(f"@{name}" for name in mention.ids))
        position = mention.span[1]
    return found + _plain(phrase[position:])


def _plain(text: str) -> list[str]:
    if not text.strip():
        return []
    content = subject(text)
    if content == text and all(word in _EMPTY for word in words(text, asked=True)):
        return []
    return [word for word in words(content, asked=True) if word not in _EMPTY]


_PRONOUN = re.compile(r"\b(?:he|she|they|him|her|them|his|their)\b|[他她]", re.IGNORECASE)
_EMPTY_WORDS = """
a an the of in on at to by for with from and or is are was were be been had has have did do does his her their its it he she they
him them who which that this those there then s first second third last time day night moment whole very
的 了 那 這 这 其 之 在 是 被 把 將 将 與 与 和
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())


def _begin(times: Sequence[Interval]) -> float:
    return min((float("-inf") if time.start is None else time.start for time in times), default=float("inf"))
