"""Facts in the order of telling against the rules, one after another: what stands is known to those after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from chronotope.records import Issue
from chronotope.slices.axis import StoryAxis, build_axis
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.ontology import KnownFacts, Ontology, Verdict, Violation, check
from chronotope.slices.same_name import same_name
from chronotope.slices.story_facts import StoryFacts, Uncertain
from chronotope.slices.story_time import AxisKind, axis_of
from chronotope.temporal.interval import Interval

__all__ = ["Judged", "checked_facts", "duplicates", "in_order", "judged"]

Fate: TypeAlias = Literal["accepted", "rejected", "duplicate"]


@dataclass(frozen=True)
class Judged:
    """A fact with what became of it.

    Args:
        fact: under its relation's own name; of low confidence where soft rules doubt it.
        verdict: what the rules said.
        fate: `duplicate` where the very same was told before, by the same words at the same place.
    """

    fact: Fact
    verdict: Verdict
    fate: Fate


def checked_facts(
    facts: Iterable[Fact], *, ontology: Ontology, entities: Iterable[Entity] = (), axis: StoryAxis | None = None
) -> StoryFacts:
    """Check facts from any source, without a model.

    Args:
        facts: in any order; they are checked in the order of telling, and of two that contradict each other the first stands.
        ontology: relations and rules.
        entities: what is known of persons and places.
        axis: when chapters play; None lets them play one after the other.

    Returns:
        Facts that stand, those of low confidence marked, and those that do not in `uncertain`. Of facts that are the same in all
        that they tell one stands, and an issue counts the others; nothing else is missing. Another issue counts facts without a
        chapter where others have one.

    Source: NS-ST-GraphRAG, figure 2.

    >>> known = Ontology.load("general_fiction")
    >>> found = checked_facts([Fact(subject="Ann", relation="parent of", object="Ann")], ontology=known)
    >>> len(found.items), found.uncertain[0].verdict.outcome
    (0, 'rejected')
    """
    given, known = in_order(facts), tuple(entities)
    axis = axis or _axis(given)
    found = judged(given, ontology=ontology, entities=known, axis=axis)
    return StoryFacts(
        items=tuple(one.fact for one in found if one.fate == "accepted"),
        issues=(*duplicates(found), *_without_chapter(given)),
        uncertain=tuple(Uncertain(one.fact, one.verdict) for one in found if one.fate == "rejected"),
        entities=known,
        axis=axis,
    )


def _without_chapter(facts: Sequence[Fact]) -> list[Issue]:
    """That some facts have no chapter where others have one, which makes them known to every reader."""
    loose = [fact for fact in facts if fact.chapter is None]
    if not 0 < len(loose) < len(facts):
        return []
    rest = len(loose) - 1
    some = f"{loose[0].statement!r} and {rest} more have" if rest else f"{loose[0].statement!r} has"
    told = f"{some} no chapter, where others have one; such facts count as told before the first chapter, to every reader"
    return [Issue("without_chapter", told, loose[0].source_id or None)]


def _axis(facts: Sequence[Fact]) -> StoryAxis:
    kinds: set[AxisKind] = {axis_of(time) for fact in facts for time in fact.story}
    numbers = {fact.chapter for fact in facts if fact.chapter is not None}
    return build_axis(numbers, kind="dates" if kinds == {"dates"} else "ticks")


def in_order(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Facts in the order of telling: those without a chapter first, then by chapter; else as they are given.

    >>> told = [Fact(subject=name, relation="r", chapter=chapter) for name, chapter in (("b", 2), ("a", 1), ("c", None))]
    >>> [fact.subject for fact in in_order(told)]
    ['c', 'a', 'b']
    """
    return tuple(sorted(facts, key=lambda fact: (fact.chapter is not None, fact.chapter or 0)))


def judged(facts: Sequence[Fact], *, ontology: Ontology, entities: Iterable[Entity], axis: StoryAxis) -> list[Judged]:
    """What becomes of each fact, in the given order.

    Args:
        facts: in the order of telling.
        ontology: relations and rules.
        entities: what is known of persons and places.
        axis: when chapters play.
    """
    entities = tuple(entities)
    known = KnownFacts(ontology, entities=entities, clock=axis.now, same=_keys(entities))
    seen: set[tuple[object, ...]] = set()
    ids: dict[str, Fact] = {}
    found: list[Judged] = []
    for told in facts:
        fact = ontology.normalised(told) if ontology.has_relation(told.relation) else told
        if _content(fact) in seen:
            found.append(Judged(fact, Verdict(threshold=ontology.threshold), "duplicate"))
            continue
        seen.add(_content(fact))
        if fact.id in ids:
            found.append(Judged(fact, _taken(fact, ids[fact.id]), "rejected"))
            continue
        ids[fact.id] = fact
        verdict = check(fact, known)
        if verdict.outcome == "rejected":
            found.append(Judged(fact, verdict, "rejected"))
            continue
        if verdict.outcome == "low_confidence":
            doubts = "; ".join(penalty.reason for penalty in verdict.penalties)
            fact = replace(fact, confidence="low", metadata={**fact.metadata, "doubts": doubts})
        known.add(fact)
        found.append(Judged(fact, verdict, "accepted"))
    return found


def _keys(entities: Iterable[Entity]) -> Callable[[str], str]:
    """One key for all names of an entity; a name that several have is a key of its own."""
    owners: dict[str, set[str]] = {}
    for entity in entities:
        for name in (entity.id, *entity.names):
            owners.setdefault(same_name(name), set()).add(same_name(entity.id))
    keys = {name: next(iter(ids)) for name, ids in owners.items() if len(ids) == 1}
    return lambda name: keys.get(same_name(name), same_name(name))


def duplicates(found: Sequence[Judged], *, repeated: int = 0) -> tuple[Issue, ...]:
    """An issue that counts the facts that were told twice by the same words; none without any.

    Args:
        found: what became of each fact.
        repeated: facts that were left out before.
    """
    twice = [one.fact for one in found if one.fate == "duplicate"]
    count = len(twice) + repeated
    such = f", such as {twice[0].statement!r}" if twice else ""
    told = f"{count} facts are told twice by the same words at the same place{such}"
    return (Issue("duplicate_facts", told, (twice[0].source_id or None) if twice else None),) if count else ()


def _content(fact: Fact) -> tuple[object, ...]:
    story: tuple[Interval, ...] = fact.story
    span = (fact.source_id, fact.char_start, fact.char_end)
    names = (same_name(name) for name in (fact.subject, fact.object, fact.place))
    return (*names, fact.relation, fact.chapter, story, fact.quote, *span)


def _taken(fact: Fact, other: Fact) -> Verdict:
    reason = f"the id {fact.id!r} belongs to {other.statement!r} already, so {fact.statement!r} cannot have it"
    return Verdict((Violation("own_id", reason, (other.id,)),))
