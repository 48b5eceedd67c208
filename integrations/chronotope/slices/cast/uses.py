"""Relations as facts use them: what their subjects and objects are, as far as that tells who is who."""

from __future__ import annotations

from dataclasses import dataclass

from chronotope.errors import OntologyError
from chronotope.slices.ontology.ontology import Relation
from chronotope.slices.ontology.vocabulary import Ontology

__all__ = ["Use", "use_of"]

_SETTINGS = ("place", "title", "event")


@dataclass(frozen=True)
class Use:
    """A relation as facts use it.

    Args:
        relation: what the ontology says; None for a relation that it does not know.
        name: its own name.
        turned: the facts' name is that of the inverse.
        has_entity: its object is an entity, not a value.
        dies: it tells a death.
        subject_is_setting: its subject is a place, a title or an event, which strangers share.
        object_is_setting: its object is.
    """

    relation: Relation | None
    name: str
    turned: bool = False
    has_entity: bool = True
    dies: bool = False
    subject_is_setting: bool = False
    object_is_setting: bool = False

    @property
    def is_alias(self) -> bool:
        """True when it says that two names are one's."""
        return self.name == "alias_of"

    @property
    def tells_two(self) -> bool:
        """True when nobody stands in it to himself: being married, serving, being somebody's parent, meeting."""
        return self.relation is not None and not self.is_alias and (self.relation.kind != "event" or self.relation.symmetric)


def use_of(name: str, ontology: Ontology) -> Use:
    """What facts mean by the name of a relation.

    Args:
        name: as facts give it.
        ontology: what its relations mean.
    """
    try:
        relation, turned = ontology.relation(name)
    except OntologyError:
        return Use(None, name)
    is_value = bool(relation.range) and all(_is_value(kind, ontology) for kind in relation.range)
    every = relation.kind == "event" and not relation.range and any(end.relation == "*" for end in relation.ends)
    return Use(
        relation,
        relation.name,
        turned,
        has_entity=relation.name == "alias_of" or (bool(relation.range) and not is_value),
        dies=relation.name == "died" or every,
        subject_is_setting=_is_setting(relation.domain, ontology),
        object_is_setting=_is_setting(relation.range, ontology),
    )


def _is_setting(signature: tuple[str, ...], ontology: Ontology) -> bool:
    return bool(signature) and all(any(ontology.is_a(kind, wide) for wide in _SETTINGS) for kind in signature)


def _is_value(kind: str, ontology: Ontology) -> bool:
    seen: set[str] = set()
    while kind in ontology.types and kind not in seen:
        if ontology.types[kind].values:
            return True
        seen.add(kind)
        kind = ontology.types[kind].parent
    return False
