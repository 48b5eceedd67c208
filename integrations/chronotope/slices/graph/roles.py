"""What the signatures of relations tell of the types of those they join."""

from __future__ import annotations

from collections.abc import Iterable

from chronotope.slices.ontology import Ontology, Relation

__all__ = ["has_values", "is_only", "roles"]


def roles(relation: Relation | None, ontology: Ontology, wanted: str) -> tuple[bool, bool]:
    """Whether the subject and the object of a relation can only be of a type.

    Args:
        relation: a relation, None for one that is not known.
        ontology: the ontology with the types.
        wanted: name of the type.
    """
    if relation is None:
        return False, False
    return is_only(relation.domain, ontology, wanted), is_only(relation.range, ontology, wanted)


def is_only(types: Iterable[str], ontology: Ontology, wanted: str) -> bool:
    """True when there are types and all of them are of the wanted one."""
    named = list(types)
    return (
        wanted in ontology.types and bool(named) and all(name in ontology.types and ontology.is_a(name, wanted) for name in named)
    )


def has_values(relation: Relation, ontology: Ontology) -> bool:
    """True for a relation whose objects are values, such as a gender, and no entities."""
    ranged = [ontology.types.get(name) for name in relation.range]
    return bool(ranged) and all(kind is not None and bool(kind.values) for kind in ranged)
