"""How facts of a story are extracted, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from chronotope.naming.rule_names import EntityFinder
from chronotope.prompts import Prompt
from chronotope.slices.extract.proposals import REPAIR_FACTS, STORY_FACTS, Mends, StoryProposals
from chronotope.slices.fact import Entity
from chronotope.slices.ontology.vocabulary import Ontology
from chronotope.slices.story_time import AxisKind
from chronotope.temporal.settings import CalendarSettings

__all__ = ["DEFAULTS", "FactMode", "FactSettings"]

FactMode: TypeAlias = Literal["rules", "llm"]
_SHIPPED: Final = "general_fiction"
_CALENDAR: Final = CalendarSettings()


@dataclass(frozen=True, kw_only=True)
class FactSettings:
    """How facts of a story are extracted.

    Args:
        mode: `rules` asks no model and finds what is said in set forms between names; `llm` lets a model read each window.
        ontology: what can be so: a shipped one by its name, the path of a file, or an ontology.
        repairs: rounds in which facts that break a hard rule go back to the model (R_max); 0 asks never.
        window_tokens: size of a window of a chapter in tokens.
        overlap_tokens: tokens that a window repeats of the one before, in whole sentences.
        attempts: how often a refused reply is asked again.
        axis: `ticks` or `dates`; None takes dates where most chapters are dated.
        calendar: seasons, fiscal years, date order.
        cast: entities that are known beforehand, with their names and types.
        entities: finds names in a text, such as `SpacyNames`, for extraction by rules; None finds them by rules.
        prompt: replaces the prompt of a window.
        repair_prompt: replaces that of a round of repair.

    Raises:
        ValueError: there is no such mode or axis, a number is out of range, or a prompt does not show the text.
        OntologyError: there is no such ontology, or its file says nothing sound.

    Source: NS-ST-GraphRAG, figures 1 and 2.
    """

    mode: FactMode = "rules"
    ontology: str | Path | Ontology = _SHIPPED
    repairs: int = 2
    window_tokens: int = 1_200
    overlap_tokens: int = 0
    attempts: int = 3
    axis: AxisKind | None = None
    calendar: CalendarSettings = _CALENDAR
    cast: tuple[Entity, ...] = ()
    entities: EntityFinder | None = None
    prompt: Prompt[StoryProposals] = STORY_FACTS
    repair_prompt: Prompt[Mends] = REPAIR_FACTS

    def __post_init__(self) -> None:
        object.__setattr__(self, "cast", tuple(self.cast))
        if self.mode not in get_args(FactMode):
            raise ValueError(f"mode must be one of {', '.join(get_args(FactMode))}, not {self.mode!r}")
        if self.axis not in (None, *get_args(AxisKind)):
            raise ValueError(f"axis must be ticks, dates or None, not {self.axis!r}")
        for name, least in (("window_tokens", 1), ("attempts", 1), ("overlap_tokens", 0), ("repairs", 0)):
            if not _is_whole(getattr(self, name), least):
                raise ValueError(f"{name} must be a whole number of at least {least}, not {getattr(self, name)!r}")
        if self.overlap_tokens >= self.window_tokens:
            raise ValueError(f"overlap_tokens must be below window_tokens={self.window_tokens}, not {self.overlap_tokens}")
        if self.entities is not None and not callable(self.entities):
            raise ValueError(f"entities must be callable with a text, not {self.entities!r}")
        for name, shown in (("prompt", ("text",)), ("repair_prompt", ("text", "facts"))):
            if missing := [f"${field}" for field in shown if field not in getattr(self, name).variables]:
                raise ValueError(f"{name} does not show what it asks about: it lacks {', '.join(missing)}")
        if self.ontology != _SHIPPED:  # that one is sound, and whoever imports this module need not read it
            _ = self.known

    @cached_property
    def known(self) -> Ontology:
        """The ontology, loaded."""
        return self.ontology if isinstance(self.ontology, Ontology) else Ontology.load(self.ontology)


def _is_whole(value: Any, least: int) -> bool:  # noqa: ANN401 - whatever a caller gave
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


DEFAULTS: Final = FactSettings()
