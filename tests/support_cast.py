"""A small ontology and short ways to write facts, for tests of casts."""

from __future__ import annotations

from chronotope.slices.fact import Fact
from chronotope.slices.ontology.ontology import EntityType, Relation, StateEnd
from chronotope.slices.ontology.vocabulary import Ontology

_PERSON = ("person",)
_RELATIONS = (
    Relation(name="alias_of", domain=("person", "place"), range=("person", "place"), kind="timeless"),
    Relation(name="inside", domain=("place",), range=("place",), kind="timeless"),
    Relation(name="gender", domain=_PERSON, range=("gender",), kind="timeless", functional=True),
    Relation(name="died", domain=_PERSON, kind="event", ends=(StateEnd(relation="*", match="any"),)),
    Relation(name="tells", domain=_PERSON, range=_PERSON, kind="event", acts=True),
    Relation(name="meets", domain=_PERSON, range=_PERSON, kind="event", acts=True, places=True, symmetric=True),
    Relation(name="is_in", domain=_PERSON, range=("place",), kind="event", places=True),
    Relation(name="married_to", domain=_PERSON, range=_PERSON, symmetric=True),
    Relation(name="parent_of", domain=_PERSON, range=_PERSON, kind="timeless", inverse="child_of"),
    Relation(name="knows", domain=_PERSON, range=_PERSON),
    Relation(name="works_for", domain=_PERSON, range=("group",), functional=True),
    Relation(name="lives_in", domain=_PERSON, range=("place",), functional=True, replaces=True),
    Relation(name="holds_title", domain=_PERSON, range=("title",)),
)
_TYPES = tuple(EntityType(name=name) for name in ("person", "place", "event", "title", "group", "thing"))

ONTOLOGY = Ontology(
    name="small",
    types={kind.name: kind for kind in (*_TYPES, EntityType(name="gender", values=("male", "female")))},
    relations={relation.name: relation for relation in _RELATIONS},
    titles={"Mr": "male", "Mrs": "female", "夫人": "female"},
)


def told(line: str, chapter: int | None = None, source: str = "", **more: object) -> Fact:
    """A fact from 'subject | relation | object'."""
    subject, relation, *rest = (part.strip() for part in line.split("|"))
    return Fact(subject=subject, relation=relation, object=rest[0] if rest else "", chapter=chapter, source_id=source, **more)
