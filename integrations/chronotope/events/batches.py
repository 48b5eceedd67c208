"""Batches that are taken whole or not at all, and in which every id stands once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from chronotope.events.shelf import Told
from chronotope.records import Issue
from chronotope.text import is_blank

__all__ = ["first_of_each", "undone"]

Item = TypeVar("Item", bound=Told)


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
