"""What to say of a name that an ontology does not have."""

from __future__ import annotations

from collections.abc import Iterable

from chronotope.notes import unknown_option

__all__ = ["unknown_name", "vocabulary_key"]


def vocabulary_key(name: str) -> str:
    """A name of a relation or type without its case, spaces and hyphens.

    >>> vocabulary_key("Married  to"), vocabulary_key("married-to")
    ('married_to', 'married_to')
    """
    return "_".join(name.replace("-", " ").replace("_", " ").split()).casefold()


def unknown_name(what: str, name: str, known: Iterable[str]) -> str:
    """What to say of a name that does not exist.

    Args:
        what: what it should name.
        name: as it was given.
        known: names that do exist.

    >>> unknown_name("type", "persn", ["person", "place"])
    "there is no type 'persn'; did you mean 'person'?"
    """
    return unknown_option(name, known).replace("option", what, 1)
