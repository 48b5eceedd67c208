"""Check one fact against an ontology and what is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from chronotope.errors import OntologyError
from chronotope.slices.ontology.ontology import Relation
from chronotope.slices.ontology.rules.rule import Broken
from chronotope.slices.ontology.spans import holds, meet
from chronotope.slices.ontology.verdict import Penalty, Verdict, Violation

if TYPE_CHECKING:
    from chronotope.slices.fact import Fact
    from chronotope.slices.ontology.known import KnownFacts

__all__ = ["check"]


def check(fact: Fact, known: KnownFacts) -> Verdict:
    """Say what the rules make of a fact.

    A fact contradicts only facts that a rule sets it against: unrelated ones leave each other alone. What is known of the same id
    is not held against it. The signature of its relation comes first; only a fact that fits it is judged by the rules.

    Args:
        fact: the fact, which need not be known.
        known: what it is checked against.

    Source: NS-ST-GraphRAG, figure 2.

    >>> from chronotope.slices.fact import Fact
    >>> from chronotope.slices.ontology import KnownFacts, Ontology
    >>> known = KnownFacts(Ontology.load("general_fiction"))
    >>> known.add(Fact(subject="Ann", relation="parent_of", object="Tom"))
    >>> verdict = check(Fact(subject="Tom", relation="parent_of", object="Ann"), known)
    >>> verdict.outcome, [violation.rule for violation in verdict.violations]
    ('rejected', ['no_cycle_in_descent'])
    """
    ontology = known.ontology
    try:
        fact = ontology.normalised(fact)
    except OntologyError as error:
        return Verdict((Violation("unknown_relation", f"{fact.statement}: {error}"),), threshold=ontology.threshold)
    relation = ontology.relations[fact.relation]
    violations = list(_signature(fact, relation, known))
    if violations:
        return Verdict(tuple(violations), threshold=ontology.threshold)
    if relation.functional and (second := _second(fact, relation, known)):
        violations.append(second)
    penalties = []
    for rule in ontology.rules_for(relation.name):
        said = rule.judge(fact, known)
        if said:
            broken = Broken(said) if isinstance(said, str) else said
            if rule.hard:
                violations.append(Violation(rule.name, broken.reason, _others(broken, fact)))
            else:
                penalties.append(Penalty(rule.name, broken.reason, rule.penalty))
    return Verdict(tuple(violations), tuple(penalties), ontology.threshold)


def _others(broken: Broken, fact: Fact) -> tuple[str, ...]:
    return tuple(id_ for id_ in dict.fromkeys(broken.against) if id_ != fact.id)


def _signature(fact: Fact, relation: Relation, known: KnownFacts) -> Iterator[Violation]:
    if relation.domain and (told := _misfit(fact.subject, relation.domain, known)):
        yield Violation("domain", f"{fact.statement}: the subject of {relation.name} is {_one_of(relation.domain)}, but {told}")
    if fact.object and not relation.range:
        yield Violation("range", f"{fact.statement}: {relation.name} has no object, so {fact.object!r} is too much")
    elif relation.range and not fact.object:
        yield Violation("range", f"{fact.statement}: {relation.name} needs an object, {_one_of(relation.range)}")
    elif fact.object and (told := _misfit(fact.object, relation.range, known)):
        yield Violation("range", f"{fact.statement}: the object of {relation.name} is {_one_of(relation.range)}, but {told}")
    if fact.place and "place" in known.ontology.types and (told := _misfit(fact.place, ("place",), known)):
        yield Violation("place", f"{fact.statement}: it can only happen in a place, but {told}")


def _misfit(name: str, wanted: tuple[str, ...], known: KnownFacts) -> str:
    """Why something is of none of the types, in words; empty where it is, or where its type is not known."""
    types = known.ontology.types
    if all(types[kind].values for kind in wanted):
        fits = any(types[kind].value(name) for kind in wanted)
        return "" if fits else f"{name!r} is none of {', '.join(value for kind in wanted for value in types[kind].values)}"
    told = known.type_of(name)
    if not told or told in wanted or any(known.ontology.is_a(told, kind) for kind in wanted):
        return ""
    return f"{name} is a {told}"


def _one_of(types: tuple[str, ...]) -> str:
    return f"a {' or '.join(types)}"


def _second(fact: Fact, relation: Relation, known: KnownFacts) -> Violation | None:
    """Another object of a relation that has one at a time; a later state that replaces it is none."""
    mine = holds(fact, known)
    for other in known.of(relation.name, subject=fact.subject):
        if other.id == fact.id or known.same_statement(fact, other) or _replaced(fact, other, relation, known):
            continue
        if meet(mine, holds(other, known)):
            reason = f"{fact.statement}: {relation.name} has one object at a time, and it is known that {other.statement}"
            return Violation("functional", reason, (other.id,))
    return None


def _replaced(one: Fact, other: Fact, relation: Relation, known: KnownFacts) -> bool:
    starts = [{time.start for time in known.times(fact)} for fact in (one, other)]
    return relation.replaces and starts[0] != starts[1]
