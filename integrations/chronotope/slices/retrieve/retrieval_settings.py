"""How a question is matched with a story, as one value."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Final, Literal, TypeAlias, get_args

from chronotope.shelves.weights import weights_of

__all__ = ["ScopeUse", "SliceSettings", "SliceWeights", "Untold", "checked_settings"]

ScopeUse: TypeAlias = Literal["boost", "cut", "off"]
Untold: TypeAlias = Literal["exclude", "include"]


@dataclass(frozen=True, kw_only=True)
class SliceWeights:
    """What each reason to choose a passage or a fact counts; every reason lies between 0 and 1.

    Args:
        vectors: similarity of question and text by their vectors.
        words: words that they share (BM25).
        sentences: words that the question shares with a few sentences of a passage, those where it shares most.
        names: share of the asked entities that a passage names, by any of their names, or that a fact is about.
        relation: that a fact is of a relation which the question names; it counts thrice where the fact is about an asked entity.
        facts: whether a fact of a passage is about whom the question names, in the relation that it names.
        near: how well the better of the passages before and after it in its source does.
        chapter: how well its chapter does, by its title and its best passages.
        kind: a time, a number or a name where the question asks for one.
        inside: what a fact gains under `boost` when it lies in the asked chapters, time and places, and a passage by the share of
            these that it lies in; a fact outside time gains half of it.
    """

    vectors: float = 1.0
    words: float = 0.4
    sentences: float = 0.4
    names: float = 0.2
    relation: float = 0.4
    facts: float = 0.2
    near: float = 0.0
    chapter: float = 0.1
    kind: float = 0.3
    inside: float = 0.5

    def __post_init__(self) -> None:
        for weight in fields(self):
            if not 0 <= getattr(self, weight.name) < float("inf"):
                raise ValueError(f"the weight {weight.name} must be 0 or more, not {getattr(self, weight.name)!r}")


_DEFAULT_WEIGHTS: Final = SliceWeights()


@dataclass(frozen=True, kw_only=True)
class SliceSettings:
    """How a question is matched with a story.

    Args:
        k: number of facts to return.
        passages: number of passages to return.
        scope: `cut` keeps only facts and passages inside the asked chapters, time and places, `boost` raises them, `off` does
            neither.
        unplaced: what becomes of facts without a place where a place is asked.
        untimed: what becomes of facts that nothing places in time where a time is asked.
        paths: largest number of shortest paths between the entities of the question; 0 looks for none.
        weights: what each reason counts; a dict of some of them is read as `SliceWeights`.
        rerank: number of best passages that the reranker scores again; 0 never asks it.

    Raises:
        ValueError: a value is out of its range; the message names it.
        TypeError: `weights` are none, or name one that there is not.

    Source: NS-ST-GraphRAG, figure 6.
    """

    k: int = 40
    passages: int = 20
    scope: ScopeUse = "boost"
    unplaced: Untold = "exclude"
    untimed: Untold = "exclude"
    paths: int = 20
    weights: SliceWeights = field(default=_DEFAULT_WEIGHTS)
    rerank: int = 0

    def __post_init__(self) -> None:
        choices: tuple[tuple[str, tuple[str, ...]], ...] = (
            ("scope", get_args(ScopeUse)),
            ("unplaced", get_args(Untold)),
            ("untimed", get_args(Untold)),
        )
        for name, known in choices:
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {getattr(self, name)!r}")
        for name, low in (("k", 1), ("passages", 0), ("paths", 0), ("rerank", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < low:
                raise ValueError(f"{name} must be a whole number of at least {low}, not {value!r}")
        object.__setattr__(self, "weights", weights_of(SliceWeights, self.weights))


def checked_settings(given: object) -> SliceSettings:
    """Settings as they are.

    Raises:
        TypeError: these are none.
    """
    if isinstance(given, SliceSettings):
        return given
    raise TypeError(f"settings must be SliceSettings, not {given!r}")
