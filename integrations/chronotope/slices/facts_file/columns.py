"""What columns of a facts file are called: one name of ours each, and the names that other tools give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from chronotope.text import clean

__all__ = ["ALIASES", "known_columns", "renamed", "text_of"]

ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "subject": ("head", "from", "subj", "source"),
    "relation": ("predicate", "relationship", "rel", "edge"),
    "object": ("tail", "to", "obj", "target"),
    "chapter": ("chap", "ch", "t_c", "told"),
    "story_time": ("when", "time", "t_n", "story", "validity", "date"),
    "place": ("where", "location", "scene"),
    "quote": ("evidence", "words", "text", "sentence"),
    "source_id": ("doc_id", "document", "document_id", "source"),
    "char_start": ("start_char", "start"),
    "char_end": ("end_char", "end"),
    "confidence": ("certainty",),
    "axis": (),
    "id": ("fact_id",),
    "entity": ("name",),
    "type": ("kind",),
    "aliases": ("alias", "names"),
    "plays": ("plays_at",),
    "metadata": (),
}
"""Our name of a column, and others that it may have; `source` is the subject where a record has none, else the document."""


def renamed(record: Mapping[Any, Any]) -> dict[str, Any]:
    """A record under our names of its columns; empty cells are left out, unknown columns keep their names.

    >>> renamed({"Head": "Ann", "predicate": "serves", "tail": "Tom", "source": "b1", "mood": "calm"})
    {'subject': 'Ann', 'relation': 'serves', 'object': 'Tom', 'source_id': 'b1', 'mood': 'calm'}
    """
    names = tuple(str(name) for name, value in record.items() if not _is_empty(value))
    values = [value for value in record.values() if not _is_empty(value)]
    return {own: values[place] for own, place in _places(names)}


@lru_cache(maxsize=256)  # the records of a file share a few sets of columns
def _places(names: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Under which name each column of a record is known, and its place in the record."""
    cells = {_plain(name): place for place, name in enumerate(names)}
    plain = {name.lower().replace(" ", "_"): name for name in reversed(cells)}
    found: dict[str, int] = {}
    taken: set[str] = set()
    for own, others in ALIASES.items():
        name = next((plain[name] for name in (own, *others) if name in plain and plain[name] not in taken), None)
        if name is not None:
            found[own] = cells[name]
            taken.add(name)
    return tuple((found | {name: place for name, place in cells.items() if name not in taken and name not in found}).items())


def known_columns(names: Iterable[str]) -> bool:
    """True when a header names what a fact or an entity cannot be without."""
    own = {own for own, _ in _places(tuple(names))}
    return {"subject", "relation"} <= own or "entity" in own


def _plain(name: str) -> str:
    return clean(name).strip("\ufeff ").strip()


def text_of(value: object) -> str:
    """A cell as text that every store can carry."""
    return clean(value if isinstance(value, str) else str(value))


def _is_empty(value: object) -> bool:
    """True for what a table holds where it holds nothing, such as NaN."""
    return value is None or value != value or (isinstance(value, str) and not value.strip("\ufeff \t\r\n"))
