"""The entities of an index, each with the sources that it was read in, so that a deleted source takes its names along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chronotope.records import Passage
from chronotope.slices.fact import Entity, Fact

__all__ = ["HeldEntities"]

GIVEN = None  # the source of entities that came alone


class HeldEntities:
    """Entities by id and source; what several sources tell of one is joined when it is asked for.

    >>> held = HeldEntities()
    >>> held.add([Entity(name="Ann", aliases=("Mrs. Rask",))], [Fact(subject="Ann", relation="meets", source_id="a")], [])
    >>> held.add([Entity(name="Ann")], [Fact(subject="Ann", relation="meets", source_id="b")], [])
    >>> held.leave({"a"}), [entity.names for entity in held.joined]
    (None, [('Ann',)])
    """

    def __init__(self, told: Mapping[tuple[str, str | None], Entity] | None = None) -> None:
        self._told = dict(told or {})

    @property
    def joined(self) -> tuple[Entity, ...]:
        """Every entity once, with all of its names."""
        found: dict[str, Entity] = {}
        for entity in self._told.values():
            known = found.get(entity.id)
            found[entity.id] = entity if known is None else _both(known, entity)
        return tuple(found.values())

    def copy(self) -> HeldEntities:
        """The same, to go back to."""
        return HeldEntities(self._told)

    def add(self, entities: Iterable[Entity], facts: Sequence[Fact], passages: Sequence[Passage]) -> None:
        """Take entities in that come with these facts and passages; without any, they belong to no source and stay."""
        texts = _texts(facts, passages)
        for entity in entities:
            named = [source for source, text in texts.items() if any(name in text for name in entity.names)]
            for source in named or texts or [GIVEN]:
                own = _of(entity, source, texts)
                known = self._told.get((entity.id, source))
                self._told[entity.id, source] = own if known is None else _both(known, own)

    def leave(self, sources: set[str]) -> None:
        """Forget what only these sources told."""
        self._told = {key: entity for key, entity in self._told.items() if key[1] not in sources}

    def to_json(self) -> list[dict[str, Any]]:
        """One record for each entity and source; `from_json` is the inverse."""
        return [{"entity": entity.to_json(), "source": source} for (_, source), entity in self._told.items()]

    @classmethod
    def from_json(cls, saved: Iterable[Mapping[str, Any]]) -> HeldEntities:
        """Read what `to_json` wrote."""
        read = [(Entity.from_json(item["entity"]), item["source"]) for item in saved]
        return cls({(entity.id, source): entity for entity, source in read})


def _both(one: Entity, other: Entity) -> Entity:
    aliases = (*one.aliases, *(name for name in other.names if name != one.name))
    metadata = {**other.metadata, **one.metadata}
    return Entity(name=one.name, id=one.id, type=one.type or other.type, aliases=aliases, metadata=metadata)


def _texts(facts: Sequence[Fact], passages: Sequence[Passage]) -> dict[str | None, str]:
    """What each source says in these facts and passages."""
    told: dict[str | None, list[str]] = {}
    for fact in facts:
        told.setdefault(fact.source_id, []).append("\n".join((fact.subject, fact.object, fact.place, fact.quote)))
    for passage in passages:
        told.setdefault(passage.source_id, []).append(passage.text)
    return {source: "\n".join(parts) for source, parts in told.items()}


def _of(entity: Entity, source: str | None, texts: Mapping[str | None, str]) -> Entity:
    """The entity with the names that this source has, and those that no source spells out."""
    if len(texts) < 2:
        return entity
    others = [text for name, text in texts.items() if name != source]
    aliases = tuple(name for name in entity.aliases if name in texts[source] or not any(name in text for text in others))
    return Entity(name=entity.name, id=entity.id, type=entity.type, aliases=aliases, metadata=entity.metadata)
