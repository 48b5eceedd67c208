"""Facts by rules: the set forms in which a text says a relation, between real names on both sides. Precision comes first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from chronotope.naming.lexicon import CLASS_WORDS
from chronotope.naming.rule_names import EntityFinder, Name, RuleNames
from chronotope.slices.extract.doubt import clause_around, is_doubtful, speech_spans
from chronotope.slices.extract.grounding import Told, WindowReading
from chronotope.slices.extract.quoting import is_pronoun
from chronotope.slices.extract.windows import Window
from chronotope.slices.fact import Entity
from chronotope.slices.ontology.ontology import Relation
from chronotope.slices.ontology.vocabulary import Ontology
from chronotope.text import Span, orders

__all__ = ["Patterns"]

_OPEN, _CLOSE = "\ue000", "\ue001"  # private signs around the number of a name in a sentence
_NAME = rf"{_OPEN}\d+{_CLOSE}"
_NUMBERED = re.compile(_NAME)
_SLOT = re.compile(r"\{(subject|object)\}")
_HAN = re.compile("[\u4e00-\u9fff]")
_BETWEEN = r"(?:had\s+)?(?:(?:then|later|soon|also|once|finally|at last|[a-z]+ly)\s+)?"
_LENGTH = r"(?:a|an|\d{1,4}|[a-z]+(?:-[a-z]+)?)\s(?:days?|weeks?|months?|years?|decades?)\s(?:earlier|before|later|afterwards|ago)"
_WHEN = re.compile(
    rf"\b{_LENGTH}(?=\s*[,.;])|[一二三四五六七八九十百两兩数數几幾\d]{{1,4}}(?:年|[个個]月|日|天)(?:之|以)?[前后後]", re.IGNORECASE
)
_HAD = re.compile(r"\bhad\b", re.IGNORECASE)
_CLAUSE = 80  # characters before a name in which its clause must begin
_WHERE = re.compile(rf"\b(?:in|at)\s+(?:the\s+)?(?P<place>{_NAME})")
_BEGINS: Final = re.compile(
    r"(?:\A|[,;:—–(\n])\s*(?:(?:and|but|so|then)\s+)?"
    rf"(?:(?:in|on|at|that|this|then|later|soon|one|last|the\s+next)\b[^,;:{_OPEN}]{{0,30}}\s)?(?:the\s+)?\Z",
    re.IGNORECASE,
)
_HAN_BEGINS: Final = re.compile(
    r"(?:\A|[，。；：！、\s]|[于於]是|后来|後來|[这這那次当當]年|[次当當翌][日天]|[当當]下|果然|[终終]于|因此)\s*\Z"
)
_LISTED: Final = re.compile(rf"{_CLOSE}\s*(?:,|、)\s*\Z")
_GOES_ON: Final = re.compile(r"\s*(?:\w*['’]s?\b|\w+['’]s\b|(?:and|or|&)\b|[和与與、的])", re.IGNORECASE)


@dataclass(frozen=True)
class _Form:
    """A set form of a relation, compiled over sentences whose names are numbered."""

    relation: Relation
    pattern: re.Pattern[str]
    han: bool


@dataclass(frozen=True)
class Patterns:
    """Reads windows by the forms of an ontology; `Patterns.of` makes one for a story.

    Args:
        finder: finds the names of a sentence.
        forms: what is looked for between names.
        known: finds the names of the cast.
        types: types of those names.
    """

    finder: EntityFinder
    forms: tuple[_Form, ...] = ()
    known: re.Pattern[str] | None = None
    types: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, ontology: Ontology, texts: Sequence[str], *, cast: Sequence[Entity] = (), finder: EntityFinder | None = None
    ) -> Patterns:
        """The forms of an ontology over the names of a story.

        Args:
            ontology: its relations say how a text says them.
            texts: the whole story, from which names are learnt.
            cast: entities that are known beforehand.
            finder: finds names in a sentence; None finds them by rules.
        """
        forms = [_compiled(relation, says) for relation in ontology.relations.values() for says in relation.says]
        names = sorted({name for entity in cast for name in entity.names}, key=len, reverse=True)
        known = re.compile("|".join(map(_bounded, names))) if names else None
        types = {name: entity.type for entity in cast for name in entity.names}
        return cls(finder or RuleNames.of(*texts), tuple(forms), known, types)

    def read(self, window: Window) -> WindowReading:
        """The facts that sentences of a window tell in a set form."""
        text, start = window.text, window.span[0]
        forbidden = set(orders(text))
        spoken = speech_spans(text)
        facts = []
        for first, last in window.sentences():
            span = (first - start, last - start)
            if span not in forbidden:
                facts += list(self._sentence(window, span, spoken))
        return WindowReading(facts=tuple(dict.fromkeys(facts)))

    def _sentence(self, window: Window, span: Span, spoken: Sequence[Span]) -> Iterator[Told]:
        sentence = window.text[slice(*span)]
        names = self._names(sentence)
        if not names:
            return
        masked, when = _masked(sentence, names), _WHEN.findall(sentence)
        place = self._place(masked, names)
        first = window.span[0] + span[0]
        quote = (first + len(sentence) - len(sentence.lstrip()), first + len(sentence.rstrip()))
        for form in self.forms:
            for found in form.pattern.finditer(masked):
                if not _stands_alone(masked, found, han=form.han):
                    continue
                begin, stop = (_unmasked(masked, names, at) for at in found.span())
                if is_doubtful(clause_around(sentence, begin, stop)) or _meet((span[0] + begin, span[0] + stop), spoken):
                    continue
                subject, other = (_named(found, side, names) for side in ("subject", "object"))
                yield Told(
                    window=window,
                    span=quote,
                    subject=subject,
                    relation=form.relation.name,
                    object=other,
                    when=when[0] if len(when) == 1 else "",
                    place=place if form.relation.kind == "event" and place not in (subject, other) else "",
                    recalled=_HAD.search(found[0]) is not None,
                    by_rules=True,
                )

    def _place(self, masked: str, names: Sequence[Name]) -> str:
        """The one place that a sentence says "in" of; empty where there is none, or more than one."""
        places = [names[_number(found["place"])][1] for found in _WHERE.finditer(masked)]
        places = [place for place in places if self._is_place(place)]
        return places[0] if len(places) == 1 else ""

    def _names(self, sentence: str) -> list[Name]:
        """Names of the cast and others; of two that overlap the longer, then that of the cast."""
        cast: list[Name] = [(one.span(), one[0]) for one in self.known.finditer(sentence)] if self.known else []
        others = [(span, name) for span, name in self.finder(sentence) if not is_pronoun(name)]
        found: list[Name] = []
        for span, name in sorted([*cast, *others], key=lambda one: one[0][0] - one[0][1]):
            if not _meet(span, [taken for taken, _ in found]):
                found.append((span, name))
        return sorted(found)

    def _is_place(self, name: str) -> bool:
        return self.types.get(name) == "place" or (name not in self.types and name.split()[-1] in CLASS_WORDS)


@lru_cache(maxsize=2_048)  # the forms of an ontology are the same for every document
def _compiled(relation: Relation, says: str) -> _Form:
    """A form as a pattern; in English an adverb or "had" may stand behind the first name."""
    han = _HAN.search(says) is not None
    parts = _SLOT.split(says)
    pattern, first = "", True
    for place, part in enumerate(parts):
        if place % 2:
            pattern += rf"(?P<{part}>{_NAME})"
            continue
        words = r"\s*".join(map(re.escape, part.split())) if han else r"\s+".join(map(re.escape, part.split()))
        lead, tail = (r"\s+" if part[:1].isspace() else ""), (r"\s+(?:the\s+)?" if part[-1:].isspace() else "")
        if han:
            pattern += words
        elif place and first and words and part[:1].isspace():
            pattern, first = pattern + lead + _BETWEEN + words + tail, False
        else:
            pattern += lead + words + (tail if words else "")
    bound = "" if han or parts[-1] == "" else r"(?![^\W_])"
    return _Form(relation, re.compile(pattern + bound, 0 if han else re.IGNORECASE), han)


def _bounded(name: str) -> str:
    return re.escape(name) if _HAN.search(name) else rf"(?<![^\W_]){re.escape(name)}(?![^\W_])"


def _masked(sentence: str, names: Sequence[Name]) -> str:
    """The sentence with a number in the place of each name."""
    masked, at = "", 0
    for number, ((start, end), _) in enumerate(names):
        masked += f"{sentence[at:start]}{_OPEN}{number}{_CLOSE}"
        at = end
    return masked + sentence[at:]


def _number(found: str) -> int:
    return int(found.strip(_OPEN + _CLOSE))


def _named(found: re.Match[str], side: str, names: Sequence[Name]) -> str:
    """The name on one side of a form; empty where the form has no such side."""
    told = found.groupdict().get(side)
    return names[_number(told)][1] if told else ""


def _stands_alone(masked: str, found: re.Match[str], *, han: bool) -> bool:
    """True where the first name begins its clause and the last is whole, not in "The nurse of Ann died" or "Ann met Tom's aunt"."""
    begins = (_HAN_BEGINS if han else _BEGINS).search(masked, max(0, found.start() - _CLAUSE), found.start())
    return begins is not None and not _LISTED.search(masked, 0, found.start()) and not _GOES_ON.match(masked, found.end())


def _unmasked(masked: str, names: Sequence[Name], place: int) -> int:
    """A place of the masked sentence as one of the sentence itself."""
    numbered = _NUMBERED.findall(masked, 0, place)
    longer = sum(end - start for (start, end), _ in names[: len(numbered)])
    return place - sum(map(len, numbered)) + longer


def _meet(span: Span, others: Sequence[Span]) -> bool:
    return any(first < span[1] and span[0] < last for first, last in others)
