"""The names of a story for extraction by rules: the cast, and what its text proves; and who is a person, what a place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from chronotope.naming.lexicon import CLASS_WORDS, HONORIFICS
from chronotope.naming.rule_names import EntityFinder, Name, RuleNames, plain_name
from chronotope.slices.extract.forms import forms_of
from chronotope.slices.extract.han_names import is_han_place, proven_persons, proven_places, titled_persons
from chronotope.slices.extract.quoting import is_pronoun
from chronotope.slices.fact import Entity
from chronotope.slices.ontology.vocabulary import Ontology

__all__ = ["StoryNames", "meets_any"]

_HAN = re.compile("[\u4e00-\u9fff]")
_PLACE_WORDS = CLASS_WORDS | {"Mansion", "Convent", "Inn"}
_SAYS: Final = "(?:said|says|cried|asked|replied|answered|exclaimed|whispered|murmured|added|remarked|observed|laughed|smiled)"

_CAPITAL = r"[A-Z][^\W\d_]*(?:[-'’][^\W\d_]+)*"
_SPEAKER = re.compile(rf"\b{_SAYS}\s+((?:{_CAPITAL}\.?\s+){{0,2}}{_CAPITAL})|((?:{_CAPITAL}\.?\s+){{0,2}}{_CAPITAL})\s+{_SAYS}\b")
_THE_BEFORE = re.compile(r"\bthe\s+\Z", re.IGNORECASE)
_KIND_BEHIND = re.compile(
    r"\s+(?:mansion|house|palace|temple|monastery|convent|abbey|garden|hall|inn|village|castle|tower)\b(?!['’])"
)
_TITLE_BEFORE = re.compile(
    r"\b(?:(?:dowager|old|young|little|good)\s+)?(?:lady|lord|madame|madam|dame|miss|mistress|master|mrs?\.|goody|"
    r"prince|princess|duke|marquis|sir|widow)\s+\Z"
)


@dataclass(frozen=True)
class StoryNames:
    """Finds names in sentences of a story; `StoryNames.of` makes one.

    Args:
        finder: finds the names of a sentence.
        known: finds the names of the cast, and those that a Chinese text proves.
        places: names of places.
        persons: names of persons.
    """

    finder: EntityFinder
    known: re.Pattern[str] | None = None
    places: frozenset[str] = frozenset()
    persons: frozenset[str] = frozenset()
    _typed: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, ontology: Ontology, texts: Sequence[str], cast: Sequence[Entity], finder: EntityFinder | None) -> StoryNames:
        """The names of a story.

        Args:
            ontology: its types say what a place and what a person is.
            texts: the whole story, from which names are learnt.
            cast: entities that are known beforehand.
            finder: finds names in a sentence; None finds them by rules, and lets a Chinese text prove more of them.
        """
        typed = {name: entity.type for entity in cast for name in entity.names}
        learnt = frozenset[str](), frozenset[str]()
        if finder is None:
            forms = [form for relation in ontology.relations.values() for form in forms_of(relation)]
            learnt = proven_persons(texts) | titled_persons(texts, forms), proven_places(texts)
        spoken = (plain_name(found[1] or found[2]) for text in texts for found in _SPEAKER.finditer(text))
        told = {wanted: {name for name, kind in typed.items() if ontology.is_a(kind, wanted)} for wanted in ("person", "place")}
        names = sorted({*typed, *learnt[0], *learnt[1]}, key=len, reverse=True)
        return cls(
            finder or RuleNames.of(*texts),
            re.compile("|".join(map(_bounded, names))) if names else None,
            frozenset(told["place"] | (learnt[1] - typed.keys())),
            frozenset(told["person"] | (set(chain(learnt[0], spoken)) - typed.keys())),
            typed,
        )

    def __call__(self, sentence: str) -> list[Name]:
        """The names of a sentence, in order; of two that overlap the longer, then that of the cast."""
        cast: list[Name] = [(one.span(), one[0]) for one in self.known.finditer(sentence)] if self.known else []
        others = [_titled(sentence, name) for name in self.finder(sentence) if not is_pronoun(name[1])]
        found: list[Name] = []
        for span, name in sorted([*cast, *others], key=lambda one: one[0][0] - one[0][1]):
            if not meets_any(span, [taken for taken, _ in found]):
                found.append((span, name))
        return sorted(found)

    def is_place(self, name: str) -> bool:
        """True for a name that is known as a place, or looks like one."""
        if name in self._typed:
            return name in self.places
        return name in self.places or is_han_place(name) or name.split()[-1].capitalize() in _PLACE_WORDS

    def is_person(self, name: str) -> bool:
        """True for a name that is known as a person, that speaks, or that has a title."""
        return name in self.persons or (name not in self._typed and name.split()[0].strip(".").capitalize() in HONORIFICS)


def meets_any(span: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    """True when a stretch shares a character with any other."""
    return any(first < span[1] and span[0] < last for first, last in others)


def _titled(sentence: str, name: Name) -> Name:
    """With the small title before it, as in "madame Wei", or the small kind of place behind it, as in "the Lin mansion"."""
    (start, end), words = name
    kind = _KIND_BEHIND.match(sentence, end) if _THE_BEFORE.search(sentence, max(0, start - 5), start) else None
    if kind:
        return (start, kind.end()), " ".join(f"{words}{kind[0]}".split())
    title = _TITLE_BEFORE.search(sentence, max(0, start - 30), start)
    return ((title.start(), end), " ".join(f"{title[0]}{words}".split())) if title else name


def _bounded(name: str) -> str:
    return re.escape(name) if _HAN.search(name) else rf"(?<![^\W_]){re.escape(name)}(?![^\W_])"
