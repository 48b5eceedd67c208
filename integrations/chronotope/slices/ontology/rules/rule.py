"""What a rule is: a name, how much it weighs, and a judge that says in one sentence what a fact breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from chronotope.errors import OntologyError

if TYPE_CHECKING:
    from chronotope.slices.fact import Fact
    from chronotope.slices.ontology.known import KnownFacts
    from chronotope.slices.ontology.vocabulary import Ontology

__all__ = ["RELATION", "TYPE", "Broken", "DataRule", "Judge", "Rule"]

RELATION = {"names": "relation"}
TYPE = {"names": "type"}


@dataclass(frozen=True)
class Broken:
    """That a fact breaks a rule.

    Args:
        reason: one sentence that names who and what.
        against: ids of the known facts that it contradicts.
    """

    reason: str
    against: tuple[str, ...] = ()


Judge: TypeAlias = "Callable[[Fact, KnownFacts], str | Broken | None]"


class DataRule:
    """The base of rules made from data: frozen dataclasses whose fields are their parameters, and which are called as judges.

    Fields that name relations or types carry `RELATION` or `TYPE` as metadata.
    """

    kind: ClassVar[str]

    def watches(self, ontology: Ontology) -> frozenset[str]:
        """Names of the relations whose facts it can concern: all that its parameters name, unless its kind says otherwise."""
        return frozenset(
            name for _, what, names in self.named() if what == "relation" for name in names if name in ontology.relations
        )

    def __call__(self, fact: Fact, known: KnownFacts) -> Broken | None:
        """What the fact breaks, None when it breaks nothing."""
        raise NotImplementedError

    def named(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """Each parameter that names parts of an ontology: which, a `relation` or a `type`, and the names."""
        for f in fields(self):  # type: ignore[arg-type]
            if "names" in f.metadata:
                value = getattr(self, f.name)
                names = (value,) if isinstance(value, str) else (name[0] if isinstance(name, tuple) else name for name in value)
                yield f.name, f.metadata["names"], tuple(name for name in names if name)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule that facts are checked against.

    Args:
        name: its name, which verdicts cite.
        judge: given the fact and what is known, says in a sentence what is wrong; None where nothing is.
        hard: a fact that breaks it is rejected; a soft rule adds its penalty.
        penalty: what a soft rule weighs, above 0.
        relations: relations that it concerns; None for all, or, for a rule made from data, for those that its kind concerns.

    Raises:
        OntologyError: a hard rule with a penalty, or a soft one without.

    >>> def no_ghosts(fact, known):
    ...     return f"{fact.subject} is a ghost" if "ghost" in fact.subject else None
    >>> Rule(name="no_ghosts", judge=no_ghosts, hard=False, penalty=0.4)
    Rule('no_ghosts', soft 0.4, no_ghosts)
    """

    name: str
    judge: Judge
    hard: bool = True
    penalty: float = 0.0
    relations: frozenset[str] | None = None

    def __post_init__(self) -> None:
        if self.hard and self.penalty:
            raise OntologyError(f"rule {self.name!r} is hard and has a penalty of {self.penalty}: set hard=False, or leave it out")
        if not self.hard and not self.penalty > 0:
            raise OntologyError(f"rule {self.name!r} is soft: its penalty must be above 0, not {self.penalty}")

    @property
    def kind(self) -> str:
        """The kind of a rule made from data; empty for a function."""
        return self.judge.kind if isinstance(self.judge, DataRule) else ""

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of a rule made from data; empty for a function."""
        judge: Any = self.judge
        return {f.name: getattr(judge, f.name) for f in fields(judge)} if self.kind else {}

    def watches(self, ontology: Ontology) -> frozenset[str] | None:
        """Names of the relations whose facts it can concern; None for all."""
        if self.relations is None and isinstance(self.judge, DataRule):
            return self.judge.watches(ontology)
        return self.relations

    def __repr__(self) -> str:
        weight = "hard" if self.hard else f"soft {self.penalty:g}"
        shown = self.kind or getattr(self.judge, "__name__", type(self.judge).__name__)
        params = "".join(f", {name}={value!r}" for name, value in self.params.items())
        return f"Rule({self.name!r}, {weight}, {shown}{params})"
