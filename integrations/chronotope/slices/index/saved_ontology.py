"""An ontology as a saved index holds it: its name where it is shipped, else its text; rules that are functions by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from chronotope.errors import OntologyError
from chronotope.slices.ontology import Ontology, Rule

__all__ = ["ontology_of", "saved_ontology"]


def saved_ontology(ontology: Ontology) -> dict[str, Any]:
    """The ontology as JSON values; `ontology_of` is the inverse."""
    written = tuple(rule for rule in ontology.rules if rule.kind and rule.relations is None)
    functions = [rule.name for rule in ontology.rules if rule not in written]
    plain = replace(ontology, rules=written)
    return {"name": ontology.name, "text": "" if _is_shipped(plain) else plain.to_toml(), "functions": functions}


def ontology_of(saved: Mapping[str, Any], rules: tuple[Rule, ...] = ()) -> Ontology:
    """Read what `saved_ontology` wrote.

    Args:
        saved: JSON values.
        rules: the rules that are functions; more than were saved may be given.

    Raises:
        OntologyError: a rule that is a function was not given.
    """
    given = {rule.name: rule for rule in rules}
    missing = [name for name in saved["functions"] if name not in given]
    if missing:
        told = ", ".join(map(repr, missing))
        raise OntologyError(
            f"rules of ontology {saved['name']!r} that are functions are saved by name only; give rules= with {told}"
        )
    name = str(saved["name"])
    plain = Ontology.parse(saved["text"], name) if saved["text"] else Ontology.load(name)
    return plain.with_rules(*rules)


def _is_shipped(ontology: Ontology) -> bool:
    try:
        shipped = Ontology.load(ontology.name)
    except OntologyError:
        return False
    return shipped == ontology
