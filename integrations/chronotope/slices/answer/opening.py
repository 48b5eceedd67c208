"""What an answer by facts begins with: the answer by name where the slice gives one, or that nothing lies in what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from chronotope.records import Evidence
from chronotope.slices.answer.asked_for import nothing_found
from chronotope.slices.answer.coordinates import validity
from chronotope.slices.answer.direct import direct_answer

if TYPE_CHECKING:
    from chronotope.slices.retrieve.retrieve import SliceRetrieval

__all__ = ["NO_OPENING", "Opening", "opening"]

_OTHERWISE = "What follows fits best otherwise."


@dataclass(frozen=True)
class Opening:
    """The first words of an answer by facts, before it is known under which marks the facts are cited.

    Args:
        parts: names that answer the question, of several each with when it holds, and the ids of the facts that say so.
        nothing: that nothing lies in all that is asked, and what was asked.
    """

    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    nothing: str = ""

    @property
    def facts(self) -> tuple[str, ...]:
        """The ids of the facts that the names rest on."""
        return tuple(fact for _, facts in self.parts for fact in facts)

    def lines(self, shown: Sequence[Evidence]) -> list[str]:
        """What stands before the facts; no line where there is nothing to say.

        Args:
            shown: what can be cited. Without any fact that a name rests on, the names are not told.
        """
        if {item.passage.id for item in shown} & {*self.facts}:
            return ["; ".join(f"{name}{_proofs(facts, shown)}" for name, facts in self.parts)]
        return [f"{self.nothing}\n{_OTHERWISE}"] if self.nothing else []

    def to_json(self) -> dict[str, Any]:
        """The opening as JSON values; `from_json` is the inverse."""
        return {"parts": [[name, [*facts]] for name, facts in self.parts], "nothing": self.nothing}

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Opening:
        """Read what `to_json` wrote.

        >>> Opening.from_json(Opening(parts=(("Ann", ("f1",)),)).to_json()).facts
        ('f1',)
        """
        return cls(tuple((str(name), tuple(map(str, facts))) for name, facts in told["parts"]), str(told["nothing"]))


NO_OPENING: Final = Opening()


def opening(retrieval: SliceRetrieval) -> Opening:
    """What an answer by the facts of a retrieval begins with.

    Args:
        retrieval: what `retrieve_slice` found.
    """
    sure, graph = direct_answer(retrieval), retrieval.slice.graph
    parts = []
    for name, facts in sure.parts if sure else ():
        held = validity(graph.fact(facts[0]), graph) if sure and len(sure.parts) > 1 else ""
        parts.append((f"{name} ({held})" if held else name, facts))
    missing = retrieval.scope.is_bound and not _has_any(retrieval)
    return Opening(tuple(parts), nothing_found(retrieval) if missing else "")


def _has_any(retrieval: SliceRetrieval) -> bool:
    """True when a fact was found in all that is asked, those aside that lie in everything because they are outside time."""
    graph = retrieval.slice.graph
    return any(found.in_scope and graph.kinds[graph.row(found.fact.id)] != "timeless" for found in retrieval.trace)


def _proofs(facts: Sequence[str], shown: Sequence[Evidence]) -> str:
    return "".join(f" [{item.mark} “{item.passage.text}”]" for item in shown if item.passage.id in facts)
