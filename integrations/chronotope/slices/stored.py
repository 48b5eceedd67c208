"""Facts as one text beside the passage that tells them, so that they travel through any store, pipeline and worker process."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from chronotope.errors import FactError
from chronotope.records import Passage, content_id
from chronotope.slices.axis import StoryAxis
from chronotope.slices.chaptered import last_chapters
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.story_facts import StoryFacts

__all__ = ["FACTS_KEY", "StoredFacts", "facts_by_passage", "has_stored"]

FACTS_KEY: Final = "story_facts"
"""Metadata key of the text. A record that has it was read, even if it tells nothing."""


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
    by_source: dict[str, list[int]] = defaultdict(list)
    for place, passage in enumerate(passages):
        by_source[passage.source_id or passage.id].append(place)
    for fact in found.items if passages else ():
        own = by_source.get(fact.source_id, [])
        inside = [place for place in own if _holds(passages[place], fact)]
        shares[(inside or own or [0])[-1 if inside else 0]].append(fact)
    return tuple(_Shares(found, passages).share(place, facts) for place, facts in enumerate(shares))


class _Shares:
    """What goes along with the facts of a passage."""

    def __init__(self, found: StoryFacts, passages: Sequence[Passage]) -> None:
        self._entities, self._axis = found.entities, found.axis
        self._named = {name for fact in found.items for name in _names(fact)}
        self._told = {fact.chapter for fact in found.items}
        self._last = last_chapters(passages)
        self._run = "" if found.axis is None else content_id(*(fact.id for fact in found.items), found.axis.to_json())

    def share(self, place: int, facts: Sequence[Fact]) -> StoredFacts:
        """The facts of one passage with their entities and chapters; the first passage has what belongs to none."""
        named = {name for fact in facts for name in _names(fact)}
        own = [entity for entity in self._entities if self._goes_along(entity, named, first=place == 0)]
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

    def _goes_along(self, entity: Entity, named: set[str], *, first: bool) -> bool:
        names = {entity.id, *entity.names}
        return not named.isdisjoint(names) or (first and self._named.isdisjoint(names))


def _holds(passage: Passage, fact: Fact) -> bool:
    if passage.char_start is None or passage.char_end is None or fact.char_start is None or fact.char_end is None:
        return False
    return passage.char_start <= fact.char_start < passage.char_end


def _names(fact: Fact) -> tuple[str, ...]:
    return tuple(name for name in (fact.subject, fact.object, fact.place) if name)
