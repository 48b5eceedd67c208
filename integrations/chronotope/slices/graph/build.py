"""Story graphs from facts: relations by their own names, who is who, when each is so, what ends it, and where it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from chronotope.records import Issue
from chronotope.slices.axis import StoryAxis, build_axis
from chronotope.slices.axis.axis import hull
from chronotope.slices.cast import Cast
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph.arrays import NO_CHAPTER
from chronotope.slices.graph.columns import Columns
from chronotope.slices.graph.graph import StoryGraph
from chronotope.slices.graph.places import plant
from chronotope.slices.graph.roles import has_values
from chronotope.slices.ontology import Ontology, Relation
from chronotope.slices.story_time import AxisKind, axis_of
from chronotope.temporal.interval import Interval, TimeInterval

__all__ = ["build_graph"]


def build_graph(
    facts: Iterable[Fact],
    *,
    ontology: Ontology,
    entities: Iterable[Entity] = (),
    axis: StoryAxis | None = None,
    cast: Cast | None = None,
) -> StoryGraph:
    """The graph of a story. It depends on the facts alone, not on the order in which they are given.

    Facts of one chapter are told in the order of their characters; those without any come first, by the number in their metadata
    `row` where they have one, such as the line of a file.

    Args:
        facts: what is told; facts that are given twice count once. Nothing is checked here: a fact that breaks a rule is in the
            graph like any other, and one of an unknown relation is a state that no rule of its own ends, with an issue.
        ontology: what can be so.
        entities: who is known, with other names.
        axis: when chapters play; None lets them play as they are told, or, where facts have dates, at the dates of the events that
            they tell.
        cast: who is who; None finds it from facts and entities.

    Returns:
        The graph; its `issues` tell what was dropped or guessed.
    """
    known = tuple(entities)
    told, issues = _in_order(facts)
    told, relations, unknown = _normalised(told, ontology)
    axis = _axis_for(told, relations, axis)
    if cast is None:
        cast = Cast.of(told, known, ontology=ontology, clock=axis.now)
    parts = Columns(told, relations, axis, cast, ontology)
    tree, cycles = plant(parts.places, parts.inside())
    issues = (*issues, *unknown, *_time_issues(parts), *_unplaced(parts), *cycles)
    return StoryGraph(
        facts=told,
        kinds=tuple(relation.kind for relation in relations),
        validity=parts.validity,
        endings=parts.endings,
        keys=tuple(parts.edges),
        entity_ids=tuple(parts.numbers),
        arrays=parts.arrays(tree.ids),
        places=tree,
        ontology=ontology,
        axis=axis,
        cast=cast,
        known=known,
        issues=issues,
    )


def _in_order(facts: Iterable[Fact]) -> tuple[tuple[Fact, ...], tuple[Issue, ...]]:
    """Facts in the order of telling, each once, and an issue for every other one that shares an id with a kept one."""
    ordered = sorted(facts, key=_telling)
    kept: dict[str, Fact] = {}
    issues = []
    for fact in ordered:
        first = kept.setdefault(fact.id, fact)
        if first is not fact and first != fact:
            message = f"{fact.statement!r} has the id of {first.statement!r}, {fact.id!r}; it is left out"
            issues.append(Issue("same_id", message, fact.source_id or fact.id))
    return tuple(kept.values()), tuple(issues)


def _telling(fact: Fact) -> tuple[object, ...]:
    chapter = NO_CHAPTER if fact.chapter is None else fact.chapter
    start = -1 if fact.char_start is None else fact.char_start
    return (chapter, fact.source_id, start, _row(fact), fact.id, fact.subject, fact.relation, fact.object)


def _row(fact: Fact) -> float:
    """The number of its line in a file, where metadata `row` has one; other facts of no known character come before."""
    row = fact.metadata.get("row")
    if isinstance(row, str):
        return int(row) if row.isascii() and row.isdigit() else -1
    return -1 if row is None else row


def _normalised(facts: Sequence[Fact], ontology: Ontology) -> tuple[tuple[Fact, ...], tuple[Relation, ...], list[Issue]]:
    """Facts under their relations' own names, those relations, and an issue for each relation that is not known."""
    known: dict[str, tuple[Relation, bool]] = {}
    unknown: Counter[str] = Counter()
    told, relations = [], []
    for fact in facts:
        if fact.relation not in known:
            known[fact.relation] = _relation(fact.relation, ontology)
        relation, changes = known[fact.relation]
        if not ontology.has_relation(fact.relation):
            unknown[fact.relation] += 1
        told.append(ontology.normalised(fact) if changes else fact)
        relations.append(relation)
    issues = [
        Issue("unknown_relation", f"{name!r} is no relation of {ontology.name}; its facts ({count}) are states that nothing ends")
        for name, count in sorted(unknown.items())
    ]
    return tuple(told), tuple(relations), issues


def _relation(name: str, ontology: Ontology) -> tuple[Relation, bool]:
    """A relation, and whether its facts may be told in another form than the ontology's own; unknown ones are plain states."""
    if not ontology.has_relation(name):
        return Relation(name=name), False
    relation, is_turned = ontology.relation(name)
    return relation, is_turned or relation.name != name or has_values(relation, ontology)


def _axis_for(facts: Sequence[Fact], relations: Sequence[Relation], axis: StoryAxis | None) -> StoryAxis:
    """The axis of a story: the given one, chapters without dates at the events that they tell."""
    if axis is None:
        kinds = Counter(axis_of(fact.story[0]) for fact in facts if fact.story)
        kind: AxisKind = "dates" if kinds["dates"] and kinds["dates"] >= kinds["ticks"] else "ticks"
        axis = build_axis((fact.chapter for fact in facts if fact.chapter is not None), kind=kind)
    if axis.kind != "dates":
        return axis
    dated: dict[int, list[Interval]] = {}
    for fact, relation in zip(facts, relations, strict=True):
        if fact.chapter is not None and relation.kind == "event" and not axis.now(fact.chapter):
            dated.setdefault(fact.chapter, []).extend(
                time for time in fact.story if isinstance(time, TimeInterval) and time.start is not None and time.end is not None
            )
    plays = {number: () if (time := hull(times)) is None else (time,) for number, times in dated.items()}
    return StoryAxis(kind="dates", chapters={**axis.chapters, **plays}, landmarks=axis.landmarks, issues=axis.issues)


def _time_issues(parts: Columns) -> list[Issue]:
    issues = []
    for row, fact in enumerate(parts.facts):
        if fact.story and parts.relations[row].kind != "timeless":
            if axis_of(fact.story[0]) != parts.axis.kind:
                message = (
                    f"{fact.statement!r} has {axis_of(fact.story[0])}, the axis of the story has {parts.axis.kind}; no time is kept"
                )
                issues.append(Issue("other_axis", message, fact.source_id or fact.id))
            elif not parts.validity[row]:
                issues.append(Issue("empty_time", f"the time of {fact.statement!r} holds nothing", fact.source_id or fact.id))
    return issues


def _unplaced(parts: Columns) -> list[Issue]:
    """That chapters play at no known time, where that leaves facts without one."""
    lost = {fact.chapter for fact, is_untimed in zip(parts.facts, parts.untimed, strict=True) if is_untimed and not fact.story}
    chapters = sorted(number for number in lost if number is not None)
    if not chapters:
        return []
    named = f"chapter{'s' * (len(chapters) > 1)} {', '.join(map(str, chapters))}"
    return [
        Issue("unplaced_chapter", f"nothing tells when {named} plays, so what is told there without a time has none in the story")
    ]
