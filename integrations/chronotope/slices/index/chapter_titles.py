"""Titles of chapters as facts: what a title says happens in its chapter, so that questions can count time from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from chronotope.records import Passage
from chronotope.slices.fact import Fact
from chronotope.slices.index.passage_map import chapter_of

__all__ = ["title_facts"]

_CLAUSES = re.compile(r"(?<=[.!?;。！？；])\s+|\s{2,}|(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")


def title_facts(passages: Iterable[Passage], *, key: str = "chapter_title") -> tuple[Fact, ...]:
    """An event for each clause of each chapter's title, told in that chapter.

    Args:
        passages: with their chapter and its title in the metadata.
        key: metadata key of the title.

    >>> passage = Passage("…", metadata={"chapter": 14, "chapter_title": "林如海捐館揚州城 賈寶玉路謁北靜王"})
    >>> [(fact.subject, fact.relation, fact.chapter) for fact in title_facts([passage])]
    [('林如海捐館揚州城', 'happens', 14), ('賈寶玉路謁北靜王', 'happens', 14)]
    """
    titles = {(passage.source_id, chapter_of(passage)): str(passage.metadata.get(key) or "") for passage in passages}
    return tuple(fact for (source, chapter), title in titles.items() for fact in _events(title, chapter, source))


def _events(title: str, chapter: int | None, source: str) -> Iterator[Fact]:
    for clause in _CLAUSES.split(title.strip()):
        said = clause.strip(" .。;；")
        if said and chapter is not None:
            yield Fact(subject=said, relation="happens", chapter=chapter, quote=said, source_id=source)
