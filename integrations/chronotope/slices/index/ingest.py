"""From passages to a story index: what is new is read for facts, checked, embedded and joined to the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chronotope.records import Issue, Passage
from chronotope.shelves import Held, all_of, changed_source
from chronotope.slices.documents.chaptered import in_chapters, with_chapters
from chronotope.slices.documents.laying import joined
from chronotope.slices.documents.stored import StoredFacts
from chronotope.slices.extract import FactSettings, extract_facts
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.story_facts import StoryFacts, Uncertain
from chronotope.steps import Step

__all__ = ["StoryIngested", "ingest_story"]


@dataclass(frozen=True)
class StoryIngested:
    """What came of passages on their way into an index.

    Args:
        added: number of new facts.
        ids: the ids of the facts that the passages tell, known ones included where they were read again.
        uncertain: facts that the rules of the ontology kept out.
        issues: what was dropped, guessed or refused.
    """

    added: int
    ids: tuple[str, ...] = ()
    uncertain: tuple[Uncertain, ...] = ()
    issues: tuple[Issue, ...] = ()


def ingest_story(
    passages: Sequence[Passage], index: StoryIndex, *, settings: FactSettings | None = None, private: Sequence[str] = ()
) -> Step[StoryIngested]:
    """Add the facts that passages tell, and the passages; sources that are there whole are passed over unread.

    A source with a new passage is read again as a whole, because its facts are checked against each other. A passage is there when
    the index holds its id, or passages of its source that cover all of its characters. One whose text differs from what the index
    holds is told as `changed_source`: under a known id it is passed over, under a new one added beside the old. Every passage is
    held with the last chapter that it tells, so that no reader of an earlier one sees it.

    Args:
        passages: in the order of telling; their chapter may stand in the metadata under `chapter`.
        index: where they go; its ontology is the one that facts are checked against.
        settings: how facts are extracted; None takes rules.
        private: metadata keys that facts do not get to see.

    Raises:
        TypeError: these are no passages, or `index` is no index.
    """
    if not isinstance(index, StoryIndex):
        raise TypeError(f"index must be a StoryIndex, not {type(index).__name__}; the passages come first, then the index")
    given = all_of(Passage, passages)
    held = Held.of(index.passages)
    states = [held.state(one) for one in given]
    changed = tuple(changed_source(one) for one, state in zip(given, states, strict=True) if state == "changed")
    fresh = [one for one, state in zip(given, states, strict=True) if state != "known" and one.id not in held.by_id]
    sources = {one.source_id or one.id for one in fresh}
    read = [held.by_id.get(one.id, one) for one in given if (one.source_id or one.id) in sources]
    chosen = replace(settings or FactSettings(), ontology=index.ontology)
    found = StoryFacts()
    pieces, numbers = in_chapters(read, index.passages)
    if read:
        found = yield from extract_facts([_without(piece, private) for piece in pieces], settings=chosen)
    laid = _laid(index, found)
    last = dict(zip((passage.id for passage in read), numbers, strict=True))
    placed = with_chapters(fresh, [last.get(passage.id) for passage in fresh])
    added = yield from index.add(laid.items, placed, found.entities)
    if laid.axis is not None:
        index.axis = laid.axis
    issues = (*dict.fromkeys(changed), *found.issues, *laid.issues)
    return StoryIngested(added, tuple(dict.fromkeys(fact.id for fact in found.items)), found.uncertain, issues)


def _without(passage: Passage, keys: Sequence[str]) -> Passage:
    if not keys:
        return passage
    return replace(passage, metadata={key: value for key, value in passage.metadata.items() if key not in keys})


def _laid(index: StoryIndex, found: StoryFacts) -> StoryFacts:
    """What was read on the axis of the index; on its own where the index has none, or none of other chapters."""
    base = index.axis or (index.graph.axis if len(index) else None)
    if found.axis is None or base is None or {*base.chapters} <= {*found.axis.chapters}:
        return replace(found, issues=())
    return joined([StoredFacts(facts=found.items, axis=found.axis, run="read")], base)
