"""Texts in which an entity is named, found when it is asked for: reading every text for every name would take far longer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chronotope.slices.graph.arrays import Ints
from chronotope.slices.question.folding import folded
from chronotope.slices.question.names import NameTable

__all__ = ["SpokenNames"]

_BREAK = "\n"


class SpokenNames:
    """Finds the texts that name an entity.

    Args:
        texts: short texts, numbered from 0.
        names: who is called what.

    >>> told = SpokenNames(["Ann left.", "Annie came", "Then Ann came."], NameTable([("Ann", "a")]))
    >>> told.rows("a").tolist()
    [0, 2]
    """

    def __init__(self, texts: Sequence[str], names: NameTable) -> None:
        self._names = names
        self._text = _BREAK.join(text.replace(_BREAK, " ") for text in texts)
        self._plain = _BREAK.join(map(folded, texts))
        sizes = np.array([len(text) + 1 for text in texts], np.int64)
        self._starts: Ints = np.cumsum(sizes) - sizes
        self._found: dict[str, Ints] = {}

    def rows(self, entity: str) -> Ints:
        """The numbers of the texts that name an entity, ascending."""
        found = self._found.get(entity)
        if found is None:
            places = self._names.places_of(entity, self._text, self._plain)
            found = np.unique(np.searchsorted(self._starts, np.array(places, np.int64), side="right") - 1)
            self._found[entity] = found
        return found
