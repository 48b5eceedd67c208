"""Which sources are parts of one work, so that a name means the same in all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeAlias

from chronotope.records import Issue
from chronotope.slices.fact import Fact

__all__ = ["SameWork", "works_of"]

_NUMBERED = "#"  # the work whose parts are known by nothing but the numbers of their chapters
SameWork: TypeAlias = bool | Callable[[str], str] | None


def works_of(facts: Iterable[Fact], same_work: SameWork = None) -> tuple[dict[str, str], tuple[Issue, ...]]:
    """The work of each source of some facts, by source id, and what is unclear.

    Args:
        facts: facts, in any order.
        same_work: True when all sources are one work, False when each is one of its own, or a function that names the work of a
            source. By default a fact's metadata `work` names it; the other sources that tell numbered chapters are one work when
            no two of them tell the same chapter, as the files of a novel do; every other source is a work of its own.

    Facts without a source belong to the work "".
    """
    chapters: dict[str, set[int]] = defaultdict(set)
    named: dict[str, set[str]] = defaultdict(set)
    for fact in facts:
        told = chapters[fact.source_id]
        if fact.chapter is not None:
            told.add(fact.chapter)
        if work := fact.metadata.get("work"):
            named[fact.source_id].add(str(work))
    sources = [source for source in sorted(chapters) if source]
    if same_work is True:
        return dict.fromkeys(chapters, ""), ()
    if callable(same_work):
        return {source: same_work(source) for source in sources} | {"": ""}, ()
    works = {source: source for source in sources} | {"": ""}
    if same_work is False:
        return works, ()
    works |= {source: min(names) for source, names in named.items() if source}
    files = [source for source in sources if chapters[source] and source not in named]
    if sum(len(chapters[source]) for source in files) == len(set().union(*(chapters[source] for source in files))):
        return works | dict.fromkeys(files, _NUMBERED), ()
    return works, (_unclear(files, chapters),)


def _unclear(files: list[str], chapters: dict[str, set[int]]) -> Issue:
    first: dict[int, str] = {}
    for source in files:
        for chapter in sorted(chapters[source]):
            if chapter in first:
                told = (
                    f"chapter {chapter} is told by {first[chapter]!r} and by {source!r}, so each source counts as a work of its own"
                )
                return Issue("works_unclear", f"{told}; name the works in metadata 'work' or with same_work=", source)
            first[chapter] = source
    raise AssertionError("no chapter is told twice")
