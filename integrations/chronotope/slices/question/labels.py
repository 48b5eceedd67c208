"""Relations that the words of a question name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chronotope.questions.subject import subject
from chronotope.slices.question.folding import folded, is_cjk
from chronotope.slices.question.names import Span, apart
from chronotope.slices.question.verbs import verb_stems

if TYPE_CHECKING:
    from chronotope.slices.ontology import Ontology, Relation

__all__ = ["RelationLabels"]

_ADDRESS = re.compile(  # what is said to whoever answers is no part of the story
    r"\b(?:tell|give|show|remind|inform)\s+(?:me|us)\b|\b(?:do|did|does|would|could)\s+(?:you|we|the\s+readers?|readers)\s+(?:know|learn|tell)\b|"
    r"[請请]?告[訴诉]我|你知道|[讀读]者知道",
    re.IGNORECASE,
)


_ALIAS = "alias_of"
_IDENTITY = re.compile(
    r"who\s+(?:is|was|are|were)\s*(?:really|actually)?\s*(?:the)?\s*[?]?|(?:到底|究竟)?是[誰谁][？?]?|[誰谁]是\s*[？?]?",
    re.IGNORECASE,
)
_SAID = re.compile(r"^\{(?:subject|object)\}([\u4e00-\u9fff]+)\{(?:subject|object)\}$")  # 嫁給, between the two
_LONGEST = 6  # characters of such a form


class RelationLabels:
    """Finds the relations of an ontology by their names and the words for them.

    Args:
        ontology: what there is.
    """

    def __init__(self, ontology: Ontology) -> None:
        self._western: list[_Label] = []
        self._chinese: list[tuple[str, str]] = []
        for relation in ontology.relations.values():
            own = {relation.name.replace("_", " "), relation.inverse.replace("_", " ")}
            for label in filter(None, _labels(relation)):
                if is_cjk(label[0]):
                    self._chinese.append((folded(label), relation.name))
                elif stems := tuple(verb_stems(subject(label))):
                    self._western.append(_Label(relation.name, stems, () if label in own else _tail(label, stems)))
        self._chinese.sort(key=lambda label: -len(label[0]))
        self._relations = frozenset(ontology.relations)

    def named(self, text: str) -> tuple[str, ...]:
        """The relations that a text names, in the order of its words.

        Args:
            text: a question without names and times.
        """
        bare = _ADDRESS.sub(" ", text)
        stems, plain = verb_stems(bare, asked=True), folded(bare)
        found: list[tuple[int, int, str]] = []
        for label in self._western:
            place = label.place(stems)
            if place is not None:
                found.append((place, -len(label.stems), label.relation))
        busy: list[Span] = []
        for written, name in self._chinese:  # the longest first: 妻子 is no 子
            place = plain.find(written)
            span = (place, place + len(written))
            if place >= 0 and (apart(span, busy) or span in busy):
                busy.append(span)
                found.append((place, -len(written), name))
        if not found and _IDENTITY.fullmatch(bare.strip()) and _ALIAS in self._relations:
            return (_ALIAS,)
        return tuple(dict.fromkeys(name for _, _, name in sorted(found)))


def _labels(relation: Relation) -> Iterator[str]:
    yield from (relation.name.replace("_", " "), relation.inverse.replace("_", " "))
    yield from (*relation.names, *relation.inverse_names)
    yield from (noun for noun in (*relation.nouns, *relation.inverse_nouns) if len(noun) > 1)
    yield from (said.strip("了過过 ") for form in relation.says for said in _SAID.findall(form) if len(said) < _LONGEST)


def _tail(label: str, stems: tuple[str, ...]) -> tuple[str, ...]:
    """The small words at the end of a label."""
    every = tuple(verb_stems(label))
    return every[len(stems) :] if every[: len(stems)] == stems else ()


@dataclass(frozen=True)
class _Label:
    """A word for a relation.

    Args:
        relation: its name.
        stems: the telling words.
        tail: small words that end it: "to" of "writes to".
    """

    relation: str
    stems: tuple[str, ...]
    tail: tuple[str, ...]

    def place(self, text: Sequence[str]) -> int | None:
        """Where it stands in a text. Its tail follows, or led the question ("to whom did she write"); "'s" stands for "of"."""
        size = len(self.stems)
        for start in range(len(text) - size + 1):
            if tuple(text[start : start + size]) != self.stems:
                continue
            behind = tuple(text[start + size : start + size + len(self.tail)])
            owned = self.tail == ("of",) and text[max(0, start - 1) : start] == ["s"]
            if behind == self.tail or owned or (self.tail != ("of",) and {*self.tail} <= {*text[:start]}):
                return start
        return None
