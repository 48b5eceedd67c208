"""Facts by rules: the set forms in which a text says a relation, between real names on both sides. Precision comes first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from chronotope.naming.rule_names import EntityFinder, Name
from chronotope.naming.statements import tells_event
from chronotope.slices.extract.doubt import clause_around, is_doubtful, speech_spans
from chronotope.slices.extract.forms import CLOSE, NAME, OPEN, Form, forms_of
from chronotope.slices.extract.grounding import Told, WindowReading
from chronotope.slices.extract.story_names import StoryNames, meets_any
from chronotope.slices.extract.windows import Window
from chronotope.slices.fact import Entity
from chronotope.slices.ontology.ontology import Relation
from chronotope.slices.ontology.vocabulary import Ontology
from chronotope.text import Span, orders

__all__ = ["Patterns"]

_HAN = re.compile("[\u4e00-\u9fff]")
_NUMBERED = re.compile(NAME)
_LENGTH = r"(?:a|an|\d{1,4}|[a-z]+(?:-[a-z]+)?)\s(?:days?|weeks?|months?|years?|decades?)\s(?:earlier|before|later|afterwards|ago)"
_WHEN = re.compile(
    rf"\b{_LENGTH}(?=\s*[,.;])|[一二三四五六七八九十百两兩数數几幾\d]{{1,4}}(?:年|[个個]月|日|天)(?:之|以)?[前后後]", re.IGNORECASE
)
_HAD = re.compile(r"\bhad\b", re.IGNORECASE)
_CLAUSE = 80  # characters before a name in which its clause must begin
_WHERE = re.compile(rf"\b(?:in|at)\s+(?:the\s+)?(?P<place>{NAME})")
_BEGINS: Final = re.compile(
    r"(?:\A|[,;:—–(\n])\s*(?:(?:and|but|so|then)\s+)?"
    rf"(?:(?:in|on|at|that|this|then|later|soon|one|last|the\s+next)\b[^,;:{OPEN}]{{0,30}}\s)?(?:the\s+)?\Z",
    re.IGNORECASE,
)
_HAN_BEGINS: Final = re.compile(
    r"(?:\A|[，。．；：！、\s]|[于於]是|后来|後來|[这這那次当當]年|[次当當翌][日天]|[当當]下|果然|[终終]于|因此|只見|只见|"
    r"[卻却且话話再][說说]|只因|不想|原來|原来|一[時时日]|[這这那][里裡裏日])\s*\Z"
)
_LISTED: Final = re.compile(rf"{CLOSE}\s*(?:,|、)\s*\Z")
_OF_ANOTHER: Final = re.compile(r"\b(?:of|than|like|as)\s+(?:the\s+)?\Z")
_JOINS = "(?:and|or|but|who|which|when|while|as|in|on|at|by|for|with|to|from|of)"
_THE_KIND: Final = re.compile(rf"\bthe\s+{NAME}\s+(?!{_JOINS}\b)[a-z]+\Z")
_NEXT_WORD = re.compile(r"\s+[a-z]+\b")
_OWNED: Final = re.compile(r"(?:\s*\w*['’]s?|\s+\w+['’]s)(?![^\W_])")
_GOES_ON: Final = re.compile(r"\s*(?:(?:and|or|&)\b|[和与與、])", re.IGNORECASE)
_HAN_GOES_ON: Final = re.compile("[的之房屋家處处身跟眼那這这]")
_TAKES_MORE: Final = re.compile(r"\s+(?:the|a|an|his|her|its|their|my|our|your|him|it|them|from\s+the)\b")


@dataclass(frozen=True)
class Patterns:
    """Reads windows by the forms of an ontology; `Patterns.of` makes one for a story.

    Args:
        names: finds the names of a sentence.
        forms: what is looked for between names.
        ontology: says which relations take persons and places.
    """

    names: StoryNames
    forms: tuple[Form, ...]
    ontology: Ontology

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
        forms = [form for relation in ontology.relations.values() for form in forms_of(relation)]
        return cls(StoryNames.of(ontology, texts, cast, finder), tuple(forms), ontology)

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
        names = self.names(sentence)
        if not names:
            return
        masked, when = _masked(sentence, names), _WHEN.findall(sentence)
        place = self._place(masked, names)
        first = window.span[0] + span[0]
        quote = (first + len(sentence) - len(sentence.lstrip()), first + len(sentence.rstrip()))
        for form, found in self._found(masked, sentence, len(names)):
            begin, stop = (_unmasked(masked, names, at) for at in found.span())
            if meets_any((span[0] + begin, span[0] + stop), spoken):
                continue
            if form.needs != "nothing" and is_doubtful(clause_around(sentence, begin, stop)):
                continue
            subject, other = (_named(found, side, names) for side in ("subject", "object"))
            if subject == other or not self._fits(form.relation, subject, other):
                continue
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

    def _found(self, masked: str, sentence: str, names: int) -> Iterator[tuple[Form, re.Match[str]]]:
        """Forms that stand alone in a sentence; only those of its writing, and with as many names as it has, are looked for."""
        han = _HAN.search(sentence) is not None
        for form in self.forms:
            if form.han == han and (names > 1 or not form.relation.range):
                for found in form.pattern.finditer(masked):
                    if _stands_alone(masked, found, form):
                        yield form, found

    def _fits(self, relation: Relation, subject: str, other: str) -> bool:
        """True where no person stands for a place and no place for a person; a Chinese place must be known, or look like one."""
        ontology, names = self.ontology, self.names
        if relation.domain == ("person",) and names.is_place(subject):
            return False
        if relation.name in ontology.told_in_place:
            return not names.is_person(other) and (names.is_place(other) or not _HAN.search(other))
        return not (relation.name in ontology.told_of_people and names.is_place(other))

    def _place(self, masked: str, names: Sequence[Name]) -> str:
        """The one place that a sentence says "in" of; empty where there is none, or more than one."""
        places = [names[_number(found["place"])][1] for found in _WHERE.finditer(masked)]
        places = [place for place in places if self.names.is_place(place)]
        return places[0] if len(places) == 1 else ""


def _masked(sentence: str, names: Sequence[Name]) -> str:
    """The sentence with a number in the place of each name."""
    masked, at = "", 0
    for number, ((start, end), _) in enumerate(names):
        masked += f"{sentence[at:start]}{OPEN}{number}{CLOSE}"
        at = end
    return masked + sentence[at:]


def _number(found: str) -> int:
    return int(found.strip(OPEN + CLOSE))


def _named(found: re.Match[str], side: str, names: Sequence[Name]) -> str:
    """The name on one side of a form; empty where the form has no such side."""
    told = found.groupdict().get(side)
    return names[_number(told)][1] if told else ""


def _stands_alone(masked: str, found: re.Match[str], form: Form) -> bool:
    """True where the form says what it says whole, and not as in "The nurse of Ann died" or "Ann met Tom's aunt"."""
    start, end = found.span()
    if _LISTED.search(masked, 0, start) or _OWNED.match(masked, end):
        return False
    after = _NEXT_WORD.match(masked, end)
    if after and found[0].endswith(CLOSE) and _THE_KIND.search(masked, start, after.end()) and not tells_event(after[0]):
        return False  # "the son of the Wendle duke"
    if form.needs == "nothing":
        return not _OF_ANOTHER.search(masked, 0, start)
    if form.needs == "alone" and OPEN in masked[:start]:
        return False
    begins = (_HAN_BEGINS if form.han else _BEGINS).search(masked, max(0, start - _CLAUSE), start)
    if begins is None or _GOES_ON.match(masked, end) or (form.han and _HAN_GOES_ON.match(masked, end)):
        return False
    return bool(form.relation.range) or _TAKES_MORE.match(masked, end) is None


def _unmasked(masked: str, names: Sequence[Name], place: int) -> int:
    """A place of the masked sentence as one of the sentence itself."""
    numbered = _NUMBERED.findall(masked, 0, place)
    longer = sum(end - start for (start, end), _ in names[: len(numbered)])
    return place - sum(map(len, numbered)) + longer
