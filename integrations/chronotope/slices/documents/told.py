"""Into a story index: what was read before travels with its passages, the rest is read; and extractions that were made apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from chronotope.records import Passage
from chronotope.slices.axis import StoryAxis, build_axis
from chronotope.slices.documents.chaptered import CHAPTER_NUMBER, in_chapters, with_chapters
from chronotope.slices.documents.given import GivenFacts, given_facts, kept_out
from chronotope.slices.documents.laying import joined
from chronotope.slices.documents.stored import FACTS_KEY, StoredFacts, has_stored
from chronotope.slices.extract import FactSettings
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.index.index import StoryIndex
from chronotope.slices.index.ingest import StoryIngested, ingest_story
from chronotope.slices.retrieve.raised import raised
from chronotope.slices.story_facts import StoryFacts
from chronotope.steps import Step

__all__ = ["ingest_given", "ingest_told", "ingest_trial"]


def ingest_told(
    passages: Sequence[Passage],
    index: StoryIndex,
    *,
    settings: FactSettings | None = None,
    private: Sequence[str] = (),
    axis: StoryAxis | None = None,
) -> Step[StoryIngested]:
    """Add passages and their facts: those that travel with them as they are, those of other passages once they are read.

    Every passage is held with the last chapter that it tells, and without the text of its facts, which may tell more than the
    reader of an earlier chapter knows.

    Args:
        passages: in the order of telling.
        index: where they go.
        settings: how passages without facts are read.
        private: metadata keys that extraction does not get to see.
        axis: when chapters play, whatever the passages say.

    Raises:
        FactError: the facts of a passage cannot be read.
    """
    stored = [(passage, StoredFacts.from_text(passage.metadata[FACTS_KEY])) for passage in passages if has_stored(passage.metadata)]
    fresh = [passage for passage in passages if not has_stored(passage.metadata)]
    bare = with_chapters([_bare(passage) for passage, _ in stored], [part.chapter for _, part in stored])
    told = yield from _ingest_found(joined((part for _, part in stored), _axis_of(index)), bare, index)
    read = yield from ingest_story(fresh, index, settings=settings, private=private)
    if axis is not None:
        index.axis = axis
    return StoryIngested(
        told.added + read.added,
        (*told.ids, *read.ids),
        read.uncertain,
        (*told.issues, *read.issues, *kept_out(read.uncertain)),
    )


def ingest_trial(
    passages: Sequence[Passage],
    index: StoryIndex,
    *,
    settings: FactSettings | None = None,
    private: Sequence[str] = (),
    reader_at: int | None = None,
) -> Step[StoryIngested]:
    """What `ingest_told` would do with passages that the index does not hold, for an estimate: the index stays as it is.

    Args:
        passages: in the order of telling.
        index: what is there.
        settings: how passages without facts are read.
        private: metadata keys that extraction does not get to see.
        reader_at: last chapter that whoever asks knows; that a later passage is there already is not told then.
    """
    trial = StoryIndex(index.embedder_id, ontology=index.ontology, title_key=index.title_key)
    known = {passage.id for passage in index.passages if _is_known(passage, reader_at)}
    fresh = [passage for passage in passages if passage.id not in known]
    return (yield from ingest_told(fresh, trial, settings=settings, private=private))


def ingest_given(
    facts: GivenFacts,
    passages: Sequence[Passage],
    index: StoryIndex,
    *,
    entities: Iterable[Entity] = (),
    axis: StoryAxis | None = None,
) -> Step[StoryIngested]:
    """Add facts that are known already, checked against the ontology of the index, and the passages that they were read in.

    Args:
        facts: see `given_facts`.
        passages: with the same `source_id` and offsets; they are not read again.
        index: where they go.
        entities: what is known of persons and places.
        axis: when chapters play, whatever the facts bring along.

    Raises:
        FactError: nothing in a file is a fact, or its times lie on two axes.
    """
    found = given_facts(facts, ontology=index.ontology, entities=entities, axis=axis, held=index.axis)
    if found.axis is not None and found.axis is not axis:
        whole = StoredFacts(facts=found.items, entities=found.entities, axis=found.axis, run="given")
        laid = joined([whole], _axis_of(index))
        found = replace(found, items=laid.items, axis=laid.axis, issues=(*found.issues, *laid.issues))
    else:
        found = replace(found, axis=None if axis is not None else _longer(index.axis, found.items))
    done = yield from _ingest_found(found, _chaptered(passages, index, found.items), index)
    if axis is not None:
        index.axis = axis
    return done


def _ingest_found(found: StoryFacts, passages: Sequence[Passage], index: StoryIndex) -> Step[StoryIngested]:
    added = yield from index.add(found.items, passages, found.entities)
    if found.axis is not None:
        index.axis = found.axis
    return StoryIngested(added, tuple(fact.id for fact in found.items), found.uncertain, found.issues)


def _chaptered(passages: Sequence[Passage], index: StoryIndex, facts: Iterable[Fact]) -> tuple[Passage, ...]:
    """Passages with the last chapter of each: as whoever read the whole text has left it, else as headings and facts tell."""
    bare = [_bare(passage) for passage in passages]
    read = [StoredFacts.from_text(one.metadata[FACTS_KEY]).chapter if has_stored(one.metadata) else None for one in passages]
    told = raised(bare, in_chapters(bare, index.passages)[1], facts)
    return with_chapters(bare, [number if known is None else known for known, number in zip(read, told, strict=True)])


def _axis_of(index: StoryIndex) -> StoryAxis | None:
    return index.axis or (index.graph.axis if len(index) else None)


def _is_known(passage: Passage, reader_at: int | None) -> bool:
    """True for a passage that a reader has come to, as far as its chapter is known."""
    chapter = passage.metadata.get(CHAPTER_NUMBER)
    return reader_at is None or (isinstance(chapter, int) and chapter <= reader_at)


def _longer(axis: StoryAxis | None, facts: Iterable[Fact]) -> StoryAxis | None:
    """The axis that is there, with chapters behind it that it does not know; None where it stays as it is."""
    if axis is None or axis.kind != "ticks":
        return None
    new = {fact.chapter for fact in facts if fact.chapter is not None} - {*axis.chapters}
    return joined([StoredFacts(axis=build_axis(new))], axis).axis if new else None


def _bare(passage: Passage) -> Passage:
    return replace(passage, metadata={key: value for key, value in passage.metadata.items() if key != FACTS_KEY})
