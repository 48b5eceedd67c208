"""Entities that are given beside the facts: which of them say who somebody is, and what of them a reader may know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from chronotope.slices.fact import Entity
from chronotope.slices.ontology.vocabulary import Ontology
from chronotope.slices.same_name import same_name

__all__ = ["Given", "given_entities", "joined_entities", "known_from", "seen_entities", "type_of"]

_WHERE = ("source_id", "work")


@dataclass(frozen=True)
class Given:
    """Entities that are given beside the facts.

    Args:
        declared: by id: those with an id of their own, with aliases, or with a name that another one has too.
        described: by name, as names are compared: those that are nothing but a name with a type or metadata. They describe
            whoever bears the name and do not say that two works mean the same one.
    """

    declared: dict[str, Entity]
    described: dict[str, Entity]


def seen_entities(entities: Iterable[Entity], *, told: Collection[str], reader_at: int) -> tuple[Entity, ...]:
    """What a reader knows of entities that are given beside the facts.

    Args:
        entities: in any order.
        told: names that facts up to there have, as names are compared.
        reader_at: last chapter that the reader knows.
    """
    return joined_entities(seen for entity in entities if (seen := _as_seen(entity, told, reader_at)) is not None)


def known_from(entity: Entity) -> float | None:
    """The chapter from which an entity's aliases are known, by its metadata; None when they always are."""
    chapter = entity.metadata.get("chapter")
    if isinstance(chapter, str):
        return int(chapter) if chapter.strip().removeprefix("-").isdecimal() else None
    return chapter


def given_entities(entities: Iterable[Entity], *, told: Collection[str]) -> Given:
    """What entities say that are given beside the facts.

    Args:
        entities: in any order; several of one id are one.
        told: names that facts have, as names are compared.
    """
    known = joined_entities(entities)
    bearers = Counter(key for entity in known for key in {same_name(name) for name in (*entity.names, entity.id)})
    described: dict[str, Entity] = {}
    declared: dict[str, Entity] = {}
    for entity in known:
        key = same_name(entity.name)
        bare = same_name(entity.id) == key and not entity.aliases and bearers[key] == 1
        if bare and key in told and not any(entity.metadata.get(where) for where in _WHERE):
            described[key] = entity
        else:
            declared[entity.id] = entity
    return Given(declared, described)


def joined_entities(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Each entity once, by id: the names of all that have the id, the first type, and all metadata.

    An id that is nothing but the name is the same id in every spelling of the name.
    """
    given = sorted(entities, key=lambda entity: (entity.id, entity.name, entity.aliases, entity.type))
    plain: dict[str, str] = {}
    ids = {one.id: plain.setdefault(same_name(one.id), one.id) for one in given if same_name(one.id) == same_name(one.name)}
    found: dict[str, Entity] = {}
    for entity in given:
        key = ids.get(entity.id, entity.id)
        known = found.get(key)
        found[key] = entity if known is None else _joined(known, entity)
    return tuple(found[key] for key in sorted(found))


def _joined(one: Entity, other: Entity) -> Entity:
    aliases = tuple(name for name in (*one.aliases, *other.names) if same_name(name) != same_name(one.name))
    return replace(one, type=one.type or other.type, aliases=aliases, metadata={**other.metadata, **one.metadata})


def _as_seen(entity: Entity, told: Collection[str], reader_at: int) -> Entity | None:
    """The entity as far as a reader knows it, or None: no name that is not told yet stands in its names or its id.

    Before the chapter in its metadata, its aliases and the rest of its metadata are not known.
    """
    later = known_from(entity)
    is_known = later is None or later <= reader_at
    by_id = same_name(entity.id) in told
    names = [name for name in (entity.names if is_known else (entity.name,)) if same_name(name) in told]
    if by_id and is_known and entity.name not in names:
        names.insert(0, entity.name)  # facts that call it by its id tell its name
    if by_id and not names:
        names = [entity.id]
    if not names:
        return None
    hidden = [same_name(name) for name in entity.names if name not in names]
    key = same_name(entity.id)
    shows = key in {same_name(name) for name in names} or (not by_id and any(name in key for name in hidden))
    metadata = entity.metadata if is_known else {name: value for name, value in entity.metadata.items() if name in _WHERE}
    return replace(entity, name=names[0], aliases=tuple(names[1:]), id=names[0] if shows else entity.id, metadata=metadata)


def type_of(types: Iterable[str], ontology: Ontology) -> str:
    """The narrowest of some types when it is all of the others too, else an empty text."""
    known = sorted({kind for kind in types if kind})
    return next((kind for kind in known if all(ontology.is_a(kind, wider) for wider in known)), "")
