"""Ontologies as TOML: a file's tables become types, relations, titles and rules, and every error says where in which file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, get_args

from chronotope.errors import OntologyError
from chronotope.slices.ontology.hints import unknown_name
from chronotope.slices.ontology.ontology import EntityType, Kind, Match, Relation, StateEnd
from chronotope.slices.ontology.rules.from_data import rule_from
from chronotope.slices.ontology.rules.rule import Rule
from chronotope.slices.ontology.soundness import check_parts

__all__ = ["Parts", "load_parts", "parse_parts"]

Value = TypeVar("Value", EntityType, Relation, StateEnd)
_SHIPPED = files("chronotope.slices") / "ontologies"
_TOP = ("name", "version", "threshold", "extends", "without", "types", "relations", "titles", "rules")
_CHOICES = {"kind": get_args(Kind), "match": get_args(Match)}
ANYBODY = "any"


@dataclass(kw_only=True)
class Parts:
    """What an ontology is made of, before it is one."""

    name: str
    version: str = "1"
    threshold: float = 1.0
    types: dict[str, EntityType] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)


def shipped() -> list[str]:
    """Names of the ontologies that come with the package."""
    return sorted(path.name.removesuffix(".toml") for path in _SHIPPED.iterdir() if path.name.endswith(".toml"))


def load_parts(source: str | Path) -> Parts:
    """Read a shipped ontology by its name, or a file by its path."""
    if isinstance(source, str) and not source.endswith(".toml"):
        if source not in shipped():
            problem = unknown_name("ontology", source, shipped())
            raise OntologyError(f"{problem}; for a file of your own, give its path, which ends in .toml")
        return parse_parts((_SHIPPED / f"{source}.toml").read_text("utf-8"), f"{source}.toml")
    try:
        return parse_parts(Path(source).read_text("utf-8"), Path(source).name)
    except FileNotFoundError as error:
        raise OntologyError(f"there is no file {str(source)!r}; shipped ontologies are {', '.join(shipped())}") from error
    except UnicodeDecodeError as error:
        raise OntologyError(f"{Path(source).name} is no UTF-8 text: {error.reason} at byte {error.start}") from error


def parse_parts(text: str, file: str) -> Parts:
    """Read the text of a file; the name of the file stands in every message."""
    try:
        tables = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise OntologyError(f"{file} is no TOML: {error}") from error
    _known_keys(tables, _TOP, f"{file}, top of the file")
    parts = _base(tables, file)
    parts.types |= {name: _type(name, table, f"{file}, [types.{name}]") for name, table in _tables(tables, "types", file)}
    parts.relations |= {
        name: _relation(name, table, f"{file}, [relations.{name}]") for name, table in _tables(tables, "relations", file)
    }
    parts.titles |= _titles(_table(tables, "titles", file), f"{file}, [titles]")
    _add_rules(parts, tables, file)
    check_parts(parts, file)
    return parts


def _base(tables: Mapping[str, Any], file: str) -> Parts:
    top = f"{file}, top of the file"
    extends = _text(tables, "extends", top) if "extends" in tables else ""
    if extends and extends not in shipped():
        raise OntologyError(f"{top}, key 'extends': {unknown_name('shipped ontology', extends, shipped())}")
    parts = load_parts(extends) if extends else Parts(name="")
    for name in _texts(tables.get("without", []), f"{top}, key 'without'"):
        if name not in parts.rules:
            raise OntologyError(f"{top}, key 'without': {unknown_name('rule', name, parts.rules)}")
        del parts.rules[name]
    parts.name = _text(tables, "name", top) if "name" in tables else file.removesuffix(".toml")
    parts.version = _text(tables, "version", top) if "version" in tables else parts.version
    threshold = tables.get("threshold", parts.threshold)
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not threshold >= 0:
        raise OntologyError(f"{top}, key 'threshold': must be a number of at least 0, not {threshold!r}")
    parts.threshold = float(threshold)
    return parts


def _add_rules(parts: Parts, tables: Mapping[str, Any], file: str) -> None:
    rules = tables.get("rules", [])
    if not isinstance(rules, list):
        raise OntologyError(f"{file}, [rules]: rules are a list, each under a line [[rules]]")
    seen: set[str] = set()
    for number, table in enumerate(rules, start=1):
        rule = rule_from(table, where=f"{file}, [[rules]] number {number}")
        if rule.name in seen:
            raise OntologyError(f"{file}, [[rules]] number {number}, key 'name': a rule {rule.name!r} stands in the file twice")
        seen.add(rule.name)
        parts.rules[rule.name] = rule


def _type(name: str, table: Mapping[str, Any], where: str) -> EntityType:
    pairs = table.get("spellings", {})
    if not isinstance(pairs, Mapping) or not all(isinstance(value, str) for value in pairs.values()):
        raise OntologyError(f"{where}, key 'spellings': must be a table of words and values, as {{m = \"male\"}}, not {pairs!r}")
    return _filled(EntityType, {**table, "name": name, "spellings": tuple(pairs.items())}, where)


def _relation(name: str, table: Mapping[str, Any], where: str) -> Relation:
    ends = table.get("ends", [])
    if not isinstance(ends, list) or not all(isinstance(end, Mapping) for end in ends):
        raise OntologyError(f"{where}, key 'ends': must be a list of tables, as [{{relation = \"serves\"}}], not {ends!r}")
    read = tuple(_filled(StateEnd, end, f"{where}, key 'ends'", needs=("relation",)) for end in ends)
    return _filled(Relation, {**table, "name": name, "ends": read}, where)


def _filled(value: type[Value], table: Mapping[str, Any], where: str, needs: Iterable[str] = ()) -> Value:
    kinds = {f.name: str(f.type) for f in fields(value)}
    _known_keys(table, [key for key in kinds if key != "name"], where, {"name"} if "name" in kinds else set())
    for key in needs:
        if key not in table:
            raise OntologyError(f"{where}, key {key!r}: is missing")
    read: dict[str, Any] = {}
    for key, given in table.items():
        read[key] = _checked(given, key, kinds[key], f"{where}, key {key!r}")
    return value(**read)


def _checked(given: object, key: str, kind: str, where: str) -> object:
    if key in _CHOICES:
        if given not in _CHOICES[key]:
            raise OntologyError(f"{where}: {unknown_name(key, str(given), _CHOICES[key])}")
    elif kind == "bool":
        if not isinstance(given, bool):
            raise OntologyError(f"{where}: must be true or false, not {given!r}")
    elif kind == "tuple[str, ...]":
        return _texts(given, where)
    elif kind == "str" and not isinstance(given, str):
        raise OntologyError(f"{where}: must be a text in quotes, not {given!r}")
    return given


def _titles(table: Mapping[str, Any], where: str) -> dict[str, str]:
    for title, gender in table.items():
        if not isinstance(gender, str):
            raise OntologyError(f'{where}, key {title!r}: must be a gender, or "{ANYBODY}", not {gender!r}')
    return {title: "" if gender == ANYBODY else gender for title, gender in table.items()}


def _known_keys(table: Mapping[str, Any], known: Iterable[str], where: str, hidden: Iterable[str] = ()) -> None:
    names = list(known)
    for key in table:
        if key not in names and key not in hidden:
            raise OntologyError(f"{where}, key {key!r}: {unknown_name('key', key, names)}")


def _tables(tables: Mapping[str, Any], name: str, file: str) -> list[tuple[str, Mapping[str, Any]]]:
    found = _table(tables, name, file)
    for key, table in found.items():
        if not isinstance(table, Mapping):
            raise OntologyError(f"{file}, [{name}], key {key!r}: must be a table of its own, [{name}.{key}], not {table!r}")
        if "name" in table:
            raise OntologyError(
                f"{file}, [{name}.{key}], key 'name': the name stands in the line [{name}.{key}]; words go into 'names'"
            )
    return list(found.items())


def _table(tables: Mapping[str, Any], name: str, file: str) -> Mapping[str, Any]:
    found = tables.get(name, {})
    if not isinstance(found, Mapping):
        raise OntologyError(f"{file}, key {name!r}: must be a table, under a line [{name}], not {found!r}")
    return found


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    given = table[key]
    if not isinstance(given, str) or not given.strip():
        raise OntologyError(f"{where}, key {key!r}: must be a text in quotes, not {given!r}")
    return given


def _texts(given: object, where: str) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        raise OntologyError(f'{where}: must be a list of texts, as ["one", "two"], not {given!r}')
    return tuple(given)
