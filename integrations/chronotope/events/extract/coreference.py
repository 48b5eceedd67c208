"""Pronouns at the beginning of a sentence, replaced by a name where only one name can be meant.

The antecedent is sure when the sentence before has one subject that is a name and names nobody else who could be meant, or when
the document is about what its title names and nobody else stands between. In doubt a pronoun stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from chronotope.events.extract.aliases import may_be_person
from chronotope.naming.rule_names import Name

__all__ = ["Clause", "Kind", "Resolved", "Topic", "is_biography", "resolve", "subject_of"]

Kind: TypeAlias = Literal["he", "she", "it", "they"]
_KINDS: Final[dict[str, Kind]] = {
    "he": "he",
    "his": "he",
    "she": "she",
    "her": "she",
    "it": "it",
    "its": "it",
    "they": "they",
    "their": "they",
}
_LATE_PRONOUN = re.compile(
    r"\s*(?:(?:In|On|By|From|Since|Until|During)\s[^,;:!?“”\"]{0,40}\d{3,4}\s+|(?:In|At|By|From|After|Before|During|Since|Until|Between|Throughout|Later|Soon|Eventually|Finally|Originally|Initially|"
    r"Subsequently|Afterwards|Then|Thereafter|Early|Late|Two|Three|Four|Five|However|Also|Around|Within|Over|For)\b[^,;.:!?“”\"]{0,60},\s*)"
    r"(he|she)(?=\s+[^\W\d_])"
)
_PRONOUN = re.compile(r"\s*(He|She|It|They|His|Her|Its|Their)(?=\s+[^\W\d_])(?!\s+(?:who|whom|that)\b)")
_OBJECT_HER = re.compile(r"\s*Her\s+(?:he|she|they|we|I)\b")
_EXPLETIVE = re.compile(
    r"\s*It\s+(?:(?:\w+\s+){0,3}?(?:is|was|has\s+been|had\s+been|would\s+be|will\s+be|may\s+be|might\s+be|can\s+be)\s+(?:\w+\s+){0,2}?"
    r"(?:there|here|thus|then|only|not\s+until|during|after|before|because|clear|true|possible|impossible|likely|unlikely|necessary|"
    r"important|easy|hard|difficult|common|customary|time|said|thought|believed|claimed|reported|estimated|known|announced|assumed|"
    r"suggested|argued|noted|agreed|decided|expected|hoped|revealed|alleged|rumoured|rumored|a\s+pity|no\s+use|too|better|best|"
    r"at\s+this|at\s+that|in\s+this|in\s+that)\b"
    r"|(?:is|was)\b[^,;:]{0,80}\b(?:who|whom|that|whose)\b|(?:is|was)\s+(?:in|on|at|by|from)\b"
    r"|(?:seems?|seemed|appears?|appeared|turns?\s+out|turned\s+out|happens?|happened|took|takes|follows|rained|snowed|came\s+to|"
    r"became\s+(?:clear|known|apparent|evident|obvious))\b)"
)
_LEAD = re.compile(
    r"\s*(?:[-*•–]\s+)?(?:(?:In|On|By|From|Since|Until|During)\s[^,;:!?“”]{0,40}\d{3,4}\s+(?=[A-Z])|(?:In|On|At|By|From|After|Before|During|Since|Until|Following|When|While|As|With|Upon|Between|Throughout|"
    r"Despite|Although|Though|Later|Soon|Eventually|Finally|Originally|Initially|Subsequently|Afterwards|Then|However|Meanwhile|"
    r"Also|Under|For|Early|Late|Two|Three|Within|Over|Around|Towards|Thereafter|Prior)\b[^,;.:!?]{0,100},\s*)?(?:[Tt]he\s+)?"
)
_AND = re.compile(r"\s+(?:and|or|&)\s+|\s*,\s+(?:and\s+)?(?=[A-Z])")
_THE = re.compile(r"\s*(?:[A-Z][^,.;:!?]{0,60},\s*)?[Tt]he\s+([a-z-]{3,})\s+(?!of\b)")
_IS_A = re.compile(
    r"\b(?:is|was|are|were)\s+(?:an?|the|one\s+of\s+the)\s+(?:[^\W\d_][\w'’-]*\s+){0,5}?([a-z-]{3,})(?=\s*(?:[.,;(]|\b(?:in|of|at|on|from|"
    r"that|which|located|situated|published|based|near|for|built|founded|by|between|with|whose|and)\b))"
)
_OWNED = re.compile(r"\s*['’]s?\b")
_BY_PLACE = re.compile(r"\b(?:in|at|near|into|across|throughout|from|of|via|around|outside)\s+(?:the\s+)?\Z")
_SAME_PLACE = re.compile(r"\s*,\s*")
_QUOTE = re.compile(r"[“”\"「」]")
_CLEAR = 4  # times as often as the other pronouns
_HE_WORDS = "Mr Sir Lord King Prince Father Brother Uncle Master Baron Duke Count Emperor Pope"
_SHE_WORDS = "Mrs Ms Miss Lady Queen Princess Mother Sister Aunt Dame Madame Mme Mlle Baroness Duchess Countess Empress"
_SEX: Final[dict[str, Kind]] = {**dict.fromkeys(_HE_WORDS.split(), "he"), **dict.fromkeys(_SHE_WORDS.split(), "she")}


@dataclass(frozen=True)
class Topic:
    """What a document is about, the pronoun that means it, and common nouns for it; no name when that is unknown."""

    name: str = ""
    kind: Kind | None = None
    nouns: frozenset[str] = frozenset()

    @classmethod
    def of(cls, name: str, openings: Iterable[str], *, definition: str) -> Topic:
        """Judge from the sentences of a document.

        Args:
            name: what its title names.
            openings: its sentences; the pronouns that open them are counted.
            definition: the first sentence whose subject is that name; empty when the document is about something else.
        """
        if not name or not definition:
            return cls()
        found = (_PRONOUN.match(sentence) for sentence in openings)
        counts: Counter[Kind] = Counter(_KINDS[match[1].lower()] for match in found if match)
        if not counts:
            return cls(name, None, _nouns(name, definition))
        kind, times = counts.most_common(1)[0]
        rivals = counts["she" if kind == "he" else "he"] if kind in ("he", "she") else counts["he"] + counts["she"]
        fits = kind != "they" and times >= _CLEAR * rivals and (kind == "it" or may_be_person(name))
        return cls(name, kind if fits else None, frozenset() if kind in ("he", "she") else _nouns(name, definition))

    def is_meant(self, sentence: str) -> bool:
        """True for a sentence about "the house" where the document is about one house."""
        return bool(self.nouns) and (noun := _THE.match(sentence)) is not None and noun[1] in self.nouns


def _nouns(name: str, definition: str) -> frozenset[str]:
    """What a thing is called without its name: the last word of the name, and the word that defines it."""
    last = name.partition(",")[0].split()[-1].lower()
    defined = _IS_A.search(definition)
    return frozenset({last, defined[1]} if defined else {last})


@dataclass(frozen=True)
class Clause:
    """What a sentence leaves behind for the pronoun of the next one.

    Args:
        subject: its subject's name, or None.
        others: other names in it that the next pronoun could mean.
        quoted: somebody speaks in it.
        doubtful: the subject may well be no person.
    """

    subject: str | None = None
    others: tuple[str, ...] = ()
    quoted: bool = False
    doubtful: bool = False


@dataclass(frozen=True)
class Resolved:
    """A sentence with its first pronoun replaced.

    Args:
        text: the sentence; as it stood where nothing is sure.
        meant: whom the pronoun means.
        pronoun: the pronoun.
        sure: False when that is only likely; then the text is as it stood.
    """

    text: str
    meant: str | None = None
    pronoun: str = ""
    sure: bool = True


def is_biography(sentences: Iterable[str]) -> bool:
    """True when sentences that open with "he" or "she" are clearly more than those with "it"."""
    counts = Counter(_KINDS[match[1].lower()] for sentence in sentences if (match := _PRONOUN.match(sentence)))
    return counts["he"] + counts["she"] > 2 * counts["it"]


def resolve(sentence: str, before: Clause | None, topic: Topic, *, first_name: int | None = None) -> Resolved:
    """Replace the pronoun that opens a sentence, or stands behind its first comma, where its antecedent is sure.

    Args:
        sentence: one sentence.
        before: the sentence before it in the same paragraph, None at the beginning of one.
        topic: what the document is about.
        first_name: where the first name in the sentence begins; a pronoun behind it may mean that one.

    >>> resolve("She resigned.", Clause("Ann Lee"), Topic())
    Resolved(text='Ann Lee resigned.', meant='Ann Lee', pronoun='She', sure=True)
    """
    match = _pronoun(sentence, first_name)
    if match is None:
        return Resolved(sentence)
    pronoun = match[1]
    kind = _KINDS[pronoun.lower()]
    meant = _antecedent(kind, before, topic)
    if meant is None:
        likely = topic.name if topic.kind == kind and _may_go_on(before, topic) else None
        return Resolved(sentence, likely, pronoun if likely else "", sure=False)
    owned = pronoun in ("His", "Her", "Its", "Their")
    text = f"{sentence[: match.start(1)]}{meant}{_owner(meant) if owned else ''}{sentence[match.end() :]}"
    return Resolved(text, meant, pronoun)


def _pronoun(sentence: str, first_name: int | None) -> re.Match[str] | None:
    match = _PRONOUN.match(sentence)
    if match is not None:
        return None if _EXPLETIVE.match(sentence) or _OBJECT_HER.match(sentence) else match
    late = _LATE_PRONOUN.match(sentence)
    return late if late is not None and (first_name is None or first_name > late.start(1)) else None


def _may_go_on(before: Clause | None, topic: Topic) -> bool:
    """True when the sentence before has no other person as its subject."""
    return before is None or before.subject in (None, topic.name) or not may_be_person(before.subject or "")


def _owner(name: str) -> str:
    return "'" if name.endswith("s") else "'s"


def _antecedent(kind: Kind, before: Clause | None, topic: Topic) -> str | None:
    if kind == "they":
        return None
    if before is None:
        return topic.name if topic.kind == kind else None
    if before.quoted or before.subject is None or (before.doubtful and kind != "it"):
        return None
    rivals = [name for name in before.others if name != before.subject and _could_be(name, kind)]
    if rivals or not _could_be(before.subject, kind):
        return None
    if before.subject == topic.name:
        return topic.name if topic.kind == kind else None
    return before.subject if kind != "it" else None


def _could_be(name: str, kind: Kind) -> bool:
    """False when a name tells that this pronoun cannot mean it."""
    if kind == "it":
        return _sex(name) is None
    return may_be_person(name) and _sex(name) in (None, kind)


def _sex(name: str) -> Kind | None:
    return _SEX.get(name.split()[0].rstrip("."))


def subject_of(sentence: str, names: Sequence[Name], *, topic_names: Collection[str] = ()) -> Clause:
    """The subject of a sentence, where that is one name at its beginning, and whoever else it names.

    Args:
        sentence: one sentence.
        names: its names in order, in the form that stands for each.
        topic_names: names that are what the document is about, whatever stands before them.

    >>> subject_of("In 1931 , Ann Lee met Eva Bok in Turin .", [((10, 17), "Ann Lee"), ((22, 29), "Eva Bok"), ((33, 38), "Turin")])
    Clause(subject='Ann Lee', others=('Eva Bok',), quoted=False, doubtful=False)
    """
    lead = _LEAD.match(sentence)
    begins = {0, lead.end() if lead else 0}
    subject, others, place_ends = None, [], -1
    for (start, end), name in names:
        opens = any(not sentence[begin:start].strip() for begin in begins if begin <= start)
        if subject is None and opens and not _AND.match(sentence, end) and not _OWNED.match(sentence, end):
            subject = name
            continue
        placed = _BY_PLACE.search(sentence, max(0, start - 20), start) is not None
        beside = place_ends >= 0 and _SAME_PLACE.fullmatch(sentence, place_ends, start) is not None
        if (placed or beside) and name not in topic_names:
            place_ends = end
        else:
            others.append(name)
    return Clause(subject, tuple(dict.fromkeys(others)), _QUOTE.search(sentence) is not None)
