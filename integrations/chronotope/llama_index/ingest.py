"""Nodes into an embedded index: converted, dated, and only where they are new."""

from __future__ import annotations

from collections.abc import Sequence

from llama_index.core.schema import BaseNode

from chronotope.diachronic import AnnotateSettings, DiachronicIndex, annotate
from chronotope.llama_index.convert import to_passages
from chronotope.metadata import MetadataKeys
from chronotope.records import Issue, Passage
from chronotope.steps import Step

__all__ = ["insertion"]


def insertion(
    index: DiachronicIndex, nodes: Sequence[BaseNode], keys: MetadataKeys, annotation: AnnotateSettings | None
) -> Step[tuple[int, tuple[Issue, ...]]]:
    """Add what is new among nodes: how many that were, and what was left out, guessed or not read.

    Args:
        index: gets the passages.
        nodes: in reading order.
        keys: where their times are.
        annotation: how nodes without times get them; None leaves them as they are.
    """
    read = to_passages(nodes, keys=keys)
    fresh, issues = _unknown(index, read.items), read.issues
    if annotation is not None:
        dated = yield from annotate(fresh, settings=annotation)
        fresh, issues = dated.items, issues + dated.issues
    added = yield from index.add(fresh)
    return added, issues


def _unknown(index: DiachronicIndex, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Passages at new places; LlamaIndex's splitters give new ids on every run, so an id alone does not tell."""
    known = {_place(passage) for passage in index.passages}
    return tuple(passage for passage in passages if passage.id not in index and _place(passage) not in known)


def _place(passage: Passage) -> tuple[str, int | None, str]:
    return passage.source_id, passage.char_start, passage.text
