"""An ontology as a model is shown it: first in every prompt and always the same, so that endpoints need read it only once."""

from __future__ import annotations

from chronotope.slices.ontology.ontology import Relation
from chronotope.slices.ontology.vocabulary import Ontology

__all__ = ["guide"]

_LETTERS = 7  # characters of a label that says more than it costs
_STEM = 4  # letters in which two words of one meaning agree
_ANYTHING = 5  # types of a signature that need not be told one by one


def guide(ontology: Ontology) -> str:
    """Types and relations of an ontology in few words: relations of one kind of subject share a line.

    >>> print(guide(Ontology.parse('''
    ... [types.person]
    ... names = ["man"]
    ... [relations.ally_of]
    ... domain = ["person"]
    ... range = ["person"]
    ... names = ["friend"]
    ... [relations.died]
    ... domain = ["person"]
    ... kind = "event"
    ... ''', "small")))
    Types: person.
    Relations (subject - object: relations):
    person - person: ally_of (friend); nothing: died
    """
    types = [name + (f" (only {', '.join(kind.values)})" if kind.values else "") for name, kind in ontology.types.items()]
    lines: dict[str, dict[str, list[str]]] = {}
    for relation in ontology.relations.values():
        sides = lines.setdefault(_side(relation.domain, "anything"), {})
        sides.setdefault(_side(relation.range, "nothing"), []).append(_shown(relation))
    told = "\n".join(
        f"{subject} - " + "; ".join(f"{other}: {', '.join(shown)}" for other, shown in sides.items())
        for subject, sides in lines.items()
    )
    return f"Types: {', '.join(types)}.\nRelations (subject - object: relations):\n{told}"


def _side(types: tuple[str, ...], without: str) -> str:
    return "anything" if len(types) >= _ANYTHING else "/".join(sorted(types, reverse=True)) or without


def _shown(relation: Relation) -> str:
    """A relation with the shortest of the labels that its name does not tell; a name of one word tells enough."""
    if "_" not in relation.name:
        return relation.name
    own = {word[:_STEM] for word in relation.name.split("_")}
    labels = [name for name in relation.names if name.isascii() and len(name) <= _LETTERS]
    labels = [name for name in labels if not own & {word[:_STEM] for word in name.lower().split()}]
    return relation.name + (f" ({min(labels, key=len)})" if labels else "")
