"""Batches that are taken whole or not at all, and in which every id stands once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from chronotope.records import Extraction, Issue
from chronotope.shelves.shelf import Told
from chronotope.text import is_blank

__all__ = ["all_of", "changed_source", "first_of_each", "undone"]

Item = TypeVar("Item", bound=Told)
Kind = TypeVar("Kind")


def all_of(kind: type[Kind], items: Iterable[Kind]) -> list[Kind]:
    """The items as a list.

    Raises:
        TypeError: they are no iterable of this kind; the message says what they are.
    """
    given: object = items
    if isinstance(given, Extraction):
        raise TypeError(f"give the items of an extraction: extraction.items, not the extraction; they must be {kind.__name__}s")
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"these must be several {kind.__name__}s, not {type(given).__name__}")
    found = list(items)
    for item in found:
        if not isinstance(item, kind):
            raise TypeError(f"these must be {kind.__name__}s, but one is of type {type(item).__name__}: {str(item)[:80]!r}")
    return found


def changed_source(item: Told) -> Issue:
    """Told when another text comes under the name of one that an index holds."""
    name = item.source_id or item.id
    told = f"{name!r} came with a text that differs from the one in the index, which stays; call remove_source first, or update"
    return Issue("changed_source", told, name)


def first_of_each(items: Iterable[Item]) -> tuple[list[Item], tuple[Issue, ...]]:
    """The first item of every id that is not blank, and an issue for every later one whose text differs and is lost."""
    kept: dict[str, Item] = {}
    issues = []
    for item in items:
        if is_blank(item.text):
            continue
        if kept.setdefault(item.id, item).text != item.text:
            told = f"another text of the same batch has the id {item.id!r}; only the first was added"
            issues.append(Issue("duplicate_id", told, item.id))
    return list(kept.values()), tuple(issues)


@contextmanager
def undone() -> Iterator[list[Callable[[], object]]]:
    """Steps to take back, last first, when what follows fails."""
    steps: list[Callable[[], object]] = []
    done = False
    try:
        yield steps
        done = True
    finally:
        if not done:
            for step in reversed(steps):
                step()
