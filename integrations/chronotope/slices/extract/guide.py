"""An ontology as a model is shown it: first in every prompt and always the same, so that endpoints need read it only once."""

from __future__ import annotations

from chronotope.slices.ontology.ontology import Relation
from chronotope.slices.ontology.vocabulary import Ontology

__all__ = ["guide"]

_LETTERS = 7  # characters of a label that says more than it costs
_STEM = 4  # letters in which two words of one meaning agree
_ANYTHING = 5  # types of a signature that need not be told one by one


def guide(ontology: Ontology) -> str:
    """Types and relations of an ontology in few words: relations with one signature share a line.

    >>> print(guide(Ontology.parse('''
    ... [types.person]
    ... names = ["man"]
    ... [relations.serves]
    ... domain = ["person"]
    ... range = ["person"]
    ... names = ["helps"]
    ... [relations.died]
    ... domain = ["person"]
    ... kind = "event"
    ... ''', "small")))
    Types: person.
    Relations (types of subject, object):
    person, person: serves (helps)
    person, nothing: died
    """
    types = [name + (f" (only {', '.join(kind.values)})" if kind.values else "") for name, kind in ontology.types.items()]
    lines: dict[str, list[str]] = {}
    for relation in ontology.relations.values():
        lines.setdefault(_signature(relation), []).append(_shown(relation))
    told = "\n".join(f"{signature}: {', '.join(shown)}" for signature, shown in lines.items())
    return f"Types: {', '.join(types)}.\nRelations (types of subject, object):\n{told}"


def _signature(relation: Relation) -> str:
    return f"{_side(relation.domain, 'anything')}, {_side(relation.range, 'nothing')}"


def _side(types: tuple[str, ...], without: str) -> str:
    return "anything" if len(types) >= _ANYTHING else "/".join(types) or without


def _shown(relation: Relation) -> str:
    """A relation with the shortest of the labels that its name does not tell."""
    own = {word[:_STEM] for word in relation.name.split("_")}
    labels = [name for name in relation.names if name.isascii() and len(name) <= _LETTERS]
    labels = [name for name in labels if not own & {word[:_STEM] for word in name.lower().split()}]
    return relation.name + (f" ({min(labels, key=len)})" if labels else "")
