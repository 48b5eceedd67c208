"""An ontology: what can be so in a story, and the rules that facts are checked against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from chronotope.errors import OntologyError
from chronotope.slices.fact import Fact
from chronotope.slices.ontology.hints import unknown_name, vocabulary_key
from chronotope.slices.ontology.ontology import EntityType, Match, Relation
from chronotope.slices.ontology.reading import Parts, load_parts, parse_parts
from chronotope.slices.ontology.rules.rule import Rule
from chronotope.slices.ontology.soundness import check_parts
from chronotope.slices.ontology.writing import write_ontology

__all__ = ["Ontology"]


@dataclass(frozen=True, repr=False)
class Ontology:
    """What can be so in a story.

    Args:
        name: what it is called.
        version: text that changes with its contents.
        types: types of entities by name.
        relations: relations by name.
        rules: hard and soft rules.
        threshold: sum of soft penalties above which a fact is doubted.
        titles: titles, each with the gender of who may hold it; an empty text where anybody may.

    Raises:
        OntologyError: a name that nothing has, or entries that contradict each other.

    Source: NS-ST-GraphRAG, figures 1 and 2.

    >>> ontology = Ontology.load("household")
    >>> ontology.relation("妻子")[0].name, ontology.relation("child of")[1]
    ('married_to', True)
    >>> ontology.is_a("garden", "place"), ontology.is_a("place", "garden")
    (True, False)
    """

    name: str
    version: str = "1"
    types: Mapping[str, EntityType] = field(default_factory=dict)
    relations: Mapping[str, Relation] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    threshold: float = 1.0
    titles: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("types", "relations", "titles"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        object.__setattr__(self, "rules", tuple(self.rules))
        check_parts(self._parts, self.name)

    @property
    def _parts(self) -> Parts:
        return Parts(
            name=self.name,
            version=self.version,
            threshold=self.threshold,
            types=dict(self.types),
            relations=dict(self.relations),
            titles=dict(self.titles),
            rules={rule.name: rule for rule in self.rules},
        )

    @classmethod
    def load(cls, source: str | Path) -> Ontology:
        """Read a shipped ontology by its name, or a file.

        Args:
            source: `household`, `general_fiction`, or the path of a TOML file.

        Raises:
            OntologyError: there is none of that name, or its entries are not sound; the message names the file, table and key.
        """
        return cls._of(load_parts(source))

    @classmethod
    def parse(cls, toml_text: str, name: str) -> Ontology:
        """Read an ontology from TOML.

        Args:
            toml_text: the text of a file.
            name: stands for the file in messages, and for the ontology where the text gives it no name.

        Raises:
            OntologyError: as `load` does.
        """
        return cls._of(parse_parts(toml_text, name))

    @classmethod
    def _of(cls, parts: Parts) -> Ontology:
        values = {key: getattr(parts, key) for key in ("name", "version", "types", "relations", "threshold", "titles")}
        return cls(rules=tuple(parts.rules.values()), **values)

    def to_toml(self) -> str:
        """The ontology as the text of a file of its own; `parse` reads it.

        Raises:
            OntologyError: a rule is a function, which no file can hold.
        """
        return write_ontology(self.name, self.version, self.threshold, self.types, self.relations, self.titles, self.rules)

    def with_rules(self, *rules: Rule) -> Ontology:
        """The ontology with more rules; a rule of the same name is replaced."""
        every = {rule.name: rule for rule in (*self.rules, *rules)}
        return replace(self, rules=tuple(every.values()))

    def relation(self, name: str) -> tuple[Relation, bool]:
        """A relation by its name, its inverse or a word for it; True when that reads it backwards.

        Raises:
            OntologyError: there is none; the message names the nearest.
        """
        if name in self.relations:
            return self.relations[name], False
        found = self._lookup.get(name) or self._lookup.get(vocabulary_key(name))
        if found is None:
            raise OntologyError(unknown_name("relation", name, self._lookup))
        return self.relations[found[0]], found[1]

    def has_relation(self, name: str) -> bool:
        """True when `relation` finds one."""
        return name in self.relations or vocabulary_key(name) in self._lookup

    def type_name(self, name: str) -> str:
        """The own name of a type that is given by any of its words; empty where there is none."""
        return self._types.get(name) or self._types.get(vocabulary_key(name), "")

    def is_a(self, type: str, wider: str) -> bool:  # noqa: A002 - as entities say
        """True when whoever is of a type is of the wider one too."""
        return wider in self._wider.get(type, ())

    def gender(self, text: str) -> str:
        """The gender that a text means, as the values of the type `gender` name it; empty where it means none of them."""
        return self.types["gender"].value(text) if "gender" in self.types else ""

    def title_gender(self, title: str) -> str:
        """The gender of who holds a title; empty where anybody may, or the title is not listed.

        A listed title is found at the end of a longer one, before its "of": grand duke of Wendle, 榮國公.
        """
        key = vocabulary_key(title).removeprefix("the_")
        if key in self._titles:
            return self._titles[key]
        head = key.split("_of_")[0]
        words = head.split("_")
        if words[-1] in self._titles:
            told = {self._titles[word] for word in words if self._titles.get(word)}
            return told.pop() if len(told) == 1 else ""
        ends = (head[at:] for at in range(1, len(head)) if not head.isascii())
        return next((self._titles[end] for end in ends if end in self._titles), "")

    def normalised(self, fact: Fact) -> Fact:
        """A fact under its relation's own name, turned round where it was told by the inverse.

        Values, such as genders, get the ontology's spelling. What it was told as stays in metadata, as `told_as` and `told_object`.

        Raises:
            OntologyError: there is no such relation.
        """
        relation, turned = self.relation(fact.relation)
        if relation.name == fact.relation and relation.name not in self._valued:
            return fact
        changed: dict[str, Any] = {}
        told: dict[str, str] = {}
        if relation.name != fact.relation:
            changed["relation"], told["told_as"] = relation.name, fact.relation
        if turned and fact.object:
            changed |= {"subject": fact.object, "object": fact.subject}
        value = self._value(fact.object, relation) if not turned else ""
        if value and value != fact.object:
            changed["object"], told["told_object"] = value, fact.object
        return replace(fact, **changed, metadata={**fact.metadata, **told}) if changed else fact

    def _value(self, text: str, relation: Relation) -> str:
        found = (self.types[wanted].value(text) for wanted in relation.range if self.types[wanted].values)
        return next(filter(None, found), "")

    def ended_by(self, relation: str) -> tuple[tuple[str, Match], ...]:
        """Relations whose facts end states of a relation, each with what of the two must match."""
        return self._enders.get(relation, ())

    def rules_for(self, relation: str) -> tuple[Rule, ...]:
        """Rules that concern facts of a relation."""
        return self._rules_for.get(relation, self._rules_for_all)

    @cached_property
    def _lookup(self) -> dict[str, tuple[str, bool]]:
        found: dict[str, tuple[str, bool]] = {}
        for relation in self.relations.values():
            found[vocabulary_key(relation.name)] = (relation.name, False)
            if relation.inverse:
                found[vocabulary_key(relation.inverse)] = (relation.name, True)
        for relation in self.relations.values():
            for words, turned in ((relation.names, False), (relation.inverse_names, True)):
                for word in words:
                    found.setdefault(vocabulary_key(word), (relation.name, turned))
        return found

    @cached_property
    def told_in_place(self) -> frozenset[str]:
        """Relations whose object is a place."""
        return self._all_of("place")

    @cached_property
    def told_of_people(self) -> frozenset[str]:
        """Relations whose object is a person."""
        return self._all_of("person")

    def _all_of(self, wider: str) -> frozenset[str]:
        ranges = ((name, relation.range) for name, relation in self.relations.items())
        return frozenset(name for name, wanted in ranges if wanted and all(self.is_a(kind, wider) for kind in wanted))

    @cached_property
    def _valued(self) -> frozenset[str]:
        """Relations whose objects may be values."""
        ranges = ((name, relation.range) for name, relation in self.relations.items())
        return frozenset(name for name, wanted in ranges if any(self.types[kind].values for kind in wanted))

    @cached_property
    def _types(self) -> dict[str, str]:
        words = {vocabulary_key(word): name for name, kind in self.types.items() for word in kind.names}
        return words | {vocabulary_key(name): name for name in self.types}

    @cached_property
    def _wider(self) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for name in self.types:
            wider, at = {name}, self.types[name].parent
            while at and at not in wider:
                wider.add(at)
                at = self.types[at].parent
            found[name] = frozenset(wider)
        return found

    @cached_property
    def _titles(self) -> dict[str, str]:
        return {vocabulary_key(title): gender for title, gender in self.titles.items()}

    @cached_property
    def _enders(self) -> dict[str, tuple[tuple[str, Match], ...]]:
        found: dict[str, list[tuple[str, Match]]] = {}
        states = [name for name, relation in self.relations.items() if relation.kind == "state"]
        for ender in self.relations.values():
            for end in ender.ends:
                for state in states if end.relation == "*" else (end.relation,):
                    found.setdefault(state, []).append((ender.name, end.match))
        return {state: tuple(dict.fromkeys(enders)) for state, enders in found.items()}

    @cached_property
    def _rules_for_all(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.watches(self) is None)

    @cached_property
    def _rules_for(self) -> dict[str, tuple[Rule, ...]]:
        watched = [(rule, rule.watches(self)) for rule in self.rules]
        return {name: tuple(rule for rule, seen in watched if seen is None or name in seen) for name in self.relations}

    def __reduce__(self) -> tuple[Any, ...]:
        types, relations, titles = dict(self.types), dict(self.relations), dict(self.titles)
        return Ontology, (self.name, self.version, types, relations, self.rules, self.threshold, titles)

    def __repr__(self) -> str:
        hard = sum(rule.hard for rule in self.rules)
        return (
            f"Ontology({self.name!r} version {self.version}: {len(self.types)} types, {len(self.relations)} relations, "
            f"{hard} hard and {len(self.rules) - hard} soft rules, {len(self.titles)} titles, threshold {self.threshold:g})"
        )
