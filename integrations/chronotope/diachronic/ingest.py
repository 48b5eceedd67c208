"""Passages on their way into an index or a store: blank and known ones are passed over, the others dated and written once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from chronotope.diachronic.extract import AnnotateSettings, annotate
from chronotope.diachronic.index import DiachronicIndex, first_of_each
from chronotope.records import Issue, Passage
from chronotope.steps import Step
from chronotope.text import is_blank

__all__ = ["IndexWriter", "Ingested", "PassageWriter", "ingest"]


class PassageWriter(Protocol):
    """Where passages go: an index, or a store that belongs to someone else."""

    def known(self, passages: Sequence[Passage]) -> Step[Mapping[str, str]]:
        """For each passage that is there already, the id that it has there, by the id that it came with."""
        ...

    def write(self, passages: Sequence[Passage]) -> Step[object]:
        """Add new passages, either all or, when an error is raised, none."""
        ...


@dataclass(frozen=True)
class Ingested:
    """What came of adding passages.

    Args:
        ids: the ids that the passages have now, blank ones left out, in the given order.
        added: how many were new.
        issues: what was left out, guessed or refused.
    """

    ids: tuple[str, ...] = ()
    added: int = 0
    issues: tuple[Issue, ...] = ()


@dataclass(frozen=True)
class IndexWriter:
    """Writes into an embedded index, where a passage is known by its id, or by its text at the same place of the same document."""

    index: DiachronicIndex

    def known(self, passages: Sequence[Passage]) -> Step[Mapping[str, str]]:
        """Look them up; splitters of some frameworks give new ids on every run, so an id alone does not tell."""
        yield from ()
        by_id = {passage.id: passage.id for passage in passages if passage.id in self.index}
        strange = [passage for passage in passages if passage.id not in by_id and _place(passage)]
        there = _by_place(self.index.passages) if strange else {}
        same = {p.id: next((old.id for old in there.get(_place(p), ()) if _may_be(p, old)), None) for p in strange}
        return by_id | {name: old for name, old in same.items() if old is not None}

    def write(self, passages: Sequence[Passage]) -> Step[object]:
        """Embed and add."""
        return self.index.add(passages)


def ingest(passages: Sequence[Passage], writer: PassageWriter, *, annotation: AnnotateSettings | None) -> Step[Ingested]:
    """Add what is new among passages.

    Args:
        passages: in reading order.
        writer: where they go.
        annotation: how passages without times get them; None leaves them as they are.
    """
    read = [passage for passage in passages if not is_blank(passage.text)]
    issues = tuple(Issue("blank", "the passage has no text and was left out", p.id) for p in passages if is_blank(p.text))
    known = yield from writer.known(read)
    fresh, doubled = first_of_each([passage for passage in read if passage.id not in known])
    issues += doubled
    if annotation is not None:
        dated = yield from annotate(fresh, settings=annotation)
        fresh, issues = dated.items, issues + dated.issues
    if fresh:
        yield from writer.write(fresh)
    return Ingested(tuple(known.get(passage.id, passage.id) for passage in read), len(fresh), issues)


_Place: TypeAlias = tuple[str, int, str]


def _place(passage: Passage) -> _Place | None:
    """Where a passage stands in its document; None when that is not told."""
    if not passage.source_id or passage.char_start is None:
        return None
    return passage.source_id, passage.char_start, passage.text


def _by_place(passages: Iterable[Passage]) -> dict[_Place | None, list[Passage]]:
    there: dict[_Place | None, list[Passage]] = {}
    for passage in passages:
        there.setdefault(_place(passage), []).append(passage)
    return there


def _may_be(passage: Passage, old: Passage) -> bool:
    """False for the same words of another day; a date that the index has and the passage has not was found by annotating."""
    return passage.published is None or passage.published == old.published
