"""Facts as one text beside the passage that tells them, so that they travel through any store, pipeline and worker process."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final

from chronotope.errors import FactError
from chronotope.records import Passage, content_id
from chronotope.slices.axis import StoryAxis
from chronotope.slices.documents.chaptered import last_chapters
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.story_facts import StoryFacts

__all__ = ["FACTS_KEY", "StoredFacts", "facts_by_passage", "has_stored"]

FACTS_KEY: Final = "story_facts"
"""Metadata key of the text. A record that has it was read, even if it tells nothing."""
_OVERLAPPING = 8  # passages of one source that may begin before a fact and still hold it


@dataclass(frozen=True, kw_only=True)
class StoredFacts:
    """What one passage, or several, tell.

    Args:
        facts: in the order of telling.
        entities: what is known of whom they name.
        axis: when their chapters play; None where nothing tells.
        run: a name of the extraction that found them: times of two extractions are not on one axis.
        chapter: the last chapter that the passage tells of; None where nothing tells.
    """

    facts: tuple[Fact, ...] = ()
    entities: tuple[Entity, ...] = ()
    axis: StoryAxis | None = None
    run: str = ""
    chapter: int | None = None

    def to_text(self) -> str:
        """All of it as JSON; `from_text` is the inverse.

        >>> StoredFacts.from_text(StoredFacts(entities=(Entity(name="Ann Lee"),)).to_text()).entities[0].name
        'Ann Lee'
        """
        told: dict[str, Any] = {"run": self.run, "chapter": self.chapter}
        told["facts"] = [fact.to_json() for fact in self.facts]
        told["entities"] = [entity.to_json() for entity in self.entities]
        told["axis"] = None if self.axis is None else self.axis.to_json()
        return json.dumps(told, ensure_ascii=False)

    @classmethod
    def from_text(cls, text: object) -> StoredFacts:
        """Read what `to_text` wrote.

        Raises:
            FactError: the text is something else; the message shows its beginning.
        """
        try:
            told = json.loads(str(text))
            return cls(
                facts=tuple(map(Fact.from_json, told["facts"])),
                entities=tuple(map(Entity.from_json, told["entities"])),
                axis=StoryAxis.from_json(told["axis"]) if told.get("axis") else None,
                run=str(told.get("run") or ""),
                chapter=told.get("chapter"),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise FactError(f"the metadata {FACTS_KEY!r} holds no facts that can be read ({problem}): {str(text)[:80]!r}") from None


def has_stored(metadata: Mapping[str, object]) -> bool:
    """True for a record whose facts were read already."""
    return bool(metadata.get(FACTS_KEY))


def facts_by_passage(found: StoryFacts, passages: Sequence[Passage]) -> tuple[StoredFacts, ...]:
    """What was found, shared out among the passages: each fact where its words stand, else with the first passage of its source.

    Entities and chapters of the axis go with the facts that name them, those that no fact names with the first passage.

    Args:
        found: facts of these passages.
        passages: in the order of telling.
    """
    shares: list[list[Fact]] = [[] for _ in passages]
    if passages:
        homes = _Homes(passages)
        for fact in found.items:
            shares[homes.of(fact)].append(fact)
    along = _Shares(found, passages)
    return tuple(along.share(place, facts) for place, facts in enumerate(shares))


class _Homes:
    """Which passage a fact goes with: of several that hold its first character, the one that begins last."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._first: dict[str, int] = {}
        self._spans: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for place, passage in enumerate(passages):
            source = passage.source_id or passage.id
            self._first.setdefault(source, place)
            if passage.char_start is not None and passage.char_end is not None:
                self._spans[source].append((passage.char_start, place, passage.char_end))
        for spans in self._spans.values():
            spans.sort()

    def of(self, fact: Fact) -> int:
        """The place of the passage among all."""
        spans = self._spans.get(fact.source_id, [])
        if fact.char_start is not None:
            last = bisect_right(spans, (fact.char_start, inf, inf))
            for _, place, end in reversed(spans[max(0, last - _OVERLAPPING) : last]):
                if fact.char_start < end:
                    return place
        return self._first.get(fact.source_id, 0)


class _Shares:
    """What goes along with the facts of a passage."""

    def __init__(self, found: StoryFacts, passages: Sequence[Passage]) -> None:
        self._entities, self._axis = found.entities, found.axis
        self._bearers: dict[str, list[int]] = defaultdict(list)
        for place, entity in enumerate(found.entities):
            for name in {entity.id, *entity.names}:
                self._bearers[name].append(place)
        named = self._known({name for fact in found.items for name in _names(fact)})
        self._loose = [place for place in range(len(found.entities)) if place not in named]
        self._told = {fact.chapter for fact in found.items}
        self._last = last_chapters(passages)
        self._run = "" if found.axis is None else content_id(*(fact.id for fact in found.items), found.axis.to_json())

    def share(self, place: int, facts: Sequence[Fact]) -> StoredFacts:
        """The facts of one passage with their entities and chapters; the first passage has what belongs to none."""
        named = self._known({name for fact in facts for name in _names(fact)})
        own = [self._entities[known] for known in sorted({*named, *(self._loose if place == 0 else ())})]
        axis = None
        if self._axis is not None:
            numbers = {fact.chapter for fact in facts}
            kept = {
                number: when
                for number, when in self._axis.chapters.items()
                if number in numbers or (place == 0 and number not in self._told)
            }
            landmarks = self._axis.landmarks if place == 0 else {}
            axis = replace(self._axis, chapters=kept, landmarks=landmarks, issues=()) if kept or landmarks else None
        return StoredFacts(facts=tuple(facts), entities=tuple(own), axis=axis, run=self._run, chapter=self._last[place])

    def _known(self, names: set[str]) -> set[int]:
        """The places of the entities that names mean."""
        return {place for name in names for place in self._bearers.get(name, ())}


def _names(fact: Fact) -> tuple[str, ...]:
    return tuple(name for name in (fact.subject, fact.object, fact.place) if name)
