"""The parts of the evidence that an answer needs, and which facts of a graph tell them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

from chronotope.slices.fact import Fact
from chronotope.text import is_quoted

__all__ = ["Part", "Span", "Telling", "has_part"]


@dataclass(frozen=True)
class Span:
    """A stretch of a document.

    Args:
        source_id: id of the document.
        start: its first character.
        end: the first character after it.
    """

    source_id: str
    start: int
    end: int

    def overlaps(self, source_id: str, start: int | None, end: int | None) -> bool:
        """True when at least one character lies in both."""
        return source_id == self.source_id and start is not None and end is not None and start < self.end and self.start < end


Part: TypeAlias = str | Span


class _Place(Protocol):
    """Where a text stands."""

    @property
    def source_id(self) -> str:
        """Id of the document."""
        ...

    @property
    def char_start(self) -> int | None:
        """First character."""
        ...

    @property
    def char_end(self) -> int | None:
        """First character after it."""
        ...


def has_part(part: Part, text: str, place: _Place) -> bool:
    """True when a text tells a part of the evidence: it holds the quotation or most of it, or shares characters with the span.

    Args:
        part: a quotation or a span.
        text: the text.
        place: where it stands.
    """
    if isinstance(part, Span):
        return part.overlaps(place.source_id, place.char_start, place.char_end)
    is_half = len(text) * 2 >= len(part)  # a fact may quote less of a sentence than the evidence does
    return is_quoted(part, text) or (is_half and is_quoted(text, part))


@dataclass(frozen=True)
class Telling:
    """Finds the facts that tell parts of the evidence. What it looks them up by is made once, for all questions about a graph.

    Args:
        facts: all facts of a graph.
    """

    facts: Sequence[Fact]

    def of(self, part: Part) -> frozenset[str]:
        """Ids of the facts that tell a part: the fact that it names, else all whose words share it."""
        if isinstance(part, Span):
            found = self._by_source.get(part.source_id, [])
            return frozenset(fact.id for fact in found if has_part(part, fact.quote, fact))
        if part in self._ids:
            return frozenset((part,))
        wanted = _letters(part)
        near = [fact for letters, told in self._by_letters.items() if wanted in letters or letters in wanted for fact in told]
        return frozenset(fact.id for fact in near if has_part(part, fact.quote, fact))

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(fact.id for fact in self.facts)

    @cached_property
    def _by_source(self) -> dict[str, list[Fact]]:
        found: dict[str, list[Fact]] = defaultdict(list)
        for fact in self.facts:
            found[fact.source_id].append(fact)
        return found

    @cached_property
    def _by_letters(self) -> dict[str, list[Fact]]:
        """Facts by the letters of their quotations: what does not hold even these is not compared any further."""
        found: dict[str, list[Fact]] = defaultdict(list)
        for fact in self.facts:
            if letters := _letters(fact.quote):
                found[letters].append(fact)
        return found


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
