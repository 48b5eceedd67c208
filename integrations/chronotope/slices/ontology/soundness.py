"""Whether an ontology says something sound: every name it uses exists, and no two entries contradict each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NoReturn

from chronotope.errors import OntologyError
from chronotope.slices.ontology.hints import unknown_name, vocabulary_key
from chronotope.slices.ontology.ontology import EntityType, Relation
from chronotope.slices.ontology.rules.rule import DataRule, Rule

if TYPE_CHECKING:
    from chronotope.slices.ontology.reading import Parts

__all__ = ["check_parts"]

_SLOT = re.compile(r"\{([^{}]*)\}")


def check_parts(parts: Parts, where: str) -> None:
    """Raise an `OntologyError` at the first entry that is not sound; the message names the file (or ontology), table and key."""
    for kind in parts.types.values():
        _check_type(kind, parts.types, f"{where}, [types.{kind.name}]")
    _check_words(parts.relations, where)
    for relation in parts.relations.values():
        table = f"{where}, [relations.{relation.name}]"
        _check_signature(relation, parts.types, table)
        _check_ends(relation, parts.relations, table)
        _check_says(relation, table)
    _check_titles(parts, f"{where}, [titles]")
    for rule in parts.rules.values():
        _check_rule(rule, parts, f"{where}, rule {rule.name!r}")


def _stop(table: str, key: str, problem: str) -> NoReturn:
    raise OntologyError(f"{table}, key {key!r}: {problem}")


def _each_known(what: str, names: Iterable[str], known: Iterable[str], table: str, key: str) -> None:
    known = list(known)
    for name in names:
        if name not in known:
            _stop(table, key, unknown_name(what, name, known))


def _check_type(kind: EntityType, types: Mapping[str, EntityType], table: str) -> None:
    if kind.parent:
        _each_known("type", [kind.parent], types, table, "parent")
    way, at = [kind.name], kind.parent
    while at:
        if at in way:
            _stop(table, "parent", f"types lead back to themselves: {' → '.join([*way, at])}")
        way.append(at)
        at = types[at].parent if at in types else ""
    _each_known("value", (value for _, value in kind.spellings), kind.values, table, "spellings")


def _check_words(relations: Mapping[str, Relation], where: str) -> None:
    """No word may mean two relations, or one relation in both directions."""
    owner: dict[str, tuple[str, bool]] = {}
    ordered = [(relation, key) for key in ("name", "inverse", "names", "inverse_names") for relation in relations.values()]
    for relation, key in ordered:
        meaning = (relation.name, key.startswith("inverse"))
        words = getattr(relation, key)
        for word in (words,) if isinstance(words, str) else words:
            held = owner.setdefault(vocabulary_key(word), meaning) if word else meaning
            if held != meaning:
                other = f"relation {held[0]!r}" + (" read backwards" if held[1] else "")
                _stop(f"{where}, [relations.{relation.name}]", key, f"{word!r} means {other} already")


def _check_signature(relation: Relation, types: Mapping[str, EntityType], table: str) -> None:
    _each_known("type", relation.domain, types, table, "domain")
    _each_known("type", relation.range, types, table, "range")
    if relation.symmetric:
        if set(relation.domain) != set(relation.range):
            _stop(table, "symmetric", f"both sides must take the same types, not {relation.domain} and {relation.range}")
        if relation.inverse or relation.inverse_names:
            _stop(table, "inverse", "a symmetric relation reads the same backwards: leave the inverse out")
    if not relation.range:
        for key in ("inverse", "inverse_names", "functional"):
            if getattr(relation, key):
                _stop(table, key, "needs objects: say in 'range' of which types they are")
    if relation.replaces and relation.kind != "state":
        _stop(table, "replaces", f"only a state replaces an earlier one, and this is of kind {relation.kind!r}")


def _check_ends(relation: Relation, relations: Mapping[str, Relation], table: str) -> None:
    if relation.ends and relation.kind == "timeless":
        _stop(table, "ends", "a timeless fact has no time at which anything could end")
    for end in relation.ends:
        if end.relation != "*":
            _each_known("relation", [end.relation], relations, table, "ends")
            if relations[end.relation].kind != "state":
                _stop(table, "ends", f"{end.relation!r} is of kind {relations[end.relation].kind!r}: only states end")
        if end.match == "pair" and not relation.range:
            _stop(table, "ends", 'match \'pair\' needs an object: write match = "subject", "object" or "any"')


def _check_says(relation: Relation, table: str) -> None:
    for key in ("nouns", "inverse_nouns"):
        for noun in getattr(relation, key):
            if not relation.range:
                _stop(table, key, f"{noun!r} says what one is to another, and a relation without a range has no other")
            if not noun.strip() or "{" in noun:
                _stop(table, key, f"{noun!r} must be a plain noun, such as 'wife'; a form with names goes into 'says'")
    wanted = ["object", "subject"] if relation.range else ["subject"]
    for form in relation.says:
        slots = _SLOT.findall(form)
        _each_known("slot", slots, ("subject", "object"), table, "says")
        if sorted(slots) != wanted:
            each = " and ".join(f"{{{slot}}}" for slot in reversed(wanted))
            _stop(table, "says", f"{form!r} must hold {each}, once each")
        if "}{" in form.replace(" ", "") or not _SLOT.sub("", form).strip(" ,，、。.;；:："):
            _stop(table, "says", f"{form!r} needs words of its own between its names")


def _check_titles(parts: Parts, table: str) -> None:
    genders = parts.types["gender"].values if "gender" in parts.types else ()
    for title, gender in parts.titles.items():
        if gender:
            _each_known("gender", [gender], [*genders, "any"], table, title)


def _check_rule(rule: Rule, parts: Parts, table: str) -> None:
    _each_known("relation", sorted(rule.relations or ()), parts.relations, table, "relations")
    if isinstance(rule.judge, DataRule):
        known = {"relation": list(parts.relations), "type": list(parts.types)}
        for key, what, names in rule.judge.named():
            _each_known(what, names, known[what], table, key)
