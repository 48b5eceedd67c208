"""Rules as data: a table with a kind and its parameters becomes a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from types import MappingProxyType
from typing import Any

from chronotope.errors import OntologyError
from chronotope.slices.ontology.hints import unknown_name
from chronotope.slices.ontology.rules.ages import AgeAtBirth, AgeAtStart
from chronotope.slices.ontology.rules.counts import AtMost, Once
from chronotope.slices.ontology.rules.descent import Acyclic, BirthOrder
from chronotope.slices.ontology.rules.genders import OneGender
from chronotope.slices.ontology.rules.lives import NotAfterDeath, NotBeforeBirth, ToldLate
from chronotope.slices.ontology.rules.pairs import Asymmetric, Incompatible, NotItself, UsualTypes
from chronotope.slices.ontology.rules.places import OnePlace
from chronotope.slices.ontology.rules.rule import Rule

__all__ = ["KINDS", "rule_from"]

_EVERY: tuple[type[Any], ...] = (
    Acyclic,
    AgeAtBirth,
    AgeAtStart,
    Asymmetric,
    AtMost,
    BirthOrder,
    Incompatible,
    NotAfterDeath,
    NotBeforeBirth,
    NotItself,
    Once,
    OneGender,
    OnePlace,
    ToldLate,
    UsualTypes,
)
KINDS: Mapping[str, type[Any]] = MappingProxyType({str(kind.kind): kind for kind in _EVERY})
_CHOICES = {"above": ("subject", "object"), "per": ("object", "subject")}


def rule_from(table: Mapping[str, Any], *, where: str = "rule") -> Rule:
    """Make a rule from data.

    Args:
        table: `name`, `kind`, the parameters of the kind, and a `penalty` for a soft rule; without one it is hard.
        where: stands in messages for the place of the table.

    Raises:
        OntologyError: there is no such kind, or a parameter is missing, unknown or of the wrong type.

    >>> rule_from({"name": "one_crown", "kind": "at_most", "relations": ["holds_title"], "count": 1, "per": "subject"})
    Rule('one_crown', hard, at_most, relations=('holds_title',), count=1, per='subject')
    """
    if not isinstance(table, Mapping):
        raise OntologyError(f"{where}: must be a table, not {table!r}")
    name, kind = (_text(table, key, where) for key in ("name", "kind"))
    where = f"{where} {name!r}"
    if kind not in KINDS:
        raise OntologyError(f"{where}, key 'kind': {unknown_name('kind of rule', kind, KINDS)}")
    judge = KINDS[kind](**_params(KINDS[kind], table, where))
    penalty = table.get("penalty")
    if penalty is None:
        return Rule(name=name, judge=judge)
    if not _is_number(penalty) or not penalty > 0:
        raise OntologyError(f"{where}, key 'penalty': must be a number above 0, or be left out of a hard rule, not {penalty!r}")
    return Rule(name=name, judge=judge, hard=False, penalty=float(penalty))


def _params(kind: type[Any], table: Mapping[str, Any], where: str) -> dict[str, Any]:
    known = {f.name: f for f in fields(kind)}
    read: dict[str, Any] = {}
    for key, given in table.items():
        if key in ("name", "kind", "penalty"):
            continue
        if key not in known:
            raise OntologyError(f"{where}, key {key!r}: {unknown_name('parameter', key, [*known, 'penalty'])}")
        read[key] = _checked(given, key, str(known[key].type), f"{where}, key {key!r}")
    for key, f in known.items():
        if f.default is MISSING and key not in read:
            raise OntologyError(f"{where}, key {key!r}: a rule of kind {kind.kind!r} needs it")
    return read


def _checked(given: object, key: str, kind: str, where: str) -> Any:  # noqa: ANN401 - as the field says
    if key in _CHOICES:
        if given not in _CHOICES[key]:
            raise OntologyError(f"{where}: {unknown_name(key, str(given), _CHOICES[key])}")
        return given
    needed, fits, made = _TYPES[kind]
    if not fits(given):
        raise OntologyError(f"{where}: must be {needed}, not {given!r}")
    return made(given)


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)


def _is_texts(given: object) -> bool:
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(text, str) for text in given)


def _is_pairs(given: object) -> bool:
    return isinstance(given, Mapping) and all(isinstance(value, str) for value in given.values())


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    given = table.get(key)
    if not isinstance(given, str) or not given.strip():
        raise OntologyError(f"{where}, key {key!r}: " + ("is missing" if given is None else f"must be a text, not {given!r}"))
    return given


_TYPES: dict[str, tuple[str, Callable[[Any], bool], Callable[[Any], Any]]] = {
    "str": ("a text", lambda given: isinstance(given, str) and bool(given), str),
    "int": ("a whole number of at least 0", lambda given: type(given) is int and given >= 0, int),
    "float": ("a number of at least 0", lambda given: _is_number(given) and given >= 0, float),
    "tuple[str, ...]": ("a list of texts", _is_texts, tuple),
    "tuple[tuple[str, str], ...]": ("a table of texts", _is_pairs, lambda given: tuple(given.items())),
}
