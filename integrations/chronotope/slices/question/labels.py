"""Relations that the words of a question name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chronotope.lexical import words
from chronotope.questions.subject import subject
from chronotope.slices.question.folding import folded, is_cjk

if TYPE_CHECKING:
    from chronotope.slices.ontology import Ontology

__all__ = ["RelationLabels"]


class RelationLabels:
    """Finds the relations of an ontology by their names and the words for them.

    Args:
        ontology: what there is.
    """

    def __init__(self, ontology: Ontology) -> None:
        self._western: list[tuple[tuple[str, ...], str]] = []
        self._chinese: list[tuple[str, str]] = []
        for relation in ontology.relations.values():
            labels = (relation.name.replace("_", " "), relation.inverse.replace("_", " "), *relation.names, *relation.inverse_names)
            for label in labels:
                if label and is_cjk(label[0]):
                    self._chinese.append((folded(label), relation.name))
                elif label:
                    stems = tuple(words(subject(label)))
                    if stems:
                        self._western.append((stems, relation.name))

    def named(self, text: str) -> tuple[str, ...]:
        """The relations that a text names, in the order of its words.

        Args:
            text: a question without names and times.
        """
        stems, plain = words(text, asked=True), folded(text)
        found: list[tuple[int, int, str]] = []
        for label, name in self._western:
            place = _place(stems, label)
            if place is not None:
                found.append((place, -len(label), name))
        for written, name in self._chinese:
            place = plain.find(written)
            if place >= 0:
                found.append((place, -len(written), name))
        return tuple(dict.fromkeys(name for _, _, name in sorted(found)))


def _place(stems: Sequence[str], label: tuple[str, ...]) -> int | None:
    size = len(label)
    return next((place for place in range(len(stems) - size + 1) if tuple(stems[place : place + size]) == label), None)
