"""How a question is matched with events, as one value; the method as published is one preset of it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Final, Literal, TypeAlias, get_args

from chronotope.shelves.weights import weights_of

__all__ = ["PRESETS", "EventRetrievalSettings", "EventWeights", "TimeFilter", "Undated", "checked_settings"]

TimeFilter: TypeAlias = Literal["cut", "boost", "off"]
Undated: TypeAlias = Literal["exclude", "include", "hint", "backfill"]


@dataclass(frozen=True, kw_only=True)
class EventWeights:
    """What each reason to choose an event counts; every reason lies between 0 and 1, see `EventRetrievalSettings.stretch`.

    Args:
        vectors: similarity of question and event by their vectors.
        words: words that they share (BM25), half by the whole question and half by what it asks without its times.
        passage_vectors: similarity of the question and the passage that the event stands in; an event in none is its own passage.
        passage_words: words that those share.
        source: how well the best passage of the document does, and the words that its title shares.
        time: nearness of the asked time by the code of time (λ).
        inside: what an event gains under `boost` when its time overlaps the asked one.
        hinted: the same for an undated event when the date before it in its text does.
        visits: visits by the walks, as a share of those of the event that was visited most.
    """

    vectors: float = 1.0
    words: float = 0.2
    passage_vectors: float = 0.8
    passage_words: float = 0.0
    source: float = 0.6
    time: float = 0.3
    inside: float = 0.2
    hinted: float = 0.1
    visits: float = 0.0

    def __post_init__(self) -> None:
        for weight in fields(self):
            if not 0 <= getattr(self, weight.name) < float("inf"):
                raise ValueError(f"the weight {weight.name} must be 0 or more, not {getattr(self, weight.name)!r}")


_DEFAULT_WEIGHTS: Final = EventWeights()
_PAPER_WEIGHTS: Final = EventWeights(
    vectors=1, words=0, passage_vectors=0, passage_words=0, source=0, time=0.5, inside=0, hinted=0, visits=1
)


@dataclass(frozen=True, kw_only=True)
class EventRetrievalSettings:
    """How a question is matched with events.

    Args:
        k: number of events to return.
        passages: number of source passages that come along with them.
        time_filter: `cut` keeps only events that overlap the asked time, `boost` raises them, `off` does neither; the code of time
            counts by its weight under each.
        undated: under `cut`, events that nothing dates are left out (`exclude`), compete like the others (`include`), compete when
            the date before them in their text lies in the asked time (`hint`), or only take places that would stay empty
            (`backfill`).
        weights: what each reason counts; a dict of some of them is read as `EventWeights`.
        stretch: stretch similarities to 0 … 1 over the candidates before they are weighed; False weighs the inner products
            themselves, so that vectors and time add up to the one of equation 8.
        seeds: number of best events that walks begin at; 0 for no walks.
        walks: walks from each seed.
        steps: steps of each walk.
        restart: chance that a step leads back to its seed.
        seed: fixes the random choices of the walks.
        rerank: number of best events that the reranker scores again before seeds are taken; 0 never asks it.
        clauses: look for the events that clauses of the question name ("after the merger").
        choose_clause: let a model choose where several events fit a clause.

    Raises:
        ValueError: a value is out of its range; the message names it.
        TypeError: `weights` are none, or name one that there is not.

    Source: DyG-RAG, section 3.5.
    """

    k: int = 100
    passages: int = 50
    time_filter: TimeFilter = "boost"
    undated: Undated = "hint"
    weights: EventWeights = field(default=_DEFAULT_WEIGHTS)
    stretch: bool = True
    seeds: int = 20
    walks: int = 5
    steps: int = 6
    restart: float = 0.0
    seed: int = 0
    rerank: int = 0
    clauses: bool = True
    choose_clause: bool = False

    def __post_init__(self) -> None:
        for name, choices in (("time_filter", get_args(TimeFilter)), ("undated", get_args(Undated))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")
        for name, low in (("k", 1), ("passages", 0), ("seeds", 0), ("walks", 1), ("steps", 0), ("seed", 0), ("rerank", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < low:
                raise ValueError(f"{name} must be a whole number of at least {low}, not {value!r}")
        if not 0 <= self.restart < 1:
            raise ValueError(f"restart is a chance of at least 0 and below 1, not {self.restart!r}")
        object.__setattr__(self, "weights", weights_of(EventWeights, self.weights))


def checked_settings(given: object) -> EventRetrievalSettings:
    """Settings as they are.

    Raises:
        TypeError: these are none, such as the name of a preset.
    """
    if isinstance(given, EventRetrievalSettings):
        return given
    hint = f'; use PRESETS["{given}"]' if isinstance(given, str) and given in PRESETS else ""
    raise TypeError(f"settings must be EventRetrievalSettings, not {given!r}{hint}")


PRESETS: Final = {
    "default": EventRetrievalSettings(),
    "dyg_rag": EventRetrievalSettings(time_filter="off", undated="include", weights=_PAPER_WEIGHTS, stretch=False),
}
