"""Ontologies as TOML text, which `reading` reads back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from chronotope.errors import OntologyError

if TYPE_CHECKING:
    from chronotope.slices.ontology.ontology import EntityType, Relation
    from chronotope.slices.ontology.rules.rule import Rule

__all__ = ["write_ontology"]


def write_ontology(
    name: str,
    version: str,
    threshold: float,
    types: Mapping[str, EntityType],
    relations: Mapping[str, Relation],
    titles: Mapping[str, str],
    rules: tuple[Rule, ...],
) -> str:
    """Write the parts of an ontology as the text of one file."""
    lines = [f"name = {_value(name)}", f"version = {_value(version)}", f"threshold = {_value(threshold)}"]
    for kind in types.values():
        lines += ["", f"[types.{_key(kind.name)}]", *_fields(kind)]
    for relation in relations.values():
        lines += ["", f"[relations.{_key(relation.name)}]", *_fields(relation)]
    lines += ["", "[titles]", *(f"{_key(title)} = {_value(gender or 'any')}" for title, gender in titles.items())]
    for rule in rules:
        lines += ["", "[[rules]]", *_rule(rule)]
    return "\n".join(lines) + "\n"


def _rule(rule: Rule) -> Iterator[str]:
    if not rule.kind or rule.relations is not None:
        raise OntologyError(f"rule {rule.name!r} is a function, or is limited by hand: a file holds rules made from data only")
    yield f"name = {_value(rule.name)}"
    yield f"kind = {_value(rule.kind)}"
    if not rule.hard:
        yield f"penalty = {_value(rule.penalty)}"
    yield from _fields(rule.judge)


def _fields(entry: Any) -> Iterator[str]:  # noqa: ANN401 - any of the values an ontology is made of
    for f in fields(entry):
        value = getattr(entry, f.name)
        default = f.default if f.default is not MISSING else None
        if f.name != "name" and value != default:
            yield f"{f.name} = {_value(value, as_table=f.type == 'tuple[tuple[str, str], ...]')}"


def _value(value: object, *, as_table: bool = False) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if as_table and isinstance(value, tuple):
        return "{ " + ", ".join(f"{_key(word)} = {_value(meant)}" for word, meant in value) + " }"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, int | float):
        return repr(value)
    end: Any = value  # what is left is a StateEnd
    return f"{{ relation = {_value(end.relation)}, match = {_value(end.match)} }}"


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").isalnum() else _value(name)
